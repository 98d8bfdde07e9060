"""Calls that wait only for what they end, whatever other threads wait for. The
cases are in tests/programs/beside.c. Each hangs or says what went wrong."""

import pytest

from conftest import program
from test_order import T4, with_other_driver

FAILED = "9 after a destroy that failed: 1"
CASES = [
    # (case, what it prints, options); it prints the same without mnm
    ("release_one_of_two", "released", {}),
    ("release_one_of_two_beside_another", "released", {}),
    ("release_one_of_two_after_a_reset", "released", {}),
    ("release_with_green_contexts", "released", {}),
    ("release_with_pinned_memory", "released\nreleased for good", {}),
    ("destroy_idle", "destroyed", {}),
    ("destroy_after_a_fence", "destroyed", {}),
    ("destroy_freed_before_any_work", "destroyed", {}),
    ("destroy_freed_before_a_wait", "destroyed", {}),
    ("destroy_pinned_freed_before_a_wait", "destroyed", {}),
    ("destroy_pinned_freed_before_a_context", "destroyed", {}),
    ("destroy_freed_before_a_wait_and_a_fence", "destroyed", {}),
    ("destroy_freed_before_two_waits", "destroyed", {}),
    ("destroy_freed_before_a_context", "destroyed", {}),
    ("destroy_idle_beside_a_free", "destroyed", {"fence": "sync"}),
    ("alloc_beside_a_release", "allocated\nretained", {}),
    ("meet_beside_a_destroy", "nothing lost", {}),
    ("detach_one_of_two", "nothing lost", {}),
    ("free_after_a_visit", "freed", {"quarantine": "1M"}),
    ("create_beside_a_destroy", "created", {}),
    ("retain_beside_a_destroy", "retained", {}),
    ("visit_beside_anothers_destroy", "copied", {}),
]


def run(box, pool, case, options):
    done = box.run([program("beside"), case], pool, devices=2, **options)
    return done.stdout.strip()


@pytest.mark.parametrize("case,printed,options", CASES,
                         ids=[case for case, _, _ in CASES])
def test_waits_for_nothing_else(box, case, printed, options):
    assert run(box, "page_unit_pool", case, options) == printed


@pytest.mark.parametrize("case,options", [
    ("destroy_under_work", {}),
    ("destroy_under_work_after_a_failed_wait",
     {"sim_fail": "cuCtxSynchronize:2:2"}),
    ("destroy_under_work_and_anothers", {}),
    ("destroy_under_work_since_a_wait", {}),
    ("destroy_under_work_on_pinned_memory", {}),
    ("destroy_under_work_of_another_device", {}),
])
def test_an_end_waits_for_what_may_use_freed_memory(box, case, options):
    assert run(box, "page_unit_pool", case, options) == "waits"


def test_an_end_waits_where_there_may_be_work_that_nobody_sees(box):
    assert run(with_other_driver(box), "page_unit_pool",
               "destroy_under_work_beside_a_later_entry",
               {"sim": T4}) == "waits"


def test_what_a_fence_makes_safe_beside_a_wait_waits_no_more(box):
    assert run(box, "page_unit_pool", "reuse_beside_a_wait", {}) == "allocated"
    assert box.stat()["fences"] == 1
    assert box.stat()["quarantined_bytes"] == 0


def test_a_visit_misses_no_context_that_a_destroy_spares(box):
    assert run(box, "page_unit_pool", "visit_beside_a_destroy", {}) == (
        f"the same block\n{FAILED}")


@pytest.mark.parametrize("case,printed", [
    ("alloc_beside_a_full_queue", "allocated"),
    ("begin_beside_a_full_queue", "begun\ncaptured"),
])
def test_who_stands_in_a_full_queue_keeps_nobody_else_waiting(box, case,
                                                              printed):
    assert run(box, "page_unit_pool", case, {"sim_queue": 4}) == printed


def test_a_begin_does_not_wait_for_an_old_drivers_wait(box):
    """The wait is a free, as a wait for the context would end the capture."""
    assert run(box, "page_unit_pool", "begin_beside_a_free",
               {"sim_driver": "12040", "quarantine": "1M"}) == "captured"
    calls, _ = box.report()
    assert calls["cuCtxSynchronize"] == 2  # the program's own calls


def test_a_begin_waits_for_calls_that_would_end_its_capture(box):
    """Each record of that driver takes a while."""
    assert run(with_other_driver(box), "page_unit_pool",
               "captures_beside_fences",
               {"sim": T4, "quarantine": 0}) == "captured"
    assert box.stat()["fences"] >= 1


def test_what_is_asked_of_a_queue_is_said(box):
    done = box.run([program("beside"), "destroy_idle"], None, check=False,
                   sim_queue="many")
    assert 'MNM_SIM_QUEUE: "many" is no number of operations' in done.stderr
