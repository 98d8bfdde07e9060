"""Idle memory goes back while the program rests, and at no other time."""

import time

import pytest

from conftest import DEADLINE, program
from test_pool import open_shell, took
from test_threads import started

POOL = "page_unit_pool"
WAITED = "waits for work that was not seen"


def lines(shell, *calls):
    for call in calls:
        took(shell, call)


def comes_to(shell, field, value, device=0):
    """Whether a figure comes to this value. The deadline ends the loop after a
    hang."""
    until = time.monotonic() + DEADLINE
    while shell.stat(device)[field] != value and time.monotonic() < until:
        pass
    return shell.stat(device)[field] == value


def test_a_trim_of_a_sleeping_job_gives_back_now(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "alloc b 9000", "alloc c 5000", "fill b 7",
          "free a", "free c")
    shell.ask("trim")
    stat = shell.stat()
    assert stat["pending_bytes"] == 0 and stat["reserved_bytes"] == 12288
    assert stat["rest_frees"] == stat["driver_frees"] == 2
    lines(shell, "check b 7", "alloc c 5000", "fill c 1", "check c 1")
    shell.end()
    assert box.report()[0]["cuMemFree_v2"] == 2


def test_a_swap_of_a_sleeping_job_gives_back_now(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "free a")
    shell.ask("swap no_pool")
    assert shell.stat()["reserved_bytes"] == 0
    shell.end()


def test_pinned_memory_goes_back_too(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc d 5000", "pin a 5000 0", "unpin a", "free d")
    shell.ask("trim")
    assert shell.stat("host")["reserved_bytes"] == 0
    shell.end()
    assert box.report()[0]["cuMemFreeHost"] == 1


def test_all_devices_of_a_job_are_served(box):
    shell = open_shell(box, POOL, "driver", devices=2)
    lines(shell, "alloc a 5000", "retain q 1", "set q", "alloc b 9000",
          "free b", "set primary", "free a")
    shell.ask("trim")
    assert shell.stat(0)["reserved_bytes"] == 0
    assert shell.stat(1)["reserved_bytes"] == 0
    shell.end()


def test_work_that_waits_for_the_program_is_not_waited_for(box):
    """Only a later call of the program lets that work end."""
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "alloc b 5000", "stream s", "free a",
          "hold s")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 8192
    lines(shell, "put b s 3", "let_go", "sync")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 0
    lines(shell, "check b 3")
    shell.end()
    assert WAITED not in box.stderr()


def test_nothing_goes_back_in_a_capture(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "free a", "stream s", "capture s")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 8192
    lines(shell, "capture_end s")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 0
    shell.end()


def test_private_tables_are_no_reason_to_keep_it(box):
    """NVIDIA's runtime asks for them in each program."""
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "free a")
    assert shell("table") != "0"  # the simulated driver has none
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 0
    shell.end()


def test_work_behind_a_door_that_was_found_is_expected(box):
    """A context became current by a way that mnm does not see, so work may
    come that way, too."""
    shell = open_shell(box, POOL, "driver", devices=2)
    lines(shell, "retain y 1", "set y", "set primary", "alloc a 5000",
          "free a", "set_unseen y", "alloc b 9000", "set primary",
          "alloc c 5000", "free c")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 8192
    lines(shell, "alloc d 9000", "free d")
    assert shell.stat()["pending_bytes"] == shell.stat()["rest_frees"] == 0
    shell.end()


def test_a_driver_without_events_of_contexts_is_not_asked(box):
    shell = open_shell(box, POOL, "driver", sim_driver=12040)
    lines(shell, "alloc a 5000", "alloc b 5000", "free a")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 8192
    took(shell, "free b")
    assert shell.stat()["pending_bytes"] == 0
    shell.end()


def test_a_job_without_requests_gives_all_that_is_idle_back(box):
    shell = open_shell(box, POOL, "driver", device_idle=1)
    lines(shell, "alloc a 5000", "alloc b 9000", "alloc c 5000", "free a",
          "free c")
    assert comes_to(shell, "idle_bytes", 0)
    stat = shell.stat()
    assert stat["reserved_bytes"] == 12288 and stat["rest_frees"] == 2
    shell.end()


def test_what_was_asked_for_before_its_time_stays(box):
    """Pinned memory goes back, which shows that the control thread has
    looked."""
    shell = open_shell(box, POOL, "driver", device_idle=3600, host_idle=1)
    lines(shell, "alloc a 5000", "free a", "pin h 5000 0", "unpin h")
    assert comes_to(shell, "idle_bytes", 0, "host")
    assert shell.stat()["idle_bytes"] == 8192
    shell.end()


def test_a_job_at_work_without_requests_keeps_what_is_idle(box):
    """Pinned memory becomes pending, which shows that the control thread has
    looked."""
    shell = open_shell(box, POOL, "driver", device_idle=1, host_idle=1,
                       devices=2)
    lines(shell, "alloc a 5000", "free a", "retain q 1", "set q", "stream s",
          "alloc b 5000", "hold s", "pin h 5000 0", "unpin h")
    assert comes_to(shell, "pending_bytes", 8192, "host")
    assert shell.stat()["idle_bytes"] == 8192
    lines(shell, "let_go", "wait s")
    assert comes_to(shell, "idle_bytes", 0)
    shell.end()


def test_with_no_such_time_it_waits_for_a_free(box):
    shell = open_shell(box, POOL, "driver", device_idle=0)
    lines(shell, "alloc a 5000", "alloc b 9000", "free a")
    shell.ask("trim")
    assert shell.stat()["pending_bytes"] == 8192
    took(shell, "free b")
    assert shell.stat()["pending_bytes"] == 0
    shell.end()


@pytest.mark.parametrize("threads,frees", [(1, 50), (3, 10)])
def test_a_job_that_wakes_in_that_moment_loses_nothing(box, threads, frees):
    shell = box.start([program("waker"), str(threads)], POOL)
    started(box, shell)
    until = time.monotonic() + DEADLINE
    while shell.stat()["rest_frees"] < frees and time.monotonic() < until:
        shell.ask("trim")
    assert shell.stat()["rest_frees"] >= frees
    shell.process.stdin.close()
    words = shell.read().split()
    assert words[0] == "rounds" and int(words[1]) > 0
    assert words[3] == words[5] == "0"
    assert shell.process.wait(DEADLINE) == 0
    assert WAITED not in box.stderr()
