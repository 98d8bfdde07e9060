"""The control socket: who may ask, and what happens to odd clients."""

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

from conftest import (DEADLINE, FORMS, answer_of, ask, connect,
                      plain_build_only, receive, request)
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
    client.sendall(b'{"command":"swap","pool":"no_pool"}\\n')
    print(client.recv(4096).decode())
except ConnectionError:
    print("closed")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
def test_another_user_is_told_nothing_and_changes_nothing(box, shell):
    """This holds even if the file modes would let them in."""
    os.chmod(box.folder, 0o755)
    os.chmod(box.sockets, 0o755)
    os.chmod(box.socket_of(shell.pid), 0o666)
    before = shell.stat()
    done = subprocess.run(
        ["setpriv", f"--reuid={NOBODY}", "--clear-groups", sys.executable,
         "-c", CLIENT, box.socket_of(shell.pid)],
        capture_output=True, text=True, timeout=DEADLINE, check=True)
    assert done.stdout == "closed\n" or "to another user" in done.stdout
    assert shell.stat() == before


def swap(**fields):
    fields = {"command": "swap", "pool": "no_pool", **fields}
    return json.dumps(fields).encode()


BAD = {  # what is sent, and what the error says about it
    "nothing": (b"\n", "an object of JSON"),
    "blanks": (b"   \t \n", "an object of JSON"),
    "words": (b"swap no_pool\n", "an object of JSON"),
    "a line that is cut": (b'{"command":"swap","pool":"no\n', "of JSON"),
    "an object that is cut": (b'{"command":"swap","pool":"no_pool"\n',
                              "of JSON"),
    "two objects": (swap() + swap() + b"\n", "end of file expected"),
    "a list": (b'["swap","no_pool"]\n', "it is an array"),
    "a text": (b'"swap"\n', "an object of JSON"),
    "a field twice": (b'{"command":"swap","pool":"x","pool":"no_pool"}\n',
                      "duplicate"),
    "no command": (b'{"pool":"no_pool"}\n', "no 'command'"),
    "a number for a command": (b'{"command":1}\n', "'command' has to be a"),
    "an unknown command": (b'{"command":"explode"}\n',
                           "'explode'; known: stat swap"),
    "an unknown field": (swap(force=True) + b"\n",
                         "'force'; known: command device"),
    "a field of another command": (swap(value="x") + b"\n",
                                   "swap takes no value"),
    "an unknown pool": (swap(pool="nonsense") + b"\n", "'nonsense'"),
    "a number for a pool": (swap(pool=7) + b"\n", "'pool' has to be a text"),
    "null for a pool": (swap(pool=None) + b"\n", "'pool' has to be a text"),
    "an object for a pool": (swap(pool={}) + b"\n", "'pool' has to be"),
    "no pool": (b'{"command":"swap"}\n', "swap needs pool"),
    "no option": (b'{"command":"set","value":"1"}\n', "set needs option"),
    "a device that is none": (swap(device="x") + b"\n", "--device 'x'"),
    "a device not in use": (swap(device=5) + b"\n", "--device '5'"),
    "a device out of range": (swap(device=64) + b"\n", "--device '64'"),
    "a number in a text": (swap(device="0") + b"\n", "--device '0'"),
    "a negative device": (swap(device=-1) + b"\n", "--device '-1'"),
    "a huge device": (swap(device=1 << 62) + b"\n", "--device '46116"),
    "a number past all": (swap(device=1 << 70) + b"\n", "too big integer"),
    "a fraction for a device": (swap(device=0.5) + b"\n", "'device' has to"),
    "true for a device": (swap(device=True) + b"\n", "'device' has to"),
    "a device for trim's pool": (b'{"command":"trim","pool":"x"}\n',
                                 "trim takes no pool"),
    "a number format": (b'{"command":"%s%n%n"}\n', "'%s%n%n'"),
    "controls": (swap(pool="\x1b[2J\n") + b"\n", "'?[2J?'"),
    "bytes that are no text": (b"\xff\xfe\x01\x02\n", "of JSON"),
    "a text of such bytes": (b'{"command":"\xff"}\n', "of JSON"),
    "zero bytes": (swap() + b"\0\n", "a line of text"),
    "a spelled zero": (b'{"command":"swap\\u0000"}\n', "of JSON"),
    "a deep one": (b"[" * 1000 + b"\n", "it is nested"),
    "a deep field": (b'{"a":' * 150 + b"\n", "it is nested"),
    "a line of 1025 bytes": (swap().ljust(1024) + b"\n", "at most 1023"),
    "a line without end": (swap().ljust(1024), "at most 1023"),
    "a megabyte": (bytes(range(11, 256)) * 4280, "at most 1023"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_request_is_an_error_and_changes_nothing(shell, what):
    sent, why = BAD[what]
    before = shell.stat()
    with connect(shell.box.socket_of(shell.pid)) as client:
        try:
            client.sendall(sent)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = receive(client)
    assert answer.count("\n") == 1 and answer.endswith("\n"), answer
    answer = json.loads(answer)
    assert set(answer) == {"schema", "error"}
    assert why in answer["error"] and answer["schema"] == 1
    assert shell.stat() == before
    shell.end()


def test_a_line_that_its_client_ends_without_a_newline_is_refused(shell):
    with connect(shell.box.socket_of(shell.pid)) as client:
        client.sendall(swap())
        client.shutdown(socket.SHUT_WR)
        assert answer_of(client)["error"] == "the request's line has no end"
    assert shell.stat()["pool"] == "page_unit_pool"


def test_the_longest_line_is_served(shell):
    with connect(shell.box.socket_of(shell.pid)) as client:
        client.sendall(swap().ljust(1023) + b"\n")
        assert answer_of(client)["devices"][0]["after"] == "no_pool"


def test_the_commands_and_their_fields_are_told(shell):
    rows = {row.pop("command"): row for row in shell.ask("help")["commands"]}
    assert rows["swap"] == {"needs": ["pool"], "may": ["device"]}
    assert rows["set"] == {"needs": ["option"], "may": ["value"]}
    for name, row in rows.items():
        if not row["needs"]:
            answer = shell.ask(name)
            # Only some pools have a plan.
            assert ("error" in answer) == (name == "plan"), answer


def test_a_request_may_come_a_byte_at_a_time(shell):
    with connect(shell.box.socket_of(shell.pid)) as client:
        for byte in request("stat"):
            client.sendall(bytes([byte]))
            assert shell.stat()["pool"] == "page_unit_pool"
        assert answer_of(client)["pid"] == shell.pid


def test_a_silent_client_holds_up_nobody(shell):
    silent = [connect(shell.box.socket_of(shell.pid)) for _ in range(100)]
    assert "pools" in shell.ask("pools")
    took(shell, "alloc c 5000")
    for client in silent:
        client.close()
    assert "pools" in shell.ask("pools")


def test_who_waits_longest_makes_room_for_one_too_many(shell):
    path = shell.box.socket_of(shell.pid)
    silent = [connect(path) for _ in range(128)]
    assert "pools" in shell.ask("pools")
    assert receive(silent[0]) == ""
    silent[1].sendall(request("pools"))
    assert "pools" in answer_of(silent[1])
    for client in silent:
        client.close()


def test_an_unknown_option_is_told_with_those_that_are_known(shell):
    for words in ("set nonsense", "set nonsense 1"):
        error = shell.ask(words)["error"]
        assert "nonsense" in error and "pool_limit" in error


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
        client.sendall(request("stat"))
        deaf.append(client)
    assert "commands" in shell.ask("help")
    for client in deaf:
        client.close()


def test_a_client_that_goes_away_harms_nobody(shell):
    for sent in (b"", b'{"comm', request("stat"), swap()):
        with connect(shell.box.socket_of(shell.pid)) as client:
            client.sendall(sent)
    assert shell.stat()["pool"] == "page_unit_pool"
    took(shell, "alloc c 5000")
    shell.end()


def test_sixty_four_clients_at_once_are_all_answered(shell):
    path = shell.box.socket_of(shell.pid)
    answers = []
    start = threading.Barrier(64)

    def one():
        start.wait(DEADLINE)
        answers.append(ask(path, "stat")["pid"])

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
        client.sendall(request("pools"))
    for client in clients:
        assert "pools" in answer_of(client)
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
    """An exec leaves such a file, and so does a killed process whose number is
    used again."""
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
    """The masks of the threads' signals, by the threads' names."""
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
    shell.ask("trim")  # by now both threads have their names
    blocked = signals_blocked(shell)
    assert sorted(name for name in blocked if name.startswith("mnm")) == names
    for name in names:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD,
                       signal.SIGUSR1, signal.SIGPIPE):
            assert blocked[name] >> (number - 1) & 1
    shell.end()
