"""Kills the tool at random moments while it compiles, runs and writes; what is left must be whole, and gone after the next run.

usage: kills.py TOOL [KILLS] [SEED]
"""
import os
import subprocess
import sys
import time

from trial import Trial


def leftovers(trial):
    """Files of ours that nobody needs."""
    found = [name for name in os.listdir(trial.outputs) if name not in ("B.mtx", "link.mtx")]
    found += [name for name in os.listdir(trial.temporary)]
    if os.path.isdir(trial.cache):
        found += [name for name in os.listdir(trial.cache) if not name.endswith(".so")]
    return found


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    trial = Trial(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    output, ways = os.path.join(trial.outputs, "B.mtx"), (("new kernel", []), ("kept kernel", []), ("other compiler", ["--target", "cc"]))
    began = time.monotonic()
    trial.check(1, output, "before the first kill")
    whole = time.monotonic() - began
    old, killed = 1, 0
    for n in range(count):
        name, options = ways[0 if n % 5 < 3 else 1 if n % 5 == 3 else 2]
        factor = n + 2 if name != "kept kernel" else old
        process = subprocess.Popen(trial.command(factor, output, *options), env=trial.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(trial.random.random() * whole * (1.2 if options == [] else 2))
        killed += process.poll() is None
        os.killpg(process.pid, 9) if process.poll() is None else None
        process.wait()
        if trial.written(output) not in (trial.expected(old), trial.expected(factor)):
            trial.fail(f"kill {n}, {name}: the output is neither old nor new")
        trial.check(factor, output, f"kill {n}, {name}", *options)
        old = factor
        if left := leftovers(trial):
            trial.fail(f"kill {n}, {name}: the next run leaves {left}")
            for path in left:
                for folder in (trial.outputs, trial.temporary, trial.cache):
                    subprocess.run(["rm", "-rf", os.path.join(folder, path)])
    trial.end(f"{count} kills, {killed} of them before the end")


main()
