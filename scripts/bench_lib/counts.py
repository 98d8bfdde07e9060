"""What can be counted instead of timed. The count of a short run is subtracted
from that of a long one, to leave out starting, warming up and ending."""

import json
import os
import re
import shutil

from .measure import Failed

SHORT, LONG = 2, 6  # plays of the work
CALLGRIND = ["valgrind", "--tool=callgrind", "--compress-strings=no",
             "--compress-pos=no"]


def needs(program):
    if not shutil.which(program):
        raise Failed(f"{program} is not installed")


def two_lengths(contender, work, count):
    """The count a pair. count(contender, work, plays) gives (total, pairs)."""
    before, fewer = count(contender, work, SHORT)
    after, more = count(contender, work, LONG)
    return (after - before) / (more - fewer)


def pairs_of(done):
    found = json.loads(done.stdout)
    return found["pairs"] * found["plays"]


class Counter:
    """Counts on the simulated device. A real driver's calls are not counted."""

    def __init__(self, runner):
        self.runner, self.place = runner, runner.place
        self.file = os.path.join(runner.folder, "count")

    def command(self, contender, work, plays):
        return self.runner.pair_command(contender, work, "--plays", str(plays))

    def callgrind(self, contender, command):
        if self.place.gpu:
            raise Failed("valgrind has no room for a GPU's addresses")
        needs("valgrind")
        return self.runner.run(
            [*CALLGRIND, f"--callgrind-out-file={self.file}", *command],
            self.place.environment(contender))

    def all_instructions(self, contender, work, plays):
        """Leaves out the bench's loop, and what calls CUDA for it."""
        done = self.callgrind(contender, self.command(contender, work, plays))
        bench = self.place.path("bench", "")
        loop, total = instructions_in(self.file, bench)
        return total - loop, pairs_of(done)

    def instructions(self, contender, work):
        return two_lengths(contender, work, self.all_instructions)

    def all_driver_calls(self, contender, work, plays):
        if self.place.gpu:
            raise Failed("a real driver's calls are not counted")
        done = self.runner.run(
            self.command(contender, work, plays),
            self.place.environment(contender, {"MNM_SIM_REPORT": self.file}))
        with open(self.file, encoding="utf-8") as file:
            total = sum(map(int, re.findall(r"^call \w+ (\d+)", file.read(),
                                            re.MULTILINE)))
        return total, pairs_of(done)

    def driver_calls(self, contender, work):
        return two_lengths(contender, work, self.all_driver_calls)

    def all_system_calls(self, contender, work, plays):
        needs("strace")
        env = self.place.environment(contender)
        done = self.runner.run(
            ["strace", "-f", "-c", "-o", self.file,
             *self.command(contender, work, plays)], env)
        with open(self.file, encoding="utf-8") as file:
            total = re.search(r"^100\.00\s+\S+\s+\S+\s+(\d+)", file.read(),
                              re.MULTILINE)
        return int(total.group(1)), pairs_of(done)

    def system_calls(self, contender, work):
        return two_lengths(contender, work, self.all_system_calls)

    def mallocs(self, contender, work):
        """The mallocs of the host for a pair."""
        done = self.runner.run(
            self.command(contender, work, LONG), self.place.environment(
                contender, preload=[self.place.allocator("count_malloc")]))
        return json.loads(done.stdout)["mallocs"]

    def own_instructions(self, contender, command):
        """The instructions of the preload itself, and of the whole process."""
        self.callgrind(contender, command)
        return instructions_in(self.file, contender.preload)


def instructions_in(path, objects):
    """The instructions (of objects whose path starts with `objects`, of all) in
    a callgrind file without compression. The line after `calls=` is left out:
    it repeats the cost of the called function."""
    own = total = 0
    inside = repeated = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ob="):
                inside = line[3:].startswith(objects)
            elif line.startswith("calls="):
                repeated = True
            elif re.match(r"[+*\-\d]", line):
                cost = int(line.split()[1])
                total += 0 if repeated else cost
                own += cost if inside and not repeated else 0
                repeated = False
    return own, total
