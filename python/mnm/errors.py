"""What can go wrong: everything that this package raises is a mnm.Error."""

from __future__ import annotations

from typing import Any, Sequence


def plain(text: str, most: int = 2048) -> str:
    """The text on one line, without characters that a terminal would obey, and
    no longer than `most` characters."""
    return "".join(c if c.isprintable() else "?" for c in text[:most])


class Error(Exception):
    """The base of all errors of this package. Its text is one line."""


class ArgumentError(Error, ValueError):
    """An argument is out of its range. Nothing was sent."""


class FolderError(Error):
    """A folder of sockets cannot be used: it is a link, another user's, or open
    to others."""


class NotFoundError(Error):
    """No program of yours under mnm has that pid, or it has ended. Nothing has
    changed."""


class NoAnswerError(Error):
    """The program has not answered in time, or has closed the connection
    without an answer. An order has nearly always not been carried out, and
    will not be; `Program.stat` shows what was done."""


class AnswerError(Error):
    """The answer is not one of this protocol, or of another version of it."""


class RefusedError(Error):
    """The program has refused the request; the text is what it says was wrong
    and what is allowed.

    Nothing has changed, unless `changes` is not empty: then some devices were
    changed, and for those with an error the text says why they were not."""

    def __init__(self, text: str, changes: Sequence[Any] = ()) -> None:
        super().__init__(text)
        self.changes = list(changes)


class NotServedError(Error):
    """This process is not under mnm: it was not started by `mnm run`, mnm is
    disabled, or this is the child of a fork. Nothing was done."""


class CudaError(Error):
    """CUDA has refused a call; `code` is its CUresult."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class OutOfMemoryError(CudaError, MemoryError):
    """There is no memory left of the device, or of the host for a pool."""
