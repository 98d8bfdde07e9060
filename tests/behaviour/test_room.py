"""Idle memory is everyone's. A call of CUDA's that is out of memory gets it,
whatever it takes memory for."""

import re

import pytest

from conftest import MIB, program, refused
from test_pool import open_shell, took

POOL = "page_unit_pool"
KINDS = ["managed", "async", "async_own", "pool", "pool_own", "pitch", "array",
         "array3d", "mipmap", "virtual"]
# What is opened, by which entry, and what the call returns without a device.
OPENED = [("module", "cuModuleLoadData", "0"),
          ("library", "cuLibraryLoadData", "0"),
          ("stream", "cuStreamCreate", "0"), ("event", "cuEventCreate", "0"),
          ("exec", "cuGraphInstantiateWithFlags", "0"),
          ("context", "cuCtxCreate_v4", "0"),
          ("primary", "cuDevicePrimaryCtxRetain", "0"),
          ("launch", "cuLaunchKernel", "400"),
          ("register", "cuMemHostRegister_v2", "0")]
# Managed memory is short as well, as it never moves to the host.
FIXED = {"sim_managed_fixed": 1}


def idle(shell, *mebibytes):
    for i, size in enumerate(mebibytes):
        took(shell, f"alloc i{i} {size * MIB}")
    for i in range(len(mebibytes)):
        took(shell, f"free i{i}")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_memory_gets_what_is_idle(box, kind):
    shell = open_shell(box, POOL, "driver", sim="64M", **FIXED)
    idle(shell, 30, 30)
    assert shell(f"take {kind} x {48 * MIB}") == "0 set"
    assert shell(f"give {kind} x") == "0"
    idle(shell, 60)
    assert shell(f"take {kind} x {48 * MIB}") == "0 set"
    shell.end()
    assert box.stat()["failures"] == 0 and box.stderr() == ""


@pytest.mark.parametrize("kind", ["managed", "async", "pool", "pitch",
                                  "virtual"])
@pytest.mark.parametrize("need, frees", [(2, 0), (6, 1), (24, 5)])
def test_no_more_goes_back_than_a_known_size_needs(box, kind, need, frees):
    shell = open_shell(box, POOL, "driver", sim="44M", **FIXED)
    idle(shell, *[4] * 10)
    assert shell(f"take {kind} x {need * MIB}") == "0 set"
    assert shell.stat()["driver_frees"] == frees
    shell.end()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_memory_that_there_is_not_is_refused(box, kind):
    shell = open_shell(box, POOL, "driver", sim="64M", **FIXED)
    took(shell, f"alloc a {16 * MIB}")
    idle(shell, 8)
    assert shell(f"take {kind} x {56 * MIB}") == refused(kind)
    shell.end()
    said = box.stderr()
    assert said.count("\n") == 1
    assert re.search("device 0: out of memory: .* asked, 16.0 MiB live, "
                     "0 B idle, 0 B unpooled, limit none$", said.strip())


@pytest.mark.parametrize("what, entry, code", OPENED)
def test_what_takes_memory_by_the_way_gets_what_is_idle(box, what, entry,
                                                        code):
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_need=f"{entry}:48M:0")
    idle(shell, 20, 20)
    assert shell(f"open {what}") == code
    assert shell.stat()["idle_bytes"] == 0
    took(shell, f"alloc a {20 * MIB}")
    assert shell(f"open {what}") == "2"
    shell.end()
    said = box.stderr()
    assert said.count("\n") == 1
    assert (": out of memory: 4.00 KiB asked, " if what == "register" else
            "device 0: out of memory: a call asked, 20.0 MiB live") in said


@pytest.mark.parametrize("what, entry, code", OPENED)
def test_a_call_that_is_short_with_nothing_idle_is_made_once(box, what, entry,
                                                             code):
    own = what == "primary"  # the shell's own retain has to succeed
    shell = open_shell(box, POOL, "driver", fail=f"{entry}:{1 + own}+:2")
    took(shell, f"alloc a {20 * MIB}")
    assert shell(f"open {what}") == "2" != code
    shell.end()
    calls, _ = box.report()
    assert calls[entry] == 1 + own and "cuMemFree_v2" not in calls


@pytest.mark.parametrize("form", ["shared", "static"])
def test_the_runtime_has_no_error_left_of_a_call_that_got_room(box, form):
    shell = open_shell(box, POOL, form, sim="64M")
    idle(shell, 60)
    took(shell, f"alloc_async x {48 * MIB}")
    assert shell("last") == "0"
    assert shell(f"alloc_async y {48 * MIB}") == "2 2 null"
    assert shell("last") == "2" and shell("last") == "0"
    shell.end()


@pytest.mark.parametrize("kind", KINDS)
def test_other_contexts_of_the_device_give_back(box, kind):
    shell = box.shell(POOL, "driver", sim="64M", **FIXED)
    took(shell, "init")
    for name in "xyz":
        took(shell, f"create {name} 0")
        idle(shell, 20)
    assert shell(f"take {kind} m {48 * MIB}") == "0 set"
    assert shell("is z") == "0 it"
    shell.end()


def two_contexts(box, **options):
    shell = box.shell(POOL, "driver", devices=2, sim="64M", **options)
    took(shell, "init")
    for i in range(2):
        took(shell, f"create c{i} {i}")
        idle(shell, 60)
    took(shell, "stream s")  # a stream of device 1
    took(shell, "set c0")
    return shell


def idle_of(shell):
    return [shell.stat(i)["idle_bytes"] // MIB for i in range(2)]


def test_the_streams_device_gives_back(box):
    shell = two_contexts(box)
    assert shell(f"take_in x s {48 * MIB}") == "0 set"
    assert idle_of(shell) == [60, 0]
    assert shell.stat(1)["async_bytes"] == 48 * MIB
    shell.end()


def test_the_device_that_is_named_gives_back(box):
    shell = two_contexts(box)
    assert shell(f"create_on x 1 {48 * MIB}") == "0 set"
    assert idle_of(shell) == [60, 0]
    assert shell.stat(1)["virtual_bytes"] == 48 * MIB
    shell.end()


@pytest.mark.parametrize("kind", KINDS)
def test_the_current_contexts_device_gives_back(box, kind):
    shell = two_contexts(box, **FIXED)
    assert shell(f"take {kind} x {48 * MIB}") == "0 set"
    assert idle_of(shell) == [0, 60]
    shell.end()


def test_a_pools_device_gives_back(box):
    """The pool is of one device. Its memory is asked for while the other
    device's context is current."""
    shell = two_contexts(box)
    took(shell, "set c1")
    assert shell(f"take pool x {MIB}") == "0 set"
    idle(shell, 60)
    took(shell, "set c0")
    assert shell(f"take pool y {48 * MIB}") == "0 set"
    assert idle_of(shell) == [60, 0]
    assert shell.stat(1)["async_bytes"] == 49 * MIB
    shell.end()


def test_the_device_whose_own_pool_it_is_gives_back(box):
    shell = two_contexts(box)
    took(shell, "set c0")
    assert shell(f"take default x {48 * MIB}") == "0 set"
    assert idle_of(shell) == [60, 0]
    assert shell.stat(1)["async_bytes"] == 48 * MIB
    shell.end()


@pytest.mark.parametrize("kind", ["async", "async_own"])
def test_memory_in_a_stream_gets_room_beside_a_capture_in_another(box, kind):
    shell = open_shell(box, POOL, "driver", sim="64M")
    assert shell(f"take {kind} w 1000") == "0 set"
    idle(shell, 58)
    took(shell, "stream s")
    took(shell, "begin s relaxed")
    assert shell(f"take {kind} x {48 * MIB}") == "0 set"
    assert shell.stat()["idle_bytes"] == 0
    took(shell, "end s g")
    shell.end()


@pytest.mark.parametrize("mode", ["relaxed", "global"])
def test_memory_in_the_stream_that_captures_gets_room(box, mode):
    """The request has failed, and the capture goes on."""
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_need="cuMemAllocAsync_ptsz:32M")
    assert shell("take async w 1000") == "0 set"
    idle(shell, 58)
    took(shell, f"begin_own {mode}")
    assert shell(f"take async_own x {MIB}") == "0 set"
    assert shell.stat()["idle_bytes"] < 32 * MIB
    shell.end()


def test_a_request_in_a_capture_that_has_failed_is_not_made_again(box):
    """The program is told what the request itself met."""
    shell = open_shell(box, POOL, "driver", sim="64M",
                       fail="cuMemAllocManaged:1:2,cuMemAllocAsync_ptsz:1:2")
    idle(shell, 8)
    took(shell, "begin_own global")
    assert shell(f"take managed x {MIB}") == "0 set"
    assert shell(f"take managed y {MIB}") == "900 null"
    assert shell.stat()["idle_bytes"] == 0
    idle(shell, 8)
    assert shell(f"take async_own z {MIB}") == "2 null"
    assert shell.stat()["held_bytes"] == 8 * MIB
    shell.end()


def test_a_launch_gives_back_on_its_streams_device(box):
    shell = two_contexts(box, sim_need="cuLaunchKernel:32M:1")
    assert shell("launch_in s") == "400"
    assert idle_of(shell) == [60, 0]
    shell.end()


def test_a_launch_into_a_capture_gets_room(box):
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_need="cuLaunchKernel:32M")
    idle(shell, 60)
    took(shell, "stream s")
    took(shell, "begin s relaxed")
    assert shell("launch_in s") == "400"
    assert shell.stat()["idle_bytes"] == 0
    took(shell, "end s g")
    shell.end()
    assert box.report()[0]["cuLaunchKernel"] == 2


@pytest.mark.parametrize("mode", ["relaxed", "global"])
def test_a_call_beside_a_capture_gets_room_and_the_capture_goes_on(box, mode):
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_need="cuModuleLoadData:32M")
    idle(shell, 60)
    took(shell, f"alloc a {MIB}")
    took(shell, "stream s")
    took(shell, f"begin s {mode}")
    assert shell("open module") == "0"
    took(shell, "stream_fill s a 7")
    took(shell, "end s g")
    shell.end()


@pytest.mark.parametrize("kind", ["managed", "pitch", "array"])
def test_it_is_made_again_beside_a_capture_as_it_was_allowed_before(box, kind):
    """The first call did not end the capture, so the capture goes on."""
    entry = {"managed": "cuMemAllocManaged", "pitch": "cuMemAllocPitch_v2",
             "array": "cuArrayCreate_v2"}[kind]
    shell = open_shell(box, POOL, "driver", fail=f"{entry}:1:2")
    idle(shell, 8)
    took(shell, f"alloc a {MIB}")
    took(shell, "stream s")
    took(shell, "begin s global")
    assert shell(f"take {kind} x {MIB}") == "0 set"
    took(shell, "stream_fill s a 7")
    took(shell, "end s g")
    shell.end()


def test_the_mode_for_captures_is_as_it_was_after_a_call_that_got_room(box):
    """A second call ends the capture, as it does without mnm."""
    shell = open_shell(box, POOL, "driver", fail="cuMemAllocManaged:1:2")
    idle(shell, 8)
    took(shell, "stream s")
    took(shell, "begin s global")
    assert shell(f"take managed x {MIB}") == "0 set"
    assert shell(f"take managed x {MIB}") == "900 null"
    assert shell("end s g").split()[0] == "901"
    shell.end()


def test_memory_of_the_other_kind_goes_back_as_well(box):
    """Pinning takes some device memory, so device memory makes room for it.
    Pinned memory makes room for device memory, too."""
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_need="cuMemHostAlloc:32M")
    idle(shell, 60)
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    assert shell.stat()["idle_bytes"] == 0
    took(shell, f"alloc c {MIB}")
    assert shell(f"alloc b {64 * MIB}") == "2 null"
    assert shell.stat("host")["idle_bytes"] == 0
    shell.end()


def test_pinned_memory_stays_where_its_free_might_wait_for_another_device(box):
    shell = two_contexts(box, sim_need="cuEventCreate:65M")
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    took(shell, "hold s")  # on the other device
    assert shell("open event") == "2"
    took(shell, f"alloc c {MIB}")
    assert shell(f"alloc b {64 * MIB}") == "2 null"
    assert shell.stat("host")["idle_bytes"] == 4 * MIB
    took(shell, "let_go")
    shell.end()


def test_a_lost_device_gives_nothing_back(box):
    shell = open_shell(box, POOL, "driver", sim="64M",
                       sim_lost="cuStreamCreate:1:700")
    idle(shell, 60)
    assert shell("open stream") == "700"
    assert shell(f"take managed x {60 * MIB}") == "700 null"
    shell.end()
    assert "cuMemFree_v2" not in box.report()[0]


def test_pinned_memory_that_is_idle_goes_back_too(box):
    shell = open_shell(box, POOL, "driver",
                       fail="cuMemHostRegister_v2:1:2,cuStreamCreate:1:2")
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    assert shell("open register") == "0"
    assert shell.stat("host")["idle_bytes"] == 0
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    assert shell("open stream") == "0"
    assert shell.stat("host")["idle_bytes"] == 0
    shell.end()


def test_what_a_call_gets_goes_first_from_where_it_is_short(box):
    shell = open_shell(box, POOL, "driver",
                       fail="cuMemHostRegister_v2:1:2,cuStreamCreate:1:2")
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    idle(shell, 8)
    assert shell("open register") == "0"
    assert shell.stat("host")["idle_bytes"] == 0
    assert shell.stat()["idle_bytes"] == 8 * MIB
    took(shell, f"pin a {4 * MIB} 0")
    took(shell, "unpin a")
    assert shell("open stream") == "0"
    assert shell.stat("host")["idle_bytes"] == 4 * MIB
    assert shell.stat()["idle_bytes"] == 0
    shell.end()


def test_room_for_a_primary_context_is_made_beside_resets(box):
    """Room is made without the lock that a reset needs. Until the reset is
    done, its memory is not free."""
    done = box.run([program("short_retains")], POOL, sim="64M",
                   sim_need="cuDevicePrimaryCtxRetain:32M:0")
    assert done.stdout == "ended\n"
