"""What hardly ever happens to a program, and what it gets then."""

import json
import os
import select

import pytest

from conftest import (DEADLINE, LIBRARY, KINDS, MIB, forks_only_without_asan,
                      last_calls_only_without_tsan, plain_build_only)
from test_capture import captured, lines, opened
from test_doctor import compiled
from test_order import T4, figures, ordered, use, with_other_driver
from test_pool import open_shell, took
from test_visits import end_in_order, gates, late

POOL = "page_unit_pool"


def same_answers(box, script, **options):
    """Runs the script without mnm and under it. Returns the answers, which
    have to be the same."""
    answers = []
    for pool in (None, POOL):
        shell = open_shell(box, pool, "driver", **options)
        answers.append([(line, shell(line)) for line in script])
        shell.end()
    assert answers[0] == answers[1]
    return [answer for _, answer in answers[0]]


# Graphs that hold blocks.

def test_a_capture_into_a_graph_that_frees_nothing_leaves_what_it_holds(box):
    shell = opened(box)
    captured(shell, "free a")
    lines(shell, "alloc b 5000", "begin_into s relaxed g", "stream_fill s b 8",
          "end s g")
    assert shell.stat()["held_blocks"] == 1
    took(shell, "graph_destroy g")
    assert shell.stat()["held_blocks"] == 0
    shell.end()


def test_a_block_of_a_swapped_out_pool_goes_back_with_its_graph(box):
    shell = opened(box)
    captured(shell, "free a")
    shell.ask("swap no_pool")
    stat = shell.stat()
    assert (stat["held_blocks"], stat["driver_frees"]) == (1, 0)
    lines(shell, "graph_destroy g", "alloc b 5000", "free b")
    stat = shell.stat()
    assert (stat["held_blocks"], stat["retired_bytes"]) == (0, 0)
    assert (stat["reserved_bytes"], stat["driver_frees"]) == (0, 2)
    shell.end()
    assert box.report()[1][0]["live_allocs"] == 0


def test_a_capture_whose_end_and_state_fail_ends_nothing_else(box):
    script = ["stream s", "alloc a 5000", "begin s relaxed",
              "stream_fill s a 7", "free a", "end s g", "end s g",
              "alloc b 5000", "fill b 8", "check b 8", "graph_destroy g"]
    answers = same_answers(box, script, fail="cuStreamEndCapture:1:999,"
                           "cuStreamIsCapturing:1:999")
    assert answers[5:7] == ["999", "0"] and answers[9] == "0 right"


# Limits and room.

def test_a_lower_bound_of_idle_memory_is_for_devices(box):
    """The context has pinned memory as well, which is not bounded."""
    shell = open_shell(box, POOL, "driver", idle_limit="off")
    for i in range(4):
        took(shell, f"alloc i{i} {8 * MIB}")
        took(shell, f"pin p{i} {MIB} 0")
    for i in range(4):
        took(shell, f"free i{i}")
        took(shell, f"unpin p{i}")
    pinned = shell.stat("host")["idle_bytes"]
    shell.ask("set idle_limit 16M")
    lines(shell, "alloc a 5000", "free a")
    assert shell.stat()["idle_bytes"] <= 16 * MIB
    assert shell.stat("host")["idle_bytes"] == pinned == 4 * MIB
    shell.end()


@pytest.mark.parametrize("what, entry, code", [
    ("library", "cuLibraryLoadData", "0"), ("module", "cuModuleLoadData",
                                            "201")])
def test_a_call_in_no_context_gets_what_is_idle_anywhere(box, what, entry,
                                                         code):
    """Memory goes back whatever the call returns in the end."""
    shell = open_shell(box, POOL, "driver", fail=f"{entry}:1:2")
    lines(shell, f"alloc a {60 * MIB}", "free a", "set none")
    assert shell(f"open {what}") == code
    assert shell.stat()["idle_bytes"] == 0
    shell.end()


def test_a_device_that_does_not_tell_its_size_is_served(box):
    shell = open_shell(box, POOL, "driver", fail="cuDeviceTotalMem_v2:1+:999")
    took(shell, "mix")
    for value in range(1, 8):
        use(shell, "zero", 3, value=value)
        took(shell, "alloc a 5000")
        took(shell, f"fill a {value}")
        assert shell(f"check a {value}").endswith("right")
        took(shell, "free a")
    shell.end()
    assert box.stat()["hits"] > 0 and box.report()[1][0]["live_allocs"] == 1


# Codes of CUDA's.

@pytest.mark.parametrize("form", ["driver", "shared"])
def test_a_block_that_was_freed_is_not_freed_in_a_stream(box, form):
    answers = []
    line = "free_async a zero" if form == "driver" else "free_async a"
    for pool in (None, POOL):
        shell = open_shell(box, pool, form)
        lines(shell, "alloc a 5000", "free a")
        answers.append(shell(line))
        lines(shell, "alloc b 5000", "fill b 3")
        assert shell("check b 3").endswith("right")
        shell.end()
    assert answers[0] == answers[1] and answers[0].split()[0] != "0"


def test_memory_exported_on_a_lost_device_gets_cudas_code(box):
    script = ["alloc a 5000", "fill a 1", "sync", "export a 0", "free a"]
    answers = same_answers(box, script, sim_lost="cuMemsetD8_v2:1:700")
    assert answers == ["0 set", *4 * ["700"]]


def test_memory_exported_beside_a_capture_is_not_reused(box):
    shell = opened(box)
    lines(shell, "alloc a 5000", "begin s relaxed", "export a 0", "end s g",
          "free a", "alloc b 5000")
    shell.end()
    assert box.stat()["hits"] == 0
    assert box.report()[0]["cuMemFree_v2"] == 1


def test_exported_memory_is_not_reused_where_nothing_is_waited_for(box):
    shell = open_shell(box, POOL, "driver", fence="none", force=1)
    lines(shell, "alloc a 5000", "export a 0", "free a", "alloc b 5000",
          "free b", "alloc c 5000")
    shell.end()
    assert (box.stat()["hits"], box.stat()["syncs"]) == (1, 0)


def test_a_green_context_that_mnm_could_not_note_serves_the_program(box):
    """The primary context can't be retained once more."""
    script = ["alloc a 5000", "free a", "green g", "green_stream s g",
              "alloc b 5000", "stream_fill s b 7", "stream_sync s",
              "check b 7", "green_destroy g", "alloc c 5000", "fill c 5",
              "check c 5"]
    shell = open_shell(box, POOL, "driver")
    lines(shell, *script)
    shell.end()
    retains = box.report()[0]["cuDevicePrimaryCtxRetain"]
    for number in range(2, retains + 1):
        shell = open_shell(box, POOL, "driver",
                           fail=f"cuDevicePrimaryCtxRetain:{number}:2")
        answers = [shell(line) for line in script]
        shell.end()
        assert answers[7] == answers[11] == "0 right", number


@pytest.mark.parametrize("name", ["curandCreateGenerator", "cublasCreate_v2",
                                  "cu", "c", "cuda", "cudaNothing", "cuNothing"])
def test_what_is_no_entry_of_cudas_is_not_there(box, name):
    answers = []
    for pool in (None, POOL):
        shell = open_shell(box, pool)
        lines(shell, "alloc a 5000")
        answers.append(shell(f"installed {name}"))
        shell.end()
    assert answers == 2 * ["no error"]


@plain_build_only
def test_without_a_runtime_its_calls_are_refused(box):
    """The program has no library of CUDA's, only ours."""
    path = compiled(box, "host", """
        int cudaMalloc(void **, unsigned long), cudaFree(void *);
        int main(void)
        {
                void *ptr = &ptr;

                return cudaMalloc(&ptr, 100) != 3 || ptr != &ptr ||
                       cudaFree(0) != 3;
        }
        """, LIBRARY, "-Wl,-rpath," + os.path.dirname(LIBRARY))
    assert box.run([path], POOL, preload=False).stderr == ""


@plain_build_only
def test_what_an_old_runtime_lacks_is_refused(box):
    """CUDA before 11.2 has no such calls. A program that asks whether they are
    there by weak symbols finds ours."""
    old = compiled(box, "libcudart.so.11.0", """
        int cudaMalloc(void **at, unsigned long size)
        { return !at + (int)size * 0; }
        int cudaFree(void *at) { return at && 0; }
        int cudaMemGetInfo(unsigned long *free, unsigned long *total)
        { return !free + !total; }
        int cudaRuntimeGetVersion(int *version)
        { *version = 11000; return 0; }
        """, "-shared", "-fPIC", "-Wl,-soname,libcudart.so.11.0")
    names = ["cudaMallocAsync", "cudaMallocAsync_ptsz",
             "cudaMallocFromPoolAsync", "cudaMallocFromPoolAsync_ptsz",
             "cudaFreeAsync", "cudaFreeAsync_ptsz"]
    calls = "".join(f"""
                if ({name})
                        printf("%d ", {name}(ptr, 100, 0, 0));"""
                    for name in names)
    weak = "".join(f"""
        __attribute__((weak)) int {name}(void *, unsigned long, void *,
                                         void *);""" for name in names)
    path = compiled(box, "host", """
        #include <stdio.h>
        int cudaFree(void *);""" + weak + """
        int main(void)
        {
                void *at = 0, *ptr = &at;

                cudaFree(0);""" + calls + """
                return 0;
        }
        """, old, "-Wl,-rpath," + os.path.dirname(old))
    assert box.run([path]).stdout == ""
    assert box.run([path], POOL).stdout == 6 * "801 "


# Entries that the headers lack.

def test_an_entry_that_only_asks_is_left_as_it_is(box):
    """Its name says that it only asks. That this one really copies goes
    unseen."""
    shell = late(with_other_driver(box), sim=T4,
                 before="future door cuFutureGetCopy 13000;")
    lines(shell, "set c1", "future_copy b y x", "wait b")
    assert shell("check y 9").endswith("right")
    lines(shell, "set c0", "wait a")
    shell.end()
    assert gates(box) == 0


def test_each_of_several_unknown_entries_is_the_one_that_was_found(box):
    shell = late(with_other_driver(box), sim=T4, before="door cuFutureWork;"
                 "door cuFutureCopy; future door cuFutureCopy 13000;")
    lines(shell, "set c1", "future_copy b q x", "wait b")
    end_in_order(box, shell)


def test_with_more_unknown_entries_than_are_seen_the_next_one_works(box):
    shell = ordered(with_other_driver(box), sim=T4)
    lines(shell, *[f"door cuFutureMany{i}" for i in range(300)],
          "future door cuFutureCopy 13000", "alloc x 5000", "alloc y 5000",
          "put x one 9", "future_copy one y x", "wait one")
    assert shell("check y 9").endswith("right")
    assert figures(shell)[0] == "fence"
    shell.end()


# Threads that end.

@last_calls_only_without_tsan
@pytest.mark.parametrize("before", ["init", "alloc b 70000", "free a"])
@pytest.mark.parametrize("pool", KINDS)
def test_a_threads_last_call_may_be_a_request(box, pool, before):
    """What mnm has for the thread has ended by then."""
    shell = open_shell(box, pool, "driver")
    lines(shell, "alloc a 5000", "on t set primary", f"on t {before}")
    live = shell.stat()["live_bytes"]
    assert shell("on t at_end alloc c 5000") == "later"
    assert shell("end_thread t") == "0 setended"
    assert shell.stat()["live_bytes"] == live + 5000
    lines(shell, "fill c 3", "alloc d 5000", "fill d 4")
    assert shell("check c 3").endswith("right")
    lines(shell, "free c", "free d")
    assert shell.stat()["live_bytes"] == live
    shell.end()


def test_and_may_reach_memory_of_any_device(box):
    """The fill of the freed block comes late: nobody else may have that memory
    yet."""
    shell = with_other_driver(box).shell(POOL, "driver", devices=2, sim=T4)
    lines(shell, "init", *[f"door cuFutureMany{i}" for i in range(300)],
          "future door cuFutureCopy 13000", "retain c1 1", "set c1",
          "stream b", f"alloc x {MIB}", "put x b 9", "wait b", "retain c0 0",
          "set c0", "stream a", "stream a2", f"alloc p {MIB}", "put p a2 0",
          "sync", "linger a", "put p a 1", "free p", f"alloc q {MIB}",
          "set c1", "future_copy b q x", "wait b", "set c0", "wait a")
    assert shell("check q 9").endswith("right")
    shell.end()


# Forked children.

@forks_only_without_asan
@pytest.mark.parametrize("pool", KINDS)
def test_a_childs_child_ends_well_too(box, pool):
    shell = open_shell(box, pool, "driver", devices=2)
    lines(shell, "alloc a 5000", "alloc b 5000", "free b", "create x 1",
          "alloc c 5000", "free c", "stream s", "visit batch s a a")
    shell("become_child")
    assert shell("fork_leave") == "ended 0"
    assert shell("visit batch s a a") == shell("visit batch s a a")
    assert shell("fork count").split()[0] == "3"
    assert shell.read() == "ended 0"
    shell.end()


# The control socket.

def control_thread(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as file:
            if file.read() == "mnm-control\n":
                return f"/proc/{pid}/task/{task}"
    raise AssertionError("no control thread")


def test_a_jobs_stderr_may_be_closed(box):
    shell = box.shell(POOL, log="info")
    lines(shell, "alloc a 5000", "free a")
    shell.ask("trim")
    assert box.stderr().count("asked to trim: done") == 1
    assert shell("close 2 2") == "closed"
    assert shell.ask("trim")["devices"][0]["idle_bytes"] < MIB
    lines(shell, "alloc a 5000", "fill a 3")
    assert shell("check a 3").endswith("right")
    shell.end()
    assert box.stderr().count("asked to trim") == 1


def test_statistics_wait_a_moment_for_a_slow_reader(box):
    """They get there as a whole or not at all, and the job ends well."""
    path = os.path.join(box.folder, "pipe")
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    filler = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    filled = os.write(filler, b"\n" * (1 << 20))
    os.close(filler)
    shell = box.shell(POOL, stat_file=path)
    took(shell, "alloc a 5000")
    shell.process.stdin.close()
    while shell.process.poll() is None:  # up to its write, which waits
        with open(f"/proc/{shell.pid}/wchan", encoding="utf-8") as file:
            if "poll" in file.read():
                break
    text = b""
    while select.select([reader], [], [], DEADLINE)[0]:
        got = os.read(reader, 65536)
        if not got:
            break
        text += got
    os.close(reader)
    assert shell.process.wait(DEADLINE) == 0
    if text[filled:]:
        assert json.loads(text)["devices"][0]["allocs"] == 1
    else:
        assert "statistics not written" in box.stderr()


# Memory that goes back.

def test_what_a_free_was_refused_goes_back_in_the_next(box):
    """CUDA refuses it as in a callback, where it permits nothing."""
    shell = open_shell(box, POOL, "driver", device_idle=0,
                       sim_fail="cuMemFree_v2:1:800")
    lines(shell, "alloc a 5000", "alloc b 5000", "alloc c 5000", "mix",
          "free a")
    shell.ask("trim")
    took(shell, "free b")
    assert shell.stat()["driver_frees"] == 0
    took(shell, "free c")
    assert shell.stat()["driver_frees"] == 1
    shell.end()
