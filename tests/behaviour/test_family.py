"""Children of all kinds, and ends of all kinds."""

import os
import shutil
import signal
import subprocess

import pytest

from conftest import DEADLINE, FORMS, plain_build_only, program, \
    uncounted_build_only
from test_pool import took

pytestmark = plain_build_only

FAMILY = program("family")
LEAVER = program("leaver")
POOL = "page_unit_pool"


@pytest.mark.parametrize("what", [
    ["vfork", "true"], ["spawn", "true"], ["vfork", "sh", "-c", "exit 3"],
    ["daemon_first"], ["cuda_first"], ["idle_children"], ["cuda_children"],
    ["children_beside_threads"],
], ids=" ".join)
def test_a_program_with_children_sees_the_same(box, what):
    """Its children end by _exit. The next process or `mnm ps` removes what
    they leave."""
    alone = box.run([FAMILY, *what])
    beside = box.run([FAMILY, *what], POOL)
    assert beside.stdout == alone.stdout != ""
    assert "bad" not in alone.stdout or "bad 0" in alone.stdout
    assert beside.stderr == alone.stderr
    left = {"cuda_children": 200, "cuda_first": 1}.get(what[0], 0)
    assert bool(box.socket_files()) == bool(left)
    assert len(box.socket_files()) <= left
    box.mnm("ps")
    assert box.socket_files() == []


@pytest.mark.parametrize("how", ["vfork", "spawn"])
def test_an_executed_program_with_cuda_has_its_own_socket(box, how):
    """The program that started it has a socket of its own at the same time."""
    shell = box.start([FAMILY, how, *FORMS["shared"]], POOL)
    assert shell.read() == "block 1"
    took(shell, "alloc a 5000")
    child, = set(box.socket_files()) - {f"{shell.pid}.sock"}
    assert len(box.socket_files()) == 2
    assert box.mnm("stat", child.split(".")[0]).returncode == 0
    shell.process.stdin.close()
    while "block 1" not in (line := shell.read()):
        assert line == "child 0"
    assert shell.process.wait(DEADLINE) == 0
    assert box.socket_files() == []


@uncounted_build_only
def test_children_that_use_no_cuda_have_no_thread_and_no_socket(box):
    """idle_children looks at the threads of its children. This test looks at
    their calls."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    log = os.path.join(box.folder, "strace")
    box.run(["strace", "-ff", "-e", "trace=socket,connect,bind,mkdir,clone3,"
             "clone,unlink,openat", "-o", log, FAMILY, "vfork", "true"], POOL)
    traces = [name for name in os.listdir(box.folder)
              if name.startswith("strace.")]
    children = []
    for name in traces:
        with open(os.path.join(box.folder, name), encoding="utf-8") as file:
            text = file.read()
        # The parent starts mnm's thread, which binds the socket.
        parents = "bind(" in text or "clone3(" in text
        if not parents and "exited with 0" in text:
            children.append(text)
    assert any("libmnm.so" in text for text in children)
    for text in children:
        assert not any(call in text for call in (
            "socket(", "connect(", "mkdir(", "O_CREAT", "O_WRONLY"))


@pytest.mark.parametrize("how", ["exit", "_exit", "quick_exit", "thread",
                                 "return", "busy", "busy_exit"])
def test_a_program_ends_as_without_mnm(box, how):
    alone = box.run([LEAVER, how], check=False)
    assert alone.returncode == 7 and alone.stdout
    for pool in ("no_pool", POOL):
        beside = box.run([LEAVER, how], pool, check=False)
        assert (beside.returncode, beside.stdout, beside.stderr) == (
            7, alone.stdout, alone.stderr)
        # A program that runs no exit handlers leaves its file to `mnm ps`.
        leaves = how in ("_exit", "quick_exit", "busy_exit")
        assert len(box.socket_files()) == leaves
        assert box.mnm("ps", "--json").stdout.strip() == "[]"
        assert box.socket_files() == []


STEPS = ["mkdir", "socket", "bind", "chmod", "listen", "connect", "rename",
         "unlink", "clone3", "accept4"]


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_before_any_step_hinders_no_later_process(box, step):
    """What is left has the number of the next process."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    env = box.env(POOL)
    words = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={step}", "-e",
             f"inject={step}:error=EPERM:signal=KILL"]
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        words += ["-E", f"{name}={env.pop(name)}"]
    killed = subprocess.Popen([*words, *FORMS["shared"]], env=env, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    box.processes.append(killed)
    killed.stdin.write("alloc a 5000\n")
    killed.stdin.flush()
    answer = killed.stdout.readline()
    if step in ("unlink", "accept4") and answer:
        # These calls come at the end, or with a client.
        for name in box.socket_files():
            box.mnm("stat", name.split(".")[0], check=False)
        killed.stdin.close()
    assert killed.wait(DEADLINE) == -signal.SIGKILL
    killed.stderr.close()
    shell = box.shell(POOL)
    for name in box.socket_files():
        os.rename(os.path.join(box.sockets, name), os.path.join(
            box.sockets, f"{shell.pid}.{name.split('.')[1]}"))
    took(shell, "alloc a 5000")
    assert shell.stat()["live_bytes"] == 5000
    assert box.mnm("ps").stdout.count("shell_shared") == 1
    shell.end()
    assert box.socket_files() == [] and box.stderr() == ""


def test_a_kill_while_threads_allocate_hinders_no_later_process(box):
    busy = box.start([LEAVER, "stay"], POOL)
    assert (busy.read(), busy.read()) == ("leaves", "stays")
    os.kill(busy.pid, signal.SIGKILL)
    busy.process.wait(DEADLINE)
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    assert "shell_shared" in box.mnm("ps").stdout
    assert box.socket_files() == [f"{shell.pid}.sock"]
    shell.end()
