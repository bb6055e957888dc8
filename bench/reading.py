#!/usr/bin/env python3
"""Times reading text files into formats beside SciPy and fast_matrix_market, on the same files, in turns.

usage: reading.py BENCH_READING [--before BENCH_READING] [--rounds N] [--threads N] [--megabytes N] [--only CASE]...

BENCH_READING is the program that `ninja bench_reading` builds; --before names another build of it to compare with.  Files are made
with a fixed seed: about 36 MB of entries, sorted by rows, by columns, or shuffled, with short values or with 17 digits.  Each round
runs every reader once, the file is in the system's cache, and the table has the best and the median of all rounds: milliseconds, MB
of text per second, how many times as fast as the fastest other reader (best to best), and for Filigree the greatest additional memory as
a multiple of the tensor's size, in the first turn of a process, when nothing is kept from another.
"""
import argparse
import gzip
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SEED = 19
EXTENTS = {2: [200_000, 200_000], 3: [20_000, 20_000, 2_000]}


def value_text(rng, digits):
    return repr(rng.random()) if digits else f"{rng.randrange(1000) / 100:g}"


def make_entries(order, megabytes, digits, arrangement):
    """Lines of coordinates and a value; no coordinates occur twice."""
    rng = random.Random(SEED)
    extents = EXTENTS[order]
    length = sum(len(str(e)) for e in extents) + order + (19 if digits else 4)
    count = megabytes * 1_000_000 // length
    places = set()
    while len(places) < count:
        places.add(tuple(rng.randrange(e) + 1 for e in extents))
    if arrangement == "shuffled":
        places = list(places)
        rng.shuffle(places)
    else:
        places = sorted(places, key=(lambda p: p) if arrangement == "rows" else (lambda p: p[::-1]))
    return [" ".join(map(str, p)) + " " + value_text(rng, digits) + "\n" for p in places]


def make_file(folder, case, megabytes):
    """The path of the file of a case, which is (file type, order, digits, arrangement, packed)."""
    kind, order, digits, arrangement, packed = case
    path = os.path.join(folder, f"{arrangement}{order}{'_digits' if digits else ''}.{kind}")
    if not os.path.exists(path):
        lines = make_entries(order, megabytes, digits, arrangement)
        with open(path, "w") as file:
            if kind == "mtx":
                file.write("%%MatrixMarket matrix coordinate real general\n")
                file.write(" ".join(map(str, EXTENTS[order])) + f" {len(lines)}\n")
            file.writelines(lines)
    if packed:
        with open(path, "rb") as plain, gzip.open(path + ".gz", "wb", compresslevel=6) as out:
            shutil.copyfileobj(plain, out)
        path += ".gz"
    return path


class Filigree:
    def __init__(self, program, path, form, threads):
        self.command = [program, path, form, str(threads)]
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        first = self.turn()
        self.memory = first[3] / first[2]

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def __call__(self):
        read, pack, _, _ = self.turn()
        self.last = (read, pack)
        return read + pack

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(work):
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def other_readers(path, threads):
    """Readers of Matrix Market files into csr that are installed."""
    readers = {}
    try:
        import scipy
        import scipy.io
        import scipy.io._fast_matrix_market as scipys
        scipys.PARALLELISM = threads
        readers[f"SciPy {scipy.__version__}"] = lambda: timed(lambda: scipy.io.mmread(path).tocsr())
    except ImportError:
        print("SciPy is not installed")
    try:
        import fast_matrix_market
        readers["fast_matrix_market"] = lambda: timed(lambda: fast_matrix_market.mmread(path, parallelism=threads).tocsr())
    except ImportError:
        print("fast_matrix_market is not installed")
    return readers


CASES = {
    "mtx rows csr": (("mtx", 2, False, "rows", False), "csr"),
    "mtx columns csr": (("mtx", 2, False, "columns", False), "csr"),
    "mtx shuffled csr": (("mtx", 2, False, "shuffled", False), "csr"),
    "mtx digits csr": (("mtx", 2, True, "columns", False), "csr"),
    "mtx.gz columns csr": (("mtx", 2, False, "columns", True), "csr"),
    "tns rows csf": (("tns", 3, False, "rows", False), "csf"),
    "tns shuffled csf": (("tns", 3, False, "shuffled", False), "csf"),
    "tns rows coo": (("tns", 3, False, "rows", False), "coo"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--before")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--megabytes", type=int, default=36)
    parser.add_argument("--only", action="append", choices=list(CASES))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{'file and format':20} {'reader':20} {'best ms':>8} {'median':>8} {'MB/s':>6} {'ratio':>6} {'memory':>7}")
        for name in arguments.only or CASES:
            case, form = CASES[name]
            path = make_file(folder, case, arguments.megabytes)
            text = path.removesuffix(".gz")
            size = os.path.getsize(text) / 1e6
            own = {"Filigree": Filigree(arguments.program, path, form, arguments.threads)}
            if arguments.before:
                own["Filigree before"] = Filigree(arguments.before, path, form, arguments.threads)
            others = other_readers(path, arguments.threads) if case[0] == "mtx" else {}
            times = {reader: [] for reader in [*own, *others]}
            for _ in range(arguments.rounds):
                for reader, run in [*own.items(), *others.items()]:
                    times[reader].append(run())
            fastest = min((min(times[reader]) for reader in others), default=None)
            for reader, measured in times.items():
                best = min(measured)
                ratio = f"{fastest / best:6.2f}" if fastest and reader in own else " " * 6
                memory = f"{own[reader].memory:7.2f}" if reader in own else ""
                print(f"{name:20} {reader:20} {best:8.1f} {statistics.median(measured):8.1f} {size / best * 1000:6.0f} {ratio} {memory}",
                      flush=True)
            for reader in own.values():
                reader.close()


if __name__ == "__main__":
    sys.exit(main())
