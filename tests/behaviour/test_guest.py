"""What programs do besides CUDA works as it does without mnm."""

import os
import shutil

import pytest

from conftest import BUILD, MNM, plain_build_only, program

GUEST = program("guest")


@plain_build_only  # ThreadSanitizer has a thread of its own
def test_a_program_whose_main_leaves_ends(box):
    assert box.run([GUEST, "main_leaves"]).stdout == "main leaves\n"
    beside = box.run([GUEST, "main_leaves"], "page_unit_pool")
    assert beside.stdout == "main leaves\n"
    assert box.socket_files() == []


@pytest.mark.parametrize("what, options", [
    ("keeps_errno", {}),
    ("reopens_input", {}),
    ("closes_all_and_listens", {}),
    ("two_threads_want_room", {"sim": "1G"}),
    ("room_beside_releases", {"sim": "1G"}),
    ("context_comes_and_goes", {}),
    ("eight_threads_share_room", {"sim": "1G"}),
    ("eight_threads_share_room", {"sim": "4G", "hard_limit": "1000M"}),
])
def test_a_program_sees_the_same(box, what, options):
    alone = box.run([GUEST, what], **options)
    beside = box.run([GUEST, what], "page_unit_pool", **options)
    assert alone.stdout and beside.stdout == alone.stdout


def test_a_line_on_a_stderr_that_nobody_reads_harms_nothing(box):
    run = box.run([GUEST, "has_broken_stderr"], "no_such_pool")
    assert run.stdout == "alive, block 1\n"


@pytest.mark.parametrize("what", ["two_devices_meet", "two_peers_meet"])
def test_a_swap_does_not_stop_work_that_meets_across_devices(box, what):
    shell = box.start([GUEST, what], "page_unit_pool", devices=2)
    assert shell.read() == "ready"
    assert shell.ask("swap no_pool")["devices"][0]["after"] == "no_pool"
    shell.send("")
    assert shell.read() == "met, block 1"
    shell.end()


def test_two_peers_meet_without_a_swap(box):
    shell = box.start([GUEST, "two_peers_meet"], "page_unit_pool", devices=2)
    assert shell.read() == "ready"
    shell.send("")
    assert shell.read() == "met, block 1"
    shell.end()


def test_a_path_that_the_loader_cannot_preload_is_refused(box):
    for name in ("a folder", "a:folder"):
        folder = os.path.join(box.folder, name)
        os.mkdir(folder)
        for part in ("mnm", "libmnm.so"):
            shutil.copy(os.path.join(BUILD, part), folder)
        run = box.run([os.path.join(folder, "mnm"), "run", "--", "echo",
                       "started"], check=False)
        assert (run.returncode, run.stdout) == (1, "")
        assert run.stderr.startswith("mnm: ") and run.stderr.count("\n") == 1


def test_a_runtime_folder_that_is_not_there_is_passed_over(box):
    env = box.env("page_unit_pool")
    del env["MNM_SOCKET_DIR"]
    env["XDG_RUNTIME_DIR"] = os.path.join(box.folder, "missing")
    box.env = lambda *args, **kwargs: env
    run = box.run([GUEST, "keeps_errno"])
    assert run.stderr == ""
    assert not os.path.exists(env["XDG_RUNTIME_DIR"])


def test_a_relative_socket_folder_is_refused(box):
    run = box.run([MNM, "run", "--set", "socket_dir=here", "--", "true"],
                  check=False)
    assert run.returncode == 2 and "absolute path" in run.stderr


@plain_build_only
def test_a_program_with_an_odd_name_has_a_plain_one(box):
    odd = os.path.join(os.fsencode(box.folder), b"odd\x1b\n\xff")
    shutil.copy(program("shell_shared"), odd)
    shell = box.start([odd], "page_unit_pool")
    shell("alloc a 5000")
    assert shell.ask("stat")["program"] == "odd???"
    assert "odd???, pid" in box.mnm("stat", shell.pid).stdout
    assert "odd???" in box.mnm("ps").stdout
    shell.end()
