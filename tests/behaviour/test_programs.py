"""The small programs of examples/, of every kind that users have. Each gives
the same results without mnm, under each pool, and while its pool is
swapped."""

import functools
import os
import re
import sys
import tempfile

import pytest

from conftest import (EXAMPLES, MIB, POOLS, ROOT, Box, besides_refusals,
                      plain_build_only, races_only_without_tsan)

ROUNDS = range(1, 9)
KERNELS = os.path.join(EXAMPLES, "round_kernels.fatbin")
PYTHON = [sys.executable, "-B", os.path.join(ROOT, "examples",
                                             "ctypes_job.py")]
# name: the command, and how many of 100 requests must find an idle block. The
# number is lower than what is seen, as that depends on the schedule.
PROGRAMS = {
    "sort_scan": ([os.path.join(EXAMPLES, "sort_scan")], 75),
    "sort_scan_host": ([os.path.join(EXAMPLES, "sort_scan_host")], 75),
    "driver_loop": ([os.path.join(EXAMPLES, "driver_loop"), KERNELS], 75),
    "thread_streams": ([os.path.join(EXAMPLES, "thread_streams")], 20),
    "graph_relaunch": ([os.path.join(EXAMPLES, "graph_relaunch")], 10),
    "two_processes": ([os.path.join(EXAMPLES, "two_processes")], 20),
    "buffers": ([os.path.join(EXAMPLES, "buffers")], 2),
    "ctypes_job runtime": ([*PYTHON, "runtime"], 60),
    "ctypes_job driver": ([*PYTHON, "driver", KERNELS], 60),
}
EACH = [pytest.param(name, marks=plain_build_only)
        if name.startswith("ctypes") else name for name in PROGRAMS]
# What is said of memory that is passed to other processes, once in each.
SAID = re.compile(r"mnm: warn: (cuIpcGetMemHandle: only programs under mnm|"
                  r"this program has cudaIpcGetMemHandle).*\n")
SETTINGS = {"sim": "256M",
            "sim_kernels": os.path.join(EXAMPLES, "round.kernels.so")}


def run(box, name, pool, **options):
    """Runs it, and returns the lines of all rounds."""
    done = box.run(PROGRAMS[name][0], pool, **SETTINGS, **options,
                   stdin="".join(f"{seed}\n" for seed in ROUNDS))
    said = besides_refusals(done.stderr)
    assert (SAID.sub("", said) if name == "two_processes" else said) == ""
    return done.stdout.splitlines()


@functools.lru_cache(None)
def native(name):
    """Run once, with the checker of order, which shows that the programs are
    legal."""
    box = Box(tempfile.mkdtemp(prefix="mnm-test-", dir="/tmp"))
    try:
        lines = run(box, name, None, sim_check=1)
    finally:
        box.close()
    assert len(set(lines)) == len(ROUNDS)
    return lines



@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", EACH)
def test_results_are_the_same_under_each_pool(box, name, pool):
    assert run(box, name, pool) == native(name)
    stat = box.stat()
    assert stat["live_bytes"] == 0 and stat["allocs"] == stat["frees"] > 0
    if pool == "no_pool":
        assert stat["hits"] == stat["reserved_bytes"] == 0
    else:
        assert stat["hits"] * 100 >= stat["allocs"] * PROGRAMS[name][1]


@pytest.mark.parametrize("name", EACH)
def test_results_are_the_same_with_swaps_within_and_between_rounds(box, name):
    program = box.start(PROGRAMS[name][0], "page_unit_pool", **SETTINGS)
    program.send(ROUNDS[0])
    lines = [program.read()]
    for seed in ROUNDS[1:]:
        assert "devices" in program.ask("swap page_unit_pool")
        program.send(seed)
        assert "devices" in program.ask("swap no_pool")
        lines.append(program.read())
    program.end()
    assert lines == native(name) and besides_refusals(box.stderr()) == ""
    stat = box.stat()
    assert stat["live_bytes"] == stat["retired_bytes"] == 0
    assert stat["pool"] == "no_pool" and stat["driver_frees"] > 0


@pytest.mark.parametrize("name", EACH)
def test_results_are_the_same_in_any_order_that_cuda_allows(box, name):
    for seed in (1, 2):
        assert run(box, name, "page_unit_pool", sim_seed=seed, sim_check=1,
                   quarantine=0) == native(name)


@races_only_without_tsan
def test_without_a_guard_these_rounds_go_wrong(box):
    """Otherwise the test above would show nothing. Threads race for the
    driver, so a seed alone does not decide whether a round goes wrong. And
    each thread must meet blocks of the others, not only those that it has
    freed itself."""
    def goes_wrong(seed):
        done = box.run(PROGRAMS["thread_streams"][0], "page_unit_pool",
                       check=False, fence="none", force=1, sim_seed=seed,
                       thread_cache=0,
                       stdin="".join(f"{n}\n" for n in ROUNDS), **SETTINGS)
        return done.returncode == 1 and " is right\n" in done.stderr
    assert any(goes_wrong(seed) for seed in range(1, 21))


def test_each_of_two_processes_has_a_pool_of_its_own(box):
    run(box, "two_processes", "page_unit_pool",
        stat_file=os.path.join(box.folder, "stat-%p"))
    stats = [box.stat(path=os.path.join(box.folder, name))
             for name in os.listdir(box.folder) if name.startswith("stat-")]
    assert len(stats) == 2
    first, second = sorted(stats, key=lambda stat: -stat["driver_frees"])
    # Each free gives shared memory back, as it may not be reused.
    assert first["driver_frees"] == len(ROUNDS) == first["allocs"] / 2
    assert 0 < first["hits"] < second["hits"]
    assert second["driver_frees"] == second["imported_bytes"] == 0


def test_memory_that_ran_out_is_there_again_after_the_exception(box):
    run(box, "buffers", "page_unit_pool")
    stat = box.stat()
    assert stat["failures"] == len(ROUNDS) <= stat["trims"]
    assert stat["reserved_peak"] > 200 * MIB


@pytest.mark.parametrize("name", EACH)
def test_a_line_that_is_no_number_is_said_in_one(box, name):
    done = box.run(PROGRAMS[name][0], None, check=False, stdin="ten\n",
                   **SETTINGS)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.endswith(": not a number of 0 to 1000000: ten\n")
    assert done.stderr.count("\n") == 1


def test_memory_of_another_process_is_counted_until_it_is_closed(box):
    """The close fails, so the last figures still count the memory. It is
    counted in whole pages, as it is a block of the first process's pool."""
    box.run(PROGRAMS["two_processes"][0], "page_unit_pool", check=False,
            stdin="1\n", fail="cuIpcCloseMemHandle:1:999", **SETTINGS,
            stat_file=os.path.join(box.folder, "stat-%p"))
    opened = [box.stat(path=os.path.join(box.folder, name))["imported_bytes"]
              for name in os.listdir(box.folder) if name.startswith("stat-")]
    assert sorted(opened) == [0, 8 * 4096]


def test_the_table_of_programs_is_the_one_that_is_run():
    with open(os.path.join(ROOT, "docs", "compatibility.md"),
              encoding="utf-8") as file:
        rows = {line.split("`")[1]: line.split("|") for line in file
                if line.startswith("| `")}
    for name, (_, share) in PROGRAMS.items():
        assert rows[name][4].strip() == f"≥ {share} %", name
