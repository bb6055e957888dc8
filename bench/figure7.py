#!/usr/bin/env python3
"""How many times faster the choice is than loops in the order of the alphabet without temporaries, by size and by density.

usage: figure7.py TOOL SVG [--rounds 5]

Prints a Markdown table, and writes a picture: on the left densities are fixed and sizes grow, on the right it is the other way round.
"""
import argparse
import json
import math
import subprocess

# name, statement, formats, alphabetical loops, density for growing sizes, size for growing densities
KERNELS = [
    ("SpMV2", "y(i) = B(i,j)*C(j,k)*d(k)", "B:csr C:csr", "reorder(i,j,k)", 0.005, 2000),
    ("SpGEMM2", "A(i,l) = B(i,j)*C(j,k)*D(k,l)", "A:csr B:csr C:csr D:csr", "reorder(i,j,k,l)", 0.005, 800),
    ("graph layer", "H(i,l) = A(i,j)*X(j,k)*W(k,l)", "A:csr", "reorder(i,j,k,l)", 0.005, 2000),
    ("masked product", "A(i,j) = M(i,j)*B(i,k)*C(k,j)", "A:csr M:csr B:csr C:csr", "reorder(i,k,j)", 0.005, 1500),
]
SIZES = [250, 500, 1000, 2000, 4000]
DENSITIES = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"]


def measure(tool, kernel, size, density, rounds):
    _, statement, formats, loops, _, _ = kernel
    left, right = statement.split("=", 1)
    dense = {"X", "W", "d"}
    words = [tool, "compare", statement, "-s", loops, "-s", "auto", "--json", "--time", str(rounds)]
    for item in formats.split():
        words += ["-f", item]
    small = {"graph layer": {"k": 32, "l": 16}}.get(kernel[0], {})
    for index in sorted({c for c in statement if c in "ijkl"}):
        words += ["-d", f"{index}:{small.get(index, size)}"]
    names = sorted({part[-1] for part in right.split("(")[:-1]})
    for seed, name in enumerate(names, 1):
        words += ["-i", f"{name}:random({1 if name in dense else density},{seed})"]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert all(one["same_result"] for one in found["alternatives"]), statement
    times = {one["choices"]["schedule"]: one["fastest_ms"] for one in found["alternatives"]}
    return times[loops], times["auto"]


def panel(lines, x0, x1, y0, y1, title, unit):
    """Lines are (name, [(x, times faster)]); both axes are logarithmic."""
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points]
    low, high = math.log10(min(xs)), math.log10(max(xs))
    bottom, top = min(0, math.floor(math.log10(min(ys)))), max(1, math.ceil(math.log10(max(ys))))

    def at(x, y):
        return (x0 + (math.log10(x) - low) / (high - low) * (x1 - x0),
                y0 - (math.log10(y) - bottom) / (top - bottom) * (y0 - y1))

    out = [f'<text x="{(x0 + x1) / 2:.0f}" y="{y1 - 14}" text-anchor="middle">{title}</text>']
    for power in range(bottom, top + 1):
        _, y = at(xs[0], 10.0 ** power)
        out.append(f'<line x1="{x0}" y1="{y:.1f}" x2="{x1}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{x0 - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for x in sorted(set(xs)):
        out.append(f'<text x="{at(x, 1)[0]:.1f}" y="{y0 + 16}" text-anchor="middle">{x:g}</text>')
    out.append(f'<text x="{(x0 + x1) / 2:.0f}" y="{y0 + 34}" text-anchor="middle">{unit}</text>')
    for n, (name, points) in enumerate(lines):
        path = " ".join(f"{at(x, y)[0]:.1f},{at(x, y)[1]:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[n]}" stroke-width="2"/>')
        x, y = at(*points[-1])
        out.append(f'<text x="{x1 + 6}" y="{y + 4:.1f}" fill="{COLOURS[n]}">{name}</text>')
    return out


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("svg")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    by_size, by_density = [], []
    print("| statement | size | density | alphabetical, ms | chosen, ms | times faster |\n|---|---|---|---|---|---|")
    for kernel in KERNELS:
        name, statement, _, _, density, size = kernel
        lines = {"size": [], "density": []}
        cases = [("size", n, density) for n in SIZES] + [("density", size, d) for d in DENSITIES]
        too_long = set()
        for which, n, d in cases:
            if which in too_long:
                continue
            slow, fast = measure(given.tool, kernel, n, d, given.rounds)
            print(f"| {name} `{statement}` | {n} | {d:g} | {slow:.3g} | {fast:.3g} | {slow / fast:.2f} |", flush=True)
            lines[which].append((n if which == "size" else d, slow / fast))
            if slow > 100:
                too_long.add(which)
        by_size.append((name, lines["size"]))
        by_density.append((name, lines["density"]))
    body = panel(by_size, 60, 360, 360, 60, "sizes, with density 0.005", "size of all dimensions")
    body += panel(by_density, 540, 840, 360, 60, "densities", "density of sparse operands")
    with open(given.svg, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="960" height="410" font-family="sans-serif" font-size="12">\n'
                   '<rect width="960" height="410" fill="white"/>\n'
                   '<text x="480" y="20" text-anchor="middle">how many times faster the choice is than alphabetical loops</text>\n'
                   + "\n".join(body) + "\n</svg>\n")


if __name__ == "__main__":
    main()
