"""Forked and executed processes."""

import os

import pytest

from conftest import (KINDS, ask, forks_only_without_asan,
                      last_calls_only_without_tsan, program)
from test_pool import open_shell, took


def sockets_open(pid):
    """The open sockets in the tables of all its threads; mnm's thread has a
    table of its own."""
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
    answer = ask(box.socket_of(child), "stat")
    assert (answer["pid"], answer["devices"][0]["hits"]) == (child, 1)
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


@last_calls_only_without_tsan
@forks_only_without_asan
@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("thread", ["", "on t "])
def test_a_childs_thread_that_ends_takes_nothing_of_the_parents(box, pool,
                                                                thread):
    """Locks may stay held by threads that the child does not have."""
    shell = open_shell(box, pool, "driver")
    for line in ("set primary", "alloc a 5000", "alloc b 5000", "free b",
                 "begin_own thread"):
        took(shell, thread + line)
    assert shell(thread + "fork_leave") == "ended 0"
    assert box.socket_files() == [f"{shell.pid}.sock"]
    for line in ("own s", "end s g", "alloc b 5000", "fill b 7"):
        took(shell, thread + line)
    assert shell("check b 7").endswith("right")
    assert shell.stat()["live_bytes"] == 10000
    shell.end()


# Calls whose hooks do something of their own. In a child all of them are
# CUDA's.
CALLED = ["alloc c 5000", "free a", "free b", "free_async a s", "info",
          "pin c 100 0", "unpin p", "stream t", "stream_destroy s",
          "begin s relaxed", "end s h", "graph h", "clone g h", "parent g h",
          "child n g g", "node fill n g a none none", "node_destroy m",
          "instantiate g e", "update e g", "launch e s", "exec_destroy e",
          "graph_destroy g", "visit batch s a b", "visit values s a none",
          "create d 0", "destroy x", "retain q 0", "release 0",
          "primary_reset 0", "set x", "push x", "is x", "sync", "peers x",
          "green h", "green_stream u h", "green_destroy h",
          "take managed m 4096", "take async m 4096", "take pool m 4096",
          "take pitch m 4096", "take array m 4096", "take virtual m 2097152",
          "give virtual v", "map r v", "unmap r", "export a 0", "range a 0",
          "attributes a", "table", "door cuMemAlloc", "open module",
          "open event", "launch_in s"]


@forks_only_without_asan
def test_a_child_gets_cudas_answer_to_each_call(box):
    """The answers are the same without mnm, and the child comes to its end."""
    answers = {}
    for pool in (None, "page_unit_pool"):
        shell = open_shell(box, pool, "driver", sim="256M")
        for line in ("alloc a 5000", "alloc b 5000", "free b", "stream s",
                     "create x 0", "set primary", "graph g",
                     "node fill m g a none none", "instantiate g e",
                     "pin p 5000 0", f"take virtual v {2 << 20}", "map r v"):
            took(shell, line)
        shell("become_child")
        answers[pool] = [(line, shell(line)) for line in CALLED]
        shell.end()
    assert answers["page_unit_pool"] == answers[None]


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
