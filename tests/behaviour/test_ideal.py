"""The ideal device. Its calls take short ways and mean what they mean on any
other device. Whatever has to see each call turns those ways off."""

import os
import subprocess
import sys

import pytest

from conftest import (BUILD, EXAMPLES, MIB, plain_build_only, program,
                      races_only_without_tsan)
from test_pool import open_shell

CONFORMANCE = os.path.join(BUILD, "tests", "conformance")
CLAIMS = sorted(name for name in os.listdir(CONFORMANCE)
                if not name.endswith(".so"))
TRAIN = [os.path.join(EXAMPLES, "train_digits"), "--steps", "3"]
OPEN = """
import ctypes, resource
cuda, word = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t
ctx, ptr = ctypes.c_void_p(), word()
assert not cuda.cuInit(0)
assert not cuda.cuDevicePrimaryCtxRetain(ctypes.byref(ctx), 0)
assert not cuda.cuCtxSetCurrent(ctx)
"""
MILLION = OPEN + """
def host_bytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
blocks, before = (word * 1000000)(), host_bytes()
for i in range(1000000):
    assert not cuda.cuMemAlloc_v2(ctypes.byref(ptr), word(4096))
    blocks[i] = ptr.value
print(len(set(blocks)), host_bytes() - before)
for block in blocks:
    assert not cuda.cuMemFree_v2(word(block))
"""
CAPTURED = OPEN + """
event, stream, graph = (ctypes.c_void_p() for _ in range(3))
assert not cuda.cuEventCreate(ctypes.byref(event), 2)
assert not cuda.cuStreamCreate(ctypes.byref(stream), 1)
assert not cuda.cuEventRecord(event, stream)
assert not cuda.cuEventQuery(event)
assert not cuda.cuStreamBeginCapture_v2(stream, 0)
assert not cuda.cuEventRecord(event, stream)
assert not cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
print(cuda.cuEventQuery(event))
"""


def profile(tmp_path, capacity):
    """A profile file: as ideal, with that capacity."""
    path = tmp_path / "own.profile"
    path.write_text(f"ideal 1\ncapacity {capacity}\nmultiprocessors 1\n")
    return str(path)


def test_there_are_claims_about_the_driver():
    assert {"memory", "stream", "event", "capture", "threads"} <= set(CLAIMS)


@pytest.mark.parametrize("name", CLAIMS)
def test_each_claim_about_the_driver_holds_on_an_ideal_device(box, name):
    run = box.run([os.path.join(CONFORMANCE, name)], sim="ideal", check=False)
    assert "\n100%: Checks: " in "\n" + run.stdout and run.returncode == 0, (
        run.stdout + run.stderr)


def test_each_call_is_counted_as_on_another_device(box):
    box.run(TRAIN, sim="t4")
    other, _ = box.report()
    box.run(TRAIN, sim="ideal")
    ideal, _ = box.report()
    assert ideal == other and ideal["cuCtxGetCurrent"] > 100


def test_each_threads_calls_are_counted(box):
    env = dict(box.env(None, sim="ideal"), CK_FORK="no")
    subprocess.run([os.path.join(CONFORMANCE, "threads")], env=env, check=True,
                   capture_output=True, timeout=120)
    calls, devices = box.report()
    assert calls["cuMemAlloc_v2"] > 400
    assert devices[0]["live_allocs"] == (
        calls["cuMemAlloc_v2"] - calls["cuMemFree_v2"])


@races_only_without_tsan
def test_the_checker_sees_the_work_of_an_ideal_device(box):
    run = box.run([program("reuse"), "unordered"], sim="ideal", sim_check=1)
    assert int(run.stdout) > 0 and "reused, not ordered" in run.stderr


def test_a_fault_meets_the_call_of_an_ideal_device(box):
    shell = open_shell(box, None, "driver", sim="ideal",
                       sim_fail="cuMemAlloc_v2:2:2")
    assert [shell(f"alloc {name} 5000") for name in "abc"] == [
        "0 set", "2 null", "0 set"]


def test_the_log_has_each_call_of_an_ideal_device(box, tmp_path):
    log = tmp_path / "log"
    box.run(TRAIN, sim="ideal", sim_log=str(log))
    calls, _ = box.report()
    logged = [line.split()[1] for line in log.read_text().splitlines()]
    for name in ("cuCtxGetCurrent", "cuMemAlloc_v2", "cuMemFree_v2"):
        assert logged.count(name) == calls[name] > 10


def test_freed_memory_serves_requests_of_any_size(box, tmp_path):
    shell = open_shell(box, None, "driver", sim=profile(tmp_path, "8M"))
    for name in "abcd":
        assert shell(f"alloc {name} {2 * MIB}") == "0 set"
    assert shell(f"alloc e {2 * MIB}") == "2 null"
    for name in "abcd":
        assert shell(f"free {name}") == "0"
    assert shell(f"alloc e {8 * MIB}") == "0 set"
    assert shell("free e") == "0"
    for _ in range(3):
        assert shell("alloc a 4096") == "0 set"
        assert shell("free a") == "0"
    assert shell(f"alloc e {8 * MIB}") == "0 set"


def test_freed_memory_is_neither_live_nor_reserved(box, tmp_path):
    shell = open_shell(box, None, "driver", sim=profile(tmp_path, "8M"))
    for size in (4096, 3 * MIB):
        assert shell(f"alloc a {size}") == "0 set"
        assert shell("free a") == "0"
        assert shell("free a") == "1"
    shell.end()
    _, devices = box.report()
    assert devices[0]["live_allocs"] == devices[0]["live_bytes"] == 0
    assert devices[0]["reserved"] == 0
    assert devices[0]["reserved_peak"] == 4 * MIB


@plain_build_only
@pytest.mark.parametrize("sim", ["t4", "ideal"])
def test_an_event_that_was_over_and_then_captured_is_captured(box, sim):
    run = box.run([sys.executable, "-c", CAPTURED], sim=sim)
    assert int(run.stdout) == 907  # CUDA_ERROR_CAPTURED_EVENT


@plain_build_only
def test_a_million_live_blocks_take_little_of_the_host(box):
    run = box.run([sys.executable, "-c", MILLION], sim="ideal")
    different, host_bytes = map(int, run.stdout.split())
    assert different == 1000000
    # A set of a million numbers takes about 100 MiB in the interpreter.
    assert host_bytes < 600 * MIB
