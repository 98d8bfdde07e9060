"""Pools that place blocks in regions: where blocks lie, what goes back, and
what the driver is asked for."""

import pytest

from conftest import MIB, PLACING
from test_pool import open_shell, took

VIRTUAL = ["cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess"]


def alloc(shell, name, size):
    """A block with contents of its own."""
    took(shell, f"alloc {name} {size}")
    took(shell, f"fill {name} {ord(name[-1]) % 251}")


def is_right(shell, name):
    return shell(f"check {name} {ord(name[-1]) % 251}").endswith("right")


def apart(shell, count, size):
    """Blocks side by side, of which every second one is freed. Returns the
    names of the others."""
    names = [f"b{chr(97 + i)}" for i in range(count)]
    for name in names:
        alloc(shell, name, size)
    for name in names[::2]:
        took(shell, f"free {name}")
    return names[1::2]


def test_free_pages_move_to_where_they_are_needed(box):
    shell = open_shell(box, "vmm_pool", sim="64M")
    kept = apart(shell, 6, 10 * MIB)
    alloc(shell, "c", 30 * MIB)
    assert all(is_right(shell, name) for name in [*kept, "c"])
    stat = shell.stat()
    assert stat["reserved_bytes"] == 60 * MIB
    assert stat["idle_bytes"] == 0
    shell.end()
    calls, devices = box.report()
    assert calls["cuMemCreate"] == 30
    assert calls["cuMemMap"] == 30 + 15
    assert devices[0]["reserved_peak"] == 60 * MIB


def test_pages_may_move_for_ever(box):
    """The addresses of a region are used up now and then: 256 pages here."""
    shell = open_shell(box, "vmm_pool", sim="16M", thread_cache=0)
    alloc(shell, "z", 5000)
    for _ in range(120):
        kept = apart(shell, 4, 3 * MIB)
        alloc(shell, "c", 6 * MIB)
        assert all(is_right(shell, name) for name in [*kept, "c"])
        for name in [*kept, "c"]:
            took(shell, f"free {name}")
    assert is_right(shell, "z")
    assert shell.stat()["reserved_bytes"] <= 16 * MIB
    shell.end()
    assert box.stat()["failures"] == 0
    assert box.report()[0]["cuMemAddressReserve"] > 1


def test_one_call_gives_access_to_all_that_moves(box):
    shell = open_shell(box, "vmm_pool", sim="64M")
    apart(shell, 6, 10 * MIB)
    took(shell, f"alloc c {30 * MIB}")
    shell.end()
    assert box.report()[0]["cuMemSetAccess"] == 6 + 1


@pytest.mark.parametrize("pool", PLACING)
def test_blocks_share_an_allocation_of_the_drivers(box, pool):
    shell = open_shell(box, pool, "driver")
    for name in "abcd":
        alloc(shell, name, 5000)
    places = sorted(int(shell(f"addr {name}"), 16) for name in "abcd")
    assert [at - places[0] for at in places] == [0, 5120, 10240, 15360]
    assert all(is_right(shell, name) for name in "abcd")
    assert shell.stat()["reserved_bytes"] == 2 * MIB


@pytest.mark.parametrize("pool", PLACING)
def test_what_is_freed_is_joined_with_its_neighbours(box, pool):
    shell = open_shell(box, pool, "driver", thread_cache=0)
    for name in "abcde":
        took(shell, f"alloc {name} {400 << 10}")
    places = sorted(int(shell(f"addr {name}"), 16) for name in "abcde")
    for name in "abcde":
        took(shell, f"free {name}")
    took(shell, f"alloc f {2 * MIB if pool == 'vmm_pool' else MIB}")
    assert int(shell("addr f"), 16) == places[0]
    assert shell.stat()["reserved_bytes"] == 2 * MIB


@pytest.mark.parametrize("pool", PLACING)
def test_all_that_is_idle_goes_back(box, pool):
    shell = open_shell(box, pool)
    for name in "abcdef":
        alloc(shell, name, 3 * MIB)
    alloc(shell, "z", 5000)
    for name in "abcdef":
        took(shell, f"free {name}")
    shell.ask("trim")
    took(shell, "free z")
    assert shell.stat()["live_bytes"] == 0
    shell.ask("trim")
    alloc(shell, "a", 5000)
    took(shell, "free a")  # what is pending goes with it
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    shell.end()
    calls, devices = box.report()
    assert devices[0]["live_bytes"] == devices[0]["reserved"] == 0
    if "cuMemCreate" in calls:
        assert calls["cuMemAddressReserve"] == calls["cuMemAddressFree"]
        assert calls["cuMemMap"] == calls["cuMemUnmap"]
        assert calls["cuMemCreate"] == calls["cuMemRelease"]


@pytest.mark.parametrize("pool", PLACING)
def test_live_blocks_outlast_a_swap(box, pool):
    shell = open_shell(box, pool)
    for name in "abcdef":
        alloc(shell, name, 2500000)
    for name in "ace":
        took(shell, f"free {name}")
    shell.ask("swap page_unit_pool")
    assert all(is_right(shell, name) for name in "bdf")
    alloc(shell, "g", 2500000)
    shell.ask(f"swap {pool}")
    alloc(shell, "h", 2500000)
    assert all(is_right(shell, name) for name in "bdfgh")
    for name in "bdfg":
        took(shell, f"free {name}")
    assert is_right(shell, "h")
    took(shell, "free h")
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    assert shell.stat()["reserved_bytes"] == 0
    shell.end()
    assert box.report()[1][0]["reserved"] == 0


@pytest.mark.parametrize("pool", PLACING)
def test_a_block_is_freed_once_and_at_its_start(box, pool):
    shell = open_shell(box, pool, "driver", thread_cache=0)
    for name in "abc":
        alloc(shell, name, 5000)
    start = min(int(shell(f"addr {name}"), 16) for name in "abc")
    took(shell, "free_inside b 512", "1")
    assert is_right(shell, "b")
    for name in "abc":
        took(shell, f"free {name}")
    for at in (start, start + 5120, start + 512):
        took(shell, f"free_at {at:x}", "1")
    alloc(shell, "d", 5000)
    assert start <= int(shell("addr d"), 16) < start + 2 * MIB
    assert is_right(shell, "d")
    assert shell.stat()["reserved_bytes"] == 2 * MIB


@pytest.mark.parametrize("pool", PLACING)
def test_a_context_takes_its_regions_along(box, pool):
    shell = box.shell(pool, "driver")
    for line in ("init", "create x 0"):
        took(shell, line)
    alloc(shell, "a", 5000)
    alloc(shell, "b", 5 * MIB)
    took(shell, "free a")
    took(shell, "destroy x")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    took(shell, "create y 0")
    alloc(shell, "c", 5 * MIB)
    assert is_right(shell, "c")
    took(shell, "free c")
    took(shell, "destroy y")
    shell.end()
    assert box.report()[1][0]["reserved"] == 0


@pytest.mark.parametrize("code", [2, 999])
@pytest.mark.parametrize("number", [1, 2, 5, 31, 36])
@pytest.mark.parametrize("entry", VIRTUAL)
def test_a_call_that_fails_takes_nothing_along(box, entry, number, code):
    """The request is served all the same, by another try or cuMemAlloc."""
    shell = open_shell(box, "vmm_pool", sim="80M",
                       fail=f"{entry}:{number}:{code}")
    kept = apart(shell, 6, 10 * MIB)
    alloc(shell, "c", 30 * MIB)
    assert all(is_right(shell, name) for name in [*kept, "c"])
    for name in [*kept, "c"]:
        took(shell, f"free {name}")
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    assert stat["failures"] == 0
    shell.end()
    assert box.report()[1][0]["reserved"] == 0


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool@virtual"])
@pytest.mark.parametrize("code", [2, 999])
@pytest.mark.parametrize("number", [1, 12, 20])
@pytest.mark.parametrize("entry", ["cuMemUnmap", "cuMemRelease"])
def test_pages_that_do_not_go_back_are_counted_once(box, pool, entry, number,
                                                    code):
    """What CUDA has refused to take stays with it, and is no record's."""
    shell = open_shell(box, pool, fail=f"{entry}:{number}:{code}")
    for _ in range(2):
        for name in "ab":
            alloc(shell, name, 12 * MIB)
        for name in "ab":
            took(shell, f"free {name}")
        shell.ask("trim")
        took(shell, "alloc c 5000")
        took(shell, "free c")
        shell.ask("trim")
    shell.ask("swap no_pool")
    took(shell, "alloc c 5000")
    took(shell, "free c")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["pending_bytes"] == 0
    assert stat["region_bytes"] == stat["regions"] == 0
    shell.end()


def test_without_virtual_memory_regions_are_allocations(box):
    shell = open_shell(box, "vmm_pool", fail="cuMemAddressReserve:1+:801")
    for name in "abc":
        alloc(shell, name, 3 * MIB)
    assert all(is_right(shell, name) for name in "abc")
    for name in "abc":
        took(shell, f"free {name}")
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    shell.end()
    calls, devices = box.report()
    assert devices[0]["reserved"] == 0
    assert calls["cuMemAlloc_v2"] == calls["cuMemFree_v2"]
    assert "cuMemMap" not in calls


def test_a_region_is_shown_to_a_peer(box):
    """Access is given to what is there, and to what comes later."""
    shell = box.shell("vmm_pool", "driver", devices=2)
    for line in ("init", "create x 0", "alloc a 5000", "create y 1",
                 "peers x", "set x"):
        took(shell, line)
    took(shell, f"alloc b {5 * MIB}")
    took(shell, "set y")
    shell.end()
    # A page, that page for the peer, and three pages for both.
    assert box.report()[0]["cuMemSetAccess"] == 3


@pytest.mark.parametrize("pool", [None, *PLACING])
def test_no_program_takes_regions_apart(box, pool):
    """CUDA allows these calls for memory of cuMemMap and for managed memory."""
    shell = open_shell(box, pool, "driver", sim="64M")
    alloc(shell, "a", 5000)
    alloc(shell, "b", 20 * MIB)
    for name in "ab":
        answers = shell(f"take_apart {name}").split()
        assert answers[:4] == ["1"] * 4
    alloc(shell, "c", 5000)
    assert all(is_right(shell, name) for name in "abc")
    took(shell, "fill a 3")
    assert shell("check a 3").endswith("right")
    shell.end()


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool@virtual"])
@pytest.mark.parametrize("code", [2, 999])
def test_a_peer_that_can_t_have_access_is_told(box, pool, code):
    """CUDA's own call would have failed; it may be made again."""
    shell = box.shell(pool, "driver", devices=2,
                      fail=f"cuMemSetAccess:2:{code},cuMemSetAccess:3:{code}")
    for line in ("init", "create x 0", f"alloc a {10 * MIB}",
                 "create y 1"):
        took(shell, line)
    took(shell, "peers x", str(code))
    took(shell, "peers x")
    took(shell, "peers x", "704")
    shell.end()
    calls = box.report()[0]
    # For x; for y refused (all, and each by itself), given, and given again.
    assert calls["cuMemSetAccess"] == 5
    assert calls["cuCtxDisablePeerAccess"] == 1


def test_idle_memory_does_not_keep_a_peer_from_access(box):
    shell = box.shell("vmm_pool", "driver", devices=2,
                      fail="cuMemSetAccess:3:2,cuMemSetAccess:4:2")
    for line in ("init", "create x 0", "alloc a 5000", f"alloc b {8 * MIB}",
                 "free b", "create y 1", "peers x"):
        took(shell, line)
    assert shell.stat()["reserved_bytes"] == 2 * MIB
    shell.end()


def test_a_page_that_is_about_to_go_keeps_no_peer_from_access(box):
    """Its handle has been released, and it is not mapped any more."""
    shell = box.shell("vmm_pool", "driver", devices=2,
                      sim_late="cuMemUnmap:1+:800")
    for line in ("init", "create x 0", f"alloc a {8 * MIB}",
                 f"alloc b {8 * MIB}", "create y 1", "set x", "free a"):
        took(shell, line)
    shell.ask("trim")
    for line in ("alloc c 5000", "free c", "set y", "peers x"):
        took(shell, line)
    shell.end()


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool@virtual"])
def test_what_a_growth_has_left_keeps_no_peer_from_access(box, pool):
    """A page that could not be mapped, and not be released either."""
    shell = box.shell(pool, "driver", devices=2,
                      fail="cuMemMap:11:800,cuMemRelease:1:800")
    for line in ("init", "create x 0", f"alloc a {20 * MIB}",
                 f"alloc b {20 * MIB}", f"alloc c {20 * MIB}", "create y 1",
                 "peers x"):
        took(shell, line)
    for name in "abc":
        took(shell, f"free {name}")
    shell.ask("swap no_pool")
    for line in ("set x", f"alloc z {64 * MIB}", "free z"):
        took(shell, line)
    shell.end()
    calls, devices = box.report()
    assert devices[0]["reserved"] == 0
    assert calls["cuMemCreate"] == calls["cuMemRelease"] - 1
