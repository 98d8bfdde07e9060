"""Stream-ordered memory in the regions of pools that place blocks."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

POOLS = ["vmm_pool", "best_fit_pool"]


def lines(shell, *calls):
    for call in calls:
        took(shell, call)


@pytest.fixture(name="shell", params=POOLS)
def started(box, request):
    shell = open_shell(box, request.param, "driver", stream_ordered=1,
                       sim_check=1, sim_seed=4)
    lines(shell, "mempool_default own 0", "stream s", "stream t")
    yield shell
    if shell.process.poll() is None:
        shell.end()
    assert "violation" not in box.stderr()


def mib(shell, name):
    return shell.stat()[f"{name}_bytes"] / MIB


def reserved(shell):
    return int(took(shell, "mempool_reserved own").split()[1]) / MIB


def grow(shell, *names):
    lines(shell, *(f"alloc_async {name} {2 * MIB} s" for name in names))


def test_what_was_freed_in_a_stream_is_used_again_in_it(shell):
    """Behind the work that is queued there, and in one piece."""
    grow(shell, "a", "b")
    was = mib(shell, "reserved")
    lines(shell, "stream_fill s a 1", "stream_fill s b 2", "free_async a s",
          "free_async b s", f"alloc_async c {4 * MIB} s", "stream_fill s c 3",
          "stream_sync s")
    assert shell("check c 3") == "0 right"
    assert mib(shell, "reserved") == was
    assert shell.stat()["fences"] == 0


def test_what_was_freed_in_one_stream_is_used_in_another_after_it(shell):
    grow(shell, "a")
    lines(shell, "stream_fill s a 1", "free_async a s",
          f"alloc_async b {2 * MIB} t", "stream_fill t b 2", "stream_sync t")
    assert shell("check b 2") == "0 right"
    assert shell.stat()["hits"] == 1


def test_a_pool_has_reserved_what_is_used_of_it(box):
    """A block that a thread keeps for itself counts as well."""
    shell = open_shell(box, "vmm_pool", "driver", stream_ordered=1,
                       thread_cache=0)
    lines(shell, "mempool_default own 0", "stream s")
    grow(shell, "a", "b")
    assert reserved(shell) == 4
    lines(shell, "free_async a s")
    assert reserved(shell) == 2
    lines(shell, f"alloc c {2 * MIB}")
    assert reserved(shell) == 2
    shell.end()


@pytest.mark.parametrize("pool", POOLS)
def test_a_trim_gives_back_what_is_free_in_the_regions(box, pool):
    shell = open_shell(box, pool, "driver", stream_ordered=1)
    lines(shell, "mempool_default own 0", "stream s")
    grow(shell, *"abcdefghij")
    lines(shell, "hold s",
          *(f"free_async {name} s" for name in "abcdefghij"))
    was = mib(shell, "idle")
    lines(shell, "mempool_trim own 0")  # there is work
    assert mib(shell, "idle") == was
    lines(shell, "let_go", "stream_sync s", f"mempool_trim own {was * MIB:.0f}")
    assert mib(shell, "idle") == was
    lines(shell, f"mempool_trim own {was * MIB / 2:.0f}")
    assert mib(shell, "idle") <= was / 2
    lines(shell, "mempool_trim own 0")
    assert mib(shell, "idle") == mib(shell, "reserved") == 0
    shell.end()


def test_either_free_takes_either_memory(shell):
    grow(shell, "a")
    lines(shell, f"alloc b {2 * MIB}", "free a", "free_async b s",
          "stream_sync s")
    stat = shell.stat()
    assert (stat["allocs"], stat["frees"], stat["live_bytes"]) == (2, 2, 0)


@pytest.mark.parametrize("pool", POOLS)
def test_a_free_beside_a_capture_that_gets_no_mark_is_held(box, pool):
    """CUDA can't free a part of a region. The mark that the stream would need,
    as it waits for the legacy one, gets no event."""
    for nth in range(1, 16):
        shell = open_shell(box, pool, "driver", stream_ordered=1,
                           quarantine=0, sim_fail=f"cuEventCreate:{nth}:2")
        lines(shell, "stream t", "stream_blocking s", "alloc a 5000",
              "alloc b 5000", "free_async a zero", "begin t relaxed",
              "free_async b s", "end t g", "graph_destroy g")
        stat = shell.stat()
        assert (stat["live_bytes"], stat["held_bytes"]) == (0, 0)
        shell.end()


def test_a_pool_whose_pages_can_t_be_shown_is_not(box):
    """The other device could be enabled, but not for the pages."""
    shell = box.shell("vmm_pool", "driver", devices=2, stream_ordered=1,
                      fail="cuMemSetAccess:3:999,cuMemSetAccess:4:999")
    for line in ("init", "retain other 1", "set other", "alloc b 5000",
                 "retain primary 0", "set primary", "stream s",
                 "mempool_default m 0", f"mempool_alloc a m {10 * MIB} s"):
        took(shell, line)
    took(shell, "mempool_show m 1", "217")
    assert "can't reach memory of device 0: error 999" in box.stderr()
    shell.end()
    assert box.report()[0]["cuCtxDisablePeerAccess"] == 1
