"""Blocks that are placed in regions, in corners that generated programs have
found."""

import pytest

from conftest import MIB, PLACING
from test_pool import open_shell, took

SEEDS = range(1, 9)  # in some of them work stays queued for long


def opened(box, pool, **options):
    shell = open_shell(box, pool, "driver", **options)
    took(shell, "stream s")
    return shell


def lines(shell, *each):
    for line in each:
        took(shell, line)


@pytest.mark.parametrize("pool", PLACING)
def test_a_block_that_a_graph_holds_never_takes_its_neighbours_along(
        box, pool):
    """Under pressure it makes room only with the memory around it."""
    shell = opened(box, pool, sim="16M")
    lines(shell, f"alloc a {4 * MIB}", f"alloc b {2 * MIB}",
          "begin s relaxed", "free a", "end s g", "fill b 7")
    assert shell.stat()["held_bytes"] == 4 * MIB
    assert shell(f"alloc c {15 * MIB}").startswith("2")
    assert shell.stat()["held_blocks"] == 0
    assert shell("check b 7").endswith("right")
    lines(shell, "free b", f"alloc c {14 * MIB}", "graph_destroy g")
    shell.end()
    assert box.stat()["live_bytes"] == 14 * MIB


@pytest.mark.parametrize("pool", PLACING)
@pytest.mark.parametrize("driver", [None, "12040"])
def test_a_free_in_a_stream_beside_a_capture_is_ours(box, pool, driver):
    """Whether mnm serves the order of streams or not."""
    options = {"sim_driver": driver} if driver else {}
    shell = opened(box, pool, stream_ordered=1, **options)
    lines(shell, "stream t", "alloc a 5000", "alloc b 5000",
          "begin s relaxed", "free_async a t")
    assert shell("free_async b s") != "0"
    shell("end s g")
    lines(shell, "free b")
    shell.end()
    assert box.stat()["live_bytes"] == 0


def test_what_is_free_at_the_end_of_a_region_may_go_back_as_it_grows(box):
    shell = opened(box, "vmm_pool", pool_limit="2M")
    lines(shell, f"alloc a {MIB}", "free a", f"alloc b {8 * MIB}")
    shell.end()
    assert box.stat()["live_bytes"] == 8 * MIB


def test_more_than_any_device_holds_takes_no_page(box):
    shell = opened(box, "vmm_pool", sim="64M")
    assert shell(f"alloc a {65 * MIB}").startswith("2")
    shell.end()
    assert "cuMemCreate" not in box.report()[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_pages_go_back_only_after_the_work_on_them(box, seed):
    """No document says that the driver waits when memory is unmapped."""
    shell = opened(box, "vmm_pool", sim_check=1, sim_seed=seed)
    lines(shell, f"alloc a {4 * MIB}", "stream_fill s a 7", "free a")
    shell.ask("trim")
    lines(shell, "alloc b 5000", "free b")
    calls = shell.ask("stat")["devices"][0]
    assert calls["reserved_bytes"] <= 2 * MIB
    shell.end()
    assert "violation" not in box.stderr()


def test_what_a_moved_page_serves_is_reused(box):
    """Where the order of one stream ends, a fence is made for it."""
    shell = opened(box, "vmm_pool", vmm_spare=0)
    lines(shell, *(f"alloc {name} {2 * MIB}" for name in "abcd"),
          "free a", "free c", f"alloc e {4 * MIB}")
    assert shell.stat()["hits"] == 1
    assert shell.stat()["reserved_bytes"] == 8 * MIB
    shell.end()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pool", PLACING)
def test_a_context_that_ends_leaves_no_work_of_others_in_its_regions(
        box, pool, seed):
    shell = opened(box, pool, sim_check=1, sim_seed=seed)
    lines(shell, "create c 0", f"alloc a {2 * MIB}", f"alloc b {2 * MIB}",
          "set primary", "stream_fill s a 7", "set c", "free a",
          "destroy c", "set primary", f"alloc d {4 * MIB}",
          "stream t", "stream_fill t d 1")
    shell.end()
    assert "violation" not in box.stderr()


@pytest.mark.parametrize("seed", [16, 23, 39, 45])  # it stays queued here
@pytest.mark.parametrize("pool", PLACING)
def test_it_leaves_none_beside_a_capture_if_frees_fail(box, pool, seed):
    """No wait is allowed then, and a free that fails has not waited either."""
    shell = opened(box, pool, sim_check=1, sim_seed=seed,
                   fail="cuMemFree_v2:1:999")
    lines(shell, "stream t", "create c 0", f"alloc a {2 * MIB}", "set primary",
          "stream_fill s a 7", "set c", "free a", "set primary",
          "begin t relaxed", "set c", "destroy c", "set primary")
    shell("end t g")
    shell.end()
    assert "violation" not in box.stderr()


# Errors by which the driver refuses a call for now: no memory, not permitted
# (in a callback), not ready.
REFUSALS = [2, 800, 600]


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("call", ["cuMemUnmap:1", "cuMemUnmap:2",
                                  "cuMemUnmap:3", "cuMemUnmap:4",
                                  "cuMemRelease:1",
                                  "cuMemRelease:3"])
def test_pages_that_are_refused_go_back_later(box, call, code):
    """Those that have moved as well, which are mapped twice."""
    shell = opened(box, "vmm_pool", vmm_spare=0,
                   fail=f"{call}:{code}")
    lines(shell, *(f"alloc {name} {2 * MIB}" for name in "abcd"),
          "free a", "free c", f"alloc e {4 * MIB}",
          "free b", "free d", "free e")
    shell.ask("swap page_unit_pool")
    for _ in range(4):
        lines(shell, "alloc z 100", "free z")
    figures = shell.stat()
    assert not figures["pending_bytes"] and not figures["regions"]
    shell.ask("trim")
    lines(shell, "alloc z 100")
    shell.end()
    calls = box.report()[0]
    assert calls["cuMemRelease"] - (call[:12] == "cuMemRelease") == \
        calls["cuMemCreate"]
    assert calls["cuMemUnmap"] - (call[:10] == "cuMemUnmap") == \
        calls["cuMemMap"]
    assert calls["cuMemAddressFree"] == calls["cuMemAddressReserve"]


@pytest.mark.parametrize("undo", ["cuMemUnmap:1", "cuMemUnmap:3",
                                  "cuMemRelease:1", "cuMemRelease:4"])
@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool@virtual"])
def test_what_can_t_be_undone_goes_back_with_its_region(box, pool, undo, code):
    """Pages are mapped, can't be used, and can't be unmapped."""
    shell = opened(box, pool,
                   fail=f"cuMemSetAccess:2:{code},{undo}:{code}")
    names = {"a": 3 * MIB, "b": 11 * MIB, "c": 18 * MIB}
    for name, size in names.items():
        lines(shell, f"alloc {name} {size}", f"fill {name} 7")
    for name in names:
        assert shell(f"check {name} 7").endswith("right")
        lines(shell, f"free {name}")
    shell.ask("swap no_pool")
    lines(shell, f"alloc z {64 * MIB}", "free z")  # needs all that there is
    shell.end()
    calls, devices = box.report()
    assert devices[0]["live_allocs"] == devices[0]["reserved"] == 0
    # For z; and for b, unless memory was short, which is tried again.
    assert calls["cuMemAlloc_v2"] == 1 + (code != 2)


def test_a_page_that_can_t_move_stays_where_it_is(box):
    """Of two only one can be mapped anew, and that can't be undone."""
    shell = opened(box, "vmm_pool", vmm_spare=0,
                   fail="cuMemMap:6:800,cuMemUnmap:1:800")
    lines(shell, *(f"alloc {name} {2 * MIB}" for name in "abcd"),
          "free a", "free c", f"alloc e {4 * MIB}", "fill e 7",
          f"alloc f {4 * MIB}", "fill f 8", "fill b 9", "free e", "free f")
    assert shell("check b 9").endswith("right")
    lines(shell, "free b", "free d")
    shell.ask("swap no_pool")
    lines(shell, f"alloc z {64 * MIB}", "free z")
    shell.end()
    calls, devices = box.report()
    assert devices[0]["live_allocs"] == devices[0]["reserved"] == 0
    assert calls["cuMemCreate"] == calls["cuMemRelease"]


@pytest.mark.parametrize("code", REFUSALS)
@pytest.mark.parametrize("end", ["cuMemAddressFree:1",
                                 "cuMemSetAccess:2:999,cuMemUnmap:1:800,"
                                 "cuMemUnmap:2"])
@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool@virtual"])
def test_what_does_not_end_with_its_region_ends_later(box, pool, end, code):
    shell = opened(box, pool, fail=f"{end}:{code}")
    lines(shell, f"alloc a {3 * MIB}", f"alloc b {11 * MIB}", "free a",
          "free b")
    shell.ask("swap no_pool")
    lines(shell, "alloc z 5000")
    took(shell, f"alloc y {64 * MIB}", "2")  # what is short makes it try again
    lines(shell, "free z", f"alloc z {64 * MIB}", "free z")
    shell.end()
    calls, devices = box.report()
    assert devices[0]["live_allocs"] == devices[0]["reserved"] == 0
    assert calls["cuMemAddressFree"] - ("Address" in end) == \
        calls["cuMemAddressReserve"]


@pytest.mark.parametrize("entry", ["cuMemMap", "cuMemSetAccess"])
def test_addresses_that_are_refused_are_passed_over(box, entry):
    """The driver had mapped a page there all the same."""
    shell = opened(box, "vmm_pool", sim_late=f"{entry}:2:999",
                   fail="cuMemUnmap:1:999")
    for name in "abc":
        lines(shell, f"alloc {name} {4 * MIB}", f"fill {name} 7")
    shell.end()
    assert box.report()[0]["cuMemAlloc_v2"] == 1


def test_a_region_whose_addresses_are_used_up_ends_with_its_last_page(box):
    shell = opened(box, "vmm_pool", sim="16M", thread_cache=0)
    lines(shell, "alloc kept 5000")
    for _ in range(120):
        lines(shell, *(f"alloc {name} {3 * MIB}" for name in "abcd"),
              "free a", "free c", f"alloc e {6 * MIB}",
              "free b", "free d", "free e")
        if shell.stat()["regions"] > 1:
            break
    lines(shell, "alloc z 100", "free z")
    assert shell.stat()["regions"] == 2
    assert shell.stat()["pending_bytes"] == 0
    lines(shell, "free kept")
    shell.ask("trim")
    lines(shell, "alloc z 100")
    assert shell.stat()["regions"] == 1
    shell.end()
    assert box.report()[0]["cuMemAddressFree"] == 1
