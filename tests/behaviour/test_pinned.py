"""Pinned host memory: its pools, when a block is reused, and how much is
kept."""

import resource
import time

import pytest

from conftest import MIB
from test_pool import got_at_last, open_shell, took

POOL = "page_unit_pool"
FORMS = ["driver", "shared", "static"]


def lines(shell, *each):
    for line in each:
        took(shell, line)


def host(shell):
    return shell.stat("host")


def cycle(shell, count, size=5000):
    """Pins and frees a block several times. Returns its addresses."""
    found = []
    for _ in range(count):
        took(shell, f"pin a {size} 0")
        found.append(shell("addr a"))
        took(shell, "unpin a")
    return found


def pinned_at(shell, name, size, wanted):
    got_at_last(shell, "pin", name, f"{size} 0", "unpin", wanted)


@pytest.mark.parametrize("form", FORMS)
def test_a_freed_block_serves_the_next_request(box, form):
    shell = open_shell(box, POOL, form)
    assert len(set(cycle(shell, 5))) == 1
    shell.end()
    stat = box.stat("host")
    assert (stat["allocs"], stat["hits"], stat["driver_allocs"]) == (5, 4, 1)
    assert (stat["live_bytes"], stat["idle_bytes"]) == (0, 8192)
    assert box.report()[0]["cuMemHostAlloc"] == 1
    assert "cuMemFreeHost" not in box.report()[0]


def test_the_pool_of_pinned_memory_is_chosen_for_itself(box):
    shell = open_shell(box, "page_unit_pool,host:no_pool", "driver")
    cycle(shell, 3)
    lines(shell, "alloc d 5000", "free d")
    assert host(shell)["pool"] == "no_pool"
    assert shell.stat(0)["pool"] == POOL
    shell.end()
    assert box.stat("host")["hits"] == 0
    assert box.report()[0]["cuMemFreeHost"] == 3


def test_pinned_memory_is_swapped_alone(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc d 5000", "pin a 5000 0")
    swapped, = shell.ask("swap --device host no_pool")["devices"]
    assert (swapped["device"], swapped["before"]) == ("host", POOL)
    assert (host(shell)["pool"], shell.stat(0)["pool"]) == ("no_pool", POOL)
    took(shell, "unpin a")
    assert host(shell)["reserved_bytes"] == 0
    shell.end()


def test_blocks_of_other_flags_are_not_mixed(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "pin a 5000 0", "unpin a", "pin b 5000 4")
    assert shell("addr a") != shell("addr b")
    assert shell("host_flags b") == "0 6"  # mapped, as all such memory is
    lines(shell, "unpin b", "pin_plain c 5000")
    assert shell("addr c") == shell("addr a")
    assert shell("host_flags c") == "0 2"
    shell.end()


def test_a_size_is_rounded_to_pages_and_no_further(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, f"pin a {5 * MIB + 1} 0")
    assert host(shell)["reserved_bytes"] == 5 * MIB + 4096
    shell.end()


def test_a_block_with_a_copy_under_way_is_not_handed_out(box):
    """The host may write to the next holder's block at once."""
    shell = open_shell(box, POOL, "driver")
    lines(shell, "stream s", "alloc d 5000", "fill d 7", "pin a 5000 0",
          "hold s", "pull a d s", "unpin a", "pin b 5000 0", "host_fill b 9",
          "let_go", "wait s")
    assert shell("addr a") != shell("addr b")
    assert shell("host_check b 9").endswith("right")
    pinned_at(shell, "c", 5000, shell("addr a"))  # the copy is over now
    shell.end()
    assert box.stat("host")["syncs"] == 0


def test_a_context_that_came_after_the_events_is_not_asked(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "stream s", "alloc d 5000", "fill d 7", "pin a 5000 0",
          "hold s", "pull a d s", "unpin a", "pin b 5000 0", "create y 0",
          "let_go", "set primary", "wait s")
    assert shell("addr a") != shell("addr b")
    pinned_at(shell, "c", 5000, shell("addr a"))
    shell.end()


def test_the_programs_wait_for_its_only_context_is_enough(box):
    shell = open_shell(box, POOL, "shared")
    lines(shell, "pin a 5000 0", "unpin a", "sync")
    assert host(shell)["quarantined_bytes"] == 0
    took(shell, "pin b 5000 0")
    assert shell("addr a") == shell("addr b")
    shell.end()
    assert box.stat("host")["fences"] == 0


def test_a_wait_for_one_of_two_contexts_is_not(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "create x 0", "stream s", "alloc d 5000", "fill d 7",
          "pin a 5000 1", "hold s", "pull a d s", "create y 0", "unpin a",
          "set y", "sync", "pin b 5000 1")
    assert host(shell)["quarantined_bytes"] == 8192
    took(shell, "let_go")
    shell.end()


@pytest.mark.parametrize("options", [{"quarantine": 0}, {"fence": "sync"}])
def test_a_free_waits_where_the_quarantine_is_full(box, options):
    shell = open_shell(box, POOL, "driver", **options)
    assert len(set(cycle(shell, 3))) == 1
    shell.end()
    stat = box.stat("host")
    assert (stat["fences"], stat["syncs"], stat["hits"]) == (0, 3, 2)


def test_an_old_driver_reuses_after_waits_only(box):
    shell = open_shell(box, POOL, "driver", sim_driver=12040, quarantine=16384)
    assert len(set(cycle(shell, 6))) == 3
    shell.end()
    assert box.stat("host")["syncs"] == 2


def test_the_wrong_free_is_cudas_error(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc d 5000", "pin a 5000 0")
    took(shell, "free a", "1")
    took(shell, "unpin d", "1")
    lines(shell, "unpin a", "free d")
    took(shell, "unpin a", "1")
    assert (host(shell)["live_bytes"], host(shell)["frees"]) == (0, 1)
    shell.end()


def test_what_was_freed_is_not_pinned_any_more(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "pin a 5000 0", "host_flags a", "unpin a")
    took(shell, "host_flags a", "1")
    shell.end()


def test_unknown_flags_and_nothing_are_cudas(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "pin a 5000 256", "1")
    took(shell, "pin a 0 0")
    lines(shell, "pin a 5000 0", "unpin a")
    assert host(shell)["allocs"] == 1
    shell.end()


def test_past_the_limit_idle_blocks_go_back_first(box):
    shell = open_shell(box, POOL, "driver", host_limit=3 * MIB)
    lines(shell, f"pin a {2 * MIB} 0", "unpin a", f"pin b {MIB} 0")
    assert host(shell)["idle_bytes"] == 2 * MIB
    took(shell, f"pin c {2 * MIB + 1} 0")
    assert host(shell)["idle_bytes"] == 0
    took(shell, f"pin d {4 * MIB} 0")  # live memory is not limited
    assert host(shell)["failures"] == 0
    shell.end()


def test_no_more_is_kept_idle_than_may_be_locked(box):
    for options, kept in (({}, 0), ({"host_limit": 64 * MIB}, MIB)):
        shell = open_shell(box, POOL, "driver", **options)
        took(shell, "pin small 5000 0")
        resource.prlimit(shell.pid, resource.RLIMIT_MEMLOCK, (65536, 65536))
        lines(shell, f"pin a {MIB} 0", "unpin a")
        assert host(shell)["idle_bytes"] == kept
        took(shell, "unpin small")
        assert host(shell)["idle_bytes"] == kept + 8192
        shell.end()


def test_the_driver_without_memory_gets_idle_blocks_back_first(box):
    shell = open_shell(box, POOL, "driver",
                       sim_fail="cuMemHostAlloc:2:2,cuMemHostAlloc:3:2")
    lines(shell, "pin a 5000 0", "unpin a", "pin b 9000 0")
    assert (host(shell)["idle_bytes"], host(shell)["failures"]) == (0, 0)
    shell.end()


def test_a_trim_gives_pinned_memory_back_at_any_free(box):
    shell = open_shell(box, POOL, "driver", device_idle=0)
    lines(shell, "alloc d 5000", "pin a 5000 0", "unpin a")
    assert {"device": "host", "idle_bytes": 8192} in shell.ask(
        "trim")["devices"]
    assert host(shell)["pending_bytes"] == 8192
    took(shell, "free d")
    assert host(shell)["reserved_bytes"] == 0
    shell.end()
    assert box.report()[0]["cuMemFreeHost"] == 1


def test_with_several_devices_only_a_pinned_free_gives_it_back(box):
    """A pinned free may wait for all devices. A free of device memory does
    not."""
    shell = open_shell(box, POOL, "driver", devices=2, device_idle=0)
    lines(shell, "alloc d 5000", "pin a 5000 0", "pin b 9000 0", "unpin a",
          "retain q 1", "set q", "alloc e 5000")
    shell.ask("trim --device host")
    lines(shell, "free e", "set primary", "free d")
    assert host(shell)["pending_bytes"] == 8192
    took(shell, "unpin b")
    assert host(shell)["pending_bytes"] == 0
    shell.end()


def test_pinned_memory_ends_with_its_context(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "create x 0", "pin a 5000 0", "pin b 5000 0", "unpin b",
          "destroy x", "create y 0", "pin c 5000 0")
    stat = host(shell)
    assert (stat["reserved_bytes"], stat["live_bytes"]) == (8192, 5000)
    shell.end()


def test_a_block_unpinned_in_a_capture_is_held(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "stream s", "alloc d 5000", "pin a 5000 0", "begin s relaxed",
          "pull a d s", "unpin a", "pin b 5000 0", "end s g")
    assert shell("addr a") != shell("addr b")
    assert host(shell)["held_blocks"] == 1
    took(shell, "graph_destroy g")
    assert host(shell)["held_blocks"] == 0
    shell.end()


def test_ps_shows_pinned_memory_beside_the_device(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc d 5000", "pin a 5000 0")
    rows = box.mnm("ps").stdout.splitlines()
    assert [row.split()[2] for row in rows] == ["DEVICE", "0", "host"]
    shell.end()


def test_an_unused_device_is_not_named(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "alloc d 5000")
    assert "--device 'host'" in shell.ask("trim --device host")["error"]
    shell.end()


def test_what_nobody_asks_for_goes_back(box):
    shell = open_shell(box, POOL, "driver", host_idle=1, device_idle=0)
    lines(shell, "alloc d 5000", "pin a 5000 0", "unpin a")
    deadline = time.monotonic() + 60
    while not host(shell)["pending_bytes"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert host(shell)["pending_bytes"] == 8192
    took(shell, "free d")
    assert host(shell)["reserved_bytes"] == 0
    shell.end()
