"""The part that runs the same jobs under each pool, and swaps a running one."""

import os
import re
import subprocess
import sys

from machine import HERE, ROOT, Failed, Skip
from parts_async import TORCH_ASYNC
from parts_frameworks import DIRECT, MNM_FIGURES, Job
from parts_programs import rounds, steady

FIGURES = MNM_FIGURES + ("driver_frees", "moved_pages")
PLAN = ("state", "period", "steps", "deviations")
TRACES = ("resnet50_bs32", "gpt2_small_bs4_seq1024", "lstm_lm_bs20_bptt35")
SWAPPED = ("vmm_pool", "tstack_pool", "best_fit_pool", "page_unit_pool")


def pool_names(part):
    """The pools that were asked for, or those that `mnm pools` lists, without
    what regions are made of."""
    done = subprocess.run([part.machine.build("mnm"), "pools"], text=True,
                          capture_output=True, check=False)
    names = re.findall(r"^([a-z]\w*)", done.stdout, re.MULTILINE)
    if not names:
        raise Failed(f"mnm pools lists none: {done.stderr.strip()}")
    unknown = set(part.pools or ()).difference(names)
    if unknown:
        raise Failed(f"no pool {', '.join(sorted(unknown))}; known: "
                     f"{', '.join(names)}")
    return part.pools or names


def with_plan(stat):
    """mnm's figures of a device, and of its pool's plan if it makes one."""
    if "plan" not in stat:
        return stat
    return dict(stat, plan={key: stat["plan"][key] for key in PLAN})


def swapping(machine, command):
    """The command that runs another one and swaps it from pool to pool."""
    return [sys.executable, "-B", os.path.join(HERE, "swap_job.py"),
            machine.build("mnm"), ",".join(SWAPPED), *command]


def swaps_of(err, **figures):
    """The figures, with how many swaps there were. Each pool must have had its
    turn."""
    found = re.search(r"^swaps (\d+)$", err, re.MULTILINE)
    figures["swaps"] = int(found.group(1)) if found else 0
    if figures["swaps"] < len(SWAPPED):
        raise Failed("it ended before each pool had served it", **figures)
    return figures


class PoolJob(Job):
    """A script of PyTorch that runs under each pool, and is swapped."""
    too_few = "mnm served fewer requests than the job has results"
    shown = FIGURES + ("plan",)

    def judge(self, result, figures, stat):
        return super().judge(result, figures, with_plan(stat))

    def least(self, result):
        return len(result)

    def swapped(self):
        """Its results stay the same while it goes from pool to pool."""
        alone = self.command
        self.command = swapping(self.part.machine, alone)
        try:
            figures = self.under({"pool": SWAPPED[-1]}, DIRECT)
        finally:
            self.command = alone
        return swaps_of(self.err, **figures)

    def run_all(self):
        check, title = self.part.check, self.title
        check(f"{title}, native", self.alone, DIRECT)
        check(f"{title}, native, own cache", self.cached, {})
        check(f"{title}, native, cudaMallocAsync", self.cached, TORCH_ASYNC)
        check(f"{title}, swapped live", self.swapped)
        for pool in pool_names(self.part):
            check(f"{title}, {pool}", self.under, {"pool": pool}, DIRECT)


def torch_jobs(part):
    """PyTorch without its cache has equal losses without mnm, under each pool,
    and while the pools change."""
    if part.machine.simulated:
        raise Skip("needs a GPU, not the simulated device")
    for model, batch, steps in (("resnet50", 32, 40), ("vgg16", 32, 16),
                                ("gpt2", 8, 64)):
        PoolJob(part, model, "torch_train.py", "--model", model,
                "--batch", str(batch), "--steps",
                str(steps // 4 if part.quick else steps)).run_all()


def trace(part, name, options):
    """One trace of examples/traces. It checks what is in its blocks itself."""
    machine = part.machine
    done = machine.run(
        [machine.build("examples", "trace_job"),
         os.path.join(ROOT, "examples", "traces", name + ".csv.zst")],
        options, limit=60, env={"MNM_SIM": "h200"})  # as some need 32 GB
    found = re.search(r"step time ([0-9.]+) ms  mismatches (\d+)", done.out)
    if done.status != 0 or not found:
        raise Failed(done.why())
    figures = {"step_ms": float(found.group(1)),
               "mismatches": int(found.group(2))}
    stat = with_plan(done.stat)
    figures.update((key, stat[key]) for key in PoolJob.shown if key in stat)
    if figures["mismatches"]:
        raise Failed("a block lost what was in it", **figures)
    return figures


def traces(part):
    """Three traces, without mnm and under each pool."""
    for name in TRACES[-1:] if part.quick else TRACES:
        part.check(f"{name}, native", trace, part, name, None)
        for pool in pool_names(part):
            part.check(f"{name}, {pool}", trace, part, name, {"pool": pool})


def reuse_in_regions(part):
    """No block is reused too soon where blocks share a piece of memory."""
    for pool in ("tstack_pool", "vmm_pool"):
        for variant in ("streams", "contexts"):
            part.check(f"{variant} (reuse), {pool}", rounds, part, variant,
                       "reuse", pool, {"pool": pool}, 200)


def digits_swapped(part):
    """A program of ours prints the same while it goes from pool to pool."""
    machine = part.machine
    command = [machine.build("examples", "train_digits"), "--losses",
               "--steps", "3000" if machine.simulated else "20000"]
    wanted = machine.run(command, limit=60)
    done = machine.run(swapping(machine, command), {"pool": SWAPPED[-1]},
                       limit=60)
    for ended in (wanted, done):
        if ended.status != 0:
            raise Failed(ended.why())
    figures = {key: done.stat[key] for key in FIGURES if key in done.stat}
    if steady(done.out) != steady(wanted.out):
        raise Failed("its output differs from the one without mnm", **figures)
    return swaps_of(done.err, **figures)


def pools(part):
    """Each pool: traces, reuse, PyTorch training with equal losses, its step
    times and memory; and a running job that goes from pool to pool."""
    traces(part)
    reuse_in_regions(part)
    part.check("train_digits, swapped live", digits_swapped, part)
    part.check("PyTorch", torch_jobs, part)
