"""What a program could notice of the plug-ins under it."""

import os

import pytest

from conftest import BUILD, plain_build_only, program

PLUGGED = program("plugged")
RUDE = os.path.join(BUILD, "tests", "plugins", "rude.so")
PLUGGED_IN = {"pool_plugins": RUDE, "thread_cache": 0}


@pytest.mark.parametrize("pool, options", [
    ("rude_pool", PLUGGED_IN), ("page_unit_pool", {}),
    ("vmm_pool", {"check_pools": 1})])
@pytest.mark.parametrize("what", ["keeps_errno", "frees_at_its_end"])
def test_a_program_sees_the_same(box, what, pool, options):
    alone = box.run([PLUGGED, what])
    beside = box.run([PLUGGED, what], pool, **options)
    assert alone.stdout and beside.stdout == alone.stdout
    assert beside.stderr == ""
    assert box.pools() == {pool}


@plain_build_only
@pytest.mark.parametrize("pool, options", [
    ("rude_pool", PLUGGED_IN), ("page_unit_pool", {"check_pools": 1})])
def test_a_thread_of_the_programs_is_the_last(box, pool, options):
    """Nor does the process wait for a thread of mnm's, which would be the last
    one then."""
    done = box.run([PLUGGED, "main_leaves"], pool, **options)
    assert (done.stdout, done.stderr) == (
        "the last thread is the program's\n", "")
