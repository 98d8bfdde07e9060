"""Recordings that are written for the tools of others: mnm export."""

import collections
import json
import os
import pickle
import pickletools
import pty
import re
import select
import signal
import subprocess

import pytest

from conftest import DEADLINE, EXAMPLES, MNM
from recording_writer import ALLOC, FREE, written
from recordings import rows, told
from test_pool import open_shell, took
from test_recording import export, fails, mixed, report

__all__ = ["mixed"]


@pytest.fixture
def digits(box, tmp_path):
    """A recording of a program whose functions have names."""
    path = tmp_path / "digits"
    box.run([MNM, "run", "--record", path, "--",
             os.path.join(EXAMPLES, "train_digits"), "--steps", "5"],
            sim="64M")
    return path


def folded(box, path, *words):
    """Pairs of frames and bytes."""
    text = export(box, path, "--format", "folded", *words).stdout
    lines = [re.fullmatch(r"(.+) (\d+)", line) for line in text.splitlines()]
    return [(line[1].split(";"), int(line[2])) for line in lines]


@pytest.mark.parametrize("device", ["0", "1", "host"])
def test_folded_stacks_are_who_held_the_peak(box, mixed, device):
    told, = json.loads(report(box, mixed, "--json", "--device",
                              device).stdout)["devices"]
    stacks = folded(box, mixed, "--device", device)
    assert sum(size for _, size in stacks) == told["peak"] > 0
    assert stacks == [([h["file"], h["function"]] if h["function"]
                       else [h["file"]], h["bytes"]) for h in told["holders"]]


def test_folded_stacks_name_functions(box, digits):
    stacks = folded(box, digits)
    assert all(len(frames) == 2 and frames[0] == "train_digits"
               for frames, _ in stacks)
    names = {frames[1].split("(")[0] for frames, _ in stacks}
    assert {"model_open", "pass_forward"} <= names


@pytest.mark.parametrize("form", ["trace", "folded"])
def test_what_other_devices_have_is_told(box, mixed, form):
    done = export(box, mixed, "--format", form)
    assert done.stderr == ("mnm: 2 requests of other devices are left out; "
                           "--device chooses one\n")
    for device in "0", "1", "host":
        done = export(box, mixed, "--format", form, "--device", device)
        assert done.stderr == ""


def test_the_first_device_is_folded(box, mixed):
    assert folded(box, mixed) == folded(box, mixed, "--device", "0")


def test_a_damaged_recording_is_folded_up_to_there(box, mixed, tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(mixed.read_bytes()[:-10])
    done = export(box, path, "--format", "folded", "--device", "0",
                  check=False)
    assert done.returncode == 1 and done.stdout
    assert done.stderr == ("mnm: what follows is lost: frame 2: the file "
                           "breaks off in it\n")
    path.write_text("x")
    fails(export(box, path, "--format", "folded", check=False),
          f"mnm: {path}: it is no recording")


# Snapshots for PyTorch's viewer.

def snapshot(box, path, tmp_path, *words):
    out = tmp_path / "out.pickle"
    export(box, path, "--format", "torch", "--output", out, *words)
    return pickle.loads(out.read_bytes())


def viewed(told):
    """Goes over a snapshot as torch/cuda/_memory_viz.py and the viewer do, and
    returns the bytes that live at the end on each device, by both ways."""
    by_segments = collections.Counter()
    held = set()
    for segment in told["segments"]:
        assert segment["segment_type"] in ("small", "large")
        assert segment["stream"] >= 0 and segment["frames"] == []
        at = segment["address"]
        for block in segment["blocks"]:
            assert block["address"] == at
            at += block["size"]
            assert block["state"] in ("active_allocated", "inactive")
            if block["state"] == "active_allocated":
                assert 0 < block["requested_size"] <= block["size"]
                by_segments[segment["device"]] += block["requested_size"]
                held.add((segment["device"], block["address"]))
        assert at == segment["address"] + segment["total_size"]
    by_traces = collections.Counter()
    for device, trace in enumerate(told["device_traces"]):
        live, asked = {}, None
        for entry in trace:
            check_frames(entry["frames"])
            assert entry["size"] > 0 and entry["stream"] >= 0
            if entry["action"] == "alloc":
                assert entry["addr"] not in live
                live[entry["addr"]] = entry["size"]
                assert within(told, device, entry)
            elif entry["action"] == "free_completed":
                assert asked == (entry["addr"], "free_requested")
                live.pop(entry["addr"], None)
            asked = (entry.get("addr"), entry["action"])
        times = [entry["time_us"] for entry in trace]
        assert times == sorted(times)
        before = sum(size for segment in told["segments"]
                     if segment["device"] == device
                     for size in [block["requested_size"] for block in
                                  segment["blocks"]
                                  if block["address"] not in live])
        by_traces[device] = sum(live.values()) + before
    return by_segments, by_traces


def within(told, device, entry):
    return any(segment["device"] == device and
               segment["address"] <= entry["addr"] and
               entry["addr"] + entry["size"] <= segment["address"] +
               segment["total_size"] for segment in told["segments"])


def check_frames(frames):
    for frame in frames:
        assert isinstance(frame["filename"], str) and frame["filename"]
        assert isinstance(frame["line"], int) and frame["name"]


def test_a_snapshot_has_what_the_viewer_reads(box, mixed, tmp_path):
    told = snapshot(box, mixed, tmp_path)
    assert set(told) == {"segments", "device_traces", "allocator_settings",
                         "external_annotations"}
    by_segments, by_traces = viewed(told)
    assert by_segments == by_traces == {0: 5000, 1: 6000}
    actions = [[entry["action"] for entry in trace]
               for trace in told["device_traces"]]
    assert actions[1].count("alloc") == 2 and actions[1].count("oom") == 1
    failed, = [e for e in told["device_traces"][1] if e["action"] == "oom"]
    assert failed["size"] == 1 << 30 and "addr" not in failed
    only = snapshot(box, mixed, tmp_path, "--device", "1")["device_traces"]
    assert only == [[], told["device_traces"][1]]


def test_a_snapshot_has_only_what_the_viewer_can_unpickle(box, mixed, tmp_path):
    """The list is that of unpickle() in torch/utils/viz/MemoryViz.js."""
    snapshot(box, mixed, tmp_path)
    used = {op.code for op, _, _ in
            pickletools.genops((tmp_path / "out.pickle").read_bytes())}
    assert used <= set("ehJKM}](j.Xaq)NGrlds") | set(
        "u\x8a\x94\x80\x8c\x86\x89\x88\x85\x87t\x95")


def test_a_snapshot_names_functions(box, digits, tmp_path):
    told = snapshot(box, digits, tmp_path)
    viewed(told)
    names = {frame["name"].split("(")[0] for entry in told["device_traces"][0]
             for frame in entry["frames"]}
    assert {"model_open", "pass_forward"} <= names
    assert {frame["filename"] for entry in told["device_traces"][0]
            for frame in entry["frames"]} == {"train_digits"}


def test_what_lives_before_is_in_the_segments(box, tmp_path):
    path = tmp_path / "late"
    shell = open_shell(box, "no_pool")
    took(shell, "alloc a 5000")
    took(shell, "alloc b 7000")
    box.mnm("record", shell.pid, "start", path)
    took(shell, "free b")
    box.mnm("record", shell.pid, "stop")
    shell.end()
    told = snapshot(box, path, tmp_path)
    assert viewed(told)[0] == {0: 5000}
    assert [(entry["action"], entry["size"])
            for entry in told["device_traces"][0]] == [
                ("free_requested", 7000), ("free_completed", 7000)]


def test_a_damaged_recording_is_a_snapshot_up_to_there(box, mixed, tmp_path):
    path, out = tmp_path / "cut", tmp_path / "out"
    path.write_bytes(mixed.read_bytes()[:-10])
    done = export(box, path, "--format", "torch", "--output", out, check=False)
    assert (done.returncode, done.stderr) == (
        1, "mnm: what follows is lost: frame 2: the file breaks off in it\n")
    viewed(pickle.loads(out.read_bytes()))


def test_a_long_export_shows_how_far_it_is(box, tmp_path):
    """Its reader is slow until something is shown."""
    path = written(tmp_path, 200000 * [
        {"kind": ALLOC, "time": 1, "address": 4096, "size": 100},
        {"kind": FREE, "time": 2, "address": 4096}])
    master, slave = pty.openpty()
    run = subprocess.Popen([MNM, "export", str(path)],
                           env={**box.env(None), "TERM": "screen"},
                           stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    shown = b""
    while b"million events read" not in shown:
        assert os.read(run.stdout.fileno(), 1 << 15), "it has ended"
        while select.select([master], [], [], 0.01)[0]:
            shown += os.read(master, 1000)
    run.stdout.close()
    run.wait(timeout=DEADLINE)
    os.close(master)


def test_an_empty_recording_is_a_snapshot(box, tmp_path):
    path = tmp_path / "empty"
    path.write_text('mnm record 1\n{"id":"0000000000000000","part":0,'
                    '"program":{}}\n')
    told = snapshot(box, path, tmp_path)
    assert (told["segments"], told["device_traces"]) == ([], [[]])


# A free that is made while another device is current.

@pytest.fixture
def elsewhere(tmp_path):
    """Of three blocks of device 0, one is freed on device 1, one where no device
    is known, and one not seen: its address is taken again on device 1."""
    return written(tmp_path, [
        {"kind": ALLOC, "time": 1, "address": 4096, "size": 100},
        {"kind": ALLOC, "time": 2, "address": 8192, "size": 200},
        {"kind": ALLOC, "time": 3, "address": 12288, "size": 400},
        {"kind": ALLOC, "time": 4, "address": 16384, "size": 800, "device": 1},
        {"kind": FREE, "time": 5, "address": 4096, "device": 1},
        {"kind": FREE, "time": 6, "address": 8192, "device": 255},
        {"kind": ALLOC, "time": 7, "address": 12288, "size": 1600,
         "device": 1}])


@pytest.mark.parametrize("words, ends", [
    ([], {"live, device 0": 0, "live, device 1": 2400}),
    (["--device", 0], {"live, device 0": 0}),
    (["--device", 1], {"live, device 1": 2400})])
def test_chrome_frees_a_block_where_it_was_asked_for(box, elsewhere, words,
                                                     ends):
    text = export(box, elsewhere, "--format", "chrome", *words).stdout
    live = {}
    for row in json.loads(text)["traceEvents"]:
        live[row["name"]] = row["args"]["bytes"]
        assert 0 <= live[row["name"]] <= 2400
    assert live == ends


def test_a_trace_of_a_device_has_all_frees_of_its_blocks(box, elsewhere):
    text = export(box, elsewhere, "--format", "trace").stdout
    assert [line for line in text.splitlines() if line[0] != "#"] == [
        "malloc,1,100,0,other,", "malloc,2,200,0,other,",
        "malloc,3,400,0,other,", "free,1", "free,2", "free,3"]


def test_a_free_counts_where_its_block_was_asked_for(box, elsewhere):
    assert [row["device"] for row in rows(box, elsewhere)
            if row["kind"] == "free"] == ["0", "0"]
    assert [row["kind"] for row in rows(box, elsewhere, "--device", 0)] == [
        "malloc"] * 3 + ["free"] * 2
    assert [(device["device"], device["frees"])
            for device in told(box, elsewhere)["devices"]] == [(0, 2), (1, 0)]


def signalled():
    """A signal waits, as one that comes while a file is written."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("form", ["csv", "trace", "rmm", "chrome", "folded",
                                  "torch"])
@pytest.mark.parametrize("option, pairs", [("-o", 10000), ("--output", 5)])
def test_ctrl_c_ends_an_export_and_leaves_the_old_file(box, tmp_path, form,
                                                       option, pairs):
    path, out = written(tmp_path, [
        {"kind": kind, "time": at, "address": 4096, "size": 100}
        for at in range(pairs) for kind in (ALLOC, FREE)]), tmp_path / "out"
    out.write_text("mine")
    done = subprocess.run(
        [MNM, "export", "--format", form, option, out, path], check=False,
        env=box.env_of_mnm(), preexec_fn=signalled, capture_output=True,
        timeout=DEADLINE)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert out.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["out", "written"]
