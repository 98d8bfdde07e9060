"""However CUDA, mnm and other libraries come into a process, the job is the
same."""

import glob
import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

from conftest import (BUILD, DEADLINE, FORMS, LIBRARY, ROOT, plain_build_only,
                      program, uncounted_build_only)
from test_pool import took

pytestmark = plain_build_only

SCRIPT = ("alloc a 5000\nfill a 3\ncheck a 3\nfree a\nalloc b 5000\nfill b 4\n"
          "check b 4\nfree b\nlast\n")
DRIVER_SCRIPT = ("init\nretain primary 0\nset primary\n" +
                 SCRIPT.replace("last\n", ""))
JOB = os.path.join(ROOT, "tests", "programs", "ctypes_job.py")
PLUGIN = program("shell_plugin.so")


def preloads(*libraries):
    return f"LD_PRELOAD={':'.join(libraries)}"


def needs(tool):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")


def alone(box, command, script=SCRIPT):
    return box.run(command, stdin=script).stdout


def test_a_plugin_may_be_closed_and_opened_again(box):
    command = [program("plugin_host"), PLUGIN, "twice"]
    script = f"{SCRIPT}leave\n{SCRIPT}"
    run = box.run(command, "page_unit_pool", stdin=script)
    assert run.stdout == alone(box, command, script)
    assert box.stat()["hits"] == 3


def test_a_plugin_that_is_bound_deeply_works_and_is_not_served(box):
    command = [program("plugin_host"), PLUGIN, "deepbind"]
    run = box.run(command, "page_unit_pool", stdin=SCRIPT)
    assert run.stdout == alone(box, command) and run.stderr == ""
    assert not os.path.exists(box.stat_file)


def test_cuda_that_is_loaded_apart_works_and_is_said_once(box):
    command = [program("plugin_host"), PLUGIN, "apart"]
    run = box.run(command, "page_unit_pool", stdin=SCRIPT)
    assert run.stdout == alone(box, command)
    assert run.stderr.count("\n") == 1 and "dlmopen" in run.stderr
    for quiet in ({"log": "error"}, {"disable": "1"}):
        run = box.run(command, "page_unit_pool", stdin=SCRIPT, **quiet)
        assert run.stdout == alone(box, command) and run.stderr == ""


def test_another_library_that_is_loaded_apart_is_nothing_to_say(box):
    command = [program("plugin_host"), "libc.so.6", "apart"]
    run = box.run(command, "page_unit_pool", check=False)
    assert run.returncode == 1 and "mnm" not in run.stderr


@pytest.mark.parametrize("form", ["shared", "static"])
@pytest.mark.parametrize("first", [True, False])
def test_another_dlsym_goes_on_being_used(box, form, first):
    """If mnm is first, its requests go through what the other dlsym hands out.
    If the other is first, it looks past mnm, and mnm sees only calls by the
    exported names."""
    libraries = [LIBRARY, program("other_dlsym.so")]
    run = box.run(["env", preloads(*libraries[::1 if first else -1]),
                   *FORMS[form]], "page_unit_pool", stdin=SCRIPT)
    assert run.stdout == alone(box, FORMS[form])
    assert run.stderr.startswith("other: looked")
    assert os.path.exists(box.stat_file) == first
    if first:
        assert box.stat()["hits"] == 1
        assert box.stat()["driver_allocs"] == 1
        assert run.stderr == "other: looked took 1\n"


@pytest.mark.parametrize("first", [True, False])
def test_a_library_that_asks_for_the_next_does_not_find_itself(box, first):
    libraries = [LIBRARY, program("start_tool.so")]
    run = box.run(["env", preloads(*libraries[::1 if first else -1]),
                   *FORMS["static"]], "page_unit_pool", stdin=SCRIPT)
    assert set(run.stderr.splitlines()) == {"start_tool: no other"}
    assert box.stat()["hits"] == 1


def test_a_python_program_by_ctypes_is_served(box):
    run = box.run([sys.executable, JOB], "page_unit_pool")
    assert (run.stdout, run.stderr) == ("job 0\n", "")
    assert (box.stat()["hits"], box.stat()["misses"]) == (2, 1)
    assert box.socket_files() == []


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_of_multiprocessing_are_served(box, method):
    files = os.path.join(box.folder, "stat-%p")
    run = box.run([sys.executable, JOB, method], "page_unit_pool",
                  stat_file=files)
    assert (run.stdout, run.stderr) == ("children [0, 0, 0]\n", "")
    written = [f for f in os.listdir(box.folder) if f.startswith("stat-")]
    # Forked processes leave by _exit. Their socket files stay until the next
    # process sweeps them.
    assert len(written) == (3 if method == "spawn" else 0)
    for name in written:
        with open(os.path.join(box.folder, name), encoding="utf-8") as file:
            assert json.load(file)["devices"][0]["hits"] == 2
    assert bool(box.socket_files()) == (method != "spawn")
    box.mnm("ps")
    assert box.socket_files() == []
    box.mnm("ps")
    assert box.socket_files() == []


@pytest.mark.parametrize("form", ["per_thread", "static"])
def test_work_in_all_kinds_of_streams_keeps_its_promises(box, form):
    """The streams are the default ones of each thread, or those of a static
    runtime."""
    run = box.run(["env", "-u", "MNM_SIM_CLOCK",
                   program(f"runtime_{form}_claims")], "page_unit_pool",
                  sim="1G")
    assert "Failures: 0, Errors: 0" in run.stdout and run.stderr == ""
    assert os.path.exists(box.stat_file)


def test_a_program_of_address_sanitizer_is_served(box):
    run = box.run([program("shell_asan")], "page_unit_pool",
                  stdin=DRIVER_SCRIPT)
    assert run.stdout == alone(box, FORMS["driver"], DRIVER_SCRIPT)
    assert run.stderr == "" and box.stat()["hits"] == 1


def test_a_program_under_strace_is_served(box):
    needs("strace")
    run = box.run(["strace", "-f", "-o", "/dev/null", *FORMS["static"]],
                  "page_unit_pool", stdin=SCRIPT)
    assert run.stdout == alone(box, FORMS["static"])
    assert run.stderr == "" and box.stat()["hits"] == 1


def test_a_program_under_gdb_is_served(box):
    needs("gdb")
    script = os.path.join(box.folder, "script")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    env = box.env("page_unit_pool")
    words = ["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off",
             "-ex", f"set environment LD_PRELOAD={env.pop('LD_PRELOAD')}",
             "-ex", "break cudaMalloc", "-ex", f"run < {script}",
             "-ex", "backtrace", "-ex", "delete", "-ex", "continue"]
    done = subprocess.run([*words, *FORMS["shared"]], env=env, text=True,
                          capture_output=True, timeout=DEADLINE)
    assert "hooks/memory.c" in done.stdout and "run_alloc" in done.stdout
    assert "exited normally" in done.stdout
    assert done.stdout.count("right") == 2
    assert box.stat()["hits"] == 1


@pytest.mark.parametrize("form", ["shared", "driver"])
def test_memcheck_finds_no_error(box, form):
    needs("valgrind")
    script = DRIVER_SCRIPT if form == "driver" else SCRIPT
    log = os.path.join(box.folder, "valgrind")
    run = box.run(["valgrind", "-q", "--error-exitcode=9",
                   f"--log-file={log}.%p", "--leak-check=full",
                   "--show-leak-kinds=definite",
                   "--errors-for-leak-kinds=definite", *FORMS[form]],
                  "page_unit_pool", stdin=script, check=False)
    said = ""
    for name in os.listdir(box.folder):
        if name.startswith("valgrind"):
            with open(os.path.join(box.folder, name),
                      encoding="utf-8") as file:
                said += file.read()
    assert "libmnm.so" not in said
    assert run.returncode == 0 and said == "", said
    assert run.stdout == alone(box, FORMS[form], script)
    assert box.stat()["hits"] == 1


@uncounted_build_only
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to be another user")
@pytest.mark.parametrize("how", ["preloaded", "linked"])
def test_a_setuid_program_is_left_alone(box, how):
    """The loader drops the preload. A program that is linked with the library
    finds it inert."""
    if os.statvfs(box.folder).f_flag & os.ST_NOSUID:
        pytest.skip(f"no setuid programs in {box.folder}")
    os.chmod(box.folder, 0o777)
    made = os.path.join(box.folder, "setuid")
    if how == "linked":
        # The other user may not see the build, and the loader ignores $ORIGIN.
        folder = os.path.join(box.folder, "lib")
        shutil.copytree(os.path.join(BUILD, "sim"), folder)
        shutil.copy(LIBRARY, folder)
        objects = glob.glob(os.path.join(BUILD, "obj", "tests", "programs",
                                         "shell*.o"))
        built = subprocess.run(
            ["gcc", *(path for path in objects if "runtime" not in path),
             "-Wl,--no-as-needed", f"{folder}/libmnm.so",
             f"{folder}/libcuda.so.1", f"-Wl,-rpath,{folder}",
             "-o", made], capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
    else:
        shutil.copy("/bin/cat", made)
    os.chown(made, 65534, 65534)
    os.chmod(made, 0o755 | stat.S_ISUID)
    if how == "preloaded":
        run = box.run([made, "/proc/self/maps"], "page_unit_pool",
                      check=False)
        assert "libc.so" in run.stdout and "libmnm" not in run.stdout
        return
    run = box.run([made], "no_such_pool", stdin=DRIVER_SCRIPT, preload=False)
    assert run.stdout == alone(box, FORMS["driver"], DRIVER_SCRIPT)
    assert run.stderr == "" and box.socket_files() == []


def test_signals_and_masks_stay_the_programs(box):
    """This is what its main thread blocks, catches and ignores, and its
    umask."""
    fields = {}
    for pool in (None, "page_unit_pool"):
        shell = box.shell(pool)
        for line in ("alloc a 5000", "fill a 3"):  # with a thread, and alone
            took(shell, line)
        with open(f"/proc/{shell.pid}/status", encoding="utf-8") as file:
            fields[pool] = [line for line in file if line.split(":")[0] in
                            ("SigBlk", "SigIgn", "SigCgt", "Umask")]
        shell.end()
    assert len(fields[None]) == 4
    assert fields[None] == fields["page_unit_pool"]
