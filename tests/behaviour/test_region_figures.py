"""What mnm shows of regions."""

import pytest

from conftest import MIB, PLACING


def lines(shell, *each):
    for line in each:
        assert shell(line).split()[0] == "0", line


def regions(shell, pool=None):
    stat = shell.stat()
    return stat["regions"], stat["region_bytes"], stat["reserved_bytes"]


def open_shell(box, pool, **options):
    shell = box.shell(pool, "driver", sim="256M", **options)
    lines(shell, "init", "create x 0")
    return shell


def test_segments_are_regions(box):
    shell = open_shell(box, "best_fit_pool")
    lines(shell, "alloc a 5000")
    assert regions(shell) == (1, 2 * MIB, 2 * MIB)
    lines(shell, f"alloc b {5 * MIB}")
    assert regions(shell) == (2, 22 * MIB, 22 * MIB)
    lines(shell, "free b")
    box.mnm("trim", shell.pid)
    lines(shell, "alloc c 5000")
    assert regions(shell) == (1, 2 * MIB, 2 * MIB)
    assert shell.stat()["moved_pages"] == 0
    shell.end()


def test_a_region_of_virtual_memory_counts_with_its_pages(box):
    shell = open_shell(box, "vmm_pool", vmm_spare=0)
    lines(shell, *(f"alloc {name} {2 * MIB}" for name in "abcdef"))
    assert regions(shell) == (1, 12 * MIB, 12 * MIB)
    lines(shell, "free a", "free c", "free e", f"alloc g {5 * MIB}")
    assert regions(shell) == (1, 12 * MIB, 12 * MIB)
    assert shell.stat()["moved_pages"] == 3
    lines(shell, "free g")
    box.mnm("trim", shell.pid)
    lines(shell, "alloc h 5000")
    assert regions(shell) == (1, 8 * MIB, 8 * MIB)
    shell.end()


def test_pages_do_not_stay_for_ever_mapped_where_they_were(box):
    """If the program waits for its work now and then. Each round leaves holes
    between blocks, and asks for more than any of them has."""
    shell = box.shell("vmm_pool", "driver", sim="4G", sim_check=1,
                      vmm_spare=0)
    lines(shell, "init", "create x 0", "stream work")
    names = [f"block{i}" for i in range(16)]
    for _ in range(40):
        lines(shell, *(f"alloc {name} {99 * MIB}" for name in names),
              "put block1 work 5", "put block2 work 5",
              *(f"free {name}" for name in names[::2]),
              f"alloc large {600 * MIB}")
        lines(shell, "sync")
        lines(shell, "free large", *(f"free {name}" for name in names[1::2]))
    assert shell.stat()["moved_pages"] > 12000
    shell.end()
    calls, _ = box.report()
    assert calls["cuMemMap"] - calls.get("cuMemUnmap", 0) < 12000
    assert "unmapped" not in box.stderr()


@pytest.mark.parametrize("pool", PLACING)
def test_regions_end_with_their_context(box, pool):
    shell = open_shell(box, pool)
    lines(shell, "alloc a 5000", "alloc b 5000", "free b", "destroy x")
    assert regions(shell) == (0, 0, 0)
    shell.end()


def test_what_ended_unseen_is_live_no_more_once_blocks_lie_there(box):
    """The second one is placed in a region that is there already."""
    shell = open_shell(box, "page_unit_pool", thread_cache=0)
    lines(shell, f"alloc a {6 * MIB}", f"alloc b {14 * MIB}", "create y 0",
          "alloc c 5000", "free c")
    shell.ask("swap best_fit_pool")
    was = [shell("addr a"), shell("addr b")]
    lines(shell, "destroy_unseen x", "set y")
    for i, name in enumerate("de"):
        lines(shell, f"alloc {name} {6 * MIB}")
        assert shell(f"addr {name}") == was[i]
        assert shell.stat()["live_bytes"] == [6 + 14, 6 + 6][i] * MIB
    lines(shell, "free d", "free e")
    assert shell.stat()["live_bytes"] == 0
    shell.end()


def test_no_region_that_ended_unseen_judges_what_lies_there_now(box):
    shell = open_shell(box, "best_fit_pool", thread_cache=0)
    lines(shell, f"alloc a {24 * MIB}", "create y 0", "alloc b 5000", "free b")
    shell.ask("swap page_unit_pool")
    was = int(shell("addr a"), 16)
    lines(shell, "destroy_unseen x", "set y")
    for i, name in enumerate("cde"):
        lines(shell, f"alloc {name} {6 * MIB}")
        assert int(shell(f"addr {name}"), 16) == was + 6 * i * MIB
        lines(shell, f"fill {name} 3")
        assert shell.stat()["live_bytes"] == 6 * (i + 1) * MIB
    assert shell.stat()["regions"] == 0
    shell.end()
