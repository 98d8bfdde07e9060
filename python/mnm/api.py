"""What a program asks of mnm, or tells it, about itself: mnm/mnm.h by ctypes.

The program runs under mnm (`mnm run -- python3 train.py`). Without that, each
function but `served` raises NotServedError. Sizes are in bytes. A device is
CUDA's ordinal, or "host" for pinned memory."""

from __future__ import annotations

import contextlib
import ctypes
import operator
from typing import (Any, Dict, Iterator, List, Optional, Sequence,
                    SupportsIndex, Tuple, Union)

from .errors import (ArgumentError, CudaError, NotServedError,
                     OutOfMemoryError)

Device = Union[int, str]

_HOST = -1
_NAME_SIZE = 80
_NOT_SUPPORTED, _INVALID_VALUE, _INVALID_DEVICE, _NO_MEMORY = 801, 1, 101, 2

_int, _size, _pointer = ctypes.c_int, ctypes.c_size_t, ctypes.c_uint64
_stream = ctypes.c_void_p
_sizes, _pointers = ctypes.POINTER(_size), ctypes.POINTER(_pointer)

# The parameters of each function that returns a CUresult.
_PARAMETERS: Dict[str, List[Any]] = {
    "mnm_init_pool": [_int, ctypes.c_char_p],
    "mnm_remove_pool": [_int],
    "mnm_pool_name": [_int, ctypes.c_char_p, _size],
    "mnm_alloc_bytes": [_int, _size, _sizes],
    "mnm_pool_size": [_int, _sizes, _sizes],
    "mnm_device_stats": [_int, ctypes.c_void_p],
    "mnm_alloc_batch": [_size, _sizes, _pointers],
    "mnm_free_batch": [_size, _pointers],
    "mnm_alloc_in": [_pointers, _size, _stream],
    "mnm_free_in": [_pointer, _stream],
    "mnm_trim": [_int, _sizes],
    "mnm_set": [ctypes.c_char_p, ctypes.c_char_p],
    "mnm_mark_iteration": [],
    "mnm_name_work": [ctypes.c_char_p],
}

# What the others return.
_RESULTS: Dict[str, Any] = {"mnm_error": ctypes.c_char_p,
                            "mnm_version": ctypes.c_uint}

_found: Dict[str, Any] = {}


class Stats(ctypes.Structure):
    """Figures of a device, by the names that they have in `mnm stat`.

    Bytes now: live_bytes, reserved_bytes, idle_bytes, device_bytes; the most
    there were: live_peak, reserved_peak. Counts so far: allocs, hits, frees,
    failures, driver_allocs, driver_frees, syncs, iterations."""

    _fields_ = [("size", _size)] + [(name, ctypes.c_uint64) for name in (
        "live_bytes", "reserved_bytes", "idle_bytes", "device_bytes",
        "live_peak", "reserved_peak", "allocs", "hits", "frees", "failures",
        "driver_allocs", "driver_frees", "syncs", "iterations")]

    def as_dict(self) -> Dict[str, int]:
        """The figures by their names."""
        return {field[0]: int(getattr(self, field[0]))
                for field in self._fields_[1:]}

    def __repr__(self) -> str:
        figures = ", ".join(f"{k}={v}" for k, v in self.as_dict().items())
        return f"Stats({figures})"


def _function(name: str) -> Optional[Any]:
    """The function of the library that is preloaded, or None."""
    if name not in _found:
        try:
            function = ctypes.CDLL(None)[name]
        except AttributeError:
            return None
        function.argtypes = _PARAMETERS.get(name, [])
        function.restype = _RESULTS.get(name, _int)
        # Another thread may call it from now on.
        _found[name] = function
    return _found[name]


def _error() -> str:
    function = _function("mnm_error")
    if not function:
        return ("mnm is not loaded: run the program by "
                "mnm run -- python3 PROGRAM")
    return str(function().decode("utf-8", "replace"))


def _call(name: str, *arguments: Any) -> None:
    function = _function(name)
    code = function(*arguments) if function else _NOT_SUPPORTED
    if code == 0:
        return
    text = _error() or f"{name}: CUDA error {code}"
    if code == _NOT_SUPPORTED:
        raise NotServedError(text)
    if code in (_INVALID_VALUE, _INVALID_DEVICE):
        raise ArgumentError(text)
    if code == _NO_MEMORY:
        raise OutOfMemoryError(text, code)
    raise CudaError(text, code)


def _integer(value: Any) -> int:
    """An int, or what stands for one as numpy's do; else -1."""
    try:
        return operator.index(value)
    except TypeError:
        return -1


def _ordinal(device: Device) -> int:
    if isinstance(device, str) and device == "host":
        return _HOST
    ordinal = _integer(device)
    if 0 <= ordinal < 1 << 31:
        return ordinal
    raise ArgumentError(f"device {device!r}: allowed: an ordinal of CUDA's, "
                        "or 'host'")


def _whole(name: str, value: SupportsIndex) -> int:
    number = _integer(value)
    if not 0 <= number < 1 << 64:
        raise ArgumentError(f"{name} {value!r}: allowed: a whole number from "
                            "0 to 2**64 - 1")
    return number


def _text(name: str, value: str) -> bytes:
    if not isinstance(value, str) or "\0" in value:
        raise ArgumentError(f"{name} {value!r}: allowed: a text without NUL")
    return value.encode("utf-8", "surrogateescape")


def served() -> bool:
    """Whether mnm serves this process."""
    function = _function("mnm_version")
    return bool(function and function())


def init_pool(device: Device, pool: str) -> None:
    """Serves the device from a new pool, NAME or NAME@BACKING, from now on.

    The pool before it goes, even if it has the same name: its idle memory goes
    back to the driver, its live blocks stay until they are freed. An unknown
    pool is an ArgumentError, and changes nothing."""
    _call("mnm_init_pool", _ordinal(device), _text("pool", pool))


def remove_pool(device: Device) -> None:
    """As init_pool, with the pool that MNM_POOL names for the device."""
    _call("mnm_remove_pool", _ordinal(device))


def pool_name(device: Device = 0) -> str:
    """The name of the device's pool, as init_pool takes it."""
    name = ctypes.create_string_buffer(_NAME_SIZE)
    _call("mnm_pool_name", _ordinal(device), name, _NAME_SIZE)
    return name.value.decode()


@contextlib.contextmanager
def pool(name: str, device: Device = 0) -> Iterator[None]:
    """Serves the device from a new pool of that name inside a `with`, and then
    from a new one of the name before. Live blocks stay where they are."""
    before = pool_name(device)
    init_pool(device, name)
    try:
        yield
    finally:
        init_pool(device, before)


def alloc_bytes(size: SupportsIndex, device: Device = 0) -> int:
    """The bytes that the device's pool would take for a request of `size`."""
    taken = _size()
    _call("mnm_alloc_bytes", _ordinal(device), _whole("size", size),
          ctypes.byref(taken))
    return taken.value


def pool_size(device: Device = 0) -> Tuple[int, int]:
    """(used, reserved): what the program has from the device's pools now, and
    what these have from the driver."""
    used, reserved = _size(), _size()
    _call("mnm_pool_size", _ordinal(device), ctypes.byref(used),
          ctypes.byref(reserved))
    return used.value, reserved.value


def stats(device: Device = 0) -> Stats:
    """Figures of the device."""
    found = Stats(size=ctypes.sizeof(Stats))
    _call("mnm_device_stats", _ordinal(device), ctypes.byref(found))
    return found


def alloc_batch(sizes: Sequence[SupportsIndex]) -> List[int]:
    """Allocates a buffer of each size in the current context; returns their
    addresses. All of them are allocated, or none is."""
    count = len(sizes)
    wanted = (_size * count)(*(_whole("size", size) for size in sizes))
    found = (_pointer * count)()
    _call("mnm_alloc_batch", count, wanted, found)
    return list(found)


def free_batch(pointers: Sequence[SupportsIndex]) -> None:
    """Frees buffers. If one can't be freed, the others are, and the first
    error is raised."""
    count = len(pointers)
    _call("mnm_free_batch", count, (_pointer * count)(
        *(_whole("pointer", pointer) for pointer in pointers)))


def alloc_in(size: SupportsIndex, stream: SupportsIndex = 0) -> int:
    """Allocates in the order of a stream of the current context, a handle of
    CUDA's as a number; returns the address."""
    found = _pointer()
    _call("mnm_alloc_in", ctypes.byref(found), _whole("size", size),
          _whole("stream", stream))
    return found.value


def free_in(pointer: SupportsIndex, stream: SupportsIndex = 0) -> None:
    """Frees what alloc_in has allocated, in the order of a stream."""
    _call("mnm_free_in", _whole("pointer", pointer), _whole("stream", stream))


def trim(device: Device = 0) -> int:
    """Gives back to the driver what the device's pools have idle; returns how
    much that is. As a free of CUDA's it may wait for queued work."""
    idle = _size()
    _call("mnm_trim", _ordinal(device), ctypes.byref(idle))
    return idle.value


def set_option(option: str, value: str) -> None:
    """Sets an option that can change while the program runs, as `mnm set`."""
    _call("mnm_set", _text("option", option), _text("value", value))


def mark_iteration() -> None:
    """The next iteration begins; `mnm stat` counts them."""
    _call("mnm_mark_iteration")


@contextlib.contextmanager
def work(name: str) -> Iterator[None]:
    """Names what the calling thread works on inside a `with`: mnm's lines about
    its requests have the name. They do not nest: the end of one ends it."""
    _call("mnm_name_work", _text("name", name))
    try:
        yield
    finally:
        _call("mnm_name_work", None)
