"""Where sockets go, by one rule, and what namespaces change about that."""

import os
import subprocess

import pytest

from conftest import FORMS, LIBRARY, MNM, ask, plain_build_only
from test_pool import took

pytestmark = plain_build_only

POOL = "page_unit_pool"
DEFAULT = f"/tmp/mnm-{os.geteuid()}"
NAMESPACES = ["unshare", "--map-root-user", "--pid", "--fork"]


def placed(box, chosen, runtime):
    """Sets the same variables for the programs and for `mnm`."""
    env_of = box.env

    def env(pool, **options):
        made = env_of(pool, **options)
        del made["MNM_SOCKET_DIR"]
        made.pop("XDG_RUNTIME_DIR", None)
        if chosen is not None:
            made["MNM_SOCKET_DIR"] = chosen
        if runtime is not None:
            made["XDG_RUNTIME_DIR"] = runtime
        return made

    box.env = env


@pytest.mark.parametrize("chosen, runtime, expected", [
    ("{box}/chosen", "{box}/own", "{box}/chosen"),
    (None, "{box}/own", "{box}/own/mnm"),
    ("", "{box}/own", "{box}/own/mnm"),
    (None, None, "{default}"),
    (None, "", "{default}"),
    (None, "relative", "{default}"),
    (None, "{box}/missing", "{default}"),
    (None, "{box}/file", "{default}"),
    (None, "{box}/others", "{default}"),
])
def test_mnm_looks_where_the_library_puts_its_socket(box, chosen, runtime,
                                                     expected):
    if runtime and "others" in runtime and os.geteuid():
        pytest.skip("needs root to make another user's folder")
    for name in ("own", "others"):
        os.mkdir(os.path.join(box.folder, name), 0o700)
    if not os.geteuid():
        os.chown(os.path.join(box.folder, "others"), 65534, 65534)
    with open(os.path.join(box.folder, "file"), "w", encoding="utf-8"):
        pass
    chosen, runtime, expected = (
        word and word.format(box=box.folder, default=DEFAULT)
        for word in (chosen, runtime, expected))
    placed(box, chosen, runtime)
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    assert f"{shell.pid}.sock" in os.listdir(expected)
    assert f"pid {shell.pid}" in box.mnm("stat", shell.pid).stdout
    # Somebody else's job may be silent.
    assert str(shell.pid) in box.mnm("ps", check=False).stdout
    shell.end()
    assert f"{shell.pid}.sock" not in os.listdir(expected)
    assert box.stderr() == ""


def test_a_runtime_folder_that_is_read_only_is_not_passed_over(box):
    """The rule puts the socket there. Nobody would look for it elsewhere."""
    runtime = os.path.join(box.folder, "own")
    os.mkdir(runtime, 0o700)
    words = ["unshare", "--map-root-user", "--mount"]
    if subprocess.run([*words, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no mount namespaces here")
    placed(box, None, runtime)
    run = box.run([*words, "sh", "-c", f"mount -t tmpfs -o ro,mode=700 none "
                   f'{runtime} && exec "$@"', "sh", *FORMS["shared"]], POOL,
                  stdin="alloc a 5000\nfree a\nalloc a 5000\n")
    assert run.stdout == "0 0 set\n0 0\n0 0 set\n"
    assert f"{runtime}/mnm: Read-only file system" in run.stderr
    assert run.stderr.count("\n") == 1 and box.stat()["hits"] == 1


@pytest.fixture
def inner(box):
    """A program that is number 1 in a PID namespace of its own."""
    if subprocess.run([*NAMESPACES, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no PID namespaces here")
    env = box.env(POOL)
    shell = box.start([*NAMESPACES, "env", f"LD_PRELOAD={LIBRARY}",
                       *FORMS["shared"]])
    assert env["MNM_SOCKET_DIR"] == box.sockets
    took(shell, "alloc a 5000")
    return shell


def test_a_program_of_another_pid_namespace_is_reached_by_its_own_number(
        box, inner):
    """A process that shares the folder finds it. Its number is the one inside
    the namespace."""
    assert box.socket_files() == ["1.sock"]
    assert "shell_shared, pid 1" in box.mnm("stat", 1).stdout
    assert "shell_shared" in box.mnm("ps").stdout
    assert box.mnm("swap", 1, "no_pool").stdout.startswith("pid 1 device 0: ")
    took(inner, "free a")
    inner.end()
    assert box.socket_files() == []


def test_the_second_of_two_with_the_same_number_has_no_socket(box, inner):
    """It is number 1 of its own namespace as well, and both use the same
    folder."""
    run = box.run([*NAMESPACES, "env", f"LD_PRELOAD={LIBRARY}",
                   *FORMS["shared"]], stdin="alloc a 5000\nfree a\n")
    assert run.stdout == "0 0 set\n0 0\n"
    assert run.stderr.count("\n") == 1
    assert "Address already in use" in run.stderr
    assert ask(box.socket_of(1), "pools")["pools"]
    assert box.socket_files() == ["1.sock"]
    inner.end()


def test_mnm_in_a_namespace_removes_no_living_programs_socket(box):
    """A number that is free in the namespace is in use outside."""
    if subprocess.run([*NAMESPACES, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no PID namespaces here")
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    listed = box.run([*NAMESPACES, MNM, "ps"])
    assert str(shell.pid) in listed.stdout
    assert box.socket_files() == [f"{shell.pid}.sock"]
    assert shell.stat()["live_bytes"] == 5000
    shell.end()
