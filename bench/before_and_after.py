#!/usr/bin/env python3
"""Times the kernels of bench/kernels.txt with two builds of the tool, one after the other in turns, and prints how they compare.

usage: before_and_after.py BEFORE AFTER [--threads 1,2] [--rounds 3] [--runs 15] [--only WORD] [--slower PERCENT]

BEFORE and AFTER are paths of `filigree`.  A ratio above 1 says that AFTER is faster.  The fastest run of all rounds counts.
The exit code is 1 if a kernel is slower by more than PERCENT (3 unless it is given), so look at such a row again on a quiet machine.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def read_kernels(path, only):
    kernels = []
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            name, statement, options = (part.strip() for part in line.split("|"))
            if only in name:
                kernels.append((name, statement, options.split()))
    return kernels


def fastest(tool, statement, options, threads, runs, cache):
    """The fastest run in ms, and the result's header without the time."""
    environment = dict(os.environ, FILIGREE_CACHE=cache)
    command = [tool, statement, *options, "--threads", str(threads), "--time", str(runs), "--show", "0", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    found = re.search(r"^run, fastest +([0-9.]+) (us|ms|s)$", done.stderr + done.stdout, re.M)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return float(found[1]) * UNITS[found[2]]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", default="")
    parser.add_argument("--slower", type=float, default=3)
    given = parser.parse_args()
    kernels = read_kernels(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.txt"), given.only)
    ratios, slower = [], 0
    print(f"{'kernel':24} {'threads':>7} {'before ms':>10} {'after ms':>10} {'ratio':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for name, statement, options in kernels:
            for threads in given.threads.split(","):
                times = {"before": [], "after": []}
                for _ in range(given.rounds):
                    for which, tool in (("before", given.before), ("after", given.after)):
                        cache = os.path.join(folder, which)
                        times[which].append(fastest(tool, statement, options, threads, given.runs, cache))
                before, after = min(times["before"]), min(times["after"])
                ratios.append(before / after)
                mark = ""
                if after > before * (1 + given.slower / 100):
                    slower += 1
                    mark = "  slower"
                print(f"{name:24} {threads:>7} {before:10.3f} {after:10.3f} {before / after:6.2f}{mark}", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} rows, geometric mean of the ratios {mean:.3f}, {slower} slower by more than {given.slower:g} %")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
