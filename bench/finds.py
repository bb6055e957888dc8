#!/usr/bin/env python3
"""How many times faster the chosen find is than a merge with two fingers: sparse matrices times sparse vectors.

usage: finds.py TOOL SVG [--rounds 5] [--matrices FOLDER]

Generated matrices with densities from 1e-6 to 0.5 and the matrices of a folder, each times vectors of densities from 1e-6 to
0.5.  Prints a Markdown table, the geometric mean and the worst case, and writes a picture: a line for each density of the
matrix.  A filled mark says that one side is more than twice as long as the other, so that it is leaped through or looked up; at
a hollow one both are merged.
"""
import argparse
import json
import math
import pathlib
import subprocess

DENSITIES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5]
COLUMNS = 1_000_000
MOST_ENTRIES = 1_000_000    # of a matrix
MOST_STEPS = 100_000_000    # of a merge
LARGE = 2                   # times as long: see docs/scheduling.md
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf"]
STATEMENT = "y(i) = A(i,j) * x(j)"


def measure(tool, inputs, rounds):
    """Milliseconds of the chosen find and of the merge; nothing if the tool refuses the case.  Where they are close, both are
    measured once more, with more rounds, so that little depends on what else the machine does."""
    times = measure_once(tool, inputs, rounds)
    if times and times[1] < 1.1 * times[0]:
        again = measure_once(tool, inputs, 4 * rounds)
        times = tuple(min(pair) for pair in zip(times, again))
    return times


def measure_once(tool, inputs, rounds):
    words = [tool, "compare", STATEMENT, "-f", "A:csr", "-f", "x:sparse", "-s", "serial", "-s",
             "mergeby(j, two_finger)", "--threads", "1", "--json", "--time", str(rounds)] + inputs
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode != 0:
        return None
    found = json.loads(run.stdout)["alternatives"]
    if any("median_ms" not in one for one in found):
        return None
    assert all(one["same_result"] for one in found), words
    times = {one["choices"]["schedule"]: one["fastest_ms"] for one in found}
    return times["serial"], times["mergeby(j, two_finger)"]


def generated(tool, rounds):
    """(density of A, density of x, entries of a row, entries of x, times faster)"""
    for in_matrix in DENSITIES:
        columns = COLUMNS if in_matrix <= 0.01 else 20_000
        for in_vector in DENSITIES:
            row, vector = in_matrix * columns, in_vector * columns
            if vector < 1:
                continue
            rows = int(max(1, min(MOST_ENTRIES / row, MOST_STEPS / (row + vector), 100_000)))
            times = measure(tool, ["-d", f"i:{rows}", "-d", f"j:{columns}", "-i", f"A:random({in_matrix},1)",
                                   "-i", f"x:random({in_vector},2)"], rounds)
            if times:
                yield in_matrix, in_vector, row, vector, times[1] / times[0]


def real(tool, folder, rounds):
    """(name, density of x, times faster)"""
    for path in sorted(folder.glob("*.mtx*")):
        for in_vector in [1e-4, 1e-3, 1e-2, 0.1, 0.5]:
            times = measure(tool, ["-i", f"A:{path}", "-i", f"x:random({in_vector},2)"], rounds)
            if times and times[1] > 0.002:  # less than two microseconds is the call
                yield path.name.split(".")[0], in_vector, times[1] / times[0]


def picture(points):
    width, height, left, right, top, bottom = 720, 420, 70, 170, 30, 50
    xs, ys = [p[1] for p in points], [p[4] for p in points]
    low, high = math.log10(min(xs)), math.log10(max(xs))
    floor, ceiling = min(0, math.floor(math.log10(min(ys)))), max(1, math.ceil(math.log10(max(ys))))

    def at(x, y):
        return (left + (math.log10(x) - low) / (high - low) * (width - left - right),
                height - bottom - (math.log10(y) - floor) / (ceiling - floor) * (height - top - bottom))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(floor, ceiling + 1):
        y = at(min(xs), 10.0 ** power)[1]
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{width - right}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for x in sorted(set(xs)):
        out.append(f'<text x="{at(x, 1)[0]:.1f}" y="{height - bottom + 18}" text-anchor="middle">{x:g}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">density of the vector</text>')
    out.append(f'<text x="{left}" y="{top - 12}">times faster than a merge with two fingers</text>')
    out.append(f'<text x="{width - right + 16}" y="{top + 4}">density of the matrix</text>')
    for n, density in enumerate(sorted({p[0] for p in points})):
        colour, line = COLOURS[n % len(COLOURS)], [p for p in points if p[0] == density]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(p[1], p[4]) for p in line))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        for _, in_vector, row, vector, faster in line:
            x, y = at(in_vector, faster)
            apart = max(row, vector) > LARGE * min(row, vector)
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" stroke="{colour}" fill="{colour if apart else "white"}"/>')
        y = top + 24 + 18 * n
        out.append(f'<circle cx="{width - right + 22}" cy="{y}" r="4" fill="{colour}"/>'
                   f'<text x="{width - right + 34}" y="{y + 4}">{density:g}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("svg")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matrices", type=pathlib.Path)
    arguments = parser.parse_args()
    points = list(generated(arguments.tool, arguments.rounds))
    pathlib.Path(arguments.svg).write_text(picture(points))
    vectors = sorted({p[1] for p in points})
    print("| density of the matrix |" + "".join(f" {x:g} |" for x in vectors))
    print("|---|" + "---|" * len(vectors))
    for density in sorted({p[0] for p in points}):
        cells = {p[1]: f"{p[4]:.2f}" for p in points if p[0] == density}
        print(f"| {density:g} |" + "".join(f" {cells.get(x, '')} |" for x in vectors))
    found = [(p[4], f"A:{p[0]:g} x:{p[1]:g}") for p in points]
    if arguments.matrices:
        found += [(faster, f"{name} x:{density:g}") for name, density, faster in
                  real(arguments.tool, arguments.matrices, arguments.rounds)]
    mean = math.exp(sum(math.log(faster) for faster, _ in found) / len(found))
    worst = sorted(found)[:5]
    print(f"\n{len(found)} cases; geometric mean {mean:.2f}; the slowest: "
          + ", ".join(f"{name} {faster:.2f}" for faster, name in worst))


if __name__ == "__main__":
    main()
