"""Recordings: the program's NVTX ranges."""

import json
import os
import subprocess

import pytest

from conftest import (BUILD, DEADLINE, MIB, MNM, SANITIZERS, plain_build_only,
                      program)
from recordings import events, export, report, told

RANGES = program("range_requests")
TOOL = os.path.join(BUILD, "tests", "programs", "nvtx_behind.so")
# By the size of what was asked for in them.
PATHS = {1: "epoch 1", 2: "epoch 1/vorw?rts",
         4: "epoch 1/vorw?rts/solver: step", 8: "epoch 1/solver: step",
         16: "epoch 1/load", 32: "(no range)", 64: "epoch 1",
         128: "(no range)"}


def run(box, path, *command, words=(), **options):
    """Runs a program by `mnm run`, which has NVTX hear of the library."""
    env = box.env("page_unit_pool", preload=False, sim="1G", **options)
    if SANITIZERS:
        env["LD_PRELOAD"] = ":".join(SANITIZERS)
    record = ["--record", path] if path else []
    done = subprocess.run([MNM, "run", *record, *words, "--", *command],
                          env=env, capture_output=True, text=True, check=True,
                          timeout=DEADLINE)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(params=[False, True], ids=["alone", "with a tool"])
def recorded(request, box, tmp_path, monkeypatch):
    path = tmp_path / "out"
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)
    if request.param:
        monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    run(box, path, RANGES)
    return path


def test_ranges_are_in_it_as_they_begin_and_end(box, recorded):
    rows = events(box, recorded)
    assert [(row["kind"], row["text"]) for row in rows
            if row["kind"] != "malloc"] == [
        ("push", "epoch 1"), ("push", "vorw??rts"), ("push", "solver: step"),
        ("pop", ""), ("point", "netz: senden"), ("pop", ""),
        ("start", "load"), ("pop", ""), ("stop", ""),
        ("point", "joined, \"there\""), ("pop", "")]
    numbers = [row["address"] for row in rows
               if row["kind"] in ("push", "pop")]
    solver = numbers[2]
    assert numbers == ["0", "0", solver, "0", solver, "0", "0"] != "0"
    load = [row for row in rows if row["kind"] in ("start", "stop")]
    assert load[0]["address"] == load[1]["address"]
    assert load[0]["thread"] != load[1]["thread"]


def test_the_report_says_in_which_ranges_who_asked(box, recorded):
    device, = told(box, recorded)["devices"]
    wanted = {path: sum(size * MIB for size, other in PATHS.items()
                        if other == path) for path in PATHS.values()}
    assert {r["range"]: r["bytes"] for r in device["ranges"]} == wanted
    assert sum(r["blocks"] for r in device["ranges"]) == len(PATHS)
    lines = report(box, recorded).stdout.splitlines()
    place = lines.index("   live then         blocks  asked for in")
    assert lines[place + 1].split() == ["160", "MiB", "63%", "2", "(no",
                                        "range)"]


def test_chrome_has_them_by_thread(box, recorded):
    text = export(box, recorded, "--format", "chrome").stdout
    ranges = [event for event in json.loads(text)["traceEvents"]
              if event.get("cat") == "nvtx"]
    assert [(event["ph"], event["name"]) for event in ranges] == [
        ("B", "epoch 1"), ("B", "vorw??rts"), ("B", "solver: step"),
        ("E", "vorw??rts"), ("E", "solver: step"), ("b", "load"),
        ("e", "load"), ("E", "epoch 1")]


def test_a_report_without_ranges_has_no_word_of_them(box, tmp_path):
    path = tmp_path / "out"
    box.run([program("sites")], "page_unit_pool", sim="1G", record=path)
    assert "asked for in\n" not in report(box, path).stdout
    assert all(d["ranges"] == [] for d in told(box, path)["devices"])


def test_nvtx_hears_of_the_library_only_to_record_or_to_mark(
        box, tmp_path, monkeypatch):
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)
    env = ["/usr/bin/env"]
    assert "NVTX_INJECTION64_PATH" not in run(box, None, *env)
    assert "NVTX_INJECTION64_PATH" in run(box, tmp_path / "out", *env)


def test_ranges_that_begin_iterations_are_recorded_as_well(box, tmp_path,
                                                           monkeypatch):
    path, heard = tmp_path / "out", tmp_path / "heard"
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    monkeypatch.setenv("NVTX_TOOL_REPORT", str(heard))
    run(box, path, program("nvtx_ranges"), "push_a", "3",
        words=["--set", "iteration=nvtx:^iteration"])
    kinds = [row["kind"] for row in events(box, path)]
    assert (kinds.count("push"), kinds.count("pop")) == (6, 6)
    assert kinds.count("mark") == 3
    assert json.loads(heard.read_text())["ends"] == 6


@plain_build_only
@pytest.mark.parametrize("where", ["malloc", "handler", "fork"])
def test_a_range_within_the_note_of_another_does_no_harm(box, tmp_path,
                                                         where):
    """The program calls no CUDA, so nothing is written."""
    assert run(box, tmp_path / "out", program("nvtx_inside"),
               where) == "over\n"


def test_a_forked_child_begins_ranges(box, tmp_path):
    assert run(box, tmp_path / "out", program("nvtx_forks"), "x", "9") == ""
