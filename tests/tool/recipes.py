#!/usr/bin/env python3
"""Every row of the tables in docs/recipes.md: what NumPy and SciPy make of the second column must be what Filigree makes of the third.

usage: recipes.py FILIGREE RECIPES.md [--time]

Data are small and random, with a fixed seed.  With --time they are larger, rows that fit no other sizes are left out, and a row fails if Filigree takes
more than 100 times as long as the other side.  Ends with 'N passed, M failed'; exit code 77 if NumPy or SciPy is not there.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

from beside_numpy import MOST_TIMES, TOLERANCE, np, scipy
from scipy.sparse import block_diag, csr_array, diags_array, hstack, kron, random_array, tril, vstack


def jaccard(graph):
    common = (graph @ graph).toarray()
    degree = graph.sum(axis=1)
    either = degree[:, None] + degree[None, :] - common
    return np.where(common != 0, common / np.where(either == 0, 1, either), 0)


def data(large):
    """The operands by name; the small sizes are those that the page uses in its statements."""
    random = np.random.default_rng(60)
    rows, columns, rank, nodes, first, second = (600, 400, 16, 2000, 60, 80) if large else (6, 5, 4, 7, 3, 4)
    rare = 0.05 if large else 1  # how full, compared with the small ones
    sparse = lambda *shape, density=0.4: csr_array(random_array(shape, density=density * rare, rng=random).multiply(3))
    graph = np.triu(random.random((nodes, nodes)) < 0.4 * rare, 1).astype(float)
    tensor = np.where(random.random((first, second, columns)) < 0.3 * rare, random.random((first, second, columns)), 0)
    return {
        "A": sparse(rows, columns), "B": sparse(rows, columns), "S": sparse(columns, columns, density=0.6), "G": csr_array(graph + graph.T),
        "M": csr_array(random.random((rows, columns)) < 0.5 * rare), "D": random.random((rows, columns)), "E": random.random((columns, rank)),
        "F": random.random((second, rank)), "H": random.random((first, rank)), "x": random.random(columns), "y": random.random(rows),
        "w": random.random(3), "b": random.random(rank), "y7": random.random(nodes), "c": random.integers(0, 3, rows), "p": random.integers(0, rows, 4),
        "T": tensor,
    }


def entries(value):
    """Coordinates and values of what a file would hold."""
    if scipy.sparse.issparse(value):
        value = value.tocoo()
        return list(zip(*value.coords)), value.data
    value = np.asarray(value)
    if value.ndim == 3:  # the sparse tensor
        where = np.argwhere(value != 0)
        return [tuple(at) for at in where], value[tuple(where.T)]
    return [tuple(at) for at in np.ndindex(value.shape)], value.reshape(-1)


def write(path, value):
    kind = {"b": "bool", "i": "int64", "f": "float64"}[value.dtype.kind]
    with open(path, "w") as file:
        file.write(f"# filigree type={kind} dimensions={','.join(str(size) for size in value.shape)}\n")
        for at, number in zip(*entries(value)):
            file.write(" ".join(str(c + 1) for c in at) + f" {number + 0 if kind != 'bool' else int(number)!r}\n".replace("np.float64(", "").replace("np.int64(", "").replace(")", ""))


def read(path, shape, fill):
    result = np.full(shape, fill, dtype=float)
    with open(path) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            *at, number = line.split()
            result[tuple(int(c) - 1 for c in at)] = float(number)
    return result


def rows(path):
    """(task, Python, statement, options) of every row that is a recipe."""
    found = []
    for line in open(path, encoding="utf-8"):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("task", "---"):
            continue
        python, spans = re.findall(r"`([^`]+)`", cells[1]), re.findall(r"`([^`]+)`", cells[2])
        if python and spans:
            found.append((cells[0], python[0], spans[0], spans[1].split() if len(spans) > 1 else []))
    return found


class Check:
    def __init__(self, tool, work, measures):
        self.tool, self.work, self.measures = tool, work, measures
        self.values = data(large=measures)
        for name, value in self.values.items():
            write(os.path.join(work, name + ".tns"), value if scipy.sparse.issparse(value) else np.asarray(value))

    def expected(self, python):
        """The value, and how long it took."""
        names = dict(self.values, np=np, scipy=scipy, kron=kron, hstack=hstack, vstack=vstack, block_diag=block_diag, tril=tril,
                     diags_array=diags_array, jaccard=jaccard)
        times = []
        for _ in range(3 if self.measures else 1):
            start = time.perf_counter()
            value = eval(python, names)
            times.append(time.perf_counter() - start)
        return np.asarray(value.toarray() if scipy.sparse.issparse(value) else value, dtype=float), min(times)

    def run(self, python, statement, options):
        """None if both sides agree, else what is wrong."""
        expected, python_time = self.expected(python)
        assigned = [re.match(r"\s*(\w+)", part).group(1) for part in statement.split(";")]
        command = [self.tool, statement, *options]
        for name in sorted(set(re.findall(r"\b[A-Za-z]\w*\b", statement)) & set(self.values) - set(assigned)):
            command += ["-i", f"{name}:{os.path.join(self.work, name + '.tns')}"]
            if not scipy.sparse.issparse(self.values[name]) and self.values[name].ndim < 3:
                command += ["-f", f"{name}:dense"]
        out = os.path.join(self.work, "out.tns")
        if os.path.exists(out):
            os.remove(out)
        done = subprocess.run([*command, "-o", f"{assigned[-1]}:{out}", *(["--time", "3"] if self.measures else [])], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            return done.stderr.strip()
        if self.measures:
            found = re.search(r"run, fastest\s+([0-9.]+) (\w+)", done.stderr)
            seconds = float(found.group(1)) * {"us": 1e-6, "ms": 1e-3, "s": 1}[found.group(2)]
            ratio = seconds / max(python_time, 1e-5)
            print(f"{ratio:9.3f}  {statement}", flush=True)
            if not ratio <= MOST_TIMES:
                return f"takes {ratio:.0f} times as long as {python}"
        elif done.stderr.strip():
            return "unexpected: " + done.stderr.strip()
        difference = abs(read(out, expected.shape, 0) - expected)
        if not (difference <= TOLERANCE * max(1, abs(expected).max(initial=0))).all():
            return f"values differ:\n{read(out, expected.shape, 0)}\n{expected}"
        return None


def main():
    measures = "--time" in sys.argv
    tool, page = [argument for argument in sys.argv[1:] if argument != "--time"]
    failed, passed = 0, 0
    recipes = rows(page)
    if len(recipes) < 60:
        print(f"only {len(recipes)} recipes were found")
        failed += 1
    with tempfile.TemporaryDirectory() as work:
        check = Check(tool, work, measures)
        for task, python, statement, options in recipes:
            has_sizes = options or re.search(r"\([0-9,{]+|[0-9]\*\w+\+|\b4-i|\b6/f|i\+2|\b2, j|,1,k|i == 2|15/7|x\(i\(", statement)
            if measures and has_sizes:
                continue
            try:
                wrong = check.run(python, statement, options)
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
            if wrong:
                failed += 1
                print(f"{task}: {statement}\n{wrong}\n")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
