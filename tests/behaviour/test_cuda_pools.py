"""What CUDA's own pools hold, as `mnm stat` shows it."""

import pytest

from conftest import MIB
from test_answers import lines
from test_pool import open_shell, took

POOL = "page_unit_pool"
ALL = 1 << 40
ASKED = ["cuMemPoolGetAttribute", "cuPointerGetAttribute"]


def start(box, pool=POOL, stream_ordered=0, **options):
    shell = open_shell(box, pool, "driver", stream_ordered=stream_ordered,
                       **options)
    lines(shell, "mempool_default own 0", "stream s", "stream t")
    return shell


def held(shell, device=0):
    return shell.stat(device)["cuda_pool_bytes"]


def reserved(shell, *pools):
    return sum(int(took(shell, f"mempool_reserved {pool}").split()[1])
               for pool in pools)


def grow(shell, *names):
    for name in names:
        took(shell, f"alloc_async {name} {2 * MIB} s")


def give(shell, *names):
    for name in names:
        took(shell, f"free_async {name} s")


@pytest.mark.parametrize("pool", [POOL, "no_pool"])
def test_is_what_the_driver_says(box, pool):
    shell = start(box, pool)
    took(shell, f"mempool_keep own {ALL}")
    grow(shell, "a", "b")
    assert held(shell) == reserved(shell, "own") == 4 * MIB
    give(shell, "a", "b")
    took(shell, "stream_sync s")
    assert shell.stat()["async_bytes"] == 0
    assert held(shell) == reserved(shell, "own") == 4 * MIB
    shell.end()


@pytest.mark.parametrize("wait", ["stream_sync s", "sync"])
def test_falls_when_the_program_has_waited(box, wait):
    shell = start(box)
    grow(shell, "a", "b")
    give(shell, "a", "b")
    assert held(shell) == 4 * MIB
    took(shell, wait)
    assert held(shell) == reserved(shell, "own") == 0
    shell.end()


def test_falls_with_each_stream_that_was_waited_for(box):
    shell = start(box)
    grow(shell, "a", "b")
    lines(shell, "free_async a s", "free_async b t", "stream_sync s")
    assert held(shell) == reserved(shell, "own") == 2 * MIB
    took(shell, "stream_sync t")
    assert held(shell) == reserved(shell, "own") == 0
    shell.end()


@pytest.mark.parametrize("end", ["free a", "free_async a s"])
def test_either_free_is_heeded(box, end):
    shell = start(box)
    grow(shell, "a")
    lines(shell, *["stream_sync t"] * 20, end, "sync")
    assert held(shell) == reserved(shell, "own") == 0
    shell.end()


def test_falls_with_a_trim(box):
    shell = start(box)
    took(shell, f"mempool_keep own {ALL}")
    grow(shell, "a", "b")
    give(shell, "a", "b")
    lines(shell, "stream_sync s", f"mempool_trim own {2 * MIB}")
    assert held(shell) == reserved(shell, "own") == 2 * MIB
    took(shell, "mempool_trim own 0")
    assert held(shell) == reserved(shell, "own") == 0
    shell.end()


def test_is_that_of_all_pools_of_the_device(box):
    shell = start(box)
    lines(shell, "mempool p 0", "mempool q 0",
          f"mempool_alloc x p {2 * MIB} s", f"mempool_alloc y q {4 * MIB} s")
    grow(shell, "a")
    assert held(shell) == reserved(shell, "own", "p", "q") == 8 * MIB
    lines(shell, "free_async x s", "free_async y s", "sync",
          "mempool_destroy q")
    assert held(shell) == reserved(shell, "own", "p") == 2 * MIB
    shell.end()


def test_a_destroyed_pool_counts_no_more(box):
    shell = start(box)
    lines(shell, "mempool p 0", f"mempool_alloc x p {2 * MIB} s")
    assert held(shell) == 2 * MIB
    took(shell, "mempool_destroy p")
    assert held(shell) == 0
    lines(shell, "free_async x s", "sync")
    assert held(shell) == 0
    shell.end()


def test_a_pool_that_can_not_be_destroyed_counts_on(box):
    shell = start(box)
    grow(shell, "a")
    took(shell, "mempool_destroy own", "1")
    assert held(shell) == reserved(shell, "own") == 2 * MIB
    shell.end()


def test_is_told_for_each_device(box):
    shell = start(box, devices=2)
    lines(shell, "mempool p 1", "mempool h host", "create c1 1", "set primary")
    grow(shell, "a")
    lines(shell, f"mempool_alloc x p {4 * MIB} s",
          f"mempool_alloc y h {6 * MIB} s")
    assert [held(shell, i) // MIB for i in (0, 1, "host")] == [2, 4, 6]
    assert reserved(shell, "h") == 6 * MIB
    shell.end()


@pytest.mark.parametrize("end", ["release 0", "primary_reset 0"])
def test_ends_with_the_primary_context(box, end):
    shell = start(box)
    lines(shell, "mempool p 0", f"mempool_alloc x p {2 * MIB} s")
    grow(shell, "a")
    assert held(shell) == 4 * MIB
    lines(shell, end, "retain primary 0", "set primary")
    assert held(shell) == 0
    lines(shell, "stream s", f"alloc_async b {2 * MIB} s")
    assert held(shell) == reserved(shell, "own") == 2 * MIB
    shell.end()


def test_is_renewed_by_two_mebibytes_of_requests(box):
    """One of them alone might be served from what the pool has already."""
    shell = start(box)
    for i in range(40):
        took(shell, f"alloc_async a{i} {MIB // 8} s")
        got = (i + 1) * MIB // 8
        assert held(shell) > got - 2 * MIB
    assert held(shell) >= 4 * MIB
    shell.end()


def asked(box, *script):
    """How often the driver was asked about a pool."""
    shell = open_shell(box, POOL, "driver", stream_ordered=0)
    lines(shell, "stream s", *script)
    shell.end()
    calls = box.report()[0]
    return sum(calls.get(name, 0) for name in ASKED)


def test_costs_nothing_where_no_request_is_cudas(box):
    assert asked(box, "mempool p 0", *["sync"] * 5, "alloc a 5000", "free a",
                 "mempool_trim p 0", "mempool_destroy p") == 0


def test_costs_one_question_at_most_for_a_request_or_a_wait(box):
    once = asked(box, f"alloc_async a {2 * MIB} s")
    assert once == 1
    assert asked(box, f"alloc_async a {2 * MIB} s",
                 f"alloc_async b {2 * MIB} s") == 2
    assert asked(box, f"alloc_async a {2 * MIB} s", "sync") == 2
    assert asked(box, f"alloc_async a {2 * MIB} s", "free_async a s",
                 "sync") == 2


def test_small_requests_share_a_question(box):
    assert asked(box, *(f"alloc_async a{i} 1000 s" for i in range(100))) == 1


def test_waits_cost_nothing_once_all_is_known(box):
    some = asked(box, "alloc_async a 1000 s", *["sync"] * 20)
    assert some == asked(box, "alloc_async a 1000 s", *["sync"] * 40) < 10


def test_no_capture_ends_by_it(box):
    """The question is one that ends a capture if it is not asked apart."""
    shell = start(box)
    lines(shell, "begin t global", f"alloc_async a {2 * MIB} s")
    took(shell, "end t g")
    assert held(shell) == reserved(shell, "own") > 0
    shell.end()
