"""Where memory is short, only as much goes back to the driver as is needed."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

POOL = "page_unit_pool"


def idle(shell, *mebibytes, take="alloc", free="free", more=""):
    """Leaves an idle block of each size."""
    for i, size in enumerate(mebibytes):
        took(shell, f"{take} i{i} {size * MIB}{more}")
    for i in range(len(mebibytes)):
        took(shell, f"{free} i{i}")


@pytest.mark.parametrize("form", ["shared", "static", "driver"])
@pytest.mark.parametrize("need, frees", [(1, 1), (3, 1), (6, 2), (20, 5),
                                         (40, 10)])
def test_a_full_device_takes_back_what_a_request_needs(box, form, need, frees):
    shell = open_shell(box, POOL, form, sim="40M")
    idle(shell, *[4] * 10)
    took(shell, f"alloc b {need * MIB}")
    stat = shell.stat()
    assert (stat["driver_frees"], stat["trims"]) == (frees, 1)
    assert stat["idle_bytes"] == (40 - 4 * frees) * MIB
    shell.end()
    assert box.stat()["failures"] == 0


def test_what_the_driver_has_free_is_not_taken_from_the_pool(box):
    shell = box.shell(POOL, sim="64M", idle_limit="off")
    idle(shell, *[8] * 6)
    took(shell, f"alloc b {24 * MIB}")  # 16 MiB are free
    assert shell.stat()["driver_frees"] == 1
    shell.end()


@pytest.mark.parametrize("cache", ["64M", "0"])
def test_the_largest_go_first(box, cache):
    shell = box.shell(POOL, sim="64M", thread_cache=cache)
    idle(shell, 2, 16, 4, 32, 8, 2)
    took(shell, f"alloc b {20 * MIB}")
    for i, size in enumerate((2, 16, 4, 8, 2)):
        took(shell, f"alloc c{i} {size * MIB}")
    shell.end()
    assert (box.stat()["driver_frees"], box.stat()["hits"]) == (1, 5)


@pytest.mark.parametrize("limit", ["pool_limit", "hard_limit"])
@pytest.mark.parametrize("need, frees", [(1, 0), (2, 0), (3, 1), (7, 2),
                                         (22, 5)])
def test_at_a_limit_what_is_past_it_goes_back(box, limit, need, frees):
    shell = box.shell(POOL, **{limit: "22M"})
    idle(shell, *[4] * 5)
    took(shell, f"alloc b {need * MIB}")
    assert shell.stat()["driver_frees"] == frees
    shell.end()
    assert box.stat()["failures"] == 0


def test_a_request_past_the_soft_limit_alone_is_served(box):
    shell = box.shell(POOL, pool_limit="8M", hard_limit="32M")
    idle(shell, 2, 2)
    took(shell, f"alloc b {16 * MIB}")
    assert shell.stat()["idle_bytes"] == 0
    assert shell(f"alloc c {17 * MIB}") == "2 2 null"
    took(shell, f"alloc c {16 * MIB}")
    shell.end()


def test_small_blocks_in_many_pieces_make_room_in_the_end(box):
    """Each of the driver's granules has four of them. Those that have been
    idle for longest empty no granule."""
    shell = box.shell(POOL, sim="32M")
    for i in range(64):
        took(shell, f"alloc s{i} {MIB // 2}")
    for lane in range(4):
        for i in range(lane, 64, 4):
            took(shell, f"free s{i}")
    took(shell, f"alloc b {2 * MIB}")
    took(shell, "fill b 3")
    assert shell("check b 3").endswith("right")
    assert 4 < shell.stat()["driver_frees"] < 64
    took(shell, f"alloc c {30 * MIB}")  # all of the device
    shell.end()
    assert box.stat()["failures"] == 0


def test_a_driver_that_does_not_tell_what_is_free_is_asked_again(box):
    shell = box.shell(POOL, sim="64M", fail="cuMemGetInfo_v2:1+:999")
    idle(shell, *[8] * 8)
    took(shell, f"alloc b {24 * MIB}")
    assert shell.stat()["driver_frees"] == 3
    shell.end()


def test_memory_is_refused_once_nothing_is_idle(box):
    shell = box.shell(POOL, sim="32M")
    took(shell, f"alloc a {2 * MIB}")
    idle(shell, *[2] * 7)
    assert shell(f"alloc b {32 * MIB}") == "2 2 null"
    assert shell.stat()["idle_bytes"] == 0
    took(shell, f"alloc b {30 * MIB}")
    shell.end()
    assert box.stat()["failures"] == 1


@pytest.mark.parametrize("need, frees", [(8, 1), (24, 3), (48, 6)])
def test_idle_blocks_of_several_contexts_go_back_as_needed(box, need, frees):
    shell = box.shell(POOL, "driver", sim="48M")
    took(shell, "init")
    for name in "xyz":
        took(shell, f"create {name} 0")
        idle(shell, 8, 8)
    took(shell, "create last 0")
    took(shell, f"alloc b {need * MIB}")
    took(shell, "fill b 1")
    assert shell("check b 1").endswith("right")
    assert shell.stat()["driver_frees"] == frees
    shell.end()


def test_what_a_graph_holds_goes_before_what_can_be_reused(box):
    shell = open_shell(box, POOL, "driver", sim="48M")
    for line in ("stream s", f"alloc a {8 * MIB}", f"alloc b {16 * MIB}",
                 f"alloc c {24 * MIB}", "begin s relaxed",
                 "stream_fill s a 7", "free a", "end s g", "free b",
                 f"alloc d {6 * MIB}", f"alloc e {16 * MIB}"):
        took(shell, line)
    shell.end()
    assert (box.stat()["driver_frees"], box.stat()["hits"]) == (1, 1)


@pytest.mark.parametrize("need, frees", [(2, 1), (6, 2), (16, 4)])
def test_pinned_memory_goes_back_as_needed(box, need, frees):
    shell = open_shell(box, POOL, "driver", host_limit="16M")
    idle(shell, *[4] * 4, take="pin", free="unpin", more=" 0")
    took(shell, f"pin b {need * MIB} 0")
    assert shell.stat("host")["driver_frees"] == frees
    shell.end()


def test_pinned_memory_that_the_driver_refuses_makes_room(box):
    shell = open_shell(box, POOL, "driver", sim_pinned="16M")
    idle(shell, *[4] * 4, take="pin", free="unpin", more=" 0")
    took(shell, f"pin b {6 * MIB} 0")
    assert shell.stat("host")["driver_frees"] == 2
    took(shell, f"pin c {2 * MIB} 0")
    shell.end()
    assert box.stat("host")["failures"] == 0


def at(shell, *lines):
    for line in lines:
        took(shell, line)


def test_a_somewhat_larger_block_serves_where_memory_is_short(box):
    shell = open_shell(box, POOL, "driver", sim="64M", idle_limit="off")
    idle(shell, 30)
    idle(shell, 28)
    at(shell, f"alloc c {29 * MIB}", "fill c 4")
    assert shell("check c 4").endswith("right")
    assert shell("range c 0").split()[2] == str(29 * MIB)
    shell.end()
    assert (box.stat()["hits"], box.stat()["driver_frees"]) == (1, 0)


def test_a_larger_block_is_spared_while_there_is_memory(box):
    shell = box.shell(POOL, sim="128M", idle_limit="off")
    idle(shell, 30)
    idle(shell, 28)
    at(shell, "sync", f"alloc c {29 * MIB}")
    shell.end()
    assert box.stat()["hits"] == 0


def test_what_blocks_have_to_spare_is_bounded_in_all(box):
    """The bound is a thirty-second of what is reserved."""
    shell = box.shell(POOL, sim="64M", idle_limit="off")
    idle(shell, 30)
    idle(shell, 28)
    at(shell, f"alloc c {29 * MIB}", f"alloc d {27 * MIB}")
    shell.end()
    assert (box.stat()["hits"], box.stat()["driver_frees"]) == (1, 1)


def test_blocks_have_nothing_to_spare_where_all_was_live(box):
    shell = box.shell(POOL, sim="64M", idle_limit="off")
    idle(shell, 30, 28)
    took(shell, f"alloc c {29 * MIB}")
    shell.end()
    assert (box.stat()["hits"], box.stat()["driver_frees"]) == (0, 1)


def test_sizes_that_grow_share_blocks_where_memory_is_short(box):
    shell = box.shell(POOL, sim="64M", idle_limit="off")
    idle(shell, 30)
    idle(shell, 28)
    took(shell, f"alloc c {20 * MIB}")
    for i in range(1, 17):
        at(shell, f"alloc d {8 * MIB + i * 65536}", "free d")
    shell.end()
    assert box.stat()["driver_allocs"] <= 6
    assert box.stat()["hits"] >= 13


def test_a_request_that_has_no_room_to_spare_is_served_exactly(box):
    shell = box.shell(POOL, hard_limit="64256K", idle_limit="off")
    idle(shell, 30)
    idle(shell, 30)
    idle(shell, 32)
    at(shell, f"alloc a {125 * MIB // 2}", "fill a 5")
    assert shell("check a 5").endswith("right")
    assert shell("alloc b 1048576") == "2 2 null"
    shell.end()
    assert box.stat()["failures"] == 1


def test_the_fast_path_is_open_again_once_a_request_was_refused(box):
    """On the slow path the driver would be asked for the context at each
    request."""
    shell = open_shell(box, POOL, "driver", sim="40M")
    took(shell, f"pairs {MIB} 4")
    took(shell, f"alloc a {MIB}")
    took(shell, f"alloc b {40 * MIB}", "2")
    took(shell, f"pairs {MIB} 1000")
    shell.end()
    assert box.report()[0]["cuCtxGetCurrent"] < 100
