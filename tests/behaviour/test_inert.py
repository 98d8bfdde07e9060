"""Programs that use no CUDA, or only ask about it, are left alone."""

import os
import shutil
import subprocess
import sys

import pytest

from conftest import DEADLINE, FORMS, LIBRARY, plain_build_only, program, \
    uncounted_build_only
from test_pool import took

pytestmark = plain_build_only

HOSTS = {
    "bash": ["bash", "-c", "f() { echo $((6 * 7)); }; f | cat; type cd;"
             "ls /nowhere; exit 3"],
    "bash with jobs": ["bash", "-c", "sleep 0 & wait; echo $(echo a)`echo b`;"
                       "trap 'echo end' EXIT; (exit 4)"],
    "git": ["git", "-c", "safe.directory=*", "log", "--oneline", "-3"],
    "git's error": ["git", "nonsense"],
    "python3": [sys.executable, "-c", "import ctypes, json, subprocess, ssl,"
                "threading; print(json.dumps([1, 2])); print(ctypes.CDLL("
                "None).strlen(b'abc')); print(subprocess.check_output("
                "['echo', 'x'])); raise SystemExit(5)"],
    "python3's error": [sys.executable, "-c", "1 / 0"],
    "gcc": ["gcc", "-x", "c", "-", "-S", "-o", "-"],
    "gcc's error": ["gcc", "-x", "c", "/nowhere.c"],
    "true": ["/bin/true"],
    "false": ["/bin/false"],
}


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_program_is_the_same_under_the_preload(box, name):
    if not shutil.which(HOSTS[name][0]):
        pytest.skip(f"{HOSTS[name][0]} is not installed")
    stdin = "int main(void) { return 2; }\n"
    alone, under = (box.run(HOSTS[name], pool, check=False, stdin=stdin)
                    for pool in (None, "page_unit_pool"))
    assert (under.returncode, under.stdout, under.stderr) == (
        alone.returncode, alone.stdout, alone.stderr)
    assert not os.path.exists(box.sockets)
    assert not os.path.exists(box.stat_file)


def traced(box, command, stdin=""):
    """The system calls that change something, by a program under the
    preload."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    path = os.path.join(box.folder, "strace")
    env = box.env("page_unit_pool")
    words = ["strace", "-f", "-o", path]
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        words += ["-E", f"{name}={env.pop(name)}"]
    subprocess.run([*words, *command], env=env, input=stdin, text=True,
                   check=True, timeout=DEADLINE, capture_output=True)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert any("libmnm.so" in line for line in lines)
    return [line for line in lines if any(
        call in line for call in ("socket(", "clone(", "clone3(", "mkdir",
                                  "O_WRONLY", "O_RDWR", "O_CREAT", "unlink",
                                  "connect(", "bind(", "fork("))]


@uncounted_build_only
def test_a_program_without_cuda_gets_no_thread_socket_or_file(box):
    assert traced(box, ["/bin/true"]) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_program_that_only_asks_gets_no_socket(box, form):
    init = "init\n" if form == "driver" else ""
    calls = traced(box, FORMS[form], stdin=f"{init}count\n")
    ours = [c for c in calls if "O_" not in c or "mnm-test" not in c]
    assert not any(word in c for c in ours for word in
                   ("socket(", "bind(", "mkdir"))
    assert box.socket_files() == []
    assert not os.path.exists(box.stat_file)


def test_a_program_gets_its_socket_with_its_first_block(box):
    shell = box.shell("page_unit_pool")
    took(shell, "count")
    took(shell, "free_at 0")
    took(shell, "info")
    assert box.socket_files() == []
    took(shell, "alloc a 1")
    assert box.socket_files() == [f"{shell.pid}.sock"]
    shell.end()


def test_without_a_driver_a_program_gets_cudas_own_error(box):
    env_of = box.env
    box.env = lambda pool, **options: {
        **env_of(pool, **options), "LD_LIBRARY_PATH": box.folder}
    os.symlink(os.path.join(os.path.dirname(program("")), "..", "..", "sim",
                            "libcudart.so.13"),
               os.path.join(box.folder, "libcudart.so.13"))
    script = "count\nalloc a 5000\nfree_at 0\ninfo\nlast\n"
    alone, under = (box.run(FORMS["shared"], pool, stdin=script)
                    for pool in (None, "page_unit_pool"))
    assert under.stdout == alone.stdout and under.stderr == alone.stderr
    assert alone.stdout.split()[0] != "0"
    assert not os.path.exists(box.sockets)


def test_without_a_driver_each_entry_is_an_error():
    """A weak reference to one of CUDA's entries finds ours."""
    code = """
import ctypes, subprocess, sys
library = ctypes.CDLL(sys.argv[1])
listed = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]],
                        capture_output=True, text=True, check=True).stdout
names = [line.split()[-1] for line in listed.splitlines()]
names = [name for name in names if name.startswith("cu")]
for name in names:
    print(name, flush=True)
    assert library[name](*[ctypes.c_void_p(0)] * 12) != 0
print(len(names))
"""
    done = subprocess.run([sys.executable, "-c", code, LIBRARY],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout.splitlines()[-1:] + [done.stderr]
    assert int(done.stdout.splitlines()[-1]) > 250
