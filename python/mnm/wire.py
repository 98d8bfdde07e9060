"""Requests and answers on control sockets, as docs/protocol.md describes them.

Nothing that a process sends is trusted: an answer has a largest size, a time by
which it has to be there, and is checked before it is used."""

from __future__ import annotations

import errno
import json
import os
import select
import socket
import stat
import struct
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .errors import (AnswerError, ArgumentError, Error, FolderError,
                     NoAnswerError, NotFoundError, RefusedError, plain)

SCHEMA = 1             # the version of answers that is understood here
REQUEST_MAX = 1024     # bytes, with the newline
ANSWER_MAX = 1 << 20   # bytes
AGAIN_MS = 20          # until a full queue is tried again
ANSWER_MS = 250        # before the deadline, to hear what was done
TIMEOUT_MAX = 86400.0  # seconds
DIGITS_MAX = 20        # of a number in an answer

_PEER = struct.Struct("iII")  # struct ucred: pid, uid, gid


class Place:
    """Where a process listens: a socket in a folder, and who may own it."""

    def __init__(self, folder: str, name: str, owner: int,
                 private: bool = True) -> None:
        self.folder = folder
        self.name = name
        self.owner = owner      # the user whom the process has to belong to
        self.private = private  # the folder has to be the owner's alone
        self.peer = 0           # the pid that the kernel has told, once known

    @property
    def number(self) -> int:
        """The pid that the process has for itself."""
        digits = self.name.split(".")[0]
        # Whoever listens there has chosen the name.
        return int(digits) if digits.isascii() and digits.isdigit() else 0

    def connect(self) -> Optional[socket.socket]:
        """A connection to the process, or None while its queue is full."""
        try:
            folder = folder_open(self.folder,
                                 self.owner if self.private else None)
        except NotFoundError:  # as of a process in /proc that has ended
            raise self._failed(FileNotFoundError(errno.ENOENT, "")) from None
        try:
            made = socket.socket(socket.AF_UNIX,
                                 socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        except OSError as error:
            os.close(folder)
            raise self._failed(error) from None
        try:
            # The path through the descriptor is short, and leads into the
            # folder that was looked at.
            made.connect(f"/proc/self/fd/{folder}/{self.name}")
            self._check(made)
        except BlockingIOError:
            made.close()
            return None
        except OSError as error:
            made.close()
            raise self._failed(error) from None
        except Error:
            made.close()
            raise
        finally:
            os.close(folder)
        return made

    def _failed(self, error: OSError) -> Error:
        if error.errno in (errno.ENOENT, errno.ECONNREFUSED):
            return NotFoundError(
                f"{plain(self.folder)}/{plain(self.name)}: nobody listens "
                "there; the program has ended")
        return FolderError(f"{plain(self.folder)}/{plain(self.name)}: "
                           f"{os.strerror(error.errno or 0)}")

    def _check(self, made: socket.socket) -> None:
        """Checks by the kernel who listens, and notes its pid."""
        pid, uid, _ = _PEER.unpack(made.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        if uid != self.owner:
            raise FolderError(f"{plain(self.folder)}/{plain(self.name)}: a "
                              f"process of another user listens there")
        if self.peer and pid != self.peer:
            raise NotFoundError(f"pid {self.peer}: it has ended; another "
                                "process has its socket")
        self.peer = pid


def folder_open(path: str, owner: Optional[int]) -> int:
    """A descriptor of the folder. It has to be one, and no link; if `owner` is
    given, that user's, with no rights for others."""
    flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    wrong = f"{plain(path)}: has to be a folder of yours with mode 0700"
    try:
        folder = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise NotFoundError(f"{plain(path)}: no such folder") from None
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise FolderError(wrong) from None
        raise FolderError(
            f"{plain(path)}: {os.strerror(error.errno or 0)}") from None
    seen = os.fstat(folder)
    if owner is not None and (seen.st_uid != owner or
                              stat.S_IMODE(seen.st_mode) & 0o077):
        os.close(folder)
        raise FolderError(wrong)
    return folder


def deadline_of(timeout: float) -> float:
    """The time by time.monotonic() at which a call has to end."""
    if (isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or
            not 0 < timeout <= TIMEOUT_MAX):
        raise ArgumentError(f"timeout {plain(repr(timeout), 60)}: allowed: "
                            "seconds, above 0 and at most 86400")
    return time.monotonic() + timeout


def request_line(command: str, fields: Dict[str, Any],
                 deadline: Optional[float] = None) -> bytes:
    """The line of a request. With a deadline it is an order, which has to begin
    so early that its answer still comes in time."""
    whole: Dict[str, Any] = {"command": command}
    whole.update((k, v) for k, v in fields.items() if v is not None)
    if deadline is not None:
        left = max(0, int((deadline - time.monotonic()) * 1000))
        whole["until"] = (int(time.time() * 1000) +
                          max(left - ANSWER_MS, left // 2))
    line = json.dumps(whole, separators=(",", ":")).encode() + b"\n"
    if len(line) > REQUEST_MAX:
        raise ArgumentError(f"the request is too long: {len(line)} bytes; "
                            f"allowed: {REQUEST_MAX}")
    return line


def _number(digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        raise ValueError("a number is too long")
    return int(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def answer_read(text: bytes) -> Dict[str, Any]:
    """The object that an answer holds. Raises RefusedError if it says that the
    request was refused."""
    try:
        answer = json.loads(text.decode(), parse_int=_number,
                            parse_constant=_constant)
    except (ValueError, RecursionError):
        raise AnswerError("the answer is not understood: it is no line of "
                          "JSON") from None
    if not isinstance(answer, dict):
        raise AnswerError("the answer is not understood: it is no object")
    schema = answer.get("schema")
    if type(schema) is not int:
        raise AnswerError("the answer is not understood: it has no schema")
    if schema != SCHEMA:
        raise AnswerError(f"the program has another version of mnm: schema "
                          f"{schema}; understood: {SCHEMA}")
    if "error" in answer:
        if not isinstance(answer["error"], str):
            raise AnswerError("the answer is not understood: its error is no "
                              "text")
        raise RefusedError(plain(answer["error"]))
    return answer


class Question:
    """One request to one process, until there is an answer or an error."""

    def __init__(self, place: Place, line: bytes) -> None:
        self.place = place
        self.answer: Optional[Dict[str, Any]] = None
        self.error: Optional[Error] = None
        self._line = line
        self._text = bytearray()
        self._socket: Optional[socket.socket] = None

    @property
    def done(self) -> bool:
        return self.answer is not None or self.error is not None

    def fails(self, error: Error) -> None:
        self.error = error
        self.close()

    def close(self) -> None:
        if self._socket:
            self._socket.close()
        self._socket = None

    def begin(self) -> Optional[int]:
        """Connects and sends, if that is not done. Returns the descriptor to
        wait for, or None if there is none yet."""
        if not self._socket:
            try:
                self._socket = self.place.connect()
                if self._socket:
                    self._socket.send(self._line)
            except Error as error:
                self.fails(error)
            except OSError:
                # An answer may be there all the same, as to another user.
                pass
        return self._socket.fileno() if self._socket else None

    def read(self) -> None:
        """Takes what has come."""
        assert self._socket
        try:
            got = self._socket.recv(65536)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            got = b""
        self._text += got
        try:
            self._look(not got)
        except Error as error:
            self.fails(error)

    def _look(self, ended: bool) -> None:
        line, newline, rest = self._text.partition(b"\n")
        if len(self._text) > ANSWER_MAX:
            raise AnswerError("the answer is too long: more than "
                              f"{ANSWER_MAX} bytes")
        if newline:
            if rest:
                raise AnswerError("the answer is not understood: it has more "
                                  "than one line")
            self.answer = answer_read(bytes(line))
            self.close()
        elif ended:
            raise (AnswerError("the answer is not understood: its line has no "
                               "end") if self._text else
                   NoAnswerError("closed without an answer"))


def ask_all(questions: Sequence[Question], deadline: float) -> None:
    """Asks all at the same time. Each has an answer or an error then."""
    try:
        while _turn(questions, deadline):
            pass
        for question in questions:
            if not question.done:
                question.fails(NoAnswerError("no answer in time"))
    finally:
        for question in questions:
            question.close()


def _turn(questions: Sequence[Question], deadline: float) -> bool:
    """Waits once. Returns whether to go on."""
    left = int((deadline - time.monotonic()) * 1000)
    waiting: List[Tuple[int, Question]] = []
    poll = select.poll()
    busy = False
    if left <= 0:
        return False
    for question in questions:
        if question.done:
            continue
        fd = question.begin()
        if fd is not None:
            waiting.append((fd, question))
            poll.register(fd, select.POLLIN)
        elif not question.done:
            busy = True
    if busy:
        left = min(left, AGAIN_MS)
    if waiting or busy:
        ready = {fd for fd, _ in poll.poll(left)}
        for fd, question in waiting:
            if fd in ready:
                question.read()
    return bool(waiting or busy)
