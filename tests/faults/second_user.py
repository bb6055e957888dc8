"""A second user who swaps entries of a shared cache folder while kernels are compiled and loaded: none of their code may run.

usage: second_user.py TOOL [ATTACKS]         as root, which becomes the two users; others skip it (exit 77)
"""
import ctypes
import os
import signal
import subprocess
import sys
import time

from trial import Trial

VICTIM, ATTACKER = 64101, 64102
CODE = '#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void run(void) { int f = open("%s", O_WRONLY | O_CREAT | O_APPEND, 0666); if (f >= 0) write(f, "x", 1); }\nint kernel(void) { return 0; }\n'


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def attack(cache, library):
    """Puts the library in the place of every entry, by all the ways there are, until it is ended."""
    become(ATTACKER)
    with open(library, "rb") as file:
        code = file.read()
    while True:
        try:
            for name in os.listdir(cache):
                path, mine = os.path.join(cache, name), os.path.join(cache, ".mine")
                for way in ("rename", "write", "link"):
                    try:
                        if way == "write":
                            with open(path, "r+b") as file:
                                trailer = file.read()[-48:]
                                file.seek(0)
                                file.write(code + trailer)
                            continue
                        if os.path.lexists(mine):
                            os.unlink(mine)
                        if way == "rename":
                            with open(mine, "wb") as file:
                                file.write(code)
                            os.chmod(mine, 0o755)
                        else:
                            os.symlink(library, mine)
                        os.rename(mine, path)
                    except OSError:
                        pass
        except OSError:
            pass


def main():
    if os.geteuid() != 0:
        print("only root can be two users")
        sys.exit(77)
    try:
        subprocess.run([os.path.abspath(sys.argv[1]), "-V"], check=True, capture_output=True, preexec_fn=lambda: become(VICTIM))
    except PermissionError:
        print("other users cannot reach the tool here")
        sys.exit(77)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    trial = Trial(sys.argv[1], 1)
    marker, library = os.path.join(trial.folder, "executed"), os.path.join(trial.folder, "foreign.so")
    source = os.path.join(trial.folder, "foreign.c")
    with open(source, "w") as file:
        file.write(CODE % marker)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    os.chmod(trial.folder, 0o777)
    for folder in (trial.outputs, trial.temporary):
        os.chown(folder, VICTIM, VICTIM)
    open(marker, "w").close()
    os.chmod(marker, 0o666)
    # The library must do what it says, or nothing is shown here.
    ctypes.CDLL(library)
    if os.path.getsize(marker) != 1:
        trial.fail("the foreign library does not leave its mark")
    os.truncate(marker, 0)
    output, ran = os.path.join(trial.outputs, "B.mtx"), 0
    folders = [("of the attacker", ATTACKER, 0o755), ("that all can write", VICTIM, 0o777), ("with the sticky bit", 0, 0o1777), ("of the attacker, for all", ATTACKER, 0o777), ("of the victim", VICTIM, 0o755)]
    for n, (name, owner, mode) in enumerate(folders):
        trial.cache = os.path.join(trial.folder, f"cache{n}")
        os.mkdir(trial.cache)
        os.chown(trial.cache, owner, owner)
        os.chmod(trial.cache, mode)
        attacker = os.fork()
        if attacker == 0:
            attack(trial.cache, library)
        time.sleep(0.05)
        for turn in range((count + len(folders) - 1) // len(folders)):
            factor = 2 + turn // 3  # compiled once, then asked for from the cache
            done = subprocess.run(trial.command(factor, output), env=trial.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, preexec_fn=lambda: become(VICTIM))
            ran += 1
            if done.returncode != 0:
                trial.fail(f"a folder {name}: exit {done.returncode}: {done.stderr.strip()[:300]}")
            elif trial.written(output) != trial.expected(factor):
                trial.fail(f"a folder {name}: another result")
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)
    executions = os.path.getsize(marker)
    if executions:
        trial.fail(f"foreign code ran {executions} times")
    trial.end(f"{ran} runs beside an attacker, {executions} executions")


main()
