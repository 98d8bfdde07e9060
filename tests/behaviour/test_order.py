"""One stream's order does the work of fences: for how long, and what ends
it."""

import os
import re
import subprocess

import pytest

from conftest import (BUILD, FORMS, LIBRARY, MIB, ROOT, cuda_home,
                      program)
from test_fence import calls_of, cycle
from test_pool import open_shell, took

POOL = "page_unit_pool"
T4 = os.path.join(BUILD, "sim", "profiles", "t4.profile")


def with_other_driver(box):
    env_of = box.env

    def env(*args, **options):
        env = env_of(*args, **options)
        env["LD_LIBRARY_PATH"] = ":".join([program("other"),
                                           env["LD_LIBRARY_PATH"]])
        return env

    box.env = env
    return box


def use(shell, stream, count=1, name="a", value=7):
    """Takes blocks, fills them in a stream, and frees them."""
    for _ in range(count):
        took(shell, f"alloc {name} 5000")
        took(shell, f"put {name} {stream} {value}")
        took(shell, f"free {name}")


BUSY = "cuStreamQuery:1+:600"  # CUDA then always says that a stream has work


def ordered(box, stream="one", fail="", **options):
    """A shell that has reused a block in the order of its only stream, which
    still has work."""
    shell = open_shell(box, POOL, "driver",
                       fail=",".join(filter(None, [BUSY, fail])), **options)
    if stream == "one":
        took(shell, "stream one")
    use(shell, stream, 2)
    assert shell.stat()["order"] == "stream"
    return shell


def figures(shell):
    stat = shell.stat()
    return stat["order"], stat["fences"], stat["syncs"]


@pytest.mark.parametrize("stream", ["one", "zero", "legacy"])
def test_one_stream_alone_needs_no_fence(box, stream):
    shell = ordered(box, stream)
    use(shell, stream, 2000)
    assert figures(shell) == ("stream", 0, 0)
    assert shell.stat()["quarantined_bytes"] == 0
    shell.end()
    assert box.stat()["hits"] == 2001
    assert calls_of(box, "cuMemAlloc_v2", "cuCtxRecordEvent",
                    "cuCtxWaitEvent", "cuEventRecord", "cuEventSynchronize",
                    "cuCtxSynchronize") == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("form", FORMS)
def test_nor_do_calls_without_a_stream_in_any_form(box, form):
    shell = open_shell(box, POOL, form)
    for _ in range(500):
        took(shell, "alloc a 5000")
        took(shell, "fill a 7")
        assert shell("check a 7").endswith("right")
        took(shell, "free a")
    assert figures(shell) == ("stream", 0, 0)
    shell.end()
    assert calls_of(box, "cuMemAlloc_v2", "cuCtxRecordEvent") == [1, 0]


def test_zero_and_legacy_are_one_stream_on_every_thread(box):
    shell = ordered(box, "zero")
    use(shell, "legacy")
    shell("thread set primary; alloc b 5000; put b zero 1; free b")
    for _ in range(4):
        shell.read()
    use(shell, "zero")
    assert figures(shell) == ("stream", 0, 0)
    shell.end()


def test_a_second_stream_comes_behind_all_that_was_reused(box):
    """The late work of the first stream does not spoil the second stream's."""
    shell = ordered(box)
    took(shell, "stream two")
    took(shell, "alloc a 5000")
    took(shell, "linger one")
    took(shell, "put a one 238")
    took(shell, "free a")
    took(shell, "alloc b 5000")
    assert shell("addr b") == shell("addr a")
    assert figures(shell) == ("stream", 0, 0)
    took(shell, "put b two 17")
    assert figures(shell) == ("fence", 1, 0)
    took(shell, "wait two")
    took(shell, "wait one")
    assert shell("check b 17").endswith("right")
    use(shell, "one")
    use(shell, "two")
    assert figures(shell)[0] == "fence"
    shell.end()
    assert calls_of(box, "cuCtxRecordEvent") == [box.stat()["fences"]]


def test_without_reuse_a_second_stream_costs_nothing(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "stream one")
    for name in "ab":
        took(shell, f"alloc {name} 5000")
        took(shell, f"put {name} one 1")
    took(shell, "mix")
    assert figures(shell) == ("fence", 0, 0)
    shell.end()
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent") == [0, 0]


def test_threads_with_streams_of_their_own_find_what_they_wrote(box):
    with_other_driver(box)
    for _ in range(5):
        done = box.run([program("many_streams")], POOL, sim=T4)
        assert done.stdout == "right\n"
        stat = box.stat()
        assert (stat["order"], stat["syncs"]) == ("fence", 0)
        assert stat["fences"] >= 1


ENDS = {
    "a per-thread stream": "mix",
    "a per-thread stream's fill": "put a thread 1",
    "another device": "create x 1",
    "a table of undocumented entries": "table",
    "a launch that overlaps": "overlap one 1",
    "a graph that the device launches": "device_graph",
}


def test_threads_own_default_streams_are_never_taken_for_one(box):
    shell = open_shell(box, POOL, "driver", quarantine=0)
    use(shell, "thread", 4)
    assert figures(shell) == ("fence", 3, 0)
    shell.end()


@pytest.mark.parametrize("what", ENDS)
def test_what_may_break_the_order_ends_it_with_one_fence(box, what):
    shell = ordered(box, devices=2)
    took(shell, "alloc a 5000")
    shell(ENDS[what])
    assert figures(shell) == ("fence", 1, 0)
    shell.end()
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent") == [1, 1]


def test_a_second_context_waits_for_the_first_ones_fence(box):
    shell = ordered(box)
    took(shell, "create other 0")
    assert figures(shell) == ("fence", 1, 0)
    shell.end()
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent") == [1, 2]


def test_a_context_after_another_may_be_ordered_too(box):
    shell = open_shell(box, POOL, "driver")
    use(shell, "zero", 2)
    for line in ("primary_reset 0", "retain primary 0", "set primary"):
        took(shell, line)
    use(shell, "zero", 20)
    assert figures(shell) == ("stream", 0, 0)
    shell.end()


def test_a_launch_that_does_not_overlap_keeps_the_order(box):
    shell = ordered(box)
    shell("overlap one 0")
    assert figures(shell) == ("stream", 0, 0)
    shell.end()


@pytest.mark.parametrize("attribute, order", [
    *[(each, "stream") for each in (0, 1, 2, 4, 5, 8, 11, 14)],
    *[(each, "fence") for each in (3, 7, 12, 99)]])
def test_only_launches_with_a_known_attribute_keep_the_order(box, attribute,
                                                             order):
    shell = ordered(box)
    shell(f"launch_with one {attribute}")
    assert figures(shell)[0] == order
    shell.end()


def test_a_capture_ends_it_before_it_begins(box):
    shell = ordered(box)
    took(shell, "capture one")
    assert figures(shell) == ("fence", 1, 0)
    took(shell, "capture_end one")
    use(shell, "one", 3)
    assert figures(shell)[0] == "fence"
    shell.end()


def test_a_destroyed_streams_handle_is_not_taken_for_it(box):
    shell = ordered(box)
    took(shell, "stream_end one")
    assert figures(shell) == ("stream", 0, 0)
    took(shell, "stream one")
    took(shell, "alloc a 5000")
    took(shell, "put a one 1")
    assert figures(shell) == ("fence", 1, 0)
    shell.end()


def test_at_another_level_the_fence_is_made_all_the_same(box):
    shell = ordered(box)
    took(shell, "alloc a 5000")
    box.mnm("set", shell.pid, "fence", "sync")
    assert figures(shell) == ("sync", 0, 0)
    took(shell, "mix")
    assert figures(shell) == ("sync", 1, 0)
    cycle(shell, 2)
    assert figures(shell) == ("sync", 1, 2)
    box.mnm("set", shell.pid, "fence", "fence")
    assert figures(shell)[0] == "fence"
    shell.end()


def test_back_at_level_fence_the_order_serves_again(box):
    shell = ordered(box, force=1)
    for level in ("sync", "none"):
        box.mnm("set", shell.pid, "fence", level)
        use(shell, "one", 2)
        box.mnm("set", shell.pid, "fence", "fence")
        assert figures(shell)[0] == "fence"
        use(shell, "one", 4)
        assert figures(shell)[:2] == ("stream", 0)
    shell.end()


def test_at_level_none_a_second_stream_changes_nothing(box):
    shell = open_shell(box, POOL, "driver", fence="none", force=1)
    use(shell, "zero", 3)
    took(shell, "mix")
    use(shell, "zero", 3)
    assert figures(shell) == ("none", 0, 0)
    shell.end()
    assert box.stat()["hits"] == 5


def test_blocks_that_idle_when_the_order_ends_count_as_quarantined(box):
    shell = ordered(box)
    box.mnm("set", shell.pid, "fence", "sync")
    assert shell.stat()["quarantined_bytes"] == shell.stat()["idle_bytes"] > 0
    shell.end()


def test_where_there_are_no_fences_the_host_waits_once(box):
    shell = ordered(box, sim_driver="12040")
    took(shell, "mix")
    assert figures(shell) == ("fence", 0, 1)
    shell.end()


def test_a_fence_that_fails_when_the_order_ends_is_a_wait(box):
    shell = ordered(box, fail="cuCtxWaitEvent:1+:999")
    took(shell, "mix")
    assert figures(shell) == ("fence", 0, 1)
    shell.end()
    assert "a fence failed with error 999" in box.stderr()


def test_it_is_said_when_neither_works(box):
    shell = ordered(box, fail="cuCtxRecordEvent:1+:999,"
                    "cuCtxSynchronize:1+:999,cuCtxSynchronize_v2:1+:999,"
                    "cuMemFree_v2:1+:999")
    took(shell, "mix")
    shell.end()
    assert "a second stream is used, and can't be ordered" in box.stderr()


def test_a_driver_newer_than_the_headers_is_not_trusted(box):
    shell = open_shell(box, POOL, "driver", sim_driver="13010", quarantine=0)
    use(shell, "zero", 4)
    assert figures(shell) == ("fence", 3, 0)
    shell.end()


@pytest.mark.parametrize("line,answer", [("installed cuFutureWork", "yes"),
                                         ("door cuFutureWork", "0")])
def test_an_entry_that_the_headers_lack_ends_it_once_it_is_found(
        box, line, answer):
    shell = ordered(with_other_driver(box), sim=T4)
    took(shell, "installed cuFutureNone", "no")
    took(shell, "door cuMemcpyAsync")
    assert figures(shell) == ("stream", 0, 0)
    assert shell(line).split()[0] == answer
    assert figures(shell) == ("fence", 1, 0)
    shell.end()


def test_with_a_full_device_the_order_still_serves(box):
    shell = ordered(box, sim="16M")
    for _ in range(20):
        took(shell, f"alloc big {6 * MIB}")
        took(shell, "put big one 3")
        took(shell, "free big")
    assert figures(shell) == ("stream", 0, 0)
    shell.end()
    assert box.stat()["failures"] == 0 and box.stat()["driver_allocs"] == 2


def declared():
    """{entry: parameters}, as cuda.h has them under its plain names."""
    path = os.path.join(cuda_home(), "include", "cuda.h")
    with open(path, encoding="utf-8") as header:
        text = re.sub(r"/\*.*?\*/", " ", header.read(), flags=re.S)
    found = re.findall(r"CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)\s*\(([^()]*)\)",
                       text)
    assert len(found) > 500
    return text, found


def word_list(name):
    path = os.path.join(ROOT, "src", "hooks", "gen_work")
    with open(path, encoding="utf-8") as script:
        return re.search(rf'^{name} = """(.*?)"""', script.read(),
                         re.M | re.S).group(1).split()


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library],
                           capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return {line.split()[-1] for line in lines}


def plain(name):
    return re.sub(r"(_v\d+)?(_pt[ds][sz])?$", "", name)


def test_every_entry_that_takes_a_stream_is_hooked_or_known_to_be_idle():
    text, found = declared()
    holders = re.findall(r"typedef struct (\w+)_st\s*\{[^{}]*\bCUstream\s+\w+;",
                         text)
    assert len(holders) == 3
    types = "|".join(re.sub("_v1$", "", name) for name in holders)
    takes = rf"\b(CUstream|{types})(_v1)?\b"
    names = {name for name, params in found if re.search(takes, params)
             or re.match("cu(Memcpy|Memset|Launch)", name)}
    names -= {name for name in names if re.match(
        "cuStreamCreate|cuOccupancy", name)}
    assert "cuLaunchKernelEx" in names and "cuMemcpyHtoD" in names
    idle = word_list("IDLE")
    assert set(idle) <= {plain(name) for name in names}
    hooked = {plain(name) for name in exported(LIBRARY)}
    assert {plain(n) for n in names} - set(idle) - hooked == set()


def test_every_version_and_twin_of_those_entries_is_hooked():
    """The simulated driver exports each entry of the headers."""
    driver = exported(os.path.join(BUILD, "sim", "libcuda.so.1"))
    ours = exported(LIBRARY)
    rows = os.path.join(BUILD, "gen", "hooks", "work_list.h")
    with open(rows, encoding="utf-8") as header:
        names = {plain(n) for n in re.findall(r"^HOOK\((\w+)", header.read(),
                                              re.M)}
    assert len(names) > 80
    assert {n for n in driver if plain(n) in names} - ours == set()


def test_interop_entries_are_all_hooked():
    driver = exported(os.path.join(BUILD, "sim", "libcuda.so.1"))
    interop = {n for n in driver if re.match(r"cu(GL|EGL|VDPAU|Graphics(GL|EGL|"
                                             r"VDPAU))", n)}
    assert len(interop) > 30
    assert interop - exported(LIBRARY) == set()


def test_work_after_a_wait_is_not_held_up_when_the_order_ends(box):
    """The work may wait for the very work that ends the order."""
    shell = ordered(box)
    took(shell, "wait one")
    took(shell, "linger one")
    took(shell, "stream two")
    took(shell, "alloc kept 9000")
    took(shell, "put kept two 1")
    assert figures(shell) == ("fence", 0, 0)
    shell.end()


def test_reuse_after_a_wait_is_fenced_again_when_the_order_ends(box):
    shell = ordered(box)
    took(shell, "wait one")
    use(shell, "one")
    took(shell, "mix")
    assert figures(shell) == ("fence", 1, 0)
    shell.end()


def test_a_failed_wait_does_not_make_the_stream_idle(box):
    shell = ordered(box, fail="cuStreamSynchronize:1:999")
    took(shell, "wait one", "999")
    took(shell, "mix")
    assert figures(shell) == ("fence", 1, 0)
    shell.end()


def test_where_the_last_fence_fails_the_host_waits(box):
    shell = open_shell(box, POOL, "driver", sim_fail="cuCtxRecordEvent:1:999")
    for line in ("stream s", "alloc a 1048576", "linger s", "put a s 1",
                 "free a", "alloc b 1048576", "stream t", "put b t 7",
                 "wait t", "wait s"):
        took(shell, line)
    assert shell("addr a") == shell("addr b")
    assert shell("check b 7").endswith("right")
    shell.end()
