"""mnm shadow: what other pools would need of a running program's requests."""

import json
import os
import re
import signal
import subprocess
import threading

import pytest

from conftest import DEADLINE, MNM, await_true
from test_pool import open_shell, took

POOL = "page_unit_pool"


class Shadow:
    """mnm shadow, which prints a line of JSON again and again."""

    def __init__(self, box, tmp_path, pid, pools, *words):
        self.tmp = tmp_path
        self.process = subprocess.Popen(
            [MNM, "shadow", "--json", "--watch", "0.1", *map(str, words),
             str(pid), pools], env=box.env_of_mnm(TMPDIR=str(tmp_path)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        box.processes.append(self.process)

    def await_figures(self, fit):
        """The first line that is as it is to be."""
        end = threading.Timer(DEADLINE, self.process.kill)
        end.start()
        try:
            for line in self.process.stdout:
                told = json.loads(line)
                if fit(told):
                    return told
        finally:
            end.cancel()
        raise AssertionError(self.process.stderr.read() or "it never is")

    def end(self, how=signal.SIGINT):
        if how:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=DEADLINE)
        return self.process.returncode, out, err

    def folders(self):
        return [name for name in os.listdir(self.tmp)
                if name.startswith("mnm-shadow")]


def of(told, pool, device=0):
    """The figures of a pool."""
    for shadow in told["shadows"]:
        for each in shadow["devices"]:
            if (shadow["pool"], each["device"]) == (pool, device):
                return each
    return {}


def live(told, pool, device=0):
    return of(told, pool, device).get("live_bytes")


@pytest.fixture
def shell(box):
    shell = open_shell(box, POOL, devices=2)
    took(shell, "alloc a 5000000")
    return shell


def test_it_follows_what_a_program_does(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, f"no_pool,{POOL},vmm_pool")
    shadow.await_figures(lambda told: live(told, "vmm_pool") == 5000000)
    took(shell, "alloc b 7000000")
    took(shell, "device 1")
    took(shell, "alloc c 3000")
    told = shadow.await_figures(lambda told: all(
        (live(told, pool), live(told, pool, 1)) == (12000000, 3000)
        for pool in ("no_pool", POOL, "vmm_pool")))
    assert of(told, "no_pool")["reserved_bytes"] == 12000000
    assert of(told, POOL)["reserved_bytes"] == shell.stat()["reserved_bytes"]
    took(shell, "device 0")
    took(shell, "free a")
    told = shadow.await_figures(
        lambda told: live(told, "no_pool") == 7000000)
    assert of(told, "no_pool")["reserved_peak"] == 12000000
    assert told["devices"][0]["pool"] == POOL and not told["dropped"]
    assert shadow.end()[::2] == (0, "")


def test_the_programs_own_device_is_not_asked(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool,tstack_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    shadow.end()
    shell.end()
    assert box.stat()["driver_allocs"] == 1
    assert box.report()[0]["cuMemAlloc_v2"] == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_nothing_stays_after_a_signal(box, shell, tmp_path, how):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    assert shell.ask("stat")["recording"]["runs"] is True
    assert len(shadow.folders()) == 1
    status, _, error = shadow.end(how)
    assert (status, error, shadow.folders()) == (0, "", [])
    assert shell.ask("stat")["recording"]["runs"] is False
    took(shell, "free a")


def players_of(process):
    """The processes that play, by their pid."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children",
              encoding="ascii") as file:
        return [int(pid) for pid in file.read().split()]


def test_a_player_that_cannot_keep_up_is_told(box, shell, tmp_path):
    """One that stands still for a while: figures come all the same."""
    shadow = Shadow(box, tmp_path, shell.pid, f"no_pool,{POOL}")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    slow, _ = players_of(shadow.process)
    os.kill(slow, signal.SIGSTOP)
    for size in range(30):
        took(shell, f"pairs {5000 + size} 2000")
    told = shadow.await_figures(lambda told: told["shadows"][0][
        "behind_steps"] > 1000 and told["shadows"][0]["behind_seconds"] > 1)
    assert live(told, "no_pool") == 5000000
    os.kill(slow, signal.SIGCONT)
    shadow.await_figures(lambda told: all(
        of(told, pool).get("allocs") == 60001 and not (
            told["shadows"][at]["behind_steps"] or
            told["shadows"][at]["behind_seconds"])
        for at, pool in enumerate(("no_pool", POOL))))
    assert shadow.end()[::2] == (0, "")


def test_a_signal_ends_one_whose_player_stands_still(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    os.kill(players_of(shadow.process)[0], signal.SIGSTOP)
    for size in range(30):
        took(shell, f"pairs {5000 + size} 2000")
    status, _, error = shadow.end()
    assert (status, error, shadow.folders()) == (0, "", [])


def killed(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    shadow.end(signal.SIGKILL)
    assert len(shadow.folders()) == 1
    assert shell.ask("stat")["recording"]["runs"] is True
    return shadow


def test_the_next_one_removes_what_a_killed_one_has_left(box, shell, tmp_path):
    killed(box, shell, tmp_path)
    shadow = Shadow(box, tmp_path, shell.pid, "vmm_pool")
    shadow.await_figures(lambda told: live(told, "vmm_pool") == 5000000)
    assert len(shadow.folders()) == 1
    assert shadow.end()[::2] == (0, "") and not shadow.folders()
    assert shell.ask("stat")["recording"]["runs"] is False


def test_and_ends_the_recording_of_another_program(box, shell, tmp_path):
    killed(box, shell, tmp_path)
    other = open_shell(box, POOL)
    took(other, "alloc a 6000000")
    shadow = Shadow(box, tmp_path, other.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 6000000)
    await_true(lambda: not shell.ask("stat")["recording"]["runs"])
    assert shadow.end()[::2] == (0, "")


def test_what_is_in_use_or_is_no_shadows_stays(box, shell, tmp_path):
    (tmp_path / "mnm-shadow-mine").mkdir()
    (tmp_path / "mnm-shadow-file").write_text("x")
    first = Shadow(box, tmp_path, shell.pid, "no_pool")
    first.await_figures(lambda told: live(told, "no_pool") == 5000000)
    other = open_shell(box, POOL)
    took(other, "alloc a 6000000")
    second = Shadow(box, tmp_path, other.pid, "no_pool")
    second.await_figures(lambda told: live(told, "no_pool") == 6000000)
    took(shell, "alloc b 7000000")
    first.await_figures(lambda told: live(told, "no_pool") == 12000000)
    for shadow in (second, first):
        assert shadow.end()[::2] == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["mnm-shadow-file",
                                            "mnm-shadow-mine"]


def test_it_ends_with_the_program(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    took(shell, "alloc b 6000000")
    took(shell, "free b")
    shell.end()
    status, out, error = shadow.end(how=None)
    assert (status, error, shadow.folders()) == (0, "", [])
    last = json.loads(out.splitlines()[-1])
    assert of(last, "no_pool")["live_peak"] == 11000000


def test_a_recording_that_is_made_already_goes_on(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    took(shell, "alloc a 5000000")
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    shadow.end()
    assert shell.ask("stat")["recording"]["runs"] is True
    assert path.exists() and not shadow.folders()


def test_what_does_not_fit_is_told(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool,vmm_pool", "--device",
                    "32M")
    shadow.await_figures(lambda told: all(
        live(told, pool) == 5000000 for pool in ("no_pool", "vmm_pool")))
    took(shell, "alloc b 30000000")
    told = shadow.await_figures(lambda told: not any(
        each["fits"] for each in told["shadows"]))
    assert live(told, "no_pool") == 5000000
    assert shadow.end()[0] == 0


def test_an_end_of_the_recording_is_told(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    box.mnm("record", shell.pid, "stop")
    box.mnm("record", shell.pid, "start", tmp_path / "own")
    status, _, error = shadow.end(how=None)
    assert (status, shadow.folders()) == (1, [])
    assert error == "mnm: the recording that was followed has ended\n"
    assert shell.ask("stat")["recording"]["runs"] is True


def test_further_signals_leave_nothing_either(box, shell, tmp_path):
    shadow = Shadow(box, tmp_path, shell.pid, "no_pool")
    shadow.await_figures(lambda told: live(told, "no_pool") == 5000000)
    for _ in range(20):
        shadow.process.send_signal(signal.SIGINT)
    status, _, error = shadow.end()
    assert (status, error, shadow.folders()) == (0, "", [])
    assert shell.ask("stat")["recording"]["runs"] is False


def test_a_table_is_printed(box, shell, tmp_path):
    process = subprocess.Popen(
        [MNM, "shadow", "--watch", "0.1", str(shell.pid), "no_pool"],
        env=box.env_of_mnm(TMPDIR=str(tmp_path)), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    box.processes.append(process)
    lines = []

    def has_row():
        lines.append(process.stdout.readline())
        return re.fullmatch(r"no_pool +0  4\.77 MiB  4\.77 MiB  4\.77 MiB  "
                            r"4\.77 MiB  1\.000 +1\n", lines[-1])

    await_true(has_row)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 0
    assert lines[0].startswith(f"pid {shell.pid} shell_shared, for ")
    assert re.match(rf"{POOL} +0  .*  in use\n", lines[2])


@pytest.mark.parametrize("words, status, why", [
    (["x", "no_pool"], 2, "mnm shadow: 'x' is no PID.*"),
    ([None, "none"], 2, "mnm shadow: pool: 'none': unknown pool; .*"),
    ([None], 2, "mnm shadow: no POOL,...; .*"),
    ([None, "no_pool", "--device", "x"], 2,
     "mnm shadow: unknown profile 'x'; .*"),
    (["999999999", "no_pool"], 2, ".*"),
    (["4194303", "no_pool"], 1, "mnm: no program under mnm has the pid .*"),
])
def test_wrong_words_begin_nothing(box, shell, words, status, why):
    words = [word or shell.pid for word in words]
    done = box.mnm("shadow", *words, check=False)
    assert (done.returncode, done.stdout) == (status, "")
    assert re.fullmatch(why + r"\n", done.stderr), done.stderr
    assert "recording" not in shell.ask("stat")


def test_the_help_has_the_devices_own_default(box):
    """Which is not that of a replay."""
    shadow, replay = (" ".join(box.mnm(name, "--help").stdout.split())
                      for name in ("shadow", "replay"))
    assert "[1024G, more than any has]" in shadow
    assert "[t4]" not in shadow and "[t4]" in replay
