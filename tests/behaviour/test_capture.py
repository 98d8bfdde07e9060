"""Captures of streams, and the graphs that come from them."""

import pytest

from conftest import MIB
from test_fence import POOL, calls_of, cycle
from test_pool import open_shell, took

MODES = ["global", "thread", "relaxed"]


def opened(box, **options):
    shell = open_shell(box, POOL, "driver", **options)
    took(shell, "stream s")
    return shell


def lines(shell, *each):
    for line in each:
        took(shell, line)


def captured(shell, *inside):
    """Captures a fill of block a: graph g."""
    lines(shell, "alloc a 5000", "begin s relaxed", "stream_fill s a 7",
          *inside, "end s g")


@pytest.mark.parametrize("mode", MODES)
def test_allocations_and_frees_do_not_end_a_capture(box, mode):
    """Without mnm the first of them would end it."""
    shell = opened(box)
    lines(shell, "alloc a 5000", "alloc b 6000", "free b", "alloc keep 20000",
          f"begin s {mode}", "stream_fill s a 7")
    lines(shell, "alloc b 6000", "alloc c 70000", f"alloc d {4 * MIB}",
          "free b", "free c", "alloc e 6000", "free e", "free d")
    lines(shell, "end s g", "instantiate g x", "launch x s", "stream_sync s")
    assert shell("check a 7").endswith("right")
    shell.end()
    assert calls_of(box, "cuCtxSynchronize", "cuCtxRecordEvent") == [0, 0]


@pytest.mark.parametrize("level", ["fence", "sync"])
def test_a_block_freed_in_a_capture_is_not_reused_while_it_lasts(box, level):
    shell = opened(box, fence=level)
    lines(shell, "alloc a 5000", "begin s global", "free a", "alloc b 5000")
    assert shell("addr a") != shell("addr b")
    assert shell.stat()["held_blocks"] == 1
    assert shell.stat()["held_bytes"] == 8192
    lines(shell, "end s g")
    assert shell.stat()["held_blocks"] == 1  # the graph still exists
    shell.end()


@pytest.mark.parametrize("uses", [
    [], ["instantiate g x", "exec_destroy x"], ["clone g h",
                                                "graph_destroy h"],
    ["clone g h", "instantiate h x", "graph_destroy h", "exec_destroy x"],
])
def test_with_the_last_graph_its_blocks_come_back(box, uses):
    shell = opened(box)
    captured(shell, "free a")
    for line in uses:
        took(shell, line)
        assert shell.stat()["held_blocks"] == 1
    took(shell, "graph_destroy g")
    assert shell.stat()["held_blocks"] == shell.stat()["held_bytes"] == 0
    assert shell.stat()["idle_bytes"] == 8192
    took(shell, "alloc b 5000")
    assert shell("addr a") == shell("addr b")
    shell.end()
    assert box.stat()["fences"] == 1


def test_an_executable_outlives_its_graph(box):
    shell = opened(box)
    captured(shell, "free a")
    lines(shell, "instantiate g x", "graph_destroy g")
    assert shell.stat()["held_blocks"] == 1
    took(shell, "exec_destroy x")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_block_that_a_graph_held_waits_for_a_fence_of_its_own(box):
    """A fence since its free came before the graph's last launch."""
    shell = opened(box)
    captured(shell, "free a")
    lines(shell, "instantiate g x", "alloc c 70000", "free c", "alloc c 70000")
    assert shell.stat()["fences"] == 1
    lines(shell, "launch x s", "exec_destroy x", "graph_destroy g",
          "alloc b 5000")
    assert shell("addr a") == shell("addr b")
    assert shell.stat()["fences"] == 2
    shell.end()


@pytest.mark.parametrize("use,end", [("parent g p", "graph_destroy p"),
                                     ("update y g", "exec_destroy y")])
def test_what_got_a_graphs_nodes_holds_its_blocks(box, use, end):
    shell = opened(box)
    captured(shell)
    lines(shell, "instantiate g y", "graph_destroy g", "begin s relaxed",
          "stream_fill s a 8", "free a", "end s g", use, "graph_destroy g")
    assert shell.stat()["held_blocks"] == 1
    took(shell, end)
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_graph_captured_into_again_holds_the_blocks_of_both(box):
    shell = opened(box)
    captured(shell, "free a")
    lines(shell, "alloc b 5000", "begin_into s relaxed g", "stream_fill s b 8",
          "free b", "end s g")
    assert shell.stat()["held_blocks"] == 2
    took(shell, "graph_destroy g")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_capture_ends_with_the_thread_whose_stream_it_is_of(box):
    shell = opened(box)
    lines(shell, "alloc a 5000", "thread set primary; begin_own thread")
    assert [shell.read(), shell.read()] == ["0", "joined"]
    took(shell, "free a")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_updates_again_and_again_hold_the_last_graphs_blocks_only(box):
    shell = opened(box)
    captured(shell)
    lines(shell, "instantiate g y", "graph_destroy g", "free a")
    for _ in range(5):
        lines(shell, "alloc b 5000", "begin s relaxed", "stream_fill s b 8",
              "free b", "end s g", "update y g", "graph_destroy g")
        assert shell.stat()["held_blocks"] == 1
    shell.end()


def test_held_blocks_go_to_the_driver_when_memory_is_short(box):
    shell = opened(box, sim="16M")
    lines(shell, f"alloc big {10 * MIB}", "begin s relaxed", "free big",
          "end s g")
    assert shell.stat()["held_bytes"] == 10 * MIB
    took(shell, f"alloc other {12 * MIB}")
    assert shell.stat()["held_blocks"] == 0
    took(shell, "graph_destroy g")
    shell.end()
    assert box.stat()["failures"] == 0


def test_in_a_capture_idle_memory_goes_back_only_when_it_is_short(box):
    shell = opened(box, sim="16M")
    lines(shell, f"alloc a {10 * MIB}", "free a", "begin s global")
    assert shell.ask("trim")["devices"][0]["idle_bytes"] == 10 * MIB
    lines(shell, "alloc small 9000", "free small")
    assert shell.stat()["pending_bytes"] == 10 * MIB
    took(shell, f"alloc b {12 * MIB}")
    lines(shell, "stream_fill s b 5", "end s g", "instantiate g x",
          "launch x s", "stream_sync s")
    assert shell("check b 5").endswith("right")
    shell.end()
    assert box.stat()["failures"] == 0


@pytest.mark.parametrize("pool", [None, POOL])
@pytest.mark.parametrize("mode", MODES)
def test_blocks_freed_in_a_capture_that_is_on_make_room(box, pool, mode):
    """Without mnm they make room at once, if the capture's mode allows a
    free."""
    shell = open_shell(box, pool, "driver", sim="16M")
    lines(shell, "stream s", f"alloc a {10 * MIB}", f"begin s {mode}",
          "stream_fill s a 5")
    if pool or mode == "relaxed":
        lines(shell, "free a", f"alloc b {12 * MIB}", "end s g", "free b")
    shell.end()
    assert not pool or box.stat()["held_blocks"] == box.stat()["failures"] == 0


def test_what_is_held_counts_as_free(box):
    shell = opened(box)
    free = shell("info")
    lines(shell, f"alloc a {4 * MIB}", "begin s relaxed", "free a", "end s g")
    assert shell.stat()["held_blocks"] == 1
    assert shell("info") == free
    shell.end()


def test_pinned_blocks_freed_in_a_capture_that_is_on_make_room(box):
    shell = opened(box, sim_pinned="16M")
    lines(shell, f"pin a {10 * MIB} 0", "begin s relaxed", "unpin a",
          f"pin b {12 * MIB} 0", "end s g", "unpin b")
    shell.end()


@pytest.mark.parametrize("ends", [
    ["green_destroy g"],
    ["green_destroy h", "release 0", "green_destroy g", "retain primary 0",
     "set primary"],
    ["stream_destroy s"],
])
def test_a_capture_in_a_green_contexts_stream_ends_with_that(box, ends):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "green g", "green h", "green_stream s g", "begin s relaxed",
          "alloc a 5000", "free a")
    assert shell.stat()["held_blocks"] == 1
    for line in ends:
        took(shell, line)
    assert shell.stat()["held_blocks"] == 0
    first, second = cycle(shell, 2)
    assert first == second
    shell.end()


def test_a_green_contexts_end_leaves_captures_of_others(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "green g", "green h", "green_stream s g", "stream t",
          "begin s relaxed", "begin t relaxed", "alloc a 5000", "free a",
          "green_destroy h")
    assert shell.stat()["held_blocks"] == 1
    took(shell, "green_destroy g")
    assert shell.stat()["held_blocks"] == 1
    lines(shell, "end t x", "graph_destroy x")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_capture_in_a_green_context_ends_with_the_thread(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "green g", "alloc a 5000",
          "thread green_set g; begin_own thread")
    assert [shell.read(), shell.read()] == ["0", "joined"]
    took(shell, "free a")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


@pytest.mark.parametrize("first", ["primary", "other"])
@pytest.mark.parametrize("other", ["create other 0", "green other"])
def test_a_threads_stream_is_another_one_in_each_context(box, other, first):
    """The end of one capture does not end the other."""
    shell = open_shell(box, POOL, "driver")
    uses = ["set primary",
            "green_set other" if "green" in other else "set other"]
    last, then = uses if first == "other" else reversed(uses)
    lines(shell, other, "own s", "set primary", "begin s relaxed", uses[1],
          "begin s relaxed", then, "end s g", "graph_destroy g",
          "set primary", "alloc a 5000", "free a")
    assert shell.stat()["held_blocks"] == 1
    lines(shell, last, "end s g", "graph_destroy g")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_second_capture_keeps_what_the_first_held(box):
    shell = opened(box)
    lines(shell, "stream t", "alloc a 5000", "begin s relaxed",
          "begin t relaxed", "free a", "end s g", "graph_destroy g")
    assert shell.stat()["held_blocks"] == 1
    lines(shell, "end t h", "graph_destroy h")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_capture_that_fails_to_begin_or_end_leaves_nothing_behind(box):
    shell = opened(box)
    took(shell, "begin s relaxed")
    assert shell("begin s relaxed") != "0"
    took(shell, "end s g")
    assert shell("end s g") != "0"
    first, second = cycle(shell, 2)
    assert first == second  # fences are made again
    shell.end()


def test_a_capture_ends_with_its_stream_or_its_context(box):
    shell = opened(box)
    lines(shell, "begin s relaxed")
    shell("stream_destroy s")
    first, second = cycle(shell, 2)
    assert first == second
    lines(shell, "create other 0", "stream t", "begin t relaxed",
          "destroy other", "set primary", "alloc b 9000", "free b")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_no_pool_in_a_capture_does_what_cuda_does(box):
    native = open_shell(box, None, "driver")
    took(native, "stream s")
    lines(native, "alloc a 5000", "begin s global")
    wanted = native("free a"), native("end s g")
    native.end()
    shell = open_shell(box, "no_pool", "driver")
    took(shell, "stream s")
    lines(shell, "alloc a 5000", "begin s global")
    assert (shell("free a"), shell("end s g")) == wanted
    shell.end()
