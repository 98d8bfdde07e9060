"""Forked and executed processes."""

import os

from conftest import ask, forks_only_without_asan, program
from test_pool import took


def sockets_open(pid):
    """In the tables of all its threads; mnm's has one of its own."""
    links = set()
    for task in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{task}/fd"
        for fd in os.listdir(folder):
            try:
                links.add(os.readlink(os.path.join(folder, fd)))
            except OSError:
                pass
    return {link for link in links if link.startswith("socket:")}


@forks_only_without_asan
def test_a_childs_exit_leaves_the_parents_socket(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    assert shell("fork count").split()[0] == "3"
    assert shell.read() == "ended 0"
    assert box.socket_files() == [f"{shell.pid}.sock"]
    assert shell.stat()["live_bytes"] == 5000
    shell.end()
    assert box.socket_files() == []


@forks_only_without_asan
def test_a_child_writes_no_statistics(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    shell("fork count")
    shell.read()
    assert not os.path.exists(box.stat_file)
    shell.end()
    assert box.stat()["allocs"] == 1


@forks_only_without_asan
def test_nor_where_memory_was_only_counted(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "retain p 0", "set p", "physical m 2097152"):
        took(shell, line)
    shell("fork addr m")
    shell.read()
    assert not os.path.exists(box.stat_file)
    shell.end()
    assert box.stat()["virtual_bytes"] == 2097152


@forks_only_without_asan
def test_a_child_does_not_hold_the_socket(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    assert sockets_open(shell.pid)
    lines = [shell("child"), shell.read()]
    child = next(line for line in lines if line != "forked")
    assert not sockets_open(child)
    assert shell("child_end") == "ended 0"
    shell.end()


def test_a_child_forked_before_cuda_has_a_socket_of_its_own(box):
    shell = box.shell("page_unit_pool")
    child = int(shell("become_child"))
    took(shell, "alloc a 5000")
    took(shell, "free a")
    took(shell, "alloc a 5000")
    assert box.socket_files() == [f"{child}.sock"]
    answer = ask(box.socket_of(child), "stat --json")
    assert f'"pid":{child}' in answer and '"hits":1' in answer
    shell.end()
    assert box.socket_files() == []


@forks_only_without_asan
def test_a_child_forked_after_cuda_is_refused_by_cuda_alone(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    took(shell, "free a")
    shell("become_child")
    for line in ("alloc b 5000", "free a", "info", "sync"):
        took(shell, line, "3")
    shell.end()
    assert box.stat()["allocs"] == 1


def test_a_program_executed_by_a_cuda_program_starts_anew(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    assert box.socket_files() == [f"{shell.pid}.sock"]
    before = sockets_open(shell.pid)
    shell.send(f"exec {program('shell_shared')}")
    took(shell, "alloc b 9000")
    assert shell.stat()["live_bytes"] == 9000
    assert shell.stat()["allocs"] == 1
    after = sockets_open(shell.pid)
    assert len(after) == len(before) and not after & before
    shell.end()
    assert box.socket_files() == []
