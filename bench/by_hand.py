#!/usr/bin/env python3
"""Times statements in one line against versions that somebody wrote by hand, in turns, and prints a Markdown table.

usage: by_hand.py TOOL [FILE ...] [--rounds 5] [--runs 7] [--only WORD] [--limit 1.3] [--check]

The files (bench/by_hand_*.txt unless some are given) have one block for each statement: a line "## field: name", a line
of options, a line "one: STATEMENT", and lines "hand: PROGRAM" or "hand: PROGRAM | OPTIONS".  The statement runs as it is, and a
program with its own loops (-s default unless its options have -s).  The fastest run of all rounds counts.  With --check all results are compared.
The exit code is 1 if a statement takes more than LIMIT times as long as the best program.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def read_blocks(path):
    blocks, block = [], None
    for line in open(path):
        line = line.strip()
        if line.startswith("## "):
            field, name = line[3:].split(": ", 1)
            block = {"field": field, "name": name, "options": [], "hand": []}
            blocks.append(block)
        elif line.startswith("one: "):
            block["one"] = line[5:]
        elif line.startswith("hand: "):
            program, _, options = line[6:].partition(" | ")
            block["hand"].append((program.strip(), shlex.split(options)))
        elif line and not line.startswith("#"):
            block["options"] = shlex.split(line)
    return blocks


def command(tool, block, which):
    """The words that run the statement (-1), or a program by number."""
    if which < 0:
        return [tool, block["one"], *block["options"]]
    program, options = block["hand"][which]
    own = [] if "-s" in options else ["-s", "default"]
    return [tool, program, *block["options"], *options, *own]


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{shlex.join(words)}\n{done.stderr}")
    return done.stdout + done.stderr


def time_once(words, runs):
    found = re.search(r"^run(?:, fastest)? +([0-9.]+) (us|ms|s)$", run([*words, "--time", str(runs), "--show", "0", "-q"]).replace(
        "run, median", "median"), re.M)
    return float(found[1]) * UNITS[found[2]]


def result_name(block):
    return re.match(r"\w+", block["one"].split(";")[-1].strip())[0]


def read_result(path):
    values = {}
    for line in open(path):
        if not line.startswith("#"):
            *where, value = line.split()
            values[tuple(where)] = float(value)
    return values


def check(tool, block):
    """Runs all versions once, and says which ones give something else."""
    wrong, expected, name = [], None, result_name(block)
    with tempfile.TemporaryDirectory() as folder:
        for which in range(-1, len(block["hand"])):
            path = os.path.join(folder, "result.tns")
            run([*command(tool, block, which), "-o", f"{name}:{path}", "-q"])
            values = read_result(path)
            os.remove(path)
            if expected is None:
                expected = values
                continue
            largest = max([abs(v) for v in expected.values()], default=1) or 1
            if any(abs(expected.get(at, 0) - values.get(at, 0)) > 1e-9 * largest for at in {*expected, *values}):
                wrong.append(which)
    return wrong


def measure(tool, block, rounds, runs):
    times = {which: [] for which in range(-1, len(block["hand"]))}
    for _ in range(rounds):
        best = min((min(t) for t in times.values() if t), default=None)
        for which, found in times.items():
            if found and best and min(found) > 5 * best and which >= 0:
                continue  # it is not the best
            found.append(time_once(command(tool, block, which), runs))
    return {which: min(found) for which, found in times.items()}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("tool")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=float, default=1.3)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    here = os.path.dirname(os.path.abspath(__file__))
    os.chdir(os.path.dirname(here))
    files = given.files or sorted(glob.glob(os.path.join(here, "by_hand_*.txt")))
    tool, slow, rows = os.path.abspath(given.tool), 0, 0
    print("| field | statement | one line, ms | best by hand, ms | others by hand, ms | ratio |\n|---|---|---|---|---|---|")
    for block in (block for path in files for block in read_blocks(path)):
        if given.only not in block["name"] + block["field"]:
            continue
        try:
            note = "".join(f", program {which + 1} differs" for which in check(tool, block)) if given.check else ""
            times = measure(tool, block, given.rounds, given.runs)
        except RuntimeError as error:
            reason = next((line for line in str(error).splitlines() if line.startswith('error')), str(error))[:200]
            print(f"| {block['field']} | {block['name']} | failed: {reason} | | | |", flush=True)
            slow += 1
            continue
        one, *hand = times.values()
        ratio = one / min(hand)
        rows, slow = rows + 1, slow + (ratio > given.limit or bool(note))
        others = ", ".join(f"{time:.3g}" for time in sorted(hand)[1:])
        best = [str(hand.index(min(hand)) + 1), note]
        print(f"| {block['field']} | {block['name']} `{block['one']}` | {one:.3g} | {min(hand):.3g} (no. {''.join(best)}) | {others} | "
              f"{ratio:.2f} |", flush=True)
    print(f"\n{rows} statements, {slow} more than {given.limit:g} times slower than the best by hand")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
