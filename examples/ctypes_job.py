#!/usr/bin/python3
# Usage: ctypes_job.py driver KERNELS.fatbin | ctypes_job.py runtime
"""CUDA from Python with ctypes alone: libcuda.so.1 with kernels, or
libcudart.so.13 with copies and fills. Each line of standard input is a number,
the seed of a round. Each round prints one line."""

import ctypes
import sys

STEPS = 4
THREADS = 256
MASK = 0xffffffff


def check(error, call):
    if error:
        sys.exit(f"ctypes_job: {call}: error {error}")


def calls(library):
    """Returns a function: call("cuInit", 0) calls an entry, and ends the
    program if it fails."""
    def call(name, *arguments):
        check(getattr(library, name)(*arguments), name)
    return call


def pointer(call, name, size):
    """Allocates device memory by that entry."""
    address = ctypes.c_uint64()
    call(name, ctypes.byref(address), ctypes.c_size_t(size))
    return address


def first(seed, i):
    value = (seed + 1) * 2654435761 + i * 40503 & MASK
    return value ^ value >> 15


def mixed(values):
    return [here * 1664525 + 1013904223 + (after >> 3) & MASK
            for here, after in zip(values, values[1:] + values[:1])]


def weighed(values):
    return sum(value * (2 * i + 1) for i, value in enumerate(values)) & MASK


class Driver:
    """Makes, mixes and adds up values with kernels."""

    def __init__(self, path):
        self.call = calls(ctypes.CDLL("libcuda.so.1"))
        context, module = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoad", ctypes.byref(module), path.encode())
        self.functions = {}
        for name in ("values_make", "values_mix", "values_sum"):
            function = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(function), module,
                      name.encode())
            self.functions[name] = function

    def launch(self, name, count, *arguments):
        addresses = (ctypes.c_void_p * len(arguments))(
            *(ctypes.addressof(argument) for argument in arguments))
        self.call("cuLaunchKernel", self.functions[name],
                  (count + THREADS - 1) // THREADS, 1, 1, THREADS, 1, 1, 0,
                  None, addresses, None)

    def alloc(self, count):
        return pointer(self.call, "cuMemAlloc_v2", 4 * count)

    def step(self, seed, count):
        values, result = self.alloc(count), ctypes.c_uint32()
        total, length = self.alloc(1), ctypes.c_uint32(count)
        self.call("cuMemsetD32_v2", total, 0, ctypes.c_size_t(1))
        self.launch("values_make", count, values, ctypes.c_uint32(seed),
                    length)
        other = self.alloc(count)
        self.launch("values_mix", count, values, other, length)
        self.call("cuMemFree_v2", values)
        self.launch("values_sum", count, other, length, total)
        self.call("cuMemFree_v2", other)
        self.call("cuMemcpyDtoH_v2", ctypes.byref(result), total,
                  ctypes.c_size_t(4))
        self.call("cuMemFree_v2", total)
        return result.value

    def expected(self, seed, count):
        return weighed(mixed([first(seed, i) for i in range(count)]))


class Runtime:
    """Sends values through two buffers and overwrites half of them."""

    TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 3

    def __init__(self):
        self.call = calls(ctypes.CDLL("libcudart.so.13"))

    def copy(self, to, source, size, kind):
        self.call("cudaMemcpy", to, source, ctypes.c_size_t(size), kind)

    def step(self, seed, count):
        size = 4 * count
        host = (ctypes.c_uint32 * count)(
            *(first(seed, i) for i in range(count)))
        values = pointer(self.call, "cudaMalloc", size)
        self.copy(values, host, size, self.TO_DEVICE)
        other = pointer(self.call, "cudaMalloc", size)
        self.copy(other, values, size, self.ON_DEVICE)
        self.call("cudaFree", values)
        self.call("cudaMemset", other, 0x5a, ctypes.c_size_t(size // 2))
        self.copy(host, other, size, self.TO_HOST)
        self.call("cudaFree", other)
        return weighed(list(host))

    def expected(self, seed, count):
        half = count // 2
        return weighed([0x5a5a5a5a] * half +
                       [first(seed, i) for i in range(half, count)])


def job_read(words):
    if len(words) == 2 and words[0] == "driver":
        return Driver(words[1])
    if words == ["runtime"]:
        return Runtime()
    print("usage: ctypes_job.py driver KERNELS.fatbin | runtime, with a "
          "number of 0 to 1000000 a line on standard input", file=sys.stderr)
    return sys.exit(2)


def seeds():
    for line in sys.stdin:
        if not line.strip().isdigit() or int(line) > 1000000:
            print("ctypes_job: not a number of 0 to 1000000: " +
                  line.rstrip("\n"), file=sys.stderr)
            sys.exit(2)
        yield int(line)


def main():
    job = job_read(sys.argv[1:])
    for seed in seeds():
        count = 1000 + seed % 4 * 1000
        result = [job.step(seed + i, count) for i in range(STEPS)]
        right = [job.expected(seed + i, count) for i in range(STEPS)]
        if result != right:
            sys.exit(f"ctypes_job: round {seed}: {result} where {right} is "
                     "right")
        print(f"round {seed} result {sum(result) & MASK:08x}", flush=True)


if __name__ == "__main__":
    main()
