"""Damages entries of the kernel cache and the cache itself; results must stay right, and nothing may wait.

usage: corruption.py TOOL [DAMAGES] [SEED]
"""
import os
import shutil
import sys

from trial import Trial


def damage(trial, path):
    """Changes one entry; says how."""
    random = trial.random
    with open(path, "rb") as file:
        data = bytearray(file.read())
    way = random.choice(["bits", "bits", "end", "truncated", "longer", "empty", "zeros", "other", "pipe", "folder", "link", "loop", "unreadable", "writable"])
    if len(data) < 50:
        way = "empty"  # damaged before, and not asked for since
    at = random.randrange(len(data) + 1)
    if way == "bits":
        for _ in range(random.randrange(1, 4)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif way == "end":
        data[-random.randrange(1, 49)] ^= 255
    elif way == "truncated":
        data = data[:at]
    elif way == "longer":
        data += data[:at]
    elif way == "empty":
        data = b""
    elif way == "zeros":
        data[at:] = bytes(len(data) - at)
    elif way == "other":
        others = [name for name in os.listdir(trial.cache) if name.endswith(".so") and os.path.isfile(os.path.join(trial.cache, name))]
        with open(os.path.join(trial.cache, random.choice(others)), "rb") as file:
            data = file.read()
    os.unlink(path)
    if way == "pipe":
        os.mkfifo(path)
    elif way == "folder":
        os.mkdir(path)
    elif way == "link":
        os.symlink("/etc/passwd", path)
    elif way == "loop":
        os.symlink(path, path)
    else:
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, {"unreadable": 0, "writable": 0o666}.get(way, 0o600))
    return way


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    trial = Trial(sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    output = os.path.join(trial.outputs, "B.mtx")
    for factor in range(1, 5):
        trial.check(factor, output, "before the first damage")
    for n in range(count):
        entries = sorted(name for name in os.listdir(trial.cache) if name.endswith(".so"))
        for name in entries:
            path = os.path.join(trial.cache, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif not os.path.isfile(path) or os.path.islink(path):
                os.unlink(path)
        entries = [name for name in entries if os.path.lexists(os.path.join(trial.cache, name))]
        ways = [damage(trial, os.path.join(trial.cache, name)) for name in trial.random.sample(entries, min(len(entries), 2))]
        trial.check(trial.random.randrange(1, 5), output, f"damage {n}, {ways}")
    trial.end(f"{count} damages")


main()
