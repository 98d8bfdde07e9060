"""The control socket: who may ask, and what strange clients come to."""

import json
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading

import pytest

from conftest import (DEADLINE, FORMS, ask, connect, plain_build_only,
                      receive)
from test_pool import took

NOBODY = 65534


@pytest.fixture
def shell(box):
    """A program with a live block and an idle one."""
    started = box.shell("page_unit_pool")
    for line in ("alloc a 5000", "alloc b 9000", "free b"):
        took(started, line)
    return started


def test_folder_and_socket_are_the_owners_alone(box, shell):
    folder = os.stat(box.sockets)
    file = os.stat(box.socket_of(shell.pid))
    assert stat.S_IMODE(folder.st_mode) == 0o700
    assert stat.S_IMODE(file.st_mode) == 0o600
    assert stat.S_ISSOCK(file.st_mode)


def test_the_socket_ends_with_the_program(box, shell):
    assert box.socket_files() == [f"{shell.pid}.sock"]
    shell.end()
    assert box.socket_files() == []


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_open_to_others_is_refused(box, mode):
    os.mkdir(box.sockets)
    os.chmod(box.sockets, mode)
    shell = box.shell("page_unit_pool")
    for line in ("alloc a 5000", "free a", "alloc a 5000"):
        took(shell, line)
    shell.end()
    assert box.socket_files() == []
    assert box.stderr().count("\n") == 1
    assert "0700" in box.stderr()
    assert box.stat()["hits"] == 1


def test_a_folder_that_is_a_link_is_refused(box):
    target = os.path.join(box.folder, "target")
    os.mkdir(target, 0o700)
    os.symlink(target, box.sockets)
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    shell.end()
    assert os.listdir(target) == []
    assert "0700" in box.stderr()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_users_folder_is_refused(box):
    os.mkdir(box.sockets, 0o700)
    os.chown(box.sockets, NOBODY, NOBODY)
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    shell.end()
    assert box.socket_files() == [] and "0700" in box.stderr()


CLIENT = """
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.settimeout(60)
client.connect(sys.argv[1])
try:
    client.sendall(b"swap no_pool\\n")
    print(client.recv(4096).decode())
except ConnectionError:
    print("closed")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_user_is_told_nothing_and_changes_nothing(box, shell):
    """Even where the file modes would let them in."""
    os.chmod(box.folder, 0o755)
    os.chmod(box.sockets, 0o755)
    os.chmod(box.socket_of(shell.pid), 0o666)
    before = shell.stat()
    done = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", "--clear-groups", sys.executable,
         "-c", CLIENT, box.socket_of(shell.pid)],
        capture_output=True, text=True, timeout=DEADLINE, check=True)
    assert done.stdout.startswith(("error: ", "closed"))
    assert shell.stat() == before


BAD = {
    "nothing": b"\n",
    "blanks": b"   \t \n",
    "an unknown command": b"explode\n",
    "an unknown pool": b"swap nonsense\n",
    "no pool": b"swap\n",
    "two pools": b"swap no_pool no_pool\n",
    "words too many": b"stat " + b"x " * 40 + b"\n",
    "an unknown option": b"swap --force no_pool\n",
    "no device": b"swap no_pool --device\n",
    "a device that is none": b"swap --device x no_pool\n",
    "a device not in use": b"swap --device 5 no_pool\n",
    "a device out of range": b"swap --device 64 no_pool\n",
    "a negative device": b"swap --device -1 no_pool\n",
    "a huge device": b"swap --device 99999999999999999999 no_pool\n",
    "a word after trim": b"trim now\n",
    "a number format": b"%s%n%n\n",
    "bytes that are no text": b"\xff\xfe\x01\x02\n",
    "zero bytes": b"swap no_pool\0junk\n",
    "a line of 1025 bytes": b"swap no_pool" + b" " * 1012 + b"\n",
    "a line without end": b"swap no_pool" + b" " * 1012,
    "a megabyte": bytes(range(11, 256)) * 4280,
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_request_is_an_error_and_changes_nothing(shell, what):
    before = shell.stat()
    with connect(shell.box.socket_of(shell.pid)) as client:
        try:
            client.sendall(BAD[what])
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = receive(client)
    assert answer.startswith("error: "), answer
    assert answer.count("\n") == 1 and answer.endswith("\n")
    assert shell.stat() == before
    shell.end()


def test_the_longest_line_is_served(shell):
    line = "swap no_pool".ljust(1023)
    assert shell.ask(line).startswith("device 0: page_unit_pool -> no_pool")


def test_a_request_may_come_a_byte_at_a_time(shell):
    with connect(shell.box.socket_of(shell.pid)) as client:
        for byte in b"stat --json\n":
            client.sendall(bytes([byte]))
            assert shell.stat()["pool"] == "page_unit_pool"
        assert json.loads(receive(client))["pid"] == shell.pid


def test_a_silent_client_holds_up_nobody(shell):
    silent = [connect(shell.box.socket_of(shell.pid)) for _ in range(100)]
    assert shell.ask("pools").startswith("page_unit_pool")
    took(shell, "alloc c 5000")
    for client in silent:
        client.close()
    assert shell.ask("pools").startswith("page_unit_pool")


def test_who_waits_longest_makes_room_for_one_too_many(shell):
    path = shell.box.socket_of(shell.pid)
    silent = [connect(path) for _ in range(128)]
    assert shell.ask("pools").startswith("page_unit_pool")
    assert receive(silent[0]) == ""
    silent[1].sendall(b"pools\n")
    assert receive(silent[1]).startswith("page_unit_pool")
    for client in silent:
        client.close()


def test_an_unknown_option_is_told_with_those_that_are_known(shell):
    for request in ("set nonsense", "set nonsense 1"):
        answer = shell.ask(request)
        assert answer.startswith("error: ") and "nonsense" in answer
        assert "pool_limit" in answer and answer.count("\n") == 1


def test_a_silent_client_is_dropped_in_the_end(shell):
    with connect(shell.box.socket_of(shell.pid)) as client:
        assert receive(client) == ""


def test_a_client_that_does_not_read_holds_up_nobody(shell):
    path = shell.box.socket_of(shell.pid)
    deaf = []
    for _ in range(8):
        client = socket.socket(socket.AF_UNIX)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        client.connect(path)
        client.sendall(b"stat\n")
        deaf.append(client)
    assert shell.ask("help").startswith("stat ")
    for client in deaf:
        client.close()


def test_a_client_that_goes_away_harms_nobody(shell):
    for request in (b"", b"sta", b"stat --json\n", b"swap no_pool"):
        with connect(shell.box.socket_of(shell.pid)) as client:
            client.sendall(request)
    assert shell.stat()["pool"] == "page_unit_pool"
    took(shell, "alloc c 5000")
    shell.end()


def test_sixty_four_clients_at_once_are_all_answered(shell):
    path = shell.box.socket_of(shell.pid)
    answers = []
    start = threading.Barrier(64)

    def one():
        start.wait(DEADLINE)
        answers.append(json.loads(ask(path, "stat --json"))["pid"])

    threads = [threading.Thread(target=one) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [shell.pid] * 64


def test_sixty_four_open_connections_are_all_served(shell):
    path = shell.box.socket_of(shell.pid)
    clients = [connect(path) for _ in range(64)]
    for client in clients:
        client.sendall(b"pools\n")
    for client in clients:
        assert receive(client).startswith("page_unit_pool")
        client.close()


def test_a_killed_programs_file_is_removed_and_not_listed(box, shell):
    living = box.shell("no_pool")
    took(living, "alloc a 5000")
    os.kill(shell.pid, signal.SIGKILL)
    shell.process.wait()
    assert len(box.socket_files()) == 2
    listed = json.loads(box.mnm("ps", "--json").stdout)
    assert [program["pid"] for program in listed] == [living.pid]
    assert box.socket_files() == [f"{living.pid}.sock"]


def test_a_stale_file_of_the_same_number_is_replaced(box):
    """As exec leaves one, or a killed process whose number comes again."""
    shell = box.shell("page_unit_pool")
    os.mkdir(box.sockets, 0o700)
    with socket.socket(socket.AF_UNIX) as former:
        former.bind(box.socket_of(shell.pid))
        former.listen()
    took(shell, "alloc a 5000")
    assert shell.stat()["live_bytes"] == 5000
    shell.end()
    assert box.socket_files() == []


@plain_build_only
@pytest.mark.parametrize("call", ["listen", "chmod", "rename"])
def test_a_program_that_is_just_starting_is_not_taken_for_stale(box, call):
    """One of the calls that open its socket takes long."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    env_of = box.env

    def env(pool, **options):
        made = env_of(pool, **options)
        made["STRACE_PRELOAD"] = made.pop("LD_PRELOAD")
        made["STRACE_LIBRARIES"] = made.pop("LD_LIBRARY_PATH")
        return made

    box.env = env
    shell = box.start(
        ["sh", "-c", f"exec strace -f -D -o /dev/null -e trace={call} "
         f"-e inject={call}:delay_enter=300000 -E LD_PRELOAD=$STRACE_PRELOAD "
         f"-E LD_LIBRARY_PATH=$STRACE_LIBRARIES {FORMS['shared'][0]}"],
        "page_unit_pool")
    box.env = env_of
    shell.send("alloc a 5000")
    while not select.select([shell.process.stdout], [], [], 0)[0]:
        box.mnm("ps")
    assert shell.read() == "0 0 set"
    assert shell.stat()["live_bytes"] == 5000
    shell.end()


def signals_blocked(shell):
    """The masks of the threads' signals, by their names."""
    tasks = f"/proc/{shell.pid}/task"
    blocked = {}
    for task in os.listdir(tasks):
        with open(f"{tasks}/{task}/status", encoding="utf-8") as file:
            fields = dict(line.split(":\t", 1) for line in file
                          if ":\t" in line)
        blocked[fields["Name"].strip()] = int(fields["SigBlk"], 16)
    return blocked


@pytest.mark.parametrize("device_idle, names", [
    (60, ["mnm-control", "mnm-giver"]), (0, ["mnm-control"])])
def test_threads_of_mnm_block_all_signals(box, device_idle, names):
    shell = box.shell("page_unit_pool", device_idle=device_idle)
    shell("alloc a 5000")
    shell("free a")
    shell.ask("trim")  # both have their names
    blocked = signals_blocked(shell)
    assert sorted(name for name in blocked if name.startswith("mnm")) == names
    for name in names:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD,
                       signal.SIGUSR1, signal.SIGPIPE):
            assert blocked[name] >> (number - 1) & 1
    shell.end()
