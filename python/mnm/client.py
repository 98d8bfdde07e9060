"""Programs that run under mnm, seen and steered from outside.

    for program in mnm.programs():
        print(program.pid, program.name, program.pools)
    mnm.Program(7974).swap("vmm_pool", device=0)

The calls may be made from any thread. Each ends within its timeout, and raises
a mnm.Error if it could not do what it says. A device is its ordinal, from 0 on,
or "host" for pinned memory."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Union

from .errors import (AnswerError, ArgumentError, Error, NotFoundError,
                     RefusedError, plain)
from .find import Found, find_all, find_one
from .wire import Question, ask_all, deadline_of, request_line

Device = Union[int, str]

TIMEOUT = 5.0  # seconds
_PID_MAX = 4194304


@dataclass(frozen=True)
class DeviceStat:
    """One device of a program, or its pinned memory.

    `stat["live_bytes"]` is one of its figures. The names, with what they count,
    are those of docs/protocol.md; what ends in _bytes or _peak is in bytes,
    all others are counts. All are those of this one process."""

    device: Device           # an ordinal, or "host"
    pool: str                # the pool that serves it now
    fence: str               # "fence", "sync" or "none"
    order: str               # what orders reuse: a fence level, or "stream"
    figures: Dict[str, int]  # by name

    def __getitem__(self, name: str) -> int:
        return self.figures[name]


@dataclass(frozen=True)
class Stat:
    """What a program was at one time."""

    pid: int                  # the number that the program has for itself
    uid: int                  # its user
    program: str              # its name, at most 63 characters
    arguments: Tuple[str, ...]  # the words of its command line, at most 64
    start_time: int           # seconds since 1970, 0 if unknown
    options: Dict[str, str]   # the values of all options
    devices: Dict[Device, DeviceStat]  # those in use


@dataclass(frozen=True)
class Change:
    """What a swap, reset or trim did to one device."""

    device: Device
    idle_bytes: int           # idle before; given back, now or at a free
    before: Optional[str] = None  # the pool until then; None after a trim
    after: Optional[str] = None   # the pool from now on; None after a trim
    retired_bytes: int = 0    # live in pools that serve no longer
    error: Optional[str] = field(default=None)  # why nothing was done


def _not_understood(what: str) -> AnswerError:
    return AnswerError(f"the answer is not understood: {plain(what, 80)}")


def _text(whole: Dict[str, Any], name: str) -> str:
    value = whole.get(name)
    if not isinstance(value, str):
        raise _not_understood(f"its {name} is no text")
    return value


def _count(whole: Dict[str, Any], name: str) -> int:
    value = whole.get(name)
    if type(value) is not int:
        raise _not_understood(f"its {name} is no number")
    return value


def _device(whole: Any) -> Device:
    value = whole.get("device") if isinstance(whole, dict) else None
    if value == "host" or (type(value) is int and value >= 0):
        return value
    raise _not_understood("a device has no name")


def _devices(answer: Dict[str, Any]) -> List[Dict[str, Any]]:
    devices = answer.get("devices")
    if not isinstance(devices, list):
        raise _not_understood("it has no devices")
    for each in devices:
        _device(each)
    return devices


def _device_stat(whole: Dict[str, Any]) -> DeviceStat:
    figures = {k: v for k, v in whole.items()
               if type(v) is int and k != "device"}
    return DeviceStat(_device(whole), _text(whole, "pool"),
                      _text(whole, "fence"), _text(whole, "order"), figures)


def _stat(answer: Dict[str, Any]) -> Stat:
    words, options = answer.get("arguments"), answer.get("options")
    if (not isinstance(words, list) or
            not all(isinstance(word, str) for word in words)):
        raise _not_understood("its arguments are no texts")
    if (not isinstance(options, dict) or
            not all(isinstance(value, str) for value in options.values())):
        raise _not_understood("its options are no texts")
    devices = [_device_stat(each) for each in _devices(answer)]
    return Stat(_count(answer, "pid"), _count(answer, "uid"),
                _text(answer, "program"), tuple(words),
                _count(answer, "start_time"), options,
                {each.device: each for each in devices})


def _change(whole: Dict[str, Any]) -> Change:
    if "error" in whole:
        return Change(_device(whole), 0, error=plain(_text(whole, "error")))
    if "after" not in whole:
        return Change(_device(whole), _count(whole, "idle_bytes"))
    return Change(_device(whole), _count(whole, "idle_bytes"),
                  _text(whole, "before"), _text(whole, "after"),
                  _count(whole, "retired_bytes"))


def _changes(answer: Dict[str, Any]) -> List[Change]:
    """Raises RefusedError if a device could not be changed."""
    changes = [_change(each) for each in _devices(answer)]
    failed = [f"device {each.device}: {each.error}" for each in changes
              if each.error is not None]
    if failed:
        raise RefusedError("; ".join(failed), changes)
    return changes


class Program:
    """A program that runs under mnm.

    `pid` is its number as this process sees it, `name` that of the program,
    `uid` its user, `arguments` the words of its command line and `start_time`
    the second since 1970 in which it started. `pools` has the pool of each
    device in use, as of the last `stat` or order.

    `state` is "serves"; only `programs` makes others: "silent", if it did not
    answer, and "loaded", if it has not asked for memory yet and cannot be asked
    anything. `error` says more then; else it is empty."""

    def __init__(self, pid: int, timeout: float = TIMEOUT,
                 folder: Optional[str] = None) -> None:
        """Finds the program with that pid, 1 to 4194304, and asks for its
        figures.

        timeout: seconds, above 0.
        folder: look only into this folder of sockets, as the variable
        MNM_SOCKET_DIR says otherwise.

        Raises NotFoundError if no program of yours has it; see `stat` for
        others."""
        if type(pid) is not int or not 1 <= pid <= _PID_MAX:
            raise ArgumentError(f"pid {plain(repr(pid), 60)}: allowed: a "
                                f"number from 1 to {_PID_MAX}")
        deadline = deadline_of(timeout)
        self._begin(find_one(pid, folder))
        self.pid = pid
        if self._place is None:
            raise NotFoundError(f"pid {pid}: {self.error}")
        self.stat(timeout=max(0.001, deadline - time.monotonic()))

    def _begin(self, found: Found) -> None:
        self._place = found.place
        self.pid = found.pid
        self.uid = found.uid
        self.name = "?"
        self.arguments: Tuple[str, ...] = ()
        self.start_time = 0
        self.pools: Dict[Device, str] = {}
        self.state = "serves" if found.place else "loaded"
        self.error = "" if found.place else "loaded, no socket yet"

    @classmethod
    def _found(cls, found: Found) -> Program:
        program = cls.__new__(cls)
        program._begin(found)
        return program

    def __repr__(self) -> str:
        return (f"<mnm.Program {self.pid} {plain(self.name, 64)!r} "
                f"{self.state}>")

    def _take(self, stat: Stat) -> Stat:
        self.name = plain(stat.program, 64)
        self.arguments = stat.arguments
        self.start_time = stat.start_time
        self.pools = {d: each.pool for d, each in stat.devices.items()}
        self.state, self.error = "serves", ""
        return stat

    def _ask(self, command: str, timeout: float, order: bool = False,
             **fields: Any) -> Dict[str, Any]:
        deadline = deadline_of(timeout)
        line = request_line(command, fields, deadline if order else None)
        if not self._place:
            raise NotFoundError(f"pid {self.pid}: {self.error}")
        question = Question(self._place, line)
        ask_all([question], deadline)
        if question.answer is None:
            error = question.error
            assert error
            if isinstance(error, RefusedError):
                raise error
            raise type(error)(f"pid {self.pid}: {error}")
        return question.answer

    def stat(self, device: Optional[Device] = None,
             timeout: float = TIMEOUT) -> Stat:
        """The program's figures and options: of one device, or of all.

        timeout: seconds, above 0.

        Raises NotFoundError if the program has ended, NoAnswerError if it does
        not answer in time, RefusedError if the device is not in use,
        AnswerError if the answer is not understood."""
        stat = _stat(self._ask("stat", timeout, device=device))
        pools = self.pools
        self._take(stat)
        if device is not None:
            self.pools = {**pools, **self.pools}
        return stat

    def swap(self, pool: str, device: Optional[Device] = None,
             timeout: float = TIMEOUT) -> List[Change]:
        """Serves later requests from another pool, on one device or on all.

        pool: as for option pool: "vmm_pool", "best_fit_pool@managed",
        "0:no_pool,host:naive_pool".
        timeout: seconds, above 0. An order that has not begun a quarter of a
        second before is not carried out later.

        Live blocks stay where they are. Idle ones go back to the driver: at
        once if the program rests, else at its next free; `pending_bytes` of
        `stat` says how much has still to go. Returns what was done to each
        device; the list is empty if none is in use yet.

        Raises RefusedError if there is no such pool or device, with what is
        allowed; else as `stat`."""
        return self._order("swap", timeout, pool=pool, device=device)

    def reset(self, device: Optional[Device] = None,
              timeout: float = TIMEOUT) -> List[Change]:
        """Goes back to the pools that the program was started with. Otherwise
        as `swap`."""
        return self._order("reset", timeout, device=device)

    def trim(self, device: Optional[Device] = None,
             timeout: float = TIMEOUT) -> List[Change]:
        """Gives idle blocks back to the driver, as `swap` does. Raises what
        `swap` raises."""
        return self._order("trim", timeout, device=device)

    def mark(self, timeout: float = TIMEOUT) -> None:
        """Tells the program's pools that an iteration begins. Raises what
        `stat` raises."""
        self._ask("mark", timeout, True)

    def record(self, file: str, size: Optional[Union[str, int]] = None,
               timeout: float = TIMEOUT) -> Dict[str, Any]:
        """Records each request and free of the program in a file from now on.

        file: its path, for a program in another folder an absolute one; %p in
        it is the pid. size: past so many bytes, only the newest are kept.

        Returns what docs/protocol.md says of a recording. Raises RefusedError
        if there is one already, or the file can't be written; else as
        `stat`."""
        size = None if size is None else str(size)
        return self._recording("start", timeout, file=file, size=size)

    def stop_recording(self, timeout: float = TIMEOUT) -> Dict[str, Any]:
        """Ends the recording. Returns as `record`. Raises RefusedError if there
        is none; else as `stat`."""
        return self._recording("stop", timeout)

    def _recording(self, action: str, timeout: float,
                   **fields: Any) -> Dict[str, Any]:
        answer = self._ask("record", timeout, True, action=action, **fields)
        recording: Any = answer.get("recording")
        if not isinstance(recording, dict):
            raise _not_understood("it tells of no recording")
        return recording

    def _order(self, command: str, timeout: float,
               **fields: Any) -> List[Change]:
        changes = _changes(self._ask(command, timeout, True, **fields))
        self.pools.update((each.device, each.after) for each in changes
                          if each.after is not None)
        return changes

    def get(self, option: str, timeout: float = TIMEOUT) -> str:
        """The value of an option, in the words by which it is set: "64M" are
        64 MiB. Raises RefusedError if there is no such option, with those that
        there are; else as `stat`."""
        return _text(self._ask("set", timeout, option=option), "value")

    def set(self, option: str, value: Union[str, int],
            timeout: float = TIMEOUT) -> str:
        """Changes an option of the running program. Returns its new value.

        value: in the words of docs/options.md; a number of bytes may be an int.

        Raises RefusedError if the option cannot change while the program runs,
        or the value is out of its range, with what is allowed; else as
        `stat`."""
        answer = self._ask("set", timeout, True, option=option,
                           value=str(value))
        return _text(answer, "value")

    def known_pools(self, timeout: float = TIMEOUT) -> Dict[str, str]:
        """The pools that the program can be swapped to: each name with its
        summary, those of plug-ins too. Raises what `stat` raises."""
        rows = self._ask("pools", timeout).get("pools")
        if (not isinstance(rows, list) or
                not all(isinstance(row, dict) for row in rows)):
            raise _not_understood("it has no pools")
        return {_text(row, "name"): _text(row, "summary") for row in rows}


def programs(timeout: float = TIMEOUT,
             folder: Optional[str] = None) -> List[Program]:
    """The programs under mnm that you may look at, by rising pid: your own; as
    root those of all users.

    timeout: seconds, above 0, for all of them together. One that does not
    answer by then is in the list, with the state "silent".
    folder: look only into this folder of sockets, as the variable
    MNM_SOCKET_DIR says otherwise.

    Raises FolderError if a folder of sockets cannot be used."""
    deadline = deadline_of(timeout)
    found = [Program._found(each) for each in find_all(folder)]
    line = request_line("stat", {})
    asked = [(program, Question(program._place, line)) for program in found
             if program._place]
    ask_all([question for _, question in asked], deadline)
    ended = set()
    for program, question in asked:
        try:
            if question.answer is None:
                assert question.error
                raise question.error
            program._take(_stat(question.answer))
        except NotFoundError:
            ended.add(program.pid)
        except Error as error:
            program.state, program.error = "silent", str(error)
    return [program for program in found if program.pid not in ended]
