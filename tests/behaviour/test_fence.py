"""What makes reuse safe: levels, fences and waits, and where each applies.

In all of these tests more than one stream is in use. test_order.py has the
rest."""

import pytest

from conftest import FORMS, MIB, program
import test_pool
from test_pool import got_at_last, took

POOL = "page_unit_pool"


def open_shell(*args, **options):
    shell = test_pool.open_shell(*args, **options)
    took(shell, "mix")
    return shell


def cycle(shell, count=1, size=5000):
    """Allocates and frees a block several times. Returns its addresses."""
    found = []
    for _ in range(count):
        took(shell, f"alloc a {size}")
        found.append(shell("addr a"))
        took(shell, "free a")
    return found


def calls_of(box, *names):
    calls, _ = box.report()
    return [calls.get(name, 0) for name in names]


@pytest.mark.parametrize("form", FORMS)
def test_a_fence_is_one_event_and_one_wait_of_the_device(box, form):
    shell = open_shell(box, POOL, form)
    for name in "abc":
        took(shell, f"alloc {name} 5000")
    for name in "abc":
        took(shell, f"free {name}")
    for name in "abc":
        took(shell, f"alloc {name} 5000")
    shell.end()
    stat = box.stat()
    assert (stat["fence"], stat["fences"], stat["syncs"], stat["hits"]) == (
        "fence", 1, 0, 3)
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent",
                    "cuCtxSynchronize", "cuEventSynchronize") == [1, 1, 0, 0]


def test_a_free_at_level_sync_waits_and_an_allocation_does_not(box):
    shell = open_shell(box, POOL, "driver", fence="sync")
    first = cycle(shell, 5)
    assert len(set(first)) == 1
    shell.end()
    stat = box.stat()
    assert (stat["fences"], stat["syncs"], stat["hits"]) == (0, 5, 4)
    assert calls_of(box, "cuCtxWaitEvent", "cuEventSynchronize") == [0, 5]


def test_level_none_is_refused_unless_it_is_forced(box):
    shell = open_shell(box, POOL, "driver", fence="none")
    cycle(shell, 3)
    shell.end()
    assert "fence: 'none': lets running work be overwritten" in box.stderr()
    assert calls_of(box, "cuMemAlloc_v2") == [3]


def test_level_none_reuses_without_any_call(box):
    shell = open_shell(box, POOL, "driver", fence="none", force=1)
    assert len(set(cycle(shell, 5))) == 1
    shell.end()
    stat = box.stat()
    assert (stat["fences"], stat["syncs"], stat["hits"]) == (0, 0, 4)


@pytest.mark.parametrize("level,found,at_most_ms", [
    ("fence", "right", 50), ("sync", "right", 50), ("none", "wrong", 60000)])
def test_work_that_waits_is_overtaken_at_level_none_only(
        box, level, found, at_most_ms):
    done = box.run([program("late_work"), str(at_most_ms)], POOL, fence=level,
                   force=1)
    assert done.stdout == f"{found}\n"
    assert box.stat()["hits"] == 1


@pytest.mark.parametrize("use", ["value", "texture"])
@pytest.mark.parametrize("level,found,at_most_ms", [
    ("fence", "right", 50), ("sync", "right", 50), ("none", "wrong", 60000)])
def test_values_and_textures_are_overtaken_at_level_none_only(
        box, use, level, found, at_most_ms):
    done = box.run([program("late_values"), use, str(at_most_ms)], POOL,
                   fence=level, force=1)
    assert done.stdout == f"{found}\n"
    assert box.stat()["hits"] == 1


@pytest.mark.parametrize("use", ["value", "texture"])
@pytest.mark.parametrize("seed", range(1, 5))
def test_values_and_textures_are_not_overtaken_under_a_seed(box, use, seed):
    done = box.run([program("late_values"), use, "20"], POOL, sim_seed=seed,
                   sim_check=1)
    assert (done.stdout, done.stderr) == ("right\n", "")


def test_the_level_changes_while_the_program_runs(box):
    shell = open_shell(box, POOL, "driver")
    cycle(shell, 2)
    assert box.mnm("set", shell.pid, "fence", "sync").stdout == (
        "fence is now sync\n")
    assert shell.stat()["fence"] == "sync"
    before = shell.stat()["fences"]
    cycle(shell, 3)
    assert shell.stat()["syncs"] == 3 and shell.stat()["fences"] == before
    box.mnm("set", "--all", "fence", "fence")
    cycle(shell, 3)
    assert shell.stat()["syncs"] == 3 and shell.stat()["fences"] > before
    shell.end()


@pytest.mark.parametrize("words,why", [
    (["fence", "none"], "allowed: fence, sync, and none with force=1"),
    (["fence", "loose"], "allowed: fence, sync, none"),
    (["quarantine", "12x"], "allowed: bytes (K, M, G), or auto"),
    (["pool", "no_pool"], "those that can: garbage_threshold, fence, quarantine, "
     "pool_limit, hard_limit, oversubscribe, "
     "idle_limit, host_limit"),
    ([], "no OPTION"),
])
def test_a_wrong_setting_says_what_is_allowed_and_changes_nothing(box, words,
                                                                  why):
    shell = open_shell(box, POOL, "driver")
    cycle(shell)
    done = box.mnm("set", shell.pid, *words, check=False)
    assert done.returncode and why in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert shell.stat()["fence"] == "fence"
    shell.end()


def test_from_none_back_to_fence_nothing_idle_is_taken_for_safe(box):
    shell = open_shell(box, POOL, "driver", fence="none", force=1)
    cycle(shell, 2)
    box.mnm("set", shell.pid, "fence", "fence")
    cycle(shell, 1)
    assert shell.stat()["fences"] == 1
    shell.end()


def test_there_is_one_fence_in_a_hundred_requests_after_ten(box):
    shell = open_shell(box, POOL, "driver")
    cycle(shell, 2000, 512)
    shell.end()
    stat = box.stat()
    assert stat["hits"] > 1800
    assert 10 <= stat["fences"] <= 10 + 2000 / 100
    assert stat["reserved_peak"] <= 200 * 4096


def test_a_full_quarantine_is_fenced_at_once(box):
    shell = open_shell(box, POOL, "driver", quarantine=MIB)
    assert len(set(cycle(shell, 60, 2 * MIB))) == 1
    shell.end()
    assert box.stat()["fences"] == 59


def test_short_of_memory_blocks_are_reused_and_not_quarantined(box):
    shell = open_shell(box, POOL, "driver", sim="16M", quarantine="1G")
    cycle(shell, 60, 6 * MIB)
    shell.end()
    stat = box.stat()
    assert stat["driver_frees"] == 0 and stat["failures"] == 0
    assert stat["driver_allocs"] <= 2


def test_the_programs_own_wait_makes_blocks_safe(box):
    shell = open_shell(box, POOL, "driver")
    for _ in range(5):
        cycle(shell)
        took(shell, "sync")
    shell.end()
    stat = box.stat()
    assert (stat["fences"], stat["syncs"], stat["hits"]) == (0, 0, 4)


def test_a_failed_wait_of_the_program_makes_nothing_safe(box):
    shell = open_shell(box, POOL, "driver", fail="cuCtxSynchronize:1:999")
    cycle(shell)
    took(shell, "sync", "999")
    cycle(shell)
    shell.end()
    assert box.stat()["fences"] == 1


@pytest.mark.parametrize("driver", ["12040", None])
def test_where_no_fence_reaches_the_free_waits_once_the_quarantine_is_full(
        box, driver):
    """The driver is old, or there are more contexts than one fence covers."""
    options = {"sim_driver": driver} if driver else {}
    shell = open_shell(box, POOL, "driver", quarantine=MIB - 1, **options)
    if not driver:
        for i in range(8):
            took(shell, f"create other{i} 0")
        took(shell, "set primary")
    cycle(shell, 9, MIB // 2)
    shell.end()
    stat = box.stat()
    assert stat["fences"] == 0
    assert stat["syncs"] == 4  # at each second free
    assert stat["driver_allocs"] == 2  # no allocation waits


def test_a_fence_that_fails_is_said_once_and_frees_wait_from_then_on(box):
    shell = open_shell(box, POOL, "driver", quarantine=0,
                       fail="cuCtxWaitEvent:1+:999")
    addresses = cycle(shell, 6)
    shell.end()
    assert addresses[0] != addresses[1]
    assert box.stat()["fences"] == 0 and box.stat()["syncs"] >= 4
    assert box.stderr().count("a fence failed with error 999") == 1


@pytest.mark.parametrize("entry", ["cuEventCreate", "cuCtxRecordEvent",
                                   "cuCtxWaitEvent"])
@pytest.mark.parametrize("code", [2, 201, 709, 800, 900, 906, 908])
def test_a_fence_that_failed_for_now_is_made_by_the_next_request(box, entry,
                                                                 code):
    shell = open_shell(box, POOL, "driver", quarantine=0,
                       fail=f"{entry}:1:{code}")
    cycle(shell, 10)
    shell.end()
    stat = box.stat()
    assert stat["fences"] >= 4 and stat["syncs"] == 0
    assert "a fence failed" not in box.stderr()


@pytest.mark.parametrize("fail", ["cuCtxWaitEvent:1:999",
                                  "cuCtxRecordEvent:1:1"])
def test_after_a_fence_that_failed_another_is_tried_some_waits_later(box, fail):
    shell = open_shell(box, POOL, "driver", quarantine=0, fail=fail)
    cycle(shell, 40)
    shell.end()
    stat = box.stat()
    assert stat["syncs"] == 8 and stat["fences"] >= 10
    assert box.stderr().count("a fence failed") == 1


@pytest.mark.parametrize("code,tries", [(2, 8 + 5), (999, 6)])
def test_where_fences_never_work_frees_wait(box, code, tries):
    """Fences are tried again after 8, 16, 32, 64 and 128 waits."""
    shell = open_shell(box, POOL, "driver", quarantine=0,
                       fail=f"cuCtxRecordEvent:1+:{code}")
    cycle(shell, 300)
    shell.end()
    stat = box.stat()
    assert stat["fences"] == 0 and stat["syncs"] >= 240
    # A wait of the host tries to record an event as well.
    assert calls_of(box, "cuCtxRecordEvent")[0] - stat["syncs"] <= tries
    assert box.stderr().count(f"a fence failed with error {code}") == 1


def test_after_an_error_that_stays_every_call_is_cudas(box):
    shell = open_shell(box, POOL, "driver",
                       fail="cuCtxRecordEvent:1+:700,cuMemFree_v2:1+:700,"
                       "cuMemAlloc_v2:3+:700")
    took(shell, "alloc keep 9000")
    cycle(shell)
    took(shell, "alloc b 5000", "700")  # its fence tells it
    took(shell, "free keep", "700")
    took(shell, "alloc c 9000", "700")
    shell.end()
    assert "has failed with error 700" in box.stderr()


def test_a_free_at_level_sync_tells_what_its_wait_told(box):
    shell = open_shell(box, POOL, "driver", fence="sync",
                       fail="cuEventSynchronize:1+:719,cuMemFree_v2:1+:719")
    took(shell, "alloc a 5000")
    took(shell, "free a", "719")
    shell.end()


def test_exported_memory_is_never_reused(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "alloc a 5000")
    took(shell, "export a 100")
    took(shell, "free a")
    took(shell, "alloc b 5000")
    shell.end()
    assert box.stat()["hits"] == 0
    assert calls_of(box, "cuMemFree_v2") == [1]


def test_exported_memory_is_never_reused_after_a_free_that_cuda_refused(box):
    shell = box.shell(POOL, "driver")
    for line in ("init", "create p 0", "alloc a 5000", "export a 0", "pop p"):
        took(shell, line)
    took(shell, "free a", "201")
    for line in ("push p", "free a", "alloc b 5000"):
        took(shell, line)
    shell.end()
    assert box.stat()["hits"] == 0
    assert calls_of(box, "cuMemFree_v2") == [2]


def test_memory_is_exported_once_its_former_owners_work_is_over(box):
    shell = open_shell(box, POOL, "driver")
    for line in ("stream one", "alloc a 5000", "linger one", "put a one 238",
                 "free a", "alloc b 5000", "export b 0"):
        took(shell, line)
    assert shell("addr a") == shell("addr b")
    shell.end()
    assert box.stat()["syncs"] == 1


def test_one_fence_covers_all_contexts_of_a_device(box):
    """A fence records an event in each of the two contexts, and each waits for
    both."""
    shell = box.shell(POOL, "driver", quarantine=0)
    for line in ("init", "create x 0", "create y 0", "set x"):
        took(shell, line)
    cycle(shell, 4)
    shell.end()
    stat = box.stat()
    assert (stat["fences"], stat["syncs"]) == (3, 0)
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent") == [6, 12]


def test_what_a_wait_that_failed_did_not_cover_is_not_reused(box):
    """After a fence has failed, frees wait in any way there is."""
    failing = ("cuCtxRecordEvent", "cuCtxSynchronize", "cuCtxSynchronize_v2",
               "cuMemFree_v2")
    shell = open_shell(box, POOL, "driver", quarantine=0,
                       sim_fail=",".join(f"{f}:1+:999" for f in failing))
    for line in ("stream s", "mix", "alloc c 65536", "free c", "alloc c 65536",
                 "alloc a 65536", "linger s", "put a s 1", "free a",
                 "alloc b 65536"):
        took(shell, line)
    assert shell("addr b") != shell("addr a")
    assert shell.stat()["syncs"] == 0
    shell.end()


def test_peers_are_asked_and_nothing_waits_for_them(box):
    """A wait on the device is not allowed, as kernels of two devices may wait
    for each other."""
    shell = box.shell(POOL, "driver", devices=2, quarantine=0)
    for line in ("init", "create x 0", "create y 1", "peers x", "set x"):
        took(shell, line)
    cycle(shell, 4)
    shell.end()
    stat = box.stat()
    assert (stat["fences"], stat["syncs"]) == (3, 0)
    assert calls_of(box, "cuCtxRecordEvent", "cuCtxWaitEvent",
                    "cuEventSynchronize") == [6, 0, 0]


def test_peers_work_that_is_not_over_is_not_overtaken(box):
    """A block that a peer's work still uses is not reused, and a fence does
    not make the device's own work wait."""
    shell = box.shell(POOL, "driver", devices=2, quarantine=0)
    for line in ("init", "create x 0", "stream s", "create y 1", "stream t",
                 "peers x", "set x", "alloc a 1048576", "linger t",
                 "put a t 1", "free a", "alloc b 1048576", "put b s 7",
                 "wait s"):
        took(shell, line)
    assert shell("addr a") != shell("addr b")
    for line in ("wait t", "free b"):
        took(shell, line)
    got_at_last(shell, "alloc", "c", 1048576, "free", shell("addr a"))
    shell.end()


@pytest.mark.parametrize("visits", [False, True])
def test_a_fence_covers_other_devices_once_they_have_visited(box, visits):
    shell = box.shell(POOL, "driver", devices=3, quarantine=0)
    for line in ("init", "create x 0", "create y 1", "create z 2", "set x",
                 "stream s", "alloc v 4096"):
        took(shell, line)
    if visits:
        for line in ("set y", "stream t", "put v t 1", "wait t"):
            took(shell, line)
    took(shell, "set x")
    cycle(shell, 4)
    shell.end()
    count = 2 if visits else 1
    assert calls_of(box, "cuCtxRecordEvent") == [3 * count]
    assert (box.stat()["fences"], box.stat()["syncs"]) == (3, 0)


def test_work_of_each_context_comes_behind_the_fence_of_all(box):
    """A block that one context's work still uses is reused, and another
    context's work writes to it."""
    shell = box.shell(POOL, "driver", quarantine=0)
    for line in ("init", "create x 0", "stream s", "create y 0", "stream t",
                 "set x", "alloc a 1048576", "linger t", "put a t 1", "free a",
                 "alloc b 1048576", "put b s 7", "wait s", "wait t"):
        took(shell, line)
    assert shell("addr a") == shell("addr b")
    assert shell("check b 7").endswith("right")
    shell.end()
    assert (box.stat()["fences"], box.stat()["syncs"]) == (1, 0)


def test_an_allocation_gives_nothing_back(box):
    """The driver's free waits for the device, its allocation does not."""
    shell = open_shell(box, POOL, "driver", device_idle=0)
    cycle(shell)
    shell.ask("trim")
    took(shell, "alloc b 70000")
    assert shell.stat()["pending_bytes"] == 8192
    took(shell, "free b")
    assert shell.stat()["pending_bytes"] == 0
    shell.end()


def test_a_setting_is_for_the_whole_program(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "alloc a 5000")
    assert shell.ask("set --device 0 fence sync")["error"] == (
        "set takes no device")
    assert shell.stat()["fence"] == "fence"
    shell.end()
