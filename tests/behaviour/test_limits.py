"""Limits, and what happens when the device is full."""

import pytest

from conftest import MIB, refused
from test_pool import open_shell, took

OUT_OF_MEMORY = "2 2 null"


def test_past_the_hard_limit_a_request_is_out_of_memory(box):
    shell = box.shell("page_unit_pool", hard_limit="8M")
    took(shell, f"alloc a {6 * MIB}")
    assert shell(f"alloc b {3 * MIB}") == OUT_OF_MEMORY
    assert shell("last") == "2" and shell("last") == "0"
    assert shell(f"alloc b {2 * MIB}") == "0 0 set"
    assert shell("alloc c 1") == OUT_OF_MEMORY
    shell.end()
    assert box.stat()["failures"] == 2
    assert box.stat()["reserved_peak"] == 8 * MIB


def test_idle_blocks_make_room_under_the_hard_limit(box):
    shell = box.shell("page_unit_pool", hard_limit="8M")
    took(shell, f"alloc a {6 * MIB}")
    took(shell, "free a")
    assert shell(f"alloc b {7 * MIB}") == "0 0 set"
    assert shell.stat()["idle_bytes"] == 0
    shell.end()


@pytest.mark.parametrize("pool", ["no_pool", "page_unit_pool"])
def test_memory_figures_keep_to_the_hard_limit(box, pool):
    shell = box.shell(pool, hard_limit="8M")
    assert shell("info").split()[2:] == [str(8 * MIB), str(8 * MIB)]
    took(shell, f"alloc a {2 * MIB}")
    assert shell("info").split()[2:] == [str(6 * MIB), str(8 * MIB)]
    took(shell, "free a")
    assert shell("info").split()[2:] == [str(8 * MIB), str(8 * MIB)]
    shell.end()


def test_past_the_soft_limit_idle_blocks_go_back_first(box):
    shell = box.shell("page_unit_pool", pool_limit="8M")
    took(shell, f"alloc a {5 * MIB}")
    took(shell, "free a")
    took(shell, f"alloc b {2 * MIB}")
    assert shell.stat()["idle_bytes"] == 5 * MIB
    took(shell, f"alloc c {2 * MIB}")
    stat = shell.stat()
    assert stat["idle_bytes"] == 0 and stat["reserved_bytes"] == 4 * MIB
    assert stat["driver_frees"] == 1 and stat["trims"] == 1
    shell.end()


def test_the_soft_limit_refuses_nothing(box):
    shell = box.shell("page_unit_pool", pool_limit="8M")
    for i in range(4):
        assert shell(f"alloc a{i} {4 * MIB}") == "0 0 set"
    shell.end()
    assert box.stat()["failures"] == 0


@pytest.mark.parametrize("form", ["shared", "static", "driver"])
def test_a_device_full_of_idle_blocks_serves_another_size(box, form):
    shell = open_shell(box, "page_unit_pool", form)
    for i in range(16):
        took(shell, f"alloc a{i} {4 * MIB}")
    for i in range(16):
        took(shell, f"free a{i}")
    took(shell, f"alloc b {40 * MIB}")
    took(shell, "fill b 3")
    assert shell("check b 3").endswith("right")
    shell.end()
    assert box.stat()["failures"] == 0
    assert box.stat()["driver_frees"] == 10  # only as many as it needs


def test_what_a_swapped_out_pool_left_makes_room(box):
    shell = box.shell("page_unit_pool")
    for i in range(4):
        took(shell, f"alloc a{i} {16 * MIB}")
    for i in range(3):
        took(shell, f"free a{i}")
    shell.ask("swap no_pool")
    shell.ask("swap page_unit_pool")
    took(shell, "free a3")
    took(shell, f"alloc b {64 * MIB}")
    shell.end()
    assert box.stat()["failures"] == 0


def test_idle_blocks_of_another_context_make_room(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "create x 0", f"alloc a {48 * MIB}", "free a",
                 "create y 0", f"alloc b {48 * MIB}", "fill b 1"):
        took(shell, line)
    assert shell("check b 1").endswith("right")
    assert shell("is y") == "0 it"
    shell.end()
    assert box.stat()["reserved_bytes"] == 48 * MIB


def test_idle_blocks_of_another_device_stay(box):
    shell = box.shell("page_unit_pool", devices=2)
    took(shell, f"alloc a {8 * MIB}")
    took(shell, "free a")
    took(shell, "device 1")
    assert shell(f"alloc b {65 * MIB}") == OUT_OF_MEMORY
    shell.end()
    assert box.stat(0)["idle_bytes"] == 8 * MIB


KINDS = ["managed", "async", "async_own", "pool", "pool_own", "pitch", "array",
         "array3d", "mipmap", "virtual"]


@pytest.mark.parametrize("pool", ["no_pool", "page_unit_pool"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_hard_limit_counts_memory_that_no_pool_has(box, kind, pool):
    shell = open_shell(box, pool, "driver", hard_limit="32M", stream_ordered=0)
    took(shell, f"alloc a {4 * MIB}")
    assert shell(f"take {kind} x {20 * MIB}") == "0 set"
    assert shell("info") == f"0 {8 * MIB} {32 * MIB}"
    assert shell(f"take {kind} y {10 * MIB}") == refused(kind)
    assert shell(f"alloc b {10 * MIB}") == "2 null"
    assert shell.stat()["device_bytes"] == 24 * MIB
    took(shell, f"give {kind} x")
    took(shell, f"alloc b {20 * MIB}")
    assert shell("info") == f"0 {8 * MIB} {32 * MIB}"
    shell.end()
    assert box.stat()["failures"] == 2
    assert box.stat()["device_bytes"] == 24 * MIB
    said = box.stderr()
    assert said.count("\n") == 1
    assert said.startswith("mnm: error: device 0: refused by hard_limit: "
                           "10.0 MiB asked, 4.00 MiB live, 0 B idle, "
                           "20.0 MiB unpooled, limit 32.0 MiB")


@pytest.mark.parametrize("kind", ["async", "pool"])
def test_the_hard_limit_counts_what_is_served_in_the_order_of_streams(box,
                                                                      kind):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M")
    took(shell, f"alloc a {4 * MIB}")
    assert shell(f"take {kind} x {20 * MIB}") == "0 set"
    assert shell("info") == f"0 {8 * MIB} {32 * MIB}"
    assert shell.stat()["live_bytes"] == 24 * MIB
    assert shell(f"take {kind} y {10 * MIB}") == "2 null"
    assert shell(f"alloc b {10 * MIB}") == "2 null"
    took(shell, f"give {kind} x")
    took(shell, f"alloc b {20 * MIB}")
    shell.end()


@pytest.mark.parametrize("size, told", [
    (5000, "4.88 KiB asked"), (2**64 - 1, "8.00 EiB asked")])
def test_what_was_refused_is_told_in_a_fitting_unit(box, size, told):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="4K")
    assert shell(f"alloc a {size}") == "2 null"
    shell.end()
    assert f": {told}, 0 B live, " in box.stderr()


def test_the_hard_limit_counts_the_first_pitched_of_a_width(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M")
    assert shell(f"pitch a 4096 {40 << 8} 4") == "2 0"
    took(shell, f"pitch a 4096 {24 << 8} 4")
    assert shell("info") == f"0 {8 * MIB} {32 * MIB}"
    assert shell(f"pitch b 8192 {10 << 7} 4") == "2 0"
    shell.end()
    assert box.stat()["failures"] == 2


# Bits of a texel. With 0 it is not known what such an array takes.
TEXELS = [(0x01, 1, 8), (0x08, 4, 32), (0xc0, 1, 8), (0x02, 1, 16),
          (0x09, 2, 32), (0x10, 4, 64), (0xc9, 1, 16), (0x03, 1, 32),
          (0x0a, 2, 64), (0x20, 4, 128), (0x91, 1, 4), (0x97, 1, 4),
          (0x93, 1, 8), (0x95, 1, 8), (0x99, 1, 8), (0x9d, 1, 8),
          (0xb0, 1, 0)]
SPARSE, DEFERRED = 0x40, 0x80


@pytest.mark.parametrize("form, channels, bits", TEXELS)
def test_what_an_array_takes_hangs_on_its_format(box, form, channels, bits):
    """CUDA is asked up to the limit, and not past it."""
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="4M")
    rows = (4 * MIB * 8) // (4096 * bits) if bits else 1 << 20
    assert shell(f"texels a {form} {channels} 4096 {rows} 0") != "2"
    shell("array_destroy a")
    assert (shell(f"texels a {form} {channels} 4096 {rows + 1} 0") == "2") == (
        bits > 0)
    for flags in (SPARSE, DEFERRED):
        assert shell(f"texels b {form} {channels} 4096 {rows + 1} {flags}"
                     ) != "2"
    shell.end()
    assert box.stderr().count("refused by hard_limit") == (bits > 0)


@pytest.mark.parametrize("kind", KINDS)
def test_idle_blocks_make_room_for_other_memory_at_the_hard_limit(box, kind):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M")
    for i in range(5):
        took(shell, f"alloc a{i} {4 * MIB}")
    for i in range(5):
        took(shell, f"free a{i}")
    assert shell(f"take {kind} x {20 * MIB}") == "0 set"
    assert shell.stat()["idle_bytes"] == 12 * MIB
    shell.end()
    assert box.stat()["failures"] == 0 and box.stderr() == ""


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("kind", ["host_pool", "node_pool", "host_default",
                                  "node_default"])
def test_no_limit_of_a_device_is_for_the_hosts_memory(box, kind, devices):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="8M",
                       devices=devices)
    took(shell, f"alloc a {4 * MIB}")
    assert shell(f"take {kind} x {20 * MIB}") == "0 set"
    assert shell.stat()["device_bytes"] == 4 * MIB
    assert shell.stat("host")["async_bytes"] == 20 * MIB
    took(shell, f"give {kind} x")
    assert shell.stat("host")["async_bytes"] == 0
    shell.end()
    assert box.stderr() == ""


def test_the_soft_limit_is_for_pools_alone(box):
    shell = open_shell(box, "page_unit_pool", "driver", pool_limit="16M")
    assert shell(f"take managed x {20 * MIB}") == "0 set"
    took(shell, f"alloc a {8 * MIB}")
    took(shell, "free a")
    took(shell, f"alloc b {4 * MIB}")
    assert shell.stat()["idle_bytes"] == 8 * MIB
    shell.end()


def test_three_gigabytes_do_not_pass_a_limit_of_one(box):
    shell = box.shell("page_unit_pool", sim="t4", hard_limit="1G")
    assert shell(f"alloc_async x {3 << 30}") == OUT_OF_MEMORY
    assert shell("last") == "2" and shell("last") == "0"
    took(shell, f"alloc_async x {1 << 29}")
    assert shell("info").split()[2:] == [str(1 << 29), str(1 << 30)]
    shell.end()


def test_memory_that_cuda_refuses_is_not_counted(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M",
                       fail="cuMemAllocManaged:1:999,cuMemCreate:1:801")
    assert shell(f"take managed x {20 * MIB}") == "999 null"
    assert shell(f"take virtual x {20 * MIB}") == "801 kept"
    took(shell, f"alloc a {32 * MIB}")
    shell.end()


def test_memory_that_cuda_does_not_free_stays_counted(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M",
                       fail="cuMemFree_v2:1:999,cuMemRelease:1:999")
    took(shell, f"take managed x {10 * MIB}")
    took(shell, f"take virtual y {10 * MIB}")
    assert shell("give managed x") == "999"
    assert shell("give virtual y") == "999"
    assert shell(f"alloc a {13 * MIB}") == "2 null"
    took(shell, f"alloc a {12 * MIB}")
    shell.end()


def test_what_ends_with_its_context_does_not_count_any_more(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M")
    took(shell, "create x 0")
    took(shell, f"take managed m {20 * MIB}")
    took(shell, "destroy x")
    took(shell, "set primary")
    took(shell, f"alloc a {32 * MIB}")
    shell.end()


def test_contexts_of_a_device_share_its_limit_and_its_figures(box):
    shell = box.shell("page_unit_pool", "driver", hard_limit="32M")
    for line in ("init", "create x 0", f"take managed m {8 * MIB}",
                 f"alloc a {8 * MIB}", "create y 0", f"alloc b {8 * MIB}"):
        took(shell, line)
    for context in "xy":
        took(shell, f"set {context}")
        assert shell("info") == f"0 {8 * MIB} {32 * MIB}"
        assert shell(f"take async z {9 * MIB}") == "2 null"
    shell.end()


def test_each_device_has_a_limit_of_its_own(box):
    shell = box.shell("page_unit_pool", "driver", devices=2, hard_limit="32M")
    for line in ("init", "create y 1", "stream s", "create x 0",
                 f"take_in a s {20 * MIB}", f"take_in b s {8 * MIB}",
                 f"take async c {30 * MIB}", f"create_on d 1 {4 * MIB}"):
        took(shell, line)
    assert shell(f"take_in e s {MIB}") == "2 null"
    assert shell(f"create_on e 1 {2 * MIB}") == "2 kept"
    took(shell, f"take async e {2 * MIB}")
    shell.end()
    assert [box.stat(i)["device_bytes"] for i in range(2)] == [32 * MIB] * 2


def test_odd_requests_get_cudas_own_code_at_a_limit(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="1M")
    assert shell("take managed x 0") == "1 null"
    assert shell("take async x 0") == "0 null"
    took(shell, "alloc a 1048576")
    assert shell("take managed x 0") == "1 null"
    shell.end()


def test_ps_shows_all_that_a_job_has(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, f"alloc a {4 * MIB}")
    took(shell, f"take async x {8 * MIB}")
    row = box.mnm("ps").stdout.splitlines()[1]
    assert row.count("12.0 M") == 2
    shell.end()


@pytest.mark.parametrize("pool", ["no_pool", "page_unit_pool"])
def test_the_hard_limit_changes_while_a_job_runs(box, pool):
    shell = open_shell(box, pool, "driver")
    for i in range(8):
        took(shell, f"alloc a{i} {4 * MIB}")
    took(shell, "free a7")
    box.mnm("set", shell.pid, "hard_limit", "32M")
    assert shell("info") == f"0 {4 * MIB} {32 * MIB}"
    took(shell, f"alloc a7 {4 * MIB}")
    assert shell("alloc b 1") == "2 null"
    took(shell, "free a0")
    took(shell, f"take async x {4 * MIB}")
    assert shell("alloc b 1") == "2 null"
    box.mnm("set", shell.pid, "hard_limit", "36M")
    took(shell, f"alloc b {4 * MIB}")
    assert shell("alloc c 1") == "2 null"
    box.mnm("set", shell.pid, "hard_limit", "0")
    took(shell, f"alloc c {8 * MIB}")
    took(shell, "free c")
    box.mnm("set", shell.pid, "hard_limit", "36M")
    assert shell("info") == f"0 0 {36 * MIB}"
    assert shell("alloc c 1") == "2 null"
    shell.end()


def test_what_is_claimed_stays_right_while_limits_come_and_go(box):
    shell = open_shell(box, "no_pool", "driver", sim="256M")
    for limit in ["128M", "0", "96M", "0"] * 5:
        took(shell, f"alloc a {4 * MIB}")
        box.mnm("set", shell.pid, "hard_limit", limit)
        took(shell, f"alloc b {3 * MIB}")
        took(shell, "free a")
    # All of "b" except the last are held for good.
    box.mnm("set", shell.pid, "hard_limit", "64M")
    assert shell("info") == f"0 {4 * MIB} {64 * MIB}"
    took(shell, f"alloc a {4 * MIB}")
    assert shell("alloc c 1") == "2 null"
    shell.end()


def test_a_lower_limit_sends_what_is_idle_back(box):
    """It goes back in the next free, as after a trim."""
    shell = open_shell(box, "page_unit_pool", "driver")
    for i in range(4):
        took(shell, f"alloc a{i} {8 * MIB}")
    for i in range(3):
        took(shell, f"free a{i}")
    box.mnm("set", shell.pid, "pool_limit", "16M")
    assert shell.stat()["pending_bytes"] == 24 * MIB
    took(shell, "free a3")
    assert shell.stat()["reserved_bytes"] == 8 * MIB
    shell.end()


def test_a_higher_limit_leaves_what_is_idle(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="32M")
    took(shell, f"alloc a {8 * MIB}")
    took(shell, "free a")
    box.mnm("set", shell.pid, "hard_limit", "48M")
    assert shell.stat()["pending_bytes"] == 0
    took(shell, f"alloc a {40 * MIB}")
    shell.end()


def test_the_limit_of_pinned_memory_changes_while_a_job_runs(box):
    shell = open_shell(box, "page_unit_pool", "driver", host_limit="1G")
    for i in range(4):
        took(shell, f"pin p{i} {4 * MIB} 0")
    for i in range(4):
        took(shell, f"unpin p{i}")
    box.mnm("set", shell.pid, "host_limit", "16M")
    took(shell, f"pin q {6 * MIB} 0")
    assert shell.stat("host")["driver_frees"] == 2
    shell.end()


def test_refusals_are_said_once_a_second_at_most(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="8M")
    for _ in range(50):
        assert shell(f"alloc a {9 * MIB}") == "2 null"
    shell.end()
    assert 1 <= box.stderr().count("refused by hard_limit") < 50


def test_refusals_are_not_said_where_nothing_is(box):
    shell = open_shell(box, "page_unit_pool", "driver", hard_limit="8M",
                       log="none")
    assert shell(f"alloc a {9 * MIB}") == "2 null"
    assert shell(f"take async a {9 * MIB}") == "2 null"
    shell.end()
    assert box.stderr() == ""
