"""The command line."""

import json
import os
import signal

import pytest

from conftest import BUILD, FORMS, SANITIZERS, program
from test_pool import took

COMMANDS = ["run", "ps", "pools", "stat", "swap", "reset", "trim",
            "doctor"]
FREE_PID = 4194303  # the last that there can be, so hardly in use


@pytest.fixture
def shell(box):
    started = box.shell("page_unit_pool")
    for line in ("alloc a 5000", "alloc b 3145728", "free b"):
        took(started, line)
    return started


def mnm_run(box, words, stdin="", **options):
    """mnm run, which finds the preload itself. A sanitizer's runtime has to
    be named first, and that is not checked when ours comes before it."""
    env_of = box.env

    def env(pool, **more):
        made = env_of(pool, preload=False, **more)
        made["LD_PRELOAD"] = ":".join(SANITIZERS)
        made["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + made.get(
            "ASAN_OPTIONS", "")
        for name in ("MNM_POOL", "MNM_SIM", "LD_LIBRARY_PATH"):
            made.pop(name, None)
        return made

    box.env = env
    try:
        return box.run([os.path.join(BUILD, "mnm"), "run", *words],
                       "page_unit_pool", stdin=stdin, **options)
    finally:
        box.env = env_of


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(box, command):
    done = box.mnm(command, "--help")
    assert done.stdout.startswith(f"usage: mnm {command}")
    assert done.stderr == ""
    assert f"  mnm {command}" in box.mnm("--help").stdout


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["stat"], ["stat", "x"], ["stat", "0"], ["stat", "-1"],
    ["stat", "1", "2"], ["stat", "1", "--nonsense"], ["stat", "1", "--all"],
    ["swap", "1"], ["swap", "--all"], ["swap", "1", "a", "b"], ["swap"],
    ["pools", "x"], ["ps", "1"], ["stat", "1", "--no-wait"], ["run"],
    ["trim", "99999999999999999999"], ["stat", "1", "--device"],
    ["run", "--nonsense", "true"], ["run", "--pool"],
    ["run", "--set", "true"], ["run", "--set", "x=y", "true"],
    ["doctor", "--nonsense"], ["run", "--sim=nonsense", "true"], ["run", "--sim=/nowhere", "true"]])
def test_a_wrong_command_line_is_status_2_and_told(box, words):
    done = box.mnm(*words, check=False)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith("mnm")


@pytest.mark.parametrize("words", [
    ["--pool", "nonsense"], ["--pool", "0:nonsense"], ["--pool", "64:no_pool"],
    ["--set", "page_size=3000"], ["--set", "pool_limit=12Q"],
    ["--set", "pool=nonsense"], ["--set", "log=loud"], ["--set", "disable=2"]])
def test_run_refuses_a_wrong_option_without_starting(box, words):
    mark = os.path.join(box.folder, "started")
    done = box.mnm("run", *words, "--", "touch", mark, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "allowed" in done.stderr
    assert not os.path.exists(mark)


@pytest.mark.parametrize("command", ["stat", "swap", "reset", "trim"])
def test_an_unknown_pid_is_status_1_and_one_line(box, command):
    pool = ["no_pool"] if command == "swap" else []
    done = box.mnm(command, FREE_PID, *pool, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and str(FREE_PID) in done.stderr


@pytest.mark.parametrize("command", ["stat", "swap", "reset", "trim"])
def test_all_of_nothing_is_status_1(box, command):
    pool = ["no_pool"] if command == "swap" else []
    done = box.mnm(command, "--all", *pool, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1


def test_a_program_that_is_not_there_is_status_1(box):
    done = box.mnm("run", "/nowhere/program", check=False)
    assert done.returncode == 1 and "/nowhere/program" in done.stderr


@pytest.mark.parametrize("words", [
    ["swap", "PID", "nonsense"], ["swap", "PID", "no_pool x"],
    ["swap", "PID", ""], ["swap", "PID", "no_pool", "--device", "7"],
    ["swap", "PID", "no_pool", "--device", "x"], ["swap", "PID", "n" * 2000],
    ["stat", "PID", "--device", "7"], ["trim", "PID", "--device", "7"]])
def test_what_the_program_refuses_is_status_1_and_changes_nothing(
        box, shell, words):
    before = shell.stat()
    done = box.mnm(*[shell.pid if w == "PID" else w for w in words],
                   check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert shell.stat() == before


def test_an_empty_list_is_a_list(box):
    assert json.loads(box.mnm("ps", "--json").stdout) == []
    assert box.mnm("ps").stdout.count("\n") == 1


def test_json_of_each_command_says_what_was_done(box, shell):
    listed = json.loads(box.mnm("ps", "--json").stdout)
    assert [p["pid"] for p in listed] == [shell.pid]
    names = [p["name"] for p in json.loads(box.mnm("pools", "--json").stdout)]
    assert set(names) >= {"no_pool", "page_unit_pool"}
    stat = json.loads(box.mnm("stat", shell.pid, "--json").stdout)
    assert stat["devices"][0]["live_bytes"] == 5000
    trim = json.loads(box.mnm("trim", shell.pid, "--json",
                              "--no-wait").stdout)
    assert trim["devices"][0]["idle_bytes"] == 3145728
    assert trim["devices"][0]["pending_bytes"] == 3145728
    swap = json.loads(box.mnm("swap", shell.pid, "no_pool", "--json",
                              "--no-wait").stdout)
    assert swap["devices"][0]["before"] == "page_unit_pool"
    assert swap["devices"][0]["after"] == "no_pool"
    assert swap["devices"][0]["retired_bytes"] == 8192
    reset = json.loads(box.mnm("reset", shell.pid, "--json",
                               "--no-wait").stdout)
    assert reset["devices"][0]["after"] == "page_unit_pool"
    took(shell, "free a")
    assert shell.stat()["pending_bytes"] == 0


def test_all_reaches_each_program(box, shell):
    other = box.shell("no_pool")
    took(other, "alloc a 100")
    done = box.mnm("swap", "--all", "page_unit_pool", "--json", "--no-wait")
    assert sorted(p["pid"] for p in json.loads(done.stdout)) == sorted(
        [shell.pid, other.pid])
    assert other.stat()["pool"] == "page_unit_pool"
    text = box.mnm("stat", "--all").stdout
    assert str(shell.pid) in text and str(other.pid) in text


def test_a_change_is_told_in_words(box, shell):
    line = box.mnm("swap", shell.pid, "no_pool", "--no-wait").stdout
    assert line.startswith(f"pid {shell.pid} device 0: "
                           "page_unit_pool -> no_pool, ")
    assert line.count("\n") == 1


def test_the_figures_start_with_program_and_pid(box, shell):
    text = box.mnm("stat", shell.pid).stdout
    assert text.startswith(f"shell_shared, pid {shell.pid}\ndevice 0\n")


def edges(line):
    """Columns at which a word ends."""
    return {i for i, c in enumerate(line)
            if c != " " and line[i + 1:i + 2] in ("", " ")}


def test_the_table_of_programs_is_aligned(box, shell):
    other = box.shell("no_pool", "static")
    took(other, "alloc a 33554432")
    head, *rows = box.mnm("ps").stdout.splitlines()
    assert len(rows) == 2
    assert {len(row) for row in rows} == {len(head)}
    assert edges(head) >= {len(head) - 1}
    start = head.index("POOL")
    for row in rows:
        assert row[start - 2:start] == "  " and row[start] != " "
        assert row[:8].strip().isdigit()


def test_the_figures_of_a_device_are_aligned(box, shell):
    lines = box.mnm("stat", shell.pid).stdout.splitlines()[2:]
    values = [line[2:37].rstrip() for line in lines]
    assert len({len(value) for value in values}) == 1
    assert all(line[37:39] == "  " for line in lines[3:])


def test_run_takes_pool_options_and_device(box):
    done = mnm_run(box, ["--pool", "no_pool", "--sim=32M", "--set",
                         "hard_limit=16M", "--", *FORMS["shared"]],
                   stdin="info\nalloc a 5000\nfree a\n")
    assert done.stdout.split("\n")[0].split()[3] == str(16 << 20)
    assert box.stat()["pool"] == "no_pool" and box.stat()["frees"] == 1


def test_run_on_a_simulated_t4_is_the_default_profile(box):
    done = mnm_run(box, ["--sim", "--", program("shell_shared")],
                   stdin="info\n")
    assert done.stdout.split()[3] == str(15109 << 20)


def test_run_keeps_the_programs_words_and_status(box):
    done = mnm_run(box, ["--", "sh", "-c", "echo $0 $1; exit 7", "--pool",
                         "x y"], check=False)
    assert (done.returncode, done.stdout) == (7, "--pool x y\n")


def test_a_killed_programs_signal_is_not_hidden(box):
    done = mnm_run(box, ["--", "sh", "-c", "kill -TERM $$"], check=False)
    assert done.returncode == -signal.SIGTERM


def test_run_keeps_what_was_preloaded_before(box):
    env_of = box.env
    box.env = lambda pool, **options: {
        **env_of(pool, preload=False), "LD_PRELOAD": ":".join(SANITIZERS),
        "ASAN_OPTIONS": "verify_asan_link_order=0"}
    done = box.run([os.path.join(BUILD, "mnm"), "run", "--", "sh", "-c",
                    "echo $LD_PRELOAD"])
    assert done.stdout.strip().split(":") == [
        *SANITIZERS, os.path.join(BUILD, "libmnm.so")]
