"""Plans of tstack_pool that are saved, and runs that begin with them."""

import base64
import errno
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import BUILD, DEADLINE, EXAMPLES, MNM, TRACES
from test_pool import took
from test_tstack import LAP, Loop

KEPT = 6  # blocks that the program takes first, and never frees
HEAD = 24  # bytes of a file before what is summed up


def program(box, **options):
    """A program that takes what it keeps, and is about to begin its first
    iteration."""
    loop = Loop(box, **options)
    for i in range(KEPT):
        took(loop.shell, f"alloc kept{i} {(i + 1) * 300000}")
    return loop


def save(box, loop, path, *words, check=True):
    return box.mnm("plan", loop.shell.pid, "--save", path, *words, check=check)


@pytest.fixture
def saved(box, tmp_path):
    """The plan of a run that has ended."""
    path = tmp_path / "saved.plan"
    loop = program(box)
    loop.settle()
    save(box, loop, path)
    loop.end()
    return path


def test_doctor_says_whether_a_plan_can_be_read(box, saved, tmp_path):
    def said(path):
        env = dict(box.env(None), MNM_PLAN=str(path))
        return subprocess.run([MNM, "doctor"], env=env, capture_output=True,
                              text=True, timeout=DEADLINE, check=False).stdout

    assert re.search(r"^ok +options +MNM_PLAN: a plan of \d+ requests and ",
                     said(saved), re.M)
    (tmp_path / "cut.plan").write_bytes(saved.read_bytes()[:-1])
    for name, wrong in (("none.plan", os.strerror(errno.ENOENT)),
                        ("", "it is no regular file"),
                        ("cut.plan", "it is cut off")):
        text = said(tmp_path / name)
        assert re.search(rf"^warning +options +MNM_PLAN: .*: {wrong}; ", text,
                         re.M), text
        assert "every MNM_ variable is right" not in text
    assert "MNM_PLAN" not in said(tmp_path / "%d.plan")


def driver_calls(stat):
    return [stat[name] for name in ("driver_allocs", "driver_frees",
                                    "moved_pages")]


def test_a_plan_is_saved_and_a_run_begins_with_it(box, tmp_path):
    path = tmp_path / "a.plan"
    first = program(box)
    first.settle()
    peak = first.plan()["peak"]
    said = save(box, first, path)
    assert re.fullmatch(
        rf"pid {first.shell.pid} device 0: a plan of {len(LAP)} requests and "
        rf"[0-9.]+ [KMG]iB is saved as {re.escape(str(path))}\n", said.stdout)
    assert said.stderr == ""
    first.end()
    later = program(box, plan=path)
    later.lap()
    plan = later.plan()
    assert plan["state"] == "following" and plan["peak"] == peak
    before = later.shell.stat()
    assert later.placed(4) == 1
    after = later.shell.stat()
    assert driver_calls(after) == driver_calls(before)
    assert after["plan"]["loads"] == 1 and after["plan"]["plans"] == 0
    # It is the same one still.
    again = tmp_path / "again.plan"
    save(box, later, again)
    assert again.read_bytes() == path.read_bytes()
    later.end()
    assert box.stderr() == ""


def test_a_run_begins_with_a_plan_that_a_thread_reads(box, saved):
    loop = program(box, plan=saved, plan_thread=1)
    end = time.monotonic() + DEADLINE
    while not loop.plan()["loads"] and time.monotonic() < end:
        time.sleep(0.001)
    assert loop.plan()["loads"] == 1
    loop.lap()
    assert loop.plan()["state"] == "following"
    loop.lap()
    assert loop.placed() == 1
    loop.end()


def test_a_plan_that_comes_late_waits_for_an_iteration(box, saved):
    """The program has asked for something else before, so nothing says where
    it begins."""
    loop = Loop(box, plan=saved)
    for i in range(KEPT + 1):
        took(loop.shell, f"alloc kept{i} {(i + 2) * 300000}")
    loop.laps(2)
    assert loop.plan()["state"] == "following"
    loop.lap()
    assert loop.placed() == 1
    assert loop.plan()["plans"] == 0
    loop.end()


def test_a_name_may_have_the_device(box, saved, tmp_path):
    os.rename(saved, tmp_path / "of-0.plan")
    loop = program(box, plan=tmp_path / "of-%d.plan")
    loop.lap()
    assert loop.plan()["loads"] == 1
    loop.end()


def test_what_is_said_of_a_plan(box, saved):
    loop = program(box, plan=saved, log="info")
    loop.lap()
    said = box.mnm("stat", loop.shell.pid).stdout
    assert re.search(r"^  loads +1  plans read from a file$", said, re.M)
    assert f" plan={saved}" in said
    loop.end()
    assert re.search(rf"^mnm: info: plan of {len(LAP)} requests: \d+ bytes for "
                     rf"\d+ live, read from {re.escape(str(saved))}$",
                     box.stderr(), re.M)


def flipped(data):
    return data[:-1] + bytes([data[-1] ^ 1])


def of_version_2(data):
    return data[:8] + b"\2" + data[9:]


WRONG = {
    "nothing": (lambda data: b"", "it is no plan"),
    "other": (lambda data: b"id,lower,upper,size\n" * 9, "it is no plan"),
    "cut": (lambda data: data[:-1], "it is cut off"),
    "longer": (lambda data: data + b"\0", "something follows after its end"),
    "flipped": (flipped, "its checksum is wrong, so it was changed or damaged"),
    "version": (of_version_2, "another version of mnm has written it"),
    "large": (lambda data: bytes(2 << 20), "it is too large for a plan"),
}


def learns_without(box, path, why):
    loop = program(box, plan=path)
    loop.settle()
    assert loop.placed() == 1
    assert (loop.plan()["loads"], loop.plan()["plans"]) == (0, 1)
    loop.end()
    assert box.stderr() == (f"mnm: warn: plan {path}: {why}; the pool learns "
                            "without it\n")


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_file_is_told_in_a_line_and_the_pool_learns(box, saved, name):
    change, why = WRONG[name]
    saved.write_bytes(change(saved.read_bytes()))
    learns_without(box, saved, why)


def test_a_file_that_is_not_there_is_told(box, tmp_path):
    learns_without(box, tmp_path / "none", os.strerror(errno.ENOENT))


def test_a_pipe_is_not_waited_for(box, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    learns_without(box, tmp_path / "pipe", "it is no regular file")


def test_a_plan_of_another_program_gives_way(box, saved):
    loop = Loop(box, plan=saved)
    other = [(size + 4096, life) for size, life in LAP[:30]]
    for _ in range(20):
        for size, life in other:
            loop.request(size, life)
    plan = loop.plan()
    assert plan["state"] == "following" and plan["period"] % 30 == 0
    assert (plan["loads"], plan["plans"]) == (1, 1)
    loop.end()


def test_each_pool_that_is_swapped_in_reads_the_plan(box, saved):
    loop = program(box, pool="vmm_pool", plan=saved)
    loop.shell.ask("swap tstack_pool")
    loop.laps(3)
    plan = loop.plan()
    assert plan["state"] == "following"
    assert (plan["loads"], plan["plans"]) == (1, 0)
    loop.end()


@pytest.mark.parametrize("name", ["dcgan_bs128", "resnet18_bs64_im2col",
                                  "vgg16_bs32"])
def test_a_trace_runs_in_hardly_more_than_what_lives(box, tmp_path, name):
    """From the third iteration on, up to the sixth, the driver is not
    asked."""
    job = [os.path.join(EXAMPLES, "trace_job"), "--fill", "none",
           "--iterations", "6", "--every"]
    trace = os.path.join(TRACES, f"{name}.csv.zst")
    path, log = tmp_path / "plan", tmp_path / "log"
    box.run([*job, "6", "--run", f"{MNM} plan $PPID --save {path}", trace],
            "tstack_pool", sim="64G", plan_thread=0)
    most = box.stat()["live_peak"] * 101 // 100
    box.run([*job, "1", "--run", f"{MNM} stat $PPID --json >>{log}", trace],
            "tstack_pool", sim=str(most), plan_thread=0, plan=path)
    calls = [driver_calls(json.loads(line)["devices"][0])
             for line in log.read_text().splitlines()]
    assert len(calls) == 6
    assert calls[2:] == [calls[2]] * 4
    plan = box.stat()["plan"]
    assert (plan["loads"], plan["plans"]) == (1, 0)
    assert plan["placed_bytes"] >= 0.95 * plan["asked_bytes"]


def refused(box, loop, path, why, *words):
    done = save(box, loop, path, *words, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{why}\n")


def test_what_has_no_plan_is_told(box, tmp_path):
    path = tmp_path / "plan"
    loop = Loop(box)
    pid = loop.shell.pid
    loop.lap()
    refused(box, loop, path, f"mnm: pid {pid} (shell_driver): there is no plan "
            "yet; mnm stat says what the pool does")
    loop.shell.ask("swap vmm_pool")
    refused(box, loop, path, f"mnm: pid {pid} (shell_driver): it is not served "
            "by tstack_pool, so it has no plan")
    refused(box, loop, path, f"mnm: pid {pid} (shell_driver): --device '3': no "
            "such device is in use; see mnm stat", "--device", 3)
    loop.end()
    done = box.mnm("plan", 4194303, "--save", path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("mnm: pid 4194303: no program of yours under mnm "
                           "has it\n")
    assert not path.exists()


@pytest.mark.parametrize("words, why", [
    (["x", "--save", "f"], "'x' is no PID"),
    (["0", "--save", "f"], "'0' is no PID"),
    (["--save", "f"], "no FILE"),
    (["1", "--save", ""], "--save FILE is empty"),
    (["1", "--save", "f", "--time", "3"],
     "--save takes no other option than --device and --json"),
    (["1", "--save", "f", "-o", "g"],
     "--save takes no other option than --device and --json"),
    (["f", "--device", "x"], "--device 'x'; allowed: a number, or host"),
])
def test_wrong_words_are_told(box, words, why):
    done = box.mnm("plan", *words, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mnm plan: {why}; usage: mnm plan ")
    assert done.stderr.count("\n") == 1


def test_of_several_devices_one_is_chosen(box, tmp_path):
    path = tmp_path / "plan"
    loop = Loop(box, form="driver", devices=2)
    loop.settle()
    for line in ("retain second 1", "set second"):
        took(loop.shell, line)
    while loop.due:
        loop.time += 1
        loop.free_due()
    for _ in range(20):
        loop.lap()
    pid = loop.shell.pid
    refused(box, loop, path, f"mnm: pid {pid} (shell_driver): several devices "
            "have a plan; choose one with --device")
    assert not path.exists()
    for device in 1, 0:
        said = json.loads(save(box, loop, path, "--device", device,
                               "--json").stdout)
        assert said["device"] == device and said["period"] == len(LAP)
        assert said["saved"] == str(path)
        assert said["file_bytes"] == path.stat().st_size
        assert said["bound"] <= said["peak"]
    loop.end()


@pytest.fixture
def following(box):
    loop = program(box)
    loop.settle()
    yield loop
    loop.end()


@pytest.mark.parametrize("path, why", [
    ("none/out", errno.ENOENT), (".", errno.EISDIR),
    ("/dev/full", errno.ENOSPC),
])
def test_a_place_that_cannot_be_written_is_told(box, following, tmp_path, path,
                                                why):
    os.chdir(tmp_path)
    refused(box, following, path, f"mnm: {path}: {os.strerror(why)}")
    assert os.listdir(tmp_path) == []


def test_what_a_full_disk_does_not_hold_changes_nothing(box, following,
                                                        tmp_path):
    """A limit stands in for the disk: files end at the first 64 bytes."""
    out = tmp_path / "out"
    out.write_text("as before")
    done = subprocess.run(
        [MNM, "plan", str(following.shell.pid), "--save", out],
        env=box.env(None), capture_output=True, text=True, timeout=DEADLINE,
        check=False, restore_signals=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mnm: {out}: {os.strerror(errno.EFBIG)}\n"
    assert out.read_text() == "as before"
    assert os.listdir(tmp_path) == ["out"]


def await_stop(pid):
    """Until none of its threads runs any more."""
    def state(thread):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]

    end = time.monotonic() + DEADLINE
    while any(state(thread) != "T" for thread in os.listdir(f"/proc/{pid}/task")):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_ctrl_c_leaves_no_file(box, following, tmp_path):
    """The program is stopped, so it does not answer."""
    shell = following.shell
    shell.process.send_signal(signal.SIGSTOP)
    await_stop(shell.pid)
    with subprocess.Popen([MNM, "plan", str(shell.pid), "--save",
                           tmp_path / "out"], env=box.env(None),
                          stderr=subprocess.PIPE) as mnm:
        with pytest.raises(subprocess.TimeoutExpired):
            mnm.wait(0.3)
        mnm.send_signal(signal.SIGINT)
        assert mnm.wait(DEADLINE) != 0
    shell.process.send_signal(signal.SIGCONT)
    assert os.listdir(tmp_path) == []


def test_a_client_gets_the_file_as_text(box, following, tmp_path):
    answer = following.shell.ask("plan")
    data = base64.b64decode(answer["file"], validate=True)
    assert answer["device"] == 0 and answer["schema"] == 1
    assert data[:8] == b"mnm plan" and data[8:12] == b"\1\0\0\0"
    assert int.from_bytes(data[12:16], "little") == len(data) - HEAD
    save(box, following, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == data


def answer_once(path, answer):
    """Answers the next request that comes to a socket there."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def serve():
        with listener, listener.accept()[0] as client:
            client.recv(1024)
            client.sendall(json.dumps(answer).encode() + b"\n")
    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize("file", [
    "", "x", "****", "bW5tIHBsYW4=", None, 7,
])
def test_a_hostile_answer_is_not_saved(box, saved, tmp_path, file):
    """The last one is a plan, but for a bit."""
    if file == 7:
        file = base64.b64encode(flipped(saved.read_bytes())).decode()
    pid, out = os.getpid(), tmp_path / "out"
    thread = answer_once(box.socket_of(pid), {"schema": 1, "device": 0,
                                              "file": file})
    done = box.mnm("plan", pid, "--save", out, check=False)
    thread.join()
    os.unlink(box.socket_of(pid))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(rf"mnm: pid {pid}.*: the answer is not understood\n",
                        done.stderr)
    assert not out.exists()


def test_the_option_is_told_by_the_commands():
    done = subprocess.run([os.path.join(BUILD, "mnm"), "plan", "--help"],
                          capture_output=True, text=True, check=True)
    assert "--save FILE" in done.stdout and "MNM_PLAN" in done.stdout
