"""A Python program that loads the CUDA runtime itself. `ctypes_job.py METHOD`
does so in three children, started by that method of multiprocessing."""

import ctypes
import multiprocessing
import sys

SIZE = 5000
TO_HOST = 2  # cudaMemcpyDeviceToHost


def job(number):
    """Returns the values that came back, or a failed call's code."""
    runtime = ctypes.CDLL("libcudart.so.13")
    got = ctypes.create_string_buffer(SIZE)
    for turn in range(3):
        block = ctypes.c_void_p()
        value = 10 * number + turn
        failed = (
            runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(SIZE))
            or runtime.cudaMemset(block, value, ctypes.c_size_t(SIZE))
            or runtime.cudaMemcpy(got, block, ctypes.c_size_t(SIZE), TO_HOST)
            or runtime.cudaFree(block))
        if failed or got.raw != bytes([value]) * SIZE:
            return failed or -1
    return 0


def child(number):
    sys.exit(job(number))


def main():
    if len(sys.argv) < 2:
        print("job", job(0))
        return
    context = multiprocessing.get_context(sys.argv[1])
    children = [context.Process(target=child, args=(n,)) for n in range(3)]
    for process in children:
        process.start()
    for process in children:
        process.join()
    print("children", [process.exitcode for process in children])


if __name__ == "__main__":
    main()
