"""Pools that place blocks of pinned memory in regions."""

import resource

import pytest

from conftest import MIB, PINNING
from test_pinned import host, lines
from test_pool import open_shell, took

FLAGS = {"portable": 1, "mapped": 2, "write_combined": 4}


def opened(box, pool, **options):
    """By default RLIMIT_MEMLOCK, which is the system's, limits what is idle."""
    options = {"host_limit": 256 * MIB} | options
    return open_shell(box, f"page_unit_pool,{pool}", "driver", **options)


def places(shell, names):
    return [int(shell(f"addr {name}"), 16) for name in names]


def filled(shell, name, size, flags=0):
    took(shell, f"pin {name} {size} {flags}")
    took(shell, f"host_fill {name} {ord(name)}")


def is_right(shell, name):
    return shell(f"host_check {name} {ord(name)}").endswith("right")


@pytest.mark.parametrize("pool", PINNING)
def test_blocks_share_an_allocation_and_no_page(box, pool):
    shell = opened(box, pool)
    for name in "abcd":
        filled(shell, name, 5000)
    at = sorted(places(shell, "abcd"))
    # Where the address of the region has a border of 2 MiB inside it, a block
    # may lie at the other end of what is free.
    assert all(after - before >= 8192 for before, after in zip(at, at[1:]))
    assert at[-1] - at[0] < 2 * MIB
    assert all(is_right(shell, name) for name in "abcd")
    stat = host(shell)
    assert stat["pool"] == pool
    assert (stat["regions"], stat["region_bytes"]) == (1, 2 * MIB)
    assert stat["reserved_bytes"] == 2 * MIB
    assert stat["live_bytes"] == 20000
    shell.end()
    assert box.report()[0]["cuMemHostAlloc"] == 1


def test_a_devices_backing_is_refused_for_pinned_memory_alone(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    lines(shell, "pin a 5000 0")
    done = box.mnm("swap", shell.pid, "--device", "host", "vmm_pool@managed",
                   check=False)
    assert done.returncode == 1
    assert "pinned memory has no backing but host" in done.stderr
    assert host(shell)["pool"] == "page_unit_pool"
    for named in "vmm_pool", "best_fit_pool@host":
        box.mnm("swap", shell.pid, "--device", "host", named)
    assert host(shell)["pool"] == "best_fit_pool@host"
    shell.end()


@pytest.mark.parametrize("named, chosen", [
    ("vmm_pool", "vmm_pool@host"),
    ("best_fit_pool@managed", "best_fit_pool@host"),
    ("no_pool,host:vmm_pool", "vmm_pool@host"),
    ("vmm_pool,host:best_fit_pool@host", "best_fit_pool@host"),
    ("best_fit_pool@host", "best_fit_pool@host"),
    ("vmm_pool,host:page_unit_pool", "page_unit_pool")])
def test_pinned_memory_has_a_backing_of_its_own(box, named, chosen):
    shell = open_shell(box, named, "driver")
    lines(shell, "alloc d 5000", "pin a 5000 0")
    assert host(shell)["pool"] == chosen
    devices = shell.stat(0)["pool"]
    first = named.split(",")[0]
    assert devices == ("page_unit_pool" if first.endswith("@host") else first)
    swapped = {row["device"]: row["after"]
               for row in shell.ask("swap best_fit_pool")["devices"]}
    assert swapped == {0: "best_fit_pool", "host": "best_fit_pool@host"}
    swapped, = shell.ask("swap vmm_pool@host")["devices"]
    assert (swapped["device"], swapped["after"]) == ("host", "vmm_pool@host")
    assert shell.stat(0)["pool"] == "best_fit_pool"
    shell.ask("reset")
    assert (host(shell)["pool"], shell.stat(0)["pool"]) == (chosen, devices)
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_a_block_answers_as_an_allocation_of_its_own(box, pool):
    shell = opened(box, pool)
    for name in "abc":
        filled(shell, name, 5000, FLAGS["write_combined"])
    inner = max("abc", key=lambda name: int(shell(f"addr {name}"), 16))
    assert shell(f"attributes {inner}").split()[:3] == ["0", "1", "5000"]
    assert shell(f"host_flags {inner}") == "0 6"
    took(shell, f"free {inner}", "1")  # the call for device memory
    took(shell, f"unpin {inner}")
    took(shell, f"unpin {inner}", "1")
    took(shell, f"host_flags {inner}", "1")
    assert shell(f"attributes {inner}") == "0 0 0 0"
    rest = [name for name in "abc" if name != inner]
    assert all(is_right(shell, name) for name in rest)
    assert host(shell)["live_bytes"] == 10000
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_a_region_has_blocks_of_one_kind(box, pool):
    shell = opened(box, pool)
    filled(shell, "a", 5000)
    filled(shell, "b", 5000, FLAGS["write_combined"])
    assert host(shell)["regions"] == 2
    assert (shell("host_flags a"), shell("host_flags b")) == ("0 2", "0 6")
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_neighbours_are_joined_once_their_copies_are_over(box, pool):
    shell = opened(box, pool)
    lines(shell, "stream s", f"alloc v {512 << 10}", "fill v 7")
    for name in "abcd":
        filled(shell, name, 512 << 10)
    first = min(places(shell, "abcd"))
    lines(shell, "hold s", "pull a v s", *(f"unpin {name}" for name in "abcd"),
          f"pin e {MIB} 0", "host_fill e 9", "let_go", "wait s")
    assert not 0 <= places(shell, "e")[0] - first < 2 * MIB
    assert shell("host_check e 9").endswith("right")
    lines(shell, "sync", f"pin f {MIB} 0", f"pin g {MIB} 0")
    assert 0 <= places(shell, "g")[0] - first < 2 * MIB
    assert host(shell)["reserved_bytes"] == 4 * MIB
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_whole_regions_go_back(box, pool):
    shell = opened(box, pool)
    lines(shell, f"pin a {4 * MIB} 0", "pin b 5000 0", "pin c 5000 0",
          "unpin a")
    shell.ask("trim --device host")
    took(shell, "unpin b")
    stat = host(shell)
    assert stat["regions"] == 1
    assert stat["reserved_bytes"] == 2 * MIB
    took(shell, "unpin c")
    shell.ask("swap host:no_pool")
    lines(shell, "pin c 5000 0", "unpin c")
    assert host(shell)["reserved_bytes"] == host(shell)["regions"] == 0
    shell.end()
    calls = box.report()[0]
    assert calls["cuMemHostAlloc"] == calls["cuMemFreeHost"] == 3


@pytest.mark.parametrize("pool", PINNING)
def test_regions_end_with_their_context(box, pool):
    shell = opened(box, pool)
    lines(shell, "create x 0", "pin a 5000 0", "pin b 5000 0", "unpin b",
          "destroy x", "create y 0", "pin c 5000 0")
    stat = host(shell)
    assert (stat["regions"], stat["live_bytes"]) == (1, 5000)
    assert stat["reserved_bytes"] == 2 * MIB
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_no_more_is_kept_idle_than_may_be_locked(box, pool):
    shell = opened(box, pool, host_limit="auto")
    lines(shell, f"pin a {3 * MIB} 0", f"pin b {3 * MIB} 0", "pin c 5000 0")
    resource.prlimit(shell.pid, resource.RLIMIT_MEMLOCK, (4 * MIB, 4 * MIB))
    lines(shell, "unpin a", "unpin b")
    assert host(shell)["idle_bytes"] <= 4 * MIB
    took(shell, "host_flags c")
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_past_the_limit_a_region_is_as_small_as_it_can_be(box, pool):
    shell = opened(box, pool, host_limit=3 * MIB)
    lines(shell, f"pin a {2 * MIB} 0", "unpin a", f"pin b {3 * MIB} 0",
          "pin c 5000 0")
    stat = host(shell)
    assert (stat["reserved_bytes"], stat["failures"]) == (3 * MIB + 8192, 0)
    assert stat["regions"] == 2
    took(shell, "unpin b")
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_a_region_that_is_refused_is_cudas_error(box, pool):
    shell = opened(box, pool, sim_fail="cuMemHostAlloc:1+:2")
    took(shell, "pin a 5000 0", "2")
    stat = host(shell)
    assert (stat["regions"], stat["reserved_bytes"]) == (0, 0)
    assert stat["failures"] == 1
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_a_little_memory_that_is_left_serves(box, pool):
    shell = opened(box, pool, sim_pinned=MIB)
    filled(shell, "a", 5000)
    filled(shell, "b", 5000)
    assert is_right(shell, "a") and is_right(shell, "b")
    assert host(shell)["reserved_bytes"] == 2 * 8192
    lines(shell, "unpin a", "unpin b", f"pin c {MIB} 0")
    took(shell, "pin d 5000 0", "2")
    shell.end()


@pytest.mark.parametrize("pool", PINNING)
def test_the_garbage_threshold_is_a_devices(box, pool):
    shell = opened(box, pool, garbage_threshold=1,
                   pool_limit=64 * MIB)
    lines(shell, f"pin a {11 * MIB} 0", f"pin b {13 * MIB} 0", "unpin a",
          "sync", f"pin c {15 * MIB} 0")
    assert host(shell)["regions"] == 3
    shell.end()
