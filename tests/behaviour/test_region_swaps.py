"""Regions that are opened while other threads open one, while the pool is
swapped out, or while a context ends. The driver reserves addresses slowly here,
and ends contexts slowly."""

import time

import pytest

from conftest import MIB, SANITIZERS, program
from test_order import T4, with_other_driver
from test_pool import open_shell, took

fixed_addresses_only = pytest.mark.skipif(
    any("libtsan" in path for path in SANITIZERS),
    reason="tsan keeps the driver from the addresses that it takes else")


@pytest.mark.skipif(any("libtsan" in path for path in SANITIZERS),
                    reason="tsan leaves too few addresses for eight regions")
def test_threads_that_open_a_region_at_once_share_one(box):
    shell = with_other_driver(box).start([program("churn"), "8", "100"],
                                         "vmm_pool", sim=T4)
    shell.read()
    while not box.socket_files() or shell.stat()["allocs"] < 800:
        time.sleep(0.01)
    assert shell.stat()["regions"] == 1
    shell.end()
    calls = box.report()[0]
    assert calls["cuMemAddressFree"] == calls["cuMemAddressReserve"] - 1


def swapped_as_it_opens(box, pool):
    """A block that was asked of vmm_pool, which was swapped out while the
    driver reserved addresses."""
    shell = open_shell(with_other_driver(box), "page_unit_pool", "driver",
                       sim=T4)
    took(shell, "alloc first 5000")
    shell.ask("swap vmm_pool")
    shell.send("alloc a 5000")
    time.sleep(0.05)
    shell.ask(f"swap {pool}")
    assert shell.read().startswith("0")
    return shell


@pytest.mark.parametrize("pool", ["page_unit_pool", "best_fit_pool"])
def test_a_pool_that_was_swapped_out_opens_no_region(box, pool):
    shell = swapped_as_it_opens(box, pool)
    took(shell, "alloc b 5000")
    figures = shell.stat()
    shell.end()
    assert figures["regions"] == (pool == "best_fit_pool")
    calls = box.report()[0]
    assert calls["cuMemAddressFree"] == calls["cuMemAddressReserve"] == 1


@pytest.mark.parametrize("pool", ["page_unit_pool", "best_fit_pool",
                                  "no_pool", "vmm_pool"])
def test_a_request_that_meets_a_swap_is_counted(box, pool):
    shell = swapped_as_it_opens(box, pool)
    figures = shell.stat()
    assert figures["allocs"] == 2
    assert figures["live_bytes"] == 10000
    assert figures["reserved_bytes"] <= 8192 + 2 * MIB
    took(shell, "free a")
    took(shell, "free first")
    shell.end()
    assert box.stat()["live_bytes"] == 0


@pytest.mark.parametrize("how", ["pitch", "whole"])
@pytest.mark.parametrize("pool", [None, "best_fit_pool", "page_unit_pool"])
def test_what_has_a_regions_addresses_next_is_no_part_of_it(box, pool, how):
    """The driver gives them out again before we hear that the context with the
    region has ended."""
    done = with_other_driver(box).run([program("taken_over"), how], pool,
                                      sim=T4)
    assert done.stdout == "same 0 0 0 1 0\n"
    assert done.stderr == ""


@pytest.mark.parametrize("then", ["page_unit_pool", "no_pool",
                                  "best_fit_pool", "vmm_pool"])
def test_a_region_that_went_unseen_is_known_by_its_addresses(box, then):
    """Its context ended without a call that mnm sees."""
    shell = open_shell(box, "best_fit_pool", "driver")
    for line in ("alloc first 5000", "create c 0", "set c",
                 f"alloc a {6 * MIB}", f"alloc b {6 * MIB}", "free a",
                 "free b"):
        took(shell, line)
    took(shell, "set primary")
    took(shell, "destroy_unseen c")
    shell.ask(f"swap {then}")
    took(shell, f"alloc c {20 * MIB}")
    took(shell, "fill c 7")
    assert shell("check c 7").endswith("right")
    took(shell, "free c")
    took(shell, "free first")
    shell.end()
    stat = box.stat()
    assert stat["live_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"]


def region_left_unseen(box, **options):
    """A shell in context y. Context x ended unseen, with a region of which the
    first 6 MiB are free."""
    shell = box.shell("best_fit_pool", "driver", thread_cache=0, **options)
    for line in ("init", "create y 0", "create x 0", f"alloc p {6 * MIB}",
                 f"alloc a {6 * MIB}", "free p"):
        took(shell, line)
    return shell


def is_its_own(shell, name, size):
    """Whether copies to the memory are judged by itself alone."""
    took(shell, f"fill {name} 7")
    assert shell(f"check {name} 7").endswith("right")
    assert shell(f"range {name} 100").split() == ["0", "0", str(size)]
    assert shell.stat()["regions"] == 0


def test_what_passes_through_lies_in_no_region_that_went_unseen(box):
    """The fast path of a pool that keeps nothing."""
    shell = region_left_unseen(box)
    was = shell("addr p")
    took(shell, "set y")
    shell.ask("swap no_pool")
    for _ in range(2):  # the first one opens the fast path
        took(shell, "alloc b 5000")
        took(shell, "free b")
    took(shell, "destroy_unseen x")
    took(shell, "set y")
    took(shell, f"alloc c {4 * MIB}")
    assert shell("addr c") == was
    is_its_own(shell, "c", 4 * MIB)
    took(shell, "free c")
    shell.end()


@pytest.mark.parametrize("kind", ["managed", "pitch", "async", "pool"])
def test_what_no_pool_serves_lies_in_no_region_that_went_unseen(box, kind):
    shell = region_left_unseen(box, stream_ordered=0)
    was = shell("addr p")
    for line in ("destroy_unseen x", "set y", f"take {kind} c {4 * MIB}"):
        took(shell, line)
    assert shell("addr c") == was
    is_its_own(shell, "c", 4 * MIB)
    took(shell, f"give {kind} c")
    shell.end()


@fixed_addresses_only
@pytest.mark.parametrize("pool", ["best_fit_pool@virtual", "vmm_pool"])
def test_virtual_memory_lies_in_no_region_that_went_unseen(box, pool):
    """The driver reserves addresses where the region was."""
    shell = with_other_driver(box).shell("best_fit_pool", "driver", sim=T4,
                                         thread_cache=0)
    for line in ("init", "create y 0", "create x 0", f"alloc a {26 * MIB}"):
        took(shell, line)
    assert shell("addr a") == "200000000000"
    shell.ask(f"swap {pool}")
    for line in ("destroy_unseen x", "set y"):
        took(shell, line)
    for name in "cd":
        took(shell, f"alloc {name} {6 * MIB}")
        took(shell, f"fill {name} 7")
        assert shell(f"check {name} 7").endswith("right")
        assert shell(f"range {name} 100").split()[-1] == str(6 * MIB)
    for name in "cd":
        took(shell, f"free {name}")
    shell.end()


@fixed_addresses_only
def test_what_the_program_maps_lies_in_no_region_that_went_unseen(box):
    shell = with_other_driver(box).shell("best_fit_pool", "driver", sim=T4)
    for line in ("init", "create y 0", "create x 0", f"alloc a {26 * MIB}",
                 "destroy_unseen x", "set y", f"physical h {8 * MIB}",
                 "map m h"):
        took(shell, line)
    assert int(shell("addr m"), 16) == 0x200000000000 - 2 * MIB
    assert shell(f"range m {3 * MIB}").split()[-1] == str(8 * MIB)
    assert shell.stat()["regions"] == 0
    took(shell, "unmap m")
    shell.end()


def test_a_stale_block_says_nothing_of_regions(box):
    """It belonged to a pool whose record is that of another context's pool by
    now. CUDA has refused to take the block back, and its context ended
    unseen."""
    shell = open_shell(box, "page_unit_pool", "driver", thread_cache=0,
                       fail="cuMemFree_v2:1+:2")
    took(shell, "create x 0")
    took(shell, f"alloc a {6 * MIB}")
    was = shell("addr a")
    took(shell, "free a")
    shell.ask("swap vmm_pool")
    took(shell, "create y 0")
    took(shell, f"alloc b {3 * MIB}")
    shell.ask("swap page_unit_pool")
    for _ in range(3):  # what is refused is tried again twice
        took(shell, "alloc z 512")
        took(shell, "free z")
    took(shell, "destroy_unseen x")
    took(shell, "set y")
    took(shell, f"alloc c {6 * MIB}")
    assert shell("addr c") == was
    assert shell.stat()["regions"] == 1
    took(shell, "fill b 7")
    took(shell, "sync")
    assert shell("check b 7") == "0 right"
    shell.end()


def test_a_region_that_is_about_to_end_ends_once(box):
    """A peer's access is told to it meanwhile. Were it to end by that, another
    region could be given its addresses, and end by its record."""
    shell = box.shell("vmm_pool", "driver", devices=2)
    for line in ("init", "create x 0", "stream s", "alloc a 5000", "free a"):
        took(shell, line)
    shell.ask("trim")
    while shell.stat()["reserved_bytes"]:
        time.sleep(0.01)
    took(shell, "hold s")  # so that nothing goes back before the next free
    shell.ask("swap no_pool")
    for line in ("create y 1", "peers x", "set x"):
        took(shell, line)
    assert shell.stat(0)["regions"] == 1  # its record names its addresses
    shell.ask("swap 0:vmm_pool")
    for line in ("alloc b 5000", "let_go", "wait s", "free b"):
        took(shell, line)
    shell.ask("swap no_pool")
    for line in ("alloc c 5000", "free c"):
        took(shell, line)
    assert shell.stat(0)["regions"] == 0
    shell.end()
    calls = box.report()[0]
    assert calls["cuMemAddressFree"] == calls["cuMemAddressReserve"] == 2
