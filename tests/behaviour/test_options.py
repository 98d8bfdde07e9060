"""Options in the environment, right and wrong."""

import json
import os
import sys

import pytest

from conftest import MIB, plain_build_only
from test_pool import open_shell, took

WRONG = {
    "pool": ("nonsense", ["MNM_POOL|pool", "nonsense", "page_unit_pool",
                          "no_pool"]),
    "page_size": ("3000", ["page_size", "3000", "power of two"]),
    "size_classes": ("3", ["size_classes", "'3'", "linear"]),
    "round_cutoff": ("19", ["round_cutoff", "19", "20 to 34"]),
    "headroom": ("101", ["headroom", "101", "0 to 100"]),
    "pool_limit": ("12Q", ["pool_limit", "12Q", "bytes"]),
    "hard_limit": ("-1", ["hard_limit", "-1", "bytes"]),
    "oversubscribe": ("on", ["oversubscribe", "'on'", "off, auto, or bytes"]),
    "idle_limit": ("200x", ["idle_limit", "200x", "auto, off, bytes"]),
    "log": ("loud", ["log", "loud", "debug"]),
    "disable": ("yes", ["disable", "yes", "0 or 1"]),
    "socket_dir": ("/" + "x" * 200, ["socket_dir", "/xxx"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_option_is_one_line_and_hands_all_to_cuda(box, name):
    value, words = WRONG[name]
    options = {"pool": "no_pool", name: value}
    shell = box.shell(**options)
    for _ in range(3):
        took(shell, "alloc a 5000")
        took(shell, "free a")
        took(shell, "info")
    shell.end()
    assert box.stderr().count("\n") == 1, box.stderr()
    for word in words:
        assert any(w in box.stderr() for w in word.split("|")), word
    assert box.report()[0]["cuMemAlloc_v2"] == 3
    assert box.report()[1][0]["live_allocs"] == 0
    assert not os.path.exists(box.stat_file) and not box.socket_files()


def test_an_empty_option_is_as_none(box):
    shell = box.shell("page_unit_pool", page_size="", pool_limit="")
    took(shell, "alloc a 5000")
    assert shell.stat()["reserved_bytes"] == 8192
    shell.end()


@pytest.mark.parametrize("text,size", [("1048576", MIB), ("1024K", MIB),
                                       ("1024k", MIB), ("1M", MIB)])
def test_sizes_may_have_a_suffix(box, text, size):
    shell = box.shell("page_unit_pool", hard_limit=text)
    assert shell("info").split()[3] == str(size)
    shell.end()


def test_disabled_there_is_no_trace_of_it(box):
    shell = box.shell("page_unit_pool", disable=1)
    took(shell, "alloc a 5000")
    took(shell, "free a")
    shell.end()
    assert box.report()[0]["cuMemFree_v2"] == 1
    assert not os.path.exists(box.stat_file)
    assert not os.path.exists(box.sockets)
    assert box.stderr() == ""


def test_the_log_can_be_silent(box):
    os.mkdir(box.sockets, 0o755)
    shell = box.shell("page_unit_pool", log="none")
    took(shell, "alloc a 5000")
    shell.end()
    assert box.stderr() == ""


def test_the_statistics_file_may_name_the_pid(box):
    pattern = os.path.join(box.folder, "stat-%p.json")
    shell = box.shell("page_unit_pool", stat_file=pattern)
    took(shell, "alloc a 5000")
    shell.end()
    with open(pattern.replace("%p", str(shell.pid)), encoding="utf-8") as file:
        stat = json.load(file)
    assert stat["pid"] == shell.pid and stat["program"] == "shell_shared"


def test_a_statistics_file_that_cannot_be_written_is_one_line(box):
    shell = box.shell("page_unit_pool", stat_file="/nowhere/stat")
    took(shell, "alloc a 5000")
    shell.end()
    assert box.stderr().count("\n") == 1 and "/nowhere/stat" in box.stderr()


@plain_build_only
def test_the_default_folder_is_in_the_runtime_directory(box):
    env = box.env("page_unit_pool")
    del env["MNM_SOCKET_DIR"]
    env["XDG_RUNTIME_DIR"] = box.folder
    box.env = lambda pool, **options: env
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    assert os.listdir(os.path.join(box.folder, "mnm")) == [f"{shell.pid}.sock"]
    shell.end()


@pytest.mark.parametrize("text,size", [("8MB", 8 * MIB), ("8MiB", 8 * MIB),
                                       ("1.5M", 3 * MIB // 2)])
def test_sizes_may_be_written_as_people_write_them(box, text, size):
    shell = box.shell("page_unit_pool", hard_limit=text)
    assert shell("info").split()[3] == str(size)
    shell.end()


@pytest.mark.parametrize("pools, why", [
    ("0:no_pool,0:page_unit_pool", "the same device is named twice"),
    ("host:no_pool,host:no_pool", "the same device is named twice"),
    ("vmm_pool,0:no_pool,no_pool", "two pools without a device"),
])
def test_two_pools_for_one_place_are_an_error(box, pools, why):
    shell = box.shell(pools)
    took(shell, "alloc a 5000")
    shell.end()
    assert box.stderr().count("\n") == 1 and f": {why};" in box.stderr()


LINES = ["alloc a 5000", "free a", "alloc b 5000", "alloc c 100000000",
         "free b"]


def said(box, form, level, pool="page_unit_pool"):
    """The lines on stderr, without the level and without addresses."""
    shell = open_shell(box, pool, form, log=level)
    for line in LINES:
        shell(line)
    box.mnm("swap", shell.pid, "no_pool", "--no-wait")
    box.mnm("stat", shell.pid)
    box.mnm("swap", shell.pid, "nonsense", check=False)
    box.mnm("set", shell.pid, "fence")
    shell.end()
    lines = [line.split(" at 0x")[0] for line in box.stderr().splitlines()]
    return shell.pid, lines


@pytest.mark.parametrize("form", ["shared", "static", "driver"])
def test_the_level_info_tells_of_start_orders_and_end(box, form):
    pid, lines = said(box, form, "info")
    start, refused, swap, wrong, end = lines
    assert start == ("mnm: info: mnm 0.1.0 serves this program: pool "
                     f"page_unit_pool, fence fence; socket "
                     f"{box.socket_of(pid)}")
    assert refused.startswith("mnm: error: device 0: out of memory: 95.4 MiB ")
    assert swap == "mnm: info: asked to swap no_pool: done"
    assert wrong.startswith("mnm: info: asked to swap nonsense: 'nonsense': ")
    assert end.startswith("mnm: info: device 0: 2 requests, 1 of them from "
                          "idle blocks; 4.88 KiB live and ")


@pytest.mark.parametrize("pool", ["page_unit_pool", "no_pool"])
@pytest.mark.parametrize("form", ["shared", "static", "driver"])
def test_the_level_debug_tells_of_every_request(box, form, pool):
    _, lines = said(box, form, "debug", pool)
    assert [line[12:] for line in lines if "debug" in line] == [
        "device 0: 5000 bytes", "device 0: free of 5000 bytes",
        "device 0: 5000 bytes", "device 0: 100000000 bytes: error 2",
        "device 0: free of 5000 bytes"]
    assert len([line for line in lines if "info" in line]) == 4


def test_no_level_below_debug_costs_the_fast_path(box):
    for level, waits in (("info", False), ("debug", True)):
        shell = open_shell(box, "page_unit_pool", "driver", log=level)
        for _ in range(50):
            took(shell, "alloc a 5000")
            took(shell, "free a")
        assert shell.stat()["hits"] == 49
        shell.end()
        assert (box.stderr().count("debug: ") == 100) == waits


@plain_build_only
def test_a_forked_child_tells_no_figures(box):
    code = ("import ctypes, os, sys\n"
            "cuda = ctypes.CDLL('libcuda.so.1')\n"
            "out = ctypes.c_void_p()\n"
            "assert not cuda.cuInit(0)\n"
            "assert not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(out), 0)\n"
            "assert not cuda.cuCtxSetCurrent(out)\n"
            "assert not cuda.cuMemAlloc_v2(ctypes.byref(out), "
            "ctypes.c_size_t(5000))\n"
            "pid = os.fork()\n"
            "if not pid:\n    sys.exit(0)\n"
            "os.waitpid(pid, 0)\n")
    done = box.run([sys.executable, "-c", code], "page_unit_pool", log="info")
    assert done.stderr.count("requests, ") == 1
    assert done.stderr.count("serves this program") == 1


def test_the_level_debug_tells_of_pinned_memory(box):
    shell = open_shell(box, "page_unit_pool", "driver", log="debug")
    for line in ("pin a 5000 0", "unpin a"):
        took(shell, line)
    shell.end()
    lines = [line.split(" at 0x")[0] for line in box.stderr().splitlines()
             if "debug" in line]
    assert lines == ["mnm: debug: host: 5000 bytes",
                     "mnm: debug: host: free of 5000 bytes"]
