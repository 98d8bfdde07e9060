"""Stream-ordered memory that a pool serves. The cases are in
tests/programs/ordered_*.c; the simulated device's checker looks at each reuse."""

import os
import re

import pytest

from conftest import BUILD, KINDS, SERVING, program
from test_order import T4, with_other_driver

PAGES = "page_unit_pool"  # it rounds up by less than a page
PLACING = ["vmm_pool", "best_fit_pool"]
CASES = [
    # (case, what it prints)
    ("in_its_stream", "the same"),
    ("in_another_stream", "used"),
    ("in_another_stream_that_is_known", "used"),
    ("in_the_legacy_stream", "the same"),
    ("in_the_legacy_stream_beside_others_that_wait", "used"),
    ("in_the_legacy_stream_before_another_waits", "used"),
    ("a_free_in_the_legacy_stream_orders_others", "used"),
    ("a_request_in_the_legacy_stream_orders_others", "used"),
    ("a_request_in_the_legacy_stream_orders_a_threads_own", "used"),
    ("behind_the_legacy_streams_order", "the same\nthe same"),
    ("behind_a_request_of_the_legacy_stream", "the same"),
    ("before_the_legacy_streams_order", "used"),
    ("behind_work_in_a_marks_place", "the same"),
    ("behind_work_before_the_free", "used"),
    ("beside_a_stream_that_does_not_wait", "used"),
    ("a_wait_beside_the_legacy_stream", "no hang"),
    ("a_threads_own_wait_beside_the_legacy_stream", "no hang"),
    ("a_query_behind_the_legacy_stream", "600"),
    ("of_no_pool_any_more", "reserved 0\nthe same"),
    ("of_the_default_pool_after_its_end", "1 used 100000"),
    ("peak_after_a_reset_that_is_refused", "1 200000 1"),
    ("peak_after_a_reset_in_a_loop", "2"),
    ("of_a_pool_chosen_for_a_place", "100000 100000"),
    ("freed_in_a_stream_of_another_device", "used"),
    ("a_query_behind_a_request_behind_others", "600"),
    ("a_query_behind_a_wait_of_the_legacy_stream", "600"),
    ("in_the_legacy_stream_after_anothers_end", "used"),
    ("in_the_legacy_stream_beside_a_capture", "906 901 0"),
    ("in_the_legacy_stream_beside_others_made_unseen", "used"),
    ("before_another_devices_legacy_streams_order", "used"),
    ("in_a_stream_after_its_end", "used"),
    ("in_a_stream_alone_after_its_end", "used"),
    ("in_the_legacy_stream_alone", "used"),
    ("in_a_stream_behind_an_event", "the same"),
    ("behind_an_event_and_a_launch_of_a_domain", "the same"),
    ("behind_an_event_of_before", "used"),
    ("behind_an_event_of_another_stream", "used"),
    ("behind_a_new_event", "used"),
    ("behind_an_event_of_a_context", "used"),
    ("behind_events_recorded_by_a_node", "used"),
    ("behind_events_recorded_by_an_added_node", "used"),
    ("behind_events_recorded_by_a_launch", "used"),
    ("behind_events_recorded_by_a_process", "used"),
    ("behind_events_recorded_by_context", "used"),
    ("behind_an_event_that_was_not_recorded", "used"),
    ("behind_an_event_after_another_of_before", "the same"),
    ("behind_an_event_beside_many_streams", "the same"),
    ("behind_an_event_of_many_streams", "used"),
    ("behind_an_event_of_a_later_context", "the same"),
    ("behind_an_event_of_a_stream_that_is_gone", "used"),
    ("behind_a_stream_of_another_device", "used"),
    ("after_a_wait_for_a_stream_of_another_device", "used"),
    ("behind_what_another_device_waits_for", "used"),
    ("behind_the_legacy_stream_of_another_device", "used"),
    ("behind_a_mark_on_another_device", "used"),
    ("after_a_wait_for_an_event", "the same"),
    ("in_a_launch_that_another_device_waits_for", "over"),
    ("in_a_launch_that_another_stream_waits_for", "over"),
    ("in_a_loose_stream_beside_one_that_ends", "used"),
    ("in_the_last_of_many_loose_streams", "used"),
    ("in_a_stream_after_the_end_of_a_loose_one", "used"),
    ("in_a_stream_beside_many_loose_launches", "used"),
    ("in_the_legacy_stream_beside_a_loose_one", "used"),
    ("in_the_legacy_stream_of_a_part", "used"),
    ("in_the_legacy_stream_after_a_part", "used"),
    ("in_a_threads_own_stream_of_a_part", "used"),
    ("after_a_wait_for_a_part", "used"),
    ("freed_by_the_plain_call", "the same"),
    ("freed_by_the_plain_call_under_work", "freed"),
    ("in_a_threads_own_stream", "the same\nused"),
    ("with_policies_off", 2 * "another\nthe same\n" + "the same"),
    ("with_policies_switched_off", "another"),
    ("attributes", "context (nil) pool 1 device 0 legacy 0 base 1 "
     "size 100000 ipc 1\nids differ: 1"),
    ("figures", "used 200000\nused 100000 of 200000, kept 1\n"
     "then of 100000; reset to 1: 1\nagain 200000\nat the end 0 of 0"),
    ("while_memory_is_short", "2 then 0"),
    ("while_memory_is_short_without_barriers", "0"),
    ("after_a_thread_that_was_cancelled", "0"),
    ("while_memory_is_short_beside_a_server", "0"),
    ("while_memory_is_short_beside_another_device", "0"),
    ("while_memory_is_short_for_long", "200"),
    ("a_wait_beside_work_that_waits_for_it", "no hang"),
    ("a_trim_beside_work_that_waits_for_it", "no hang"),
    ("a_request_beside_work_that_waits_for_it", "no hang"),
    ("a_trim_beside_a_wait_for_another_process", "no hang"),
    ("a_request_beside_a_capture_and_a_wait_for_another_process", "2 0"),
    ("while_memory_is_short_beside_a_capture", "20 20 20"),
    ("while_memory_is_short_beside_a_threads_capture", "20 20 20"),
    ("in_a_capture_while_memory_is_short", "02 02 02"),
    ("beside_a_capture_of_work", "0 0"),
    ("beside_a_capture_and_later_work", "2 0"),
    ("beside_a_capture_and_work_of_before", "0"),
    ("in_a_thread_that_is_cancelled", "answered"),
    ("with_larger_blocks_while_memory_is_short", "0"),
    ("free_or_reserved", "kept 48, taken 48\nkept 24, taken 24"),
    ("reserved_again", "48 0 48 48 48 48 MiB"),
    ("of_another_pool_in_another_stream", "0 2 blocks"),
    ("of_another_pool_in_its_stream", "0 2 blocks"),
    ("figures_of_both", "1"),
    ("for_another_device_that_is_there", "access 3"),
    ("for_another_device_that_comes_later", "access 3"),
    ("for_another_device_that_reaches_it", "access 3"),
    ("for_another_device_after_a_reset", "access 3\nused"),
    ("for_another_device_beside_own_access_after_a_reset",
     "access 3\n0 0 704"),
    ("of_a_device_without_a_context", "used"),
    ("free_beside_another_device", "missing 0"),
    ("of_a_pool_after_one_without_reuse", "the same"),
    ("of_a_pool_that_is_gone", "of it 1, later 0 then 1"),
    ("of_two_pools", "1 1"),
    ("of_a_free_beside_another_pool", "0 1"),
    ("of_pools_by_turns", "0 2 1 2"),
    ("of_as_many_pools", "64"),
    ("peak_of_both", "2 5 0 2 2"),
    ("peak_since_a_reset", "2"),
    ("peak_in_a_loop", "4"),
    ("peak_that_was_told", "33 33"),
    ("peak_of_a_later_pool", "3 2 2"),
    ("peak_of_what_is_reserved", "12 12 12 4 8 10 1"),
    ("peak_of_what_is_used_again", "4 0 4"),
    ("of_more_than_there_is", "2 2"),
    ("a_pool_of_its_own",
     "pool 1 used 100000\nused 200000\n"
     "default used 200000, reserved 1"),
    ("in_the_legacy_stream_behind_a_threads_own", "used"),
    ("freed_behind_the_legacy_stream", "used"),
    ("asked_for_behind_the_legacy_stream", "used"),
    ("asked_for_behind_the_legacy_stream_beside_a_capture", "used"),
    ("in_a_stream_with_a_handle_of_before", "used"),
    ("in_a_later_threads_own_stream", "used"),
    ("behind_an_event_recorded_during_a_capture", "used"),
    ("while_another_thread_chooses_pools", "0 of others"),
    ("for_another_device", "access 3"),
    ("for_another_device_at_first", "access 3\nused"),
    ("for_another_device_beside_own_access", "access 3\n705 0 704 0 705"),
    ("with_another_device_current", "reserved 0"),
    ("of_many_pools", "used 2550, of the pool: 1"),
    ("of_a_pool_with_a_limit", "2 0 2, used 4"),
    ("of_a_pool_with_a_limit_beside_a_capture", "2 2 2 2 used 8"),
    ("of_a_pool_with_a_limit_in_other_sizes", "reserved 8 of 8"),
    ("in_a_stream_of_another_device", "device 1"),
    ("in_a_stream_that_is_gone", "1 1 freed"),
    ("freed_twice", "1 1 1 0 1"),
]
PASSED_ON = {  # what differs where CUDA's own pool serves
    "in_its_stream", "in_the_legacy_stream", "freed_by_the_plain_call",
    "in_a_threads_own_stream", "with_policies_off",
    "with_policies_switched_off", "attributes", "figures",
    "of_another_pool_in_another_stream", "of_another_pool_in_its_stream",
    "with_larger_blocks_while_memory_is_short",
    "a_request_beside_a_capture_and_a_wait_for_another_process",
    "while_memory_is_short_beside_a_capture",
    "while_memory_is_short_beside_a_threads_capture",
    "in_a_capture_while_memory_is_short", "beside_a_capture_and_later_work",
    "of_no_pool_any_more", "behind_a_request_of_the_legacy_stream",
    "a_query_behind_a_request_behind_others",
}
# CUDA's own pool serves the last request by what was freed in the stream, or by
# fresh memory, as that is over by then or not.
BY_CHANCE = {"a_query_behind_a_request_behind_others": ("0", "600"),
             "a_query_behind_a_wait_of_the_legacy_stream": ("0", "600")}
BY_PAGES = {  # nearly all of the device's memory is asked for
    "with_larger_blocks_while_memory_is_short", "free_or_reserved",
    "reserved_again", "peak_of_what_is_reserved",
}
# What the pools that place blocks print otherwise. CUDA can't free a part of a
# region, so a free in a stream that is gone is mnm's, and succeeds.
WHERE_PLACED = {"in_a_stream_that_is_gone": "1 0 freed"}
# Two idle blocks that lie beside each other serve one request of both in the
# stream that they were freed in, which has to wait for nothing. The next one of
# the program, or of the CUDA pool's limit, is too much.
WHERE_JOINED = {
    "while_memory_is_short": "0 then 2",
    "while_memory_is_short_for_long": "199",
    "after_a_thread_that_was_cancelled": "2",
}
# What the thread keeps that has freed it is looked at after the free bytes of
# the regions, so that it takes no part in what these show. They are run without
# a thread's cache; with one they print this.
KEPT = {
    "behind_the_legacy_streams_order": "another\nanother",
    "behind_work_in_a_marks_place": "another",
    "of_no_pool_any_more": "reserved 0\nanother",
    "in_a_stream_behind_an_event": "another",
    "behind_an_event_and_a_launch_of_a_domain": "another",
    "behind_an_event_after_another_of_before": "another",
    "behind_an_event_beside_many_streams": "another",
    "behind_an_event_of_a_later_context": "another",
    "after_a_wait_for_an_event": "another",
    "freed_by_the_plain_call": "another",
    "in_a_threads_own_stream": "another\nused",
    "with_policies_off": 2 * "another\nthe same\n" + "another",
    "of_a_pool_after_one_without_reuse": "another",
    # What a thread keeps counts as reserved; what is free in a region does not.
    "of_another_pool_in_another_stream": "1 2 blocks",
    "of_another_pool_in_its_stream": "1 3 blocks",
}
# It asks for an IPC handle, so that no pool without handles serves afterwards.
LEAVES = {"attributes"}
# So many blocks and one more fill the first region, or its first page.
FILL = "19"
NOT_FILLED = {
    "figures",  # all that is idle would be free bytes, and nobody's
    # The context ends, and with it the blocks that fill it.
    "behind_an_event_of_a_later_context", "for_another_device_after_a_reset",
    "for_another_device_beside_own_access_after_a_reset",
}
CLAIMS = ["pool", "pool_access", "pool_attributes", "pool_graph", "pool_host",
          "pool_legacy", "pool_limit", "pool_managed", "pool_node",
          "pool_order", "pool_release", "pool_share"]
NOT_FOLLOWED = {  # docs/stream-ordered.md says why
    "pool_access": {"events_order_streams_of_two_devices"},
    "pool_legacy": {"a_request_orders_when_its_stream_is_gone"},
    "pool_order": {"a_pool_that_is_short_serves_after_a_wait"},
}
# No pool of CUDA's has free bytes of a region.
NOT_FOLLOWED_BY_PLACES = {
    "pool_release": {"a_trim_leaves_as_much_as_it_is_told"},
}


def run(box, pool, case, *words, **options):
    done = box.run([program("ordered"), case, *words], pool, devices=2,
                   sim_check=1, **options)
    if pool and case not in LEAVES:
        assert box.pools() <= {pool}
    return done


def printed_by(pool, case, printed):
    if pool in PLACING:
        printed = WHERE_PLACED.get(case, printed)
    return WHERE_JOINED.get(case, printed) if pool == "vmm_pool" else printed


def uncached(pool):
    """Options by which what was freed is its pool's at once. A pool whose
    blocks are whole allocations shows it in any case."""
    return {"thread_cache": 0} if pool in PLACING else {}


@pytest.mark.parametrize("pool,case,printed", [
    pytest.param(pool, *row, id=f"{row[0]}-{pool}")
    for row in CASES for pool in [PAGES, *PLACING]
    if pool == PAGES or row[0] not in BY_PAGES])
def test_is_served(box, pool, case, printed):
    done = run(box, pool, case, **(uncached(pool) if case in KEPT else {}))
    assert done.stdout.strip() == printed_by(pool, case, printed)
    assert "violation" not in done.stderr


@pytest.mark.parametrize("pool", PLACING)
@pytest.mark.parametrize("case,printed", KEPT.items(), ids=KEPT)
def test_free_bytes_come_before_what_a_thread_keeps(box, pool, case, printed):
    done = run(box, pool, case)
    assert done.stdout.strip() == printed
    assert "violation" not in done.stderr


@pytest.mark.parametrize("pool,case,printed", [
    pytest.param(pool, *row, id=f"{row[0]}-{pool}")
    for row in CASES for pool in PLACING
    if row[0] not in BY_PAGES | NOT_FILLED])
def test_is_served_where_nothing_else_is_free(box, pool, case, printed):
    """So that what was freed is all that could serve without growth."""
    done = run(box, pool, case, FILL, **uncached(pool))
    assert done.stdout.strip() == printed_by(pool, case, printed)
    assert "violation" not in done.stderr


@pytest.mark.parametrize("case,printed", [
    ("in_its_stream", "the same\n" * 4),
    ("of_another_stream", "used\n"),
    ("behind_an_event", "the same\n"),
    ("with_policies_off", "another\n"),
])
def test_is_served_by_a_larger_block(box, case, printed):
    """On a device with room for the others as well."""
    done = run(box, "page_unit_pool", f"by_a_larger_block_{case}", sim="512M")
    assert done.stdout == printed
    assert "violation" not in done.stderr


def test_is_left_to_cuda_if_that_is_asked_for(box):
    program_ = [program("ordered"), "figures"]
    done = box.run(program_, "page_unit_pool", devices=2, stream_ordered=0)
    assert done.stdout == box.run(program_, None, devices=2).stdout
    assert box.stat()["allocs"] == 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("driver", [12040, 13000])
def test_plain_memory_that_was_freed_is_cudas_pools_as_well(box, pool, driver):
    done = box.run([program("ordered"), "beside_plain_memory_that_was_freed"],
                   pool, sim_driver=driver)
    assert done.stdout == "0 0\n"


@pytest.mark.parametrize("pool", SERVING)
def test_is_cudas_with_a_driver_that_tells_too_little(box, pool):
    done = box.run([program("ordered"), "while_memory_is_short"], pool,
                   sim_driver=12040, stream_ordered=1)
    assert done.stdout == "2 then 0\n"
    assert done.stderr.count("older than CUDA 12.5") == 1
    assert box.stat()["allocs"] == 0


@pytest.mark.parametrize("pool", KINDS)
def test_nothing_is_said_of_it_to_who_does_not_ask_for_it(box, pool):
    done = box.run([program("interleave")], pool, sim_driver=12040,
                   sim_seed=1)
    assert "stream_ordered" not in done.stderr


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", ["in_a_stream_behind_an_event",
                                  "behind_an_event_and_a_launch_of_a_domain",
                                  "behind_an_event_after_another_of_before",
                                  "behind_an_event_beside_many_streams",
                                  "behind_an_event_of_a_later_context",
                                  "after_a_wait_for_an_event"])
def test_events_take_no_fence(box, pool, case):
    done = run(box, pool, case, **uncached(pool))
    assert done.stdout.strip() == "the same"
    assert box.stat()["fences"] == 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", [row[0] for row in CASES
                                  if row[0].startswith("behind_events_")])
def test_events_that_others_record_take_one(box, pool, case):
    run(box, pool, case, FILL)
    assert box.stat()["fences"] > 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case,device", [
    ("in_a_stream_after_the_end_of_a_loose_one", 0),
    ("in_a_stream_beside_many_loose_launches", 0),
    ("in_the_legacy_stream_beside_a_loose_one", 1)])
def test_a_stream_beside_a_loose_one_takes_no_fence(box, pool, case, device):
    run(box, pool, case)
    assert box.stat(device)["fences"] == 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", ["in_a_loose_stream_beside_one_that_ends",
                                  "in_the_last_of_many_loose_streams",
                                  "in_the_legacy_stream_after_anothers_end"])
def test_a_stream_takes_a_fence(box, pool, case):
    run(box, pool, case, FILL)
    assert box.stat()["fences"] > 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("fence", ["fence", "sync"])
def test_a_wait_for_the_context_makes_all_free(box, pool, fence):
    done = run(box, pool, "after_a_wait_for_the_context", fence=fence,
               **uncached(pool))
    assert done.stdout == "the same\nthe same\n"
    assert "violation" not in done.stderr


def marks(box, pool, case, log, **options):
    run(box, pool, case, sim_log=str(log), **options)
    return [call for call in log.read_text().splitlines()
            if "cuStreamWaitEvent" in call]


@pytest.mark.parametrize("pool", SERVING)
def test_the_legacy_stream_is_marked_where_others_wait(box, pool, tmp_path):
    def marked(case):
        return len(marks(box, pool, case, tmp_path / case))

    assert marked("in_the_legacy_stream") == 0
    assert marked("in_the_legacy_stream_before_a_table") == 0
    assert marked("in_the_legacy_stream_before_unseen_calls") == 1
    assert marked("behind_the_legacy_streams_order") == 4
    assert marked("twice_in_the_legacy_stream") == 0
    assert marked("twice_in_a_stream_that_waits") == 1


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", ["beside_an_entry_that_no_header_has",
                                  "after_a_change_of_context"])
def test_the_legacy_stream_is_marked_where_streams_may_be_made_unseen(
        box, pool, case, tmp_path):
    assert marks(with_other_driver(box), pool, f"in_the_legacy_stream_{case}",
                 tmp_path / "log", sim=T4)


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("action,waits", [
    ("work", 4),
    ("work_of_a_threads_own", 4),
    ("work_apart", 0),
    ("work_of_the_legacy_stream", 0),
    ("work_in_both", 0),
    ("work_before_a_free", 4),
    ("work_after_refused_work", 4),
    ("work_after_an_empty_copy", 4),
    ("an_event", 4),
    ("an_event_apart", 0),
    ("an_event_of_the_legacy_stream", 4),
    ("a_wait_of_the_stream", 4 + 4),  # its own
    ("a_wait", 4),
    ("a_wait_for_the_legacy_stream", 4),
    ("a_wait_apart", 0),
    ("a_query", 4),
    ("a_query_of_the_legacy_stream", 4),
    ("a_streams_end", 4),
    ("a_capture", 4),
    ("an_unseen_call", 4),
    ("nothing", 0)])
def test_the_legacy_stream_is_marked_before_others_act(box, pool, tmp_path,
                                                       action, waits):
    assert len(marks(box, pool, f"before_{action}", tmp_path / "log")) == waits


@pytest.mark.parametrize("pool", SERVING)
def test_nothing_is_due_once_the_context_has_ended(box, pool, tmp_path):
    log = tmp_path / "log"
    run(box, pool, "after_the_end_of_a_context_with_a_mark", sim_log=str(log))
    _, later = log.read_text().split("cuDevicePrimaryCtxReset")
    assert "cuLaunchHostFunc" in later
    assert "cuStreamGetFlags" not in later


@pytest.mark.parametrize("pool", SERVING)
def test_after_a_mark_is_refused_the_next_ones_are_set_at_once(box, pool,
                                                               tmp_path):
    assert len(marks(box, pool, "before_marks_that_are_refused",
                     tmp_path / "log", fail="cuEventRecord:1:999")) == 6


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("of", ["", "_of_another_device"])
def test_no_room_for_a_mark_is_waited_for(box, pool, of):
    case = f"beside_a_full_legacy_stream{of}"
    assert run(box, pool, case, sim_queue=16).stdout == "at once\n"


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("call", [1, 2])
def test_what_gets_no_place_in_the_legacy_stream_is_cudas(box, pool, call):
    """The request or the free, whichever sets the mark that fails. A part of
    a region is not freed by CUDA, but kept in no stream's order."""
    done = run(box, pool, "in_the_legacy_stream_where_a_place_is_refused",
               fail=f"cuEventRecord:{call}:906")
    assert done.stdout.strip() == "0"
    assert box.stat()["allocs"] == 1 + call
    assert box.stat()["driver_frees"] == (call - 1 if pool == PAGES else 0)


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", ["behind_the_legacy_streams_order",
                                  "behind_a_request_of_the_legacy_stream",
                                  "behind_work_in_a_marks_place"])
def test_the_legacy_streams_order_takes_no_fence(box, pool, case):
    run(box, pool, case)
    assert box.stat()["fences"] == 0


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case,printed", [
    ("in_a_stream_of_two_loose_launches", "later"),
    ("beside_a_loose_launch_in_a_full_stream", "at once")])
def test_a_loose_launch_waits_for_the_first_in_its_stream(box, pool, case,
                                                          printed):
    done = box.run([program("ordered"), case], pool, sim_queue=16)
    assert done.stdout.strip() == printed


@pytest.mark.parametrize("pool", SERVING)
def test_is_served_without_a_threads_cache(box, pool):
    done = box.run([program("ordered"), "in_its_stream"], pool, sim_check=1,
                   thread_cache=0)
    assert done.stdout.strip() == "the same"
    assert "violation" not in done.stderr
    assert box.stat()["fences"] == 0


@pytest.mark.parametrize("pool", SERVING)
def test_where_there_is_another_context_cuda_serves(box, pool, tmp_path):
    log = tmp_path / "log"
    run(box, pool, "beside_another_context_of_the_device", sim_log=str(log))
    asked = re.findall(r"\bcu(?:MemAllocAsync|Ctx\w+_v2)\b", log.read_text())
    assert asked == ["cuCtxCreate_v2", "cuMemAllocAsync", "cuCtxDestroy_v2"]


def test_what_goes_back_is_the_devices(box):
    done = box.run([program("ordered"), "free_or_reserved"], PAGES,
                   meminfo="real")
    assert done.stdout == "kept 48, taken 48\nkept 24, taken 24\n"


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("name", CLAIMS)
def test_claims_about_cudas_pools_hold(box, pool, name):
    done = box.run([os.path.join(BUILD, "tests", "conformance", name)], pool,
                   sim="t4", devices=2, sim_check=1, idle_limit="off",
                   check=False)
    assert "Checks: " in done.stdout
    assert "devices are served by" not in done.stderr
    failed = set(re.findall(r":F:\w+:(\w+):", done.stdout))
    wanted = NOT_FOLLOWED.get(name, set())
    if pool != PAGES:
        wanted = wanted | NOT_FOLLOWED_BY_PLACES.get(name, set())
    assert failed == wanted
    assert "Errors: 0" in done.stdout
    assert "violation" not in done.stderr


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("option", [{"idle_limit": "1K"}, {"fence": "sync"}])
def test_a_plain_free_of_it_waits_for_nothing(box, pool, option):
    """The free of other memory waits, with either option."""
    done = box.run([program("ordered"), "freed_by_the_plain_call_under_work"],
                   pool, **option)
    assert done.stdout == "freed\n"


@pytest.mark.parametrize("pool", SERVING)
def test_a_request_is_patient_again_once_the_program_has_waited(box, pool):
    first = 0 if pool == "vmm_pool" else 2  # see WHERE_JOINED
    assert run(box, pool, "after_a_request_in_vain").stdout == f"{first}\n0\n"


@pytest.mark.parametrize("pool", SERVING)
@pytest.mark.parametrize("case", ["while_memory_is_short_for_a_moment",
                                  "while_memory_is_short_without_sleep"])
def test_a_request_waits_for_the_end_of_work_rather_than_fail(box, pool, case):
    done = run(box, pool, case)
    assert done.stdout == "0\n"


def test_others_go_on_beside_a_request_that_waits(box):
    done = run(box, PAGES, "beside_a_request_that_waits")
    assert done.stdout == "the same\n"


@pytest.mark.parametrize("pool", SERVING)
def test_others_keep_what_they_free_beside_a_plain_request(box, pool):
    done = run(box, pool, "beside_a_plain_request_that_waits")
    if pool == PAGES:
        assert done.stdout == "the same\n"
    else:  # two parts of one page may serve by turns
        assert box.report()[0]["cuMemCreate"] == 1 + 2 * 24 // 2


@pytest.mark.parametrize("pool", SERVING)
def test_access_of_the_pools_own_device_is_no_others(box, pool):
    run(box, pool, "shared_with_nobody_else")
    assert box.stat()["allocs"] == 2
    assert "cuCtxEnablePeerAccess" not in box.report()[0]


@pytest.mark.parametrize("pool", SERVING)
def test_what_cuda_does_not_free_is_the_programs_as_before(box, pool):
    done = run(box, pool, "freed_where_that_is_refused", fence="sync",
               fail="cuEventRecord:2:906,cuMemFreeAsync:1:906")
    assert done.stdout == ("906 used 100000 of the pool 1 then 0\n"
                           if pool == PAGES else "0 used 0\n")


@pytest.mark.parametrize("pool", SERVING)
def test_what_cuda_has_freed_is_no_pools(box, pool):
    done = run(box, pool, "freed_by_cuda", fail="cuEventRecord:2:906")
    assert done.stdout == "reserved 0\n"
    assert box.stat()["driver_frees"] == (pool == PAGES)


@pytest.mark.parametrize("pool", SERVING)
def test_where_none_is_served_nobody_gets_access(box, pool):
    run(box, pool, "for_another_device_that_is_there", stream_ordered=0)
    assert "cuCtxEnablePeerAccess" not in box.report()[0]


@pytest.mark.parametrize("pool", SERVING)
def test_where_none_is_served_captures_cost_nothing(box, pool):
    run(box, pool, "of_a_pool_with_a_limit_beside_a_capture",
        stream_ordered=0)
    assert "cuCtxRecordEvent" not in box.report()[0]


@pytest.mark.parametrize("pool", SERVING)
def test_what_can_not_be_had_costs_nothing(box, pool):
    run(box, pool, "of_more_than_there_is")
    assert box.stat()["idle_bytes"] > 0
    assert box.stat()["failures"] == 2


@pytest.mark.parametrize("pool", SERVING)
def test_a_pool_is_served_whose_memory_hardware_decompresses_into(box, pool):
    run(box, pool, "pools_for_a_use")
    assert box.stat()["allocs"] == 1  # the other pool is CUDA's


@pytest.mark.parametrize("pool", SERVING)
def test_pools_that_are_gone_leave_room_for_others(box, pool):
    run(box, pool, "of_many_pools")
    assert box.stat()["allocs"] == 100


@pytest.mark.parametrize("pool", SERVING)
def test_the_driver_is_asked_in_a_mode_that_spares_captures(box, pool,
                                                            tmp_path):
    """A capture of another thread may begin at any moment."""
    log = tmp_path / "log"
    box.run([program("ordered"), "in_its_stream"], pool, stream_ordered=1,
            sim_log=str(log))
    calls = [call for call in log.read_text().splitlines()
             if "cuDeviceGetAttribute" not in call]  # captures don't mind it
    made = "cuMemAlloc_v2" if pool == PAGES else "cuMemCreate"
    asked = [place for place, call in enumerate(calls) if made in call]
    assert asked
    assert all("cuThreadExchangeStreamCaptureMode" in calls[place - 1]
               for place in asked)


@pytest.mark.parametrize("pool", SERVING)
def test_after_a_capture_nobody_asks_for_it(box, pool, tmp_path):
    log = tmp_path / "log"
    run(box, pool, "after_a_capture", sim_log=str(log))
    after = log.read_text().split("cuStreamEndCapture 0\n")[1]
    assert "cuMemsetD8Async 0\n" in after
    assert "cuStreamIsCapturing" not in after


@pytest.mark.parametrize("pool", SERVING)
def test_a_pool_that_another_device_may_reach_is_served(box, pool):
    run(box, pool, "for_another_device")
    assert box.stat()["allocs"] == 2
    for case in ("at_first", "that_is_there", "that_reaches_it"):
        run(box, pool, f"for_another_device_{case}")
        assert box.stat()["allocs"] == 1


@pytest.mark.parametrize("pool", SERVING)
def test_a_pool_is_reached_again_after_a_reset(box, pool, tmp_path):
    log = tmp_path / "log"
    run(box, pool, "for_another_device_after_a_reset", sim_log=str(log))
    calls = [line.split()[-2:] for line in log.read_text().splitlines()]
    assert calls.count(["cuCtxEnablePeerAccess", "0"]) == 2


@pytest.mark.parametrize("pool", SERVING)
def test_a_pool_that_can_not_be_reached_is_cudas(box, pool):
    done = box.run([program("ordered"), "for_another_device_at_first"], pool,
                   devices=2,
                   fail="cuCtxEnablePeerAccess:1:711")
    assert "can't reach memory of device 0: error 711" in done.stderr


@pytest.mark.parametrize("pool", SERVING)
def test_access_that_can_not_be_given_is_refused(box, pool):
    """There is memory of the pool already."""
    done = box.run([program("ordered"), "for_another_device"], pool,
                   devices=2, stream_ordered=1, check=False,
                   fail="cuCtxEnablePeerAccess:1+:711")
    assert done.stdout == "cuMemPoolSetAccess(pool, &access, 1): 217\n"


@pytest.mark.parametrize("pool", SERVING)
def test_each_of_two_pools_is_served(box, pool):
    run(box, pool, "of_two_pools")
    assert box.stat()["allocs"] == 2


@pytest.mark.parametrize("pool", SERVING)
def test_nothing_is_served_of_a_pool_that_can_not_be_reached(box, pool):
    for case, allocs in (("that_is_there", 0), ("that_comes_later", 1)):
        done = box.run([program("ordered"), f"for_another_device_{case}"],
                       pool, devices=2, stream_ordered=1,
                       fail="cuCtxEnablePeerAccess:1+:711")
        assert box.stat()["allocs"] == allocs
        assert done.stderr.count("can't reach memory") == 1


@pytest.mark.parametrize("case,printed", CASES, ids=[row[0] for row in CASES])
def test_is_cudas_where_nothing_is_kept(box, case, printed):
    done = run(box, "no_pool", case)
    assert "violation" not in done.stderr
    if case in BY_CHANCE:
        assert done.stdout.strip() in BY_CHANCE[case]
    elif case in PASSED_ON:
        assert done.stdout == run(box, None, case).stdout
    else:
        assert done.stdout.strip() == printed
