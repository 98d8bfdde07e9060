"""A copy or fill that leaves a block is refused where CUDA would refuse one that
leaves an allocation."""

import os

import pytest

from conftest import BUILD, PLACING, SANITIZERS

PAST_END = os.path.join(BUILD, "tests", "programs", "past_end")


def rows(box, pool):
    lines = box.run(PAST_END, pool, sim="256M").stdout.splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines}


@pytest.mark.parametrize("pool", ["no_pool", *PLACING])
def test_what_leaves_a_block_is_refused_as_without_the_preload(box, pool):
    native, ours = rows(box, None), rows(box, pool)
    assert ours == native
    assert len(native) > 30
    assert {row[2] for name, row in native.items()
            if name != "deep_from"} == {"1"}


def filled(box, pool, *words, **options):
    return box.run([PAST_END, *map(str, words)], pool, sim="256M",
                   **options).stdout.strip()


@pytest.mark.parametrize("pool", PLACING)
def test_a_blocks_whole_span_may_be_used(box, pool):
    """As the memory that an allocation is rounded up to may be, where a block
    is an allocation."""
    assert filled(box, pool, 100, 128) == "0"
    assert filled(box, pool, 100, 129) == "1"


@pytest.mark.parametrize("pool", [None, *PLACING])
def test_a_region_without_blocks_may_not_be_used(box, pool):
    assert filled(box, pool, 512, 1) == "0"
    assert filled(box, pool, 512, 1, "freed") == "1"
    assert filled(box, pool, 512, 1, "freed", thread_cache=0) == "1"


@pytest.mark.parametrize("pool", PLACING)
def test_bytes_past_every_number_are_past_the_end(box, pool):
    assert filled(box, pool, 512, 2 ** 62 + 1) == "1"


@pytest.mark.skipif(any("libasan" in path for path in SANITIZERS),
                    reason="it reads past its own memory")
@pytest.mark.parametrize("pool", [None, "best_fit_pool"])
def test_what_is_read_of_the_host_is_cudas_to_judge(box, pool):
    done = box.run([PAST_END, "pinned"], pool, sim="256M")
    assert done.stdout.strip() == "0"
