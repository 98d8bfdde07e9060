"""Pools that keep nothing. Each request and each free is the driver's. If
nothing stands against it, a thread counts them in figures of its own."""

import random

import pytest

from conftest import FORMS, MIB, SANITIZERS, forks_only_without_asan, program
from test_cache import assert_relayed
from test_order import T4, with_other_driver
from test_pool import open_shell, took
from test_threads import started

SIZE = 5000
FIGURES = ["allocs", "hits", "misses", "frees", "driver_allocs",
           "driver_frees", "live_bytes", "live_peak", "reserved_bytes",
           "reserved_peak", "retired_bytes"]


def lines(shell, *each):
    for line in each:
        took(shell, line)


def warm(shell, thread=None):
    """From here on the thread's requests and frees are direct."""
    took(shell, f"{f'on {thread} ' if thread else ''}pairs {SIZE} 4")


def driver_shell(box, **options):
    shell = open_shell(box, "no_pool", "driver", **options)
    warm(shell)
    return shell


def two_threads(box, **options):
    shell = driver_shell(box, **options)
    for thread in "ab":
        took(shell, f"on {thread} set primary")
        warm(shell, thread)
    return shell


def figures(shell):
    stat = shell.stat()
    return {name: stat[name] for name in FIGURES}


def changes(shell, before):
    return {name: value - before[name]
            for name, value in figures(shell).items() if value - before[name]}


# Figures.

@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", FORMS)
def test_the_figures_of_one_thread_are_exact(box, form, seed):
    draw = random.Random(seed)
    shell = open_shell(box, "no_pool", form)
    live, peak, allocs, frees = {}, 0, 0, 0
    for turn in range(150):
        if live and draw.random() < 0.5:
            name = draw.choice(sorted(live))
            took(shell, f"free {name}")
            del live[name]
            frees += 1
        else:
            live[f"n{turn}"] = size = draw.choice([1, 100, 5000, 70000])
            took(shell, f"alloc n{turn} {size}")
            allocs += 1
        now = sum(live.values())
        peak = max(peak, now)
        if turn % 10 == 9:
            assert figures(shell) == {
                "allocs": allocs, "hits": 0, "misses": allocs, "frees": frees,
                "driver_allocs": allocs, "driver_frees": frees,
                "live_bytes": now, "live_peak": peak, "reserved_bytes": now,
                "reserved_peak": peak, "retired_bytes": 0}
    for name in live:
        took(shell, f"free {name}")
    shell.end()
    stat = box.stat()
    assert stat["reserved_bytes"] == stat["live_bytes"] == 0
    assert stat["driver_frees"] == stat["driver_allocs"] == allocs
    calls, devices = box.report()
    assert calls["cuMemAlloc_v2"] == calls["cuMemFree_v2"] == allocs
    assert devices[0]["live_allocs"] == 0


def test_the_peak_of_what_is_reserved_is_not_that_of_what_is_live(box):
    """Small blocks of the former pool have large spans."""
    shell = open_shell(box, "page_unit_pool", "driver", page_size=2 * MIB,
                       device_idle=0)
    lines(shell, f"alloc big {6 * MIB}", "free big")
    shell.ask("trim")
    lines(shell, "alloc a 1", "free a", "alloc a 1", "alloc b 1", "alloc c 1")
    shell.ask("swap no_pool")
    warm(shell)
    stat = shell.stat()
    assert stat["reserved_bytes"] == 6 * MIB
    assert stat["reserved_peak"] == 8 * MIB
    lines(shell, f"alloc d {MIB}", f"alloc e {2 * MIB}", "free d")
    stat = shell.stat()
    assert stat["reserved_peak"] == 9 * MIB
    assert stat["live_peak"] == 6 * MIB
    shell.end()


@pytest.mark.parametrize("doubt", [None, "table"])
def test_the_driver_is_asked_for_the_context_only_where_it_may_change_unseen(
        box, doubt):
    """On the slow path the driver is asked at each request."""
    with_other_driver(box)
    asked = []
    for pairs in (300, 2860):
        shell = driver_shell(box, sim=T4)
        if doubt:
            shell(doubt)
        took(shell, f"pairs {SIZE} {pairs}")
        shell.end()
        asked.append(box.report()[0]["cuCtxGetCurrent"])
    assert asked[1] - asked[0] == (2560 if doubt else 2560 // 256)


def test_a_door_that_is_not_seen_is_noticed_and_allowed_for(box):
    shell = box.shell("no_pool", "driver", devices=2)
    lines(shell, "init", "retain x 0", "retain y 1", "set y")
    warm(shell)
    took(shell, "set x")
    warm(shell)
    took(shell, "set_unseen y")
    took(shell, f"pairs {SIZE} 256")
    for context, device in (("x", 0), ("y", 1)) * 2:
        took(shell, f"set_unseen {context}")
        lines(shell, f"alloc m {SIZE}")
        assert shell.stat(device)["live_bytes"] == SIZE
        assert shell.stat(1 - device)["live_bytes"] == 0
        took(shell, "free m")
    shell.end()


def test_a_block_of_another_device_counts_there(box):
    shell = box.shell("no_pool", "driver", devices=2)
    lines(shell, "init", "retain x 0", "retain y 1")
    for name in "xy":
        lines(shell, f"set {name}")
        warm(shell)
        lines(shell, f"alloc of_{name} {SIZE}")
    took(shell, "free of_x")
    assert shell.stat(0)["live_bytes"] == shell.stat(0)["reserved_bytes"] == 0
    assert shell.stat(1)["live_bytes"] == SIZE
    assert shell.stat(0)["frees"] == shell.stat(0)["allocs"] == 5
    took(shell, "free of_y")
    assert shell.stat(1)["live_bytes"] == shell.stat(1)["reserved_bytes"] == 0
    shell.end()


# What is wrong.

@pytest.mark.parametrize("form", FORMS)
def test_a_block_freed_twice_is_cudas_error_and_changes_nothing(box, form):
    shell = open_shell(box, "no_pool", form)
    warm(shell)
    lines(shell, f"alloc a {SIZE}", "free a")
    before = figures(shell)
    for line in ("free a", "free_inside a 1", "free_inside a 128"):
        took(shell, line, "1")
    assert figures(shell) == before
    warm(shell)
    shell.end()
    assert box.stat()["live_bytes"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_block_that_the_driver_does_not_free_is_the_programs(box, form):
    shell = open_shell(box, "no_pool", form, fail="cuMemFree_v2:6:719")
    warm(shell)
    lines(shell, f"alloc a {SIZE}", f"alloc b {SIZE}", "free b")
    before = figures(shell)
    took(shell, "free a", "719")
    assert figures(shell) == before
    lines(shell, f"alloc b {SIZE}", f"alloc c {SIZE}", "free b", "free c")
    assert shell.stat()["live_peak"] == 3 * SIZE
    took(shell, "free a")
    took(shell, "free a", "1")
    warm(shell)
    shell.end()
    stat = box.stat()
    assert stat["live_bytes"] == stat["reserved_bytes"] == 0
    assert stat["frees"] == stat["driver_frees"] == stat["allocs"] == 12
    assert box.report()[1][0]["live_allocs"] == 0


@pytest.mark.parametrize("code", [3, 201, 709, 999])
def test_a_failure_of_an_allocation_is_passed_on(box, code):
    shell = driver_shell(box, fail=f"cuMemAlloc_v2:5:{code}")
    before = figures(shell)
    assert shell(f"alloc a {SIZE}") == f"{code} null"
    assert figures(shell) == before
    assert shell.stat()["failures"] == 1
    lines(shell, f"alloc a {SIZE}", "free a")
    shell.ask("swap page_unit_pool")
    assert shell.stat()["retired_bytes"] == 0
    shell.end()
    assert box.report()[0]["cuMemAlloc_v2"] == 6
    assert box.stat()["live_bytes"] == box.stat()["reserved_bytes"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_request_past_the_device_is_out_of_memory(box, form):
    shell = open_shell(box, "no_pool", form)
    warm(shell)
    before = figures(shell)
    took(shell, f"alloc a {1 << 40}", "2")
    assert figures(shell) == before
    assert shell.stat()["failures"] == 1
    warm(shell)
    shell.ask("swap page_unit_pool")
    assert shell.stat()["retired_bytes"] == 0
    shell.end()


def test_idle_blocks_of_pinned_or_other_pools_make_room(box):
    """An idle block that a swap has left makes room for a request."""
    shell = open_shell(box, "page_unit_pool", "driver", sim="64M")
    lines(shell, f"alloc a {40 * MIB}", "free a")
    shell.ask("swap no_pool")
    took(shell, f"alloc b {40 * MIB}")
    took(shell, "free b")
    warm(shell)
    took(shell, f"alloc b {60 * MIB}")
    assert shell.stat()["failures"] == 0
    shell.end()


# Threads, swaps, contexts.

def test_another_thread_may_free_a_block(box):
    shell = two_threads(box)
    before = figures(shell)
    for _ in range(5):
        lines(shell, f"on a alloc x {SIZE}", "on b free x")
        assert shell.stat()["live_bytes"] == 0
        took(shell, "on b free x", "1")
    assert changes(shell, before) == dict.fromkeys(
        ("allocs", "misses", "frees", "driver_allocs", "driver_frees"), 5)
    shell.end()


def test_a_thread_that_only_frees_counts_for_itself_as_well(box):
    shell = two_threads(box)
    took(shell, "on c set primary")
    for _ in range(50):
        lines(shell, f"on a alloc x {SIZE}", "on c free x")
    assert shell.stat()["live_bytes"] == shell.stat()["reserved_bytes"] == 0
    shell.end()
    assert box.report()[0]["cuCtxGetCurrent"] < 20


@pytest.mark.parametrize("by", ["a", "b"])
@pytest.mark.parametrize("to", ["page_unit_pool", "no_pool"])
def test_a_pool_that_was_swapped_out_ends_with_its_last_block(box, to, by):
    """Any thread may free that block, whichever thread has asked for it."""
    shell = two_threads(box)
    lines(shell, f"on a alloc x {SIZE}", f"on b alloc y {SIZE}",
          f"on a alloc z {SIZE}", "on b free z")
    shell.ask(f"swap {to}")
    assert shell.stat()["retired_bytes"] == 2 * SIZE
    for thread in "ab":
        warm(shell, thread)
    assert shell.stat()["retired_bytes"] == 2 * SIZE
    took(shell, f"on {by} free x")
    assert shell.stat()["retired_bytes"] == SIZE
    took(shell, f"on {by} free y")
    stat = shell.stat()
    assert stat["retired_bytes"] == stat["live_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"]
    shell.end()
    assert box.stat()["pending_bytes"] == 0


def test_after_a_swap_blocks_of_no_pool_are_not_kept(box):
    shell = driver_shell(box)
    took(shell, f"alloc a {4 * MIB}")
    shell.ask("swap page_unit_pool")
    took(shell, "free a")
    assert shell.stat()["idle_bytes"] == 0
    shell.ask("swap no_pool")
    warm(shell)
    shell.end()
    assert box.stat()["reserved_bytes"] == 0


def test_what_a_thread_has_counted_outlives_it(box):
    shell = two_threads(box)
    lines(shell, f"on a alloc x {SIZE}", f"on b alloc y {SIZE}")
    before = figures(shell)
    assert shell("end_thread a") == "ended"
    assert figures(shell) == before
    shell.ask("swap page_unit_pool")
    assert shell.stat()["retired_bytes"] == 2 * SIZE
    lines(shell, "on b free x", "on b free y")
    assert shell.stat()["retired_bytes"] == 0
    shell.end()


def test_a_context_that_another_thread_destroys_takes_its_blocks_along(box):
    shell = driver_shell(box, fence="none", force=1)
    native = box.shell(None, "driver")
    lines(native, "init", "create x 0", "on a set x", f"on a alloc m {SIZE}",
          "destroy x")
    lines(shell, "create x 0", "on a set x")
    warm(shell, "a")
    lines(shell, f"on a alloc m {SIZE}", f"on a alloc n {SIZE}", "destroy x")
    stat = shell.stat()
    assert stat["live_bytes"] == stat["reserved_bytes"] == 0
    for line in (f"on a alloc o {SIZE}", "on a free m"):
        assert shell(line) == native(line) != "0 set"
    lines(shell, "create y 0", "on a set y")
    warm(shell, "a")
    lines(shell, f"on a alloc m {SIZE}", f"on a alloc n {SIZE}")
    assert shell("owner m y") == "0 it 0"
    assert shell.stat()["live_bytes"] == 2 * SIZE
    lines(shell, "on a free m", "on a free n")
    assert shell.stat()["live_bytes"] == 0
    native.end()
    shell.end()


def test_a_request_while_another_thread_captures_is_served(box):
    shell = two_threads(box)
    lines(shell, "on a stream s", "on a capture s", f"on b alloc x {SIZE}",
          "on a capture_end s", "on b free x")
    assert shell.stat()["live_bytes"] == 0
    warm(shell, "b")
    shell.end()


def test_each_life_of_an_address_has_a_buffer_id_of_its_own(box):
    shell = driver_shell(box)
    seen = []
    for _ in range(4):
        took(shell, f"alloc a {SIZE}")
        seen.append((shell("addr a"), took(shell, "buffer a 0")))
        took(shell, "free a")
    assert len({addr for addr, _ in seen}) == 1
    assert len({name for _, name in seen}) == 4
    assert shell.stat()["live_bytes"] == 0
    shell.end()


def test_a_limit_is_kept(box):
    for option in ("hard_limit", "pool_limit"):
        shell = driver_shell(box, **{option: "1M"})
        lines(shell, f"alloc a {MIB // 2}", f"alloc b {MIB // 2}")
        took(shell, "alloc c 1", "2" if option == "hard_limit" else "0")
        lines(shell, "free a", "free b")
        assert shell.stat()["live_bytes"] == (option == "pool_limit")
        shell.end()


@forks_only_without_asan
def test_a_child_counts_nothing(box):
    shell = driver_shell(box)
    before = figures(shell)
    took(shell, f"fork alloc a {SIZE}", "3")
    assert shell.read() == "ended 0"
    assert figures(shell) == before
    shell.end()


def relay(box, **options):
    shell = box.start([program("relay"), "6", "400"], "no_pool", **options)
    assert shell.read() == "ready"
    started(box, shell)
    return shell


@pytest.mark.parametrize("options", [{}, {"pool_limit": "1M"}])
def test_threads_that_come_and_go_hand_blocks_to_each_other(box, options):
    assert_relayed(box, relay(box, **options))
    assert box.stat()["hits"] == box.stat()["reserved_bytes"] == 0


def test_whatever_is_changed_while_threads_hand_blocks_on_loses_nothing(box):
    shell = relay(box)
    for turn in range(10 if SANITIZERS else 60):
        for request in ("swap no_pool", "trim", "set fence sync",
                        "swap page_unit_pool", "set fence fence",
                        "swap no_pool"):
            answer = shell.ask(request)
            assert "error" not in answer, (turn, request, answer)
    assert_relayed(box, shell)
    assert box.stat()["retired_bytes"] == 0
