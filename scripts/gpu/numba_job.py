"""A kernel by numba over arrays that come and go, on two streams; with the
argument `hook`, by mnm's memory manager."""

import os
import sys
import time

from job import finish, hook_of, need

# A freed array goes back to the driver at once.
os.environ.setdefault("NUMBA_CUDA_MAX_PENDING_DEALLOCS_COUNT", "0")
numpy = need("numpy")
# numba-cuda asks for this name when it is imported; NumPy 2.5 has it no more.
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack
numba = need("numba")
cuda = need("numba.cuda")
STEPS, SIZE = 60, 50000


@cuda.jit
def mix(values, factor, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = (values[i] * factor + i) % 1009


def main():
    manager = hook_of("numba") if sys.argv[1:] == ["hook"] else None
    if manager:
        cuda.set_memory_manager(manager)
    streams = [cuda.stream(), cuda.stream()]
    totals, seconds = [], []
    for number in range(STEPS):
        start = time.perf_counter()
        stream = streams[number % 2]
        values = numpy.arange(SIZE + number, dtype=numpy.int64)
        first = cuda.to_device(values, stream=stream)
        second = cuda.device_array_like(first, stream=stream)
        mix[(values.size + 127) // 128, 128, stream](first, number, second)
        found = second.copy_to_host(stream=stream)
        stream.synchronize()
        totals.append(int(found.sum()))
        seconds.append(time.perf_counter() - start)
    finish(totals, seconds[3:], numba=numba.__version__)


if __name__ == "__main__":
    main()
