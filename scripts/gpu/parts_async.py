"""The parts that run frameworks which ask by cudaMallocAsync for each buffer,
while mnm serves such requests."""

from parts_frameworks import XLA_CACHED, Job
from parts_ordered import SERVED

# An older PyTorch knows the second name only, and a newer one wants both to
# say the same.
TORCH_ASYNC = {"PYTORCH_ALLOC_CONF": "backend:cudaMallocAsync",
               "PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}
XLA_ASYNC = dict(XLA_CACHED, XLA_PYTHON_CLIENT_ALLOCATOR="cuda_async")


class ServedJob(Job):
    """A job whose every step asks for memory. mnm has to serve at least that
    many requests: libraries ask by cudaMalloc for a few more, so that one
    served request shows nothing."""
    too_few = "mnm served fewer requests than the job has results"

    def levels(self):
        return {"served": SERVED}

    def least(self, result):
        return len(result)


def torch_async(part):
    """PyTorch with backend:cudaMallocAsync: ResNet-50, a GPT-2 block, and
    CUDA graphs have equal losses; step times, memory."""
    steps = "5" if part.quick else "20"
    for model, batch in (("resnet50", "32"), ("gpt2", "8")):
        ServedJob(part, model, "torch_train.py", "--model", model, "--batch",
                  batch, "--steps", steps).run(TORCH_ASYNC, cached={})
    ServedJob(part, "CUDA graph", "torch_graph.py").run(TORCH_ASYNC, cached={})


def jax_async(part):
    """JAX with XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async."""
    ServedJob(part, "cuda_async", "jax_job.py").run(XLA_ASYNC,
                                                    cached=XLA_CACHED)


def cupy_async(part):
    """CuPy with its MemoryAsyncPool."""
    ServedJob(part, "MemoryAsyncPool", "cupy_job.py", "async").run({})


def rmm(part):
    """RMM's CudaAsyncMemoryResource, by its device buffers in two streams."""
    ServedJob(part, "CudaAsyncMemoryResource", "rmm_job.py").run({})
