"""Folders of sockets, users and processes as other machines have them, made
with namespaces."""

import json
import os
import struct
import subprocess

import pytest

from conftest import (FORMS, MNM, answer_of, connect, plain_build_only,
                      request)
from test_doctor import doctor, found, no_driver
from test_operator import root_only
from test_pool import took
from test_resident import another_tmp, in_another_tmp

POOL = "page_unit_pool"


def words_or_skip(*words):
    if subprocess.run([*words, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip(f"no {' '.join(words)} here")
    return list(words)


def mounted(commands):
    """The words that start a program after these commands have been run."""
    words = words_or_skip("unshare", "--map-root-user", "--mount")
    return [*words, "sh", "-c", f'{commands} && exec "$@"', "sh"]


def another_user():
    """The words by which a program's user has another number. All our files
    are that user's."""
    return words_or_skip("unshare", "--user")


def by_runtime(box):
    """Lets jobs and `mnm` use XDG_RUNTIME_DIR, which is the box's."""
    env_of = box.env

    def env(*args, **options):
        made = env_of(*args, **options)
        made.pop("MNM_SOCKET_DIR")
        made["XDG_RUNTIME_DIR"] = box.folder
        return made

    box.env = env
    return box


def test_a_second_place_that_is_there_is_taken_again(box):
    """A place that others may enter is not taken."""
    shell = in_another_tmp(box, "ln -s /etc /tmp/mnm-0 && "
                           "mkdir -m 700 /tmp/mnm-0-mine && "
                           "mkdir -m 755 /tmp/mnm-0-open", FORMS["shared"])
    took(shell, "alloc a 5000")
    tmp = os.path.join(box.folder, "tmp")
    assert os.listdir(os.path.join(tmp, "mnm-0-mine")) == [f"{shell.pid}.sock"]
    assert os.listdir(os.path.join(tmp, "mnm-0-open")) == []
    assert sorted(name for name in os.listdir(tmp)
                  if name.startswith("mnm-0")) == ["mnm-0", "mnm-0-mine",
                                                   "mnm-0-open"]
    shell.end()
    assert box.stderr() == ""


def test_a_folder_of_ones_own_that_is_open_is_not_passed_over(box):
    """The user may have opened it and has to close it: no second place is
    made."""
    shell = in_another_tmp(box, "mkdir -m 755 /tmp/mnm-0", FORMS["shared"])
    took(shell, "alloc a 5000")
    tmp = os.path.join(box.folder, "tmp")
    assert [name for name in os.listdir(tmp) if name.startswith("mnm-0")] == [
        "mnm-0"]
    shell.end()
    assert box.stderr() == "mnm: warn: no control socket: /tmp/mnm-0: has " \
        "to be a folder of yours with mode 0700\n"


def test_a_runtime_folder_with_a_long_path_is_told(box):
    long = os.path.join(box.folder, 100 * "x")
    os.mkdir(long, 0o700)
    env_of = by_runtime(box).env
    box.env = lambda *args, **options: {**env_of(*args, **options),
                                        "XDG_RUNTIME_DIR": long}
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    shell.end()
    assert box.stderr() == "mnm: warn: no control socket: the folder's path " \
        "is too long\n"
    assert box.stat()["allocs"] == 1


@root_only
def test_another_user_than_root_has_the_same_commands(box):
    shell = by_runtime(box).shell(POOL)
    took(shell, "alloc a 5000")
    # There, no user of this machine has a folder of that user's name.
    _, mount = another_tmp(box)
    done = subprocess.run([*mounted(mount), *another_user(), MNM, "ps",
                           "--json"],
                          env=box.env(None), capture_output=True, text=True,
                          check=True)
    job, = json.loads(done.stdout)
    assert job["pid"] == shell.pid and job["uid"] != 0
    assert job["devices"][0]["live_bytes"] == 5000
    shell.end()


@root_only
def test_a_program_with_capabilities_is_a_problem_for_all_but_root(box):
    path = os.path.join(box.folder, "able")
    with open("/bin/true", "rb") as true, open(path, "wb") as file:
        file.write(true.read())
    os.chmod(path, 0o755)
    net_raw = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)
    try:
        os.setxattr(path, "security.capability", net_raw)
    except OSError:
        pytest.skip(f"no capabilities of files in {box.folder}")
    status, findings = doctor(box, "--", path, **no_driver(box))
    assert status == 0
    status, findings = doctor(box, "--", path, before=another_user(),
                              **no_driver(box))
    found(findings, "problem", "program", "with capabilities")
    assert status == 1


@plain_build_only
def test_a_folder_that_can_not_be_written_is_a_problem(box):
    os.mkdir(box.sockets, 0o700)
    status, findings = doctor(
        box, before=mounted("mount -t tmpfs -o ro,mode=700 none "
                            f"{box.sockets}"), **no_driver(box))
    found(findings, "problem", "sockets", "Read-only file system")
    assert status == 1


@plain_build_only
def test_a_machine_without_a_toolkit_needs_none(box):
    _, findings = doctor(
        box, before=mounted("{ [ ! -d /usr/local/cuda ] || mount -t tmpfs "
                            "none /usr/local/cuda; }"), CUDA_HOME="",
        CUDA_PATH="", **no_driver(box))
    found(findings, "ok", "toolkit", "programs that are built need none")


def test_jobs_outside_of_mnms_container_are_known_by_their_files(box):
    """In the container the kernel has no numbers for them."""
    words = words_or_skip("unshare", "--map-root-user", "--pid", "--fork")
    shells = [box.shell(POOL) for _ in range(3)]
    for number, shell in enumerate(shells):
        took(shell, f"alloc a {1000 + number}")
    done = subprocess.run([*words, MNM, "ps", "--json"], env=box.env(None),
                          capture_output=True, text=True, check=False)
    live = {job["pid"]: job["devices"][0]["live_bytes"]
            for job in json.loads(done.stdout)}
    assert live == {shell.pid: 1000 + number
                    for number, shell in enumerate(shells)}
    for shell in shells:
        with connect(box.socket_of(shell.pid)) as client:
            client.sendall(request("pools"))
            assert "pools" in answer_of(client)
        shell.end()
