"""Calls of CUDA inside calls that end a context or give memory back. A tool
whose jump is in CUDA's own entry makes them. They return, as without mnm."""

import pytest

from conftest import plain_build_only, program

pytestmark = plain_build_only


@pytest.mark.parametrize("beside", ["beside", "alone", "doubted"])
@pytest.mark.parametrize("call", ["destroy", "release", "reset", "runtime"])
def test_what_is_called_inside_an_end_does_not_wait_for_it(box, call, beside):
    native = box.run([program("inside"), call, beside])
    under = box.run([program("inside"), call, beside], "page_unit_pool")
    assert under.stdout == native.stdout
    assert native.stdout.count(" 0\n") == len(native.stdout.split("\n")) - 1
    assert under.stderr == ""


@pytest.mark.parametrize("call", ["reset", "runtime"])
def test_nothing_of_an_ended_context_is_handed_out_inside(box, call):
    """The calls are in the next context, whose handle may be the same."""
    native = box.run([program("inside"), call, "after"])
    under = box.run([program("inside"), call, "after"], "page_unit_pool")
    assert under.stdout == native.stdout
    assert under.stdout.count("fill 0") == 2
    assert under.stderr == ""


@pytest.mark.parametrize("call", ["reset", "runtime"])
def test_what_is_left_of_an_ended_context_is_no_block_inside(box, call):
    native = box.run([program("inside"), call, "left"])
    under = box.run([program("inside"), call, "left"], "page_unit_pool")
    assert under.stdout == native.stdout
    assert "free 0" in under.stdout
    assert under.stderr == ""


def test_what_is_called_inside_a_free_does_not_wait_for_it(box):
    """A call inside that runs out of memory needs what that thread is giving
    back."""
    under = box.run([program("inside"), "give", "beside"], "page_unit_pool")
    lines = under.stdout.split("\n")
    pair = ["alloc 0", "fill 0", "free 0"]
    assert lines == [*pair, "too much 2", "give 0", "retain 0",
                     "current 0",
                     *pair, ""]


def test_a_retain_without_room_does_not_hold_up_a_reset(box):
    """The retain makes room without the lock that the reset needs. Until the
    reset is done, that room is not free."""
    under = box.run([program("inside"), "retain", "alone"], "page_unit_pool",
                    sim="64M", sim_need="cuDevicePrimaryCtxRetain:32M:0")
    assert under.stdout.split("\n")[:3] == ["retain 0", "release 0",
                                            "retain 0"]


@pytest.mark.parametrize("call", ["create", "attach"])
def test_what_is_called_as_a_context_comes_does_not_wait_for_it(box, call):
    under = box.run([program("inside"), call, "alone"], "page_unit_pool")
    lines = under.stdout.split("\n")
    assert lines == ["alloc 0", "fill 0", "free 0", f"{call} 0", "retain 0",
                     "current 0", "alloc 0", "fill 0", "free 0", ""]


def test_nor_after_a_third_has_come_and_gone_meanwhile(box):
    under = box.run([program("inside"), "third", "alone"], "page_unit_pool")
    lines = under.stdout.split("\n")
    assert lines == ["third 0", "gone 0", "alloc 0", "fill 0", "free 0",
                     "third 0", "retain 0", "current 0", "alloc 0", "fill 0",
                     "free 0", ""]
