"""Recordings: functions of Python and of others' code that is made as the
program runs, which have their names from a perf map."""

import contextlib
import functools
import glob
import os
import pickle
import platform
import re
import shutil
import subprocess

import pytest

from conftest import MIB, MNM, await_true, plain_build_only, program
from recordings import export, rows_of, rows, told
from test_recording import kill

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="the program's code is of x86-64")
POOL = "page_unit_pool"
STEP, SIZE = 16, 11  # of a trampoline, in bytes
FUNCTIONS = ["take", "Layer.forward", "train", "<module>"]


class Jitted:
    """A running tests/programs/jitted."""

    def __init__(self, box, folder, pool=POOL, **options):
        self.shell = box.start([program("jitted")], pool,
                               record=folder / "out",
                               **{"record_stacks": 1, **options})
        self.box, self.path = box, folder / "out"
        self.base = int(self.shell.read(), 16)
        self.map = f"/tmp/perf-{self.shell.pid}.map"

    def line(self, number, name):
        return f"{self.base + STEP * number:x} {SIZE:x} {name}\n".encode()

    def python(self, names=FUNCTIONS, first=0):
        return b"".join(self.line(first + i, f"py::{name}:/srv/job/train.py")
                        for i, name in enumerate(names))

    def write(self, text):
        with open(self.map, "ab") as file:
            file.write(text)

    def do(self, *words):
        assert self.shell(" ".join(map(str, words))) == "0"

    def stacks(self):
        """Pairs of file and function of each stack."""
        stacks = told(self.box, self.path)["devices"][0]["stacks"]
        return [[(frame["file"], frame["function"])
                 for frame in each["frames"]] for each in stacks]

    def named(self):
        """The named functions of the stack of most bytes."""
        return [function for file, function in self.stacks()[0]
                if file == "train.py"]

    def remove(self):
        if os.path.isdir(self.map) and not os.path.islink(self.map):
            os.rmdir(self.map)
        elif os.path.lexists(self.map):
            os.unlink(self.map)


@pytest.fixture
def start(box, tmp_path):
    started = []

    def begin(**options):
        started.append(Jitted(box, tmp_path, **options))
        started[-1].remove()  # of a process that had its number before
        return started[-1]

    yield begin
    for each in started:
        each.remove()


@pytest.fixture
def jitted(start):
    return start()


# What is named.

def test_functions_of_python_are_in_their_stacks(jitted):
    """The interpreter's own functions between them are not."""
    jitted.write(jitted.python())
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    stack, = jitted.stacks()
    assert stack[:5] == [("jitted", "ask")] + [("train.py", name)
                                               for name in FUNCTIONS]
    assert not {file for file, _ in stack[5:]} & {"jitted", "train.py"}


def test_a_report_names_the_innermost_function_of_python(jitted):
    jitted.write(jitted.python())
    jitted.do("call", 4, 2 * MIB)
    jitted.do("direct", MIB)
    jitted.shell.end()
    text = jitted.box.mnm("report", jitted.path).stdout
    by_site, by_stack = text.split("by their stacks")
    assert re.search(r"2\.00 MiB +67% +1  jitted +ask\n", by_site)
    assert re.search(r"1\.00 MiB +33% +1  train.py +take\n", by_site)
    assert re.search(r"3\.00 MiB +100% +2  train.py +take\n", by_stack)


def test_an_export_names_them(jitted):
    jitted.write(jitted.python())
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    text = export(jitted.box, jitted.path, "--format", "folded").stdout
    inner = ["train.py`" + name for name in reversed(FUNCTIONS)]
    assert ";".join(inner + ["jitted`ask"]) + f" {MIB}\n" in text
    snapshot = f"{jitted.path}.pickle"
    export(jitted.box, jitted.path, "--format", "torch", "--output", snapshot)
    with open(snapshot, "rb") as file:
        snapshot = pickle.load(file)
    taken = snapshot["device_traces"][0][0]
    lives = snapshot["segments"][0]["blocks"][0]
    for frames in taken["frames"], lives["frames"]:
        assert [frame["name"] for frame in frames][:5] == ["ask"] + FUNCTIONS
        assert {frame["filename"] for frame in frames[1:5]} == {
            "/srv/job/train.py"}


def test_code_that_asks_itself_is_named_without_stacks(start):
    jitted = start(record_stacks=0)
    jitted.write(jitted.python())
    jitted.do("direct", MIB)
    jitted.shell.end()
    text = jitted.box.mnm("report", jitted.path).stdout
    assert re.search(r"1\.00 MiB +100% +1  train.py +take\n", text)


@pytest.mark.parametrize("name", [
    "LazyCompile:~load /srv/a.js:3", "Lcom/some/Thing;::run", "py::", "py::a",
    "py::a:", "x", "a b  c"],
    ids=["node", "java", "empty", "no file", "an empty file", "short",
         "spaces"])
def test_names_of_others_are_as_they_are(jitted, name):
    jitted.write(jitted.line(0, name))
    jitted.do("call", 1, MIB)
    jitted.shell.end()
    assert jitted.stacks()[0][1] == ("[JIT]", name)


def test_what_is_not_named_is_as_before(jitted):
    jitted.do("call", 2, MIB)
    jitted.do("direct", MIB)
    jitted.shell.end()
    for stack in jitted.stacks():
        assert ("(code of no file)", hex(jitted.base + 6)) in stack[:2]
    assert "name" not in {row["kind"] for row in rows(jitted.box,
                                                      jitted.path)}


def test_the_newest_line_is_right(jitted):
    """What a process with the same number has left comes first."""
    jitted.write(jitted.python(["old"] * 4) + jitted.python())
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS


def test_a_thread_has_them_too(jitted):
    jitted.write(jitted.python())
    jitted.do("thread", 3, MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS[:3]


@plain_build_only
def test_a_forked_child_leaves_the_names_alone(jitted):
    jitted.write(jitted.python())
    jitted.do("call", 2, MIB)
    jitted.do("fork", 4, MIB)
    jitted.do("call", 4, 2 * MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS
    assert len(jitted.stacks()) == 2


# When it is read.

def names_in(box, path):
    """What a recording names so far."""
    text = export(box, path, check=False).stdout
    return [row["text"].split("\t")[1] for row in rows_of(text)
            if row["kind"] == "name"]


def names_now(jitted):
    return names_in(jitted.box, jitted.path)


def test_a_map_may_come_and_grow_while_it_is_recorded(jitted):
    """And it is gone by the time that the program ends."""
    jitted.do("call", 1, MIB)
    jitted.do("pairs", 1)
    await_true(jitted.path.exists)
    jitted.write(jitted.python(["first"]))
    jitted.do("direct", MIB)
    await_true(lambda: names_now(jitted) == ["first"])
    jitted.write(jitted.python(["second"], 1))
    jitted.do("call", 2, MIB)
    await_true(lambda: names_now(jitted) == ["first", "second"])
    os.unlink(jitted.map)
    jitted.write(jitted.python(["third"], 2))
    jitted.do("call", 3, 16 * MIB)
    await_true(lambda: "third" in names_now(jitted))
    jitted.remove()
    jitted.shell.end()
    assert jitted.named() == ["first", "second", "third"]


def test_a_name_may_have_been_there_for_long(jitted):
    jitted.write(jitted.python())
    jitted.do("call", 1, MIB)
    await_true(lambda: jitted.path.exists() and
               names_now(jitted) == FUNCTIONS[:1])
    jitted.do("call", 4, 2 * MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS


def test_names_are_there_if_the_program_is_killed(jitted):
    jitted.write(jitted.python())
    jitted.do("call", 4, MIB)
    await_true(lambda: jitted.path.exists() and
               len(names_now(jitted)) == len(FUNCTIONS))
    kill(jitted.shell)
    assert jitted.named() == FUNCTIONS


def names_of_last_part(jitted):
    alone = f"{jitted.path}.alone"
    with contextlib.suppress(FileNotFoundError):
        shutil.copy(jitted.path, alone)
        return names_in(jitted.box, alone)
    return []


def test_both_parts_of_a_long_recording_have_the_names(start, tmp_path):
    jitted = start(record_size="1M")
    jitted.write(jitted.python())
    jitted.do("call", 4, MIB)
    for _ in range(1000):
        jitted.do("pairs", 2000)
        if (tmp_path / "out.before").exists():
            break
    assert (tmp_path / "out.before").exists()
    await_true(lambda: set(names_of_last_part(jitted)) == set(FUNCTIONS))
    kill(jitted.shell)


def test_a_large_map_is_read_to_its_end(jitted):
    jitted.write(jitted.python(["old"]))
    jitted.write(b"".join(b"%x b py::f%d:/srv/job/other.py\n" %
                          (0x10000 + 16 * i, i) for i in range(200000)))
    jitted.write(jitted.python())
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS


# What is no perf map, or a bad one.

JUNK = bytes(range(256)) * 1024
ALL = b"0 ffffffffffffffff everything\n"


@pytest.mark.parametrize("text", [pytest.param(text, id=str(i))
                                  for i, text in enumerate([
    JUNK + b"\n", b"\n" * 100000, b" \n", b"zz 10 name\n", b"10\n", b"10 \n",
    b"10 10\n", b"10 10 \n", b"-1 10 name\n", b"10 -1 name\n",
    b"f" * 100 + b" 10 name\n", b"10 " + b"f" * 100 + b" name\n",
    b"ffffffffffffffff ffffffffffffffff name\n", b"ffffffffffffffff 1 n\n",
    b"0 0 name\n", b"10 10 " + b"x" * (1 << 20) + b"\n",
    b"\0" * 100000 + b"\n", b"x" * 65536 + b"\n", b"x" * 65535 + b"\n",
    ALL, ALL * 1000, b"0x10 0x10 name\n", b"0x 0x 0x\n"])])
def test_lines_that_say_nothing_are_passed_over(jitted, text):
    jitted.write(text + jitted.python())
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS


def test_the_last_line_may_not_be_there_yet(jitted):
    jitted.write(jitted.python() + jitted.line(0, "py::half:/srv")[:-1])
    jitted.do("call", 4, MIB)
    jitted.shell.end()
    assert jitted.named() == FUNCTIONS


@pytest.mark.parametrize("name, function", [
    (b"x" * 60000, "x" * 255), (b"a\0b\tc\x1b[2J\x7f", "a?b?c?[2J?"),
    ("\u202eevil \u00e9".encode(), "?evil ?"), (b"\xff\xfe", "??")],
    ids=["long", "controls", "unicode", "bytes"])
def test_odd_names_are_made_fit(jitted, name, function):
    jitted.write(jitted.line(0, "NAME").replace(b"NAME", name))
    jitted.do("call", 1, MIB)
    jitted.shell.end()
    file, found = jitted.stacks()[0][1]
    assert file == "[JIT]"
    assert found == function[:len(found)] and len(found) >= min(
        len(function), 60)


def fifo(jitted, _):
    os.mkfifo(jitted.map)


def link(jitted, folder):
    (folder / "map").write_bytes(jitted.python())
    os.symlink(folder / "map", jitted.map)


def folder(jitted, _):
    os.mkdir(jitted.map)


def others(jitted, _):
    if os.geteuid():
        pytest.skip("only root can give a file away")
    jitted.write(jitted.python())
    os.chown(jitted.map, 65534, 65534)


def unreadable(jitted, _):
    jitted.write(jitted.python())
    os.chmod(jitted.map, 0)
    if not os.geteuid():
        os.chown(jitted.map, 65534, 65534)


@pytest.mark.parametrize("make", [fifo, link, folder, others, unreadable])
def test_only_a_file_of_the_users_own_is_read(jitted, tmp_path, make):
    make(jitted, tmp_path)
    jitted.do("call", 4, MIB)
    jitted.do("direct", MIB)
    jitted.shell.end()
    assert len(jitted.stacks()) == 2
    assert jitted.named() == []


# Python itself.

@functools.cache
def python():
    """An interpreter that makes trampolines, or None."""
    found = [shutil.which(f"python3.{minor}") for minor in range(20, 11, -1)]
    found += glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))
    for path in filter(None, found):
        done = subprocess.run(
            [path, "-c", "import sys; print(sys.executable, "
             "hasattr(sys, 'activate_stack_trampoline'))"],
            capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.endswith(" True\n"):
            return done.stdout.split()[0]
    return None


JOB = """
import ctypes
import os
import threading

runtime = ctypes.CDLL("libcudart.so.13")

def take(size):
    block = ctypes.c_void_p()
    return runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(size))

class Layer:
    def forward(self, size):
        return take(size)

def beside():
    assert not take(1 << 20)

def train():
    assert not Layer().forward(4 << 20)
    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    child = os.fork()
    if not child:
        take(1 << 20)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    print(os.getpid(), child)

train()
"""


@plain_build_only
@pytest.mark.skipif(not python(), reason="there is no CPython 3.12 or later")
def test_python_itself_tells_its_functions(box, tmp_path):
    job, path = tmp_path / "job.py", tmp_path / "out"
    job.write_text(JOB)
    done = box.run([MNM, "run", "--record", path, "--python", "--stacks=1",
                    "--", python(), job])
    for pid in done.stdout.split():
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"/tmp/perf-{pid}.map")
    large, small = told(box, path)["devices"][0]["stacks"]
    for stack, functions in (large, ["take", "Layer.forward", "train",
                                     "<module>"]), (small, ["take", "beside"]):
        assert [frame["function"] for frame in stack["frames"]
                if frame["file"] == "job.py"] == functions


@pytest.mark.parametrize("words, python_support, stacks", [
    ([], None, None), (["--python"], "1", "1M"),
    (["--python", "--stacks=64K"], "1", "64K"),
    (["--python", "--set", "record_stacks=2M"], "1", "2M"),
    (["--stacks"], None, "1M")])
def test_the_command_asks_python_for_its_functions(box, words, python_support,
                                                   stacks):
    done = box.mnm("run", *words, "--", "/usr/bin/env")
    found = dict(line.split("=", 1) for line in done.stdout.splitlines()
                 if "=" in line)
    assert found.get("PYTHONPERFSUPPORT") == python_support
    assert found.get("MNM_RECORD_STACKS") == stacks
