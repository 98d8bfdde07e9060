"""Recordings: what a program asks for and frees, in a file."""

import csv
import errno
import io
import itertools
import json
import os
import random
import re
import resource
import signal
import subprocess

import pytest

from conftest import (DEADLINE, EXAMPLES, MIB, MNM, TRACES, await_true,
                      forks_only_without_asan, plain_build_only, program)
from recording_writer import ALLOC, written
from recordings import events, export, kinds, report, rows, rows_of
from test_order import T4, with_other_driver
from test_pool import open_shell, took

SHORT = ["dcgan_bs128", "resnet18_bs64_im2col", "unet_bs4_512", "vgg16_bs32"]
SERVED_BY = ["no_pool", "page_unit_pool", "vmm_pool", "tstack_pool"]
POOL = "page_unit_pool"
BLOCKS = ("malloc", "free")
MOST_BYTES = 12  # of a request or a free, in the file
LEAVER = program("leaver")
MANY = 150000  # more than a frame has


def record(box, shell, *words, check=True):
    return box.mnm("record", shell.pid, *words, check=check)


def fails(done, why, status=1):
    """One line says why, and nothing else is said."""
    assert (done.returncode, done.stdout) == (status, "")
    assert re.fullmatch(why + r"\n", done.stderr), done.stderr


def recording(shell):
    return shell.ask("stat").get("recording")


def leaver(box, path, **options):
    """A program whose threads ask for memory and free it until it is
    killed."""
    shell = box.start([LEAVER, "stay"], POOL, record=path, **options)
    assert (shell.read(), shell.read()) == ("leaves", "stays")
    return shell


def started(box, pool=POOL, form="shared", **options):
    """A program that has asked for memory, so it can be given orders."""
    shell = open_shell(box, pool, form, **options)
    took(shell, "alloc first 1")
    took(shell, "free first")
    return shell


def kill(shell):
    shell.process.send_signal(signal.SIGKILL)
    shell.process.wait()


# What is in a recording.

def trace_path(name):
    return os.path.join(TRACES, f"{name}.csv.zst")


def job(name):
    return [os.path.join(EXAMPLES, "trace_job"), "--fill", "none",
            trace_path(name)]


def requests_of(text, less=0):
    """The requests and frees of a trace, with smaller numbers."""
    rows = []
    for line in text.splitlines():
        words = line.split(",")
        if words[0] in BLOCKS:
            rows.append((words[0], int(words[1]) - less, *map(int, words[2:4])))
    return rows


def source(name):
    return requests_of(subprocess.run(
        ["zstd", "-dcq", trace_path(name)], capture_output=True, text=True,
        check=True).stdout)


@pytest.fixture
def run_job(box, tmp_path):
    def run(name, pool):
        path = tmp_path / name
        box.run([MNM, "run", "--pool", pool, "--record", path, "--",
                 *job(name)], sim="64G", stat_file=box.stat_file,
                plan_thread=0)
        return path
    return run


# Of the long one, larger blocks serve some requests.
@pytest.mark.parametrize("name, pool", [
    *((name, pool) for name in SHORT for pool in SERVED_BY),
    ("bert_base_dynamic_bs16", "page_unit_pool")])
def test_a_recorded_trace_is_its_source(box, run_job, name, pool):
    """trace_job has a block of its own, which comes first and goes last."""
    path = run_job(name, pool)
    rows = requests_of(export(box, path, "--format", "trace").stdout, less=1)
    assert rows[0] == ("malloc", 0, 8, 0)
    assert rows[-1] == ("free", 0)
    assert rows[1:-1] == source(name)
    assert {row["pool"] for row in events(box, path)} == {pool}


@pytest.mark.parametrize("pool", SERVED_BY)
@pytest.mark.parametrize("name", SHORT)
def test_a_recording_takes_few_bytes(box, run_job, name, pool):
    path = run_job(name, pool)
    assert os.path.getsize(path) <= MOST_BYTES * len(source(name))


FIGURES = ["allocs", "frees", "hits", "driver_allocs", "driver_frees",
           "reserved_peak", "live_peak", "failures", "fences"]


@pytest.mark.parametrize("pool", SERVED_BY)
@pytest.mark.parametrize("name", SHORT)
def test_a_recording_changes_no_figure(box, run_job, name, pool):
    run_job(name, pool)
    stat = box.stat()
    box.run(job(name), pool, sim="64G", plan_thread=0)
    alone = box.stat()
    assert [stat[key] for key in FIGURES] == [alone[key] for key in FIGURES]


def test_a_recording_that_is_begun_and_ended_has_what_came_between(
        box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL)
    took(shell, "alloc a 5000")
    took(shell, "alloc gone 7000")
    took(shell, "free gone")
    assert recording(shell) is None
    begun = record(box, shell, "start", path)
    assert begun.stdout == f"pid {shell.pid}: recorded to {path}\n"
    assert recording(shell)["file"] == str(path)
    assert recording(shell)["runs"]
    for line in ("alloc b 300000", "free a", "alloc c 70000", "free b"):
        took(shell, line)
    ended = record(box, shell, "stop")
    assert re.fullmatch(rf"pid {shell.pid}: \d+ events, [0-9.]+ K?i?B, in "
                        rf"{path}\n", ended.stdout)
    assert not recording(shell)["runs"]
    took(shell, "alloc d 90000")
    shell.end()
    rows = events(box, path)
    assert [(row["kind"], row["size"]) for row in rows] == [
        ("live", "5000"), ("malloc", "300000"), ("free", "0"),
        ("malloc", "70000"), ("free", "0")]
    assert rows[2]["address"] == rows[0]["address"]
    assert rows[4]["address"] == rows[1]["address"]
    times = [int(row["time_ns"]) for row in rows]
    assert times == sorted(times)
    assert all(int(row["span"]) >= int(row["size"]) for row in rows)
    assert {row["served"] for row in rows} == {"1"}


def test_a_program_is_recorded_anew(box, tmp_path):
    """What was recorded first stays in its own file."""
    shell = started(box, POOL)
    for name in "ab":
        record(box, shell, "start", tmp_path / name)
        took(shell, f"alloc {name} 5000")
        record(box, shell, "stop")
    assert kinds(events(box, tmp_path / "a")) == ["malloc"]
    assert kinds(events(box, tmp_path / "b")) == ["live", "malloc"]
    shell.end()


def test_orders_and_marks_are_in_it(box, tmp_path):
    path = tmp_path / "out"
    shell = started(box, POOL)
    record(box, shell, "start", path)
    took(shell, "alloc a 5000")
    took(shell, "free a")
    idle = shell.stat()["idle_bytes"]
    shell.ask("trim")
    shell.ask("swap vmm_pool")
    box.mnm("mark", shell.pid)
    took(shell, "alloc b 5000")
    record(box, shell, "stop")
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc", "free", "trim", "swap", "mark", "malloc"]
    assert int(rows[2]["size"]) == idle
    assert rows[3]["text"] == "vmm_pool"
    assert [row["device"] for row in rows] == ["0"] * 4 + ["", "0"]
    assert [row["pool"] for row in rows] == [POOL, POOL, "", "", "",
                                             "vmm_pool"]
    assert [rows[0]["driver"], rows[5]["driver"]] == ["1", "1"]


def test_a_request_that_fails_is_in_it(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    took(shell, "alloc a 5000")
    took(shell, "alloc b 1073741824", "2")
    took(shell, "alloc c 7000")
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc", "failed", "malloc"]
    assert (rows[1]["size"], rows[1]["address"]) == ("1073741824", "0")


@pytest.mark.parametrize("size", [1 << 48, 0xff << 48, (1 << 63) + 4096,
                                  (1 << 64) - 256])
def test_a_size_that_no_device_has_spoils_nothing(box, tmp_path, size):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    took(shell, "alloc a 5000")
    took(shell, f"alloc b {size}", "2")
    took(shell, "free a")
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc", "failed", "free"]
    assert int(rows[1]["size"]) >= (1 << 48) - 1


@pytest.mark.parametrize("kind", ["managed", "pitch", "array", "array3d",
                                  "mipmap", "virtual"])
def test_memory_that_no_pool_serves_is_in_it(box, tmp_path, kind):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", record=path)
    took(shell, f"take {kind} m {2 * MIB}")
    took(shell, f"give {kind} m")
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc", "free"]
    assert [row["served"] for row in rows] == ["0", "0"]
    assert rows[0]["address"] == rows[1]["address"] != "0"
    assert int(rows[0]["size"]) >= 2 * MIB
    assert rows[0]["pool"] == ""


@pytest.mark.parametrize("kind", ["managed", "array", "virtual"])
def test_what_no_pool_serves_is_live_at_the_start(box, tmp_path, kind):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver")
    took(shell, f"take {kind} m {2 * MIB}")
    record(box, shell, "start", path)
    took(shell, f"give {kind} m")
    shell.end()
    assert [(row["kind"], row["served"]) for row in events(box, path)] == [
        ("live", "0"), ("free", "0")]


def test_requests_in_the_order_of_streams_are_told_with_their_streams(
        box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", record=path)
    for line in ("stream s", "stream t", "alloc a 5000",
                 "alloc_async b 9000 s", "alloc_async c 9000 t",
                 "alloc_async d 300 s", "free_async c t", "free a"):
        took(shell, line)
    shell.end()
    rows = [row for row in events(box, path) if row["kind"] in BLOCKS]
    assert [row["ordered"] for row in rows] == list("011110")
    plain, first, second, third = (int(row["stream"]) for row in rows[:4])
    assert plain == 0 and first == third and len({0, first, second}) == 3


@pytest.mark.parametrize("pool", [pool for pool in SERVED_BY
                                  if pool != "no_pool"])
def test_what_serves_again_in_a_stream_is_told_with_it(box, tmp_path, pool):
    """After a stream's first block has come back."""
    path = tmp_path / "out"
    shell = open_shell(box, pool, "driver", record=path)
    for line in ("stream s", "stream t"):
        took(shell, line)
    for turn in range(4):
        for stream in "st":
            took(shell, f"alloc_async a{turn}{stream} 9000 {stream}")
            took(shell, f"free_async a{turn}{stream} {stream}")
    shell.end()
    rows = [row for row in events(box, path) if row["kind"] in BLOCKS]
    assert kinds(rows) == ["malloc", "free"] * 8
    assert {row["ordered"] for row in rows} == {"1"}
    streams = [int(row["stream"]) for row in rows[::2]]
    assert streams == streams[:2] * 4 and len(set(streams)) == 2
    assert [row["address"] for row in rows[::2]] == [
        row["address"] for row in rows[1::2]]
    assert {row["size"] for row in rows[::2]} == {"9000"}


def test_frees_of_larger_blocks_are_told_in_a_streams_order_as_well(box,
                                                                  tmp_path):
    """The sizes of each round are others, so that blocks serve smaller
    requests."""
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", record=path, sim="16G")
    took(shell, "stream s")
    drawn = random.Random(1)
    for _ in range(60):
        size = (256 + 16 * drawn.randrange(8)) * 1024
        for j in range(16):
            took(shell, f"alloc_async b{j} {size + 4096 * (j % 4)} s")
        for j in range(16):
            took(shell, f"free_async b{j} s")
        took(shell, "sync")
    shell.end()
    rows = events(box, path)
    assert kinds(rows).count("malloc") == kinds(rows).count("free") == 60 * 16
    assert any(int(row["span"]) > int(row["size"]) + 4096 for row in rows
               if row["kind"] == "malloc")


def test_each_thread_has_its_number(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    for line in ("alloc a 5000", "on t alloc b 5000", "on u alloc c 5000",
                 "on t free a", "end_thread t", "on v alloc d 5000"):
        took(shell, line, "ended" if line.startswith("end") else "0")
    shell.end()
    numbers = [int(row["thread"]) for row in events(box, path)]
    assert numbers[0] == shell.pid and numbers[1] == numbers[3]
    assert len({*numbers}) == 4


def test_a_block_of_a_pool_that_was_left_is_freed_once(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    for order in ("alloc a 5000", "alloc b 30000000"):
        took(shell, order)
    shell.ask("swap no_pool")
    for order in ("free a", "free b", "alloc c 7000", "free c"):
        took(shell, order)
    shell.end()
    rows = [row for row in events(box, path) if row["kind"] in BLOCKS]
    assert kinds(rows) == ["malloc"] * 2 + ["free"] * 2 + ["malloc", "free"]
    assert [row["address"] for row in rows[2:4]] == [
        row["address"] for row in rows[:2]]


def test_a_free_that_cuda_refuses_leaves_the_block_live(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, "no_pool", record=path, fail="cuMemFree_v2:1:719")
    took(shell, "alloc a 5000")
    took(shell, "free a", "719")
    took(shell, "free a")
    shell.end()
    assert kinds(events(box, path)) == ["malloc", "free", "live", "free"]


def test_a_free_without_a_context_leaves_a_placed_block_live(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, "vmm_pool", "driver", record=path)
    took(shell, "alloc a 5000")
    took(shell, "set none")
    took(shell, "free a", "201")
    took(shell, "set primary")
    took(shell, "free a")
    shell.end()
    assert kinds(events(box, path)) == ["malloc", "free", "live", "free"]


@pytest.mark.parametrize("pool", [POOL, "vmm_pool", "no_pool"])
def test_what_pools_hold_is_looked_at(box, tmp_path, pool):
    path = tmp_path / "out"
    shell = open_shell(box, pool, record=path)
    took(shell, "alloc a 5000000")
    took(shell, "alloc b 3000")
    held = shell.stat()["reserved_bytes"]
    await_true(lambda: recording(shell)["events"] > 2)
    took(shell, "free a")
    shell.ask("trim")
    shell.end()
    rows = [row for row in rows_of(export(box, path).stdout)
            if row["kind"] == "reserved" and row["device"] == "0"]
    sizes = [int(row["size"]) for row in rows]
    assert held in sizes and sizes[-1] == box.stat()["reserved_bytes"] < held


@pytest.mark.parametrize("form", ["shared", "driver"])
def test_a_call_that_takes_long_says_how_long(box, tmp_path, form):
    """That driver takes 200 ms to reserve addresses."""
    path = tmp_path / "out"
    shell = open_shell(with_other_driver(box), "vmm_pool", form, record=path,
                       sim=T4)
    took(shell, "alloc a 5000")
    shell.end()
    rows = [row for row in rows_of(export(box, path).stdout)
            if row["kind"] in ("malloc", "took")]
    assert kinds(rows)[:2] == ["malloc", "took"]
    assert rows[0]["thread"] == rows[1]["thread"]
    assert 2 * 10**8 <= int(rows[1]["size"]) <= int(rows[1]["time_ns"])


def test_a_free_that_waits_for_work_says_how_long(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, "no_pool", "driver", record=path)
    took(shell, "alloc a 5000")
    took(shell, "stream s")
    took(shell, "linger s")
    took(shell, "free a")
    shell.end()
    rows = [row for row in rows_of(export(box, path).stdout)
            if row["kind"] in ("free", "took")]
    at = kinds(rows).index("free")
    assert kinds(rows)[at + 1] == "took"
    assert int(rows[at + 1]["size"]) >= 10**7


def test_what_a_free_gives_back_is_not_the_next_requests(box, tmp_path):
    """The pinned block is idle, and found by the slow path."""
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path, idle_limit="64K")
    for line in ("pin p 9000 0", "unpin p", "alloc a 8388608", "free a",
                 "pin q 9000 0"):
        took(shell, line)
    shell.end()
    rows = [row for row in events(box, path) if row["kind"] in BLOCKS]
    assert box.stat()["driver_frees"] == 1
    assert [(row["kind"], row["driver"]) for row in rows] == [
        ("malloc", "1"), ("free", "0"), ("malloc", "1"), ("free", "0"),
        ("malloc", "0")]


def test_a_request_is_not_said_to_come_from_another_call(box, tmp_path):
    """The free of an address that is none is not in the file, nor is its
    caller."""
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", record=path)
    for line in ("alloc a 5000", "take managed b 4096", "take managed c 4096"):
        took(shell, line)
    took(shell, "free_at 77000", "1")
    took(shell, "take managed d 4096")
    took(shell, "alloc e 5000")
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc"] * 5
    assert rows[2]["site"] == rows[3]["site"]
    assert rows[4]["site"] not in ("0", rows[3]["site"])


@pytest.mark.parametrize("pool", [POOL, f"{POOL},host:no_pool"])
def test_pinned_memory_is_the_hosts(box, tmp_path, pool):
    path = tmp_path / "out"
    shell = open_shell(box, pool, record=path)
    for line in ("alloc a 5000", "pin p 9000 0", "unpin p", "free a"):
        took(shell, line)
    shell.end()
    assert [(row["kind"], row["device"]) for row in events(box, path)] == [
        ("malloc", "0"), ("malloc", "host"), ("free", "host"), ("free", "0")]
    assert kinds(events(box, path, "--device", "host")) == ["malloc", "free"]
    assert {row["device"] for row in events(box, path, "--device", 0)} == {"0"}


def test_each_device_has_its_number(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path, devices=2)
    for line in ("alloc a 5000", "device 1", "alloc b 6000", "free a"):
        took(shell, line)
    shell.end()
    assert [row["device"] for row in events(box, path)] == ["0", "1", "0"]
    assert [row["size"] for row in events(box, path, "--device", 1)] == ["6000"]


# What is left of one.

def test_what_was_written_by_a_death_is_read(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    for i in range(50):
        took(shell, f"alloc b{i} {1000 + i}")
    await_true(lambda: recording(shell)["events"] >= 50)
    kill(shell)
    assert [row["size"] for row in events(box, path)] == [
        str(1000 + i) for i in range(50)]


def alternate(rows):
    """Whether what each thread asks for is freed by it before it asks
    anew."""
    last = {}
    for row in rows:
        before = last.get(row["thread"])
        if row["kind"] == "free":
            if before is not None and before != row["address"]:
                return False
            last[row["thread"]] = None
        else:
            if before is not None:
                return False
            last[row["thread"]] = row["address"]
    return True


@plain_build_only
def test_threads_that_are_killed_leave_what_came_before(box, tmp_path):
    """Notes may be dropped, where the one processor has other work."""
    path = tmp_path / "out"
    shell = leaver(box, path)
    await_true(lambda: recording(shell)["events"] > MANY)
    kill(shell)
    done = export(box, path)
    lines = csv.DictReader(io.StringIO(done.stdout))
    rows = list(itertools.islice(
        (row for row in lines if row["kind"] in BLOCKS), MANY))
    assert len(rows) == MANY
    if not done.stderr:
        main = [row for row in rows if int(row["thread"]) == shell.pid]
        assert kinds(main) == ["malloc", "malloc", "free"]
        assert alternate([row for row in rows if row not in main])


@pytest.fixture
def frames(box, tmp_path):
    """A recording of several frames, and where each of them begins. The last
    number is the file's end."""
    path = tmp_path / "out"
    shell = leaver(box, path)
    await_true(lambda: recording(shell)["events"] > 2 << 16)
    record(box, shell, "stop")
    kill(shell)
    data = path.read_bytes()
    at = data.index(b"\n", data.index(b"\n") + 1) + 1
    ends = [at]
    while at < len(data):
        assert data[at:at + 4] == b"MNMf"
        at += 16 + int.from_bytes(data[at + 4:at + 8], "little")
        ends.append(at)
    assert at == len(data) and len(ends) > 3
    return path, ends


@plain_build_only
def test_what_comes_before_a_cut_is_written(box, frames):
    path, ends = frames
    data = path.read_bytes()
    whole = export(box, path).stdout
    before = 0
    for i, end in enumerate(ends[:4]):
        path.write_bytes(data[:end])
        part = export(box, path).stdout
        assert whole.startswith(part) and len(part) > before
        before = len(part)
        if end == len(data):
            break
        for cut in (end + 5, end + 16, (end + ends[i + 1]) // 2,
                    ends[i + 1] - 1):
            path.write_bytes(data[:cut])
            done = export(box, path, check=False)
            assert (done.returncode, done.stdout) == (1, part)
            assert done.stderr.splitlines()[-1] == (
                f"mnm: what follows is lost: frame {i + 1}: the file breaks "
                "off in it")


@plain_build_only
def test_what_comes_before_a_byte_that_is_another_is_written(box, frames):
    path, ends = frames
    data = bytearray(path.read_bytes())
    path.write_bytes(data[:ends[1]])
    first = export(box, path).stdout
    for at in (ends[1], ends[1] + 13, ends[1] + 60, ends[2] - 2):
        data[at] ^= 0x20
        path.write_bytes(data)
        data[at] ^= 0x20
        done = export(box, path, check=False)
        assert (done.returncode, done.stdout) == (1, first)
        assert re.fullmatch(
            r"mnm: what follows is lost: frame 2: its bytes are damaged|"
            r"mnm: what follows is lost: frame 2: it does not begin as one",
            done.stderr.splitlines()[-1])


@pytest.mark.parametrize("text, why", [
    (b"", "it is no recording"),
    (b"time,size\n1,2\n", "it is no recording"),
    (b"\0" * 5000, "it is no recording"),
    (b"mnm record 2\n{}\n", "it has another version than 1"),
    (b"mnm record 1\n", "it breaks off in its second line"),
    (None, os.strerror(errno.ENOENT)),
])
def test_what_is_no_recording_is_told(box, tmp_path, text, why):
    path = tmp_path / "out"
    if text is not None:
        path.write_bytes(text)
    fails(export(box, path, check=False), f"mnm: {path}: {why}")


def test_a_folder_is_no_recording(box, tmp_path):
    fails(export(box, tmp_path, check=False),
          f"mnm: {tmp_path}: Is a directory")


def test_a_pipe_is_no_recording(box, mixed):
    done = subprocess.run(
        f"cat {mixed} | {MNM} report /dev/stdin", shell=True,
        capture_output=True, text=True, env=box.env_of_mnm(), check=False)
    fails(done, "mnm: /dev/stdin: a recording can't be read from a pipe")


def test_a_report_says_that_there_are_no_stacks(box, mixed):
    done = report(box, mixed, "--stacks")
    assert done.stdout == report(box, mixed).stdout
    assert done.stderr == (f"mnm: {mixed}: no stacks are in it; mnm run "
                           "--stacks records them\n")


def test_a_report_says_that_the_beginning_has_gone(box, mixed):
    """As it does once there were more parts than two."""
    whole = report(box, mixed)
    assert " has gone" not in whole.stdout
    mixed.write_bytes(mixed.read_bytes().replace(b'"part":0', b'"part":1', 1))
    told = json.loads(report(box, mixed, "--json").stdout)
    assert told["later"] and told["begin"] > 0
    assert (f"; what came before {told['begin'] / 1e9:.3f} s has gone\n"
            in report(box, mixed).stdout)


@pytest.mark.parametrize("command", ["report", "export"])
def test_a_damaged_second_line_is_told(box, mixed, tmp_path, command):
    """It is not needed to read what follows."""
    path = tmp_path / "damaged"
    path.write_bytes(mixed.read_bytes().replace(b'"program":', b'"program"=', 1))
    done = box.mnm(command, path, check=False)
    assert done.returncode == 1 and "5000" in done.stdout or (
        "live at most" in done.stdout)
    assert done.stderr == (f"mnm: {path}: its second line is damaged, which "
                           "says what program it is of\n")


@pytest.mark.parametrize("name", ["a", 250 * "a"])
def test_a_plan_says_why_it_is_no_recording(box, tmp_path, name):
    path = tmp_path / name
    path.write_text("mnm record 1\n")
    fails(box.mnm("plan", path, check=False),
          f"mnm: {path}: it breaks off in its second line")


def test_a_link_is_not_written_through(box, shell, tmp_path):
    link = tmp_path / "link.rec"
    link.symlink_to(tmp_path / "other.rec")
    fails(record(box, shell, "start", link, check=False),
          prefix(shell) + f"{link}: a link is there, which is not followed")
    assert not (tmp_path / "other.rec").exists()


@pytest.mark.parametrize("words, why", [
    ([], "mnm export: no FILE; .*"),
    (["--format", "x", "f"],
     "mnm: --format 'x'; allowed: csv trace rmm chrome .*"),
    (["--device", "x", "f"],
     "mnm export: --device 'x'; allowed: a number, or host; .*"),
])
def test_wrong_words_to_export_are_told(box, words, why):
    fails(box.mnm("export", *words, check=False), why, 2)


@pytest.mark.parametrize("device, name", [("7", "device 7"),
                                          ("host", "pinned memory")])
def test_an_export_of_a_device_that_is_not_there_is_told(box, tmp_path, device,
                                                         name):
    path, output = written(tmp_path, [
        {"kind": ALLOC, "time": 0, "address": 4096, "size": 100}]), \
        tmp_path / "output"
    output.write_text("before")
    done = export(box, path, "--device", device, "-o", output, check=False)
    fails(done, f"mnm: {path}: there is nothing of {name} in it")
    assert output.read_text() == "before"
    assert export(box, path, "--device", "0").stdout.count("\n") == 2


@pytest.mark.parametrize("path, why", [
    ("none/out", errno.ENOENT), (".", errno.EISDIR),
    ("/dev/full", errno.ENOSPC)])
def test_a_place_that_cannot_be_written_is_told(box, tmp_path, monkeypatch,
                                                path, why):
    file = tmp_path / "in"
    shell = open_shell(box, POOL, record=file)
    took(shell, "alloc a 5000")
    shell.end()
    monkeypatch.chdir(tmp_path)
    fails(export(box, file, "--output", path, check=False),
          f"mnm: {path}: {os.strerror(why)}")
    assert os.listdir(tmp_path) == ["in"]


def test_a_recording_whose_file_is_removed_ends(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, record=path)
    took(shell, "alloc a 5000")
    path.unlink()
    await_true(lambda: not recording(shell)["runs"])
    took(shell, "alloc b 5000")
    shell.end()
    assert os.listdir(tmp_path) == []
    assert f"the recording in {path} has ended: No such file" in box.stderr()


# Regions.

def region_of(regions, row):
    """The region of a block; none or one."""
    return [start for start, size in regions.items()
            if start <= int(row["address"], 16) < start + size]


def followed(told):
    """Each block's region, and those that are left at the end."""
    regions, found = {}, []
    for row in told:
        address = int(row["address"], 16)
        if row["kind"] == "region":
            regions[address] = int(row["size"])
        elif row["kind"] == "region_end":
            del regions[address]
        elif row["kind"] in ("malloc", "live"):
            found.append(region_of(regions, row))
    return found, regions


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool", "tstack_pool"])
def test_each_block_of_a_region_is_in_it(box, tmp_path, pool):
    path = tmp_path / "out"
    shell = open_shell(box, pool, record=path)
    for line in ("alloc a 5000", "alloc b 3000000", "alloc c 40000000",
                 "free b", "alloc d 3000000"):
        took(shell, line)
    shell.end()
    told = rows(box, path)
    found, left = followed(told)
    assert [len(regions) for regions in found] == [1] * 4 and left
    assert {row["pool"] for row in told if row["kind"] == "region"} == {pool}


@pytest.mark.parametrize("pool", ["vmm_pool", "best_fit_pool"])
def test_regions_are_told_before_what_lives_in_them(box, tmp_path, pool):
    path = tmp_path / "out"
    shell = open_shell(box, pool)
    took(shell, "alloc a 5000")
    record(box, shell, "start", path)
    box.mnm("swap", shell.pid, "page_unit_pool")
    took(shell, "alloc b 5000")
    took(shell, "free a")
    box.mnm("trim", shell.pid)
    shell.end()
    told = rows(box, path)
    assert kinds(told)[:2] == ["region", "live"]
    found, left = followed(told)
    assert [len(regions) for regions in found] == [1, 0] and not left


# How long one is.

def sizes(path):
    """Together at most, as one of them may take the place of the other."""
    total = 0
    for name in (path, f"{path}.before"):
        try:
            total += os.path.getsize(name)
        except FileNotFoundError:
            pass
    return total


@plain_build_only
def test_a_long_one_keeps_the_newest_in_its_limit(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", sim="16G")
    took(shell, "alloc kept 4444")
    record(box, shell, "start", path, "--max-size", "1M")
    while recording(shell)["bytes"] < 3 * MIB:
        for _ in range(20):
            took(shell, "mixed 2000")
            assert sizes(path) <= MIB
    took(shell, "alloc last 12345")
    record(box, shell, "stop")
    shell.end()
    assert os.listdir(tmp_path) == ["out"]
    assert os.path.getsize(path) <= MIB
    rows = events(box, path)
    assert (rows[0]["kind"], rows[0]["size"]) == ("live", "4444")
    assert (rows[-1]["kind"], rows[-1]["size"]) == ("malloc", "12345")
    assert os.path.getsize(path) > MIB / 4


def stopped_with(shell, path):
    """Whether the file is there once the program has stopped: it is not in
    the moment in which it has become the part before and the next one has
    not begun."""
    shell.process.send_signal(signal.SIGSTOP)
    os.waitpid(shell.pid, os.WUNTRACED)
    return os.path.exists(path)


@plain_build_only
@pytest.mark.parametrize("pool, stacks", [(POOL, 0), ("best_fit_pool", 1)])
def test_what_lives_long_is_told_with_who_asked_for_it(box, tmp_path, pool,
                                                       stacks):
    """The part of the file with the requests has gone."""
    path = tmp_path / "out"
    shell = open_shell(box, pool, "driver", record=path, record_size="1M",
                       record_stacks=stacks, sim="16G")
    for line in ("stream s", "alloc kept 4444", "alloc_async other 5555 s",
                 "alloc gone 6666", "free gone", "alloc again 7777"):
        took(shell, line)
    await_true(lambda: recording(shell)["events"] >= 6)
    with open(path, "rb") as file:
        (tmp_path / "first").write_bytes(file.read())
    while recording(shell)["bytes"] < 3 * MIB:
        took(shell, "mixed 20000")
    shell.end()
    first = {row["size"]: row for row in events(box, tmp_path / "first")
             if row["kind"] == "malloc"}
    lives = {}
    for row in events(box, path):
        if row["kind"] == "live":
            lives.setdefault(row["size"], row)
    assert lives.keys() & first.keys() == {"4444", "5555", "7777"}
    assert all(row["site"] == row["stack"] == "0" for row in rows(box, path)
               if row["kind"] == "region")
    for size in lives.keys() & first.keys():
        live, asked = lives[size], first[size]
        assert int(asked["site"], 16)
        assert bool(int(asked["stack"])) == bool(stacks)
        for field in ("site", "stack", "stream", "thread", "ordered"):
            assert live[field] == asked[field]


@plain_build_only
def test_both_parts_are_one_after_a_death(box, tmp_path):
    path = tmp_path / "out"
    shell = leaver(box, path, record_size="1M")
    await_true(lambda: os.path.exists(f"{path}.before") and
               recording(shell)["bytes"] > 3 * MIB)
    while not stopped_with(shell, path):
        shell.process.send_signal(signal.SIGCONT)
    kill(shell)
    assert sizes(path) <= MIB
    both = events(box, path)
    os.unlink(f"{path}.before")
    newest = events(box, path)
    assert 0 <= len(newest) < len(both) and newest == both[len(both) -
                                                           len(newest):]


def limited(words, env, most):
    return subprocess.run(
        words, env=env, capture_output=True, text=True, timeout=DEADLINE,
        check=False, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (most, most)))


@plain_build_only
def test_a_full_disk_ends_a_recording_and_not_its_program(box, tmp_path):
    """A limit stands in for the disk. What does not fit is not in the file;
    the program does not see the signal that it brings."""
    path = tmp_path / "out"
    words = job("lstm_lm_bs20_bptt35")
    done = limited(words, box.env(POOL, sim="64G", record=path), 20000)
    assert done.returncode == 0 and "mismatches 0" in done.stdout
    assert done.stderr == (f"mnm: warn: the recording in {path} has ended: "
                           f"{os.strerror(errno.EFBIG)}\n")
    assert os.path.getsize(path) <= 20000
    assert export(box, path).stderr == ""


# Where one is made.

@pytest.fixture
def shell(box):
    made = open_shell(box, POOL)
    took(made, "alloc a 5000")
    yield made
    took(made, "alloc b 5000")
    made.end()


def prefix(shell):
    return f"mnm: pid {shell.pid} \\(shell_shared\\): "


@plain_build_only
@pytest.mark.parametrize("pool", ["vmm_pool", POOL])
def test_an_allocator_that_asks_cuda_may_hold_its_lock(box, tmp_path, pool):
    path = tmp_path / "out"
    program_ = box.start([program("guarded_malloc")], pool, sim="1G")
    assert program_.read() == "asks"
    for _ in range(10):
        record(box, program_, "start", path)
        record(box, program_, "stop")
    program_.end()


def test_a_second_start_is_told(box, shell, tmp_path):
    path, other = tmp_path / "out", tmp_path / "other"
    record(box, shell, "start", path)
    for again in (path, other):
        fails(record(box, shell, "start", again, check=False),
              f"{prefix(shell)}it is recorded already, to {path}")
    took(shell, "alloc c 5000")
    record(box, shell, "stop")
    assert not other.exists()
    assert kinds(events(box, path)) == ["live", "malloc"]


def test_a_stop_of_nothing_is_told(box, shell, tmp_path):
    why = f"{prefix(shell)}it is not recorded"
    fails(record(box, shell, "stop", check=False), why)
    record(box, shell, "start", tmp_path / "out")
    record(box, shell, "stop")
    fails(record(box, shell, "stop", check=False), why)


@pytest.mark.parametrize("words, why", [
    (["start"], "start needs a file"),
    (["go", "f"], "'go'; allowed: start, stop"),
    (["stop", "f"], "stop needs no file and no size"),
    (["stop", "--max-size", "1M"], "stop needs no file and no size"),
    (["start", "f", "--max-size", "1K"],
     "size '1024'; allowed: bytes \\(K, M, G\\), 1M and more"),
    (["start", "f", "--max-size", "1048575"],
     "size '1048575'; allowed: bytes \\(K, M, G\\), 1M and more"),
    (["start", "none/f"], ".*none/f: No such file or directory"),
    (["start", "."], ".*/\\.: Is a directory"),
])
def test_an_order_that_cannot_be_is_told(box, shell, tmp_path, monkeypatch,
                                         words, why):
    monkeypatch.chdir(tmp_path)
    fails(record(box, shell, *words, check=False), prefix(shell) + why)
    assert os.listdir(tmp_path) == []
    assert recording(shell) is None


@pytest.mark.parametrize("words, why", [
    (["record", "1", "start", "f", "--max-size", "x"], "--max-size 'x'; .*"),
    (["record", "x", "start", "f"], "'x' is no PID; .*"),
    (["record", "1"], "no start\\|stop; .*"),
    (["run", "--record", "f", "--max-size", "4", "--", "true"],
     "record_size: '4': not allowed; allowed: bytes \\(K, M, G\\), 1M and "
     "more"),
])
def test_wrong_words_are_told(box, tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    fails(box.mnm(*words, check=False), f"mnm {words[0]}: {why}", 2)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("what", ["fifo", "device", "link"])
def test_what_is_no_file_is_not_written(box, shell, tmp_path, what):
    """It would be waited for, or somebody else's."""
    path = tmp_path / "out"
    if what == "fifo":
        os.mkfifo(path)
    elif what == "link":
        path.symlink_to(tmp_path / "other")
    else:
        path = "/dev/null"
    fails(record(box, shell, "start", path, check=False),
          f"{prefix(shell)}{path}: .*")
    assert not (tmp_path / "other").exists()


def test_a_path_is_that_of_who_asks(box, shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record(box, shell, "start", "out")
    assert recording(shell)["file"] == str(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_a_path_of_a_program_is_that_of_where_it_was_started(
        box, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    box.run([MNM, "run", "--pool", POOL, "--record", "out", "--", "sh", "-c",
             f"cd below && exec {LEAVER} return"], check=False)
    assert sorted(os.listdir(tmp_path)) == ["below", "out"]
    assert os.listdir(tmp_path / "below") == []


@pytest.mark.parametrize("by_order", [False, True])
def test_names_have_the_pid_the_host_and_the_device(box, tmp_path, by_order):
    path = tmp_path / "%d.%h.%p.%x.%"
    shell = open_shell(box, POOL, **({} if by_order else {"record": path}))
    took(shell, "alloc a 5000")
    if by_order:
        record(box, shell, "start", path)
    shell.end()
    assert os.listdir(tmp_path) == [f"0.{os.uname().nodename}.{shell.pid}.%x.%"]


def test_a_file_of_another_program_is_left_alone(box, shell, tmp_path):
    path = tmp_path / "out"
    record(box, shell, "start", path)
    other = started(box, POOL)
    fails(record(box, other, "start", path, check=False),
          f"{prefix(other)}{path}: another recording is being written there")
    assert recording(other) is None
    other.end()
    took(shell, "alloc c 5000")
    record(box, shell, "stop")
    assert kinds(events(box, path)) == ["live", "malloc"]


def test_a_program_that_starts_with_the_file_of_another_runs(box, shell,
                                                             tmp_path):
    path = tmp_path / "out"
    record(box, shell, "start", path)
    done = box.run([LEAVER, "exit"], POOL, check=False, record=path)
    assert done.returncode == 7
    assert done.stderr == (f"mnm: warn: nothing is recorded: {path}: another "
                           "recording is being written there\n")
    assert recording(shell)["runs"]


def test_a_start_in_no_folder_is_told_once(box, tmp_path):
    path = tmp_path / "none" / "out"
    done = box.run([LEAVER, "exit"], POOL, check=False, record=path)
    assert done.returncode == 7
    assert done.stderr == (f"mnm: warn: nothing is recorded: {path}: "
                           f"{os.strerror(errno.ENOENT)}\n")


def test_all_are_recorded_in_files_of_their_own(box, shell, tmp_path):
    other = open_shell(box, POOL)
    took(other, "alloc a 5000")
    done = box.mnm("record", "--all", "start", tmp_path / "%p")
    assert done.stdout.count("\n") == 2
    assert sorted(os.listdir(tmp_path)) == sorted(
        [str(shell.pid), str(other.pid)])
    box.mnm("record", "--all", "stop")
    other.end()
    for name in os.listdir(tmp_path):
        assert kinds(events(box, tmp_path / name)) == ["live"]


def test_all_in_one_file_are_refused_but_one(box, shell, tmp_path):
    other = open_shell(box, POOL)
    took(other, "alloc a 5000")
    done = box.mnm("record", "--all", "start", tmp_path / "out", check=False)
    assert done.returncode == 1 and done.stdout.count("\n") == 1
    assert re.fullmatch(r"mnm: pid \d+ \(shell_shared\): .*/out: another "
                        r"recording is being written there\n", done.stderr)
    other.end()


def test_an_answer_can_be_had_as_json(box, shell, tmp_path):
    path = tmp_path / "out"
    begun = json.loads(record(box, shell, "start", path, "--json").stdout)
    ended = json.loads(record(box, shell, "stop", "--json").stdout)
    begun, ended = (answer[0] if isinstance(answer, list) else answer
                    for answer in (begun, ended))
    assert begun["recording"]["runs"] and not ended["recording"]["runs"]
    assert ended["recording"]["file"] == str(path)
    assert ended["recording"]["events"] >= 1
    assert ended["recording"]["dropped"] == 0


# Processes, and their ends.

@forks_only_without_asan
@pytest.mark.parametrize("line", ["fork count", "fork alloc x 5000",
                                  "fork_leave"])
def test_a_forked_child_writes_nothing(box, tmp_path, line):
    path = tmp_path / "out"
    shell = open_shell(box, POOL, "driver", record=path)
    took(shell, "alloc a 5000")
    shell(line)
    if line != "fork_leave":
        assert shell.read() == "ended 0"
    took(shell, "alloc b 5000")
    assert recording(shell)["runs"]
    shell.end()
    rows = events(box, path)
    assert kinds(rows) == ["malloc", "malloc"]
    assert {row["thread"] for row in rows} == {str(shell.pid)}


@forks_only_without_asan
@plain_build_only
def test_a_thread_of_a_forked_child_ends(box, tmp_path):
    """The parent's other threads may have been making their rings."""
    done = box.run([program("forks_beside")], POOL, record=tmp_path / "out")
    assert done.stdout == "200 of 200\n"


def test_a_child_forked_before_cuda_is_recorded(box, tmp_path):
    shell = box.shell(POOL, record=tmp_path / "%p")
    child = shell("become_child")
    took(shell, "alloc a 5000")
    shell.end()
    assert os.listdir(tmp_path) == [child]
    assert kinds(events(box, tmp_path / child)) == ["malloc"]


def test_executed_programs_have_files_of_their_own(box, tmp_path):
    box.run(["sh", "-c", f"{LEAVER} return; {LEAVER} return; true"], POOL,
            record=tmp_path / "%p")
    assert len(os.listdir(tmp_path)) == 2
    for name in os.listdir(tmp_path):
        rows = events(box, tmp_path / name)
        assert kinds(rows)[:3] == ["malloc", "malloc", "free"]
        assert {row["thread"] for row in rows} == {name}


ENDS = {
    (LEAVER, "return"): ["malloc", "malloc", "free"],
    (LEAVER, "exit"): ["malloc", "malloc", "free"],
    (LEAVER, "thread"): ["malloc", "malloc", "free", "malloc"],
    (program("guest"), "main_leaves"): ["malloc"],
}


@plain_build_only
@pytest.mark.parametrize("words", ENDS)
def test_what_came_last_is_in_the_file(box, tmp_path, words):
    """leaver asks for memory in its last exit handler, too. That may be too
    late."""
    path = tmp_path / "out"
    done = box.run(words, POOL, check=False, record=path)
    assert done.returncode in (0, 7) and done.stderr == ""
    rows = events(box, path)
    assert kinds(rows)[:len(ENDS[words])] == ENDS[words]
    assert len(rows) <= len(ENDS[words]) + 2


def main_blocks(box, path):
    """Requests and frees of the thread that was the first to make one."""
    rows = [row for row in events(box, path) if row["kind"] in BLOCKS]
    return kinds(row for row in rows if row["thread"] == rows[0]["thread"])


@plain_build_only
def test_what_the_main_thread_did_is_in_the_file(box, tmp_path):
    """It ends by pthread_exit, while another one goes on."""
    path = tmp_path / "out"
    box.run([program("plugged"), "main_leaves"], POOL, record=path)
    assert main_blocks(box, path) == ["malloc"] * 20
    assert os.listdir(tmp_path) == ["out"]


@plain_build_only
def test_a_program_whose_threads_still_run_leaves_a_whole_file(box, tmp_path):
    path = tmp_path / "out"
    done = box.run([LEAVER, "busy"], POOL, check=False, record=path)
    assert (done.returncode, done.stderr) == (7, "")
    assert main_blocks(box, path)[:3] == ["malloc", "malloc", "free"]
    assert os.listdir(tmp_path) == ["out"]


# What one is exported as.

@pytest.fixture
def mixed(box, tmp_path):
    """A recording of everything, at whose end some blocks live: 5000 bytes on
    device 0, 6000 on the other, and 9000 of the host's."""
    path = tmp_path / "mixed"
    shell = open_shell(box, POOL, devices=2, record=path)
    for line in ("alloc a 5000", "alloc b 7000", "pin p 9000 0",
                 "managed m 4096", "alloc_async o 3000", "device 1",
                 "alloc c 6000", "on t alloc d 800", "free b", "on t free d",
                 "free m", "free_async o"):
        took(shell, line)
    took(shell, "alloc x 1073741824", "2")
    shell.ask("trim")
    shell.ask("swap --device 0 vmm_pool")
    box.mnm("mark", shell.pid)
    took(shell, "alloc b 7000")
    took(shell, "free b")
    shell.end()
    return path


def test_each_line_of_csv_has_as_many_columns(box, mixed):
    rows = list(csv.reader(io.StringIO(export(box, mixed).stdout)))
    assert len({len(row) for row in rows}) == 1 and len(rows) > 16
    assert len(set(rows[0])) == len(rows[0])
    assert {"live", "malloc", "free", "failed", "swap", "trim", "mark",
            "module", "build", "reserved", "took"} >= {row[1] for row in rows[1:]}


def test_csv_goes_to_a_file(box, mixed, tmp_path):
    out = tmp_path / "out.csv"
    assert export(box, mixed, "--output", out).stdout == ""
    assert out.read_text() == export(box, mixed, "--format", "csv").stdout


def test_each_deallocation_of_rmms_log_has_an_allocation(box, mixed):
    text = export(box, mixed, "--format", "rmm").stdout
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["Thread", "Time", "Action", "Pointer", "Size", "Stream"]
    live, last = {}, 0.0
    for thread, at, action, pointer, size, stream in rows[1:]:
        assert int(thread) > 0 and int(stream, 16) >= 0
        assert float(at) >= last
        last = float(at)
        if action == "allocate":
            assert pointer not in live
            live[pointer] = size
        else:
            assert action == "free" and live.pop(pointer) == size
        assert int(pointer, 16) > 0
    assert sorted(live.values()) == ["5000", "6000"]


def test_rmms_log_is_of_devices_memory(box, mixed):
    done = export(box, mixed, "--format", "rmm")
    assert done.stderr == ("mnm: 1 requests for pinned memory are left out; "
                           "--device host writes these\n")
    assert ",9000," not in done.stdout
    done = export(box, mixed, "--format", "rmm", "--device", "host")
    assert done.stderr == "" and done.stdout.count(",9000,") == 1
    assert export(box, mixed, "--format", "rmm", "--device", 1).stderr == ""


def test_chrome_ends_with_what_lives(box, mixed):
    text = export(box, mixed, "--format", "chrome").stdout
    rows = json.loads(text)["traceEvents"]
    live = {row["name"]: row["args"]["bytes"] for row in rows
            if row["ph"] == "C"}
    held = [box.stat(device)["reserved_bytes"] for device in range(2)]
    assert live.pop("reserved, host") >= 9000
    assert live == {"live, device 0": 5000, "live, device 1": 6000,
                    "live, host": 9000, "reserved, device 0": held[0],
                    "reserved, device 1": held[1]}
    names = [row["name"] for row in rows if row["ph"] == "i"]
    assert {"failed", "swap to vmm_pool", "trim", "mark"} <= set(names)
    times = [row["ts"] for row in rows if row["ph"] != "X"]
    assert times == sorted(times)


def test_nothing_lives_at_the_end_of_a_trace(box, mixed):
    """Of one device: the first that is met."""
    for words, sizes_asked in (([], [5000, 7000, 4096, 3000, 800]),
                               (["--device", 1], [6000, 7000])):
        text = export(box, mixed, "--format", "trace", *words).stdout
        live, met = set(), []
        for row in requests_of(text):
            if row[0] == "malloc":
                live.add(row[1])
                met.append(row[2])
            else:
                live.remove(row[1])
        assert not live and met == sizes_asked


def planned(box, *words):
    told = json.loads(box.mnm("plan", *words, "--json", "--time", 1).stdout)
    return told["buffers"], told["lower_bound"]


def test_a_recording_can_be_planned_and_played(box, run_job, tmp_path):
    """Of the job's own, a block of 8 bytes lives all the time."""
    out = tmp_path / "trace"
    path = run_job("vgg16_bs32", POOL)
    export(box, path, "--format", "trace", "--output", out)
    buffers, bound = planned(box, trace_path("vgg16_bs32"))
    assert planned(box, path) == planned(box, out) == (buffers + 1,
                                                       bound + 512)
    box.run([os.path.join(EXAMPLES, "trace_job"), "--fill", "none", out],
            POOL, sim="64G")


@pytest.mark.parametrize("words, why", [
    (["--device", "3"], "no block of that device is in it"),
    (["--iteration", "2"], "no iteration 2; there are 0 to 0"),
    (["--period", "7"],
     "it is a trace, whose time is a line and has no period"),
])
def test_what_a_recording_has_not_cannot_be_planned(box, mixed, words, why):
    fails(box.mnm("plan", mixed, *words, check=False), f"mnm: {mixed}: {why}")


def test_each_device_of_a_recording_can_be_planned(box, mixed):
    assert planned(box, mixed, "--device", "host") == (1, 9216)
    assert planned(box, mixed, "--device", "0") != planned(
        box, mixed, "--device", "1")
    done = box.mnm("plan", trace_path("vgg16_bs32"), "--device", "0",
                   check=False)
    fails(done, "mnm: .*: it is no recording, and has no devices")


def test_an_empty_recording_is_exported(box, tmp_path):
    path = tmp_path / "out"
    shell = started(box, POOL)
    record(box, shell, "start", path)
    record(box, shell, "stop")
    shell.end()
    assert events(box, path) == []
    text = export(box, path, "--format", "chrome").stdout
    assert {row["name"] for row in json.loads(text)["traceEvents"]} <= {
        "reserved, device 0"}
    assert export(box, path, "--format", "trace").stderr == ""


# What a recording says.

def test_the_report_says_who_held_the_peak(box, mixed):
    told = json.loads(report(box, mixed, "--json").stdout)
    assert [d["device"] for d in told["devices"]] == [0, 1, "host"]
    first, second, host = told["devices"]
    assert first["peak"] == sum(h["bytes"] for h in first["holders"])
    assert (second["peak"], host["peak"]) == (13000, 9000)
    assert {h["file"] for h in second["holders"]} == {"shell_shared"}
    assert (second["failed"], first["swaps"]) == (1, 1)
    failed, = second["failures"]
    assert (failed["size"], failed["live"]) == (1 << 30, 6000)
    assert told["iterations"] == 1 and told["program"]["pools"][1:]


def test_the_report_names_functions(box, tmp_path):
    path = tmp_path / "out"
    box.run([MNM, "run", "--record", path, "--",
             os.path.join(EXAMPLES, "train_digits"), "--steps", "20"],
            sim="64M")
    told = json.loads(report(box, path, "--device", 0, "--json").stdout)
    held = {h["function"].split("(")[0] for h in told["devices"][0]["holders"]}
    assert {"model_open", "pass_forward"} <= held
    assert len(told["devices"][0]["holders"]) == len(
        {(h["file"], h["function"]) for h in told["devices"][0]["holders"]})
    text = report(box, path).stdout
    assert re.search(r"\d+%  +\d+  train_digits +model_open\(", text)
    fails(report(box, path, "--device", 5, check=False),
          f"mnm: {re.escape(str(path))}: there is nothing of device 5 in it")


def test_the_report_of_what_is_damaged_ends_there(box, mixed, tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(mixed.read_bytes()[:-10])
    done = report(box, path, check=False)
    assert done.returncode == 1 and "live at most" in done.stdout
    assert done.stderr == ("mnm: what follows is lost: frame 2: the file "
                           "breaks off in it\n")


def test_an_end_and_a_report_count_the_same(box, tmp_path):
    """Of what lived before, and the files of code, as well."""
    shell = started(box)
    took(shell, "alloc before 5000")
    record(box, shell, "start", tmp_path / "a")
    took(shell, "alloc a 6000")
    ended = json.loads(record(box, shell, "--json", "stop").stdout)
    shell.end()
    assert ended["recording"]["events"] == json.loads(
        report(box, tmp_path / "a", "--json").stdout)["events"]


@pytest.mark.parametrize("by_order", [True, False])
def test_what_is_no_recording_is_not_written_over(box, shell, tmp_path,
                                                  by_order):
    path = tmp_path / "train.py"
    path.write_text("print()\n")
    why = f"{path}: what is there is no recording, and is left alone"
    if by_order:
        fails(record(box, shell, "start", path, check=False),
              prefix(shell) + re.escape(why))
    else:
        other = started(box, record=path)
        assert why in box.stderr()
        other.end()
    assert path.read_text() == "print()\n"
