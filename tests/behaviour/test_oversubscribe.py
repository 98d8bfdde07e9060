"""MNM_OVERSUBSCRIBE: the host's memory serves a device that is full."""

import os
import re

import pytest

from conftest import (EXAMPLES, FORMS, LIBRARY, MIB, POOLS, plain_build_only,
                      program)
from test_pool import open_shell, took
from test_threads import started, summary

POOL = "page_unit_pool"
# With managed memory that moves by the page, and without.
KINDS = [{}, {"sim_managed_fixed": 1}]
KIND_NAMES = ["managed", "pinned"]
kinds = pytest.mark.parametrize("kind", KINDS, ids=KIND_NAMES)


def fill_up(shell):
    """Leaves 4 MiB of a device of 64."""
    for name in ("f0", "f1", "f2"):
        took(shell, f"alloc {name} {20 * MIB}")


def opened(box, form="driver", pool=POOL, over="1G", **options):
    shell = open_shell(box, pool, form, oversubscribe=over, **options)
    fill_up(shell)
    return shell


def is_right(shell, name, value):
    took(shell, f"fill {name} {value}")
    took(shell, "sync")
    return shell(f"check {name} {value}").endswith("right")


def host_live(box):
    """What the driver's report says of pinned memory."""
    with open(box.report_file, encoding="utf-8") as file:
        return int(re.search(r"^host live_allocs (\d+)", file.read(),
                             re.MULTILINE)[1])


def ended_clean(box, shell):
    shell.end()
    assert box.report()[1][0]["live_allocs"] == host_live(box) == 0
    assert "violation" not in box.stderr()
    stat = box.stat()
    assert stat["borrowed_bytes"] == stat["live_bytes"] == 0
    assert stat["allocs"] == stat["frees"]
    return stat


@kinds
# Segments of 20 MiB leave less of so small a device to others.
@pytest.mark.parametrize("pool",
                         [pool for pool in POOLS if pool != "best_fit_pool"])
@pytest.mark.parametrize("form", FORMS)
def test_a_program_may_have_half_as_much_again_as_the_device(box, form, pool,
                                                             kind):
    shell = open_shell(box, pool, form, oversubscribe="auto", sim_check=1,
                       **kind)
    names = [f"a{i}" for i in range(12)]  # 96 MiB of 64
    for i, name in enumerate(names):
        took(shell, f"alloc {name} {8 * MIB}")
        took(shell, f"fill {name} {i}")
    took(shell, "sync")
    for i, name in enumerate(names):
        assert shell(f"check {name} {i}").endswith("right")
    stat = shell.stat()
    assert stat["borrowed_bytes"] == stat["borrowed_peak"] == 32 * MIB
    assert stat["live_bytes"] == stat["reserved_bytes"] == 64 * MIB
    assert (stat["borrows"], stat["allocs"]) == (4, 12)
    for name in names:
        took(shell, f"free {name}")
    stat = shell.stat()
    assert (stat["borrowed_bytes"], stat["borrowed_peak"]) == (0, 32 * MIB)
    stat = ended_clean(box, shell) if pool == "no_pool" else shell.stat()
    assert stat["failures"] == 0


@pytest.mark.parametrize("over", ["off", "0", None])
@pytest.mark.parametrize("form", ["shared", "driver"])
def test_without_the_option_it_is_out_of_memory(box, form, over):
    options = {"oversubscribe": over} if over else {}
    shell = open_shell(box, POOL, form, **options)
    fill_up(shell)
    assert shell(f"alloc b {8 * MIB}").split()[0] == "2"
    shell.end()
    calls, _ = box.report()
    assert not {"cuMemAllocManaged", "cuMemHostAlloc",
                "cuMemAdvise_v2"} & set(calls)
    assert box.stat()["failures"] == 1


@kinds
def test_no_more_is_borrowed_than_the_bytes_say(box, kind):
    shell = opened(box, over="20M", **kind)
    took(shell, f"alloc b {12 * MIB}")
    took(shell, f"alloc c {9 * MIB}", "2")
    took(shell, f"alloc d {21 * MIB}", "2")
    took(shell, f"alloc c {8 * MIB}")
    took(shell, f"alloc e {5 * MIB}", "2")
    took(shell, "free b")
    took(shell, f"alloc e {12 * MIB}")
    shell.end()
    assert box.stat()["borrowed_peak"] == 20 * MIB
    assert box.stat()["failures"] == 3
    assert box.stderr().count("out of memory") == 1  # once a second at most


def test_the_bytes_are_those_of_each_device(box):
    shell = open_shell(box, POOL, "shared", oversubscribe="20M", devices=2)
    for i in range(2):
        took(shell, f"device {i}")
        fill_up(shell)
        took(shell, f"alloc b{i} {20 * MIB}")
        took(shell, f"alloc c {5 * MIB}", "2")
    shell.end()
    assert [box.stat(i)["borrowed_bytes"] for i in (0, 1)] == [20 * MIB] * 2


def test_auto_is_half_of_the_machines_memory_for_all_devices(box):
    ram = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    part = ram // 4 // MIB * MIB
    shell = open_shell(box, POOL, "shared", oversubscribe="auto", devices=2,
                       sim=f"{ram // 2 // MIB}M")
    for i in range(2):
        took(shell, f"device {i}")
        took(shell, f"alloc f{i} {ram // 2 // MIB * MIB - 8 * MIB}")
        took(shell, f"alloc b{i} {part}")
    took(shell, f"alloc c {9 * MIB}", "2")
    took(shell, "free b0")
    took(shell, f"alloc c {9 * MIB}")
    shell.end()


def test_the_option_can_change_while_the_program_runs(box):
    shell = opened(box, over="off")
    took(shell, f"alloc b {8 * MIB}", "2")
    assert shell.ask("set oversubscribe 8M")["value"] == "8M"
    took(shell, f"alloc b {8 * MIB}")
    assert shell.ask("set oversubscribe auto")["value"] == "auto"
    took(shell, f"alloc c {8 * MIB}")
    assert shell.ask("set oversubscribe off")["value"] == "off"
    took(shell, f"alloc d {8 * MIB}", "2")
    assert is_right(shell, "b", 3) and is_right(shell, "c", 4)
    shell.end()


def test_idle_memory_goes_first(box):
    shell = opened(box)
    took(shell, "free f0")
    took(shell, f"alloc b {24 * MIB}")  # what is idle and what is free
    stat = shell.stat()
    assert (stat["borrows"], stat["idle_bytes"]) == (0, 0)
    took(shell, f"alloc c {MIB}")
    stat = shell.stat()
    assert (stat["borrows"], stat["borrowed_bytes"]) == (1, MIB)
    shell.end()


@kinds
def test_a_request_for_more_than_the_device_has_takes_nothing_from_it(box,
                                                                     kind):
    shell = open_shell(box, POOL, "driver", oversubscribe="1G", **kind)
    took(shell, f"alloc a {20 * MIB}")
    took(shell, "free a")
    took(shell, f"alloc b {100 * MIB}")
    assert is_right(shell, "b", 5)
    stat = shell.stat()
    assert stat["idle_bytes"] == stat["reserved_bytes"] == 20 * MIB
    assert stat["borrowed_bytes"] == 100 * MIB
    shell.end()


def test_a_soft_limit_does_not_refuse_what_the_device_cannot_hold(box):
    shell = open_shell(box, POOL, "driver", oversubscribe="1G",
                       pool_limit="32M")
    took(shell, f"alloc b {100 * MIB}")
    shell.end()


@pytest.mark.parametrize("size, place, user", [(9, -1, 0), (8, 0, -2)])
def test_the_device_is_preferred_where_half_of_it_has_room(box, size, place,
                                                           user):
    """4 MiB are free. Otherwise the device reaches the memory on the host."""
    shell = opened(box)
    took(shell, f"alloc b {size * MIB}")
    assert shell("advised b") == f"0 1 {place} {user}"
    shell.end()
    assert box.report()[0]["cuMemAdvise_v2"] == (2 if place else 1)


def test_an_old_driver_is_told_the_place_by_a_number(box):
    shell = opened(box, sim_driver=12010)
    took(shell, f"alloc b {9 * MIB}")
    assert shell("advised b") == "0 1 -1 0"
    took(shell, f"alloc c {8 * MIB}")
    assert shell("advised c") == "0 1 0 -2"
    shell.end()
    assert box.report()[0]["cuMemAdvise"] == 3


def test_a_driver_that_does_not_know_the_device_pins(box):
    shell = opened(box, sim_hide="cuDeviceGetAttribute")
    took(shell, f"alloc b {9 * MIB}")
    assert shell("advised b").split()[1] == "0"
    assert is_right(shell, "b", 3)
    took(shell, "free b")
    shell.end()
    assert box.report()[0]["cuMemHostAlloc"] == 1
    assert host_live(box) == 0


@pytest.mark.parametrize("pool", POOLS)
def test_memory_that_was_free_serves_again(box, pool):
    """No borrowed block is kept, so the device's memory is used again."""
    shell = opened(box, pool=pool, round_cutoff=22)  # not 32 MiB for 20
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "free b")
    assert shell.stat()["borrowed_bytes"] == 0
    took(shell, "free f0")
    took(shell, f"alloc c {8 * MIB}")
    stat = shell.stat()
    assert (stat["borrows"], stat["borrowed_bytes"]) == (1, 0)
    shell.end()


@kinds
@pytest.mark.parametrize("form", FORMS)
def test_a_second_free_is_cudas_error(box, form, kind):
    shell = opened(box, form, **kind)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "free b")
    took(shell, "free b", "1")
    shell.end()
    assert box.stat()["borrowed_bytes"] == 0
    assert box.stat()["frees"] == 1


@kinds
def test_a_free_waits_for_the_devices_work(box, kind):
    """As CUDA's own does."""
    shell = opened(box, sim_check=1, **kind)
    took(shell, "stream s")
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "stream_fill s b 7")
    took(shell, "free b")
    shell.end()
    assert box.stderr().count("violation") == 0
    waits = box.report()[0].get("cuCtxSynchronize", 0)
    assert waits == (1 if kind else 0)


@kinds
def test_a_free_in_a_stream_frees_it(box, kind):
    shell = opened(box, sim_check=1, **kind)
    took(shell, "stream s")
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "stream_fill s b 7")
    took(shell, "free_async b s")
    took(shell, "stream_sync s")
    for name in ("f0", "f1", "f2"):
        took(shell, f"free {name}")
    shell.ask("trim")
    shell.end()
    assert box.stat()["borrowed_bytes"] == 0
    assert host_live(box) == 0 and "violation" not in box.stderr()


@kinds
def test_a_free_that_cuda_refuses_is_the_programs_to_see(box, kind):
    entry = "cuMemFreeHost" if kind else "cuMemFree_v2"
    shell = opened(box, fail=f"{entry}:1:719", **kind)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "free b", "719")
    stat = shell.stat()
    assert (stat["borrowed_bytes"], stat["frees"]) == (8 * MIB, 0)
    took(shell, "free b")
    stat = shell.stat()
    assert (stat["borrowed_bytes"], stat["frees"]) == (0, 1)
    shell.end()


def test_pinned_memory_in_its_place_is_no_pinned_memory_of_the_programs(box):
    shell = opened(box, sim_managed_fixed=1)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "unpin b", "1")
    assert shell.stat()["borrowed_bytes"] == 8 * MIB
    took(shell, "free b")
    shell.end()
    assert host_live(box) == 0


@kinds
def test_a_swap_and_a_trim_leave_it_where_it_is(box, kind):
    shell = opened(box, sim_check=1, **kind)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "fill b 9")
    shell.ask("swap no_pool")
    shell.ask("trim")
    shell.ask("swap page_unit_pool")
    assert shell("check b 9").endswith("right")
    assert shell.stat()["borrowed_bytes"] == 8 * MIB
    for name in ("b", "f0", "f1", "f2"):
        took(shell, f"free {name}")
    shell.ask("swap no_pool")
    took(shell, "alloc last 1000")  # what the swap has left goes back
    took(shell, "free last")
    ended_clean(box, shell)


@kinds
@pytest.mark.parametrize("form, end", [
    ("shared", ["reset"]), ("static", ["reset"]),
    ("driver", ["primary_reset 0", "retain primary 0", "set primary"])])
def test_it_ends_with_its_context(box, form, end, kind):
    shell = opened(box, form, **kind)
    took(shell, f"alloc b {8 * MIB}")
    for line in end:
        took(shell, line)
    assert shell.stat()["borrowed_bytes"] == 0
    fill_up(shell)
    took(shell, f"alloc b {8 * MIB}")
    assert is_right(shell, "b", 1)
    took(shell, end[0])
    shell.end()
    assert box.stat()["borrowed_bytes"] == 0
    assert box.report()[1][0]["live_allocs"] == host_live(box) == 0


@kinds
def test_another_context_goes_on_with_its_own(box, kind):
    shell = box.shell(POOL, "driver", oversubscribe="1G", **kind)
    for line in ("init", "create x 0"):
        took(shell, line)
    fill_up(shell)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "create y 0")
    took(shell, f"alloc c {8 * MIB}")
    took(shell, "destroy x")
    assert shell.stat()["borrowed_bytes"] == 8 * MIB
    assert is_right(shell, "c", 2)
    took(shell, "free c")
    shell.end()
    assert host_live(box) == 0


@kinds
def test_a_forked_child_leaves_it_alone(box, kind):
    shell = opened(box, **kind)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "fill b 4")
    shell("fork")
    assert shell("check b 4").endswith("right")
    took(shell, "free b")
    assert shell.stat()["borrowed_bytes"] == 0
    shell.end()


@kinds
@pytest.mark.parametrize("mode", ["global", "relaxed"])
def test_nothing_is_borrowed_while_a_stream_captures(box, mode, kind):
    shell = opened(box, **kind)
    for line in ("alloc small 4096", "stream s", f"begin s {mode}",
                 "stream_fill s small 7"):
        took(shell, line)
    took(shell, f"alloc b {8 * MIB}", "2")
    for line in ("end s g", "instantiate g x", "launch x s", "stream_sync s"):
        took(shell, line)
    assert shell("check small 7").endswith("right")
    took(shell, f"alloc b {8 * MIB}")
    shell.end()
    assert box.stat()["borrows"] == 1


@kinds
@pytest.mark.parametrize("mode, answer", [("global", "900"),
                                          ("relaxed", "0")])
def test_a_free_while_a_stream_captures_is_as_cudas_own(box, mode, answer,
                                                        kind):
    shell = opened(box, **kind)
    for line in (f"alloc b {8 * MIB}", "alloc small 4096", "stream s",
                 f"begin s {mode}", "stream_fill s small 7"):
        took(shell, line)
    took(shell, "free b", answer)
    took(shell, "end s g", "901" if answer == "900" else "0")
    assert shell.stat()["borrowed_bytes"] == (0 if answer == "0" else 8 * MIB)
    shell.end()


@kinds
def test_pinned_and_stream_ordered_memory_are_not_borrowed(box, kind):
    shell = opened(box, sim_pinned="4M", **kind)
    took(shell, "stream s")
    took(shell, f"pin p {8 * MIB} 0", "2")
    took(shell, f"alloc_async a {8 * MIB} s", "2")
    took(shell, f"alloc_async a {100 * MIB} s", "2")
    assert shell.stat()["borrows"] == 0
    shell.end()


@kinds
def test_pitched_memory_is_borrowed_once_its_pitch_is_known(box, kind):
    shell = open_shell(box, POOL, "driver", oversubscribe="1G", **kind)
    took(shell, "pitch p 65536 1 4")
    for name in ("f0", "f1", "f2"):
        took(shell, f"alloc {name} {20 * MIB}")
    took(shell, "pitch q 131072 128 4", "2")
    took(shell, "pitch q 65536 256 4")
    assert shell.stat()["borrowed_bytes"] == 16 * MIB
    assert is_right(shell, "q", 7)
    shell.end()


def test_the_hard_limit_counts_it(box):
    shell = opened(box, hard_limit="70M")
    took(shell, f"alloc b {8 * MIB}")
    took(shell, f"alloc c {5 * MIB}", "2")
    assert shell("info").split()[1:] == [str(2 * MIB), str(64 * MIB)]
    took(shell, "free b")
    took(shell, f"alloc c {5 * MIB}")
    shell.end()
    assert "refused by hard_limit" in box.stderr()


def test_past_the_hard_limit_nothing_is_borrowed(box):
    shell = opened(box, hard_limit="62M")
    took(shell, f"alloc b {3 * MIB}", "2")
    took(shell, f"alloc c {100 * MIB}", "2")
    assert shell.stat()["borrows"] == 0
    shell.end()
    assert "refused by hard_limit" in box.stderr()


def test_what_the_hard_limit_has_refused_is_not_borrowed_for_less(box):
    """A block of the pool would be longer than the request."""
    shell = opened(box, hard_limit=60 * MIB + 6144)
    took(shell, "alloc b 5000", "2")
    shell.end()
    assert box.stat()["borrows"] == 0


def test_memory_figures_are_those_of_the_device(box):
    shell = opened(box)
    before = shell("info")
    took(shell, f"alloc b {100 * MIB}")
    assert shell("info") == before
    shell.end()


@pytest.mark.parametrize("kind, what", [(KINDS[0], 3), (KINDS[1], 1)])
def test_the_runtime_tells_what_memory_it_is(box, kind, what):
    shell = opened(box, "shared", **kind)
    took(shell, f"alloc b {8 * MIB}")
    assert shell("type f0") == "0 2"
    assert shell("type b") == f"0 {what}"
    shell.end()


@kinds
def test_it_cannot_be_passed_to_another_process_and_a_line_says_so(box, kind):
    shell = opened(box, **kind)
    took(shell, f"alloc b {8 * MIB}")
    took(shell, "export f0 0")
    assert "passed" not in box.stderr()
    for _ in range(2):
        took(shell, "export b 0", "1")
    shell.end()
    assert box.stderr().count("can't be passed to other processes") == 1


def test_one_line_says_that_a_device_is_full(box):
    shell = opened(box)
    for name in "abc":
        took(shell, f"alloc {name} {8 * MIB}")
    shell.end()
    said = box.stderr()
    assert said.count("\n") == 1 and said.startswith(
        "mnm: warn: device 0 is full: 8.00 MiB of the host's memory serve")


def test_the_table_of_jobs_counts_it_as_live(box):
    shell = opened(box)
    took(shell, f"alloc b {36 * MIB}")
    row = box.mnm("ps").stdout.splitlines()[1].split()
    assert row[-6:-2] == ["96.0", "MiB", "60.0", "MiB"]
    shell.end()


FAULTS = [({}, "cuMemAllocManaged", 1), ({}, "cuMemAdvise_v2", 1),
          ({}, "cuMemAdvise_v2", 2), (KINDS[1], "cuMemHostAlloc", 1),
          (KINDS[1], "cuMemHostGetDevicePointer_v2", 1)]


@pytest.mark.parametrize("code", [2, 1, 801, 999])
@pytest.mark.parametrize("kind, entry, nth", FAULTS)
def test_what_cuda_refuses_to_lend_is_out_of_memory(box, kind, entry, nth,
                                                    code):
    shell = opened(box, pool="no_pool", fail=f"{entry}:{nth}:{code}",
                   hard_limit="70M", **kind)  # a claim that stays is past it
    took(shell, f"alloc b {9 * MIB}", "2")
    stat = shell.stat()
    assert stat["borrowed_bytes"] == stat["borrows"] == 0
    assert stat["failures"] == 1
    took(shell, f"alloc b {9 * MIB}")
    assert is_right(shell, "b", 6)
    for name in ("b", "f0", "f1", "f2"):
        took(shell, f"free {name}")
    ended_clean(box, shell)


@pytest.mark.parametrize("nth", range(1, 9))
@pytest.mark.parametrize("kind, entry", [
    ({}, "cuMemAllocManaged"), ({}, "cuMemAdvise_v2"),
    (KINDS[1], "cuMemHostAlloc"), (KINDS[1], "cuMemHostGetDevicePointer_v2")])
def test_whichever_call_fails_the_others_serve(box, kind, entry, nth):
    shell = opened(box, pool="no_pool", fail=f"{entry}:{nth}:2",
                   sim_check=1, **kind)
    got = [name for name in "abcdefgh"
           if shell(f"alloc {name} {9 * MIB}").startswith("0")]
    # A request for the host's place takes two calls of cuMemAdvise.
    failed = nth if "Advise" not in entry else (nth + 1) // 2
    assert got == [name for name in "abcdefgh"
                   if name != "abcdefgh"[failed - 1]]
    assert shell.stat()["borrowed_bytes"] == 63 * MIB
    for name in got:
        assert is_right(shell, name, 9)
    for name in [*got, "f0", "f1", "f2"]:
        took(shell, f"free {name}")
    assert ended_clean(box, shell)["failures"] == 1


def test_a_driver_that_does_not_tell_what_is_free_prefers_the_host(box):
    shell = opened(box, fail="cuMemGetInfo_v2:1+:999")
    took(shell, f"alloc b {8 * MIB}")
    assert shell("advised b") == "0 1 -1 0"
    shell.end()


@kinds
@pytest.mark.parametrize("pool", POOLS)
def test_a_trainer_in_borrowed_memory_learns_the_same(box, pool, kind):
    """All of its requests find the device full."""
    def losses(pool, **options):
        done = box.run([os.path.join(EXAMPLES, "train_digits"), "--steps",
                        "40", "--losses"], pool, sim="t4", sim_check=1,
                       **options)
        assert "violation" not in done.stderr
        return [re.sub(r"  step time .*", "", line)
                for line in done.stdout.splitlines()
                if line.startswith("step")]

    wanted = losses(None)
    assert len(wanted) == 41
    assert losses(pool, oversubscribe="auto", fail="cuMemAlloc_v2:1+:2,cuMemCreate:1+:2",
                  **kind) == wanted
    stat = box.stat()
    assert stat["borrows"] > 10 and stat["borrowed_bytes"] == 0
    assert stat["live_bytes"] == 0


@kinds
@pytest.mark.parametrize("pool", POOLS)
def test_threads_on_a_full_device_lose_nothing(box, pool, kind):
    shell = box.start([program("churn"), "8", "300"], pool,
                      fail="cuMemAlloc_v2:20+:2", oversubscribe="auto", **kind)
    assert shell.read() == "ready"
    started(box, shell)
    for turn in range(20):
        shell.ask(f"swap {POOLS[turn % 2]}")
    shell.ask("swap no_pool")
    while shell.stat()["borrows"] == 0:
        assert shell.process.poll() is None
    figures = summary(box, shell)
    assert figures["wrong"] == figures["errors"] == 0
    stat = box.stat()
    assert stat["borrowed_bytes"] == stat["live_bytes"] == 0
    assert stat["allocs"] == stat["frees"]
    assert host_live(box) == 0


@kinds
def test_threads_keep_to_the_bytes_together(box, kind):
    shell = box.start([program("churn"), "8", "300"], "no_pool",
                      fail="cuMemAlloc_v2:1+:2", oversubscribe="128K", **kind)
    assert shell.read() == "ready"
    shell.process.stdin.close()
    figures = re.match(r"rounds \d+ wrong 0 errors (\d+)$", shell.read())
    assert shell.process.wait() == 1 and int(figures[1]) > 0
    stat = box.stat()
    assert 0 < stat["borrowed_peak"] <= 128 << 10
    assert stat["borrowed_bytes"] == stat["live_bytes"] == 0
    assert host_live(box) == 0


@plain_build_only
@kinds
def test_what_cannot_be_counted_is_not_borrowed(box, kind):
    """The allocations of mnm's own fail in turn."""
    script = "init\nretain p 0\nset p\n" + "".join(
        f"alloc f{i} {20 * MIB}\n" for i in range(3)) + \
        f"alloc b {8 * MIB}\n" + "".join(
        f"free {name}\n" for name in ("b", "f0", "f1", "f2"))
    report = os.path.join(box.folder, "calls")

    def answers(number):
        done = box.run(["env", f"LD_PRELOAD={program('scarce.so')}:{LIBRARY}",
                        f"SCARCE_REPORT={report}", f"SCARCE_AT={number}",
                        "MNM_STAT_FILE=", *FORMS["driver"]], "no_pool",
                       stdin=script, oversubscribe="1G", **kind)
        assert box.report()[1][0]["live_allocs"] == host_live(box) == 0
        lines = done.stdout.splitlines()
        assert lines[7:] == ["0"] * 4, (number, lines)
        return lines[6]

    assert answers(-1) == "0 set"
    with open(report, encoding="utf-8") as file:
        calls = int(file.read())
    refused = [answers(number) for number in range(calls)].count("2 null")
    assert refused >= 2  # for the record, and for the table
