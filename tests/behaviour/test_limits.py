"""Limits, and what happens when the device is full."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

OUT_OF_MEMORY = "2 2 kept"


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
    assert box.stat()["driver_frees"] == 10  # as many as it needs


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
