"""CUDA's own failures reach the program, and have no other effect."""

import pytest

from conftest import FORMS, WHOLE, MIB
from test_pool import open_shell, took


@pytest.mark.parametrize("form", FORMS)
def test_one_refused_allocation_is_retried_unseen(box, form):
    shell = open_shell(box, "page_unit_pool", form, fail="cuMemAlloc_v2:2:2")
    took(shell, "alloc a 5000")
    answer = took(shell, "alloc b 9000")
    assert answer == ("0 set" if form == "driver" else "0 0 set")
    shell.end()
    assert box.stat()["failures"] == 0
    assert box.report()[0]["cuMemAlloc_v2"] == 3


@pytest.mark.parametrize("pool", WHOLE)
@pytest.mark.parametrize("form", FORMS)
def test_a_device_without_memory_is_out_of_memory_and_no_more(box, form, pool):
    shell = open_shell(box, pool, form, fail="cuMemAlloc_v2:2+:2")
    took(shell, "alloc a 5000")
    answer = took(shell, "alloc b 9000", "2")
    assert answer == ("2 null" if form == "driver" else "2 2 null")
    took(shell, "fill a 1")
    assert shell("check a 1").endswith("right")
    took(shell, "free a")
    shell.end()
    assert box.stat()["failures"] == 1
    assert box.stat()["live_bytes"] == 0


@pytest.mark.parametrize("code", [3, 201, 709, 999])
@pytest.mark.parametrize("pool", WHOLE)
def test_another_failure_of_an_allocation_is_passed_on(box, pool, code):
    shell = open_shell(box, pool, "driver", fail=f"cuMemAlloc_v2:1:{code}")
    assert shell("alloc a 5000") == f"{code} null"
    assert shell("alloc a 5000") == "0 set"
    took(shell, "free a")
    shell.end()
    assert box.stat()["failures"] == 1
    assert box.report()[0]["cuMemAlloc_v2"] == 2


@pytest.mark.parametrize("form", FORMS)
def test_a_failed_free_is_the_programs_to_see(box, form):
    shell = open_shell(box, "no_pool", form, fail="cuMemFree_v2:1:719")
    took(shell, "alloc a 5000")
    took(shell, "free a", "719")
    stat = shell.stat()
    assert stat["driver_frees"] == stat["frees"] == 0
    assert stat["live_bytes"] == 5000
    took(shell, "free a")
    shell.end()
    assert box.stat()["driver_frees"] == box.stat()["frees"] == 1
    assert box.stat()["live_bytes"] == box.stat()["reserved_bytes"] == 0
    assert box.report()[1][0]["live_allocs"] == 0


def test_idle_blocks_that_the_driver_does_not_take_harm_nothing(box):
    shell = box.shell("page_unit_pool", fail="cuMemFree_v2:1+:719")
    took(shell, f"alloc a {4 * MIB}")
    took(shell, "free a")
    assert shell.ask("trim")["devices"][0]["idle_bytes"] == 4 * MIB
    took(shell, f"alloc b {4 * MIB}")
    took(shell, "fill b 1")
    assert shell("check b 1").endswith("right")
    assert shell("last") == "0"
    shell.end()
    assert box.stat()["driver_frees"] == 0


@pytest.mark.parametrize("entry", ["cuMemFree_v2:1", "cuMemFree_v2:2",
                                   "cuMemFreeHost:1"])
@pytest.mark.parametrize("code", [2, 800, 900])
def test_what_the_driver_refused_to_take_goes_back_later(box, entry, code):
    """The driver refuses it as in a callback, where CUDA permits nothing."""
    shell = open_shell(box, "page_unit_pool", "driver", fail=f"{entry}:{code}",
                       host_limit="1G", device_idle=0)
    kind, free, flags, device = ("alloc", "free", "", 0)
    if "Host" in entry:
        kind, free, flags, device = ("pin", "unpin", " 0", "host")

    def give():
        shell.ask("trim")
        took(shell, f"{kind} last 5000{flags}")
        took(shell, f"{free} last")

    for name in "abc":
        took(shell, f"{kind} {name} {4 * MIB}{flags}")
    for name in "abc":
        took(shell, f"{free} {name}")
    give()
    stat = shell.stat(device)
    assert stat["driver_frees"] == 2
    assert stat["pending_bytes"] == 4 * MIB
    assert stat["reserved_bytes"] == 4 * MIB + 8192
    give()
    stat = shell.stat(device)
    assert stat["driver_frees"] == 4
    assert stat["pending_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 8192
    shell.end()


@pytest.mark.parametrize("kind", ["managed", "async", "virtual"])
@pytest.mark.parametrize("code", [220, 719, 999])
def test_what_the_driver_took_with_an_error_is_not_given_twice(box, kind,
                                                              code):
    """The driver's error was about earlier work. By the next time the address
    is another allocation's."""
    shell = open_shell(box, "page_unit_pool", "driver",
                       sim_late=f"cuMemFree_v2:1:{code}", device_idle=0)

    def give():
        shell.ask("trim")
        took(shell, "alloc last 5000")
        took(shell, "free last")

    took(shell, f"alloc a {4 * MIB}")
    took(shell, "free a")
    give()
    took(shell, f"take {kind} x {4 * MIB}")
    give()
    assert shell(f"give {kind} x") == "0"
    shell.end()


def test_what_the_driver_never_takes_is_asked_for_a_few_times(box):
    shell = open_shell(box, "page_unit_pool", "driver", sim="64M",
                       fail="cuMemFree_v2:1+:800")
    for name in "abcd":
        took(shell, f"alloc {name} {8 * MIB}")
    for name in "abcd":
        took(shell, f"free {name}")
    assert shell(f"alloc e {48 * MIB}") == "2 null"
    assert shell.stat()["reserved_bytes"] == 32 * MIB
    took(shell, f"alloc f {24 * MIB}")
    took(shell, "free f")
    shell.end()
    assert box.report()[0]["cuMemFree_v2"] <= 6 * 4


@pytest.mark.parametrize("kind,entry,options,kept", [
    ("alloc", "cuEventSynchronize", {"fence": "sync"}, 2),
    ("alloc", "cuMemFree_v2", {"fence": "sync", "sim_driver": 12040}, 2),
    ("pin", "cuEventSynchronize", {"fence": "sync"}, 2),
])
def test_a_block_whose_free_waited_in_vain_has_one_owner(box, kind, entry,
                                                        options, kept):
    """The wait's error comes once, so CUDA's own free succeeds after it."""
    shell = open_shell(box, "page_unit_pool", "driver", fail=f"{entry}:3:719",
                       **options)
    free, flags = ("free", "") if kind == "alloc" else ("unpin", " 0")
    for old in "abcdefgh":
        took(shell, f"{kind} {old} 100000{flags}")
    for old in "abcdefgh":
        took(shell, f"{free} {old}")
    for new in "stuvwxyz":
        took(shell, f"{kind} {new} 100000{flags}")
    shell.ask("swap " + ("--device host " if kind == "pin" else "") + "no_pool")
    took(shell, f"{kind} last 5000{flags}")
    took(shell, f"{free} last")  # what the swap has left may go back
    for new in "stuvwxyz":
        took(shell, f"range {new} 0" if kind == "alloc" else
             f"host_flags {new}")
        took(shell, f"{free} {new}")
    stat = shell.stat("host" if kind == "pin" else 0)
    assert stat["live_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"] == kept * 102400
    shell.end()
    # An old driver's wait is a free of one of mnm's blocks, which still
    # exists.
    refused = entry == "cuMemFree_v2"
    assert box.report()[1][0]["live_allocs"] == (
        kept + refused if kind == "alloc" else 0)


def test_a_lost_device_that_frees_all_the_same_knows_its_blocks(box):
    """CUDA itself answers what it is then asked about an address."""
    shell = open_shell(box, "page_unit_pool", "driver",
                       fail="cuMemAlloc_v2:2:719")
    took(shell, f"alloc a {2 * MIB}")
    took(shell, "alloc b 5000", "719")
    took(shell, "free a")
    assert shell.stat()["live_bytes"] == 0
    took(shell, f"alloc c {MIB}")
    assert shell("range c 0").split()[-1] == str(MIB)
    took(shell, "free c")
    shell.end()


@pytest.mark.parametrize("entry", ["cuCtxGetCurrent", "cuCtxGetDevice",
                                   "cuCtxPushCurrent_v2",
                                   "cuThreadExchangeStreamCaptureMode"])
def test_without_a_driver_call_of_our_own_the_program_goes_on(box, entry):
    shell = open_shell(box, "page_unit_pool", "driver",
                       fail=f"{entry}:3+:999")
    for name in "abc":
        took(shell, f"alloc {name} 5000")
        took(shell, f"fill {name} 4")
        assert shell(f"check {name} 4").endswith("right")
        took(shell, f"free {name}")
    shell.end()
