"""Processes that are measured, rounds that count, and what remains of them."""

import os
import random
import shutil
import statistics
import subprocess
import sys

import engines

SCAN_MOVED = 0.10  # a round where the scan took so much more or less behind it than before it counts for nothing
PEER = os.path.join(engines.HERE, "peer.py")


class Failure(Exception):
    pass


class Worker:
    """A process that stays warm: leat's `inside`, or a peer. Closed by `with`."""

    def __init__(self, programs, engine, threads, cores):
        self.engine = engine
        # leat with one thread is leat without workers: the caller's thread does the work.
        arguments = [programs["inside"], str(0 if threads == 1 else threads), cores] if engine == "leat" else \
            [sys.executable, PEER, engine, str(threads), cores]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def ask(self, *words):
        """Returns (wall, cpu, rows)."""
        try:
            self.process.stdin.write(" ".join(words) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        while answer and not answer.startswith(("ok ", "error ")):
            answer = self.process.stdout.readline()  # what an engine says by itself
        if not answer.startswith("ok "):
            raise Failure(answer.strip() or "%s ended with %s" % (self.engine, self.process.wait()))
        wall, cpu, rows = answer.split()[1:]
        return float(wall), float(cpu), int(rows)

    def peak_bytes(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


class Scan:
    """The fixed piece of work beside each round."""

    def __init__(self, programs, core):
        self.process = subprocess.Popen([programs["scan"], core], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seconds()

    def seconds(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def rounds(scan, sides, count):
    """Runs the functions of `sides` (name -> function that returns a tuple) in turns; returns name -> list, thrown away."""
    kept, thrown = {name: [] for name in sides}, 0
    names = list(sides)
    while len(kept[names[0]]) < count and thrown < 2 * count:
        before = scan.seconds()
        order = names[thrown % len(names):] + names[:thrown % len(names)]
        took = {name: sides[name]() for name in order}
        if abs(scan.seconds() / before - 1) > SCAN_MOVED:
            thrown += 1
            continue
        for name in names:
            kept[name].append(took[name])
    return kept, thrown


def process_once(programs, cores, command, folder, stdin=None):
    """Runs a command as a whole process; returns (wall, cpu, peak bytes)."""
    result = os.path.join(folder, "measured")
    with open(os.path.join(folder, "stderr"), "w+") as errors:
        subprocess.run([programs["process"], cores, result] + command, stdin=stdin or subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=errors, check=True)
        with open(result) as file:
            code, wall, cpu, peak = file.read().split()
        if code != "0":
            errors.seek(0)
            raise Failure("%s: exit %s: %s" % (command[0], code, errors.read(300).strip()))
    return float(wall), float(cpu), int(peak)


def ratio_interval(ours, theirs, chance=random.Random(1)):
    """Median of theirs over median of ours, with the 95 % interval of a paired bootstrap."""
    pairs = list(zip(ours, theirs))

    def ratio(sample):
        return statistics.median(p[1] for p in sample) / max(statistics.median(p[0] for p in sample), 1e-9)

    drawn = sorted(ratio([chance.choice(pairs) for _ in pairs]) for _ in range(2000))
    return ratio(pairs), drawn[50], drawn[-51]


def version(engine, programs):
    """The engine's version, or None where it is not installed."""
    if engine == "mawk":
        return subprocess.run(["mawk", "-W", "version"], capture_output=True, text=True).stdout.split("\n")[0] \
            if shutil.which("mawk") else None
    command = [programs["leat"], "--version"] if engine == "leat" else [sys.executable, PEER, engine, "version"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip().split("\n")[0] if done.returncode == 0 else None
