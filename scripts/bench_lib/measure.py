"""Runs what is measured, each time in a process of its own."""

import json
import shutil
import statistics
import subprocess
import tempfile

TIMEOUT = 300  # seconds; only a hang takes so long


class Failed(Exception):
    """A contender could not do a work. The text says why, in one line."""


class Runner:
    """Runs contenders on the cores that they are bound to."""

    def __init__(self, place, cores, seconds):
        self.place, self.cores, self.seconds = place, cores, seconds
        # In /tmp, so that the paths of sockets in it are short.
        self.folder = tempfile.mkdtemp(prefix="mnm-bench-", dir="/tmp")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, command, env):
        env = dict(env, MNM_SOCKET_DIR=self.folder)
        try:
            done = subprocess.run(command, env=env, capture_output=True,
                                  text=True, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            raise Failed(f"ran for more than {TIMEOUT} s") from None
        except OSError as error:
            raise Failed(str(error)) from None
        if done.returncode:
            said = [line for line in done.stderr.splitlines()
                    if line and line[:2] != "=="]  # a line of valgrind's
            raise Failed(f"exit status {done.returncode}" +
                         (f": {said[-1]}" if said else ""))
        return done

    def pair_command(self, contender, work, *options):
        return [self.place.path("bench", "pair"), "--cores",
                ",".join(map(str, self.cores)), *options,
                contender.allocator, work]

    def pairs(self, contender, work, seconds):
        """Nanoseconds a pair, of each repetition in one process."""
        command = self.pair_command(contender, work, "--seconds", str(seconds))
        done = self.run(command, self.place.environment(contender))
        return json.loads(done.stdout)["ns_per_pair"]

    def pair(self, contender, work):
        """The median of these."""
        return statistics.median(self.pairs(contender, work, self.seconds))


def add(samples, name, value):
    """Adds a case's value, or a case's values by name."""
    for each, one in (value if isinstance(value, dict) else
                      {name: value}).items():
        samples.setdefault(each, []).append(one)


def interleave(row, runner, rounds, note):
    """Fills in row.samples and row.failed, in the order A B C A B C. After an
    interrupt they hold what was measured until then."""
    for number in range(min(rounds, row.rounds or rounds)):
        for name, measure in row.cases.items():
            if name in row.failed:
                continue
            note(f"run {number + 1}, {name}")
            try:
                add(row.samples, name, measure(runner))
            except Failed as why:
                row.failed[name] = str(why)
                row.samples.pop(name, None)
