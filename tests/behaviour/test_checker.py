"""The checker of the simulated device. It is silent about memory that changes
hands in order. Of memory that changes hands without order it tells both
sides."""

import re

import pytest

from conftest import program, races_only_without_tsan

ORDERED = [
    "in_one_stream", "after_an_event", "after_two_events",
    "by_the_legacy_stream", "after_the_legacy_stream", "after_a_stream_wait",
    "after_an_event_wait", "after_a_question", "after_a_stream_question",
    "after_a_context_wait", "after_a_gate",
    "after_a_gate_and_a_destroyed_stream", "after_a_synchronous_copy",
    "of_other_bytes", "of_freed_memory", "of_memory_freed_in_a_stream",
    pytest.param("in_one_owner", marks=races_only_without_tsan),
    "of_part_by_a_kernel_that_says_so"]
REUSED = "reused, not ordered after earlier work"
WRONG = {
    "unordered": REUSED,
    "by_luck": REUSED,
    "after_an_early_event": REUSED,
    "by_luck_in_a_used_stream_object": REUSED,
    "non_blocking_and_legacy": REUSED,
    "of_part_by_a_kernel": REUSED,
    "third_owner_after_the_second": REUSED,
    "use_after_free": "used after it was freed",
    "kernel_after_free": "used after it was freed",
    "kernel_out_of_the_blue": "outside of any allocation",
    "past_the_end": "past the end of its allocation",
    "owned_twice": "memory is given out twice",
    "freed_under_an_owner": "memory that has an owner is given back",
}
HOST_ORDERED = [
    "after_a_stream_wait", "after_an_event_wait", "after_a_question",
    "after_a_synchronous_copy", "of_other_bytes", "of_freed_memory",
    "unmapped_after_a_wait"]
GIVEN = "given to the host, earlier work not waited for"
HOST_WRONG = {
    "read_in_one_stream": GIVEN,
    "written_in_one_stream": GIVEN,
    "after_a_gate": GIVEN,
    "by_luck": GIVEN,
    "without_new_work": GIVEN,
    "of_managed_memory": GIVEN,
    "use_after_free": "used after it was freed",
    "past_the_end": "past the end of its allocation",
    "freed_under_an_owner": "memory that has an owner is given back",
    "unmapped_too_early": "unmapped, earlier work not waited for",
}
POOL_ORDERED = [
    "in_one_stream", "after_an_event", "by_luck", "by_luck_where_that_is_off",
    "by_a_wait_of_the_stream", "behind_a_wait_of_the_stream",
    "freed_by_the_host", "freed_by_the_host_with_the_rest_to_come",
    "of_a_destroyed_pool", "of_another_size"]
POOL_WRONG = {
    "in_a_stream_of_no_order": REUSED,
    "beside_a_wait_of_the_stream": REUSED,
    "freed_by_the_host_too_early": "freed, earlier work not waited for",
}
VALUES_ORDERED = ["of_a_value_in_one_stream", "of_a_texture_in_one_stream"]
VALUES_WRONG = {
    "of_a_value": REUSED,
    "behind_a_value": REUSED,
    "of_a_texture": REUSED,
    "through_an_old_texture": "used after it was freed",
}
MAPPED_ORDERED = [
    "moved_in_one_stream", "moved_after_an_event", "moved_without_its_handle",
    "other_bytes_of_a_moved_page", "other_page_moved",
    "mapped_twice_by_one_owner", "two_owners_in_one_page",
    "two_owners_in_one_allocation",
    "unmapped_beside_work_at_the_other_address"]
MAPPED_WRONG = {
    "moved_in_no_order": REUSED,
    "moved_in_no_order_without_its_handle": REUSED,
    "moved_twice_in_no_order": REUSED,
    "used_at_the_old_address": "used after it was freed",
    "owned_at_both_addresses": "memory is given out twice",
    "unmapped_too_early_at_the_old_address":
        "unmapped, earlier work not waited for",
    "unmapped_too_early_at_the_new_address":
        "unmapped, earlier work not waited for",
    "past_the_end_into_the_next_page": "past the end of its allocation",
}
GONE = "runs after its memory went back to the driver"
SEEDS = [None, 1, 2, 3]


def reuse(box, case, seed=None, name="reuse", **options):
    """(number of violations, what was said)"""
    if seed is not None:
        options["sim_seed"] = seed
    run = box.run([program(name), case], sim_check=1, **options)
    return int(run.stdout), run.stderr


@pytest.mark.parametrize("case", ORDERED)
def test_reuse_in_order_is_silent(box, case):
    for seed in SEEDS:
        assert reuse(box, case, seed) == (0, "")


@pytest.mark.parametrize("case", WRONG)
def test_reuse_in_no_order_is_told_under_any_schedule(box, case):
    for seed in SEEDS[1:]:
        count, said = reuse(box, case, seed)
        assert count == 1
        assert f"violation 1, seed {seed}: {WRONG[case]}\n" in said


@pytest.mark.parametrize("case", HOST_ORDERED)
def test_host_memory_that_was_waited_for_is_silent(box, case):
    for seed in SEEDS:
        assert reuse(box, case, seed, "reuse_host") == (0, "")


@pytest.mark.parametrize("case", HOST_WRONG)
def test_host_memory_that_was_not_waited_for_is_told(box, case):
    for seed in SEEDS[1:]:
        count, said = reuse(box, case, seed, "reuse_host")
        assert count == 1
        assert f"violation 1, seed {seed}: {HOST_WRONG[case]}\n" in said


@pytest.mark.parametrize("case", POOL_ORDERED)
def test_a_pool_gives_memory_in_order(box, case):
    for seed in SEEDS:
        assert reuse(box, case, seed, "reuse_pool") == (0, "")


@pytest.mark.parametrize("case", POOL_WRONG)
def test_memory_of_a_pool_in_no_order_is_told(box, case):
    for seed in SEEDS[1:]:
        count, said = reuse(box, case, seed, "reuse_pool")
        assert count == 1
        assert f"violation 1, seed {seed}: {POOL_WRONG[case]}\n" in said


@pytest.mark.parametrize("case", VALUES_ORDERED)
def test_values_and_textures_in_order_are_silent(box, case):
    for seed in SEEDS:
        assert reuse(box, case, seed, "reuse_values") == (0, "")


@pytest.mark.parametrize("case", VALUES_WRONG)
def test_values_and_textures_in_no_order_are_told(box, case):
    for seed in SEEDS[1:]:
        count, said = reuse(box, case, seed, "reuse_values")
        assert count == 1
        assert f"violation 1, seed {seed}: {VALUES_WRONG[case]}\n" in said


@pytest.mark.parametrize("case", MAPPED_ORDERED)
def test_a_page_that_has_moved_in_order_is_silent(box, case):
    for seed in SEEDS:
        assert reuse(box, case, seed, "reuse_mapped") == (0, "")


@pytest.mark.parametrize("case", MAPPED_WRONG)
def test_a_page_that_has_moved_in_no_order_is_told(box, case):
    for seed in SEEDS[1:]:
        count, said = reuse(box, case, seed, "reuse_mapped")
        told = re.findall(rf"violation \d+, seed {seed}: (.*)\n", said)
        assert count == len(told)
        assert told[0] == MAPPED_WRONG[case]
        if "unmapped" in case:  # the work may run late, or have run
            assert told[1:] in ([], [GONE])
        else:
            assert told[1:] == []


@races_only_without_tsan
def test_both_sides_are_named(box):
    said = reuse(box, "unordered")[1].splitlines()
    now, before = (re.fullmatch(
        r'  (now|before): cuMemsetD8Async, thread \d+, stream (\d+) '
        r'\(non-blocking\) place 1, \[(0x\w+), (0x\w+)\) of "(\w+)" '
        r'generation (\d+)', line).groups() for line in said[1:])
    assert said[0] == f"mnm-sim: violation 1: {REUSED}"
    assert (now[0], now[4], before[0], before[4]) == ("now", "new", "before",
                                                      "old")
    assert now[1] != before[1] and now[2:4] == before[2:4]
    assert int(now[5]) > int(before[5])


def test_a_free_in_another_stream_is_told(box):
    for seed in SEEDS:
        count, said = reuse(box, "freed_in_another_stream", seed)
        assert count and "freed, not ordered after earlier work" in said


@races_only_without_tsan
def test_without_the_variable_nothing_is_checked(box):
    for value in (0, ""):
        run = box.run([program("reuse"), "unordered"], sim_check=value)
        assert (run.stdout, run.stderr) == ("0\n", "")
