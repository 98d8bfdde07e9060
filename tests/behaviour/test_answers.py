"""What CUDA says of a block is what it would say of an allocation of its
own."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

POOL = "page_unit_pool"


def lines(shell, *each):
    for line in each:
        took(shell, line)


def buffer_of(shell, name):
    return took(shell, f"buffer {name} 0").split()[1]


@pytest.mark.parametrize("kind", ["alloc a 5000", "pin a 5000 0"])
def test_a_range_is_as_long_as_what_was_asked_for(box, kind):
    shell = open_shell(box, POOL, "driver")
    took(shell, kind)
    if kind.startswith("alloc"):
        assert shell("range a 0") == shell("range a 4999") == "0 0 5000"
        took(shell, "range a 5000", "500")  # past the block's end
    assert shell("attributes a").split()[2] == "5000"
    shell.end()


def test_what_was_freed_is_no_allocation_any_more(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "free a")
    took(shell, "range a 0", "500")
    took(shell, "buffer a 0", "1")
    assert shell("attributes a").split()[1:3] == ["0", "0"]
    shell.end()


def test_a_buffers_id_is_new_in_each_life(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "alloc a 5000")
    first = buffer_of(shell, "a")
    assert first == shell("buffer a 100").split()[1]
    assert first == shell("attributes a").split()[3]
    lines(shell, "alloc other 5000", "free a", "alloc b 5000")
    assert shell("addr a") == shell("addr b")
    ids = {first, buffer_of(shell, "b"), buffer_of(shell, "other")}
    assert len(ids) == 3 and "0" not in ids
    shell.end()


def test_memory_with_an_attribute_of_its_own_is_not_reused(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "alloc a 5000", "sync_memops a", "free a")
    assert shell.stat()["reserved_bytes"] == 0
    shell.end()


def test_free_memory_is_the_pools_view_or_the_plain_truth(box):
    seen = {}
    for meminfo in ("pool", "real"):
        shell = open_shell(box, POOL, "driver", meminfo=meminfo)
        before = shell("info").split()
        lines(shell, f"alloc a {4 * MIB}", "free a")
        after = shell("info").split()
        seen[meminfo] = int(before[1]) - int(after[1])
        shell.end()
    assert seen == {"pool": 0, "real": 4 * MIB}


def test_rows_of_a_known_pitch_are_a_block(box):
    shell = open_shell(box, POOL, "driver")
    first = took(shell, "pitch a 1000 7 4")
    assert shell.stat()["pitched_bytes"] == 7 * 1024
    assert took(shell, "pitch b 1000 30 4") == first
    assert shell.stat()["live_bytes"] == 30 * 1024
    lines(shell, "free b")
    assert took(shell, "pitch c 1000 30 4") == first
    assert shell("addr c") == shell("addr b")
    took(shell, "free a")
    assert shell.stat()["pitched_bytes"] == 0
    took(shell, "pitch d 1001 7 4")  # CUDA itself serves another width
    assert shell.stat()["pitched_bytes"] == 7 * 1024
    took(shell, "pitch e 1000 7 3", "1")
    shell.end()


def test_pitched_rows_of_the_runtime_are_blocks_too(box):
    shell = open_shell(box, POOL, "shared")
    lines(shell, "pitch a 1000 7", "free a", "pitch b 1000 7", "free b",
          "pitch c 1000 7")
    assert shell("addr c") == shell("addr b")
    shell.end()
    assert box.stat()["hits"] == 1


def test_managed_memory_is_counted(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "managed a 5000", "managed b 7000")
    assert shell.stat()["managed_bytes"] == 12000
    took(shell, "free a")
    took(shell, "free a", "1")
    assert shell.stat()["managed_bytes"] == 7000
    shell.end()


@pytest.mark.parametrize("end", ["free_async a s", "free a"])
def test_stream_ordered_memory_is_counted(box, end):
    shell = open_shell(box, POOL, "driver", stream_ordered=0)
    lines(shell, "stream s", "alloc_async a 5000 s")
    assert shell.stat()["async_bytes"] == 5000
    took(shell, end)
    assert shell.stat()["async_bytes"] == 0
    shell.end()


def test_what_was_counted_ends_with_its_context(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "create x 0", "managed a 5000", "alloc keep 5000")
    assert shell.stat()["managed_bytes"] == 5000
    took(shell, "destroy x")
    assert shell.stat()["managed_bytes"] == 0
    shell.end()


def test_a_free_that_cuda_refuses_is_counted_as_before(box):
    shell = open_shell(box, POOL, "driver", sim_fail="cuMemFree_v2:1:700")
    took(shell, "managed a 5000")
    took(shell, "free a", "700")
    assert shell.stat()["managed_bytes"] == 5000
    shell.end()


def test_physical_memory_is_counted_while_a_handle_or_a_mapping_is_left(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, f"physical p {2 * MIB}", f"physical q {4 * MIB}",
          "release_physical q")
    assert shell.stat()["virtual_bytes"] == 2 * MIB
    lines(shell, "map v p", "release_physical p")
    assert shell.stat()["virtual_bytes"] == 2 * MIB
    lines(shell, "retain_physical r v", "unmap v")
    assert shell.stat()["virtual_bytes"] == 2 * MIB
    took(shell, "release_physical r")
    assert shell.stat()["virtual_bytes"] == 0
    shell.end()


def test_a_mapping_that_cuda_does_not_end_is_counted_as_before(box):
    """The mapping beside it keeps its own size."""
    shell = open_shell(box, POOL, "driver", sim_fail="cuMemUnmap:1:999")
    lines(shell, f"physical p {2 * MIB}", f"physical q {4 * MIB}", "map v p",
          "map w q", "release_physical p", "release_physical q")
    shell("unmap v")
    assert shell.stat()["virtual_bytes"] == 6 * MIB
    shell("unmap v")
    assert shell.stat()["virtual_bytes"] == 4 * MIB
    took(shell, "unmap w")
    assert shell.stat()["virtual_bytes"] == 0
    shell.end()


def test_physical_memory_outlives_contexts(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "create x 0", f"physical p {2 * MIB}", "destroy x")
    assert shell.stat()["virtual_bytes"] == 2 * MIB
    shell.end()


def test_arrays_are_counted(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, "array a 100 10 0", "array b 8 8 8")
    assert shell.stat()["array_bytes"] == 16 * (1000 + 512)
    lines(shell, "array_destroy b", "mipmap m 64 32 3")
    assert shell.stat()["array_bytes"] == 16000 + 64 * 32 + 32 * 16 + 16 * 8
    lines(shell, "array_destroy a", "mipmap_destroy m")
    assert shell.stat()["array_bytes"] == 0
    shell.end()


HOST = -1


@pytest.mark.parametrize("end", ["free_async a s", "free a"])
@pytest.mark.parametrize("device", [0, 1, HOST])
def test_memory_of_anothers_pool_is_counted(box, end, device):
    """Where it is, whichever device is current."""
    shell = open_shell(box, POOL, "driver", devices=2)
    lines(shell, "stream s", f"import_pooled a 5000 {device}")
    took(shell, f"import_pooled b 3000 {device}")
    place = "host" if device == HOST else device
    assert shell.stat(place)["imported_bytes"] == 8000
    took(shell, end)
    took(shell, end, "1")
    assert shell.stat(place)["imported_bytes"] == 3000
    shell.end()


def test_memory_of_another_pool_that_is_not_freed_is_counted_as_before(box):
    shell = open_shell(box, POOL, "driver",
                       sim_fail="cuMemPoolImportPointer:2:1,"
                       "cuMemFree_v2:1:700")
    took(shell, "import_pooled a 5000 0")
    took(shell, "import_pooled b 3000 0", "1")
    took(shell, "free a", "700")
    assert shell.stat()["imported_bytes"] == 5000
    shell.end()


def test_memory_of_other_apis_is_counted(box):
    shell = open_shell(box, POOL, "driver")
    lines(shell, f"physical p {2 * MIB}", "import e p")
    assert shell.stat()["imported_bytes"] == 2 * MIB
    took(shell, "import_end e")
    assert shell.stat()["imported_bytes"] == 0
    shell.end()


def test_memory_by_a_stream_goes_with_the_streams_context(box):
    """The context that is current at the request makes no difference."""
    shell = open_shell(box, "page_unit_pool", "driver")
    for line in ("create x 0", "create y 0", "set x", "stream s", "set y",
                 "alloc_async a 5000 s", "destroy y"):
        took(shell, line)
    assert shell.stat()["async_bytes"] == 5000
    took(shell, "alloc_async b 5000 s")
    assert shell.stat()["async_bytes"] == 10000
    took(shell, "set x")
    took(shell, "destroy x")
    assert shell.stat()["async_bytes"] == 0
    shell.end()
