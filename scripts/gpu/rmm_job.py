"""Device buffers of RMM in two streams, by its CudaAsyncMemoryResource: what is
copied to the device, on it and back must be what it was."""

import random
import sys
import time
import zlib

from job import finish, need

rmm = need("rmm")
STEPS, SIZE = 100, 1000000


def step(number, stream):
    """Copies bytes there and back by way of a second buffer. Both have memory
    that another stream freed, or this one."""
    sent = random.Random(number).randbytes(SIZE + 4096 * (number % 7))
    first = rmm.DeviceBuffer.to_device(sent, stream=stream)
    second = rmm.DeviceBuffer(size=first.size, stream=stream)
    second.copy_from_device(first, stream=stream)
    del first
    found = bytearray(len(sent))
    second.copy_to_host(found, stream=stream)
    stream.synchronize()
    if found != sent:
        sys.exit(f"step {number}: what came back is not what was sent")
    return zlib.crc32(found)


def main():
    from rmm.pylibrmm.stream import Stream
    rmm.mr.set_current_device_resource(rmm.mr.CudaAsyncMemoryResource())
    streams = [Stream(), Stream()]
    sums, seconds = [], []
    for number in range(STEPS):
        start = time.perf_counter()
        sums.append(step(number, streams[number % 2]))
        seconds.append(time.perf_counter() - start)
    finish(sums, seconds[3:], rmm=rmm.__version__)


if __name__ == "__main__":
    main()
