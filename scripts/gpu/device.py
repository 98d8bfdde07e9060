"""Prints the first CUDA device as JSON, by the driver's documented calls."""

import ctypes
import json
import sys


def main():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        sys.exit(f"no CUDA driver: {error}")
    device, version = ctypes.c_int(), ctypes.c_int()
    name = ctypes.create_string_buffer(256)
    bus = ctypes.create_string_buffer(32)
    total = ctypes.c_size_t()
    result = driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0)
    if result:
        sys.exit(f"no CUDA device: error {result}")
    driver.cuDeviceGetName(name, len(name), device)
    driver.cuDeviceGetPCIBusId(bus, len(bus), device)
    driver.cuDeviceTotalMem_v2(ctypes.byref(total), device)
    driver.cuDriverGetVersion(ctypes.byref(version))
    print(json.dumps({
        "name": name.value.decode(), "bus": bus.value.decode(),
        "bytes": total.value,
        "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}"}))


if __name__ == "__main__":
    main()
