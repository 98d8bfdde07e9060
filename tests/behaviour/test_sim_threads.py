"""MNM_SIM_THREADS: how many threads run the blocks of an interpreted kernel."""

import os
import shutil

import pytest

from conftest import program
from test_sim_kernels import tool  # noqa: F401

BLOCKS = program("many_blocks")


def run(box, *args, **options):
    """The hash of the results, and how many threads were made for them."""
    words = box.run([BLOCKS, *args], **options).stdout.split()
    return words[0], int(words[1])


def test_no_more_threads_run_a_kernel_than_are_said(box):
    alone = run(box, sim_threads=1)
    assert alone[1] == 0
    for most in (2, 4):
        several = run(box, sim_threads=most)
        assert several[0] == alone[0]
        assert 1 <= several[1] < most


def test_a_seed_leaves_it_at_that(box):
    assert run(box, sim_threads=2, sim_seed=1) == run(box, sim_threads=2)


def test_without_a_number_there_are_as_many_as_processors(box):
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("one processor")
    assert run(box)[1] >= 1
    if shutil.which("taskset"):
        done = box.run(["taskset", "-c", str(min(allowed)), BLOCKS])
        assert done.stdout.split()[1] == "0"


def test_a_short_kernel_is_on_one_thread(box):
    assert run(box, "2", sim_threads=4)[1] == 0


@pytest.mark.parametrize("number", ["0", "-2", "two", "4x", "1025", " 2", "1e1"])
def test_a_wrong_number_is_told_in_one_line(box, number):
    done = box.run([BLOCKS], sim_threads=number, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        f'mnm-sim: MNM_SIM_THREADS: "{number}" is not 1 to 1024']
