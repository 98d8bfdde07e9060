"""Blocks that are placed in regions, and other processes; and what libraries
that pass memory on are told of them."""

import os
import re
import signal

import pytest

from test_doctor import compiled, doctor, found
from test_order import T4, with_other_driver
from test_pool import open_shell, took

POOL = "best_fit_pool"
VIRTUAL = "vmm_pool"
REFUSED = "400"  # CUDA's code for a handle that leads to nothing


def lines(shell, text):
    """The answers without their results, which have to be 0."""
    return [took(shell, line.strip())[2:] for line in text.split(";")]


def driver(box, pool=POOL, **options):
    return open_shell(box, pool, "driver", **options)


def handle_file(box, name):
    return os.path.join(box.folder, f"handle-{name}")


def exported(box, shell, *names):
    return [lines(shell, f"export_to {name} 0 {handle_file(box, name)}")[0]
            for name in names]


def importer(box, *names, pool=POOL):
    """Another program, which has opened what was exported under these
    names."""
    shell = driver(box, pool)
    for name in names:
        lines(shell, f"import_from {name} {handle_file(box, name)}")
    return shell


def links(box):
    return [name for name in box.socket_files() if name.endswith(".export")]


def ends(*shells):
    for shell in shells:
        shell.end()


def test_each_block_of_a_region_has_a_handle_of_its_own(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; alloc c 600; fill a 1;"
          "fill b 2; fill c 3; sync")
    handles = exported(box, first, "a", "b", "c")
    assert len(set(handles)) == 3
    assert exported(box, first, "a", "b", "c") == handles
    second = importer(box, "a", "b", "c")
    for name, size, value in ("a", 5000, 1), ("b", 5000, 2), ("c", 600, 3):
        assert lines(second, f"check {name} {value}")[0].endswith("right")
        assert lines(second, f"range {name} 0; range {name} 9") == [
            f"0 {size}", f"0 {size}"]
        assert lines(second, f"facts {name}")[0].endswith(
            f"mapping 0 {size}")
    lines(second, "fill b 7; sync")
    for name, value in ("a", 1), ("b", 7), ("c", 3):
        assert lines(first, f"check {name} {value}")[0].endswith("right")
    ends(first, second)


def test_an_inner_address_gives_the_handle_of_its_block(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    path = handle_file(box, "b")
    assert lines(first, f"export_to b 100 {path}") == exported(
        box, first, "b")
    second = importer(box, "b")
    assert lines(second, "range b 0") == ["0 5000"]
    ends(first, second)


def test_a_part_is_closed_as_often_as_it_is_opened(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    exported(box, first, "a", "b")
    second = importer(box, "a", "b", "b")
    assert second.stat()["imported_bytes"] >= 10000
    lines(second, "import_close b; range b 0; import_close b")
    took(second, "import_close b", "1")
    assert lines(second, "range a 0; import_close a") == ["0 5000", ""]
    took(second, "range a 0", "500")
    assert second.stat()["imported_bytes"] == 0
    ends(first, second)


def test_a_handle_ends_with_its_block(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    exported(box, first, "a", "b")
    assert len(links(box)) == 2
    lines(first, "free a")
    assert len(links(box)) == 1
    second = importer(box, "b")
    for _ in range(2):
        took(second, f"import_from a {handle_file(box, 'a')}", REFUSED)
    assert box.stderr().count("stands for nothing") == 1
    ends(first, second)


def test_a_process_takes_its_handles_with_it(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    exported(box, first, "a", "b")
    took(first, "fork_leave", "ended")
    assert len(links(box)) == 2
    first.end()
    assert links(box) == []


def test_what_a_killed_process_leaves_is_swept_away(box):
    first, other = driver(box), driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    lines(other, "alloc c 5000; alloc d 5000")
    exported(box, first, "b")
    exported(box, other, "d")
    os.kill(first.pid, signal.SIGKILL)
    first.process.wait()
    third = driver(box)
    lines(third, "alloc a 5000")
    third.stat()  # the sweep is over
    assert [name.split("-")[0] for name in links(box)] == [str(other.pid)]
    ends(other, third)


def damage(name, text):
    """Texts that a link must not have, from the one that it has."""
    size = text[144:]
    return {
        "another length": text[:-2],
        "a longer text": text + "00",
        "no number": "x" + text[1:],
        "capitals": text[:-16] + "AB" + text[-14:],
        "an offset past the end": text[:128] + "0000400000000000" + size,
        "a size past the end": text[:144] + "0000400000000000",
        "a sum that runs over": text[:128] + "00f0ffffffffffff" + size,
        "no size": text[:144] + 16 * "0",
        "a handle of ours": b"mnm placed block".hex() + text[32:],
    }[name]


@pytest.mark.parametrize("how", [
    "another length", "a longer text", "no number", "capitals",
    "an offset past the end", "a size past the end", "a sum that runs over",
    "no size", "a handle of ours"])
def test_a_link_that_is_not_right_leads_nowhere(box, how):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000")
    exported(box, first, "b")
    path = os.path.join(box.sockets, links(box)[0])
    text = os.readlink(path)
    assert len(text) == 160
    os.remove(path)
    os.symlink(damage(how, text), path)
    second = importer(box)
    took(second, f"import_from b {handle_file(box, 'b')}", REFUSED)
    lines(second, "alloc x 5000; free x")
    assert second.stat()["imported_bytes"] == 0
    os.remove(path)
    os.symlink(text, path)
    lines(second, f"import_from b {handle_file(box, 'b')}")
    ends(first, second)
    closed = box.report()[0].get("cuIpcCloseMemHandle", 0)
    assert closed == (1 if "past" in how else 0)


def test_a_folder_that_others_may_enter_is_not_trusted(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; alloc c 5000")
    exported(box, first, "b")
    second = importer(box)
    lines(second, "alloc x 5000")
    os.chmod(box.sockets, 0o755)
    took(second, f"import_from b {handle_file(box, 'b')}", REFUSED)
    took(first, f"export_to c 0 {handle_file(box, 'c')}", "1")
    assert "no handle for a part of an allocation: " in box.stderr()
    assert "has to be a folder of yours with mode 0700" in box.stderr()
    os.chmod(box.sockets, 0o700)
    ends(first, second)


def test_without_mnm_cuda_refuses_the_handle_of_a_part(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; alloc big 12582912; fill b 7;"
          "fill big 9; sync")
    exported(box, first, "b", "big")
    said = [line for line in box.stderr().splitlines()
            if "only programs under mnm" in line]
    assert len(said) == 1
    second = importer(box, "big", pool=None)  # a region of its own
    took(second, f"import_from b {handle_file(box, 'b')}", REFUSED)
    assert lines(second, "check big 9")[0].endswith("right")
    ends(first, second)


def test_sizes_that_were_exported_are_allocations_of_their_own(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; alloc small 300")
    exported(box, first, "b")
    before = first.stat()
    lines(first, "alloc c 6144; alloc small2 300; alloc d 9000")
    assert first.stat()["driver_allocs"] == before["driver_allocs"] + 1
    lines(first, "fill c 5; sync")
    exported(box, first, "c")
    second = importer(box, "c", pool=None)
    assert lines(second, "check c 5")[0].endswith("right")
    second.end()
    lines(first, "free c")
    after = first.stat()
    assert after["driver_frees"] == before["driver_frees"] + 1
    assert after["reserved_bytes"] == before["reserved_bytes"]
    lines(first, "alloc e 6000; free e; alloc e 6000; free e; free a")
    first.end()


def test_exported_bytes_of_a_region_are_never_used_again(box):
    first = driver(box, thread_cache=0)
    lines(first, "alloc a 5000; alloc b 5000")
    was = first("addr a")
    exported(box, first, "a")
    lines(first, "free a; sync; alloc s 300; alloc t 3000; alloc u 2000000")
    assert was not in [first(f"addr {name}") for name in "stu"]
    first.end()


def test_what_has_been_freed_has_no_handle(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; free a")
    took(first, "export a 0", "1")
    lines(first, "stream s; alloc_async o 5000 s")
    took(first, "export o 0", "1")
    first.end()


def test_attributes_of_one_block_leave_its_region_in_use(box):
    first = driver(box)
    lines(first, "alloc a 5000; alloc b 5000; sync_memops a")
    was = first("addr a")
    lines(first, "free a; sync; alloc c 5000")
    assert first("addr c") == was
    first.end()


def facts_of(box, pool):
    shell = driver(box, pool)
    lines(shell, "alloc a 5000; alloc b 5000")
    facts = lines(shell, "facts b")[0]
    took(shell, "retain_physical r b", "1")
    shell.end()
    return facts


def test_a_placed_block_has_the_attributes_of_a_whole_one(box):
    facts = "context 1 legacy {} kinds 0 pool 0 mapping 0 {}"
    assert facts_of(box, "page_unit_pool") == facts.format(1, 8192)
    assert facts_of(box, POOL) == facts.format(1, 5000)
    assert facts_of(box, VIRTUAL) == facts.format(0, 5000)


def test_after_the_first_export_no_request_gets_virtual_memory(box):
    first = driver(box, VIRTUAL)
    lines(first, "alloc a 5000; alloc b 5000; fill a 3; sync")
    took(first, f"export_to a 0 {handle_file(box, 'a')}", "1")
    assert first.stat()["pool"] == "page_unit_pool"
    assert re.findall(r"device (\d+) is served by (\w+)", box.stderr()) == [
        ("0", "page_unit_pool")]
    lines(first, "alloc c 8192; fill c 6; sync")
    exported(box, first, "c")
    second = importer(box, "c", pool=None)
    assert lines(second, "check c 6")[0].endswith("right")
    assert lines(first, "check a 3")[0].endswith("right")
    lines(first, "free a; free b; free c")
    ends(first, second)


def test_each_device_changes_its_pool_and_may_change_it_again(box):
    first = box.shell(f"{VIRTUAL},2:{POOL}", "driver", devices=3)
    lines(first, "init; retain c0 0; set c0; alloc a 5000")
    took(first, "export a 0", "1")
    lines(first, "retain c1 1; set c1; alloc b 5000; export b 0")
    assert first.stat(1)["pool"] == "page_unit_pool"
    lines(first, "retain c2 2; set c2; alloc c 5000")
    assert first.stat(2)["pool"] == POOL
    assert "devices" in first.ask(f"swap --device 0 {VIRTUAL}")
    lines(first, "set c0; alloc x 5000")
    took(first, "export x 0", "1")
    assert first.stat(0)["pool"] == "page_unit_pool"
    first.end()


SOURCE = """
#include <stdio.h>
#include <cuda.h>
int main(int argc, char **argv)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr;
	CUcontext context;

	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuMemAlloc(&ptr, 5000);
	printf("%d\\n", argc > 1 ? (int)cuIpcGetMemHandle(&handle, ptr) : 0);
	return 0;
}
"""


def exporting(box):
    from conftest import BUILD, cuda_home
    return compiled(box, "exporting", SOURCE, "-I", os.path.join(
        cuda_home(), "include"), "-L", os.path.join(BUILD, "sim"), "-lcuda")


def test_a_program_that_names_the_call_gets_no_virtual_memory(box):
    path = exporting(box)
    done = box.run([path, "exports"], VIRTUAL)
    assert done.stdout == "0\n" and box.stat()["pool"] == "page_unit_pool"
    assert "has cudaIpcGetMemHandle" in done.stderr
    assert box.run([path], POOL).stderr == ""
    assert box.stat()["pool"] == POOL


def test_doctor_says_what_virtual_memory_means_for_ipc(box):
    _, findings = doctor(box, MNM_POOL=VIRTUAL)
    found(findings, "ok", "options", "no IPC handle")
    _, findings = doctor(box)
    assert "IPC handle" not in str(findings)


@pytest.mark.parametrize("pool", [POOL, VIRTUAL])
def test_blocks_of_a_range_that_has_a_handle_are_not_reused(box, pool):
    shell = driver(with_other_driver(box), pool, sim=T4)
    lines(shell, "alloc a 3000; alloc b 5000; alloc c 300; alloc d 300")
    was = {name: shell(f"addr {name}") for name in "abcd"}
    lines(shell, "range_handle a 0 8192; free a; free b; free c; sync")
    lines(shell, "alloc s 300; alloc t 512; alloc u 3000; alloc v 5000")
    got = [shell(f"addr {name}") for name in "stuv"]
    assert was["a"] not in got and was["b"] not in got
    if pool == POOL:
        assert was["c"] in got
    else:
        assert shell.stat()["pool"] == "page_unit_pool"
    shell.end()


def test_a_range_that_ends_behind_a_block_or_before_it_leaves_it(box):
    shell = driver(with_other_driver(box), sim=T4)
    lines(shell, "alloc a 4096; alloc b 3000")
    was = shell("addr b")
    lines(shell, "range_handle a 8192 4096; range_handle a 0 4096; free b; sync;"
          "alloc c 3000")
    assert shell("addr c") == was
    shell.end()


@pytest.mark.parametrize("pool", [POOL, VIRTUAL])
def test_a_placed_block_is_bound_to_no_multicast_object(box, pool):
    shell = driver(with_other_driver(box), pool, sim=T4)
    lines(shell, "alloc a 5000; alloc b 5000")
    took(shell, "bind b", "1")
    assert shell.stat()["pool"] == pool
    shell.end()


def test_whole_blocks_go_back_by_every_free(box):
    """They are kept by the thread's cache at most, which memory that is short
    empties."""
    shell = driver(box, sim="64M")
    lines(shell, "stream s; alloc a 5000; alloc b 5000; export b 0")
    lines(shell, "alloc c 5000; put c s 1; free_async c s; wait s")
    lines(shell, "alloc d 5000; alloc e 5000; free d; alloc f 5000; free e;"
          "free f; alloc big 50331648; free big; alloc g 5000; free g")
    for name in "ab":
        lines(shell, f"free {name}")
    stat = shell.stat()
    assert stat["live_bytes"] == 0 and stat["frees"] == stat["allocs"]
    shell.end()
    assert box.stderr().count("\n") == 1
