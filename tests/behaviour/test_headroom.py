"""What a pool leaves free for others: idle memory goes back before less is
free."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

MXNETS = ["naive_pool", "round_pool"]


def lines(shell, *calls):
    for call in calls:
        took(shell, call)


def opened(box, pool, form="driver", **options):
    """16 MiB of the device's 64 are idle, and the pool may keep all of them."""
    options = {"headroom": 25, "idle_limit": "off", **options}
    shell = open_shell(box, pool, form, **options)
    lines(shell, f"alloc a {16 * MIB}", "free a")
    return shell


def asked(box):
    return box.report()[0].get("cuMemGetInfo_v2", 0)


@pytest.mark.parametrize("form", ["shared", "static", "driver"])
@pytest.mark.parametrize("pool", MXNETS)
def test_idle_memory_goes_back_before_less_is_free(box, pool, form):
    """The first request leaves exactly the headroom."""
    shell = opened(box, pool, form)
    took(shell, f"alloc b {32 * MIB}")
    assert shell.stat()["idle_bytes"] == 16 * MIB
    took(shell, "alloc c 5000")
    stat = shell.stat()
    assert stat["idle_bytes"] == 0
    assert (stat["driver_frees"], stat["trims"]) == (1, 1)
    shell.end()
    assert box.stat()["failures"] == 0


@pytest.mark.parametrize("pool, options", [
    ("naive_pool", {"headroom": 0}), ("round_pool", {"headroom": 0}),
    ("naive_pool", {"headroom": 24}), ("page_unit_pool", {"headroom": 100})])
def test_idle_memory_stays_where_there_is_headroom(box, pool, options):
    shell = opened(box, pool, **options)
    lines(shell, f"alloc b {32 * MIB}", "alloc c 5000")
    assert shell.stat()["idle_bytes"] == 16 * MIB
    shell.end()


def test_the_headroom_is_5_percent(box):
    """Of 100 MiB 6 are free, and then 4."""
    shell = box.shell("naive_pool", sim="100M", idle_limit="off")
    lines(shell, f"alloc a {14 * MIB}", "free a", f"alloc b {80 * MIB}")
    assert shell.stat()["idle_bytes"] == 14 * MIB
    took(shell, f"alloc c {2 * MIB}")
    assert shell.stat()["idle_bytes"] == 0
    shell.end()


def test_what_others_use_counts(box):
    shell = opened(box, "naive_pool")
    assert shell(f"take virtual x {20 * MIB}") == "0 set"
    took(shell, f"alloc b {14 * MIB}")
    assert shell.stat()["idle_bytes"] == 0
    shell.end()


def test_an_idle_block_serves_where_there_is_no_headroom(box):
    shell = opened(box, "naive_pool", headroom=100)
    for _ in range(3):
        lines(shell, f"alloc a {16 * MIB}", "free a")
    assert shell.stat()["hits"] == 3
    shell.end()
    assert asked(box) == 0


def test_what_can_not_be_had_costs_nothing(box):
    shell = opened(box, "naive_pool")
    assert shell(f"alloc b {65 * MIB}").startswith("2 ")
    assert shell.stat()["idle_bytes"] == 16 * MIB
    shell.end()
    assert asked(box) == 0


def test_the_driver_is_asked_only_if_something_is_idle(box):
    shell = open_shell(box, "naive_pool", "driver", idle_limit="off")
    for i in range(5):
        took(shell, f"alloc a{i} 5000")
    took(shell, "free a0")
    took(shell, "alloc b 9000")
    shell.end()
    assert asked(box) == 1


def test_pinned_memory_has_no_headroom(box):
    shell = opened(box, "naive_pool", headroom=100)
    lines(shell, "pin p 5000 0", "unpin p", "pin q 9000 0")
    assert shell.stat("host")["idle_bytes"] == 8192
    assert shell.stat()["idle_bytes"] == 16 * MIB
    shell.end()
    assert asked(box) == 0


def test_nothing_is_asked_or_given_back_during_a_capture(box):
    shell = opened(box, "naive_pool", headroom=100)
    lines(shell, "alloc w 5000", "stream s", f"alloc i {8 * MIB}", "free i",
          "begin s global", "stream_fill s w 7", "alloc b 9000")
    assert shell.stat()["idle_bytes"] == 8 * MIB
    lines(shell, "end s g", "instantiate g x", "launch x s", "stream_sync s")
    assert shell("check w 7").endswith("right")
    shell.end()
    assert asked(box) == 1  # for w


def test_a_driver_that_does_not_tell_keeps_nothing_from_being_served(box):
    shell = opened(box, "naive_pool", headroom=100,
                   fail="cuMemGetInfo_v2:1+:999")
    took(shell, "alloc b 5000")
    assert shell.stat()["idle_bytes"] == 16 * MIB
    shell.end()


def test_a_request_in_a_streams_order_does_not_wait_for_it(box):
    """What is idle goes back once the program has waited itself."""
    shell = opened(box, "naive_pool", stream_ordered=1)
    lines(shell, "stream s", "alloc w 5000", "hold s",
          f"alloc_async b {40 * MIB} s")
    assert shell.stat()["driver_frees"] == 0
    lines(shell, "let_go", "sync")
    assert shell.stat()["idle_bytes"] == 0
    shell.end()
