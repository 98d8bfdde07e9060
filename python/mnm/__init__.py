"""The memory pools of programs under mnm, to look at and to steer.

`programs()` lists such programs, and `Program(pid)` is one of them. A program that
runs under mnm itself chooses its pools by `init_pool(0, "vmm_pool")` or
`with pool("vmm_pool"):`, and reads its figures by `stats(0)`. docs/python.md says
more.
"""

from .api import (Stats, alloc_batch, alloc_bytes, alloc_in, free_batch,
                  free_in, init_pool, mark_iteration, pool, pool_name,
                  pool_size, remove_pool, served, set_option, stats, trim, work)
from .client import (Change, Device, DeviceStat, Program, Stat, programs)
from .errors import (AnswerError, ArgumentError, CudaError, Error, FolderError,
                     NoAnswerError, NotFoundError, NotServedError,
                     OutOfMemoryError, RefusedError)
from .version import __version__

__all__ = [
    "AnswerError", "ArgumentError", "Change", "CudaError", "Device",
    "DeviceStat", "Error", "FolderError", "NoAnswerError", "NotFoundError",
    "NotServedError", "OutOfMemoryError", "Program", "RefusedError", "Stat",
    "Stats", "__version__", "alloc_batch", "alloc_bytes", "alloc_in",
    "free_batch", "free_in", "init_pool", "mark_iteration", "pool",
    "pool_name", "pool_size", "programs", "remove_pool", "served",
    "set_option", "stats", "trim", "work",
]
