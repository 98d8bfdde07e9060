"""The frameworks' own allocators, as they are shipped, through the training
traces with and without mnm: the same requests are served, the contents are
right, and the checker sees no violation. scripts/bench-peers fetches and builds
them."""

import json
import os
import sys

import pytest

from conftest import BUILD, TRACES, plain_build_only

PEERS = os.path.join(BUILD, "peers")
CUDA = os.path.join(BUILD, "bench", "cuda_async.so")
ASYNC = "backend:cudaMallocAsync"
SHIPPED = {  # name: its driver, and what chooses that allocator
    "pytorch native": ("c10.so", {}),
    "pytorch cudaMallocAsync": ("c10.so", {"PYTORCH_ALLOC_CONF": ASYNC}),
    "pytorch by the older name": ("c10.so",
                                  {"PYTORCH_CUDA_ALLOC_CONF": ASYNC}),
    "rmm cuda_async": ("rmm.so", {"BENCH_KIND": "async"}),
    "umf pool over CUDA": ("umf.so", {}),
    "umf CUDA provider": ("umf.so", {"BENCH_KIND": "provider"}),
}
TRAINING = sorted(name.split(".")[0] for name in os.listdir(TRACES)
                  if name.endswith(".zst") and "decode" not in name)
# The checker keeps too much of this one; its contents are compared.
UNCHECKED = "bert_base_dynamic_bs16"
# Its second stream fills what the first one uses and frees.
TWO_STREAMS = "resnet50_bs64_prefetch"


def play(box, allocator, name, preload, **options):
    """What came of a trace. By default the device has more memory than any
    needs."""
    options = {"sim": "64G", **options}
    done = box.run([os.path.join(BUILD, "bench", "contents"), allocator,
                    os.path.join(TRACES, f"{name}.csv.zst")],
                   "page_unit_pool" if preload else None, stream_ordered=1,
                   sim_check=int(name != UNCHECKED), **options)
    assert "violation" not in done.stderr
    return json.loads(done.stdout)


def same(box, allocator, name, **options):
    native = play(box, allocator, name, False, **options)
    kept = box.report()[1][0]["live_bytes"]
    served = play(box, allocator, name, True, **options)
    assert native.pop("words") > 0 < served.pop("words")
    assert served == native
    assert native["refused"] == native["waits"] == native["used"] == 0
    assert native["wrong"] == native["violations"] == 0 < native["served"]
    # What the allocator asked of CUDA, mnm served, and it keeps as much of it.
    # With two streams, what PyTorch's native one keeps depends on time.
    assert box.stat()["allocs"] > 0
    assert box.stat()["live_bytes"] == kept or (kept and name == TWO_STREAMS)
    calls, _ = box.report()
    assert not {"cuMemAllocAsync", "cuMemAllocFromPoolAsync"} & set(calls)


@plain_build_only
@pytest.mark.parametrize("name", TRAINING)
@pytest.mark.parametrize("shipped", SHIPPED)
def test_a_shipped_allocator_does_the_same_over_mnm(box, monkeypatch, shipped,
                                                    name):
    driver, env = SHIPPED[shipped]
    if not os.path.exists(os.path.join(PEERS, driver)):
        pytest.skip(f"build/peers has no {driver}; scripts/bench-peers "
                    "fetches and builds it")
    for variable in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF",
                     "BENCH_KIND"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in env.items():
        monkeypatch.setenv(variable, value)
    same(box, os.path.join(PEERS, driver), name)


@plain_build_only
@pytest.mark.parametrize("devices", [1, 2])
def test_pytorchs_allocator_says_the_same_over_mnm(box, monkeypatch, devices):
    answers = os.path.join(PEERS, "c10_answers.so")
    if not os.path.exists(answers):
        pytest.skip("build/peers has no c10_answers.so; scripts/bench-peers "
                    "fetches and builds it")
    monkeypatch.setenv("PYTORCH_ALLOC_CONF", ASYNC)
    command = [sys.executable, "-c", f"import ctypes, sys; "
               f"sys.exit(ctypes.CDLL({answers!r}).answers())"]
    native, served = (box.run(command, pool, sim="64G", devices=devices,
                              stream_ordered=1, sim_check=1)
                      for pool in (None, "page_unit_pool"))
    assert native.stdout.startswith("cudaMallocAsync\n20 live: 220200960 bytes")
    assert served.stdout == native.stdout
    assert "violation" not in served.stderr + native.stderr
    assert box.stat()["allocs"] > 20


@plain_build_only
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("name", ["vgg16_bs32", TWO_STREAMS])
def test_cudas_own_pool_does_the_same_over_mnm(box, name, seed):
    same(box, CUDA, name, sim_seed=seed)


@plain_build_only
@pytest.mark.parametrize("preload", [False, True])
@pytest.mark.parametrize("name,mib", [("resnet18_bs64_im2col", 1936),
                                      ("vgg16_bs32", 4969)])
def test_what_is_refused_while_there_is_work_is_served_after_a_wait(
        box, name, mib, preload):
    """The device has three tenths more than the trace has live at its peak."""
    done = play(box, CUDA, name, preload, sim=f"{mib}M")
    assert done["refused"] == done["wrong"] == done["violations"] == 0
