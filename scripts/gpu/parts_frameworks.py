"""The parts that run frameworks, which must give the same numbers with mnm."""

import importlib.metadata
import os
import re
import sys

from machine import HERE, SKIPPED, Failed, Skip

DIRECT = {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
XLA_CACHED = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
MNM_FIGURES = ("reserved_peak", "live_peak", "allocs", "hits",
               "driver_allocs", "syncs", "fences")


class Job:
    """Several runs of one script. All must give the results of the first."""
    too_few = "mnm saw no allocation"
    shown = MNM_FIGURES

    def __init__(self, part, title, script, *words):
        self.part, self.title = part, title
        self.command = [sys.executable, "-B", os.path.join(HERE, script),
                        *words]
        self.wanted = None
        self.err = ""  # of the last run
        self.repeats = True  # two runs without mnm gave the same results

    def start(self, options, env):
        done = self.part.machine.run(self.command, options, limit=150,
                                     env=env, runtime=False)
        self.err = done.err
        if done.status == SKIPPED:
            raise Skip(done.out.strip())
        if done.status != 0:
            sys.stderr.write(done.err)
            raise Failed(done.why())
        found = done.json()
        figures = dict(found["figures"], last=found["result"][-1])
        if done.peak is not None:
            figures["nvml_peak"] = done.peak
        return found["result"], figures, done.stat

    def alone(self, env):
        """The first run sets the wanted result. A second run checks it."""
        result, figures, _ = self.start(None, env)
        if self.wanted is None:
            self.wanted = result
        elif result != self.wanted:
            self.repeats = False
            raise Skip("two runs without mnm differ: not reproducible here")
        return figures

    def cached(self, env):
        """Another allocator may lead to other algorithms, so a difference is no
        failure."""
        result, figures, _ = self.start(None, env)
        return dict(figures, same="yes" if result == self.wanted else "no")

    def under(self, options, env):
        if self.wanted is None:
            raise Skip("it did not run without mnm")
        return self.judge(*self.start(options, env))

    def judge(self, result, figures, stat):
        """The figures of a run under mnm, if its results are as wanted."""
        figures.update((key, stat[key]) for key in self.shown if key in stat)
        if stat.get("allocs", 0) < self.least(result):
            raise Failed(self.too_few, **figures)
        if result == self.wanted:
            return figures
        if not self.repeats:
            raise Skip("differs, as two runs without mnm do")
        at = next(i for i, (a, b) in enumerate(zip(result, self.wanted))
                  if a != b)
        raise Failed(f"result {at} is {result[at]}, without mnm "
                     f"{self.wanted[at]}", **figures)

    def run(self, env, cached=None):
        """Runs twice without mnm, then at each level, and with the framework's
        own cache if `cached`, the environment for that, is given."""
        check = self.part.check
        check(f"{self.title}, native", self.alone, env)
        check(f"{self.title}, native again", self.alone, env)
        if cached is not None:
            check(f"{self.title}, native, own cache", self.cached, cached)
        for level, options in self.levels().items():
            check(f"{self.title}, {level}", self.under, options, env)

    def levels(self):
        return {name: options for name, options in
                self.part.machine.safe_levels().items()
                if name != "fence at once"}

    def least(self, _result):
        """How many requests mnm has to serve."""
        return 1


def torch(part):
    """ResNet-50 and VGG-16 training without PyTorch's cache: equal losses,
    step times, memory; and a CUDA graph with the cache on."""
    steps = "5" if part.quick else "20"
    Job(part, "CUDA graph, own cache on", "torch_graph.py").run({})
    for model in ("resnet50", "vgg16"):
        Job(part, model, "torch_train.py", "--model", model, "--steps",
            steps).run(DIRECT, cached={})


def xla_direct():
    """What makes XLA ask for each buffer. `platform` did until JAX 0.10, and
    `address` does after 0.10.2."""
    try:
        version = importlib.metadata.version("jax")
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    number = [int(part) for part in re.findall(r"\d+", version)[:3]]
    return dict(XLA_CACHED, XLA_PYTHON_CLIENT_ALLOCATOR="address"
                if number > [0, 10, 2] else "platform")


def jax(part):
    """A small network by JAX, without and with its own allocator."""
    Job(part, "direct", "jax_job.py").run(xla_direct())
    Job(part, "own cache on", "jax_job.py").run(XLA_CACHED)


def cupy(part):
    """Arrays in two streams by CuPy, without and with its own pool."""
    Job(part, "direct", "cupy_job.py", "direct").run({})
    Job(part, "own cache on", "cupy_job.py").run({})


def numba(part):
    """A kernel in two streams by numba."""
    Job(part, "kernel", "numba_job.py").run({})
