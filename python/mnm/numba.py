"""A memory manager of numba's (EMM) that asks mnm for each array.

    NUMBA_CUDA_MEMORY_MANAGER=mnm.numba mnm run -- python3 program.py

or, before the first use of CUDA, numba.cuda.set_memory_manager(MemoryManager).
numba does not say which stream an array is for, so mnm orders its reuse as it does
for cuMemAlloc. What the program drops is freed at once, and not kept for later as
numba itself does. Pinned memory is numba's."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Callable

import numba.cuda as numba_cuda
import numba.cuda.cudadrv.driver as numba_driver

from .api import alloc_batch, free_batch
from .errors import (ArgumentError, CudaError, NotServedError,
                     OutOfMemoryError)

cuda: Any = numba_cuda  # numba has types for few of its names
driver: Any = numba_driver

_INVALID_CONTEXT = 201  # of CUresult


def _pointer(address: int) -> Any:
    """The address as numba has it: by the bindings of cuda-python, which newer
    versions always use, or by ctypes."""
    if not getattr(driver, "USE_NV_BINDING", True):
        return ctypes.c_uint64(address)
    try:
        from cuda.bindings.driver import CUdeviceptr
    except ImportError:
        from cuda.cuda import CUdeviceptr
    return CUdeviceptr(address)


def _error(text: str, code: int) -> Exception:
    """What numba itself raises if CUDA refuses a call."""
    if getattr(driver, "USE_NV_BINDING", True):
        return driver.CudaAPIError(driver.binding.CUresult(code), text)
    return driver.CudaAPIError(code, text)


def _free_within(context: Any, address: int) -> None:
    """Frees in a thread that may have no context: any can drop an array."""
    try:
        free_batch([address])
    except CudaError as error:
        if error.code != _INVALID_CONTEXT:
            raise
        context.push()
        try:
            free_batch([address])
        finally:
            context.pop()


def _free(context: Any, address: int) -> Callable[[], None]:
    def finalize() -> None:
        # At the end of a program the context may be gone, and all with it. In
        # the child of a fork there is no CUDA.
        with contextlib.suppress(CudaError, ArgumentError, NotServedError,
                                 driver.CudaAPIError):
            _free_within(context, address)
    return finalize


class MemoryManager(cuda.GetIpcHandleMixin,  # type: ignore[misc]
                    cuda.HostOnlyCUDAMemoryManager):  # type: ignore[misc]
    """Device memory by mnm, whatever the context of numba's it is for."""

    def initialize(self) -> None:
        """Nothing is needed before the first array."""

    def memalloc(self, size: int) -> Any:
        """A buffer of that many bytes. Where there is no memory the error is
        numba's own, CudaAPIError."""
        try:
            address, = alloc_batch([size])
        except OutOfMemoryError as error:
            raise _error(str(error), error.code) from error
        return cuda.MemoryPointer(self.context, _pointer(address), size,
                                  finalizer=_free(self.context, address))

    def get_memory_info(self) -> Any:
        """Bytes of the device: those that are free, and all."""
        free, total = driver.driver.cuMemGetInfo()
        return cuda.MemoryInfo(free=int(free), total=int(total))

    @property
    def interface_version(self) -> int:
        """That of numba's interface."""
        return 1


_numba_memory_manager = MemoryManager
