"""Contexts that end with blocks in them, and several contexts at once."""

import pytest

from conftest import KINDS, MIB, RUNTIME_FORMS, WHOLE
from test_pool import open_shell, took


def assert_clean(stat):
    assert stat["live_bytes"] == stat["reserved_bytes"] == 0
    assert stat["idle_bytes"] == stat["pending_bytes"] == 0
    assert stat["retired_bytes"] == 0


def use_anew(shell):
    """No block of the ended context comes back."""
    for name in ("n1", "n2", "n3"):
        took(shell, f"alloc {name} 5000")
        took(shell, f"fill {name} 6")
        assert shell(f"check {name} 6").endswith("right")
    for name in ("n1", "n2", "n3"):
        took(shell, f"free {name}")


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("form", RUNTIME_FORMS)
def test_a_device_reset_ends_all_its_blocks(box, form, pool):
    shell = box.shell(pool, form)
    for name in "abc":
        took(shell, f"alloc {name} 5000")
    took(shell, "free b")
    took(shell, "reset")
    assert_clean(shell.stat())
    use_anew(shell)
    assert shell.stat()["live_bytes"] == 0
    took(shell, "reset")
    shell.end()
    assert_clean(box.stat())
    assert pool not in WHOLE or box.stat()["hits"] == 0
    assert box.report()[1][0]["live_allocs"] == 0


@pytest.mark.parametrize("pool", KINDS)
def test_a_primary_reset_by_the_driver_ends_all_its_blocks(box, pool):
    shell = open_shell(box, pool, "driver")
    for name in "abc":
        took(shell, f"alloc {name} 5000")
    took(shell, "free b")
    took(shell, "primary_reset 0")
    assert_clean(shell.stat())
    for line in ("retain primary 0", "set primary"):
        took(shell, line)
    use_anew(shell)
    took(shell, "primary_reset 0")
    shell.end()
    assert_clean(box.stat())


@pytest.mark.parametrize("pool", KINDS)
def test_a_destroyed_context_ends_its_blocks_only(box, pool):
    shell = box.shell(pool, "driver")
    for line in ("init", "create x 0", "alloc a 5000", "alloc b 5000",
                 "free b", "create y 0", "alloc c 5000", "fill c 5",
                 "destroy x"):
        took(shell, line)
    assert shell.stat()["live_bytes"] == 5000
    assert shell("check c 5").endswith("right")
    use_anew(shell)
    took(shell, "free c")
    took(shell, "destroy y")
    shell.end()
    assert_clean(box.stat())
    assert box.report()[1][0]["live_allocs"] == 0


@pytest.mark.parametrize("pool", KINDS)
def test_the_last_release_of_a_primary_context_ends_its_blocks(box, pool):
    shell = open_shell(box, pool, "driver")
    took(shell, "retain primary 0")
    took(shell, "alloc a 5000")
    took(shell, "release 0")
    assert shell.stat()["live_bytes"] == 5000
    took(shell, "alloc b 5000")
    took(shell, "free b")
    took(shell, "release 0")
    assert_clean(shell.stat())
    for line in ("retain primary 0", "set primary"):
        took(shell, line)
    use_anew(shell)
    shell.end()


def test_a_failed_destroy_keeps_the_blocks(box):
    shell = box.shell("page_unit_pool", "driver",
                      fail="cuCtxDestroy_v2:1:999")
    for line in ("init", "create x 0", "alloc a 5000", "alloc b 5000",
                 "free b"):
        took(shell, line)
    took(shell, "destroy x", "999")
    stat = shell.stat()
    assert stat["live_bytes"] == 5000 and stat["idle_bytes"] == 8192
    took(shell, "alloc c 5000")
    assert shell("addr c") == shell("addr b")
    took(shell, "free a")
    took(shell, "free c")
    took(shell, "destroy x")
    shell.end()
    assert_clean(box.stat())


ENDS = {
    "destroy x": ("create x 0", "cuCtxDestroy_v2"),
    "release 0": ("retain x 0", "cuDevicePrimaryCtxRelease_v2"),
    "primary_reset 0": ("retain x 0", "cuDevicePrimaryCtxReset_v2"),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_end_that_tells_of_earlier_work_is_one_all_the_same(box, end):
    """The call returns the error of earlier work, and has ended the
    context."""
    begin, entry = ENDS[end]
    shell = box.shell("page_unit_pool", "driver", sim_late=f"{entry}:1:716")
    for line in ("init", begin, "set x", "alloc a 5000", "alloc b 5000",
                 "free b"):
        took(shell, line)
    took(shell, end, "716")
    assert_clean(shell.stat())
    took(shell, "create y 0")
    use_anew(shell)
    shell.end()


@pytest.mark.parametrize("times", ["1", "1+"])
@pytest.mark.parametrize("end,late", [
    ("destroy x", "716"), ("release 0", "0"), ("release 0", "716"),
])
def test_memory_that_may_be_gone_is_not_handed_out(box, end, late, times):
    """The driver fails to tell whether the context has ended."""
    begin, entry = ENDS[end]
    fault = {} if late == "0" else {"sim_late": f"{entry}:1:{late}"}
    ask = ("cuDevicePrimaryCtxGetState" if end == "release 0" else
           "cuCtxGetApiVersion")
    shell = box.shell("page_unit_pool", "driver", fail=f"{ask}:{times}:999",
                      **fault)
    for line in ("init", begin, "set x", "alloc a 5000", "alloc b 5000",
                 "free b"):
        took(shell, line)
    took(shell, end, late)
    assert_clean(shell.stat())
    for line in (begin, "set x"):
        took(shell, line)
    use_anew(shell)
    shell.end()


@pytest.mark.parametrize("told", ["1", "2", "1+"])
def test_a_release_of_several_that_tells_of_earlier_work_counts(box, told):
    """Either of the two calls may return the error. The second one ends the
    context."""
    shell = box.shell("page_unit_pool", "driver",
                      sim_late=f"cuDevicePrimaryCtxRelease_v2:{told}:716")
    codes = {"1": ("716", "0"), "2": ("0", "716"), "1+": ("716", "716")}[told]
    for line in ("init", "retain x 0", "retain x 0", "set x", "alloc a 5000",
                 "alloc b 5000", "free b"):
        took(shell, line)
    took(shell, "release 0", codes[0])
    assert shell.stat()["live_bytes"] == 5000
    took(shell, "release 0", codes[1])
    assert_clean(shell.stat())
    for line in ("retain x 0", "set x"):
        took(shell, line)
    use_anew(shell)
    shell.end()


def test_what_a_fence_has_ordered_is_waited_for_before_a_context_goes(box):
    """A fence orders the other context's work on the device only. It does not
    order what the driver does with the block's memory."""
    shell = box.shell("page_unit_pool", "driver", sim_check=1)
    for line in ("init", "create x 0", "create y 0", "stream t", "set x",
                 "alloc a 1048576", "alloc n 4096", "linger t", "put a t 1",
                 "free a", "free n", "alloc n 4096", "destroy x", "set y",
                 "wait t"):
        took(shell, line)
    shell.end()
    assert box.stat()["fences"] == 1
    assert "went back to the driver" not in box.stderr()


@pytest.mark.parametrize("end", ENDS)
def test_an_end_that_fails_is_none(box, end):
    begin, entry = ENDS[end]
    shell = box.shell("page_unit_pool", "driver", sim_fail=f"{entry}:1:716")
    for line in ("init", begin, "set x", "alloc a 5000", "alloc b 5000",
                 "free b"):
        took(shell, line)
    took(shell, end, "716")
    assert shell.stat()["live_bytes"] == 5000
    took(shell, "alloc c 5000")
    assert shell("addr c") == shell("addr b")
    took(shell, end)
    assert_clean(shell.stat())
    shell.end()


def test_a_reset_with_a_retired_pool_ends_its_blocks_too(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    shell.ask("swap no_pool")
    took(shell, "alloc b 5000")
    shell.ask("swap page_unit_pool")
    took(shell, "alloc c 5000")
    assert shell.stat()["retired_bytes"] == 8192 + 5000
    took(shell, "reset")
    assert_clean(shell.stat())
    use_anew(shell)
    shell.end()


def test_contexts_of_a_device_do_not_share_blocks(box):
    shell = box.shell("page_unit_pool", "driver", quarantine=0)
    for line in ("init", "create x 0", "alloc a 5000", "free a",
                 "create y 0", "alloc b 5000"):
        took(shell, line)
    assert shell("addr a") != shell("addr b")
    took(shell, "set x")
    took(shell, "free b")  # a block of the other context
    took(shell, "alloc c 5000")
    assert shell("addr c") == shell("addr a")
    shell.end()


def test_each_device_has_its_own_figures(box):
    shell = box.shell("page_unit_pool", devices=2)
    took(shell, f"alloc a {MIB}")
    for line in ("device 1", f"alloc b {2 * MIB}", f"alloc c {3 * MIB}",
                 "free b"):
        took(shell, line)
    assert shell.stat(0)["live_bytes"] == MIB
    assert shell.stat(1)["live_bytes"] == 3 * MIB
    assert shell.stat(1)["idle_bytes"] == 2 * MIB
    took(shell, "reset")
    assert shell.stat(0)["live_bytes"] == MIB
    assert_clean(shell.stat(1))
    shell.end()


def test_a_pool_is_swapped_on_one_device_alone(box):
    shell = box.shell("page_unit_pool", devices=2)
    took(shell, "alloc a 5000")
    took(shell, "device 1")
    took(shell, "alloc b 5000")
    shell.ask("swap --device 1 no_pool")
    assert shell.stat(0)["pool"] == "page_unit_pool"
    assert shell.stat(1)["pool"] == "no_pool"
    shell.ask("reset")
    assert shell.stat(1)["pool"] == "page_unit_pool"
    shell.end()


def test_a_reset_with_blocks_that_no_fence_reaches_returns(box):
    """The wait must not be for the reset that it is a part of."""
    shell = box.shell("page_unit_pool", sim_hide="cuCtxRecordEvent")
    for line in ("mix", "alloc a 5000", "free a", "alloc b 5000", "free b",
                 "reset", "alloc c 5000"):
        took(shell, line)
    shell.end()


def test_each_context_that_visits_is_behind_the_owners_fence(box):
    """Two other devices copy into a block that a fence has made safe."""
    shell = box.shell("page_unit_pool", "driver", devices=3)
    for line in ("init", "retain c0 0", "retain c1 1", "retain c2 2", "set c0",
                 "stream s0", "alloc y 1048576", "alloc x 1048576", "mix",
                 "linger s0", "put x s0 1", "free x", "alloc n 1048576"):
        took(shell, line)
    assert shell("addr n") == shell("addr x")
    for line in ("set c1", "stream s1", "put y s1 9", "set c2", "stream s2",
                 "put n s2 7", "wait s2", "set c0", "wait s0"):
        took(shell, line)
    assert shell("check n 7").endswith("right")
    shell.end()


def test_a_context_that_visits_beside_a_capture_is_behind_the_fence_too(box):
    """The host waits, as no stream may be made to wait for the fence."""
    shell = box.shell("page_unit_pool", "driver", devices=2)
    for line in ("init", "retain c0 0", "retain c1 1", "set c1", "stream s1",
                 "stream s3", "set c0", "stream s0", "alloc y 1048576",
                 "alloc x 1048576", "mix", "linger s0", "put x s0 1", "free x",
                 "alloc n 1048576"):
        took(shell, line)
    assert shell("addr n") == shell("addr x")
    for line in ("set c1", "capture s3", "put n s1 7", "capture_end s3",
                 "wait s1", "set c0", "wait s0"):
        took(shell, line)
    assert shell("check n 7").endswith("right")
    shell.end()


@pytest.mark.parametrize("pool", [None, "page_unit_pool"])
def test_an_end_spoils_no_capture(box, pool):
    shell = open_shell(box, pool, "driver", quarantine=0)
    for line in ("stream s", "create x 0", "stream t", "alloc a 65536",
                 "put a t 1", "mix", "free a", "alloc b 65536", "put b t 2",
                 "set primary", "capture s", "destroy x", "capture_end s"):
        took(shell, line)
    shell.end()
    assert pool is None or box.stat()["fences"] > 0


def test_work_of_a_green_context_is_waited_for(box):
    """Its streams use memory that the primary context has reused."""
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "green g", "retain p 0", "set p", "green_stream s g",
                 "alloc x 1048576", "linger s", "put x s 1", "free x",
                 "alloc n 1048576", "stream t", "put n t 7", "wait t",
                 "wait s"):
        took(shell, line)
    assert shell("check n 7").endswith("right")
    shell.end()


@pytest.mark.parametrize("order", ["fence", "stream"])
def test_a_green_contexts_first_work_is_behind_the_fences_before(box, order):
    shell = box.shell("page_unit_pool", "driver", quarantine=0)
    for line in ("init", "retain p 0", "set p", "stream s"):
        took(shell, line)
    if order == "fence":
        took(shell, "mix")
    for line in ("alloc x 65536", "linger s", "put x s 1", "free x",
                 "alloc n 65536"):
        took(shell, line)
    assert shell("addr n") == shell("addr x")
    for line in ("green g", "green_stream t g", "put n t 7", "wait t",
                 "wait s"):
        took(shell, line)
    assert shell("check n 7").endswith("right")
    shell.end()


def test_a_green_context_alone_is_not_all_that_works(box):
    """The primary context may use a block that a green context frees."""
    shell = box.shell("page_unit_pool", "driver", quarantine=0)
    for line in ("init", "green g", "green h", "green_set g", "alloc x 65536",
                 "green_stream s h", "linger s", "put x s 1", "free x",
                 "alloc n 65536", "green_stream t g", "put n t 7", "wait t",
                 "wait s"):
        took(shell, line)
    assert shell("check n 7").endswith("right")
    assert shell("addr n") == shell("addr x")
    shell.end()
    assert (box.stat()["fences"], box.stat()["syncs"]) == (1, 0)


def test_a_wait_for_a_green_context_is_not_one_for_all(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "green g", "green h", "green_set g", "alloc x 65536",
                 "green_stream s h", "linger s", "put x s 1", "free x",
                 "sync"):
        took(shell, line)
    assert shell.stat()["quarantined_bytes"] == 65536
    shell.end()


def test_what_a_green_context_kept_is_its_primary_ones(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "retain p 0", "set p", "green g", "green_set g",
                 "alloc a 65536", "alloc b 65536", "free b",
                 "green_destroy g", "set p", "alloc c 65536"):
        took(shell, line)
    assert shell("addr c") == shell("addr b")
    took(shell, "free a")
    assert shell.stat()["live_bytes"] == 65536
    shell.end()


def test_the_primary_context_may_end_with_its_last_green_one(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "green g", "green_set g", "alloc a 65536",
                 "pin h 65536 0", "free a", "unpin h", "green_destroy g"):
        took(shell, line)
    assert_clean(shell.stat())
    assert shell.stat("host")["reserved_bytes"] == 0
    for line in ("retain p 0", "set p"):
        took(shell, line)
    use_anew(shell)
    took(shell, "pin h 65536 0")
    shell.end()


def test_a_reset_takes_the_memory_of_green_contexts_along(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "retain p 0", "set p", "green g", "green_set g",
                 "alloc a 65536", "free a", "set p", "green_destroy g",
                 "primary_reset 0"):
        took(shell, line)
    assert_clean(shell.stat())
    shell.end()


@pytest.mark.parametrize("pool", [None, "page_unit_pool"])
def test_work_on_a_blocks_former_life_is_over_before_its_context_ends(
        box, pool):
    """The work is another context's. A fence has ordered it before the work of
    the block's new holder, but not before the end of the block's context."""
    shell = box.shell(pool, "driver", sim_check=1, quarantine=0)
    for line in ("init", "create y 0", "stream t", "create x 0",
                 "alloc a 1048576", "linger t", "put a t 1", "free a",
                 "alloc b 1048576"):
        took(shell, line)
    reused = shell("addr b") == shell("addr a")
    for line in ("destroy x", "set y", "wait t"):
        took(shell, line)
    shell.end()
    assert "violation" not in box.stderr()
    assert reused or not pool


def test_work_on_a_swapped_pools_block_is_over_before_its_context_ends(box):
    """The work is another context's. Its pool has the record of the context
    that ended."""
    shell = box.shell("page_unit_pool", "driver", sim_check=1)
    for line in ("init", "create y 0", "stream t", "alloc c 4096",
                 "create x 0", "alloc a 1048576", "linger t", "put a t 1",
                 "free a"):
        took(shell, line)
    assert "devices" in shell.ask("swap --device 0 no_pool")
    for line in ("set y", "pin h 4096 0", "destroy x", "set y", "wait t"):
        took(shell, line)
    shell.end()
    assert "violation" not in box.stderr()


def test_a_context_that_is_met_late_may_have_work(box):
    """Otherwise it is met as it makes a stream."""
    shell = box.shell("page_unit_pool", "driver", sim_check=1,
                      stream_ordered=0)
    for line in ("init", "retain_unseen p 0", "set_unseen p", "stream t",
                 "create x 0", "alloc a 1048576", "linger t", "put a t 1",
                 "free a", "retain q 0", "destroy x", "set q", "wait t"):
        took(shell, line)
    shell.end()
    assert "violation" not in box.stderr()


def test_freed_bytes_wait_whatever_other_contexts_do(box):
    shell = box.shell("page_unit_pool", "driver")
    for line in ("init", "create y 0", "mix", "alloc a 65536", "free a"):
        took(shell, line)
    for line in ("create x 0", "sync", "set y", "sync"):
        took(shell, line)
        assert shell.stat()["quarantined_bytes"] == 65536
    shell.end()


@pytest.mark.parametrize("pool", [None, "page_unit_pool"])
def test_a_free_in_another_devices_stream_is_over_before_a_context_ends(
        box, pool):
    shell = box.shell(pool, "driver", devices=2)
    for line in ("init", "retain q 1", "set q", "stream t", "create x 0",
                 "alloc a 65536", "linger t", "free_async a t", "destroy x",
                 "set q", "wait t", "create y 0", "alloc b 65536", "fill b 3"):
        took(shell, line)
    assert shell("check b 3").endswith("right")
    shell.end()


@pytest.mark.parametrize("fail", [None, "cuCtxPushCurrent_v2:1+:999",
                                  "cuCtxGetDevice:1+:999"])
@pytest.mark.parametrize("how", ["fill", "copy"])
def test_a_node_may_name_a_context_that_mnm_has_not_met(box, how, fail):
    """CUDA says whose device it is. If CUDA fails to say so, it may be
    anyone's."""
    shell = box.shell("page_unit_pool", "driver", devices=2, fail=fail)
    for line in ("init", "retain p 0", "set p", "alloc a 65536", "fill a 3",
                 "retain q 1", "set q", "alloc b 65536", "create_unseen u 1",
                 "set p", "graph g",
                 f"node {how} n g a a u"):
        assert shell(line).split()[0] == "0"
    for line in ("alloc c 65536", "fill c 4", "sync"):
        took(shell, line)
    assert shell("check c 4").endswith("right")
    shell.end()
    assert box.stderr() == ""


def with_many(box, **options):
    shell = open_shell(box, "page_unit_pool", "driver", **options)
    took(shell, "init")
    for i in range(520):
        took(shell, f"create c{i} 0")
        took(shell, "pop p")
    return shell


@pytest.mark.parametrize("first, then", [(519, 0), (0, 519)])
def test_one_of_many_contexts_makes_room_for_another(box, first, then):
    shell = with_many(box, sim="64M")
    for line in (f"set c{first}", f"alloc a {40 * MIB}", "free a",
                 f"set c{then}", f"alloc b {50 * MIB}"):
        took(shell, line)
    assert shell.stat()["driver_frees"] == 1
    shell.end()


def test_a_free_waits_for_all_of_many_contexts(box):
    """Too many for a fence."""
    shell = with_many(box, quarantine=0)
    for line in ("set c519", "stream t", "set c3", "alloc a 65536",
                 "alloc b 65536", "free a", "alloc c 65536"):
        took(shell, line)
    assert shell.stat()["hits"] == 1
    assert shell.stat()["syncs"] > 0
    shell.end()
