#!/usr/bin/env python3
"""Indices from tensors, wrapping around and scattering, over random formats: what the tool makes must be what NumPy makes.

usage: gather_compare.py FILIGREE [RUNS [SEED]]

NumPy knows nothing of how such statements are rewritten as products with selections.
Ends with 'N passed, M failed'; exit code 77 if NumPy is not there.
"""
import random
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

OPERANDS = ["csr", "csc", "dcsr", "dcsc", "coo", "dok", "hash", "bitmap", "dense", "bcsr(2,2)", "ell", "dia", "coo(unordered,nonunique)"]
RESULTS = ["csr", "csc", "dcsr", "coo", "dense", "hash", "bcsr(2,2)", "dok"]


def write(path, array):
    with open(path, "w") as file:
        file.write(f"# filigree type=int64 dimensions={','.join(str(size) for size in array.shape)}\n")
        for at in np.argwhere(array != 0):
            file.write(" ".join(str(c + 1) for c in at) + f" {array[tuple(at)]}\n")


def read(path, shape):
    result = np.zeros(shape)
    for line in open(path):
        if not line.startswith("#"):
            *at, number = line.split()
            result[tuple(int(c) - 1 for c in at)] = float(number)
    return result


def random_case(numbers):
    """A statement, its operands by name, and what it must give."""
    rows, columns, count = numbers.integers(1, 6, 3)
    sparse = lambda *shape: np.where(numbers.random(shape) < numbers.choice([0, 0.2, 0.5, 1]), numbers.integers(1, 9, shape), 0)
    A, B = sparse(rows, columns), sparse(count, columns)
    p, q, x = numbers.integers(0, rows, count), numbers.integers(0, columns, count), numbers.integers(1, 9, count)
    scattered = np.zeros((rows, columns))
    np.add.at(scattered, p, B)
    statements = [
        ("R(l,i) = A(p(l),i)", A[p]), ("R(l,i) = A(i,q(l))", A[:, q].T), ("R(i,l) = A(i,q(l))", A[:, q]),
        ("R(l,i) = A(p(l),i) + B(l,i)", A[p] + B), ("R(l,i) = A(p(l),i)*B(l,i)", A[p] * B), ("R(l,i) = max(A(p(l),i), B(l,i))", np.maximum(A[p], B)),
        ("R(l,i) = x(l)*A(p(l),i)", x[:, None] * A[p]), ("R(l,m) = A(p(l),q(m))", A[np.ix_(p, q)]), ("R(l,i) = prune(A(p(l),i))", A[p]),
        ("R(i,j) = wrap(A(i+1,j))", np.roll(A, -1, 0)), ("R(i,j) = wrap(A(i,j-1))", np.roll(A, 1, 1)),
        ("R(i,j) = A(i,j) - wrap(A(i-1,j))", A - np.roll(A, 1, 0)), ("R(p(l),i) += B(l,i)", scattered)]
    statement, expected = random.choice(statements)
    return statement, {"A": A, "B": B, "p": p, "q": q, "x": x}, expected


def wrong(tool, numbers, work):
    """What is wrong with a random case, or nothing."""
    statement, operands, expected = random_case(numbers)
    command = [tool, statement, "--target", random.choice(["interpret", "interpret", "jit"]), "--threads", random.choice("12"), "--force"]
    for name in sorted(set(re.findall(r"\b([ABpqx])\(", statement))):
        write(f"{work}/{name}.tns", operands[name])
        command += ["-i", f"{name}:{work}/{name}.tns", "-f", f"{name}:{random.choice(OPERANDS if name in 'AB' else ['dense', 'sparse'])}"]
    if random.random() < 0.7:
        command += ["-f", "R:" + random.choice(RESULTS)]
    command += ["-d", f"R:{expected.shape[0]},{expected.shape[1]}"] if statement.startswith("R(p") else []
    done = subprocess.run([*command, "-o", f"R:{work}/R.tns"], capture_output=True, text=True)
    if done.returncode == 0 and np.array_equal(read(f"{work}/R.tns", expected.shape), expected):
        return None
    files = "".join(f"{name}:\n{array}\n" for name, array in operands.items())
    return f"{' '.join(command)}\nexit code {done.returncode} {done.stderr}\n{files}expected:\n{expected}\n"


def main():
    tool, runs, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 150, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    numbers, failed = np.random.default_rng(seed), 0
    random.seed(seed)
    with tempfile.TemporaryDirectory() as work:
        for _ in range(runs):
            what = wrong(tool, numbers, work)
            failed += what is not None
            if what:
                print(what, flush=True)
    print(f"{runs - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
