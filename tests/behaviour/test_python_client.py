"""The Python package, as a client of programs on the simulated device."""

import ast
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

from conftest import DEADLINE, MIB, ROOT, ask
from test_operator import stop

PACKAGE = os.path.join(ROOT, "python")
sys.path.insert(0, PACKAGE)
import mnm  # noqa: E402
from mnm import find, wire  # noqa: E402


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


@pytest.fixture
def shell(box):
    """A program with 1 MiB live and 2 MiB idle."""
    started = box.shell("page_unit_pool")
    for line in (f"alloc a {MIB}", f"alloc b {2 * MIB}", "free b"):
        assert started(line)
    return started


@pytest.fixture
def program(box, shell):
    return mnm.Program(shell.pid, folder=box.sockets)


def test_programs_finds_what_mnm_ps_finds(box, shell):
    second = box.shell("vmm_pool")
    assert second("alloc a 5000")
    found = mnm.programs(folder=box.sockets)
    listed = json.loads(box.mnm("ps", "--json").stdout)
    assert [p.pid for p in found] == sorted([shell.pid, second.pid])
    assert [(p.pid, p.name, p.uid, list(p.arguments), p.start_time, p.state)
            for p in found] == [
        (job["pid"], job["program"], job["uid"], job["arguments"],
         job["start_time"], job["state"]) for job in listed]
    assert {p.pid: p.pools[0] for p in found} == {
        shell.pid: "page_unit_pool", second.pid: "vmm_pool"}


def test_the_folder_of_the_variable_is_the_only_one(box, shell, monkeypatch):
    monkeypatch.setenv("MNM_SOCKET_DIR", box.sockets)
    assert [p.pid for p in mnm.programs()] == [shell.pid]
    monkeypatch.setenv("MNM_SOCKET_DIR", f"{box.folder}/none")
    assert mnm.programs() == []
    with pytest.raises(mnm.NotFoundError, match=f"pid {shell.pid}: no prog"):
        mnm.Program(shell.pid)


def test_a_program_whose_folder_is_not_known_is_found_too(box, shell,
                                                          monkeypatch):
    """Others may run beside the test, so only one is looked for."""
    monkeypatch.delenv("MNM_SOCKET_DIR", raising=False)
    assert shell.pid in [p.pid for p in mnm.programs()]
    assert mnm.Program(shell.pid).pools[0] == "page_unit_pool"


@pytest.mark.parametrize("flags", ["00010000", "listening"])
def test_what_others_write_into_the_kernels_table_hides_no_program(
        shell, monkeypatch, flags):
    """The path of a socket may have a newline, and more after it."""
    monkeypatch.delenv("MNM_SOCKET_DIR", raising=False)
    read = find._process_text

    def forged(pid, name):
        lines = read(pid, name).split(b"\n")
        if name == "net/unix":
            lines[1:1] = [b" ".join(
                [b"0: 00000002 00000000", flags.encode(), b"0001 01",
                 inode.encode(), b"/tmp/1.sock"])
                for inode in find._control_inodes(pid)]
        return b"\n".join(lines)

    monkeypatch.setattr(find, "_process_text", forged)
    assert mnm.Program(shell.pid).pools[0] == "page_unit_pool"


def test_a_name_that_somebody_chose_is_no_number():
    assert wire.Place("/x", "12.sock", 0).number == 12
    assert wire.Place("/x", "\u00b2.sock", 0).number == 0


FEW_DESCRIPTORS = """
import os, resource, sys
import mnm
before = os.listdir("/proc/self/fd")
most = resource.getrlimit(resource.RLIMIT_NOFILE)
for limit in range(3, 12):
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most[1]))
    for look in (lambda: mnm.Program(int(sys.argv[1]), 0.3, sys.argv[2]),
                 lambda: mnm.programs(0.3, sys.argv[2])):
        try:
            look()
        except mnm.Error:
            pass
    resource.setrlimit(resource.RLIMIT_NOFILE, most)
    assert os.listdir("/proc/self/fd") == before, limit
print("fine")
"""


def test_without_descriptors_there_is_an_error_of_ours(box, shell):
    """And none is lost."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", FEW_DESCRIPTORS, str(shell.pid),
         box.sockets], env={**os.environ, "PYTHONPATH": PACKAGE},
        capture_output=True, text=True, timeout=DEADLINE)
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_a_program_without_a_socket_is_listed_as_loaded(box):
    started = box.shell("page_unit_pool")
    started("sync")
    assert box.socket_files() == []
    found = mnm.programs(folder=box.sockets)
    assert [(p.pid, p.state) for p in found] == [(started.pid, "loaded")]
    with pytest.raises(mnm.NotFoundError, match="no socket yet"):
        found[0].stat()
    with pytest.raises(mnm.NotFoundError, match="no socket yet"):
        mnm.Program(started.pid, folder=box.sockets)


def test_stat_has_every_figure_as_the_program_says_it(box, shell, program):
    stat, answer = program.stat(), shell.ask("stat")
    names = re.findall(r"^COUNTER\((\w+),",
                       read("src", "common", "counter_list.h"), re.M)
    assert len(names) > 30
    assert list(stat.devices) == [d["device"] for d in answer["devices"]]
    assert stat.devices[0].figures == {
        name: answer["devices"][0][name] for name in (*names, "total_bytes")}
    assert stat.devices[0]["live_bytes"] == MIB
    assert stat.devices[0]["idle_bytes"] == 2 * MIB
    assert stat.options == answer["options"]
    assert (stat.pid, stat.uid) == (shell.pid, os.geteuid())


def test_a_swap_takes_effect_and_frees_nothing_that_is_live(shell, program):
    (change,) = program.swap("vmm_pool", device=0)
    assert (change.device, change.before, change.after) == (
        0, "page_unit_pool", "vmm_pool")
    assert change.idle_bytes == 2 * MIB and change.retired_bytes == MIB
    assert shell.stat()["pool"] == "vmm_pool" == program.pools[0]
    assert shell.stat()["live_bytes"] == MIB
    assert program.reset(device=0)[0].after == "page_unit_pool"
    assert shell.stat()["pool"] == "page_unit_pool" == program.pools[0]


def test_a_trim_says_what_was_idle(program):
    changes = {each.device: each for each in program.trim()}
    assert changes[0].idle_bytes == 2 * MIB
    assert changes[0].before is changes[0].after is None


def test_an_option_is_read_and_set(shell, program):
    assert program.get("pool_limit") == "0"
    assert program.set("pool_limit", 3 * MIB) == "3M"
    assert program.get("pool_limit") == "3M"
    assert shell.ask("stat")["options"]["pool_limit"] == "3M"


def test_the_pools_that_are_there_are_listed(shell, program):
    assert program.known_pools() == {
        row["name"]: row["summary"] for row in shell.ask("pools")["pools"]}


REFUSED = {
    "pool": (lambda p: p.swap("x"), "pools: page_unit_pool"),
    "device": (lambda p: p.stat(device=7), "no such device is in use"),
    "option": (lambda p: p.get("x"), "unknown option 'x'; known: pool"),
    "fixed": (lambda p: p.set("page_size", "8K"), "those that can:"),
    "value": (lambda p: p.set("fence", "x"), "allowed: fence, sync, none"),
    "zero byte": (lambda p: p.swap("no_pool\0"), "object of JSON"),
    "half a letter": (lambda p: p.swap("\ud800"), "object of JSON"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_program_refuses_is_said_in_its_words(shell, program, what):
    call, words = REFUSED[what]
    before = shell.stat(), shell.ask("stat")["options"]
    with pytest.raises(mnm.RefusedError, match=re.escape(words)) as caught:
        call(program)
    assert "\n" not in str(caught.value) and caught.value.changes == []
    assert (shell.stat(), shell.ask("stat")["options"]) == before


ARGUMENTS = {
    "pid 0": lambda p: mnm.Program(0),
    "a pid that is a text": lambda p: mnm.Program("7"),
    "a pid beyond all": lambda p: mnm.Program(4194305),
    "timeout 0": lambda p: p.stat(timeout=0),
    "timeout nan": lambda p: p.stat(timeout=float("nan")),
    "timeout inf": lambda p: mnm.programs(timeout=float("inf")),
    "a long request": lambda p: p.set("fence", "x" * 1000),
}


@pytest.mark.parametrize("what", ARGUMENTS)
def test_an_argument_out_of_range_is_an_error_of_ours(program, what):
    with pytest.raises(mnm.ArgumentError, match="allowed") as caught:
        ARGUMENTS[what](program)
    assert isinstance(caught.value, mnm.Error)
    assert isinstance(caught.value, ValueError)


def test_a_program_that_has_ended_is_not_found(shell, program):
    shell.end()
    with pytest.raises(mnm.NotFoundError, match=f"pid {shell.pid}: "):
        program.stat()


def test_one_whose_folder_has_gone_with_it_has_ended(box, shell, program):
    """As one in a container, which is found through its own root."""
    place = program._place
    place.folder = f"/proc/{shell.pid}/root{box.sockets}"
    assert program.stat().pid == shell.pid
    shell.end()
    with pytest.raises(mnm.NotFoundError, match="the program has ended"):
        program.stat()


def test_an_order_without_an_answer_is_not_carried_out_later(shell, program):
    stop(shell)
    try:
        with pytest.raises(mnm.NoAnswerError, match="no answer in time"):
            program.swap("no_pool", timeout=0.3)
    finally:
        os.kill(shell.pid, signal.SIGCONT)
    assert program.stat(timeout=DEADLINE).devices[0].pool == "page_unit_pool"


def test_an_order_says_until_when_it_may_be_carried_out():
    begun = int(time.time() * 1000)
    order = json.loads(mnm.client.request_line(
        "swap", {"pool": "no_pool", "device": None}, time.monotonic() + 60))
    assert begun < order.pop("until") < int(time.time() * 1000) + 60000
    assert order == {"command": "swap", "pool": "no_pool"}
    assert json.loads(mnm.client.request_line("stat", {})) == {
        "command": "stat"}


def test_a_device_that_was_not_changed_is_an_error_that_has_the_others():
    done = {"device": 0, "before": "a", "after": "b", "idle_bytes": 1,
            "retired_bytes": 2}
    with pytest.raises(mnm.RefusedError, match="device 1: no memory") as caught:
        mnm.client._changes({"devices": [
            done, {"device": 1, "error": "no memory for a new pool"}]})
    assert caught.value.changes[0] == mnm.Change(**done)
    assert [each.device for each in caught.value.changes] == [0, 1]


def test_every_error_is_an_error_of_ours():
    for name in mnm.__all__:
        if name.endswith("Error"):
            assert issubclass(getattr(mnm, name), mnm.Error)
            assert f"`mnm.{name}`" in read("docs", "python.md"), name


def test_the_page_of_the_protocol_has_every_figure_command_and_field(box,
                                                                     shell):
    page = read("docs", "protocol.md")
    text = read("src", "common", "counter_list.h").replace("\\\n", "")
    rows = re.findall(r'COUNTER\((\w+), [^,]+, (\w+), "(.*?)"\)', text)
    assert len(rows) > 30
    for name, unit, words in rows:
        assert f"| `{name}` | {unit.lower()} | {words} |" in page, name
    for row in ask(box.socket_of(shell.pid), "help")["commands"]:
        cells = [", ".join(f"`{f}`" for f in row[k]) for k in ("needs", "may")]
        line = f"| `{row['command']}` | {cells[0]} | {cells[1]} |"
        assert line.replace("  ", " ") in page, line
    fields = re.findall(r"^FIELD\((\w+), \w+\)",
                        read("src", "control", "request.h"), re.M)
    assert len(fields) >= 6
    for name in fields:
        assert re.search(rf"^\| `{name}` \| (text|integer)", page, re.M), name


def test_the_limits_of_the_package_are_those_of_the_protocol():
    header = read("src", "common", "protocol.h")
    for name, own in (("ANSWER_SCHEMA", "SCHEMA"),
                      ("REQUEST_MAX", "REQUEST_MAX")):
        value = re.search(rf"#define {name} +(\d+)", header).group(1)
        assert re.search(rf"^{own} = {value}\b",
                         read("python", "mnm", "wire.py"), re.M), name


def modules():
    folder = os.path.join(PACKAGE, "mnm")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".py")]


@pytest.mark.parametrize("path", modules(), ids=os.path.basename)
def test_a_module_is_written_in_python_3_9(path):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), feature_version=(3, 9))
    assert ast.get_docstring(tree)


def python_of(minor):
    """A Python 3.minor that runs, or None. pyenv's commands are there even
    where the Python is not the chosen one."""
    name = f"python3.{minor}"
    root = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    for path in [shutil.which(name), *glob.glob(
            f"{glob.escape(root)}/versions/3.{minor}.*/bin/{name}")]:
        if path and subprocess.run([path, "-c", ""], capture_output=True,
                                   timeout=DEADLINE).returncode == 0:
            return path
    return None


@pytest.mark.parametrize("minor", range(9, 14))
def test_the_package_imports(minor):
    python = python_of(minor)
    if not python:
        pytest.skip(f"there is no python3.{minor}")
    done = subprocess.run(
        [python, "-B", "-W", "error", "-c", "import mnm, typing\n"
         "typing.get_type_hints(mnm.programs); print(mnm.__version__)"],
        env={**os.environ, "PYTHONPATH": PACKAGE}, capture_output=True,
        text=True, timeout=DEADLINE)
    assert (done.returncode, done.stdout) == (0, f"{mnm.__version__}\n"), (
        done.stderr)


def test_each_call_has_type_hints_and_says_what_it_does():
    for name in mnm.__all__:
        thing = getattr(mnm, name)
        if callable(thing) and name != "Device":
            assert thing.__doc__, name
    for name, call in vars(mnm.Program).items():
        if callable(call) and not name.startswith("_"):
            assert call.__doc__ and "return" in call.__annotations__, name


def test_the_version_is_the_projects():
    version = re.search(r'MNM_VERSION "(.*?)"',
                        read("src", "common", "version.h")).group(1)
    assert mnm.__version__ == version
