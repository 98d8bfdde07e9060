"""Allocation traces of real models on a device with little room to spare."""

import os
import re
import subprocess

import pytest

from conftest import EXAMPLES, MIB, ROOT, SANITIZERS, TRACES

ROOM = 105  # percent of the peak
AMPLE = "64G"
QUICK = ["dcgan_bs128", "vgg16_bs32", "resnet18_bs64_im2col"]


def peaks():
    """The peak of live memory by trace, in MiB, from the traces' own
    summary."""
    with open(os.path.join(TRACES, "SUMMARY.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| (\w+) \| \d+ \| \d+ \| (\d+) \|", file.read(),
                          re.MULTILINE)
    assert len(rows) == 12
    return {name: int(mib) for name, mib in rows
            if not SANITIZERS or name in QUICK}


def trace(box, name, pool, capacity):
    """Whether the trace ran to its end. The contents of each buffer are
    checked."""
    job = os.path.join(EXAMPLES, "trace_job")
    path = os.path.join(ROOT, "examples", "traces", f"{name}.csv.zst")
    done = box.run([job, path], pool, sim=str(capacity), check=False)
    if done.returncode:
        assert "out of memory" in done.stderr + done.stdout, done.stderr
    else:
        assert "mismatches 0" in done.stdout
    return not done.returncode


# The longest comes first, so that it does not run alone at the end.
@pytest.mark.parametrize("name", sorted(
    peaks(), key=lambda name: name not in ("gpt2_decode_kvcache",
                                           "bert_base_dynamic_bs16")))
def test_a_trace_runs_under_page_unit_pool_where_it_does_without(box, name):
    """The device has 5 % more than the peak of live memory. If the driver's
    own granules take more than that, it has 5 % more than they take."""
    capacity = peaks()[name] * MIB * ROOM // 100
    if not trace(box, name, "no_pool", capacity):
        assert trace(box, name, "no_pool", AMPLE)
        taken = box.report()[1][0]["reserved_peak"]
        assert taken > capacity
        capacity = taken * ROOM // 100
    assert trace(box, name, "page_unit_pool", capacity)
    assert box.stat()["failures"] == 0 and box.stat()["hits"] > 0
    assert box.stat()["live_bytes"] == box.stat()["pending_bytes"] == 0


def trace_path(name):
    return os.path.join(ROOT, "examples", "traces", f"{name}.csv.zst")


def step_ms(done):
    return float(re.search(r"step time ([0-9.]+) ms", done.stdout).group(1))


@pytest.mark.parametrize("name", sorted(peaks()))
def test_each_trace_says_how_long_its_network_computes(box, name):
    header = subprocess.run(
        ["zstd", "-dcq", trace_path(name)], capture_output=True, text=True,
        check=True).stdout.split("mark,", 1)[0]
    said = float(re.search(r"^# t4_step_ms: ([0-9.]+)$", header, re.M)[1])
    assert re.search(r"^# t4_step_source: .*FORMAT|datasheet", header, re.M)
    assert 1 < said < 10000


def test_kernels_as_long_as_the_networks_own_are_in_the_step(box):
    job = [os.path.join(EXAMPLES, "trace_job"), trace_path("dcgan_bs128")]
    alone, whole = (
        box.run([job[0], *more, job[1]], "page_unit_pool", sim="t4",
                sim_clock="") for more in ([], ["--compute"]))
    assert 91.3 < step_ms(whole) < 91.3 + 2 * step_ms(alone)
    assert "mismatches 0" in whole.stdout


def test_a_trace_without_a_time_is_refused_where_it_is_needed(box):
    path = os.path.join(box.folder, "plain.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("mark,0,step\nmalloc,1,512,0,temp,x\nfree,1\n")
    job = os.path.join(EXAMPLES, "trace_job")
    done = box.run([job, "--compute", path], check=False)
    assert done.returncode == 2 and done.stdout == ""
    assert "no t4_step_ms" in done.stderr and done.stderr.count("\n") == 1
    box.run([job, path])


@pytest.mark.parametrize("wrong", ["", "0", "-3", "fast", "1e9"])
def test_a_wrong_time_of_a_step_is_one_line(box, wrong):
    path = os.path.join(box.folder, "wrong.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# t4_step_ms: {wrong}\nmark,0,step\n"
                   "malloc,1,512,0,temp,x\nfree,1\n")
    done = box.run([os.path.join(EXAMPLES, "trace_job"), path], check=False)
    assert done.returncode == 2
    assert f"{path}:1: t4_step_ms must be above 0" in done.stderr


@pytest.mark.parametrize("pool", [None, "page_unit_pool"])
@pytest.mark.parametrize("streams", [1, 2, 8])
def test_a_trace_is_right_on_several_streams(box, pool, streams):
    job = os.path.join(EXAMPLES, "trace_job")
    path = os.path.join(ROOT, "examples", "traces", "dcgan_bs128.csv.zst")
    done = box.run([job, "--streams", str(streams), path], pool, sim="t4")
    assert "mismatches 0" in done.stdout
    assert box.report()[0]["cuStreamCreate"] == streams


@pytest.mark.parametrize("streams", ["0", "9", "two"])
def test_a_wrong_number_of_streams_is_said(box, streams):
    job = os.path.join(EXAMPLES, "trace_job")
    done = box.run([job, "--streams", streams, "trace"], check=False)
    assert done.returncode == 2 and f"--streams {streams}: " in done.stderr


def test_a_trace_may_come_from_a_pipe(box):
    job = [os.path.join(EXAMPLES, "trace_job"), "/dev/stdin"]
    done = box.run(job, stdin="malloc,1,512,0,temp,x\nfree,1\n")
    assert "mismatches 0" in done.stdout
