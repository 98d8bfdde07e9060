"""The control socket of a process that takes descriptors away from mnm's
thread, or has none left."""

import os
import resource
import socket
import time

import pytest

from conftest import (DEADLINE, MIB, answer_of, connect, plain_build_only,
                      receive, request)
from test_corners import control_thread
from test_pool import took

POOL = "page_unit_pool"


def sleeps(thread):
    """How often it has waited for something."""
    with open(f"{thread}/status", encoding="utf-8") as file:
        line, = [each for each in file if each.startswith("voluntary_ctxt")]
    return int(line.split()[1])


def until(true):
    """Waits until another process has come so far."""
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize("left", [0, 2])
def test_a_job_without_descriptors_answers_once_it_has_some(box, left):
    """Without descriptors it can't look into its folder. With two it can, but
    it can accept nobody."""
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    thread = control_thread(shell.pid)
    before = resource.prlimit(shell.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (left, before[1]))
    with connect(box.socket_of(shell.pid)) as client:
        client.sendall(request("stat"))
        slept = sleeps(thread)
        until(lambda: sleeps(thread) > slept + 2)
        took(shell, "alloc b 5000")
        resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, before)
        assert answer_of(client)["devices"][0]["live_bytes"] == 10000
    shell.end()


def beside_main(box):
    """A job whose control thread shares the process's descriptors, as another
    thread than main began."""
    shell = box.shell(POOL)
    took(shell, "on t alloc a 5000")
    return shell


def sockets(pid):
    found = {}
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            found[int(name)] = os.readlink(f"/proc/{pid}/fd/{name}")
        except OSError:
            pass
    return {fd for fd, link in found.items() if link.startswith("socket:")}


def test_a_client_whose_descriptor_the_program_closes_is_alone_affected(box):
    shell = beside_main(box)
    before = sockets(shell.pid)
    with connect(box.socket_of(shell.pid)) as client:
        until(lambda: len(sockets(shell.pid)) > len(before))
        theirs, = sockets(shell.pid) - before
        assert shell(f"close {theirs} {theirs}") == "closed"
        client.sendall(request("stat"))
        assert receive(client) == ""
    assert shell.stat()["live_bytes"] == 5000
    shell.end()


def test_a_program_that_closes_all_descriptors_is_served_on(box):
    shell = beside_main(box)
    thread = control_thread(shell.pid)
    assert shell("close 3 1023") == "closed"
    took(shell, "free a")
    took(shell, "alloc b 5000")
    took(shell, "fill b 3")
    assert shell("check b 3").endswith("right")
    until(lambda: not os.path.exists(thread))
    done = box.mnm("ps", check=False)
    assert "no socket" in done.stdout
    shell.end()
    assert (box.stat()["allocs"], box.stat()["frees"]) == (2, 1)


def second():
    """The clock that measures the age of the socket's clients, in seconds."""
    return int(time.clock_gettime(time.CLOCK_MONOTONIC))


def test_the_oldest_client_goes_wherever_its_place_is(box):
    """By then the first place has a younger client."""
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    path = box.socket_of(shell.pid)
    silent = [connect(path) for _ in range(128)]
    shell.ask("pools")  # takes the first client's place, and leaves it
    assert receive(silent[0]) == ""
    begun = second()
    until(lambda: second() > begun + 1)
    silent[0] = connect(path)
    assert "pools" in shell.ask("pools")
    assert receive(silent[1]) == ""
    silent[0].sendall(request("pools"))
    assert "pools" in answer_of(silent[0])
    for client in silent:
        client.close()
    shell.end()


def accepted(thread):
    """How many clients its own table of descriptors has."""
    links = []
    for fd in os.listdir(f"{thread}/fd"):
        try:
            links.append(os.readlink(f"{thread}/fd/{fd}"))
        except OSError:
            pass
    return sum(link.startswith("socket:") for link in links) - 1


@plain_build_only
@pytest.mark.parametrize("words", ["stat", "help", "trim", "swap no_pool",
                                   "set fence", "nonsense"])
def test_an_answer_takes_no_file(box, words):
    """The first one is to come when the program may open none any more."""
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    with connect(box.socket_of(shell.pid)) as client:
        until(lambda: accepted(control_thread(shell.pid)) == 1)
        assert shell("opens_kill") == "0"
        client.sendall(request(words))
        assert answer_of(client)["schema"] == 1
    took(shell, "free a")


def data_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        line, = [each for each in file if each.startswith("VmData:")]
    return int(line.split()[1]) << 10


REQUESTS = [*map(request, ["stat", "help", "trim", "reset", "swap no_pool",
                           "swap page_unit_pool", "set fence", "set fence x",
                           "set nonsense", "stat --device 9"]),
            b"words\n", b'{"command":"stat","command":"stat"}\n',
            b'{"command":"stat","unknown":"' + 900 * b"x" + b'"}\n',
            b'["a list"]\n', b'{"command":"sta', b"\0\n"]


@plain_build_only
def test_requests_leave_no_memory_behind(box):
    """Nor do those whose client goes without the answer."""
    shell = box.shell(POOL, log="none")
    took(shell, "alloc a 5000")
    path = box.socket_of(shell.pid)

    def ask_often(times):
        for number in range(times):
            with connect(path) as client:
                client.sendall(REQUESTS[number % len(REQUESTS)])
                if number % 7:
                    client.shutdown(socket.SHUT_WR)
                    receive(client)
        shell.ask("stat")

    ask_often(500)
    before = data_bytes(shell.pid)
    ask_often(10000)
    assert data_bytes(shell.pid) - before < MIB // 2
    shell.end()
