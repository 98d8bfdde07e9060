"""Threads that share sizes: what each keeps, and what that leaves for the
others, or for one thread that is alone afterwards."""

import pytest

from conftest import plain_build_only, program
from test_cache import driver_shell, lines, two_threads
from test_pool import took

SIZES = {"small": [4, 64, 300], "large": [1024, 2048, 3072],
         "both": [4, 64, 1024, 3072],
         "many": [1024 + 64 * i for i in range(64)]}


def locks(box, threads, live, sizes, others=0, **options):
    """The locks in a thousand pairs: while threads share sizes, and of one
    thread that was alone for a thousand pairs before. A pair that its thread
    serves itself takes no lock, except for one look in 256 pairs. Any other
    pair takes two or more."""
    done = box.run([program("sharers"), str(others), str(threads), "20000",
                    str(live), *map(str, sizes)], "page_unit_pool",
                   sim="ideal", **options)
    words = done.stdout.split()
    assert done.returncode == 0 and words[4:] == ["errors", "0"]
    return int(words[1]), int(words[3])


@plain_build_only
@pytest.mark.parametrize("live", [1, 16])
@pytest.mark.parametrize("sizes", ["small", "large", "both"])
def test_threads_that_share_sizes_serve_themselves(box, sizes, live):
    """The least of three runs: where other programs take the cores, threads
    that are held up leave the others less, once in some hundred runs."""
    runs = [locks(box, 16, live, SIZES[sizes]) for _ in range(3)]
    assert min(shared for shared, _ in runs) <= 200
    assert min(alone for _, alone in runs) <= 10


@plain_build_only
def test_one_thread_is_as_before_when_the_others_have_gone(box):
    assert locks(box, 8, 64, SIZES["many"])[1] <= 10


@pytest.mark.parametrize("size", [64 << 10, 1 << 20])
def test_what_one_thread_takes_and_another_frees_comes_round(box, size):
    """It does so even if the first thread never frees, and only the second one
    ever has idle blocks."""
    shell = driver_shell(box, thread_cache=8 * size)
    for thread in "ab":
        took(shell, f"on {thread} set p")
    for _ in range(200):
        lines(shell, f"on a alloc x {size}", "on b free x")
    assert shell.stat()["driver_allocs"] <= 60
    shell.end()


def test_threads_that_take_turns_take_no_more_than_one_of_them(box):
    size = 2 << 20
    shell = two_threads(box)
    took(shell, f"on a pairs {size} 4")
    before = shell.stat()["driver_allocs"]
    for thread in 10 * "ab":
        took(shell, f"on {thread} pairs {size} 2")
    assert shell.stat()["driver_allocs"] == before
    shell.end()
