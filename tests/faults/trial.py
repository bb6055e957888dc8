"""What the trials of faults share: a tool with a cache of its own, statements that are new to it, and their answers."""
import os
import random
import shutil
import subprocess
import sys
import tempfile


class Trial:
    """A folder with a matrix, a cache and outputs; counts what goes wrong."""

    def __init__(self, tool, seed):
        self.tool = os.path.abspath(tool)
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="filigree-faults-")
        self.outputs = os.path.join(self.folder, "outputs")
        self.temporary = os.path.join(self.folder, "tmp")
        for folder in (self.outputs, self.temporary):
            os.mkdir(folder)
        self.cache = os.path.join(self.folder, "cache")
        self.matrix = os.path.join(self.folder, "A.mtx")
        self.failures = []
        self.size, self.entries = 60, {}
        while len(self.entries) < 300:
            self.entries[self.random.randrange(self.size), self.random.randrange(self.size)] = self.random.randrange(1, 9)
        with open(self.matrix, "w") as file:
            file.write(f"%%MatrixMarket matrix coordinate integer general\n{self.size} {self.size} {len(self.entries)}\n")
            for (i, j), value in self.entries.items():
                file.write(f"{i + 1} {j + 1} {value}\n")

    def environment(self):
        return dict(os.environ, FILIGREE_CACHE=self.cache, TMPDIR=self.temporary)

    def command(self, factor, output, *options):
        """A statement whose kernel depends on `factor`, so that another factor is another kernel."""
        return [self.tool, f"B(i,j) = A(i,j)*{factor} + A(j,i)", "-i", f"A:{self.matrix}", "-o", f"B:{output}", *options]

    def expected(self, factor):
        sums = {}
        for (i, j), value in self.entries.items():
            sums[i, j] = sums.get((i, j), 0) + value * factor
            sums[j, i] = sums.get((j, i), 0) + value
        return sums

    def written(self, path):
        """The entries of a Matrix Market file; None if it is not complete."""
        with open(path) as file:
            lines = [line.split() for line in file if not line.startswith("%")]
        if not lines or len(lines) - 1 != int(lines[0][2]) or any(len(line) != 3 for line in lines):
            return None
        return {(int(i) - 1, int(j) - 1): int(value) for i, j, value in lines[1:]}

    def run(self, command, seconds=60):
        """Runs it; a message of its own about a bug, a signal or a time-out is a failure."""
        try:
            done = subprocess.run(command, env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"over {seconds} s: {command}")
            return None
        if done.returncode < 0 or "bug in Filigree" in done.stderr or "internal error" in done.stderr.lower():
            self.fail(f"exit {done.returncode}: {done.stderr.strip()[:300]}")
        return done

    def check(self, factor, output, what, *options):
        """Computes once more: it must succeed, and be right."""
        done = self.run(self.command(factor, output, *options))
        if done is None:
            return
        if done.returncode != 0:
            self.fail(f"{what}: the next run ended in {done.returncode}: {done.stderr.strip()[:300]}")
        elif self.written(output) != self.expected(factor):
            self.fail(f"{what}: the next run wrote another result")

    def fail(self, what):
        self.failures.append(what)
        if len(self.failures) <= 10:
            print(f"FAILED {what}", flush=True)

    def end(self, summary):
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"{summary}: {len(self.failures)} failed" if self.failures else f"{summary}: nothing wrong")
        sys.exit(1 if self.failures else 0)
