#!/usr/bin/env python3
"""Times statements with their own loops (-s default) and with what is chosen for their inputs (-s auto).

    python3 bench/autoscheduling.py build/bin/filigree [--rounds 7] [--only WORD]

Both run in turns (filigree compare), and results are checked against each other.  Prints a Markdown table; the last
column is how many times faster the choice is, by medians and by fastest runs.
"""
import argparse
import json
import subprocess

ONES = "random(1,3)"

# name, statement, formats, sizes, densities (dense where none is given)
STATEMENTS = [
    ("SpMV", "y(i) = A(i,j)*x(j)", "A:csr", "i:20000 j:20000", "A:0.0005"),
    ("SpMM", "Y(i,j) = A(i,k)*X(k,j)", "A:csr", "i:5000 k:5000 j:32", "A:0.002"),
    ("SpMV, two matrices", "y(i) = B(i,j)*C(j,k)*d(k)", "B:csr C:csr", "i:3000 j:3000 k:3000", "B:0.003 C:0.003"),
    ("SpGEMM", "A(i,j) = B(i,k)*C(k,j)", "A:csr B:csr C:csr", "i:2000 j:2000 k:2000", "B:0.005 C:0.005"),
    ("chain, last one empty", "A(i,l) = B(i,j)*C(j,k)*D(k,l)", "A:csr B:csr C:csr D:csr",
     "i:2000 j:2000 k:2000 l:2000", "B:0.005 C:0.005 D:0.00001"),
    ("chain, first one empty", "A(i,l) = B(i,j)*C(j,k)*D(k,l)", "A:csr B:csr C:csr D:csr",
     "i:2000 j:2000 k:2000 l:2000", "B:0.00001 C:0.005 D:0.005"),
    ("chain, all alike", "A(i,l) = B(i,j)*C(j,k)*D(k,l)", "A:csr B:csr C:csr D:csr", "i:1000 j:1000 k:1000 l:1000",
     "B:0.005 C:0.005 D:0.005"),
    ("dense chain", "A(i,l) = X(i,j)*Y(j,k)*Z(k,l)", "", "i:300 j:300 k:300 l:10", ""),
    ("graph layer", "H(i,j) = A(i,k)*(X(k,l)*W(l,j))", "A:csr", "i:2000 k:2000 l:64 j:16", "A:0.003"),
    ("two graph layers", "H(i,j) = A(i,k)*A(k,m)*X(m,l)*W(l,j)", "A:csr", "i:1000 k:1000 m:1000 l:32 j:8", "A:0.003"),
    ("SDDMM", "S(i,j) = M(i,j)*Q(i,k)*K(j,k)", "S:csr M:csr", "i:1000 j:1000 k:32", "M:0.005"),
    ("masked exponential", "S(i,j) = M(i,j)*exp(sum(k, Q(i,k)*K(j,k)))", "S:csr M:csr", "i:1000 j:1000 k:32", "M:0.005"),
    ("masked maximum", "S(i,j) = M(i,j)*max(sum(k, Q(i,k)*K(j,k)), 0)", "S:csr M:csr", "i:1000 j:1000 k:32", "M:0.005"),
    ("Tucker core", "G(p,q,r) = T(i,j,k)*A(i,p)*B(j,q)*C(k,r)", "T:sss", "i:200 j:200 k:200 p:16 q:16 r:16", "T:0.002"),
    ("MTTKRP", "A(i,r) = T(i,j,k)*B(j,r)*C(k,r)", "T:sss", "i:300 j:300 k:300 r:32", "T:0.005"),
    ("TTM", "Y(i,j,r) = T(i,j,k)*C(k,r)", "T:sss Y:ssd", "i:200 j:200 k:200 r:16", "T:0.005"),
    ("TTV", "Y(i,j) = T(i,j,k)*c(k)", "T:sss Y:csr", "i:300 j:300 k:300", "T:0.005"),
    ("TTV twice", "y(i) = T(i,j,k)*b(j)*c(k)", "T:sss", "i:300 j:300 k:300", "T:0.005"),
    ("Hadamard", "A(i,j) = B(i,j)*C(i,j)*D(i,j)", "A:csr B:csr C:csr D:csr", "i:2000 j:2000", "B:0.05 C:0.05 D:0.0001"),
    ("sum of three matrices", "A(i,j) = B(i,j) + C(i,j) + D(i,j)", "A:csr B:csr C:csr D:csr", "i:2000 j:2000",
     "B:0.01 C:0.01 D:0.01"),
    ("triangles", "s = A(i,j)*A(j,k)*A(k,i)", "A:csr", "i:1000 j:1000 k:1000", "A:0.01"),
    ("trace, one nearly empty", "s = A(i,j)*B(j,k)*C(k,i)", "A:csr B:csr C:csr", "i:2000 j:2000 k:2000",
     "A:0.01 B:0.01 C:0.00001"),
    ("quadratic form", "s = x(i)*A(i,j)*y(j)", "A:csr", "i:3000 j:3000", "A:0.01"),
    ("scaled rows and columns", "B(i,j) = x(i)*A(i,j)*y(j)", "A:csr B:csr", "i:3000 j:3000", "A:0.01"),
    ("weighted Gram matrix", "G(i,j) = X(k,i)*w(k)*X(k,j)", "", "k:2000 i:40 j:40", ""),
    ("Galerkin product", "C(i,l) = P(j,i)*A(j,k)*P(k,l)", "C:csr A:csr P:csr", "i:500 j:2000 k:2000 l:500",
     "A:0.002 P:0.002"),
    ("four-index transformation", "R(p,q) = V(i,j,k,l)*A(i,p)*B(j,q)*x(k)*y(l)", "V:ssss",
     "i:40 j:40 k:40 l:40 p:20 q:20", "V:0.01"),
    ("elements", "K(e,a,b) = w(q)*D(e,q,a)*D(e,q,b)", "", "e:2000 q:8 a:8 b:8", ""),
    ("residual", "r(i) = b(i) - A(i,j)*x(j)", "A:csr", "i:20000 j:20000", "A:0.0005"),
    ("residual of a product", "r(i) = b(i) - B(i,j)*C(j,k)*x(k)", "B:csr C:csr", "i:2000 j:2000 k:2000", "B:0.003 C:0.003"),
]


def measure(tool, row, rounds):
    _, statement, formats, sizes, densities = row
    given = dict(item.split(":") for item in densities.split())
    left, right = statement.split("=", 1)
    words = [tool, "compare", statement, "-s", "default", "-s", "auto", "--json", "--time", str(rounds)]
    for item in formats.split():
        words += ["-f", item]
    for item in sizes.split():
        words += ["-d", item]
    names = {part[-1] for part in right.replace("sum(", " ").replace("exp(", " ").replace("max(", " ").split("(")[:-1]
             if part[-1].isalpha()}
    for seed, name in enumerate(sorted(names), 1):
        words += ["-i", f"{name}:random({given.get(name, '1')},{seed})"]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert all(one["same_result"] for one in found["alternatives"]), statement
    return {one["choices"]["schedule"]: one for one in found["alternatives"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print("| statement | default, ms | chosen, ms | faster, median | faster, fastest |\n|---|---|---|---|---|")
    for row in STATEMENTS:
        if arguments.only not in row[0]:
            continue
        try:
            times = measure(arguments.tool, row, arguments.rounds)
        except subprocess.CalledProcessError as error:
            print(f"| {row[0]} | failed: {error.stderr.strip()[:80]} | | | |", flush=True)
            continue
        own, chosen = times["default"], times["auto"]
        print(f"| {row[0]} `{row[1]}` | {own['median_ms']:.3g} | {chosen['median_ms']:.3g} | "
              f"{own['median_ms'] / chosen['median_ms']:.2f} | {own['fastest_ms'] / chosen['fastest_ms']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
