"""What a program asks of mnm, or tells it, by mnm/mnm.h."""

import os
import re

import pytest

from conftest import MIB, POOLS
from test_pool import open_shell, took

INVALID_VALUE, NO_MEMORY, INVALID_DEVICE, NOT_SUPPORTED = 1, 2, 101, 801

# A line each, and what is left of the outputs when the call does nothing.
CALLS = {
    "mnm_init_pool 0 vmm_pool": "",
    "mnm_remove_pool 0": "",
    "mnm_pool_name 0 80": " untouched",
    "mnm_alloc_bytes 0 1000": " 77",
    "mnm_pool_size 0": " 77 77",
    "mnm_alloc_batch b 2 1000": " 0 0",
    "mnm_free_batch b 2": "",
    "mnm_alloc_in a 1000 0": " 77",
    "mnm_free_in a 0": "",
    "mnm_trim 0": " 77",
    "mnm_set pool_limit 1M": "",
    "mnm_mark_iteration": "",
    "mnm_name_work x": "",
}


def figures(shell, device=0, more=0):
    words = took(shell, f"mnm_device_stats {device} {more}").split()[1:]
    return dict(zip(words[::2], map(int, words[1::2])))


def name(shell, device=0):
    return took(shell, f"mnm_pool_name {device} 80").split()[1]


@pytest.mark.parametrize("how", ["alone", "disabled", "wrong option"])
def test_without_mnm_nothing_happens(box, how):
    options = {"alone": {"preload": False}, "disabled": {"disable": 1},
               "wrong option": {"idle_limit": "odd"}}[how]
    shell = open_shell(box, "page_unit_pool", "driver", **options)
    took(shell, "alloc a 1000")
    for line, outputs in CALLS.items():
        assert shell(line) == f"{NOT_SUPPORTED}{outputs}", line
    assert shell("mnm_device_stats 0 0").startswith(f"{NOT_SUPPORTED} live -1 ")
    assert shell("mnm_version") == "0"
    assert "mnm" in shell("mnm_error")
    took(shell, "free a")
    shell.end()


def test_the_child_of_a_fork_is_on_its_own(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "alloc a 1000")
    assert shell("mnm_version") == "1"
    assert shell("become_child").isdigit()  # it serves the rest
    assert shell("mnm_version") == "0"
    assert shell("mnm_trim 0") == f"{NOT_SUPPORTED} 77"
    shell.end()


def test_a_pool_is_chosen_before_the_first_request(box):
    shell = box.shell("page_unit_pool", "driver")
    took(shell, "mnm_init_pool 0 no_pool")  # even before cuInit
    for line in ("init", "retain primary 0", "set primary"):
        assert shell(line) == "0"
    took(shell, "alloc a 1000")
    took(shell, "free a")
    assert name(shell) == "no_pool"
    assert shell.stat()["pool"] == "no_pool"
    assert figures(shell)["reserved"] == 0
    shell.end()


@pytest.mark.parametrize("pool", POOLS)
def test_live_blocks_stay_with_the_old_pool(box, pool):
    shell = open_shell(box, pool, "driver")
    took(shell, f"alloc a {3 * MIB}")
    took(shell, "fill a 7")
    took(shell, f"alloc b {5 * MIB}")
    took(shell, "free b")
    took(shell, "sync")
    took(shell, "mnm_init_pool 0 page_unit_pool")
    assert name(shell) == "page_unit_pool"
    took(shell, f"alloc c {3 * MIB}")
    took(shell, "fill c 9")
    assert took(shell, "check a 7").split()[-1] == "right"
    took(shell, "free a")
    took(shell, "free c")
    took(shell, "mnm_trim 0")
    assert figures(shell)["live"] == 0
    assert shell.stat()["retired_bytes"] == 0
    shell.end()
    assert box.report()[1][0]["live_bytes"] == 0


def test_a_name_that_does_not_fit(box):
    shell = open_shell(box, "vmm_pool", "driver")
    assert shell("mnm_pool_name 0 9") == "0 vmm_pool"
    for size in (0, 1, 8):
        assert shell(f"mnm_pool_name 0 {size}") == \
            f"{INVALID_VALUE} untouched"
        assert f"does not fit into {size} bytes" in shell("mnm_error")
    shell.end()


def test_the_same_name_is_a_new_pool(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, f"alloc a {5 * MIB}")
    took(shell, "free a")
    took(shell, "sync")
    assert figures(shell)["reserved"] == 5 * MIB
    took(shell, "mnm_init_pool 0 page_unit_pool")
    took(shell, "sync")
    assert figures(shell)["reserved"] == 0
    shell.end()


def test_a_wrong_name_changes_nothing(box):
    shell = open_shell(box, "vmm_pool", "driver")
    took(shell, f"alloc a {5 * MIB}")
    took(shell, "free a")
    before = figures(shell)
    for wrong in ("nothing_pool", "0:no_pool", "no_pool,no_pool",
                  "vmm_pool@moon", "vmm_pool@host", "no_pool@device",
                  "x" * 300):
        assert shell(f"mnm_init_pool 0 {wrong}") == str(INVALID_VALUE)
        said = shell("mnm_error")
        assert wrong[:60] in said and "page_unit_pool" in said, said
    assert shell("mnm_init_pool 0 NULL") == str(INVALID_VALUE)
    assert shell("mnm_error") == "pool is NULL"
    assert name(shell) == "vmm_pool"
    assert figures(shell) == before
    shell.end()


@pytest.mark.parametrize("device", [1, 63, 64, -2, 2**31 - 1])
def test_a_device_that_is_not_there(box, device):
    shell = open_shell(box, "vmm_pool", "driver")
    for line in (f"mnm_init_pool {device} no_pool", f"mnm_remove_pool {device}",
                 f"mnm_pool_size {device}", f"mnm_trim {device}",
                 f"mnm_device_stats {device} 0", f"mnm_pool_name {device} 80",
                 f"mnm_alloc_bytes {device} 1"):
        assert shell(line).split()[0] == str(INVALID_DEVICE), line
        assert f"no device {device};" in shell("mnm_error")
    shell.end()


def test_each_device_has_its_own(box):
    shell = open_shell(box, "page_unit_pool", "driver", devices=2)
    took(shell, "mnm_init_pool 1 vmm_pool")
    took(shell, "mnm_init_pool host no_pool")
    assert name(shell, 0) == "page_unit_pool"
    assert name(shell, 1) == "vmm_pool"
    assert name(shell, "host") == "no_pool"
    took(shell, "mnm_init_pool host vmm_pool")
    assert name(shell, "host") == "vmm_pool@host"
    took(shell, "mnm_remove_pool 1")
    assert name(shell, 1) == "page_unit_pool"
    shell.end()


def test_the_default_comes_back(box):
    shell = open_shell(box, "0:best_fit_pool,host:no_pool", "driver")
    took(shell, "mnm_init_pool 0 round_pool")
    took(shell, "mnm_init_pool host page_unit_pool")
    took(shell, "mnm_remove_pool 0")
    took(shell, "mnm_remove_pool host")
    assert name(shell) == "best_fit_pool"
    assert name(shell, "host") == "no_pool"
    took(shell, "alloc a 1000")
    assert shell.stat()["pool"] == "best_fit_pool"
    shell.end()


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("pool, size, bytes_taken", [
    ("page_unit_pool", 5000, 8192), ("round_pool", 5000, 8192),
    ("naive_pool", 3 * MIB, 4 * MIB), ("no_pool", 5000, 5000),
    ("vmm_pool", 5000, 5120), ("best_fit_pool", 5000, 5120)])
def test_what_a_request_takes(box, pool, size, bytes_taken, used):
    shell = open_shell(box, pool, "driver")
    if used:
        took(shell, "alloc a 1000")
    assert shell(f"mnm_alloc_bytes 0 {size}") == f"0 {bytes_taken}"
    assert shell("mnm_alloc_bytes 0 0") == f"{INVALID_VALUE} 77"
    if pool != "no_pool":
        assert shell(f"mnm_alloc_bytes 0 {2**64 - 1}") == \
            f"{INVALID_VALUE} 77"
    shell.end()


def test_the_figures_are_those_of_stat(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    for i in range(5):
        took(shell, f"alloc m{i} {MIB + i}")
    took(shell, "free m1")
    took(shell, "free m2")
    took(shell, f"alloc m1 {MIB + 1}")
    live = sum(MIB + i for i in (0, 1, 3, 4))
    stat = shell.stat()
    assert stat["live_bytes"] == live
    assert shell("mnm_pool_size 0") == f"0 {live} {stat['reserved_bytes']}"
    assert figures(shell) == {
        "live": live, "reserved": stat["reserved_bytes"],
        "allocs": stat["allocs"], "hits": stat["hits"],
        "frees": stat["frees"], "iterations": 0, "syncs": stat["syncs"],
        "later": -1, "size": 0}
    shell.end()


def test_programs_of_other_versions_get_what_they_know(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "alloc a 1000")
    later = figures(shell, more=8)
    assert later["later"] == 0 and later["size"] == 8
    assert later["live"] == 1000 and later["iterations"] == 0
    earlier = figures(shell, more=-8)
    assert earlier["iterations"] == -1 and earlier["later"] == -1
    assert earlier["live"] == 1000
    assert shell("mnm_device_stats 0 -112").startswith(f"{INVALID_VALUE} live -1 ")
    assert "sizeof(struct mnm_stats)" in shell("mnm_error")
    shell.end()


@pytest.mark.parametrize("pool", POOLS)
def test_a_batch(box, pool):
    shell = open_shell(box, pool, "driver")
    for _ in range(3):
        took(shell, f"mnm_alloc_batch b 100 {MIB // 4} 512 70000 4096")
        addresses = {shell(f"addr b{i}") for i in range(100)}
        assert len(addresses) == 100
        for i in range(100):
            took(shell, f"fill b{i} {i}")
        for i in range(100):
            assert took(shell, f"check b{i} {i}").split()[-1] == "right"
        took(shell, "free b5")
        assert shell("mnm_free_batch b 5") == "0"
        for i in range(6, 100):
            took(shell, f"free b{i}")
        took(shell, "sync")
    assert figures(shell)["live"] == 0
    took(shell, "mnm_alloc_batch b 0 1")
    shell.end()
    assert box.stat()["failures"] == 0


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool"])
def test_a_batch_lies_side_by_side(box, pool):
    shell = open_shell(box, pool, "driver")
    took(shell, "mnm_alloc_batch b 20 65536")
    at = [int(shell(f"addr b{i}"), 16) for i in range(20)]
    assert {b - a for a, b in zip(at, at[1:])} == {65536}
    shell.end()


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("last, error", [(1 << 40, NO_MEMORY),
                                         (0, INVALID_VALUE)])
def test_all_of_a_batch_or_nothing(box, pool, last, error):
    shell = open_shell(box, pool, "driver")
    took(shell, f"alloc a {MIB}")
    live = figures(shell)["live"]
    answer = shell(f"mnm_alloc_batch b 5 {MIB} 4096 {MIB} 4096 {last}")
    assert answer == f"{error} 0 0 0 0 0"
    assert f"buffer 4 of 5, of {last} bytes: CUDA error {error};" in \
        shell("mnm_error")
    assert figures(shell)["live"] == live
    shell.end()


def test_frees_go_on_after_an_error(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "mnm_alloc_batch b 5 4096")
    took(shell, "free b2")
    assert shell("mnm_free_batch b 5") == str(INVALID_VALUE)
    assert shell("mnm_error") == "buffer 2 of 5: CUDA error 1"
    assert figures(shell)["live"] == 0
    shell.end()


def test_a_batch_needs_a_context(box):
    shell = box.shell("page_unit_pool", "driver")
    took(shell, "init")
    assert shell("mnm_alloc_batch b 2 4096") == "201 0 0"
    shell.end()


def test_trim(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, f"mnm_alloc_batch b 4 {MIB}")
    took(shell, "mnm_free_batch b 3")
    assert shell("mnm_trim 0") == f"0 {3 * MIB}"
    assert figures(shell)["reserved"] == MIB
    shell.end()


def test_limits(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "mnm_set hard_limit 10M")
    assert shell(f"alloc a {20 * MIB}").split()[0] == str(NO_MEMORY)
    took(shell, "mnm_set hard_limit 0")
    took(shell, f"alloc a {20 * MIB}")
    assert shell.ask("set hard_limit")["value"] == "0"
    for option, value, said in (
            ("hard_limit", "much", "hard_limit"), ("nothing", "1", "known:"),
            ("thread_cache", "1", "can't be set while the program runs")):
        assert shell(f"mnm_set {option} {value}") == str(INVALID_VALUE)
        assert said in shell("mnm_error")
    assert shell("mnm_set NULL 1") == str(INVALID_VALUE)
    assert shell("mnm_error") == "option is NULL"
    assert shell("mnm_set hard_limit NULL") == str(INVALID_VALUE)
    shell.end()


def test_the_socket_and_the_program_see_each_other_set(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "alloc a 1000")
    shell.ask("set idle_limit 5M")
    took(shell, "mnm_set pool_limit 30M")
    options = shell.ask("stat")["options"]
    assert (options["idle_limit"], options["pool_limit"]) == ("5M", "30M")
    shell.end()


def test_iterations(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "mnm_mark_iteration")
    took(shell, "alloc a 1000")
    for _ in range(3):
        took(shell, "mnm_mark_iteration")
    assert figures(shell)["iterations"] == 4
    assert shell.stat()["iterations"] == 4
    shell.end()


def test_work_has_a_name(box):
    shell = open_shell(box, "page_unit_pool", "driver", log="debug")
    took(shell, "mnm_name_work forward")
    took(shell, "alloc a 1000")
    took(shell, "mnm_name_work " + "n" * 200)
    assert shell(f"alloc b {1 << 40}").split()[0] == str(NO_MEMORY)
    took(shell, "mnm_name_work NULL")
    took(shell, "alloc c 3000")
    shell.end()
    said = box.stderr()
    assert re.search(r"1000 bytes at 0x[0-9a-f]+ \(forward\)\n", said)
    assert re.search(r"out of memory: .* \(n{63}\)\n", said)
    assert re.search(r"3000 bytes at 0x[0-9a-f]+\n", said)


def test_a_null_pointer_is_an_error(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    assert shell("mnm_nulls") == "1 1 0 1 1 1 0 1"
    shell.end()


@pytest.mark.parametrize("pool", ["page_unit_pool", "vmm_pool"])
def test_memory_in_the_order_of_a_stream(box, pool):
    shell = open_shell(box, pool, "driver")
    took(shell, "stream s")
    took(shell, f"mnm_alloc_in a {MIB} s")
    at = shell("addr a")
    took(shell, "stream_fill s a 5")
    took(shell, "mnm_free_in a s")
    took(shell, f"mnm_alloc_in b {MIB} s")
    if pool == "page_unit_pool":
        assert shell("addr b") == at
    took(shell, "mnm_free_in b s")
    assert figures(shell)["live"] == 0
    assert figures(shell)["syncs"] == 0
    shell.end()
    assert box.report()[0].get("cuMemAllocAsync", 0) == 0


@pytest.mark.parametrize("mode", ["global", "thread", "relaxed"])
@pytest.mark.parametrize("pool", ["page_unit_pool", "vmm_pool"])
def test_memory_of_a_capture_is_there_at_once_and_for_each_launch(box, pool,
                                                                  mode):
    shell = open_shell(box, pool, "driver")
    took(shell, "stream s")
    took(shell, f"begin s {mode}")
    took(shell, f"mnm_alloc_in a {MIB} s")
    took(shell, "stream_fill s a 6")
    took(shell, "end s g")
    took(shell, "instantiate g e")
    took(shell, "fill a 3")  # before any launch
    assert took(shell, "check a 3").split()[-1] == "right"
    for _ in range(2):
        took(shell, "launch e s")
    took(shell, "stream_sync s")
    assert took(shell, "check a 6").split()[-1] == "right"
    took(shell, "mnm_free_in a s")
    assert figures(shell)["live"] == 0
    shell.end()


@pytest.mark.parametrize("mode", ["global", "thread", "relaxed"])
@pytest.mark.parametrize("pool", ["page_unit_pool", "vmm_pool"])
def test_what_a_capture_frees_is_its_graphs(box, pool, mode):
    shell = open_shell(box, pool, "driver")
    took(shell, "stream s")
    took(shell, f"begin s {mode}")
    took(shell, f"mnm_alloc_in a {MIB} s")
    took(shell, "stream_fill s a 6")
    took(shell, "mnm_free_in a s")
    took(shell, "end s g")
    took(shell, "instantiate g e")
    took(shell, f"alloc b {MIB}")
    took(shell, "fill b 1")
    took(shell, "launch e s")
    took(shell, "stream_sync s")
    assert took(shell, "check b 1").split()[-1] == "right", \
        "the graph wrote there"
    assert box.stderr() == ""
    shell.end()


def test_the_header_alone_is_enough(tmp_path):
    """The functions of the header are those that the library has."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    with open(os.path.join(root, "include", "mnm", "mnm.h"),
              encoding="utf-8") as file:
        text = file.read()
    named = set(re.findall(r"MNM_API(?:_RESULT|_VOID)?\([^()]*?(mnm_\w+),", text))
    done = os.popen(f"nm -D --defined-only {root}/build/libmnm.so").read()
    found = set(re.findall(r" T (mnm_\w+)\n", done))
    assert found and named == found
