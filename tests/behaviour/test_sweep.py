"""Each call of the driver fails in turn, in each of the small programs. What
is printed until then is right, and nothing crashes, hangs or runs unordered. A
program that was told of no error has printed all of it.

`make check` takes a sample; `make sweep` lets every call fail."""

import os

import pytest

from conftest import DEADLINE, plain_build_only
from test_programs import PROGRAMS, ROUNDS, SETTINGS, native

pytestmark = plain_build_only

STEP = int(os.environ.get("SWEEP_STEP", "61"))  # one call in so many fails
SHORT = "cuMemAlloc cuMemHostAlloc cuArrayCreate cuModule cuLibrary".split()
# These have no answer of the runtime's that would tell the program.
NAMES = [name for name in PROGRAMS if name != "two_processes"]


def code(entry):
    """The code that this entry would fail with: out of memory, or an unknown
    error."""
    return 2 if entry.startswith(tuple(SHORT)) else 999


def judge(name, fault, status, lines, said):
    whole = native(name)
    assert "violation" not in said, (fault, said)
    assert 0 <= status < 3, (fault, status, said)
    assert lines == whole[:len(lines)], (fault, lines, said)
    assert status or lines == whole, (fault, said)
    # The program repeats what CUDA told it. mnm adds a line of its own at
    # most.
    assert not status or said, fault


def plain(box, name, fault):
    done = box.run(PROGRAMS[name][0], "page_unit_pool", fail=fault,
                   check=False, sim_check=1, **SETTINGS,
                   stdin="".join(f"{seed}\n" for seed in ROUNDS))
    return done.returncode, done.stdout.splitlines(), done.stderr


def swapped(box, name, fault):
    """The same run with a swap after each round, for as long as the program
    lives."""
    program = box.start(PROGRAMS[name][0], "page_unit_pool", fail=fault,
                        sim_check=1, **SETTINGS)
    pools = ["no_pool", "page_unit_pool"]
    lines = []
    try:
        for seed in ROUNDS:
            program.send(seed)
            lines.append(program.read())
            answer = program.ask(f"swap {pools[seed % 2]}")
            assert answer and "devices" in answer
    except (AssertionError, OSError):  # the program has ended
        pass
    out, _ = program.process.communicate(timeout=DEADLINE)
    lines += (program.unread + out).decode().splitlines()
    with open(box.stderr_file, "r+", encoding="utf-8") as file:
        said = file.read()
        file.truncate(0)
    return program.process.returncode, lines, said


def calls(box, name, how):
    """(entry, number) of every call of the driver in such a run. Swaps make
    calls of their own, and some entries are called by them alone."""
    judge(name, None, *how(box, name, None))
    return [(entry, number) for entry, count in sorted(
        box.report()[0].items()) for number in range(1, count + 1)]


@pytest.mark.parametrize("how", [plain, swapped], ids=["plain", "swapped"])
@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_fails_spoils_nothing(box, name, how):
    every = calls(box, name, how)
    assert how is plain or ("cuMemFree_v2", 9) in every
    taken = every[NAMES.index(name) % STEP::STEP]
    assert taken
    for entry, number in taken:
        fault = f"{entry}:{number}:{code(entry)}"
        judge(name, fault, *how(box, name, fault))
