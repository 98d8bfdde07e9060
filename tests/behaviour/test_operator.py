"""What a person sees who looks after many jobs: silent jobs, jobs in other
places, and jobs that lie."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from conftest import (BUILD, DEADLINE, FORMS, LIBRARY, answer_of, connect,
                      plain_build_only, request)
from test_pool import took

POOL = "page_unit_pool"
NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
NAMESPACES = ["unshare", "--map-root-user", "--pid", "--mount", "--fork"]


@pytest.fixture
def shell(box):
    """A program with a live block and an idle one."""
    started = box.shell(POOL)
    for line in ("alloc a 5000", "alloc b 9000", "free b"):
        took(started, line)
    return started


def stop(shell):
    """Stops the job. The kernel has done so when this returns."""
    os.kill(shell.pid, signal.SIGSTOP)
    os.waitpid(shell.pid, os.WUNTRACED)


def go_on(shell):
    os.kill(shell.pid, signal.SIGCONT)


# A process that listens as a program under mnm would. It prints each request
# and answers it with a line of its file, or of its input when the file has
# ended. An empty line is no answer.
FAKE = """
import itertools, os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1].replace("PID", str(os.getpid())))
listener.listen()
kept = []
print("listens", flush=True)
for answer in itertools.chain(open(sys.argv[2], "rb"), sys.stdin.buffer):
    client = listener.accept()[0]
    print(client.recv(4096).decode().strip(), flush=True)
    if answer.strip():
        try:
            client.sendall(answer)
        except OSError:
            pass
        client.close()
    kept.append(client)
while True:
    kept.append(listener.accept()[0])
    print("more: " + kept[-1].recv(4096).decode().strip(), flush=True)
"""


def fake(box, *answers):
    """A job that gives these answers: bytes, or what JSON can hold."""
    os.makedirs(box.sockets, 0o700, exist_ok=True)
    lines = os.path.join(box.folder, f"answers.{len(box.processes)}")
    with open(lines, "wb") as file:
        for answer in answers:
            file.write((answer if isinstance(answer, bytes) else
                        json.dumps(answer).encode()) + b"\n")
    shell = box.start([sys.executable, "-c", FAKE, box.socket_of("PID"),
                       lines])
    assert shell.read() == "listens"
    return shell


def listed(box, check=True, **options):
    done = box.mnm("ps", "--json", check=check, **options)
    return {job["pid"]: job for job in json.loads(done.stdout)}


# Orders.

ORDERS = {"swap no_pool": ("pool", POOL), "set fence sync": ("fence", "fence"),
          "trim": ("trims", 0), "reset": ("retired_bytes", 0)}


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_whose_client_has_gone_is_not_carried_out(shell, order):
    stop(shell)
    with connect(shell.box.socket_of(shell.pid)) as client:
        client.sendall(request(order))
    go_on(shell)
    name, value = ORDERS[order]
    assert shell.stat()[name] == value
    assert "error" not in shell.ask(order)


def test_a_client_that_only_sends_no_more_is_served(shell):
    stop(shell)
    with connect(shell.box.socket_of(shell.pid)) as client:
        client.sendall(request("swap no_pool"))
        client.shutdown(socket.SHUT_WR)
        go_on(shell)
        assert answer_of(client)["devices"][0]["before"] == POOL


@pytest.mark.parametrize("until, served", [
    (-60000, False), (60000, True), (None, True)])
def test_an_order_is_not_carried_out_after_its_time(shell, until, served):
    words = "swap"
    if until is not None:
        words += f" --until {int(time.time() * 1000) + until}"
    answer = shell.ask(words + " no_pool")
    assert "devices" in answer if served else answer["error"].startswith(
        "too late by ")
    assert shell.stat()["pool"] == ("no_pool" if served else POOL)


@pytest.mark.parametrize("until", ["x", "-5", "5x", "0"])
def test_a_time_that_is_none_is_refused(shell, until):
    answer = shell.ask(f"swap --until {until} no_pool")
    assert answer["error"].startswith("'until' is no time; allowed: ")
    assert shell.stat()["pool"] == POOL


def test_what_a_command_gave_up_does_not_happen_later(box, shell):
    stop(shell)
    done = box.mnm("swap", shell.pid, "no_pool", check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"mnm: pid {shell.pid} (shell_shared): "
                           "not answering (stopped)\n")
    go_on(shell)
    assert shell.stat()["pool"] == POOL


def test_a_command_that_is_interrupted_leaves_nothing_behind(box):
    job = fake(box, b"")
    command = subprocess.Popen([os.path.join(BUILD, "mnm"), "swap",
                                str(job.pid), "no_pool"], env=box.env(None))
    assert json.loads(job.read())["command"] == "swap"
    command.send_signal(signal.SIGINT)
    assert command.wait(DEADLINE) == -signal.SIGINT


def test_each_order_has_a_time_and_no_question_has(box):
    job = fake(box, {"error": "no"}, {"error": "no"})
    box.mnm("trim", job.pid, check=False)
    asked = json.loads(job.read())
    assert abs(asked.pop("until") - time.time() * 1000) < DEADLINE * 1000
    assert asked == {"command": "trim"}
    box.mnm("stat", job.pid, check=False)
    assert json.loads(job.read()) == {"command": "stat"}


# Silent jobs.

def test_all_are_asked_at_once(box):
    """No job answers until each has been asked."""
    jobs = [fake(box) for _ in range(3)]
    for job in jobs:
        job.process.stdin.write(b"\n")
        job.process.stdin.flush()
    command = subprocess.Popen([os.path.join(BUILD, "mnm"), "stat", "--all"],
                               env=box.env(None), stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    for job in jobs:
        assert json.loads(job.read()) == {"command": "stat"}
    out, err = command.communicate(timeout=DEADLINE)
    assert (command.returncode, out) == (1, "")
    assert err.count("not answering") == 3


def test_a_silent_job_is_a_row_with_pid_and_program(box, shell):
    silent = box.shell(POOL)
    took(silent, "alloc a 5000")
    stop(silent)
    done = box.mnm("ps", check=False)
    rows = {int(row.split()[0]): row for row in done.stdout.splitlines()[1:]}
    assert set(rows) == {shell.pid, silent.pid}
    assert rows[silent.pid].split(None, 3)[1:] == [
        "shell_shared", "-", "not answering (stopped)"]
    assert done.returncode == 1
    jobs = listed(box, check=False)
    assert jobs[silent.pid]["state"] == "silent"
    assert jobs[silent.pid]["arguments"] == FORMS["shared"]
    assert jobs[shell.pid]["state"] == "serves"
    go_on(silent)
    assert box.mnm("ps").returncode == 0


def test_all_names_the_silent_and_serves_the_others(box, shell):
    silent = box.shell(POOL)
    took(silent, "alloc a 5000")
    stop(silent)
    done = box.mnm("swap", "--all", "no_pool", "--no-wait", check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(f"pid {shell.pid} device 0: {POOL} -> ")
    assert done.stderr == (f"mnm: pid {silent.pid} (shell_shared): "
                           "not answering (stopped)\n")
    assert shell.stat()["pool"] == "no_pool"
    go_on(silent)
    assert silent.stat()["pool"] == POOL


def test_a_job_whose_queue_is_full_is_silent_too(box, shell):
    stop(shell)
    waiting = []
    with pytest.raises(BlockingIOError):
        while True:
            client = socket.socket(socket.AF_UNIX)
            waiting.append(client)
            client.setblocking(False)
            client.connect(box.socket_of(shell.pid))
    done = box.mnm("ps", check=False)
    assert done.returncode == 1
    assert done.stdout.split()[-6:] == [
        str(shell.pid), "shell_shared", "-", "not", "answering", "(stopped)"]
    for client in waiting:
        client.close()
    go_on(shell)
    assert shell.pid in listed(box)


def test_a_job_that_falls_silent_after_an_order_is_not_asked_for_ever(box):
    idle = {"devices": [{"device": 0, "idle_bytes": 1 << 20}]}
    job = fake(box, idle, b"")
    done = box.mnm("trim", job.pid)
    assert done.stdout == (f"pid {job.pid} device 0: 0 B idle given back, "
                           "1.00 MiB go back at its next free\n")
    assert [json.loads(job.read())["command"] for _ in range(2)] == [
        "trim", "stat"]
    job.process.stdin.close()
    box.mnm("ps", check=False)
    assert job.read() == 'more: {"command":"stat"}'


# Places.

def with_places(box, chosen=None, runtime=None):
    env_of = box.env

    def env(pool, **options):
        made = env_of(pool, **options)
        for name, value in (("MNM_SOCKET_DIR", chosen),
                            ("XDG_RUNTIME_DIR", runtime)):
            made.pop(name, None)
            if value:
                made[name] = value
        return made

    return env


@plain_build_only
@pytest.mark.parametrize("job, client", [
    ({"runtime": "own"}, {}), ({}, {"runtime": "own"}),
    ({"chosen": "chosen"}, {}), ({"chosen": "chosen"}, {"runtime": "own"}),
    ({"runtime": "own"}, {"runtime": "other"})],
    ids=lambda place: "-".join(place.values()) or "none")
def test_a_job_is_found_wherever_its_socket_is(box, job, client):
    for name in ("own", "other"):
        os.mkdir(os.path.join(box.folder, name), 0o700)
    places = [{key: os.path.join(box.folder, name)
               for key, name in place.items()} for place in (job, client)]
    of_job, of_client = (with_places(box, **place) for place in places)
    box.env = of_job
    started = box.shell(POOL)
    took(started, "alloc a 5000")
    box.env = of_client
    found = listed(box, check=False)[started.pid]
    assert found["state"] == "serves"
    assert found["devices"][0]["live_bytes"] == 5000
    assert f"pid {started.pid}\n" in box.mnm("stat", started.pid).stdout
    done = box.mnm("swap", started.pid, "no_pool", "--no-wait")
    assert done.stdout.startswith(f"pid {started.pid} device 0: {POOL} -> no_")
    started.end()


def test_a_chosen_folder_is_the_only_one(box, shell):
    env_of = box.env
    box.env = lambda pool, **options: {
        **env_of(pool, **options),
        "MNM_SOCKET_DIR": os.path.join(box.folder, "elsewhere")}
    assert listed(box) == {}
    assert box.mnm("stat", shell.pid, check=False).returncode == 1
    assert box.mnm("swap", "--all", "no_pool", check=False).returncode == 1
    assert shell.stat()["pool"] == POOL


def test_a_job_that_has_not_asked_for_memory_is_listed(box):
    shell = box.shell(POOL)
    shell("info")
    found = listed(box)[shell.pid]
    assert (found["state"], found["devices"]) == ("loaded", [])
    assert found["program"] == "shell_shared"
    row = box.mnm("ps").stdout.splitlines()[1]
    assert row.split(None, 3) == [str(shell.pid), "shell_shared", "-",
                                  "loaded, no socket yet"]
    for words in (["stat", shell.pid], ["swap", shell.pid, "no_pool"],
                  ["swap", "--all", "no_pool"]):
        done = box.mnm(*words, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1
    took(shell, "alloc a 5000")
    assert listed(box)[shell.pid]["state"] == "serves"


def test_an_inert_process_is_no_job(box):
    shell = box.shell(POOL, disable=1)
    shell("info")
    assert listed(box) == {}


@plain_build_only
def test_a_forked_child_is_its_parents_until_it_asks(box):
    code = ("import os, sys\npid = os.fork()\nif not pid:\n    os.read(0, 1)\n"
            "    os._exit(0)\nprint(pid, flush=True)\nos.waitpid(pid, 0)\n")
    shell = box.start([sys.executable, "-c", code], POOL)
    child = int(shell.read())
    found = listed(box)
    assert set(found) == {shell.pid} and child != shell.pid
    shell.end()


def inner_pid(outer):
    with open(f"/proc/{outer}/task/{outer}/children",
              encoding="ascii") as file:
        return int(file.read().split()[0])


def namespaces_or_skip():
    if subprocess.run([*NAMESPACES, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no namespaces here")


@plain_build_only
@pytest.mark.parametrize("hidden", [False, True])
def test_a_job_in_a_container_is_known_by_its_pid_here(box, hidden):
    """The job and mnm see the same folder, or the job's folder is in a file
    system of its own and the job is found by its process."""
    namespaces_or_skip()
    os.mkdir(box.sockets, 0o700)
    mount = (f"mount -t tmpfs -o mode=700 none {box.sockets} && "
             if hidden else "")
    words = ["sh", "-c", f'{mount}LD_PRELOAD={LIBRARY} exec "$@"', "sh",
             *FORMS["shared"]]
    env = box.env(POOL)
    assert env["MNM_SOCKET_DIR"] == box.sockets
    shell = box.start([*NAMESPACES, *words])
    took(shell, "alloc a 5000")
    assert box.socket_files() == ([] if hidden else ["1.sock"])
    pid = inner_pid(shell.pid)
    assert list(listed(box)) == [pid]
    assert box.mnm("stat", pid).stdout.startswith(f"shell_shared, pid {pid}\n")
    done = box.mnm("swap", pid, "no_pool", "--no-wait")
    assert done.stdout.startswith(f"pid {pid} device 0: {POOL} -> no_pool")
    done = box.mnm("stat", "--all", "--json")
    assert json.loads(done.stdout)[0]["devices"][0]["pool"] == "no_pool"
    watch = subprocess.Popen([os.path.join(BUILD, "mnm"), "ps", "--json",
                              "--watch", "0.1"], env=box.env(None),
                             stdout=subprocess.PIPE, text=True)
    for _ in range(5):
        assert json.loads(watch.stdout.readline())[0]["pid"] == pid
    names = []
    for name in os.listdir(f"/proc/{watch.pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{watch.pid}/fd/{name}"))
        except FileNotFoundError:
            pass
    assert names.count(box.sockets) <= 1
    watch.terminate()
    watch.stdout.close()
    assert watch.wait(DEADLINE) == 0
    shell.end()


@root_only
@plain_build_only
def test_root_sees_and_steers_every_users_job(box):
    os.chmod(box.folder, 0o755)
    folder = os.path.join(box.folder, "nobodys")
    os.mkdir(folder, 0o700)
    os.chown(folder, NOBODY, NOBODY)
    env_of = box.env
    drop = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"]
    if subprocess.run([*drop, "test", "-x", FORMS["shared"][0]],
                      check=False).returncode:
        pytest.skip("other users can't enter the folder of this checkout")
    env = {**with_places(box, chosen=folder)(POOL),
           "MNM_STAT_FILE": "", "MNM_SIM_REPORT": ""}
    words = [f"{name}={env.pop(name)}" for name in ("LD_PRELOAD",
                                                    "LD_LIBRARY_PATH")]
    box.env = lambda pool, **options: env
    shell = box.start([*drop, "env", *words, *FORMS["shared"]])
    took(shell, "alloc a 5000")
    box.env = env_of
    own = box.shell(POOL)
    took(own, "alloc a 5000")
    box.env = with_places(box)
    found = listed(box, check=False)
    assert (found[shell.pid]["uid"], found[shell.pid]["state"]) == (NOBODY,
                                                                    "serves")
    lines = box.mnm("ps", check=False).stdout.splitlines()
    assert max(map(len, lines)) <= 79
    rows = [line.split() for line in lines]
    assert rows[0][:3] == ["PID", "USER", "PROGRAM"]
    users = {int(row[0]): row[1:4] for row in rows[1:]}
    assert users[shell.pid][0] in ("nobody", str(NOBODY))
    assert users[own.pid] == ["root", "shell_sha", "0"]
    done = box.mnm("swap", shell.pid, "no_pool", "--no-wait")
    assert done.stdout.startswith(f"pid {shell.pid} device 0: {POOL} -> no_")


@root_only
@plain_build_only
def test_others_see_and_steer_their_own_only(box, shell):
    words = ["setpriv", f"--reuid={NOBODY}", "--clear-groups",
             os.path.join(BUILD, "mnm")]
    box.env = with_places(box)
    done = box.run([*words, "ps", "--json"], check=False)
    assert shell.pid not in [job["pid"] for job in json.loads(done.stdout)]
    done = box.run([*words, "swap", str(shell.pid), "no_pool"], check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert shell.stat()["pool"] == POOL


# Liars.

EVIL = "\x1b[2J\x9b31m\u202e\n\t\x7f\xe9"
DEVICE = {"device": 0, "pool": "p", "live_bytes": 1, "reserved_bytes": 2,
          "allocs": 3, "hits": 1}
LIES = {
    "controls": {"program": EVIL, "arguments": ["python3", EVIL],
                 "options": {EVIL: EVIL, "fence": EVIL},
                 "option": EVIL, "value": EVIL,
                 "devices": [{**DEVICE, "pool": EVIL, "before": EVIL,
                              "after": EVIL},
                             {"device": EVIL, "error": EVIL}]},
    "nothing": {},
    "no devices": {"devices": None},
    "empty devices": {"devices": [{}, None, 7, "x", []]},
    "wrong types": {"pid": "x", "program": 7, "arguments": {"a": 1},
                    "options": [1], "devices": [
                        {"device": [], "pool": {}, "live_bytes": "9",
                         "allocs": 1.5, "hits": None, "before": 1,
                         "after": True}]},
    "wrong words": {"arguments": ["python3", 7, None, "x.py"]},
    "absurd numbers": {"pid": -1, "uid": 1 << 60, "devices": [
        {"device": 1 << 62, "pool": "p" * 1000, "live_bytes": (1 << 63) - 1,
         "reserved_bytes": -(1 << 63), "allocs": 1, "hits": (1 << 63) - 1,
         "idle_bytes": (1 << 63) - 1, "after": "x"},
        {"device": -7, "allocs": -1, "hits": -1, "live_bytes": 1e300}]},
    "many devices": {"devices": [DEVICE] * 5000},
    "long": {"program": "p" * 100000, "arguments": ["a" * 50000] * 10},
    "a list": [],
    "a number": 7,
    "an error": {"error": EVIL},
    "an old one's error": b"error: \x1b[2J\xc2\x9b31m\xff",
    "another schema": {"schema": 2, "devices": [DEVICE]},
    "too large a number": b'{"pid":99999999999999999999999999}',
    "no JSON": b"\x1b[2J\xff{",
    "no text": b"\xff\xfe{}",
    "deep": b"[" * 100000,
}
QUESTIONS = [["ps"], ["stat"], ["stat", "--all-figures"], ["set", "fence"],
             ["set", "--all", "fence"], ["swap", "x"], ["trim"], ["reset"],
             ["ps", "--json"], ["stat", "--json"], ["trim", "--json"]]


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("what", LIES)
def test_nothing_that_a_job_says_reaches_the_terminal(box, what, words):
    job = fake(box, *[LIES[what]] * 2)
    words = list(words)
    if words[0] != "ps" and "--all" not in words:
        words.insert(1, job.pid)
    if words[0] in ("swap", "trim", "reset"):
        words.append("--no-wait")
    done = box.mnm(*words, check=False)
    assert done.returncode in (0, 1)
    assert re.fullmatch(r"[ -~\n]*", done.stdout + done.stderr)
    assert done.stderr.count("\n") <= 1
    if "--json" in words:
        assert done.returncode or json.loads(done.stdout)
    elif words[0] == "ps":
        assert max(map(len, done.stdout.splitlines())) <= 80
        assert all(str(job.pid) == row.split()[0] for row in
                   done.stdout.splitlines()[1:])
        assert len(done.stdout.splitlines()) <= 66


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("what", ["nothing", "no devices", "wrong words"])
def test_an_answer_to_another_question_is_not_understood(box, what, words):
    job = fake(box, *[LIES[what]] * 2)
    words = list(words)
    if words[0] != "ps" and "--all" not in words:
        words.insert(1, job.pid)
    done = box.mnm(*words, check=False)
    assert done.returncode == 1
    assert "the answer is not understood" in done.stdout + done.stderr
    assert "?" not in done.stdout.replace("(?)", "")


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("what", ["an old one's error", "another schema"])
def test_an_answer_of_another_version_is_told_as_such(box, what, words):
    job = fake(box, *[LIES[what]] * 2)
    words = list(words)
    if words[0] != "ps" and "--all" not in words:
        words.insert(1, job.pid)
    done = box.mnm(*words, check=False)
    assert done.returncode == 1
    assert "it has another version of mnm" in done.stdout + done.stderr


def test_an_error_that_a_job_tells_is_said(box):
    job = fake(box, {"schema": 1, "error": "no, not now"})
    done = box.mnm("trim", job.pid, check=False)
    assert done.stderr.endswith(": no, not now\n") and done.stdout == ""


def test_a_programs_name_on_disk_reaches_no_terminal(box):
    """The name of a silent job comes from the kernel."""
    odd = os.path.join(box.folder, "odd\x1b[2J\x9b")
    os.symlink(sys.executable, odd)
    os.makedirs(box.sockets, 0o700)
    job = box.start([odd, "-c", FAKE, box.socket_of("PID"), "/dev/null"])
    assert job.read() == "listens"
    done = box.mnm("ps", check=False)
    assert re.fullmatch(r"[ -~\n]*", done.stdout + done.stderr)
    assert "odd?[2J?" in done.stdout


@pytest.mark.parametrize("chosen", ["relative", "/" + "x" * 200])
def test_a_folder_that_can_be_none_is_one_line(box, chosen):
    box.env = with_places(box, chosen=chosen)
    for words in (["ps"], ["stat", "--all"], ["swap", "1", "no_pool"]):
        done = box.mnm(*words, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("mnm: MNM_SOCKET_DIR: ")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("chosen", [True, False])
def test_a_folder_that_is_not_ours_alone_is_told_where_it_matters(box, chosen):
    """Anybody may have made it. A job elsewhere is found all the same."""
    bad = os.path.join(box.folder, "bad")
    os.makedirs(os.path.join(bad, "mnm"))
    os.chmod(os.path.join(bad, "mnm"), 0o777)
    box.env = with_places(box, chosen=os.path.join(box.folder, "own"))
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    place = ({"chosen": os.path.join(bad, "mnm")} if chosen else
             {"runtime": bad})
    box.env = with_places(box, **place)
    done = box.mnm("stat", shell.pid, check=False)
    if chosen:
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1 and "0700" in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert f"pid {shell.pid}\n" in done.stdout
