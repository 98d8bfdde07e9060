"""A tool that NVTX injects hears of the regions, and of each block that the
program has in them."""

import json
import os

import pytest

from conftest import BUILD, FORMS, PLACING, plain_build_only

TOOL = os.path.join(BUILD, "tests", "programs", "nvtx_tool.so")
WARM_PAIRS = os.path.join(BUILD, "tests", "programs", "warm_pairs")
CHURN = os.path.join(BUILD, "tests", "programs", "churn")


@pytest.fixture(name="report")
def report_of(box, monkeypatch):
    """What the tool has heard beside the last program; None if it was not
    loaded."""
    path = os.path.join(box.folder, "tool.json")
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    monkeypatch.setenv("NVTX_TOOL_REPORT", path)

    def read():
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    return read


def run(box, pool, *lines):
    box.run(FORMS["driver"], pool,
            stdin="\n".join(["init", *lines]) + "\n")


@pytest.mark.parametrize("pool", PLACING)
def test_a_tool_knows_what_the_program_has(box, report, pool):
    run(box, pool, "create x 0", "alloc a 5000", "alloc b 300", "alloc c 5000",
        "free a", "alloc d 5000", "free d", "alloc e 5000", "free c", "free c")
    assert report() == {"heaps": 1, "heaps_left": 1, "pieces": 5,
                        "pieces_left": 2, "wrong": 0}
    assert box.stat()["hits"] > 0


@pytest.mark.parametrize("pool", PLACING)
def test_memory_of_a_stream_is_known_to_a_tool(box, report, pool):
    run(box, pool, "retain p 0", "set p", "stream s",
        *["alloc_async a 5000 s", "free_async a s"] * 20,
        "alloc_async b 5000 s")
    assert report() == {"heaps": 1, "heaps_left": 1, "pieces": 21,
                        "pieces_left": 1, "wrong": 0}


@pytest.mark.parametrize("pool", PLACING)
def test_a_tool_hears_of_pinned_memory_as_well(box, report, pool):
    run(box, pool, "create x 0", "pin a 5000 0", "pin b 5000 0", "unpin a")
    assert report() == {"heaps": 1, "heaps_left": 1, "pieces": 2,
                        "pieces_left": 1, "wrong": 0}


@pytest.mark.parametrize("pool", PLACING)
def test_pieces_end_with_their_context(box, report, pool):
    run(box, pool, "create x 0", "alloc a 5000", "alloc b 5000", "free b",
        "destroy x", "create y 0", "free a", "alloc c 5000")
    assert report() == {"heaps": 2, "heaps_left": 1, "pieces": 3,
                        "pieces_left": 1, "wrong": 0}


@pytest.mark.parametrize("pool", PLACING)
def test_a_piece_whose_free_is_refused_stays(box, report, pool):
    """No context is current, so CUDA refuses the free."""
    run(box, pool, "create x 0", "alloc a 5000", "pop x", "free a", "push x",
        "alloc b 5000")
    assert report() == {"heaps": 1, "heaps_left": 1, "pieces": 3,
                        "pieces_left": 2, "wrong": 0}


@pytest.mark.parametrize("pool", PLACING)
def test_heaps_end_when_their_memory_goes_back(box, report, pool):
    shell = box.shell(pool, "driver")
    for line in ("init", "create x 0", "alloc a 5000", "free a"):
        shell(line)
    box.mnm("swap", shell.pid, "no_pool")
    shell("alloc b 5000")
    shell("free b")
    shell.end()
    assert report() == {"heaps": 1, "heaps_left": 0, "pieces": 1,
                        "pieces_left": 0, "wrong": 0}


@pytest.mark.parametrize("pool", PLACING)
def test_a_tool_is_found_once_there_are_regions(box, report, pool):
    """It hears nothing of blocks that are allocations of CUDA's."""
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "create x 0", "alloc a 5000", "alloc b 5000",
                 "free a", "alloc c 5000", "free c"):
        shell(line)
    box.mnm("swap", shell.pid, pool)
    for line in ("alloc d 5000", "free b", "free d", "alloc e 5000", "free e",
                 "alloc f 5000"):
        shell(line)
    shell.end()
    assert report() == {"heaps": 1, "heaps_left": 1, "pieces": 3,
                        "pieces_left": 1, "wrong": 0}


def test_a_region_that_the_driver_keeps_is_a_heap_again(box, report):
    """The first attempt to give its memory back is refused."""
    shell = box.shell("best_fit_pool", "driver",
                      sim_fail="cuMemFree_v2:1:600")
    for line in ("init", "create x 0", "alloc a 5000", "free a"):
        shell(line)
    box.mnm("trim", shell.pid)
    shell("alloc b 5000")
    shell.end()
    assert report() == {"heaps": 3, "heaps_left": 2, "pieces": 2,
                        "pieces_left": 1, "wrong": 0}
    assert box.stat()["driver_allocs"] == 2


def test_threads_tell_a_tool_of_all_they_do(box, report):
    box.run([CHURN, "8", "2000"], "best_fit_pool", sim="256M")
    assert report()["wrong"] == report()["pieces_left"] == 0
    assert report()["pieces"] > 10000


def test_no_tool_is_looked_for_without_regions(box, report):
    run(box, "page_unit_pool", "create x 0", "alloc a 5000", "free a")
    assert report() is None


def fast_is_open(box):
    """Whether the thread caches serve, who take no lock for most pairs."""
    done = box.run([WARM_PAIRS, "1000"], "vmm_pool")
    return int(done.stdout.split()[1]) < 100


@plain_build_only
def test_a_tool_that_is_deaf_to_memory_costs_nothing(box, report, monkeypatch):
    monkeypatch.setenv("NVTX_TOOL_DEAF", "1")
    assert fast_is_open(box)
    assert report()["pieces"] == 0
    monkeypatch.delenv("NVTX_TOOL_DEAF")
    assert not fast_is_open(box)
    monkeypatch.delenv("NVTX_INJECTION64_PATH")
    assert fast_is_open(box)


@plain_build_only
def test_a_tool_that_can_not_be_loaded_costs_nothing(box, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", "/nowhere/tool.so")
    assert fast_is_open(box)
