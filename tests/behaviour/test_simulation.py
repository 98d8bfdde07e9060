"""What the simulated device adds to CUDA: profiles, faults, a log and a
report."""

import os
import shutil
import subprocess

import pytest

from conftest import MIB, program
from test_pool import open_shell, took

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.environ.get("MNM_BUILD", os.path.join(ROOT, "build"))


def train(*words, **variables):
    """A short training on the simulated device, without mnm."""
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "sim"),
               **variables)
    return subprocess.run(
        [os.path.join(BUILD, "examples", "train_digits"), "--steps", "3",
         *words], env=env, capture_output=True, text=True, timeout=120)


def report(path):
    """(device words, calls by name, clock) of a report."""
    device, calls, clock = {}, {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "device":
                device = dict(zip(words[2::2], map(int, words[3::2])))
            elif words[0] == "call":
                calls[words[1]] = int(words[2])
            elif words[0] == "clock_ns":
                clock = int(words[1])
    return device, calls, clock


def test_a_report_tells_memory_calls_and_time(tmp_path):
    path = tmp_path / "report"
    assert train(MNM_SIM_REPORT=str(path)).returncode == 0
    device, calls, clock = report(path)
    assert device["live_allocs"] == device["reserved"] == 0
    assert device["reserved_peak"] % (2 << 20) == 0
    assert 0 < device["reserved_peak"] <= device["capacity"]
    assert calls["cuMemAlloc_v2"] == calls["cuMemFree_v2"] > 10
    assert clock > 0


def test_virtual_time_is_the_same_in_every_run_and_zero_without_costs():
    first, second = train(), train()
    assert "step time" in first.stdout and first.stdout == second.stdout
    assert "step time 0.0000 ms" not in first.stdout
    assert "step time 0.0000 ms" in train(MNM_SIM_CLOCK="zero").stdout


@pytest.mark.parametrize("profile, gib", [
    ("t4", 14), ("a100", 80), ("h200", 139), ("ideal", 48),
    ("64M", 0)])
def test_a_profile_sets_the_capacity(tmp_path, profile, gib):
    path = tmp_path / "report"
    assert train(MNM_SIM=profile, MNM_SIM_REPORT=str(path)).returncode == 0
    assert report(path)[0]["capacity"] >> 30 == gib


@pytest.mark.parametrize("profile", ["t5", "12Q", "/nowhere/x.profile", "-1"])
def test_a_wrong_profile_is_one_line_and_no_device(profile):
    run = train(MNM_SIM=profile)
    assert run.returncode == 1
    said = [s for s in run.stderr.splitlines() if s.startswith("mnm-sim:")]
    assert len(said) == 1 and profile in said[0]


def test_a_device_without_memory_is_none():
    run = train(MNM_SIM="0")
    assert run.returncode == 1
    assert "mnm-sim: a device needs a capacity of 2M or more" in run.stderr


def test_pinned_memory_is_counted_and_may_be_limited(box):
    job = [program("reuse_host"), "after_a_stream_wait"]
    assert box.run(job, sim_pinned="1M").returncode == 0
    with open(box.report_file, encoding="utf-8") as file:
        assert "host live_allocs 1 live_bytes 1048576 live_peak 1048576\n" \
            in file.readlines()
    run = box.run(job, sim_pinned="1023K", check=False)
    assert (run.returncode, run.stderr) == (1, "CUDA error 2\n")
    run = box.run(job, sim_pinned="much", check=False)
    assert "mnm-sim: MNM_SIM_PINNED: \"much\" is no number" in run.stderr


@pytest.mark.parametrize("name, value, allowed", [
    ("sim_clock", "none", "zero"),
    ("sim_devices", "0", "1 to 64"),
    ("sim_threads", "x", "1 to 1024"),
])
def test_a_wrong_variable_is_one_line_and_no_device(box, name, value, allowed):
    run = box.run([program("reuse_host"), "after_a_stream_wait"], check=False,
                  **{name: value})
    assert run.stderr.splitlines()[0] == \
        f'mnm-sim: MNM_{name.upper()}: "{value}" is not {allowed}'
    assert run.returncode


def test_a_wrong_word_for_kernels_is_answered_by_those_there_are(box):
    run = box.run([program("reuse_host"), "after_a_stream_wait"],
                  sim_kernels="interprets")
    assert "interprets: cannot open" in run.stderr
    assert "interpret, standin and none" in run.stderr


def test_managed_memory_takes_of_the_capacity_only_if_it_is_fixed(box):
    def live(fixed):
        shell = open_shell(box, None, "driver", sim_managed_fixed=fixed)
        took(shell, f"alloc a {60 * MIB}")
        took(shell, f"managed m {9 * MIB}", "2" if fixed else "0")
        took(shell, f"managed n {3 * MIB}")
        free = shell("info").split()[1]
        took(shell, "free n")
        took(shell, f"managed n {4 * MIB}")
        took(shell, f"alloc b {4 * MIB}", "2" if fixed else "0")
        shell.end()
        return free, box.report()[1][0]

    free, device = live(1)
    assert free == "0" and device["live_bytes"] == 64 * MIB
    assert device["reserved"] == device["reserved_peak"] == 64 * MIB
    free, device = live(0)
    assert free == str(4 * MIB) and device["live_bytes"] == 77 * MIB
    assert device["reserved"] == device["reserved_peak"] == 64 * MIB


def test_a_word_for_managed_memory_is_a_number(box):
    run = box.run([program("reuse_host"), "after_a_stream_wait"],
                  sim_managed_fixed="maybe", check=False)
    assert "mnm-sim: MNM_SIM_MANAGED_FIXED: \"maybe\" is no" in run.stderr


def test_memory_without_an_address_of_its_own_is_counted(box):
    # The checker keeps the late work from its lost pages.
    box.run([program("reuse_host"), "unmapped_too_early"], sim_check=1,
            sim_seed=1)
    device = box.report()[1][0]
    # Left are what it allocated, and the one handle of two that is still
    # mapped.
    assert device["live_allocs"] == 2
    assert device["live_bytes"] == (1 << 20) + (2 << 20)
    assert device["reserved"] == 2 * (2 << 20)


@pytest.mark.parametrize("name", ["pool_access", "graph_node", "ipc"])
def test_claims_about_two_devices_hold(box, name):
    for check in (0, 1):
        run = box.run([os.path.join(BUILD, "tests", "conformance", name)],
                      devices=2, sim="t4", sim_check=check, check=False)
        assert "100%: Checks: " in run.stdout and run.returncode == 0, (
            run.stdout + run.stderr)
        assert run.stderr == ""


def test_claims_about_clusters_hold_where_there_are_any(box):
    claims = os.path.join(BUILD, "tests", "conformance", "occupancy")
    assert " Failures: 0, Errors: 0" in box.run([claims], sim="h200").stdout


def test_the_nth_call_of_an_entry_fails_with_the_code_given(tmp_path):
    log = tmp_path / "log"
    run = train(MNM_SIM_FAIL="cuMemAlloc_v2:5:2", MNM_SIM_LOG=str(log))
    assert run.returncode == 1 and "out of memory" in run.stderr
    results = [s.split()[2] for s in log.read_text().splitlines()
               if s.split()[1] == "cuMemAlloc_v2"]
    assert results == ["0"] * 4 + ["2"]


@pytest.mark.parametrize("variable, text", [
    ("FAIL", "cuNothing:1:2"), ("LOST", "cuNothing:1:2"),
    ("FAIL", "cuMemAlloc_v2:1:4294967296"), ("NEED", "cuInit:99999999999G"),
    ("LOST", "cuMemAlloc_v2:1+:2"), ("HIDE", "cuNothing"),
    ("NEED", "cuNothing:1M"), ("NEED", "cuMemAlloc_v2:much"),
    ("NEED", "cuMemAlloc_v2:1M:64"), ("NEED", "cuMemAlloc_v2:1M:0:1")])
def test_a_wrong_fault_is_said_and_ignored(variable, text):
    run = train(**{f"MNM_SIM_{variable}": text})
    assert run.returncode == 0
    assert f'MNM_SIM_{variable}: ignored "{text}"' in run.stderr


def test_an_entry_that_needs_memory_fails_while_there_is_less(box):
    shell = open_shell(box, None, "driver", devices=2, sim="64M",
                       sim_need="cuStreamCreate:32M,cuEventCreate:32M:1")
    for line, code in ((f"alloc a {40 << 20}", "0"), ("open stream", "2"),
                       ("open event", "0"), ("free a", "0"),
                       ("open stream", "0"), ("create x 1", "0"),
                       (f"alloc a {40 << 20}", "0"), ("open event", "2"),
                       ("set primary", "0"), ("open event", "2"),
                       ("free a", "0"), ("open event", "0")):
        assert shell(line).split()[0] == code, line
    shell.end()


def test_a_lost_device_stays_lost(box):
    shell = open_shell(box, None, "driver", sim_lost="cuMemAlloc_v2:2:700")
    assert shell("alloc a 5000") == "0 set"
    assert shell("fill a 1") == "0"
    assert shell("alloc b 5000") == "700 null"
    assert [shell("alloc b 5000"), shell("fill a 2"), shell("free a")] == [
        "700 null", "700", "700"]


def test_a_hidden_entry_is_not_found_and_not_supported(box, tmp_path):
    log = tmp_path / "log"
    run = train(MNM_SIM_HIDE="cuMemAlloc_v2,cuMemAlloc", MNM_SIM_LOG=str(log))
    assert run.returncode == 1
    assert "cuMemAlloc_v2" not in log.read_text()
    shell = open_shell(box, None, "driver", sim_hide="cuMemAlloc_v2")
    assert shell("alloc a 5000") == "801 null"


def test_an_older_driver_is_too_old_for_the_runtime():
    run = train(MNM_SIM_DRIVER="12040")
    assert run.returncode == 1 and "driver" in run.stderr


def test_a_kernel_without_a_host_function_is_named(tmp_path):
    alone = tmp_path / "trace_job"  # away from its trace_job.kernels.so
    shutil.copy(os.path.join(BUILD, "examples", "trace_job"), alone)
    trace = os.path.join(ROOT, "examples", "traces", "vgg16_bs32.csv.zst")
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "sim"),
               MNM_SIM_KERNELS="none")
    run = subprocess.run([alone, trace], env=env, capture_output=True,
                         text=True, timeout=60)
    assert run.returncode == 1
    assert "mnm-sim: no host function for kernel" in run.stderr


HASHED = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
context, block = ctypes.c_void_p(), ctypes.c_uint64()
size = ctypes.c_size_t
assert not cuda.cuInit(0)
assert not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
assert not cuda.cuCtxSetCurrent(context)
assert not cuda.cuMemAlloc_v2(ctypes.byref(block), size(64))
for word in sys.argv[1:]:
    text = word.encode()
    assert not cuda.cuMemcpyHtoD_v2(block, text, size(len(text)))
    assert not cuda.cuMemcpyDtoH_v2(ctypes.create_string_buffer(64), block,
                                    size(len(text)))
"""


def test_what_was_copied_to_the_host_has_a_hash_in_any_order(box):
    def copied(*words, on=1):
        box.run(["/usr/bin/python3", "-c", HASHED, *words], sim_copied=on)
        with open(box.report_file, encoding="utf-8") as file:
            return [line.split()[1:] for line in file
                    if line.startswith("copied ")]

    (size, hashed), = copied("one", "three")
    assert size == "8" and len(hashed) == 16
    assert copied("three", "one") == [[size, hashed]]
    assert copied("one", "thref") != [[size, hashed]]
    assert copied("onet", "hree") != [[size, hashed]]
    assert copied("one", on=0) == []
