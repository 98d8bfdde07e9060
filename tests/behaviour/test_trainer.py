"""A training program: the numbers that it computes are the proof."""

import os
import re

import pytest

from conftest import DEADLINE, EXAMPLES, MNM, POOLS

TRAINER = os.path.join(EXAMPLES, "train_digits")
STEPS = 60

# The pools by step: one of them twice in a row, and back at the end.
SWAP = f"""
set -- {' '.join([*POOLS, POOLS[-1]])}
shift $((STEP / 2 % $#))
if [ "$STEP" -ge {STEPS - 2} ]; then
	{MNM} reset $PPID --no-wait
else
	{MNM} swap $PPID $1 --no-wait
fi
"""


def losses(text):
    """Each step's loss and the summary, without its time."""
    lines = re.sub(r"  step time .*", "", text).splitlines()
    kept = [line for line in lines if line.startswith("step")]
    assert len(kept) == STEPS + 1 and "loss" in kept[0]
    return kept


def train(box, pool, *words):
    done = box.run([TRAINER, "--steps", str(STEPS), "--losses", *words],
                   pool, sim="t4")
    assert done.stderr == ""
    return losses(done.stdout)


@pytest.mark.parametrize("pool", POOLS)
def test_losses_are_the_same_under_each_pool(box, pool):
    assert train(box, pool) == train(box, None)
    assert box.stat()["live_bytes"] == 0


@pytest.mark.parametrize("pool", POOLS)
def test_losses_are_the_same_with_a_swap_every_second_step(box, pool):
    assert train(box, pool, "--every", "2", "--run", SWAP) == train(box, None)
    assert box.stat()["pool"] == pool
    assert box.stat()["hits"] > 0 and box.stat()["driver_frees"] > 0
    assert box.stat()["live_bytes"] == box.stat()["retired_bytes"] == 0


def test_after_a_reset_to_no_pool_nothing_is_left_on_the_device(box):
    train(box, "no_pool", "--every", "2", "--run", SWAP)
    calls, devices = box.report()
    assert devices[0]["live_allocs"] == devices[0]["live_bytes"] == 0
    asked = calls["cuMemAlloc_v2"] + calls["cuMemCreate"]
    assert asked == box.stat()["driver_allocs"] < box.stat()["allocs"]
    assert box.stat()["reserved_bytes"] == 0


def test_losses_are_the_same_with_swaps_at_any_time(box):
    """The swaps come not between steps, but whenever their request happens to
    arrive."""
    run = box.start([TRAINER, "--steps", str(STEPS), "--losses"],
                    "page_unit_pool", sim="t4")
    swaps = 0
    while run.process.poll() is None:
        if f"{run.pid}.sock" not in box.socket_files():
            continue
        try:
            pool = POOLS[swaps % len(POOLS)]
            swaps += "devices" in (run.ask(f"swap {pool}") or {})
        except (FileNotFoundError, ConnectionError):
            pass  # it has just ended
    text = run.process.stdout.read().decode()
    assert run.process.wait(DEADLINE) == 0, box.stderr()
    assert losses(text) == train(box, None)
    assert swaps > 0
