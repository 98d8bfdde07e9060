"""What regions are made of, as NAME@BACKING chooses it."""

import json

import pytest

from conftest import MIB, MNM, PLACING, plain_build_only, program
from test_pool import open_shell, took
from test_regions import alloc, is_right

MANAGED = "best_fit_pool@managed"
SEGMENTS = "best_fit_pool@virtual"
# What else a pool can have; whose regions are managed; and the kind of memory
# by the call that gives it.
WRONG = [("vmm_pool@", "device, virtual, managed or host"),
         ("vmm_pool@Managed", "device, virtual, managed or host"),
         ("page_unit_pool@device", "it has no regions"),
         ("no_pool@virtual", "it has no regions"),
         ("fast_pool@virtual", "unknown pool"),
         ("@virtual", "unknown pool"),
         ("vmm_pool@device@device", "device, virtual, managed or host"),
         ("host:vmm_pool@device", "pinned memory has no backing but host"),
         ("0:vmm_pool@host", "only pinned memory has the backing host"),
         ("vmm_pool@host,host:no_pool", "the same device is named twice")]
CALLS = {"device": "cuMemAlloc_v2", "virtual": "cuMemCreate",
         "managed": "cuMemAllocManaged"}
OWN = {"tstack_pool": "virtual", "vmm_pool": "virtual", "best_fit_pool": "device"}


def backing_of(pool):
    name, _, backing = pool.partition("@")
    return backing or OWN[name]


def opened(box, pool, **options):
    return open_shell(box, pool, "driver", **options)


def taken(box):
    """The calls that take memory, and how often."""
    calls = box.report()[0]
    return {name: calls[name] for name in CALLS.values() if name in calls}


# The choice.

@pytest.mark.parametrize("pool", PLACING)
def test_regions_are_made_of_what_is_chosen(box, pool):
    shell = opened(box, pool)
    alloc(shell, "a", 5000)
    assert is_right(shell, "a")
    stat = shell.stat()
    assert stat["pool"] == pool
    assert (stat["regions"], stat["region_bytes"]) == (1, 2 * MIB)
    assert stat["reserved_bytes"] == stat["live_bytes"] + stat[
        "idle_bytes"] + 120  # of rounding to 512 bytes
    shell.end()
    assert taken(box) == {CALLS[backing_of(pool)]: 1}


@pytest.mark.parametrize("pool, backing", OWN.items())
def test_a_pools_own_backing_is_its_name(box, pool, backing):
    shell = opened(box, f"{pool}@{backing}")
    alloc(shell, "a", 5000)
    assert shell.stat()["pool"] == pool
    assert shell.ask(f"swap {pool}@{backing}")["devices"][0]["after"] == pool
    shell.end()


@pytest.mark.parametrize("pool, why", WRONG)
def test_a_backing_that_a_pool_lacks_is_refused(box, pool, why):
    shell = opened(box, "vmm_pool")
    alloc(shell, "a", 5000)
    answer = shell.ask(f"swap {pool}")
    assert why in answer["error"] and "NAME@BACKING" in answer["error"]
    done = box.mnm("swap", shell.pid, pool, check=False)
    assert done.returncode and why in done.stderr
    assert done.stderr.count("\n") == 1
    done = box.mnm("run", "--sim", "--pool", pool, "--", "true", check=False)
    assert done.returncode == 2 and why in done.stderr
    assert done.stderr.count("\n") == 1
    assert shell.stat()["pool"] == "vmm_pool"
    assert shell.stat()["retired_bytes"] == 0
    shell.end()


def test_a_wrong_value_in_the_environment_is_said_once(box):
    shell = box.shell("best_fit_pool@hosts", "driver")
    for line in ("init", "create x 0", "alloc a 5000", "free a"):
        took(shell, line)
    shell.end()
    assert box.stderr().count("backing is not") == 1
    assert taken(box) == {"cuMemAlloc_v2": 1}


def test_each_device_has_a_backing_of_its_own(box):
    shell = box.shell(f"{MANAGED},1:{SEGMENTS},host:no_pool", "driver",
                      devices=2)
    for line in ("init", "create x 0", "alloc a 5000", "create y 1",
                 "alloc b 5000"):
        took(shell, line)
    assert shell.stat()["pool"] == MANAGED
    assert shell.stat(1)["pool"] == SEGMENTS
    options = shell.ask("stat")["options"]
    assert options["pool"] == f"{MANAGED},1:{SEGMENTS},host:no_pool"
    took(shell, "set x")
    shell.ask("swap 0:vmm_pool@device,1:vmm_pool")
    took(shell, "alloc c 5000")
    assert shell.stat()["pool"] == "vmm_pool@device"
    assert shell.stat(1)["pool"] == "vmm_pool"
    shell.ask("reset")
    assert shell.stat()["pool"] == MANAGED
    shell.end()
    assert taken(box) == {"cuMemAllocManaged": 1, "cuMemCreate": 1,
                          "cuMemAlloc_v2": 1}


def test_mnm_shows_and_takes_backings(box):
    shell = opened(box, MANAGED)
    alloc(shell, "a", 5000)
    head, row = box.mnm("ps").stdout.splitlines()
    assert len(head) <= 79 and len(row) <= 79
    assert MANAGED in row.split() and "shell_drive" in row.split()
    assert MANAGED in box.mnm("stat", shell.pid).stdout
    done = box.mnm("swap", shell.pid, SEGMENTS)
    assert f"{MANAGED} -> {SEGMENTS}" in done.stdout
    listed = {row["name"]: row["backings"]
              for row in json.loads(box.mnm("pools", "--json").stdout)}
    assert listed["best_fit_pool"] == [
        "device", "virtual", "managed", "host"]
    assert listed["vmm_pool"] == [
        "virtual", "device", "managed", "host"]
    assert listed["page_unit_pool"] == []
    assert shell.ask("pools")["pools"] == json.loads(
        box.mnm("pools", "--json").stdout)
    assert "NAME@BACKING: device, virtual, managed, host" in box.mnm("pools").stdout
    shell.end()


@plain_build_only
def test_mnm_run_takes_a_backing(box):
    done = box.run([MNM, "run", "--pool", SEGMENTS, "--",
                    program("shell_driver")],
                   stdin="init\ncreate x 0\nalloc a 5000\n",
                   stat_file=box.stat_file)
    assert done.stdout.split()[:3] == ["0"] * 3
    assert box.stat()["pool"] == SEGMENTS


@pytest.mark.parametrize("after", PLACING)
@pytest.mark.parametrize("before", PLACING)
def test_a_swap_changes_what_comes_later(box, before, after):
    shell = opened(box, before, sim_check=1)
    for name in "abcd":
        alloc(shell, name, 700000)
    took(shell, "free a")
    shell.ask(f"swap {after}")
    assert all(is_right(shell, name) for name in "bcd")
    alloc(shell, "e", 5000)
    assert all(is_right(shell, name) for name in "bcde")
    for name in "bcde":
        took(shell, f"free {name}")
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    assert stat["regions"] == stat["region_bytes"] == 0
    shell.end()
    calls, devices = box.report()
    assert devices[0]["live_bytes"] == devices[0]["reserved"] == 0
    assert {CALLS[backing_of(before)], CALLS[backing_of(after)]} <= set(calls)
    assert calls.get("cuMemMap") == calls.get("cuMemUnmap")
    assert calls.get("cuMemAddressReserve") == calls.get("cuMemAddressFree")


# What a program sees of managed memory.

@pytest.mark.parametrize("form", ["driver", "shared", "static"])
@pytest.mark.parametrize("pool", PLACING)
def test_a_block_has_the_face_of_device_memory(box, pool, form):
    faces = []
    for chosen in None, pool:
        shell = open_shell(box, chosen, form)
        for name in "ab":
            took(shell, f"alloc {name} 5000")
        faces.append([shell(f"face {name}") for name in "ab"])
        shell.end()
    assert faces[0] == faces[1]


def test_memory_that_the_program_wants_managed_stays_so(box):
    shell = opened(box, MANAGED)
    for line in ("alloc a 5000", "managed b 5000"):
        took(shell, line)
    assert shell("face a") != shell("face b")
    assert " managed 1 " in shell("face b")
    shell.end()


def test_no_more_is_free_than_the_device_has(box):
    """What is managed is not missing in what the simulated driver says."""
    shell = opened(box, MANAGED, sim="64M")
    took(shell, f"alloc a {30 * MIB}")
    took(shell, f"alloc b {5 * MIB}")
    took(shell, "free b")
    assert shell("info").split()[:3] == ["0", str(34 * MIB), str(64 * MIB)]
    shell.end()


@pytest.mark.parametrize("elsewhere", ["alloc", "managed"])
def test_what_lies_elsewhere_is_not_missing_in_what_is_free(box, elsewhere):
    """What a full device has borrowed, and what the program has managed."""
    shell = opened(box, MANAGED, sim="64M", oversubscribe="64M")
    took(shell, f"alloc a {40 * MIB}")
    took(shell, f"{elsewhere} b {30 * MIB}")
    assert shell("info").split()[:3] == ["0", str(24 * MIB), str(64 * MIB)]
    took(shell, "free a")
    assert shell("info").split()[:3] == ["0", str(64 * MIB), str(64 * MIB)]
    shell.end()


def test_a_hard_limit_counts_what_lies_elsewhere(box):
    shell = opened(box, MANAGED, sim="64M", oversubscribe="64M",
                   hard_limit="60M")
    took(shell, f"managed b {30 * MIB}")
    took(shell, f"alloc a {10 * MIB}")
    assert shell("info").split()[:3] == ["0", str(20 * MIB), str(60 * MIB)]
    shell.end()


def test_managed_regions_take_no_more_than_the_device_has(box):
    shell = opened(box, MANAGED, sim="64M")
    took(shell, f"alloc a {40 * MIB}")
    took(shell, f"alloc b {30 * MIB}", "2")
    took(shell, f"alloc b {24 * MIB}")
    took(shell, "alloc c 5000", "2")
    took(shell, "free a")
    took(shell, f"alloc a {30 * MIB}")  # what was idle has gone back
    stat = shell.stat()
    assert stat["reserved_bytes"] <= 64 * MIB
    assert stat["borrowed_bytes"] == 0
    shell.end()


def test_past_the_device_they_are_borrowed_if_that_is_allowed(box):
    shell = opened(box, MANAGED, sim="64M", oversubscribe="64M")
    took(shell, f"alloc a {40 * MIB}")
    took(shell, f"alloc b {30 * MIB}")
    stat = shell.stat()
    assert stat["borrowed_bytes"] == 30 * MIB
    assert stat["reserved_bytes"] == 40 * MIB
    shell.end()


def test_the_device_is_where_managed_memory_prefers_to_be(box):
    shell = opened(box, MANAGED, sim="64M")
    took(shell, f"alloc a {20 * MIB}")
    assert shell("advised a").split()[2] == "0"
    shell.end()


# Where it can't be had.

def test_without_pages_that_move_the_device_serves(box):
    shell = opened(box, MANAGED, sim_managed_fixed=1)
    alloc(shell, "a", 5000)
    assert is_right(shell, "a")
    shell.end()
    assert taken(box) == {"cuMemAlloc_v2": 1}


def test_a_capture_is_served_by_the_device(box):
    shell = opened(box, MANAGED)
    for line in ("stream s", "capture s", "alloc a 5000", "capture_end s"):
        took(shell, line)
    alloc(shell, "b", 5 * MIB)
    shell.end()
    assert taken(box) == {"cuMemAlloc_v2": 1, "cuMemAllocManaged": 1}


@pytest.mark.parametrize("code", [2, 801, 999])
@pytest.mark.parametrize("number", [1, 2, 3, 7, 20, 41])
@pytest.mark.parametrize("entry", [
    "cuMemAddressReserve", "cuMemCreate", "cuMemMap", "cuMemSetAccess",
    "cuMemAllocManaged", "cuMemAdvise_v2", "cuMemUnmap", "cuMemRelease"])
def test_a_call_that_fails_takes_nothing_along(box, entry, number, code):
    gives_back = entry in ("cuMemUnmap", "cuMemRelease")
    pool = MANAGED if entry in ("cuMemAllocManaged",
                                "cuMemAdvise_v2") else SEGMENTS
    shell = opened(box, pool, sim="80M", fail=f"{entry}:{number}:{code}")
    for _ in range(3):
        for name in "abcd":
            alloc(shell, name, 5 * MIB)
        alloc(shell, "e", 30 * MIB)
        assert all(is_right(shell, name) for name in "abcde")
        for name in "abcde":
            took(shell, f"free {name}")
        shell.ask("trim")
    shell.ask("swap no_pool")
    alloc(shell, "a", 5000)
    took(shell, "free a")
    stat = shell.stat()
    assert stat["reserved_bytes"] == stat["idle_bytes"] == 0
    assert stat["region_bytes"] == stat["failures"] == 0
    shell.end()
    assert gives_back or box.report()[1][0]["reserved"] == 0


def test_what_is_refused_is_said(box):
    shell = opened(box, MANAGED, fail="cuMemAllocManaged:1:801", log="info")
    alloc(shell, "a", 5000)
    shell.end()
    assert "managed memory is refused with error 801: cuMemAlloc serves" in (
        box.stderr())
    assert taken(box) == {"cuMemAllocManaged": 1, "cuMemAlloc_v2": 1}


@pytest.mark.parametrize("pool", ["vmm_pool", SEGMENTS])
@pytest.mark.parametrize("code", [2, 801])
def test_that_there_are_no_addresses_is_said(box, pool, code):
    shell = opened(box, pool, fail=f"cuMemAddressReserve:1:{code}",
                   log="info")
    alloc(shell, "a", 5000)
    shell.end()
    assert box.stderr().count(
        f"addresses are refused with error {code}: cuMemAlloc serves") == 1
    assert taken(box)["cuMemAlloc_v2"] == 1


NO_PAGES = "cuMemGetAllocationGranularity:1+:801"


@pytest.mark.parametrize("pool, lacks, words", [
    (MANAGED, {"sim_managed_fixed": 1}, "managed memory that moves by pages"),
    ("vmm_pool", {"fail": NO_PAGES}, "virtual memory"),
    (SEGMENTS, {"fail": NO_PAGES}, "virtual memory"),
])
def test_that_a_device_lacks_a_backing_is_said_once(box, pool, lacks, words):
    shell = opened(box, pool, log="info", **lacks)
    for name in "abc":
        alloc(shell, name, 12 * MIB)
    shell.end()
    assert box.stderr().count(
        f"device 0 has no {words}: cuMemAlloc serves") == 1
    assert taken(box) == {"cuMemAlloc_v2": 3}


# Segments of virtual memory.

def test_a_segment_goes_back_whole(box):
    shell = opened(box, SEGMENTS)
    for name in "abc":
        alloc(shell, name, 6 * MIB)
    took(shell, "free a")
    took(shell, "free c")
    shell.ask("trim")
    assert shell.stat()["region_bytes"] == 20 * MIB
    assert is_right(shell, "b")
    took(shell, "free b")
    shell.ask("trim")
    alloc(shell, "d", 5000)
    stat = shell.stat()
    assert (stat["regions"], stat["region_bytes"]) == (1, 2 * MIB)
    shell.end()
    calls = box.report()[0]
    assert calls["cuMemAddressFree"] == 1
    assert calls["cuMemUnmap"] == calls["cuMemRelease"] == 10


def test_a_segment_is_shown_to_a_peer(box):
    shell = box.shell(SEGMENTS, "driver", devices=2)
    for line in ("init", "create x 0", "alloc a 5000", "create y 1",
                 "peers x", "set x"):
        took(shell, line)
    took(shell, f"alloc b {5 * MIB}")
    took(shell, "set y")
    for name in "ab":
        took(shell, f"fill {name} 7")
        assert shell(f"check {name} 7").endswith("right")
    shell.end()
    # A segment, that segment for the peer, and another one for both.
    assert box.report()[0]["cuMemSetAccess"] == 3


def test_no_page_goes_back_under_work(box):
    shell = opened(box, SEGMENTS, sim_check=1)
    for line in (f"alloc a {6 * MIB}", "fill a 7", "free a"):
        took(shell, line)
    shell.ask("trim")
    alloc(shell, "b", 5000)
    took(shell, "free b")
    shell.end()
    assert "unmapped" not in box.stderr()


# Other processes.

@pytest.mark.parametrize("pool", [pool for pool in PLACING
                                  if backing_of(pool) != "device"])
def test_memory_without_an_ipc_handle_leaves_after_the_first_export(box, pool):
    shell = opened(box, pool)
    alloc(shell, "a", 5000)
    assert shell("export a /tmp").split()[0] != "0"
    assert shell.stat()["pool"] == "page_unit_pool"
    assert f"{backing_of(pool)} memory" in box.stderr()
    assert is_right(shell, "a")
    shell.end()


@pytest.mark.parametrize("pool", [pool for pool in PLACING
                                  if backing_of(pool) == "device"])
def test_memory_with_an_ipc_handle_stays(box, pool):
    shell = opened(box, pool)
    alloc(shell, "a", 5000)
    took(shell, "export a 0")
    assert shell.stat()["pool"] == pool
    shell.end()
