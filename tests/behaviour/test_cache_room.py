"""What threads keep where no fence works, and the free that waits because it
fills the quarantine."""

import pytest

from conftest import MIB, plain_build_only
from test_cache import driver_shell
from test_fence import POOL, open_shell
from test_pool import took
from test_sharing import SIZES, locks

KIB = 1 << 10
OLD = "12040"  # a driver without events of contexts


@plain_build_only
@pytest.mark.parametrize("sizes", ["small", "both"])
@pytest.mark.parametrize("others", [1, 9])
def test_threads_of_several_contexts_serve_themselves(box, others, sizes):
    """A pair takes one lock at most on average. A pair that its thread does
    not serve itself takes two."""
    shared, alone = locks(box, 4, 16, SIZES[sizes], others=others)
    assert shared <= 1000
    assert alone <= 1000


def pairs(shell, size, count):
    """The most bytes that were quarantined at a time, and the number of
    waits."""
    took(shell, f"pairs {size} 1")
    most, before = 0, shell.stat()["syncs"]
    for _ in range(count // 50):
        took(shell, f"pairs {size} 50")
        most = max(most, shell.stat()["quarantined_bytes"])
    return most, shell.stat()["syncs"] - before


@pytest.mark.parametrize("size", [4 * KIB, 64 * KIB, 300 * KIB])
def test_the_quarantine_is_no_larger_for_what_a_thread_keeps(box, size):
    shell = open_shell(box, POOL, "driver", sim_driver=OLD, sim="ideal",
                       quarantine=8 * MIB)
    most, waits = pairs(shell, size, 2000)
    stat = shell.stat()
    assert most <= 9 * MIB + size
    assert waits >= 2000 * size // (10 * MIB)
    assert stat["reserved_bytes"] <= 11 * MIB + 64 * size
    shell.end()


def held(shell, count, size, thread):
    names = [f"{thread}{i}" for i in range(count)]
    for name in names:
        took(shell, f"on {thread} alloc {name} {size}")
    return names


def test_a_quarantine_that_is_taken_away_is_noticed_at_once(box):
    """The next free notices it, although the thread had room for its block."""
    shell = open_shell(box, POOL, "driver", sim_driver=OLD,
                       quarantine=32 * MIB)
    took(shell, "on a set primary")
    took(shell, f"on a pairs {4 * KIB} 300")
    names = held(shell, 40, 4 * KIB, "a")
    shell.ask("set quarantine 0")
    before = shell.stat()["syncs"]
    for name in names:
        took(shell, f"on a free {name}")
    assert shell.stat()["syncs"] - before == 40
    shell.ask(f"set quarantine {32 * MIB}")
    took(shell, f"on a pairs {4 * KIB} 100")
    before = shell.stat()["syncs"]
    took(shell, f"on a pairs {4 * KIB} 500")
    assert shell.stat()["syncs"] - before <= 1
    shell.end()


def test_what_a_thread_kept_while_a_fence_reached_is_no_room_later(box):
    """While it is alone, a thread may keep all that it frees, until another
    thread's fence fails."""
    shell = open_shell(box, POOL, "driver", sim="256M", quarantine=8 * MIB,
                       fail="cuCtxWaitEvent:20+:999")
    for thread in "ab":
        took(shell, f"on {thread} set primary")
    took(shell, f"on a pairs {MIB // 2} 20")
    names = held(shell, 80, MIB // 2, "a")
    while "a fence failed" not in box.stderr():
        took(shell, f"on b pairs {4 * KIB} 100")
    before = shell.stat()["syncs"]
    for name in names:
        took(shell, f"on a free {name}")
    assert shell.stat()["syncs"] - before >= 4
    shell.end()


def test_short_of_memory_little_is_kept_from_reuse(box):
    shell = open_shell(box, POOL, "driver", sim_driver=OLD, sim="64M",
                       quarantine=32 * MIB)
    pairs(shell, 4 * KIB, 100)
    took(shell, f"alloc kept {MIB}")
    took(shell, f"alloc big {64 * MIB}", "2")
    assert pairs(shell, 4 * KIB, 1000)[0] <= 32 * MIB // 128 + 64 * KIB
    shell.end()


def test_a_pool_that_keeps_nothing_serves_beside_other_contexts(box):
    shell = driver_shell(box)
    took(shell, "create other 0")
    took(shell, "set p")
    took(shell, f"pairs {4 * KIB} 10")
    shell.ask("swap no_pool")
    for _ in range(20):
        took(shell, f"pairs {4 * KIB} 10")
    stat = shell.stat()
    assert stat["live_bytes"] == 0
    assert stat["driver_allocs"] == stat["driver_frees"] >= 200
    shell.end()


def test_a_thread_asks_again_once_no_fence_covers_all_contexts(box):
    shell = open_shell(box, POOL, "driver", quarantine="1M")
    for line in ("stream t", "mix", f"alloc a {64 * KIB}", "free a"):
        took(shell, line)
    for i in range(100):
        took(shell, f"alloc a{i} {64 * KIB}")
    for i in range(8):
        took(shell, f"create c{i} 0")
        took(shell, "pop p")
    took(shell, "set primary")
    for i in range(100):
        took(shell, f"free a{i}")
    assert shell.stat()["syncs"] > 0
    assert shell.stat()["quarantined_bytes"] <= MIB
    shell.end()
