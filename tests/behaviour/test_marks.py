"""Where a program's iterations begin is told by the names of its NVTX ranges, or
over the control socket."""

import json
import os
import re
import subprocess

import pytest

from conftest import (BUILD, DEADLINE, LIBRARY, MNM, SANITIZERS,
                      plain_build_only)
from test_pool import open_shell, took

RANGES = os.path.join(BUILD, "tests", "programs", "nvtx_ranges")
FORKS = os.path.join(BUILD, "tests", "programs", "nvtx_forks")
TOOL = os.path.join(BUILD, "tests", "programs", "nvtx_behind.so")
INSIDE = os.path.join(BUILD, "tests", "programs", "nvtx_inside")
MEMORY_TOOL = os.path.join(BUILD, "tests", "programs", "nvtx_tool.so")
FORMS = ["push_a", "push_w", "push", "start_a", "start_w", "start",
         "domain_push", "domain_start"]
LAPS = 9


@pytest.fixture(autouse=True)
def no_tool(monkeypatch):
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)


@pytest.fixture(name="report")
def report_of(box, monkeypatch):
    """What the tool has heard beside the last program; None if it was not
    loaded."""
    path = os.path.join(box.folder, "tool.json")
    monkeypatch.setenv("NVTX_TOOL_REPORT", path)

    def read():
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    return read


def run(box, form, iteration="nvtx:^iteration", check=True, words=(),
        program=RANGES):
    """Runs the program by `mnm run`."""
    env = box.env("tstack_pool", preload=False, plan_thread=0)
    if SANITIZERS:
        env["LD_PRELOAD"] = ":".join(SANITIZERS)
    command = [MNM, "run", "--set", f"iteration={iteration}", *words, "--",
               program, form, str(LAPS)]
    done = subprocess.run(command, env=env, capture_output=True, text=True,
                          check=False, timeout=DEADLINE)
    assert not check or done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("form", FORMS)
def test_a_range_of_that_name_begins_an_iteration(box, form):
    assert run(box, form).stderr == ""
    stat = box.stat()
    assert stat["iterations"] == LAPS
    assert stat["plan"]["plans"] >= 1


def test_a_fork_while_names_are_looked_at_leaves_the_child_able_to(box):
    """A lock that another thread held at the fork is held for ever in the
    child."""
    assert run(box, "push_a", program=FORKS).stderr == ""


@plain_build_only
@pytest.mark.parametrize("where", ["malloc", "handler", "fork"])
def test_a_range_within_the_look_at_another_does_not_wait_for_it(box, where):
    """To look at a name takes a lock and memory."""
    done = run(box, where, program=INSIDE)
    assert (done.stdout, done.stderr) == ("over\n", "")


@pytest.mark.parametrize("expression,marks", [
    ("nvtx:forward", LAPS), ("nvtx:iteration|forward", 2 * LAPS),
    ("nvtx:^iteration [0-4]$", 5), ("nvtx:^a layer", 0), ("", 0)])
def test_the_expression_says_which_ranges(box, expression, marks):
    run(box, "push_a", expression)
    assert box.stat()["iterations"] == marks


def test_a_name_of_wide_characters_is_looked_at_as_utf_8(box):
    run(box, "push_w", "nvtx:^iteration ä€$")
    assert box.stat()["iterations"] == LAPS


@pytest.mark.parametrize("value", ["nvtx:(", "nvtx:", "nvtx:a{2", "nvtx", "x:y",
                                   "nvtx:" + "a" * 600, "1"])
def test_what_is_no_expression_is_refused(box, value):
    done = run(box, "push_a", value, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"mnm run: iteration: '.*': .*; allowed: nvtx:REGEX, "
                        r"a POSIX extended regular expression\n", done.stderr)
    done = box.run([RANGES, "none", "1"], "page_unit_pool", iteration=value)
    assert "allowed: nvtx:REGEX" in done.stderr
    assert done.stderr.count("\n") == 1


def test_it_can_not_be_set_later(box):
    shell = open_shell(box, "tstack_pool")
    took(shell, "alloc a 5000")
    error = shell.ask("set iteration nvtx:x")["error"]
    assert error.startswith("option 'iteration' can't be set while")


def test_without_the_injection_one_line_says_what_to_set(box, monkeypatch):
    done = box.run([RANGES, "push_a", "3"], "tstack_pool",
                   iteration="nvtx:^iteration")
    assert done.stderr.count("\n") == 1
    assert f"NVTX_INJECTION64_PATH is not {LIBRARY}" in done.stderr
    assert box.stat()["iterations"] == 0
    monkeypatch.setenv("NVTX_INJECTION64_PATH", LIBRARY)
    done = box.run([RANGES, "push_a", "3"], "tstack_pool",
                   iteration="nvtx:^iteration")
    assert (done.stderr, box.stat()["iterations"]) == ("", 3)


@pytest.mark.parametrize("form,pushed", [("push_a", 2), ("domain_push", 2)])
def test_a_tool_that_was_injected_hears_all_that_it_would(
        box, report, monkeypatch, form, pushed):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    run(box, form)
    assert report() == {"ranges": pushed * LAPS, "ends": pushed * LAPS,
                        "strings": 2}
    assert box.stat()["iterations"] == LAPS


def test_so_does_one_without_the_option(box, report, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    run(box, "push_a", "")
    assert report()["ranges"] == 2 * LAPS
    assert box.stat()["iterations"] == 0


def test_so_does_one_for_memory(box, report, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", MEMORY_TOOL)
    run(box, "push_a")
    told = report()
    assert (told["wrong"], told["heaps"]) == (0, 1)
    assert told["pieces"] == LAPS * 24
    assert box.stat()["iterations"] == LAPS


def test_a_tool_that_fails_is_told_of(box, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    monkeypatch.setenv("NVTX_TOOL_FAILS", "1")
    done = run(box, "push_a")
    assert done.stderr.count("the NVTX tool behind mnm has failed") == 1


def test_a_tool_that_is_not_there_is_none(box, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", "/nowhere/tool.so")
    run(box, "push_a")
    assert box.stat()["iterations"] == LAPS


def test_a_run_in_a_run_does_not_lead_to_itself(box, report, monkeypatch):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", TOOL)
    run(box, "push_a", words=["--", MNM, "run"])
    assert box.stat()["iterations"] == LAPS
    assert report()["ranges"] == 2 * LAPS


def test_a_process_that_is_not_preloaded_is_left_alone(box, monkeypatch):
    """It has the variable from a parent."""
    monkeypatch.setenv("NVTX_INJECTION64_PATH", LIBRARY)
    if SANITIZERS:
        pytest.skip("the library needs its sanitizer first")
    done = box.run([RANGES, "push_a", "3"], "tstack_pool", preload=False,
                   iteration="nvtx:^iteration")
    assert "not preloaded" in done.stderr
    assert not os.path.exists(box.stat_file)


def test_mark_tells_of_an_iteration(box):
    shell = open_shell(box, "tstack_pool", plan_thread=0)
    took(shell, "alloc a 5000")
    for marks in 1, 2, 3:
        assert shell.ask("mark")["devices"] == [
            {"device": 0, "iterations": marks}]
    said = box.mnm("mark", shell.pid)
    assert said.stdout == f"pid {shell.pid} device 0: iteration 4 begins\n"
    told = json.loads(box.mnm("mark", shell.pid, "--json").stdout)
    assert told["devices"][0]["iterations"] == 5
    assert shell.stat()["iterations"] == 5
    refused = box.mnm("mark", shell.pid, "twice", check=False)
    assert refused.returncode == 2
    assert "error" in shell.ask("mark --device 0")
    shell.end()


def test_what_repeats_between_marks_is_found(box):
    """The requests between an iteration's end and the next mark are others
    each time, and so is their number."""
    shell = open_shell(box, "tstack_pool", plan_thread=0, sim="512M")
    took(shell, "alloc a 5000")
    for lap in range(8):
        for i in range(lap % 3):
            took(shell, f"alloc x {(9 + lap + i) * 51200}")
            took(shell, "free x")
        shell.ask("mark")
        for i in range(50):
            took(shell, f"alloc b{i} {(1 + i * 7 % 11) << 18}")
        for i in range(50):
            took(shell, f"free b{i}")
    assert shell.stat()["plan"]["plans"] >= 1
    shell.end()
