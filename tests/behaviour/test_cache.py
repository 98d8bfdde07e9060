"""Idle blocks that threads keep for themselves, in front of the pools."""

import random

import pytest

from conftest import (FORMS, MIB, SANITIZERS, forks_only_without_asan,
                      plain_build_only, program)
from test_order import T4, with_other_driver
from test_pool import open_shell, took
from test_threads import assert_all_came_back, started, summary

SPAN = 4096
# With these, blocks are served without a fence with several contexts, too.
AT_ONCE = {"fence": "none", "force": 1}


def lines(shell, *each):
    for line in each:
        took(shell, line)


def warm(shell, size=SPAN, thread=None):
    """From here on the thread's requests and frees of that size are fast."""
    took(shell, f"{f'on {thread} ' if thread else ''}pairs {size} 4")


def driver_shell(box, **options):
    shell = box.shell("page_unit_pool", "driver", **options)
    lines(shell, "init", "retain p 0", "set p")
    return shell


def two_threads(box, **options):
    """A shell whose threads a and b share a context, and have a cache each."""
    shell = driver_shell(box, **options)
    for thread in "ab":
        took(shell, f"on {thread} set p")
        warm(shell, 512, thread)
    return shell


FIGURES = ["allocs", "hits", "frees", "live_bytes", "idle_bytes", "live_peak"]


def figures(shell):
    stat = shell.stat()
    return {name: stat[name] for name in FIGURES}


# What is wrong on the fast path.

@pytest.mark.parametrize("form", FORMS)
def test_a_block_freed_twice_is_an_error_and_changes_nothing(box, form):
    shell = open_shell(box, "page_unit_pool", form)
    warm(shell)
    lines(shell, f"alloc a {SPAN}", "free a")
    before = figures(shell)
    for line in ("free a", "free_inside a 1", "free_inside a 128"):
        took(shell, line, "1")
    assert figures(shell) == before
    lines(shell, f"alloc b {SPAN}", f"alloc c {SPAN}")
    assert shell("addr b") == shell("addr a") != shell("addr c")
    shell.end()


@pytest.mark.parametrize("marked", [False, True])
def test_an_address_inside_a_block_frees_nothing(box, marked):
    """An address whose low bits look like the marks of the block frees
    nothing, too."""
    shell = driver_shell(box)
    warm(shell)
    took(shell, f"alloc a {SPAN}")
    if marked:
        lines(shell, "buffer a 0", "export a 0")
    before = figures(shell)
    for offset in (1, 2, 3, 4, 5, 8, 12, 13, 128, 256):
        took(shell, f"free_inside a {offset}", "1")
    assert figures(shell) == before
    took(shell, "fill a 7")
    assert shell("check a 7").endswith("right")
    took(shell, "free a")
    shell.end()


def test_a_free_of_an_unknown_address_is_cudas_own_error(box):
    shell = driver_shell(box)
    warm(shell)
    before = figures(shell)
    for line in ("free_at 1234500", "free_at 7f0000000000",
                 "free_at ffffffffffffff00"):
        took(shell, line, "1")
    took(shell, "free_at 0")
    assert figures(shell) == before
    shell.end()


# Threads.

@pytest.mark.parametrize("size", [SPAN, 2 * MIB])
def test_another_thread_may_free_a_block(box, size):
    shell = two_threads(box)
    for thread in "ab":
        warm(shell, size, thread)
    for _ in range(5):
        lines(shell, f"on a alloc x {size}", "on b free x")
        assert shell.stat()["live_bytes"] == 0
        took(shell, "on b free x", "1")
    lines(shell, f"on b alloc x {size}", f"on b alloc y {size}")
    assert shell("addr x") != shell("addr y")
    shell.end()


def test_a_thread_that_ends_leaves_its_blocks_to_others(box):
    shell = two_threads(box)
    took(shell, "on a alloc x 65536")
    took(shell, "on a free x")
    warm(shell, 65536, "a")
    misses = shell.stat()["misses"]
    assert shell("end_thread a") == "ended"
    took(shell, "on b alloc y 65536")
    assert shell("addr y") == shell("addr x")
    assert shell.stat()["misses"] == misses
    # Its record serves the next thread.
    took(shell, "on c set p")
    warm(shell, 65536, "c")
    took(shell, "on b free y")
    assert shell.stat()["live_bytes"] == 0
    shell.end()


def test_a_large_block_is_found_in_another_threads_cache(box):
    shell = two_threads(box)
    warm(shell, 2 * MIB, "a")
    before = shell.stat()
    lines(shell, f"on b alloc x {2 * MIB}", "on b free x",
          f"on a alloc y {2 * MIB}")
    assert shell("addr x") == shell("addr y")
    stat = shell.stat()
    assert stat["driver_allocs"] == before["driver_allocs"]
    assert stat["reserved_bytes"] == before["reserved_bytes"]
    shell.end()


SCARCE = [{"sim": "8M"}, {"hard_limit": "8M"}]


@pytest.mark.parametrize("limit", SCARCE)
def test_a_full_device_has_room_in_another_threads_cache(box, limit):
    """Thread a keeps all memory. Thread b gets it block by block, and nothing
    goes back to the driver."""
    shell = two_threads(box, **limit)
    names = [f"n{i}" for i in range(15)]
    for name in names:
        took(shell, f"on a alloc {name} {MIB // 2}")
    for name in names:
        took(shell, f"on a free {name}")
    for name in names:  # through the cache, as the first frees were not
        took(shell, f"on a alloc {name} {MIB // 2}")
    for name in names:
        took(shell, f"on a free {name}")
    before = shell.stat()
    took(shell, f"on b alloc {names[0]} {MIB // 2}")
    assert shell.stat()["hits"] - before["hits"] == 1
    for name in names[1:]:
        took(shell, f"on b alloc {name} {MIB // 2}")
    stat = shell.stat()
    assert stat["failures"] == 0
    assert stat["driver_frees"] - before["driver_frees"] <= 1  # 512 bytes
    assert stat["hits"] - before["hits"] >= 14
    shell.end()


@pytest.mark.parametrize("limit", SCARCE)
def test_nothing_that_threads_keep_makes_a_request_fail(box, limit):
    """Blocks of other sizes, in several caches, make room."""
    shell = two_threads(box, **limit)
    took(shell, "on c set p")
    for i, thread in enumerate("abc"):
        size = MIB // 2 << i
        for _ in range(2):
            for name in "xy":
                took(shell, f"on {thread} alloc {name} {size}")
            for name in "xy":
                took(shell, f"on {thread} free {name}")
    for thread in "abc":
        lines(shell, f"on {thread} alloc x {7 * MIB}", f"on {thread} free x")
    assert shell.stat()["failures"] == 0
    assert shell.stat()["live_bytes"] == 0
    shell.end()


COUNT = 60


def misses_of_another(box, **options):
    """How many of COUNT requests are misses, after another thread has freed
    COUNT blocks."""
    shell = two_threads(box, **options)
    names = [f"n{i}" for i in range(COUNT)]
    for _ in range(2):
        for name in names:
            took(shell, f"on a alloc {name} {SPAN}")
        for name in names:
            took(shell, f"on a free {name}")
    before = shell.stat()
    assert before["idle_bytes"] >= COUNT * SPAN
    for name in names:
        took(shell, f"on b alloc {name} {SPAN}")
    misses = shell.stat()["misses"] - before["misses"]
    shell.end()
    return misses


@pytest.mark.parametrize("kept", [0, 1, 8, 20])
def test_a_thread_keeps_no_more_than_the_option_says(box, kept):
    assert misses_of_another(box, thread_cache=kept * SPAN) <= kept


def test_a_thread_keeps_what_it_has_freed(box):
    assert misses_of_another(box) >= COUNT / 2


# Figures.

@pytest.mark.parametrize("seed", range(3))
def test_the_figures_of_one_thread_are_exact(box, seed):
    draw = random.Random(seed)
    shell = driver_shell(box)
    live, idle, reserved = {}, {}, 0
    want = dict.fromkeys(FIGURES, 0)
    for turn in range(150):
        if live and draw.random() < 0.5:
            name = draw.choice(sorted(live))
            size, span = live.pop(name)
            took(shell, f"free {name}")
            idle[span] = idle.get(span, 0) + 1
            want["frees"] += 1
            want["live_bytes"] -= size
            want["idle_bytes"] += span
        else:
            size = draw.choice([100, 4000, 4096, 5000, 40000])
            span = -(-size // SPAN) * SPAN
            took(shell, f"alloc n{turn} {size}")
            live[f"n{turn}"] = size, span
            want["allocs"] += 1
            want["live_bytes"] += size
            want["live_peak"] = max(want["live_peak"], want["live_bytes"])
            if idle.get(span):
                idle[span] -= 1
                want["hits"] += 1
                want["idle_bytes"] -= span
            else:
                reserved += span
        if turn % 10 == 0:
            assert figures(shell) == want
    assert figures(shell) == want
    assert shell.stat()["reserved_bytes"] == reserved
    shell.end()
    assert box.stat()["live_peak"] == want["live_peak"]
    assert want["hits"] > 20


def test_the_peak_of_one_thread_is_exact_on_the_fast_path(box):
    shell = driver_shell(box)
    names = [f"n{i}" for i in range(8)]
    for _ in range(2):
        for name in names:
            took(shell, f"alloc {name} {SPAN}")
        for name in names:
            took(shell, f"free {name}")
    took(shell, f"alloc m {5 * MIB}")
    for i, name in enumerate(names):
        took(shell, f"alloc {name} {SPAN}")
        assert shell.stat()["live_peak"] == 5 * MIB + (i + 1) * SPAN
    for name in names:
        took(shell, f"free {name}")
    assert shell.stat()["live_peak"] == 5 * MIB + len(names) * SPAN
    shell.end()


def test_figures_are_sums_over_the_threads(box):
    shell = two_threads(box)
    base = figures(shell)
    for _ in range(2):
        for i in range(6):
            took(shell, f"on {'ab'[i % 2]} alloc n{i} {SPAN * (1 + i % 2)}")
        for i in range(6):  # taken by the other thread
            took(shell, f"on {'ba'[i % 2]} free n{i}")
    now = figures(shell)
    assert now["allocs"] - base["allocs"] == 12
    assert now["frees"] - base["frees"] == 12
    assert now["allocs"] == now["hits"] + shell.stat()["misses"]
    assert now["live_bytes"] == 0
    assert now["idle_bytes"] == shell.stat()["reserved_bytes"]
    assert now["live_peak"] == 9 * SPAN
    shell.end()
    assert box.stat()["allocs"] == now["allocs"]


# What makes every call take the slow path.

def test_a_free_while_another_thread_captures_is_held(box):
    shell = two_threads(box)
    lines(shell, f"on b alloc x {SPAN}", f"on b alloc y {SPAN}",
          "on b free y", f"on b alloc y {SPAN}")
    warm(shell, SPAN, "b")
    lines(shell, "on a stream s", "on a capture s")
    for count, name in enumerate("xy"):
        took(shell, f"on b free {name}")
        assert shell.stat()["held_blocks"] == count + 1
    took(shell, f"on b alloc z {SPAN}")
    assert shell("addr z") not in (shell("addr x"), shell("addr y"))
    lines(shell, "on a capture_end s", "on b free z")
    assert shell.stat()["held_blocks"] == 0
    warm(shell, SPAN, "b")
    shell.end()


def test_a_swap_takes_what_threads_keep_along(box):
    shell = two_threads(box, device_idle=0)
    for thread in "ab":
        took(shell, f"on {thread} alloc {thread} {SPAN}")
        warm(shell, 2 * SPAN, thread)
    idle = shell.stat()["idle_bytes"]
    assert idle >= 3 * SPAN
    shell.ask("swap no_pool")
    assert shell.stat()["pending_bytes"] == idle
    lines(shell, "on a free a", "on b free b")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    assert stat["retired_bytes"] == stat["live_bytes"] == 0
    shell.ask("swap page_unit_pool")
    for thread in "ab":
        warm(shell, SPAN, thread)
    shell.end()
    assert box.stat()["live_bytes"] == 0


def test_a_trim_takes_what_threads_keep_along(box):
    shell = two_threads(box)
    for thread in "ab":
        warm(shell, SPAN, thread)
    took(shell, "on a alloc x 512")
    shell.ask("trim")
    took(shell, "on a free x")
    stat = shell.stat()
    assert stat["pending_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"] == SPAN
    shell.end()


@pytest.mark.parametrize("quarantine", ["auto", "32M"])
def test_level_sync_waits_in_each_free_of_a_thread_with_a_cache(box,
                                                                quarantine):
    shell = two_threads(box, quarantine=quarantine)
    lines(shell, "on a stream s", f"on a alloc x {SPAN}",
          f"on a alloc y {SPAN}")
    warm(shell, SPAN, "a")
    shell.ask("set fence sync")
    syncs = shell.stat()["syncs"]
    lines(shell, "on a linger s", "on a free x", "on a free y")
    assert shell.stat()["syncs"] == syncs + 2
    shell.ask("set fence fence")
    lines(shell, f"on a alloc x {SPAN}", "on a free x")
    assert shell.stat()["syncs"] == syncs + 2
    shell.end()


def test_pinned_memory_that_waits_goes_back_in_the_next_free(box):
    """The free is one of device memory, by a thread that has a cache."""
    shell = driver_shell(box, device_idle=0)
    lines(shell, "pin h 65536 0", "unpin h")
    warm(shell)
    shell.ask("trim --device host")
    assert shell.stat("host")["pending_bytes"] == 65536
    took(shell, f"pairs {SPAN} 1")
    assert shell.stat("host")["pending_bytes"] == 0
    shell.end()


def test_on_a_device_that_has_failed_every_call_is_cudas(box):
    shell = two_threads(box, sim_lost="cuCtxSynchronize:1:700", **AT_ONCE)
    for thread in "ab":
        took(shell, f"on {thread} alloc {thread} {SPAN}")
        warm(shell, 2 * SPAN, thread)
    took(shell, "on a sync", "700")
    before = figures(shell)
    for thread in "ab":
        took(shell, f"on {thread} alloc n {2 * SPAN}", "700")
        took(shell, f"on {thread} free {thread}", "700")
    assert figures(shell) == before
    shell.end()


@forks_only_without_asan
def test_a_child_has_no_caches_and_leaves_its_parents_alone(box):
    shell = driver_shell(box)
    warm(shell)
    before = figures(shell)
    took(shell, f"fork alloc a {SPAN}", "3")
    assert shell.read() == "ended 0"
    took(shell, f"alloc a {SPAN}")
    took(shell, "fork free a", "3")
    assert shell.read() == "ended 0"
    took(shell, "free a")
    after = figures(shell)
    assert after["hits"] == before["hits"] + 1
    assert after["idle_bytes"] == before["idle_bytes"]
    shell.end()


# One life of a block, and the next.

@pytest.mark.parametrize("cache", ["64M", "0"])
def test_each_life_of_a_block_has_a_buffer_id_of_its_own(box, cache):
    shell = driver_shell(box, thread_cache=cache)
    warm(shell)
    seen = []
    for _ in range(4):
        took(shell, f"alloc a {SPAN}")
        seen.append((shell("addr a"), took(shell, "buffer a 0")))
        assert took(shell, "buffer a 0") == seen[-1][1]
        took(shell, "free a")
        assert took(shell, "buffer a 0", "1")
        warm(shell)  # lives that nobody asked about
    assert len({addr for addr, _ in seen}) == 1
    assert len({name for _, name in seen}) == 4
    took(shell, f"pairs {SPAN} 1000")
    shell.end()
    if cache != "0":
        assert box.report()[0]["cuCtxGetCurrent"] < 100  # fast again


def test_a_block_whose_handle_was_exported_is_not_kept(box):
    shell = driver_shell(box)
    warm(shell)
    lines(shell, f"alloc a {SPAN}", "export a 0", "free a")
    assert shell.stat()["idle_bytes"] == shell.stat()["reserved_bytes"] == 0
    warm(shell)
    shell.end()


# Contexts.

@pytest.mark.parametrize("size", [SPAN, 2 * MIB])
def test_a_context_that_another_thread_destroys_serves_no_more(box, size):
    shell = driver_shell(box, **AT_ONCE)
    lines(shell, "create x 0", "on a set x")
    warm(shell, size, "a")
    lines(shell, f"on a alloc m {size}", f"on a alloc n {size}", "on a free n")
    native = box.shell(None, "driver")
    lines(native, "init", "create x 0", "on a set x", f"on a alloc m {size}",
          "destroy x", "set p")
    took(shell, "destroy x")
    stat = shell.stat()
    assert stat["live_bytes"] == stat["idle_bytes"] == 0
    for line in (f"on a alloc o {size}", "on a free m"):
        assert shell(line) == native(line) != "0 set"
    took(shell, "create y 0")
    lines(shell, "on a set y", f"on a alloc m {size}", f"on a alloc n {size}")
    for name in "mn":
        assert shell(f"owner {name} y") == "0 it 0"
    lines(shell, "on a free m", "on a free n")
    assert shell.stat()["live_bytes"] == 0
    native.end()
    shell.end()


def ready(shell):
    """Makes the next two requests fast: their blocks are safe."""
    lines(shell, f"alloc r {SPAN}", f"alloc s {SPAN}", "free r", "free s",
          "sync")


def two_devices(box):
    """Contexts x and y of devices 0 and 1. The thread is warm in both, and x
    is current."""
    shell = box.shell("page_unit_pool", "driver", devices=2, **AT_ONCE)
    lines(shell, "init", "retain x 0", "retain y 1")
    for name in "yx":
        lines(shell, f"set {name}", f"alloc keep_{name} {SPAN}")
        ready(shell)
    return shell


def assert_owner(shell, context, device):
    """Asserts it of two requests in a row, the first included."""
    for name in ("m", "n"):
        took(shell, f"alloc {name} {SPAN}")
        assert shell(f"owner {name} {context}") == f"0 it {device}"
    lines(shell, "free m", "free n")
    ready(shell)


DOORS = {
    "set": (["set y"], ["set x"]),
    "push": (["push y"], ["pop y"]),
    "old push": (["context_by cuCtxPushCurrent y"], ["pop_by cuCtxPopCurrent"]),
    "set and push": (["set none", "push y"], ["set none", "set x"]),
    "push twice": (["push x", "push y"], ["pop y", "pop x"]),
}


@pytest.mark.parametrize("door", DOORS)
def test_memory_is_of_the_context_that_a_door_has_made_current(box, door):
    there, back = DOORS[door]
    shell = two_devices(box)
    for _ in range(2):
        lines(shell, *there)
        assert_owner(shell, "y", 1)
        lines(shell, *back)
        assert_owner(shell, "x", 0)
    shell.end()
    for device in (0, 1):
        assert box.stat(device)["live_bytes"] == SPAN


@pytest.mark.parametrize("version", ["cuCtxCreate", "cuCtxCreate_v2"])
@pytest.mark.parametrize("end", ["cuCtxDestroy", "cuCtxDestroy_v2"])
def test_memory_is_of_a_context_that_was_just_made_and_then_not(box, version,
                                                                end):
    shell = two_devices(box)
    took(shell, f"create_by {version} z 1")
    assert_owner(shell, "z", 1)
    took(shell, f"context_by {end} z")  # and x is current again
    assert_owner(shell, "x", 0)
    shell.end()


def test_memory_after_a_detach_is_of_the_context_below(box):
    shell = two_devices(box)
    took(shell, "create z 1")
    assert_owner(shell, "z", 1)
    took(shell, "context_by cuCtxDetach z")
    assert_owner(shell, "x", 0)
    shell.end()


def test_memory_of_a_green_context_is_its_primary_ones(box):
    shell = two_devices(box)
    lines(shell, "set y", "green g", "green_set g")
    assert_owner(shell, "x", 0)
    took(shell, "set y")
    assert_owner(shell, "y", 1)
    lines(shell, "green_set g", "set y", "green_destroy g")
    assert_owner(shell, "y", 1)
    shell.end()


def test_a_green_context_that_another_thread_destroys_serves_no_more(box):
    answers = []
    for pool in ("page_unit_pool", None):
        shell = box.shell(pool, "driver", **AT_ONCE)
        lines(shell, "init", "retain p 0", "green g", "on a green_set g")
        warm(shell, SPAN, "a")
        took(shell, "green_destroy g")
        answers.append(shell(f"on a alloc m {SPAN}"))
        shell.end()
    assert answers[0] == answers[1] != "0 set"


@pytest.mark.parametrize("end", ["release 0", "primary_reset 0"])
@pytest.mark.parametrize("thread", ["", "on a "])
def test_memory_of_a_primary_context_that_has_ended_is_not_served(box, end,
                                                                  thread):
    shell = two_devices(box)
    lines(shell, thread + end)
    native = box.shell(None, "driver")
    lines(native, "init", "retain x 0", "set x", end)
    assert shell(f"alloc m {SPAN}") == native(f"alloc m {SPAN}")
    assert shell.stat(0)["idle_bytes"] == shell.stat(0)["live_bytes"] == 0
    lines(shell, "retain x 0", "set x")
    assert_owner(shell, "x", 0)
    lines(shell, "set y")
    assert_owner(shell, "y", 1)
    native.end()
    shell.end()


def test_a_door_that_is_not_seen_is_noticed_and_allowed_for(box):
    """The next request that the cache does not serve notices it. From then on
    each request does."""
    shell = two_devices(box)
    took(shell, "set_unseen y")
    took(shell, f"alloc other {5 * MIB}")
    assert shell("owner other y") == "0 it 1"
    assert_owner(shell, "y", 1)
    for context, device in (("x", 0), ("y", 1)) * 2:
        took(shell, f"set_unseen {context}")
        assert_owner(shell, context, device)
    shell.end()


def test_a_block_is_freed_while_another_context_is_current(box):
    shell = two_devices(box)
    for there, device in (("y", 0), ("x", 1)):
        took(shell, f"alloc m {SPAN}")
        took(shell, f"set {there}")
        took(shell, "free m")
        assert shell.stat(device)["live_bytes"] == SPAN  # keep_x and keep_y
        assert_owner(shell, there, 1 - device)
    shell.end()


@pytest.mark.parametrize("doubt", [None, "table", "door cuFutureWork"])
def test_the_driver_is_asked_for_the_context_only_where_it_may_change_unseen(
        box, doubt):
    with_other_driver(box)
    asked = []
    for pairs in (100, 1100):
        shell = driver_shell(box, sim=T4)
        warm(shell)
        if doubt:
            shell(doubt)
        took(shell, f"pairs {SPAN} {pairs}")
        shell.end()
        asked.append(box.report()[0]["cuCtxGetCurrent"])
    if doubt:
        assert asked[1] - asked[0] >= 1000
    else:
        assert asked[0] == asked[1] < 10


@pytest.mark.parametrize("doubt", [None, "table"])
def test_another_threads_doubt_is_everyones(box, doubt):
    shell = two_threads(box, **AT_ONCE)
    warm(shell, SPAN, "a")
    if doubt:
        shell(f"on b {doubt}")
    took(shell, f"on a pairs {SPAN} 500")
    shell.end()
    asked = box.report()[0]["cuCtxGetCurrent"]
    assert asked >= 500 if doubt else asked < 100


# What a pair costs, and many threads at once.

@plain_build_only
@pytest.mark.parametrize("pool,classes", [
    ("page_unit_pool", "linear"), ("page_unit_pool", 8),
    ("naive_pool", "linear"), ("round_pool", "linear")])
def test_a_warm_pair_makes_no_call_of_the_driver_or_the_system(box, pool,
                                                               classes):
    """It takes no memory of the host either. It takes a lock only once in 256
    requests, to look at the other threads' bytes."""
    reports = []
    for pairs in (100, 50000):
        done = box.run([program("warm_pairs"), str(pairs)], pool,
                       size_classes=classes)
        words = done.stdout.split()
        assert words[2:] == ["mallocs", "0", "errors", "0"]
        assert int(words[1]) <= 2 * (pairs // 256 + 1)
        reports.append(box.report())
    assert reports[0] == reports[1]
    assert box.stat()["hits"] > 50000


@plain_build_only
def test_a_pair_is_warm_again_once_the_index_has_grown(box):
    """The room of a cache stays the same, as a change of it would refresh the
    cache as well."""
    done = box.run([program("warm_pairs"), "10000", "9000"], "page_unit_pool",
                   idle_limit="off")
    assert int(done.stdout.split()[1]) <= 2 * (10000 // 256 + 1)


def relay(box, **options):
    shell = box.start([program("relay"), "6", "400"], "page_unit_pool",
                      **options)
    assert shell.read() == "ready"
    started(box, shell)
    return shell


def assert_relayed(box, shell):
    sums = summary(box, shell)
    assert sums["wrong"] == sums["errors"] == 0
    assert sums["freed"] > sums["own"] > 0  # most were freed by another thread
    assert_all_came_back(box.stat())
    assert box.report()[1][0]["live_allocs"] == (
        box.stat()["driver_allocs"] - box.stat()["driver_frees"])


RELAYS = [{}, {"thread_cache": 0}, {"thread_cache": "16K"},
          {"pool_limit": "1M"}, {"quarantine": 0}]


@pytest.mark.parametrize("options", RELAYS)
def test_threads_that_come_and_go_hand_blocks_to_each_other(box, options):
    assert_relayed(box, relay(box, **options))
    assert box.stat()["hits"] > 0


def test_whatever_is_changed_while_threads_hand_blocks_on_loses_nothing(box):
    shell = relay(box)
    for turn in range(10 if SANITIZERS else 60):
        for request in ("set fence sync", "trim", "set quarantine 64K",
                        "set fence fence", "swap no_pool",
                        "swap page_unit_pool", "set quarantine auto"):
            answer = shell.ask(request)
            assert "error" not in answer, (turn, request, answer)
    assert_relayed(box, shell)
