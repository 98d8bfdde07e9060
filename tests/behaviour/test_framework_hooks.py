"""The functions that the hooks of frameworks take."""

import sys

import pytest

from conftest import (LIBRARY, MIB, besides_refusals, plain_build_only,
                      program)
from test_api import figures
from test_pool import open_shell, took

POOLS = ["page_unit_pool", "vmm_pool"]


@pytest.mark.parametrize("pool", POOLS)
def test_memory_follows_the_stream(box, pool):
    shell = open_shell(box, pool, "driver")
    took(shell, "stream s")
    for value in range(5):
        assert shell(f"mnm_torch_malloc a {3 * MIB} 0 s") == "set"
        took(shell, f"stream_fill s a {value}")
        assert shell("mnm_torch_free a s 0") == "done"
    stat = shell.stat()
    assert (stat["allocs"], stat["frees"], stat["live_bytes"]) == (5, 5, 0)
    assert stat["hits"] >= 4 - (pool == "vmm_pool")
    assert stat["syncs"] == stat["fences"] == 0
    shell.end()
    assert box.report()[0].get("cuMemAllocAsync", 0) == 0


@pytest.mark.parametrize("pool", POOLS)
def test_memory_of_two_streams_waits_for_both(box, pool):
    """PyTorch frees a tensor in the stream that it was made in, and says before
    which others use it."""
    shell = open_shell(box, pool, "driver")
    took(shell, "stream s")
    took(shell, "stream t")
    for wanted in (False, True, False):
        assert shell(f"mnm_torch_malloc a {3 * MIB} 0 s") == "set"
        if wanted:
            shell("mnm_torch_record_stream a t")
            shell("mnm_torch_record_stream a s")
        assert shell("mnm_torch_free a s 0") == "done"
        assert (shell.stat()["quarantined_bytes"] > 0) == wanted
        took(shell, "sync")
    shell.end()


@pytest.mark.parametrize("words", ["a {0} 0", "a {0} 0 0"])
def test_nothing_and_too_much(box, words):
    how = "torch" if words.count(" ") == 3 else "cupy"
    shell = open_shell(box, "page_unit_pool", "driver")
    assert shell(f"mnm_{how}_malloc {words.format(0)}") == "null"
    assert shell(f"mnm_{how}_malloc {words.format(1 << 40)}") == "null"
    assert shell(f"mnm_{how}_malloc {words.format(MIB)}") == "set"
    assert figures(shell)["live"] == MIB
    shell.end()
    assert "out of memory" in box.stderr()


def test_a_size_below_zero(box):
    shell = open_shell(box, "page_unit_pool", "driver")
    assert shell("mnm_torch_malloc a -5 0 0") == "null"
    shell.end()


@pytest.mark.parametrize("how", ["torch", "cupy"])
def test_memory_of_the_device_that_is_named(box, how):
    shell = open_shell(box, "page_unit_pool", "driver", devices=2)
    stream = " 0" if how == "torch" else ""
    assert shell(f"mnm_{how}_malloc a {MIB} 1{stream}") == "set"
    took(shell, "alloc b 1000")  # of the context that was current before
    assert figures(shell, 1)["live"] == MIB
    assert figures(shell, 0)["live"] == 1000
    assert shell(f"mnm_{how}_free a{stream} 1") == "done"
    assert figures(shell, 1)["live"] == 0
    assert shell("is primary") == "0 it"
    assert shell(f"mnm_{how}_malloc a {MIB} 7{stream}") == "null"
    shell.end()


@pytest.mark.parametrize("how", ["torch", "cupy"])
def test_without_a_context_one_is_made(box, how):
    shell = box.shell("page_unit_pool", "driver")
    took(shell, "init")
    stream = " 0" if how == "torch" else ""
    assert shell(f"mnm_{how}_malloc a {MIB} 0{stream}") == "set"
    assert figures(shell)["live"] == MIB
    assert shell(f"mnm_{how}_free a{stream} 0") == "done"
    assert figures(shell)["live"] == 0
    shell.end()


@pytest.mark.parametrize("options", [{"disable": 1}, {"idle_limit": "odd"}])
def test_where_mnm_does_not_serve_cuda_does(box, options):
    shell = open_shell(box, "page_unit_pool", "driver", **options)
    took(shell, "stream s")
    assert shell(f"mnm_torch_malloc a {MIB} 0 s") == "set"
    assert shell("mnm_torch_free a s 0") == "done"
    assert shell(f"mnm_cupy_malloc a {MIB} 0") == "set"
    took(shell, "fill a 3")
    assert shell("mnm_cupy_free a 0") == "done"
    shell.end()
    calls, devices = box.report()
    assert calls["cuMemAllocAsync"] == calls["cuMemFreeAsync"] == 1
    assert calls["cuMemAlloc_v2"] == calls["cuMemFree_v2"] == 1
    assert devices[0]["live_bytes"] == 0


@pytest.mark.parametrize("options", [{"disable": 1}, {"stream_ordered": 0}])
def test_memory_of_two_streams_that_cuda_serves_follows_both(box, options):
    """CUDA's cuMemFree does not wait for the users of memory of its pools."""
    shell = open_shell(box, "page_unit_pool", "driver", **options)
    took(shell, "stream s")
    took(shell, "stream t")
    for _ in range(2):
        assert shell(f"mnm_torch_malloc a {3 * MIB} 0 s") == "set"
        assert shell("mnm_torch_free a s 0") == "done"
    assert shell(f"mnm_torch_malloc a {3 * MIB} 0 s") == "set"
    for stream in "tst":
        shell(f"mnm_torch_record_stream a {stream}")
    assert shell("mnm_torch_free a s 0") == "done"
    shell.end()
    calls, devices = box.report()
    assert calls["cuMemAllocAsync"] == calls["cuMemFreeAsync"] == 3
    assert calls["cuEventRecord"] == calls["cuStreamWaitEvent"] == 2
    assert devices[0]["live_bytes"] == 0


def test_memory_of_more_streams_than_are_noted_is_waited_for(box):
    shell = open_shell(box, "page_unit_pool", "driver", disable=1)
    took(shell, "stream s")
    assert shell(f"mnm_torch_malloc a {3 * MIB} 0 s") == "set"
    for i in range(9):
        took(shell, f"stream t{i}")
        shell(f"mnm_torch_record_stream a t{i}")
    assert shell("mnm_torch_free a s 0") == "done"
    shell.end()
    assert box.report()[0]["cuCtxSynchronize"] == 1


def test_a_child_does_not_wait_for_a_thread_of_its_parent(box):
    assert box.run([program("recorder")], "page_unit_pool").stdout == "40\n"


# As PyTorch does with CUDAPluggableAllocator(path, "...", "...").
LOADS = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)
mnm = ctypes.CDLL(sys.argv[1])
context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
mnm.mnm_torch_malloc.restype = ctypes.c_void_p
mnm.mnm_torch_malloc.argtypes = [ctypes.c_ssize_t, ctypes.c_int,
                                 ctypes.c_void_p]
mnm.mnm_torch_free.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t,
                               ctypes.c_int, ctypes.c_void_p]
for _ in range(3):
    at = mnm.mnm_torch_malloc(1 << 20, 0, None)
    assert at
    mnm.mnm_torch_free(at, 1 << 20, 0, None)
print(mnm.mnm_version())
"""


@plain_build_only
@pytest.mark.parametrize("preload", [True, False])
def test_a_framework_loads_the_library_by_its_path(box, preload):
    done = box.run([sys.executable, "-c", LOADS, LIBRARY], "page_unit_pool",
                   preload=preload)
    said = besides_refusals(done.stderr)
    calls, devices = box.report()
    assert done.stdout == ("1\n" if preload else "0\n")
    if preload:
        assert said == "" and calls.get("cuMemAllocAsync", 0) == 0
        assert box.stat()["hits"] == 2
    else:
        assert said.count("\n") == 1 and "not preloaded" in said
        assert calls["cuMemAllocAsync"] == 3
        assert devices[0]["live_bytes"] == 0


def test_a_thread_without_a_context_frees_what_a_resource_has(box):
    done = box.run([program("resource_threads")], "page_unit_pool")
    assert done.stdout == f"{MIB} then 0 live\n" * 2
    assert besides_refusals(done.stderr) == ""
