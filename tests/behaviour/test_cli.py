"""The command line."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys

import pytest

from conftest import (BUILD, DEADLINE, FORMS, MNM, SANITIZERS,
                      plain_build_only, program)
from test_pool import open_shell, took

COMMANDS = ["run", "ps", "pools", "stat", "set", "swap", "reset", "trim",
            "record", "report", "export", "import", "plan", "doctor", "help",
            "version"]
FREE_PID = 4194303  # the highest number that there can be, so hardly in use


@pytest.fixture
def shell(box):
    started = box.shell("page_unit_pool")
    for line in ("alloc a 5000", "alloc b 3145728", "free b"):
        took(started, line)
    return started


def mnm_run(box, words, stdin="", **options):
    """Runs `mnm run`, which finds the preload itself. A sanitizer's runtime
    has to be named first. Its own check is off, as our library comes before
    it."""
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
    assert box.mnm(command, "-h").stdout == done.stdout
    assert box.mnm("help", command).stdout == done.stdout
    assert f"  mnm {command}" in box.mnm("--help").stdout


@pytest.mark.parametrize("words", [
    [], ["nonsense"], ["stat"], ["stat", "x"], ["stat", "0"], ["stat", "-1"],
    ["stat", "1", "2"], ["stat", "1", "--nonsense"], ["stat", "1", "--all"],
    ["swap", "1"], ["swap", "--all"], ["swap", "1", "a", "b"], ["swap"],
    ["pools", "x"], ["ps", "1"], ["stat", "1", "--no-wait"], ["run"],
    ["trim", "99999999999999999999"], ["stat", "1", "--device"],
    ["run", "--nonsense", "true"], ["run", "--pool"],
    ["run", "--set", "true"], ["run", "--set", "x=y", "true"],
    ["doctor", "--nonsense"], ["help", "nonsense"], ["help", "ps", "x"],
    ["set", "1"], ["set", "1", "a", "b", "c"], ["stat", "1", "--watch"],
    ["version", "x"], ["--version", "x"], ["-V", "x"], ["version", "--json"],
    ["--help", "nonsense"], ["-h", "ps", "x"], ["help", "version", "x"],
    ["ps", "--watch", "0"], ["ps", "--watch=x"], ["ps", "--watch", "1e9"],
    ["record", "1"], ["record", "1", "start", "a", "b"],
    ["record", "1", "start", "a", "--max-size", "x"], ["export"],
    ["report"], ["report", "a", "--device", "x"],
    ["export", "a", "b"], ["import", "a"], ["import", "-o", "b"], ["export", "a", "--format", "x"],
    ["ps", "--watch", "-1"], ["ps", "--watch", "nan"], ["ps", "--all-figures"], ["run", "--sim=nonsense", "true"], ["run", "--sim=/nowhere", "true"]])
def test_a_wrong_command_line_is_status_2_and_told(box, words):
    done = box.mnm(*words, check=False)
    assert done.returncode == 2
    assert done.stdout == "" and done.stderr.startswith("mnm")


@pytest.mark.parametrize("words, why", [
    (["stat", "1", "--no-wait"], "--no-wait has no meaning here"),
    (["run", "--json", "true"], "--json has no meaning here"),
    (["stat", "1", "--json=x"], "'--json=x' is not understood"),
    (["stat", "1", "--al"], "'--al' is not understood"),  # short for two
    (["stat", "1", "-x"], "'-x' is not understood"),
    (["stat", "1", "-xy"], "'-xy' is not understood"),
    (["ps", "-xx"], "'-xx' is not understood"),
    (["run", "-xhy", "--", "true"], "'-xhy' is not understood"),
    (["ps", "--help=1"], "'--help=1' is not understood"),
    (["run", "--pool"], "--pool needs a value"),
    (["run", "--set", "true", "true"], "--set 'true' is not KEY=VALUE"),
    (["run", "--sim"], "no PROGRAM"), (["run", "--"], "no PROGRAM"),
    (["stat"], "no PID and no --all"), (["stat", "1x"], "'1x' is no PID"),
    (["swap", "1"], "no POOL"), (["set", "--all"], "no OPTION"),
    (["swap", "--all", "a", "b"], "'b' is one word too many"),
    (["ps", "--watch=x"], "--watch 'x'; allowed: 0.1 to 86400 seconds")])
def test_a_wrong_word_is_named_with_the_usage_line(box, words, why):
    done = box.mnm(*words, check=False)
    usage = re.sub(r"\n +", " ", box.mnm(words[0], "--help").stdout)
    usage = usage.split("\n")[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mnm {words[0]}: {why}; {usage}\n"


def test_options_stand_anywhere_and_may_be_shortened(box, shell):
    for words in (["stat", "--json", shell.pid], ["stat", shell.pid, "--js"],
                  ["stat", "--device=0", "--json", "--", shell.pid]):
        assert json.loads(box.mnm(*words).stdout)["pid"] == shell.pid


@pytest.mark.parametrize("words, pool", [
    (["--pool", "no_pool", "--set", "pool=page_unit_pool"], "page_unit_pool"),
    (["--set", "pool=page_unit_pool", "--pool", "no_pool"], "no_pool")])
def test_of_two_settings_the_last_is_meant(box, words, pool):
    done = mnm_run(box, [*words, "--", "sh", "-c", "echo $MNM_POOL"])
    assert done.stdout == f"{pool}\n"


@pytest.mark.parametrize("words, what", [
    (["swap", "PID", b"no\xffpool"], "POOL 'no?pool'"),
    (["set", "PID", "fence", ""], "VALUE ''"),
    (["set", "PID", "fence sync"], "OPTION 'fence sync'"),
    (["swap", "PID", ""], "POOL ''"), (["swap", "--all", ""], "POOL ''"),
    (["swap", "PID", "no_pool x"], "POOL 'no_pool x'"),
    (["swap", "PID", "no_pool --device 0"], "POOL 'no_pool --device 0'"),
    (["trim", "PID", "--device", ""], "--device ''")])
def test_what_is_no_word_or_two_is_refused(box, shell, words, what):
    """A script passes such words if its variable is not set."""
    words = [str(shell.pid) if word == "PID" else word for word in words]
    done = subprocess.run([MNM, *words], env=box.env(None), check=False,
                          capture_output=True, timeout=DEADLINE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode(errors="replace").startswith(
        f"mnm {words[0]}: {what} is not one word; usage: ")


@pytest.mark.parametrize("words", [
    ["--pool", "nonsense"], ["--pool", "0:nonsense"], ["--pool", "64:no_pool"],
    ["--set", "page_size=3000"], ["--set", "pool_limit=12Q"],
    ["--set", "pool=nonsense"], ["--set", "log=loud"], ["--set", "disable=2"],
    ["--set", "fence=none"], ["--set", "fence=none", "--set", "force=0"],
    ["--set", "socket_dir=/" + 120 * "x"]])
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


@pytest.mark.parametrize("words, env", [
    (["--set", "fence=none", "--set", "force=1"], {}),
    (["--set", "force=1", "--set", "fence=none"], {}),
    (["--set", "fence=none"], {"force": 1})])
def test_run_takes_what_is_forced(box, words, env):
    done = mnm_run(box, [*words, "--", "sh", "-c", "echo $MNM_FENCE"], **env)
    assert done.stdout == "none\n"


@pytest.mark.parametrize("profile", ["0", "0G", "1M", "2097151"])
def test_a_simulated_device_without_memory_is_refused(box, profile):
    done = box.mnm("run", f"--sim={profile}", "--", "true", check=False)
    assert done.returncode == 2
    assert done.stderr == (f"mnm run: a device of '{profile}' is too small; "
                           "allowed: 2M and more\n")


@pytest.mark.parametrize("profile", ["t4", "8G"])
def test_a_profile_that_is_taken_for_the_program_is_told(box, profile):
    done = box.mnm("run", "--sim", profile, "--", "true", check=False)
    assert done.returncode == 127
    assert done.stderr == (f"mnm: {profile}: No such file or directory (for "
                           f"the simulated device: --sim={profile})\n")


@pytest.mark.parametrize("words, unchanged", [
    (["stat"], "pool"), (["set", "fence", "sync"], "fence"),
    (["swap", "no_pool"], "pool"), (["trim"], "idle_bytes"),
    (["set", "fence"], "fence")])
def test_an_unknown_pid_stands_for_no_other_program(box, shell, words,
                                                    unchanged):
    before = shell.stat()[unchanged]
    done = box.mnm(words[0], FREE_PID, *words[1:], check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"mnm: pid {FREE_PID}: no program of yours under "
                           "mnm has it\n")
    assert shell.stat()[unchanged] == before


@pytest.mark.parametrize("command", ["stat", "swap", "reset", "trim"])
def test_all_of_nothing_is_status_1(box, command):
    pool = ["no_pool"] if command == "swap" else []
    done = box.mnm(command, "--all", *pool, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1


@pytest.mark.parametrize("words, status", [
    (["/nowhere/program"], 127), (["no-such-program-anywhere"], 127),
    (["{box}/plain"], 126), (["{box}"], 126), (["{box}/orphan"], 126)])
def test_a_program_that_cannot_be_started_ends_as_a_shell_says(box, words,
                                                               status):
    for name, text, mode in (("plain", "echo", 0o644),
                             ("orphan", "#!/nowhere/interpreter\n", 0o755)):
        path = os.path.join(box.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
    words = [word.format(box=box.folder) for word in words]
    done = box.mnm("run", "--", *words, check=False)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(f"mnm: {words[0]}: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [
    ["swap", "PID", "nonsense"], ["swap", "PID", "no_pool", "--device", "7"],
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


@pytest.mark.parametrize("name", ["nothing", "n" * 40])
def test_an_unknown_option_is_answered_by_all_there_are(box, shell, name):
    known = list(shell.ask("stat")["options"])
    for words in (["set", shell.pid, name, 1], ["set", shell.pid, name],
                  ["run", "--set", f"{name}=1", "--", "true"]):
        done = box.mnm(*words, check=False)
        assert done.returncode and done.stderr.count("\n") == 1
        assert done.stderr.split("known:")[1].split() == known


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
    assert trim["devices"][0]["pending_bytes"] == 0  # the program is at rest
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
    """The columns at which a word ends."""
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
    lines = [line for line in lines if line.startswith("  ") and
             "=" not in line]
    values = [line[2:37].rstrip() for line in lines]
    assert len({len(value) for value in values}) == 1
    assert all(line[37:39] == "  " for line in lines[3:])


def test_the_figures_fit_80_columns(box, shell):
    for words in ([], ["--all-figures"]):
        text = box.mnm("stat", shell.pid, *words).stdout
        assert max(map(len, text.splitlines())) <= 80


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


def test_an_option_is_read_back(box, shell):
    def told(*words):
        return box.mnm("set", shell.pid, *words).stdout

    assert told("fence") == "fence is fence\n"
    assert told("fence", "sync") == "fence is now sync\n"
    assert told("fence") == "fence is sync\n"
    assert told("quarantine", "1.5MiB") == "quarantine is now 1536K\n"
    assert told("pool") == "pool is page_unit_pool\n"
    assert told("hard_limit") == "hard_limit is 0\n"
    answer = json.loads(box.mnm("set", shell.pid, "fence", "--json").stdout)
    assert (answer["option"], answer["value"]) == ("fence", "sync")
    assert box.mnm("set", "--all", "fence").stdout == (
        f"pid {shell.pid}: fence is sync\n")
    done = box.mnm("set", shell.pid, "colour", check=False)
    assert done.returncode == 1 and "page_size" in done.stderr


def test_stat_shows_the_options(box):
    shell = box.shell("no_pool,1:page_unit_pool", hard_limit="8GB",
                      stat_file="")
    took(shell, "alloc a 5000")
    box.mnm("set", shell.pid, "quarantine", "64MiB")
    text = box.mnm("stat", shell.pid).stdout
    assert max(map(len, text.splitlines())) <= 100
    words = text[text.index("options "):].split()[1:]
    assert "pool=no_pool,1:page_unit_pool" in words
    assert "hard_limit=8G" in words and "quarantine=64M" in words
    assert not any(word.startswith(("pool_limit", "stat_file", "force"))
                   for word in words)
    text = box.mnm("stat", shell.pid, "--all-figures").stdout
    assert "pool_limit=0" in text and "stat_file=" in text
    options = json.loads(box.mnm("stat", shell.pid,
                                 "--json").stdout)["options"]
    assert options["hard_limit"] == "8G" and options["pool_limit"] == "0"


def test_stat_leaves_out_what_is_zero(box, shell):
    names = [line.split()[0] for line in
             box.mnm("stat", shell.pid).stdout.splitlines()
             if line.startswith("  ")]
    full = [line.split()[0] for line in
            box.mnm("stat", shell.pid, "--all-figures").stdout.splitlines()
            if line.startswith("  ")]
    device = json.loads(box.mnm("stat", shell.pid, "--json").stdout)[
        "devices"][0]
    for name, value in device.items():
        if name != "device":
            assert name in full
            assert (name in names) == (value != 0), name


@pytest.mark.parametrize("words, pools", [
    ("0:no_pool", {0: "no_pool", 1: "page_unit_pool"}),
    ("0:page_unit_pool,1:no_pool", {0: "page_unit_pool", 1: "no_pool"}),
    ("no_pool,1:page_unit_pool", {0: "no_pool", 1: "page_unit_pool"}),
    ("host:no_pool", {0: "page_unit_pool", 1: "page_unit_pool",
                      "host": "no_pool"}),
    ("no_pool", {0: "no_pool", 1: "no_pool"}),
])
def test_a_swap_may_name_devices(box, words, pools):
    shell = box.shell("page_unit_pool", devices=2)
    for line in ("alloc a 5000", "device 1", "alloc b 5000"):
        took(shell, line)
    box.mnm("swap", shell.pid, words, "--no-wait")
    devices = shell.ask("stat")["devices"]
    assert {d["device"]: d["pool"] for d in devices} == pools


def test_a_swap_of_pinned_memory_is_for_what_is_pinned_later_too(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    took(shell, "alloc a 5000")
    box.mnm("swap", shell.pid, "host:no_pool", "--no-wait")
    took(shell, "pin h 5000 0")
    took(shell, "unpin h")
    assert shell.stat("host")["driver_frees"] == 1


@pytest.mark.parametrize("words", [
    ["0:no_pool,0:page_unit_pool"], ["1:no_pool"], ["0:nonsense"],
    ["0:no_pool,1:no_pool"], ["no_pool,no_pool"], ["x:no_pool"], ["0:"],
    ["0:no_pool", "--device", "1"], ["host:no_pool", "--device", "0"],
    ["host:no_pool,1:no_pool"]])
def test_a_wrong_swap_changes_nothing(box, shell, words):
    before = shell.ask("stat")["devices"]
    done = box.mnm("swap", shell.pid, *words, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert shell.ask("stat")["devices"] == before


def test_a_size_for_the_simulated_device_may_be_written_as_any(box):
    done = mnm_run(box, ["--sim=1.5GiB", "--", program("shell_shared")],
                   stdin="info\n")
    assert done.stdout.split()[3] == str(3 << 29)


@pytest.mark.parametrize("words", [
    ["ps"], ["ps", "--json"], ["pools"], ["--help"], ["-V"], ["stat", "-h"],
    ["help", "run"], ["run", "--help"], ["doctor", "--help"], ["stat", "PID"],
    ["trim", "PID"], ["ps", "--watch", "0.1"]], ids=" ".join)
@pytest.mark.parametrize("where", ["full", "closed"])
def test_output_that_cannot_be_written_is_status_1(box, shell, words, where):
    words = [str(shell.pid) if word == "PID" else word for word in words]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >' + {"full": "/dev/full",
                                      "closed": "&-"}[where],
         "sh", MNM, *words], env=box.env(None), stderr=subprocess.PIPE,
        text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("mnm: standard output: ")
    assert done.stderr.count("\n") == 1
    assert shell.stat()["live_bytes"] == 5000


@plain_build_only
def test_a_program_gets_the_streams_that_mnm_got(box):
    def streams(*words):
        return subprocess.run(
            ["sh", "-c", 'exec "$@" <&- >&-', "sh", *words, "sh", "-c",
             "ls /proc/self/fd >&2"], env=box.env(None), text=True,
            stderr=subprocess.PIPE, timeout=DEADLINE, check=True).stderr

    assert streams(MNM, "run", "--") == streams()


def test_stat_of_nothing_is_an_empty_list(box):
    done = box.mnm("stat", "--all", "--json")
    assert (json.loads(done.stdout), done.stderr) == ([], "")
    done = box.mnm("trim", "--all", "--json", check=False)
    assert done.returncode == 1 and json.loads(done.stdout) == []


def test_json_says_who_answers(box, shell):
    with open(f"/proc/{shell.pid}/stat", encoding="ascii") as file:
        ticks = int(file.read().rsplit(")", 1)[1].split()[19])
    with open("/proc/stat", encoding="ascii") as file:
        boot = next(int(line.split()[1]) for line in file
                    if line.startswith("btime"))
    start = boot + ticks / os.sysconf("SC_CLK_TCK")
    for words in (["stat", shell.pid], ["set", shell.pid, "fence"],
                  ["trim", shell.pid], ["reset", shell.pid],
                  ["swap", shell.pid, "no_pool"], ["ps"]):
        answer = json.loads(box.mnm(*words, "--json", *(
            [] if words[0] in ("ps", "set", "stat") else ["--no-wait"]))
            .stdout)
        answer = answer[0] if words[0] == "ps" else answer
        assert answer["schema"] == 1
        assert (answer["pid"], answer["uid"]) == (shell.pid, os.geteuid())
        assert answer["program"] == "shell_shared"
        assert answer["arguments"] == FORMS["shared"]
        assert abs(answer["start_time"] - start) <= 2
    assert shell.ask("pools")["schema"] == 1


@plain_build_only
def test_the_table_fits_80_columns_and_names_the_script(box):
    script = os.path.join(box.folder, "train_a_large_model.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write("import ctypes, sys\n"
                   "cuda = ctypes.CDLL('libcuda.so.1')\n"
                   "out = ctypes.c_void_p()\n"
                   "assert not cuda.cuInit(0)\n"
                   "assert not cuda.cuDevicePrimaryCtxRetain("
                   "ctypes.byref(out), 0)\n"
                   "assert not cuda.cuCtxSetCurrent(out)\n"
                   "assert not cuda.cuMemAlloc_v2(ctypes.byref(out), "
                   "ctypes.c_size_t(3 << 30))\n"
                   "print('ready', flush=True)\nsys.stdin.read()\n")
    shell = box.start([sys.executable, "-u", script, "--epochs", "3"],
                      "page_unit_pool", sim="8G")
    assert shell.read() == "ready"
    head, row = box.mnm("ps").stdout.splitlines()
    assert len(head) <= 79 and len(row) <= 79
    assert row.split()[:3] == [str(shell.pid), "train_a_large_mode", "0"]
    assert row.split()[4:8] == ["3.00", "GiB", "3.00", "GiB"]
    assert box.mnm("stat", shell.pid).stdout.startswith(
        f"train_a_large_model.py, pid {shell.pid}\n")
    job, = json.loads(box.mnm("ps", "--json").stdout)
    assert job["arguments"][1:] == ["-u", script, "--epochs", "3"]
    assert job["program"].startswith("python")


def on_terminal(box, words, stop_after=None, **env):
    """What mnm writes to a terminal. It is stopped once stop_after has been
    seen twice."""
    reader, writer = pty.openpty()
    made = {**box.env(None), "TERM": "xterm", **env}
    if not env.get("NO_COLOR"):
        made.pop("NO_COLOR", None)
    process = subprocess.Popen([MNM, *words], env=made, stdout=writer)
    os.close(writer)
    text = b""
    while True:
        assert select.select([reader], [], [], DEADLINE)[0]
        try:
            got = os.read(reader, 65536)
        except OSError:
            break
        if not got:
            break
        text += got
        if stop_after and text.count(stop_after) > 1:
            process.send_signal(signal.SIGINT)
            stop_after = None
    os.close(reader)
    return process.wait(DEADLINE), text.decode()


@plain_build_only
def test_doctor_fits_a_terminal(box):
    """Only a longer path does not fit. In a pipe each finding is one line."""
    status, text = on_terminal(box, ["doctor", "--", sys.executable],
                               NO_COLOR="1", LD_LIBRARY_PATH="/nowhere")
    piped = subprocess.run(
        [MNM, "doctor", "--", sys.executable], check=False, text=True,
        env={**box.env(None), "LD_LIBRARY_PATH": "/nowhere"},
        capture_output=True)
    lines = text.replace("\r", "").splitlines()
    assert all(len(line) <= 80 or " " not in line[20:] for line in lines)
    assert max(map(len, piped.stdout.splitlines())) > 80
    joined = " ".join(line.strip() for line in lines)
    assert joined.split() == piped.stdout.split()
    assert status == piped.returncode


def test_a_command_that_doctor_names_can_be_copied_from_a_terminal(box):
    path = os.path.join(box.folder, "python3")
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/bash\n")
    os.chmod(path, 0o755)
    _, text = on_terminal(box, ["doctor", "--", "python3"], NO_COLOR="1",
                          PATH=box.folder + ":" + os.environ["PATH"])
    assert "`python3 -c 'import sys; print(sys.executable)'`" in text


def test_colour_is_for_terminals_only(box, shell):
    assert "\x1b" not in box.mnm("ps").stdout
    assert "\x1b[1m" in on_terminal(box, ["ps"])[1]
    assert "\x1b" not in on_terminal(box, ["ps"], NO_COLOR="1")[1]
    assert "\x1b" not in on_terminal(box, ["ps"], TERM="dumb")[1]
    assert "\x1b" not in on_terminal(box, ["ps", "--json"])[1]
    text = on_terminal(box, ["doctor"], LD_LIBRARY_PATH="/nowhere")[1]
    assert re.search("\x1b\\[3[13]m(problem|warning)", text)
    assert "\x1b" not in box.mnm("doctor", check=False).stdout


def test_watch_looks_again_until_it_is_stopped(box, shell):
    status, text = on_terminal(box, ["ps", "--watch", "0.1"],
                               stop_after=b"shell_shared")
    assert status == 0 and text.count("shell_shared") >= 2
    assert text.count("\x1b[H\x1b[2J") >= 2 and text.endswith("\n")


@pytest.mark.parametrize("words", [["--watch", "0.1"], ["--watch=0.1"],
                                   ["--watch", "--json"]])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_watch_stops_well_in_a_pipe(box, shell, words, number):
    process = subprocess.Popen([MNM, "ps", *words], env=box.env(None),
                               stdout=subprocess.PIPE, text=True)
    text = process.stdout.readline() + process.stdout.readline() * (
        "--json" not in words)
    process.send_signal(number)
    rest = process.stdout.read()
    assert process.wait(DEADLINE) == 0
    assert str(shell.pid) in text and "\x1b" not in text + rest
    if "--json" in words:
        assert json.loads(text)[0]["pid"] == shell.pid


@pytest.mark.parametrize("words", [
    [], *([command] for command in ("run", "ps", "pools", "stat", "set", "swap",
                                    "reset", "trim", "record", "report",
                                    "export", "import",
                                    "plan", "doctor",
                                    "help", "version"))])
def test_help_fits_a_terminal(box, words):
    text = box.mnm(*words, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80


def test_short_words_for_help_and_version(box):
    assert box.mnm("-h").stdout == box.mnm("--help").stdout
    assert box.mnm("help").stdout == box.mnm("--help").stdout
    assert box.mnm("-h", "ps").stdout == box.mnm("ps", "--help").stdout
    assert box.mnm("-V").stdout == box.mnm("--version").stdout
    assert box.mnm("-V").stdout == box.mnm("version").stdout


HOSTILE = "a\x1b]0;b\x07c\x9bd\u202ee\n"


@pytest.mark.parametrize("words", [
    [HOSTILE], ["report", HOSTILE], ["report", "--device", HOSTILE, "x"],
    ["export", HOSTILE], ["export", "--format", HOSTILE, "x"],
    ["export", "--output", HOSTILE + "/x", "/dev/null"], ["import", HOSTILE],
    ["import", HOSTILE, "-o", "x"], ["import", "/dev/null", "-o", HOSTILE],
    ["import", "x", "--format", HOSTILE, "-o", "y"], ["replay", HOSTILE],
    ["replay", "--scaled", HOSTILE, "x"], ["replay", "--device", HOSTILE, "x"],
    ["shadow", HOSTILE, "vmm_pool"], ["plan", HOSTILE],
    ["plan", "--fit", HOSTILE, "x"], ["stat", HOSTILE],
    ["record", HOSTILE, "start", "x"], ["report", "x", HOSTILE],
    ["run", "--sim=" + HOSTILE, "--", "true"], ["doctor", HOSTILE],
    ["run", "--set", "pool=" + HOSTILE, "--", "true"],
    ["run", "--set", HOSTILE, "--", "true"],
    ["run", "--plugin", HOSTILE, "--", "true"],
    ["run", "--frameworks=" + HOSTILE, "--", "true"],
    ["run", "--record", HOSTILE + "/x", "--", "/none" + HOSTILE],
    ["swap", "1", HOSTILE], ["top", HOSTILE], ["help", HOSTILE]])
def test_no_name_of_a_message_is_obeyed_by_a_terminal(box, tmp_path,
                                                      monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = box.mnm(*words, check=False)
    said = done.stdout + done.stderr
    assert done.returncode and said
    assert said.isascii() and not re.search(r"[^\n -~]", said), said
