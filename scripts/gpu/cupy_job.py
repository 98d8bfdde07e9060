"""Array work in two streams by CuPy, with its memory pool or, by the argument,
with a cudaMalloc for each array (`direct`), a cudaMallocAsync (`async`), or by
mnm's functions (`hook`)."""

import sys
import time

from job import finish, hook_of, need

cupy = need("cupy")
STEPS = 60


def step(number, streams):
    """A small sum that passes through arrays that come and go."""
    with streams[0]:
        first = cupy.arange(100000 + number, dtype=cupy.int64)
        first = (first * 7 + number) % 1000
        ready = streams[0].record()
    with streams[1]:
        streams[1].wait_event(ready)
        second = cupy.sort(first)[::3] * 3
        total = int(second.sum())
    streams[0].synchronize()
    return total


def main():
    if sys.argv[1:] == ["direct"]:
        cupy.cuda.set_allocator(None)
    elif sys.argv[1:] == ["async"]:
        cupy.cuda.set_allocator(cupy.cuda.MemoryAsyncPool().malloc)
    elif sys.argv[1:] == ["hook"]:
        cupy.cuda.set_allocator(hook_of("cupy"))
    streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]
    totals, seconds = [], []
    for number in range(STEPS):
        start = time.perf_counter()
        totals.append(step(number, streams))
        seconds.append(time.perf_counter() - start)
    finish(totals, seconds[3:], cupy=cupy.__version__)


if __name__ == "__main__":
    main()
