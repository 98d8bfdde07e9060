"""Allocators of mnm for frameworks that take one: PyTorch and CuPy. That of
numba is mnm.numba. docs/frameworks.md says what each means."""

from __future__ import annotations

import ctypes
from typing import Any, Callable, List

from .api import _function, served
from .errors import NotServedError


def _needed() -> None:
    if not served():
        raise NotServedError("mnm does not serve this process: run the program "
                             "by mnm run -- python3 PROGRAM")


def _address(name: str) -> int:
    function = _function(name)
    if not function:
        raise NotServedError(f"the library that is preloaded has no {name}")
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


def library() -> str:
    """The path of the library that is preloaded."""
    _needed()
    with open("/proc/self/maps", encoding="utf-8",
              errors="surrogateescape") as maps:
        for line in maps:
            words = line.rstrip("\n").split(None, 5)
            first, last = (int(word, 16) for word in words[0].split("-"))
            if first <= _address("mnm_version") < last:
                return words[5]
    raise NotServedError("the file of the library is not in /proc/self/maps")


def torch_allocator() -> Any:
    """A torch.cuda.memory.CUDAPluggableAllocator, for change_current_allocator
    before the first tensor on a device, or as `.allocator()` for a MemPool.
    PyTorch tells mnm which streams use a tensor (record_stream)."""
    import torch  # pylint: disable=import-outside-toplevel

    _needed()
    found = torch.cuda.memory.CUDAPluggableAllocator(
        library(), "mnm_torch_malloc", "mnm_torch_free")
    found.allocator().set_record_stream_fn(
        _address("mnm_torch_record_stream"))
    return found


_kept: List[Any] = []


def cupy_allocator() -> Callable[[int], Any]:
    """The function that cupy.cuda.set_allocator takes. It raises CuPy's
    OutOfMemoryError where there is no memory; CuPy itself does not look at
    what such a function returns."""
    from cupy.cuda import memory  # pylint: disable=import-outside-toplevel

    _needed()
    found = memory.CFunctionAllocator(0, _address("mnm_cupy_malloc"),
                                      _address("mnm_cupy_free"), _kept)
    _kept.append(found)

    def malloc(size: int) -> Any:
        pointer = found.malloc(size)
        if size and not pointer.ptr:
            raise memory.OutOfMemoryError(size, -1)
        return pointer
    return malloc
