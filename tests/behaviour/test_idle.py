"""What pools keep idle: the option idle_limit."""

import os

import pytest

from conftest import (EXAMPLES, MIB, ROOT, SANITIZERS, plain_build_only,
                      program)
from test_pool import open_shell, took

POOL = "page_unit_pool"
AMPLE = "512G"


def job(box, name, iterations=None, **options):
    """The figures of a trace that ran on a device with room for everything."""
    path = os.path.join(ROOT, "examples", "traces", f"{name}.csv.zst")
    words = [os.path.join(EXAMPLES, "trace_job"), path]
    if iterations:
        words[1:1] = ["--iterations", str(iterations)]
    done = box.run(words, POOL, sim=AMPLE, **options)
    assert "mismatches 0" in done.stdout
    return box.stat()


def calls(stat):
    return stat["driver_allocs"] + stat["driver_frees"]


@pytest.mark.skipif(SANITIZERS, reason="long")
@pytest.mark.parametrize("name", ["bert_base_dynamic_bs16",
                                  "gpt2_decode_kvcache"])
def test_a_job_whose_sizes_hardly_repeat_takes_half_again_what_is_live(
        box, name):
    held, free = job(box, name), job(box, name, idle_limit="off")
    assert 2 * held["reserved_peak"] <= 3 * held["live_peak"]
    assert free["reserved_peak"] > 10 * free["live_peak"]
    assert calls(held) < calls(free)


@pytest.mark.skipif(SANITIZERS, reason="long")
@pytest.mark.parametrize("options", [{}, {"fence": "sync"}])
def test_a_job_that_repeats_several_shapes_ends_with_hardly_a_call(
        box, options):
    """The job takes more than twice what is live. What the first two cycles of
    its shapes have taken serves the third, but for some blocks that went back
    in the second. With `sync`, threads have no caches."""
    name = "resnet50_train_eval_mix"
    before, after = job(box, name, 14, **options), job(box, name, 21, **options)
    free = job(box, name, idle_limit="off", **options)
    assert calls(after) - calls(before) <= calls(before) / 100
    assert after["reserved_peak"] <= free["reserved_peak"]


@pytest.mark.parametrize("name, first, end", [("dcgan_bs128", 6, 8),
                                              ("vgg16_bs32", 4, 6)])
def test_a_job_that_repeats_itself_takes_no_more_and_ends_with_no_calls(
        box, name, first, end):
    before, after = job(box, name, first), job(box, name, end)
    free = job(box, name, idle_limit="off")
    assert calls(before) == calls(after)
    assert after["reserved_peak"] <= free["reserved_peak"]


def layers(path, scales, count=16):
    """Writes a trace of a network whose batches have these scales in turn."""
    events, ids = [], iter(range(1, 1000000))

    def take(size):
        found = next(ids)
        events.append(f"malloc,{found},{int(size)},0,temp,x")
        return found

    def free(found):
        events.append(f"free,{found}")

    for iteration, scale in enumerate(scales):
        events.append(f"mark,{iteration},forward")
        sizes = [scale * MIB * (1 << i % 4) for i in range(count)]
        kept = []
        for size in sizes:
            temp = take(1.5 * size)
            kept += [take(size), take(0.7 * size)]
            free(temp)
        for size in reversed(sizes):
            grad = take(size)
            free(kept.pop())
            free(take(2 * size))
            free(kept.pop())
            free(grad)
    with open(path, "w", encoding="utf-8") as file:
        file.write("# trace: layers\n# format: 1\n" + "\n".join(events)
                   + "\n")


@pytest.mark.parametrize("turns", [[4, 5.1], [4, 5.1, 6.3, 7.7]])
def test_shapes_that_take_turns_come_to_no_calls(box, turns):
    path = os.path.join(box.folder, "layers.csv")
    layers(path, turns * 12)
    found = []
    for iterations in (8 * len(turns), 12 * len(turns)):
        box.run([os.path.join(EXAMPLES, "trace_job"), "--iterations",
                 str(iterations), path], POOL, sim=AMPLE)
        found.append(calls(box.stat()))
    assert found[0] == found[1]


@pytest.mark.parametrize("size", [512, 16384])
def test_a_small_new_block_now_and_then_sends_nothing_back(box, size):
    """A list of results that grows, say: on an H200, ResNet-50 gave 1.1 GB back
    in each step, and took it again, because some blocks of 4 KiB were new."""
    shell = open_shell(box, POOL, "driver", sim=AMPLE)
    frees = []
    for turn in range(24):
        for mib in range(40, 24, -4):
            took(shell, f"alloc b {mib * MIB}")
            took(shell, "free b")
        took(shell, f"alloc new{turn} {size}")
        frees.append(shell.stat()["driver_frees"])
    shell.end()
    assert frees[-1] == frees[8]
    assert box.stat()["reserved_peak"] >= (40 + 36 + 32 + 28) * MIB


def test_shapes_that_never_come_again_are_held(box):
    path = os.path.join(box.folder, "layers.csv")
    layers(path, [4 + 0.11 * i for i in range(40)])
    job_path = [os.path.join(EXAMPLES, "trace_job"), path]
    box.run(job_path, POOL, sim=AMPLE)
    held = box.stat()
    box.run(job_path, POOL, sim=AMPLE, idle_limit="off")
    assert 2 * held["reserved_peak"] <= 3 * held["live_peak"]
    assert box.stat()["reserved_peak"] > 10 * held["live_peak"]
    assert calls(held) < calls(box.stat())


def roomy_pairs(box, way, count=2000, **options):
    done = box.run([program("roomy_pairs"), str(count), way],
                   POOL, sim=AMPLE, **options)
    words = done.stdout.split()
    return {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}


@plain_build_only
@pytest.mark.parametrize("way", ["plain", "async", "ended"])
def test_larger_blocks_serve_requests_without_a_lock(box, way):
    """The bound is told of them once in many requests."""
    found = roomy_pairs(box, way)
    assert found["locks"] <= 2000 // 16
    assert found["errors"] == 0
    assert box.stat()["driver_allocs"] < 200


def test_a_larger_block_that_was_in_a_stream_is_given_out_at_its_address(box):
    found = roomy_pairs(box, "mixed", 200)
    assert found["odd"] == found["errors"] == 0
    assert found["reserved"] <= 2 * 104  # what was taken since is not its own
    assert box.stat()["live_bytes"] == 0


def test_what_is_freed_with_another_device_current_is_to_spare_again(box):
    found = roomy_pairs(box, "elsewhere", devices=2)
    assert found["odd"] == found["errors"] == 0
    assert box.stat()["driver_allocs"] < 200


def test_what_a_thread_frees_before_it_ends_is_to_spare_again(box):
    assert roomy_pairs(box, "after")["errors"] == 0
    assert box.stat()["driver_allocs"] < 200


def test_a_thread_has_no_lease_of_one_on_another_device(box):
    """The second request is less than half of what the first left idle, and
    nothing says yet that keeping does not pay off."""
    assert roomy_pairs(box, "later", devices=2)["errors"] == 0
    assert box.stat()["driver_allocs"] == 2


def test_what_was_in_a_stream_is_freed_as_any_block(box):
    """The free of a plain block gives back what is past the number, also if
    the block was in a stream before."""
    shell = open_shell(box, POOL, "driver", idle_limit="1M")
    took(shell, "stream s")
    for i in range(3):
        took(shell, f"alloc_async a{i} {MIB} s")
        took(shell, f"free_async a{i} s")
    took(shell, "stream_sync s")
    took(shell, f"alloc b {MIB}")
    assert shell.stat()["hits"] == 3
    took(shell, f"alloc c {MIB}")
    took(shell, "free c")
    took(shell, "free b")
    assert shell.stat()["idle_bytes"] == MIB
    shell.end()


def drift(shell, first, last):
    """Requests of growing sizes, one of them live at a time."""
    for i in range(first, last):
        took(shell, f"alloc a {(64 + i) * MIB}")
        took(shell, "free a")


def test_blocks_go_back_in_frees_never_in_requests(box):
    shell = open_shell(box, POOL, sim=AMPLE)
    frees = []
    for i in range(40):
        took(shell, f"alloc a {(64 + i) * MIB}")
        frees.append(shell.stat()["driver_frees"])
        took(shell, "free a")
        frees.append(shell.stat()["driver_frees"])
    shell.end()
    assert frees[-1] > 0
    assert frees[1:-1:2] == frees[2::2]
    assert box.stat()["reserved_peak"] < 3 * 104 * MIB


def test_a_live_change_ends_and_begins_it(box):
    shell = open_shell(box, POOL, sim=AMPLE, idle_limit="off")
    drift(shell, 0, 20)
    assert shell.stat()["driver_frees"] == 0
    box.mnm("set", shell.pid, "idle_limit", "auto")
    drift(shell, 20, 40)
    frees = shell.stat()["driver_frees"]
    assert frees > 0
    box.mnm("set", shell.pid, "idle_limit", "off")
    drift(shell, 40, 60)
    assert shell.stat()["driver_frees"] == frees
    shell.end()


@pytest.mark.parametrize("limit, most", [("0", 0), ("6M", 6 * MIB),
                                         ("50%", 5 * MIB)])
def test_a_number_is_the_most_that_is_idle(box, limit, most):
    shell = open_shell(box, POOL, idle_limit=limit)
    for i in range(10):
        took(shell, f"alloc a{i} {MIB}")
    for i in range(10):
        took(shell, f"free a{i}")
        assert shell.stat()["idle_bytes"] <= most
    stat = shell.stat()
    assert stat["idle_bytes"] == stat["reserved_bytes"] == most
    assert stat["driver_frees"] == (10 * MIB - most) // MIB
    shell.end()


def test_a_number_that_is_set_live_sends_back_what_is_past_it(box):
    shell = open_shell(box, POOL)
    for i in range(10):
        took(shell, f"alloc a{i} {MIB}")
    for i in range(9):
        took(shell, f"free a{i}")
    box.mnm("set", shell.pid, "idle_limit", "3M")
    stat = shell.stat()  # no call so far: the rest is pending
    assert stat["idle_bytes"] - stat["pending_bytes"] == 3 * MIB
    took(shell, "free a9")
    assert shell.stat()["idle_bytes"] <= 3 * MIB
    for i in range(5):
        took(shell, f"alloc b{i} {MIB}")
    for i in range(5):
        took(shell, f"free b{i}")
    assert shell.stat()["idle_bytes"] == 3 * MIB
    shell.end()


def test_of_several_contexts_no_more_than_what_is_past_the_number(box):
    shell = open_shell(box, POOL, "driver")
    took(shell, "create c 0")
    for context in ("c", "primary"):
        took(shell, f"set {context}")
        for i in range(4):
            took(shell, f"alloc {context}{i} {MIB}")
    for context in ("c", "primary"):
        took(shell, f"set {context}")
        for i in range(4):
            took(shell, f"free {context}{i}")
    box.mnm("set", shell.pid, "idle_limit", "5M")
    took(shell, "alloc last 5000")
    took(shell, "free last")
    idle = shell.stat()["idle_bytes"]
    assert 4 * MIB < idle <= 5 * MIB
    shell.end()


def test_the_limit_is_read_back_in_the_words_that_it_is_set_by(box):
    shell = open_shell(box, POOL)
    took(shell, "alloc a 5000")
    assert box.mnm("set", shell.pid, "idle_limit").stdout == (
        "idle_limit is auto\n")
    for value, told in (("25%", "25%"), ("64MiB", "64M"), ("off", "off"),
                        ("auto", "auto")):
        assert box.mnm("set", shell.pid, "idle_limit", value).stdout == (
            f"idle_limit is now {told}\n")
    shell.end()


def test_several_threads_share_a_number(box):
    shell = open_shell(box, POOL, "driver", idle_limit="8M")
    for thread in "tuv":
        took(shell, f"on {thread} set primary")
        for i in range(6):
            took(shell, f"on {thread} alloc {thread}{i} {MIB}")
    for i in range(6):
        for thread in "tuv":
            took(shell, f"on {thread} free {thread}{i}")
            assert shell.stat()["idle_bytes"] <= 8 * MIB
    assert shell.stat()["idle_bytes"] >= 6 * MIB
    shell.end()


def test_no_pool_has_nothing_to_bound(box):
    shell = open_shell(box, "no_pool", sim=AMPLE)
    drift(shell, 0, 40)
    shell.end()
    assert box.stat()["driver_frees"] == 40
