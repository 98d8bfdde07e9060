"""The parts that give mnm to frameworks by the hooks which these have for
allocators. Without mnm the jobs leave the hooks alone."""

from parts_frameworks import DIRECT, Job


class HookedJob(Job):
    """Every step of it asks for memory, and mnm has to see that."""
    too_few = "mnm served fewer requests than the job has results"

    def least(self, result):
        return len(result)


def torch_hook(part):
    """PyTorch's CUDAPluggableAllocator: equal losses; step times, memory."""
    steps = "5" if part.quick else "20"
    for model, batch in (("resnet50", "32"), ("gpt2", "8")):
        HookedJob(part, model, "torch_train.py", "--model", model, "--batch",
                  batch, "--steps", steps, "--hook").run(DIRECT, cached={})


def cupy_hook(part):
    """CuPy's CFunctionAllocator."""
    HookedJob(part, "CFunctionAllocator", "cupy_job.py", "hook").run({})


def numba_hook(part):
    """numba's memory manager."""
    HookedJob(part, "memory manager", "numba_job.py", "hook").run({})
