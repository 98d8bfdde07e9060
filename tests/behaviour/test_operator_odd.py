"""The command line beside jobs that answer oddly, that change between two
requests, or that have odd names."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import BUILD, DEADLINE, LIBRARY, MIB, MNM, plain_build_only
from test_operator import (NOBODY, fake, go_on, listed, root_only,
                           stop, with_places)
from test_pool import took

SWAPPED = {"device": 0, "before": "no_pool", "after": "page_unit_pool",
           "idle_bytes": 8 * MIB, "retired_bytes": 0}


def pending(mebibytes):
    return {"devices": [{"device": 0, "pending_bytes": mebibytes * MIB}]}


def test_an_answer_without_end_is_refused(box):
    job = fake(box, b'{"devices":["' + 2 * MIB * b"x" + b'"]}')
    done = box.mnm("stat", job.pid, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.endswith("the answer is too long\n")


def test_a_swap_waits_until_all_has_gone_back(box):
    job = fake(box, {"devices": [SWAPPED]}, pending(4), pending(2),
               pending(0))
    done = box.mnm("swap", job.pid, "page_unit_pool")
    assert done.stdout == f"pid {job.pid} device 0: no_pool -> " \
        "page_unit_pool, 8.00 MiB idle given back, 0 B live in retired " \
        "pools\n"
    asked = [json.loads(job.read()) for _ in range(4)]
    assert asked[0].pop("until")
    assert asked[0] == {"command": "swap", "pool": "page_unit_pool"}
    assert asked[1:] == 3 * [{"command": "stat"}]


def test_unless_it_is_not_to_wait(box):
    job = fake(box, {"devices": [SWAPPED]}, pending(4))
    done = box.mnm("swap", job.pid, "page_unit_pool", "--no-wait")
    assert "4.00 MiB idle given back, 4.00 MiB go back at its next free" in \
        done.stdout


LONGEST = "a" * 63 + "@managed"  # of a plug-in's pool


def test_the_longest_name_of_a_pool_is_shown_whole(box):
    job = fake(box, {"devices": [{**SWAPPED, "before": LONGEST[:63],
                                  "after": LONGEST}]}, pending(0))
    done = box.mnm("swap", job.pid, LONGEST)
    assert f": {LONGEST[:63]} -> {LONGEST}, 8.00" in done.stdout
    job = fake(box, {"devices": [{"device": 0, "pool": LONGEST}], "pid": 7,
                     "program": "seven", "options": {}})
    assert f" {LONGEST}\n" in box.mnm("stat", job.pid).stdout


def test_a_job_that_has_used_no_device_has_nothing_to_swap(box):
    job = fake(box, {"devices": []}, {"devices": []})
    done = box.mnm("swap", job.pid, "page_unit_pool")
    assert done.stdout == f"pid {job.pid}: no device in use yet\n"


def test_figures_of_a_job_that_has_used_no_device(box):
    job = fake(box, {"devices": [], "pid": 7, "arguments": [3, "x"],
                     "program": "seven"})
    done = box.mnm("stat", job.pid)
    assert done.stdout.splitlines()[1:] == ["no device in use yet"]
    assert done.stdout.startswith("seven, pid ")


# Answers one request. Before the next one it is gone, or another process is in
# its place, which answers what it is asked.
GONE = """
import os, socket, sys
path, answer, another = sys.argv[1:]
path = path.replace("PID", str(os.getpid()))
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
print("listens", flush=True)
client = listener.accept()[0]
client.recv(4096)
listener.close()
if another:
    os.unlink(path)
    ready = os.pipe()
    if not os.fork():
        client.close()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        os.write(ready[1], b"x")
        print("asked:", listener.accept()[0].recv(4096), flush=True)
        os._exit(0)
    os.read(ready[0], 1)
client.sendall(answer.encode())
client.close()
sys.stdin.read()
"""


@pytest.mark.parametrize("another", ["", "another"])
def test_a_job_that_is_gone_is_not_asked_what_is_still_to_go_back(box,
                                                                  another):
    os.makedirs(box.sockets, 0o700)
    job = box.start([sys.executable, "-c", GONE, box.socket_of("PID"),
                     json.dumps({"devices": [SWAPPED]}), another])
    assert job.read() == "listens"
    done = box.mnm("swap", job.pid, "page_unit_pool")
    assert "8.00 MiB go back at its next free" in done.stdout
    if another:
        assert job.read() == "asked: b''"
    job.end()


@root_only
def test_a_socket_that_another_user_listens_at_is_no_job(box):
    """The folder is ours, but the process that answers is not the one that is
    asked for."""
    os.makedirs(box.sockets, 0o700)
    job = box.start([sys.executable, "-c", """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1].replace("PID", str(os.getpid())))
os.setuid(65534)
listener.listen()
print("listens", flush=True)
sys.stdin.read()
""", box.socket_of("PID")])
    assert job.read() == "listens"
    assert listed(box) == {}
    assert box.mnm("stat", job.pid, check=False).returncode == 1
    job.end()


def moved(box, job, number):
    """Gives the job's file another number, as another namespace's would
    have."""
    os.rename(box.socket_of(job.pid), box.socket_of(number))
    return job


@pytest.mark.parametrize("by_number", [False, True])
def test_a_job_is_found_among_others_by_its_pid_or_its_files_number(box,
                                                                    by_number):
    """Before it is found, the others may be connected to, but not asked."""
    answers = {name: 3 * [{"devices": [], "arguments": [name]}]
               for name in ("one", "two")}
    for number in (4190000, 4190002):
        moved(box, fake(box, *answers["one"]), number)
    job = moved(box, fake(box, *answers["two"]), 4190001)
    pid = 4190001 if by_number else job.pid
    done = box.mnm("stat", pid)
    assert done.stdout == f"two, pid {pid}\nno device in use yet\n"
    asked = job.read() or job.read()
    assert asked == '{"command":"stat"}'


@plain_build_only
def test_words_that_are_no_text_are_shown_as_some(box):
    """The job can't tell its words itself."""
    job = box.start(["sh", "-c", 'exec "$0" "$1" "a\tb"',
                     os.path.join(BUILD, "tests/programs/shell_shared"),
                     b"x\xff\xc3"], "page_unit_pool")
    took(job, "alloc a 5000")
    stop(job)
    try:
        found = listed(box, check=False)[job.pid]
    finally:
        go_on(job)
    assert found["state"] == "silent"
    assert found["arguments"][1] == "x??" and found["arguments"][2] == "a\tb"
    job.end()


@pytest.mark.parametrize("seconds", ["0.1", "30"])
def test_watch_prints_a_table_a_look_and_a_line_between_them(box, seconds):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    watch = subprocess.Popen([MNM, "ps", "--watch", seconds],
                             env=box.env(None), stdout=subprocess.PIPE,
                             text=True)
    looks = 3 if float(seconds) < 1 else 1
    lines = [watch.stdout.readline() for _ in range(3 * looks - 1)]
    watch.send_signal(signal.SIGINT)
    watch.stdout.read()
    assert watch.wait(DEADLINE) == 0
    watch.stdout.close()
    for number, line in enumerate(lines):
        kind = number % 3
        assert line == "\n" if kind == 2 else line.split()[0] == (
            "PID" if kind == 0 else str(shell.pid))


def test_a_device_that_the_loader_can_not_find_is_told(box):
    folder = os.path.join(box.folder, "a;b")
    os.mkdir(folder)
    shutil.copy(MNM, folder)
    os.symlink(LIBRARY, os.path.join(folder, "libmnm.so"))
    shutil.copytree(os.path.join(BUILD, "sim/profiles"),
                    os.path.join(folder, "sim/profiles"))
    done = subprocess.run([os.path.join(folder, "mnm"), "run", "--sim", "--",
                           "true"], env=box.env(None), capture_output=True,
                          text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "the loader can't find" in done.stderr


def figures(**changed):
    device = {"device": 0, "pool": "p", "live_bytes": 3 * MIB,
              "device_bytes": 8 * MIB, "reserved_bytes": 4 * MIB, **changed}
    return {"devices": [device]}


@pytest.mark.parametrize("changed, live", [
    ({}, "7.00"), ({"live_bytes": None}, "?"), ({"device_bytes": None}, "?"),
    ({"reserved_bytes": None}, "?"), ({"reserved_bytes": -1}, "?"),
    ({"live_bytes": (1 << 63) - 1, "device_bytes": (1 << 63) - 1}, "?")])
def test_a_sum_is_not_made_of_figures_that_are_missing(box, changed, live):
    fake(box, figures(**changed))
    row = box.mnm("ps").stdout.splitlines()[1]
    assert row.split()[4] == live


def test_a_list_without_end_holds_up_nobody(box):
    """Each of its elements may be looked for among those of another."""
    answer = b'{"devices":[{}' + 500_000 * b",1" + b"]}"
    job = fake(box, answer, answer)
    done = box.mnm("trim", job.pid)
    assert len(done.stdout.splitlines()) == 65


@pytest.mark.parametrize("words, answer", [
    ("stat PID", {"devices": "x"}), ("trim PID", {"devices": "x"}),
    ("ps", {"devices": "x"}), ("set PID fence", {"option": [], "value": 1}),
    ("trim PID", {"devices": [], "error": 5}),
    ("stat PID", b'{"devices":[]}\0{}'), ("stat PID", b'{"devices":[]}\0'),
    ("stat PID", b'{"devices":[]} {"devices":[]}')])
def test_an_answer_with_a_field_of_another_type_is_not_understood(
        box, words, answer):
    job = fake(box, answer)
    done = box.mnm(*words.replace("PID", str(job.pid)).split(), check=False)
    assert done.returncode == 1
    assert "the answer is not understood" in done.stdout + done.stderr


def with_descriptors(box, soft, hard, *words):
    return subprocess.run(
        [MNM, *words], env=box.env(None), capture_output=True, text=True,
        timeout=DEADLINE, check=False, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (soft, hard)))


def test_jobs_that_there_are_no_descriptors_for_are_not_left_out_in_silence(
        box):
    jobs = [fake(box, *6 * [{"devices": []}]) for _ in range(6)]
    for limit, all_seen in ((7, False), (256, True)):
        done = with_descriptors(box, limit, limit, "trim", "--all")
        assert done.returncode == (0 if all_seen else 1)
        assert done.stderr.count("\n") == (0 if all_seen else 1)
        assert (len(done.stdout.splitlines()) == len(jobs)) == all_seen


def test_more_jobs_are_found_than_there_are_descriptors_at_first(box):
    jobs = [fake(box, {"devices": []}) for _ in range(6)]
    done = with_descriptors(box, 7, 256, "ps")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1 + len(jobs)


@root_only
def test_a_folders_name_reaches_no_terminal(box):
    """Anybody may have made it."""
    drop = ["setpriv", f"--reuid={NOBODY}", "--clear-groups"]
    if subprocess.run([*drop, "test", "-x", MNM], check=False).returncode:
        pytest.skip("other users can't enter the folder of this checkout")
    os.chmod(box.folder, 0o755)
    odd = os.path.join(box.folder, "odd\x1b[2J")
    os.mkdir(odd)
    os.chown(odd, NOBODY, NOBODY)
    os.chmod(odd, 0o300)
    box.env = with_places(box, chosen=odd)
    done = box.run([*drop, MNM, "ps"], check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"mnm: {box.folder}/odd?[2J: Permission denied\n")


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_a_device_that_refuses_is_status_1(box, json_too):
    job = fake(box, *2 * [{"devices": [
        {"device": 0, "error": "no memory for a new pool"}]}])
    done = box.mnm("swap", job.pid, "no_pool", *json_too, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    if not json_too:
        assert done.stdout == (f"pid {job.pid} device 0: "
                               "no memory for a new pool\n")


def test_a_watch_that_nobody_can_read_ends_with_status_1(box):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([MNM, "ps", "--watch", "0.1"], stdout=full,
                              env=box.env(None), stderr=subprocess.PIPE,
                              text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("mnm: standard output: ")
