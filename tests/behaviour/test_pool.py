"""What a program gets from the pools."""

import time

import pytest

from conftest import DEADLINE, FORMS, KINDS, MIB, POOLS, RUNTIME_FORMS


def open_shell(box, pool, form="shared", **options):
    """A shell with a context. The runtime makes one itself."""
    shell = box.shell(pool, form, **options)
    if form == "driver":
        for line in ("init", "retain primary 0", "set primary"):
            assert shell(line) == "0"
    return shell


def took(shell, line, result="0"):
    answer = shell(line)
    assert answer.split()[0] == result, (line, answer)
    return answer


def got_at_last(shell, take, name, size, give, wanted):
    """Takes blocks until one is at that address. What stands behind some work
    is over a moment after that work."""
    end = time.monotonic() + DEADLINE
    took(shell, f"{take} {name} {size}")
    while shell(f"addr {name}") != wanted and time.monotonic() < end:
        took(shell, f"{give} {name}")
        took(shell, f"{take} {name} {size}")
    assert shell(f"addr {name}") == wanted


@pytest.mark.parametrize("form", FORMS)
def test_a_freed_block_serves_the_next_request_of_its_pages(box, form):
    shell = open_shell(box, "page_unit_pool", form)
    took(shell, "alloc a 5000")
    took(shell, "free a")
    took(shell, "alloc b 8192")
    assert shell("addr a") == shell("addr b")
    took(shell, "fill b 7")
    assert shell("check b 7").endswith("right")
    shell.end()
    assert box.stat()["hits"] == 1 and box.stat()["misses"] == 1
    assert box.report()[0]["cuMemAlloc_v2"] == 1


@pytest.mark.parametrize("form", FORMS)
def test_no_pool_asks_the_driver_each_time(box, form):
    shell = open_shell(box, "no_pool", form)
    for _ in range(3):
        took(shell, "alloc a 5000")
        took(shell, "free a")
    shell.end()
    calls, devices = box.report()
    assert calls["cuMemAlloc_v2"] == 3 and calls["cuMemFree_v2"] == 3
    assert devices[0]["live_allocs"] == 0
    stat = box.stat()
    assert (stat["allocs"], stat["hits"], stat["frees"]) == (3, 0, 3)
    assert stat["driver_frees"] == 3 and stat["reserved_bytes"] == 0


@pytest.mark.parametrize("page", [512, 4096, 65536, 2 * MIB])
def test_requests_are_rounded_up_to_whole_pages(box, page):
    sizes = [1, page - 1, page, page + 1, 3 * page - 1]
    spans = [page, page, page, 2 * page, 3 * page]
    shell = box.shell("page_unit_pool", page_size=page)
    for i, size in enumerate(sizes):
        took(shell, f"alloc a{i} {size}")
        assert shell.stat()["reserved_bytes"] == sum(spans[:i + 1])
    assert shell.stat()["live_bytes"] == sum(sizes)
    shell.end()


@pytest.mark.parametrize("classes,spans", [
    ("linear", [5, 20, 21]), (1, [8, 32, 32]), (4, [5, 20, 24]),
    (64, [5, 20, 21])])
def test_requests_are_rounded_up_to_size_classes(box, classes, spans):
    shell = box.shell("page_unit_pool", size_classes=classes)
    for pages in (5, 20, 21):
        took(shell, f"alloc a{pages} {pages * 4096}")
    assert shell.stat()["reserved_bytes"] == sum(spans) * 4096
    took(shell, "free a21")
    took(shell, f"alloc again {spans[2] * 4096 - 1}")
    shell.end()
    assert box.stat()["hits"] == 1


@pytest.mark.parametrize("pool,sizes,spans", [
    ("naive_pool", [1, 5000, 2 * MIB, 2 * MIB + 1],
     [4096, 8192, 2 * MIB, 4 * MIB]),
    ("round_pool", [1, 5000, 9000, 3 * MIB, 17 * MIB],
     [4096, 8192, 16384, 4 * MIB, 32 * MIB])])
def test_mxnets_pools_round_as_theirs_do(box, pool, sizes, spans):
    shell = box.shell(pool)
    for i, size in enumerate(sizes):
        took(shell, f"alloc a{i} {size}")
        assert shell.stat()["reserved_bytes"] == sum(spans[:i + 1])
    took(shell, f"free a{len(sizes) - 1}")
    took(shell, f"alloc again {spans[-1]}")
    shell.end()
    assert box.stat()["hits"] == 1


def test_the_bound_of_round_pool_is_an_option(box):
    shell = box.shell("round_pool", round_cutoff=20)
    took(shell, f"alloc a {2 * MIB + 1}")
    assert shell.stat()["reserved_bytes"] == 3 * MIB
    shell.end()


def test_another_page_count_is_not_served_from_an_idle_block(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 12288")
    took(shell, "free a")
    took(shell, "alloc less 8192")
    took(shell, "alloc more 12289")
    assert shell("addr a") not in (shell("addr less"), shell("addr more"))
    shell.end()
    assert box.stat()["hits"] == 0


def test_idle_blocks_are_reused_oldest_first(box):
    shell = box.shell("page_unit_pool")
    names = ["a", "b", "c", "d"]
    for name in names:
        took(shell, f"alloc {name} 4096")
    order = ["c", "a", "d", "b"]
    for name in order:
        took(shell, f"free {name}")
    for name in order:
        took(shell, f"alloc again_{name} 4000")
        assert shell(f"addr again_{name}") == shell(f"addr {name}")
    shell.end()


def test_live_blocks_do_not_overlap(box):
    shell = box.shell("page_unit_pool")
    names = [f"n{i}" for i in range(40)]
    for turn in range(2):
        for i, name in enumerate(names):
            took(shell, f"alloc {name} {1 + 700 * (i % 9)}")
            took(shell, f"fill {name} {i + turn}")
        for i, name in enumerate(names):
            assert shell(f"check {name} {i + turn}").endswith("right")
            took(shell, f"free {name}")
    shell.end()
    assert box.stat()["hits"] == len(names)


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("form", FORMS)
def test_blocks_are_aligned_to_256_bytes(box, pool, form):
    shell = open_shell(box, pool, form)
    for size in (1, 255, 257, 5000, 3 * MIB):
        for turn in range(2):
            took(shell, f"alloc a{size} {size}")
            assert int(shell(f"addr a{size}"), 16) % 256 == 0
            if not turn:
                took(shell, f"free a{size}")
    shell.end()


@pytest.mark.parametrize("form", RUNTIME_FORMS)
def test_an_allocation_of_nothing_is_null_and_not_counted(box, form):
    shell = box.shell("page_unit_pool", form)
    assert shell("alloc a 0") == "0 0 null"
    took(shell, "alloc b 1")
    assert shell.stat()["allocs"] == 1
    shell.end()


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_block_freed_twice_is_an_error_and_handed_out_once(box, pool, form):
    shell = open_shell(box, pool, form)
    took(shell, "alloc a 4096")
    took(shell, "free a")
    took(shell, "free a", "1")
    took(shell, "alloc b 4096")
    took(shell, "alloc c 4096")
    assert shell("addr b") != shell("addr c")
    shell.end()
    assert box.stat()["frees"] == 1


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_a_free_of_foreign_memory_is_cudas_own_error(box, pool, form):
    shell = open_shell(box, pool, form)
    took(shell, "alloc a 8192")
    for line in ("free_inside a 4096", "free_inside a 1", "free_at 1234500",
                 "free_at ffffffffffffffff", "free_at 7f0000000000"):
        took(shell, line, "1")
    took(shell, "fill a 9")
    assert shell("check a 9").endswith("right")
    took(shell, "free a")
    shell.end()
    assert box.stat()["frees"] == 1


def test_memory_of_other_calls_is_freed_by_cuda(box):
    shell = box.shell("page_unit_pool", stream_ordered=0)
    for line in ("managed m 4096", "pitch p 4096 2", "alloc_async s 8192"):
        took(shell, line)
    for name in "mps":
        took(shell, f"free {name}")
        took(shell, f"free {name}", "1")
    shell.end()
    assert box.report()[1][0]["live_allocs"] == 0


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("other", ["pitch b 4096 16", "managed b 65536",
                                   "alloc_async b 65536"])
def test_a_block_freed_in_stream_order_is_forgotten(box, pool, other):
    shell = box.shell(pool)
    took(shell, f"alloc a {4 * MIB}")
    took(shell, "free_async a")
    took(shell, "sync")
    assert shell("free a").split()[0] == "1"
    shell("last")
    took(shell, other)  # the driver may hand out the same address
    took(shell, "free b")
    took(shell, f"alloc c {4 * MIB}")
    took(shell, "fill c 5")
    assert shell("check c 5").endswith("right")
    took(shell, "free c")
    assert shell.stat()["live_bytes"] == 0
    shell.end()


def test_each_device_has_the_pool_chosen_for_it(box):
    shell = box.shell("0:no_pool,1:page_unit_pool", devices=2)
    for device in "01":
        took(shell, f"device {device}")
        for _ in range(3):
            took(shell, "alloc a 5000")
            took(shell, "free a")
    shell.end()
    assert (box.stat(0)["pool"], box.stat(0)["hits"]) == ("no_pool", 0)
    assert (box.stat(1)["pool"], box.stat(1)["hits"]) == ("page_unit_pool", 2)
    _, devices = box.report()
    assert [d["live_allocs"] for d in devices] == [0, 1]


def test_a_block_goes_back_to_the_device_it_came_from(box):
    shell = box.shell("page_unit_pool", devices=2)
    took(shell, "alloc a 5000")
    took(shell, "device 1")
    took(shell, "alloc b 5000")
    took(shell, "free a")  # while the other device is current
    took(shell, "alloc c 5000")
    assert shell("addr c") not in (shell("addr a"), shell("addr b"))
    took(shell, "device 0")
    took(shell, "alloc d 5000")
    assert shell("addr d") == shell("addr a")
    assert shell.stat(0)["idle_bytes"] == shell.stat(1)["idle_bytes"] == 0
    shell.end()


def test_idle_blocks_count_as_free_memory(box):
    native, pooled = [], []
    for answers, pool in ((native, None), (pooled, "page_unit_pool")):
        shell = box.shell(pool)
        for line in ("info", f"alloc a {8 * MIB}", "info", "free a", "info"):
            answers.append(took(shell, line))
        shell.end()
    assert native == pooled
    assert native[0] == native[4] != native[2]
