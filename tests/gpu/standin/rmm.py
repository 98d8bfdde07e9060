"""Stands in for RMM, of which it has as much as scripts/gpu/rmm_job.py uses, by
the CUDA runtime of the simulated device. STANDIN in the environment makes it
go wrong: "keeps" asks CUDA for memory only once for each size, and "lies" gives
back other bytes while a library is preloaded."""

import ctypes
import os
import sys
import types

__version__ = "a stand-in"
cudart = ctypes.CDLL("libcudart.so.13")
FAULT = os.environ.get("STANDIN", "")
LIES = FAULT == "lies" and "LD_PRELOAD" in os.environ
kept = {}  # size: pointers
KIND_ANY = 4  # cudaMemcpyDefault


def call(name, *arguments):
    error = getattr(cudart, name)(*arguments)
    if error:
        raise RuntimeError(f"{name}: error {error}")


class Stream:
    def __init__(self):
        self.handle = ctypes.c_void_p()
        call("cudaStreamCreateWithFlags", ctypes.byref(self.handle), 1)

    def synchronize(self):
        call("cudaStreamSynchronize", self.handle)


class DeviceBuffer:
    def __init__(self, size, stream):
        self.size, self.stream = size, stream
        self.ptr = ctypes.c_void_p()
        if kept.get(size):
            self.ptr = kept[size].pop()
        else:
            call("cudaMallocAsync", ctypes.byref(self.ptr),
                 ctypes.c_size_t(size), stream.handle)

    def __del__(self):
        if FAULT == "keeps":
            self.stream.synchronize()
            kept.setdefault(self.size, []).append(self.ptr)
        else:
            call("cudaFreeAsync", self.ptr, self.stream.handle)

    @classmethod
    def to_device(cls, sent, stream):
        buffer = cls(len(sent), stream)
        copy(buffer.ptr, sent, len(sent), stream)
        return buffer

    def copy_from_device(self, other, stream):
        copy(self.ptr, other.ptr, self.size, stream)

    def copy_to_host(self, found, stream):
        copy((ctypes.c_char * len(found)).from_buffer(found), self.ptr,
             self.size, stream)
        if LIES:
            stream.synchronize()
            found[0] ^= 1


def copy(to, start, size, stream):
    call("cudaMemcpyAsync", to, start, ctypes.c_size_t(size), KIND_ANY,
         stream.handle)


mr = types.SimpleNamespace(CudaAsyncMemoryResource=lambda: None,
                           set_current_device_resource=lambda _resource: None)
sys.modules["rmm.pylibrmm"] = sys.modules["rmm.pylibrmm.stream"] = \
    types.ModuleType("rmm.pylibrmm.stream")
sys.modules["rmm.pylibrmm.stream"].Stream = Stream
