#!/usr/bin/env python3
"""Times conversions between formats beside SciPy's, on the same data, in turns, one thread each.

usage: conversions.py BENCH_CONVERT [--quick] [--rounds N] [--json FILE] [--only CONVERSION]... [MATRIX.mtx...]

BENCH_CONVERT is the program that `ninja bench_convert` builds; it runs Filigree's compiled copies.  Both programs stay on one core.
Index arrays are 32 bits wide in both, entries have no duplicates, and results are compared before they are timed.  Each ratio is
Filigree's median time over SciPy's, so less than 1 means that Filigree is faster.  Time is the processor's, so that other programs on
the machine make little difference.  Exit code 77 if SciPy is not there.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import scipy.sparse
except ImportError as error:
    print(f"skipped: SciPy is not installed ({error})")
    sys.exit(77)

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared", "data", "matrices")
REAL = ["arc130.mtx", "west0479.mtx", "olm1000.mtx", "bcsstk13.mtx.gz", "cage8.mtx", "wiki-Vote.mtx", "lap2D_5pt_n100.mtx", "4elt.mtx",
        "bcsstk33.mtx.gz", "GL7d25.mtx.gz", "ACTIVSg10K.mtx.gz", "amazon-book_test.mtx.gz", "soc-Slashdot0902.mtx.gz"]
MADE = ["random 1000000 10000000 1", "stencil 1000", "band 500000 5", "power 1048576 8000000 1"]
MADE_QUICK = ["random 100000 1000000 1", "stencil 300", "band 50000 5", "power 65536 500000 1"]
MOST_COMPONENTS = 30_000_000
MOST_DIAGONALS = 100
SHORTEST_MS = 20  # each turn runs a conversion at least this long


class Matrix:
    """What SciPy converts from, made once."""

    def __init__(self, path):
        sizes = numpy.fromfile(path, numpy.int64, 3)
        self.rows, self.columns, self.count = (int(size) for size in sizes)
        with open(path, "rb") as file:
            file.seek(24)
            row = numpy.fromfile(file, numpy.int32, self.count)
            column = numpy.fromfile(file, numpy.int32, self.count)
            values = numpy.fromfile(file, numpy.float64, self.count)
        shape = (self.rows, self.columns)
        self.coo = scipy.sparse.coo_matrix((values, (row, column)), shape=shape)
        self.coo.has_canonical_format = True
        order = numpy.random.default_rng(1).permutation(self.count)
        self.shuffled = scipy.sparse.coo_matrix((values[order], (row[order], column[order])), shape=shape)
        self.csr, self.csc = self.coo.tocsr(), self.coo.tocsc()
        self.csr.sort_indices()
        self.diagonals = len(numpy.unique(column.astype(numpy.int64) - row))

    def in_blocks(self, size):
        """CSR with dimensions that are multiples of the block size, as SciPy wants them; at most three rows or columns more."""
        if self.rows % size == 0 and self.columns % size == 0:
            return self.csr
        padded = self.csr.copy()
        padded.resize(-(-self.rows // size) * size, -(-self.columns // size) * size)
        return padded


class Conversion:
    def __init__(self, name, source, target, prepare, convert, fits=lambda matrix: True, stored=lambda matrix, result: result.nnz):
        self.name, self.source, self.target = name, source, target
        self.prepare, self.convert, self.fits, self.stored = prepare, convert, fits, stored


def is_banded(matrix):
    return matrix.diagonals <= MOST_DIAGONALS and matrix.diagonals * matrix.rows <= MOST_COMPONENTS


def is_small(matrix):
    return matrix.rows * matrix.columns <= MOST_COMPONENTS


def in_blocks(size, is_sorted):
    """SciPy leaves the blocks of a row in the order in which it finds them: so does a level without order."""
    order = "" if is_sorted else "(unordered)"
    target = f"(i,j) -> (i/{size}: dense, j/{size}: compressed{order}, i%{size}: dense, j%{size}: dense)"

    def convert(csr):
        bsr = csr.tobsr(blocksize=(size, size))
        if is_sorted:
            bsr.sort_indices()
        return bsr

    name = f"csr->bsr {size}x{size}" + (" sorted" if is_sorted else "")
    return Conversion(name, "csr", target, lambda m: m.in_blocks(size), convert, stored=lambda m, r: r.data.size)


CONVERSIONS = [
    Conversion("coo->csr", "coo", "csr", lambda m: m.coo, lambda a: a.tocsr()),
    Conversion("coo shuffled->csr", "shuffled coo(unordered,nonunique)", "csr", lambda m: m.shuffled, lambda a: a.tocsr()),
    Conversion("coo->csc", "coo", "csc", lambda m: m.coo, lambda a: a.tocsc()),
    Conversion("csr->csc", "csr", "csc", lambda m: m.csr, lambda a: a.tocsc()),
    Conversion("csc->csr", "csc", "csr", lambda m: m.csc, lambda a: a.tocsr()),
    Conversion("csr->coo", "csr", "coo", lambda m: m.csr, lambda a: a.tocoo(copy=True)),
    *(in_blocks(size, is_sorted) for is_sorted in (False, True) for size in (2, 4)),
    Conversion("csr->dia", "csr", "dia", lambda m: m.csr, lambda a: a.todia(), is_banded, lambda m, r: len(r.offsets) * m.rows),
    Conversion("csr->dense", "csr", "dense", lambda m: m.csr, lambda a: a.toarray(), is_small, lambda m, r: r.size),
    Conversion("dense->csr", "dense", "csr", lambda m: m.csr.toarray(), scipy.sparse.csr_matrix, is_small),
]


class Filigree:
    """The program that runs our side, asked line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the program ended at '{request}'")
        return json.loads(answer)


def scipy_ms(conversion, source, count):
    times = []
    for _ in range(count):
        start = time.process_time()
        result = conversion.convert(source)
        times.append(1000 * (time.process_time() - start))
        del result
    return statistics.median(times)


def value_sum(result):
    return float(result.sum()) if isinstance(result, numpy.ndarray) else float(result.data.sum())


def measure(filigree, matrix, conversion, rounds):
    """Medians of both in milliseconds, or a text that says why there are none."""
    for request in (f"from {conversion.source}", f"to {conversion.target}"):
        answer = filigree.ask(request)
        if "error" in answer:
            return answer["error"]
    source = conversion.prepare(matrix)
    result = conversion.convert(source)
    stored, expected = conversion.stored(matrix, result), value_sum(result)
    close = math.isclose(answer["sum"], expected, rel_tol=1e-9, abs_tol=1e-9 * float(abs(matrix.csr.data).sum()))
    blocks_differ = "bsr" in conversion.name and answer["stored"] >= stored  # ours has explicit blocks at a ragged edge, too
    if not close or not (answer["stored"] == stored or blocks_differ):
        return f"results differ: {answer['stored']} values with sum {answer['sum']}, SciPy {stored} with {expected}"
    del result
    once = max(0.001, scipy_ms(conversion, source, 1))
    count = max(1, min(1000, round(SHORTEST_MS / once)))
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(filigree.ask(f"run {count}")["ms"])
        theirs.append(scipy_ms(conversion, source, count))
    return statistics.median(ours), statistics.median(theirs)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].replace("usage: ", ""))
    parser.add_argument("program")
    parser.add_argument("matrices", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--only", action="append")
    arguments = parser.parse_intermixed_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # the program that is started below stays there, too
    requests = arguments.matrices
    if not requests:
        real = [os.path.join(FOLDER, name) for name in REAL]
        requests = [path for path in real if os.path.exists(path)] + (MADE_QUICK if arguments.quick else MADE)
        if arguments.quick:
            requests = [request for request in requests if not os.path.exists(request) or os.path.getsize(request) < 700_000]
    filigree = Filigree(arguments.program)
    conversions = [c for c in CONVERSIONS if not arguments.only or c.name in arguments.only]
    ratios, records = {c.name: [] for c in conversions}, []
    for request in requests:
        answer = filigree.ask(f"matrix {request}")
        if "error" in answer:
            sys.exit(answer["error"])
        with tempfile.NamedTemporaryFile() as file:
            filigree.ask(f"dump {file.name}")
            matrix = Matrix(file.name)
        name = os.path.basename(request).removesuffix(".gz").removesuffix(".mtx")
        print(f"\n{name}: {matrix.rows} x {matrix.columns}, {matrix.count} entries, {matrix.diagonals} diagonals")
        for conversion in conversions:
            if not conversion.fits(matrix):
                continue
            outcome = measure(filigree, matrix, conversion, arguments.rounds)
            if isinstance(outcome, str):
                print(f"  {conversion.name:20} {outcome}")
                continue
            ours, theirs = outcome
            ratios[conversion.name].append(ours / theirs)
            records.append({"matrix": name, "entries": matrix.count, "conversion": conversion.name, "filigree_ms": ours, "scipy_ms": theirs})
            print(f"  {conversion.name:20} {ours:10.3f} ms {theirs:10.3f} ms   {ours / theirs:6.2f}", flush=True)
    print(f"\nFiligree / SciPy {scipy.__version__}     geometric mean   best  worst")
    for name, found in ratios.items():
        if found:
            print(f"  {name:20} {len(found):3} matrices {statistics.geometric_mean(found):10.2f} {min(found):6.2f} {max(found):6.2f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"scipy": scipy.__version__, "rounds": arguments.rounds, "results": records}, file, indent=1)
    return 0


sys.exit(main())
