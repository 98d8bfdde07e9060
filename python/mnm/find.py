"""Where programs under mnm are, by the rules of docs/protocol.md: in the folders
in which sockets may be, and among the processes that have loaded the library."""

from __future__ import annotations

import os
import re
import stat
from typing import Dict, Iterator, List, Optional, Tuple

from .errors import Error, FolderError, NotFoundError, plain
from .wire import Place, folder_open

LIBRARY = b"/libmnm.so"
CONTROL_THREAD = b"mnm-control\n"
SOCKET = re.compile(r"([1-9][0-9]{0,6})\.sock")
PID_MAX = 4194304
PATH_MAX = 107    # bytes of a socket's path
# A socket of the kernel's table, /proc/PID/net/unix, that listens: its inode and
# its path. Anybody may have chosen a path, one with a newline and another entry.
LISTENER = re.compile(r"[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} 00010000 [0-9A-F]{4} "
                      r"[0-9A-F]{2} +([0-9]+) (/.*)")


class Found:
    """A process that may be asked (it has a place), or that has only loaded
    the library."""

    def __init__(self, pid: int, uid: int, place: Optional[Place]) -> None:
        self.pid = pid
        self.uid = uid
        self.place = place


def _chosen(folder: Optional[str]) -> Optional[str]:
    """The only folder to look into, if one is chosen."""
    if folder is None:
        folder = os.environ.get("MNM_SOCKET_DIR") or None
    if folder is None:
        return None
    if not os.path.isabs(folder) or "\0" in folder:
        raise FolderError(f"folder of sockets '{plain(folder, 60)}': allowed: "
                          "absolute path")
    if len(os.fsencode(f"{folder}/{PID_MAX}.sock")) > PATH_MAX:
        raise FolderError(f"folder of sockets '{plain(folder, 60)}...': too "
                          "long for a socket in it")
    return folder


def _listed(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _of_others() -> Iterator[str]:
    """The folders of all users, for root. Anybody may have made them."""
    for name in _listed("/run/user"):
        yield f"/run/user/{name}/mnm"
    for name in _listed("/tmp"):
        if name.startswith("mnm-"):
            yield f"/tmp/{name}"


def _candidates() -> Iterator[Tuple[str, bool]]:
    """Each folder in which sockets may be, and whether it has to be the
    caller's own."""
    uid = os.geteuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime):
        yield f"{runtime}/mnm", True
    yield f"/run/user/{uid}/mnm", True
    yield f"/tmp/mnm-{uid}", True
    for name in _listed("/tmp"):
        if name.startswith(f"mnm-{uid}-"):
            yield f"/tmp/{name}", False
    if uid == 0:
        for path in _of_others():
            yield path, False


def _folder_owner(path: str, own: bool) -> Optional[int]:
    """The user whose folder it is, or None if it is none that counts. Raises
    FolderError if it ought to be the caller's own and is not."""
    uid = os.geteuid()
    try:
        folder = folder_open(path, uid if own else None)
    except NotFoundError:
        return None
    except FolderError:
        if own:
            raise
        return None
    seen = os.fstat(folder)
    os.close(folder)
    if stat.S_IMODE(seen.st_mode) & 0o077 or uid not in (0, seen.st_uid):
        return None
    return seen.st_uid


def _folders(chosen: Optional[str]) -> Tuple[Dict[str, int],
                                             Optional[FolderError]]:
    """The folders to look into, with their owners, and what was wrong with
    another."""
    found: Dict[str, int] = {}
    doubt = None
    for path, own in [(chosen, True)] if chosen else _candidates():
        try:
            owner = _folder_owner(path, own)
        except FolderError as error:
            doubt = error
            continue
        if owner is not None:
            found.setdefault(os.path.realpath(path), owner)
    return found, doubt


def _process_text(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read(1 << 20)
    except OSError:
        return b""


def process_has_library(pid: int) -> bool:
    """Whether the process has libmnm.so loaded."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as maps:
            return any(LIBRARY in line for line in maps)
    except OSError:
        return False


def _in_scope(pid: int, chosen: Optional[str]) -> bool:
    variables = _process_text(pid, "environ").split(b"\0")
    return b"MNM_DISABLE=1" not in variables and (
        not chosen or b"MNM_SOCKET_DIR=" + os.fsencode(chosen) in variables)


def _is_forked(pid: int) -> bool:
    """Whether the process is a child that has executed no other program since
    the fork."""
    words = _process_text(pid, "stat").rpartition(b")")[2].split()
    parent = int(words[1]) if len(words) > 1 else 0
    own = _process_text(pid, "cmdline")
    return (parent > 1 and own != b"" and
            own == _process_text(parent, "cmdline") and
            process_has_library(parent))


def _control_inodes(pid: int) -> List[str]:
    """The inodes of the sockets that the control thread has."""
    for thread in _listed(f"/proc/{pid}/task"):
        if _process_text(pid, f"task/{thread}/comm") != CONTROL_THREAD:
            continue
        inodes = []
        for fd in _listed(f"/proc/{pid}/task/{thread}/fd"):
            try:
                target = os.readlink(f"/proc/{pid}/task/{thread}/fd/{fd}")
            except OSError:
                continue
            inodes += re.findall(r"^socket:\[(\d+)\]$", target)
        return inodes
    return []


def _places_of(pid: int, owner: int) -> Iterator[Place]:
    """Where a process may listen, by its control thread and the kernel's table
    of sockets. The path is that in the process's own root. The table has the
    name that the socket was made under, which has another suffix."""
    inodes = _control_inodes(pid)
    table = _process_text(pid, "net/unix") if inodes else b""
    for line in table.decode(errors="surrogateescape").split("\n"):
        match = LISTENER.fullmatch(line)
        if match and match[1] in inodes:
            folder, _, name = match[2].rpartition("/")
            yield Place(f"/proc/{pid}/root{folder}",
                        name.rpartition(".")[0] + ".sock", owner, False)


def _process_found(pid: int, chosen: Optional[str]) -> Optional[Found]:
    """The process, if it runs under mnm and the caller may steer it."""
    try:
        owner = os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return None
    if (pid == os.getpid() or os.geteuid() not in (0, owner) or
            not process_has_library(pid) or not _in_scope(pid, chosen)):
        return None
    places = list(_places_of(pid, owner))
    for place in places:
        found = _answers(Found(pid, owner, place))
        if found:
            return found
    return None if places or _is_forked(pid) else Found(pid, owner, None)


def _answers(found: Found) -> Optional[Found]:
    """The process if somebody listens at its place whom the caller may ask; its
    pid is then the one that the kernel tells."""
    assert found.place
    try:
        made = found.place.connect()
    except Error:
        return None
    if made:
        made.close()
        found.pid = found.place.peer or found.pid
    return found


def _in_folders(folders: Dict[str, int],
                only: Optional[int]) -> Iterator[Found]:
    """The processes that listen in the folders."""
    for folder, owner in folders.items():
        names = [f"{only}.sock"] if only else _listed(folder)
        for name in names:
            match = SOCKET.fullmatch(name)
            if not match:
                continue
            place = Place(folder, name, owner)
            found = _answers(Found(int(match[1]), owner, place))
            if found:
                yield found


def _proc_pids() -> List[int]:
    """The pids in /proc, if it is that of this process's namespace."""
    try:
        if os.readlink("/proc/self") != str(os.getpid()):
            return []
    except OSError:
        return []
    return [int(name) for name in _listed("/proc") if name.isdigit()]


def find_all(folder: Optional[str] = None) -> List[Found]:
    """All programs under mnm that the caller may steer, by rising pid."""
    chosen = _chosen(folder)
    folders, doubt = _folders(chosen)
    found: Dict[int, Found] = {}
    for each in _in_folders(folders, None):
        found.setdefault(each.pid, each)
    for pid in _proc_pids():
        each_or_none = None if pid in found else _process_found(pid, chosen)
        if each_or_none:
            found.setdefault(each_or_none.pid, each_or_none)
    if doubt and (chosen or not found):
        raise doubt
    return sorted(found.values(), key=lambda each: each.pid)


def find_one(pid: int, folder: Optional[str] = None) -> Found:
    """The program of that pid, or else the one that has this number where it
    runs, as in a container. Raises NotFoundError if there is none."""
    chosen = _chosen(folder)
    for each in _in_folders(_folders(chosen)[0], pid):
        if each.pid == pid:
            return each
    each_or_none = _process_found(pid, chosen) if pid in _proc_pids() else None
    if each_or_none:
        return each_or_none
    for each in find_all(folder):
        if pid in (each.pid, each.place.number if each.place else 0):
            return each
    raise NotFoundError(f"pid {pid}: no program of yours under mnm has it")
