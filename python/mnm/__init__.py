"""Look at and steer the memory pools of programs under mnm.

`programs()` lists them, `Program(pid)` is one of them. docs/python.md says more.
"""

from .client import (Change, Device, DeviceStat, Program, Stat, programs)
from .errors import (AnswerError, ArgumentError, Error, FolderError,
                     NoAnswerError, NotFoundError, RefusedError)
from .version import __version__

__all__ = [
    "AnswerError", "ArgumentError", "Change", "Device", "DeviceStat", "Error",
    "FolderError", "NoAnswerError", "NotFoundError", "Program",
    "RefusedError", "Stat", "__version__", "programs",
]
