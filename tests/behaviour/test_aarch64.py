"""The build for aarch64, under qemu: the ways into the driver, a pool, and its
socket."""

import os
import shutil
import struct
import subprocess

import pytest

from conftest import BUILD, ROOT, SANITIZERS
from test_doors import REQUESTS
from test_order import use
from test_pool import took

HERE = os.path.join(BUILD, "aarch64")
LIBRARY = os.path.join(HERE, "libmnm.so")
QEMU = shutil.which("qemu-aarch64")

pytestmark = [
    pytest.mark.skipif(bool(SANITIZERS), reason="there is no sanitizer's "
                       "build for aarch64"),
    pytest.mark.skipif(not QEMU, reason="qemu-aarch64 is not installed; "
                       "scripts/setup --tests installs it on x86-64"),
    pytest.mark.skipif(not os.path.exists(LIBRARY), reason=f"{LIBRARY} was "
                       "not built; scripts/setup --tests installs what that needs"),
]


def program(name):
    return os.path.join(HERE, "tests", "programs", name)


@pytest.fixture(name="foreign")
def make_foreign(box):
    """Makes commands for a box's run and start that run qemu. The preload and
    the library path are for the program that qemu runs."""
    env_of = box.env
    box.env = lambda *args, **options: {
        name: value for name, value in env_of(*args, **options).items()
        if name not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}

    def command(*words, preload=(LIBRARY,)):
        loader = {"LD_LIBRARY_PATH": os.path.join(HERE, "sim")}
        if preload:
            loader["LD_PRELOAD"] = ":".join(preload)
        told = [word for name, value in loader.items()
                for word in ("-E", f"{name}={value}")]
        return [QEMU, "-L", "/usr/aarch64-linux-gnu", *told, *words]

    return command


def shell_of(box, foreign):
    shell = box.start(foreign(program("shell_driver")), "page_unit_pool")
    for line in ("init", "retain primary 0", "set primary"):
        assert shell(line) == "0"
    return shell


def beginnings(library, size):
    """The first bytes of each function of CUDA's that the library exports."""
    def table(*words):
        done = subprocess.run(["readelf", "-W", *words, library], text=True,
                              capture_output=True, check=True)
        return [line.split() for line in done.stdout.splitlines()]

    parts = [(int(line[1], 16), int(line[2], 16), int(line[4], 16))
             for line in table("-l") if line[:1] == ["LOAD"]]
    with open(library, "rb") as file:
        content = file.read()
    for line in table("--dyn-syms"):
        if len(line) < 8 or line[3] != "FUNC" or line[6] == "UND":
            continue
        # Of the API, and for NVTX: no tool looks for these.
        if line[7].startswith(("mnm_", "InitializeInjectionNvtx")):
            continue
        at = int(line[1], 16)
        start = next(offset + at - first for offset, first, length in parts
                     if first <= at < first + length)
        yield line[7].split("@")[0], content[start:start + size]


@pytest.mark.parametrize("name", ["libmnm.so", "sim/libcuda.so.1"])
def test_each_entry_begins_with_instructions_that_can_be_moved(name):
    move = 0x52800010  # mov w16, #0: the same anywhere
    found = dict(beginnings(os.path.join(HERE, name), 16))
    assert {"cuMemAlloc_v2", "cuMemFree_v2", "cuMemHostAlloc"} < set(found)
    assert set(found.values()) == {struct.pack("<4I", *[move] * 4)}


def test_the_library_is_what_a_preload_may_be():
    done = subprocess.run([os.path.join(ROOT, "scripts", "check-library"),
                           LIBRARY, os.path.join(ROOT, "src", "cuda"),
                           os.path.join(HERE, "gen", "hooks"),
                           os.path.join(ROOT, "include", "mnm")],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("form", ["1", "2"])
def test_the_door_answers_as_without_the_preload_and_leads_to_the_pool(
        box, foreign, form):
    door = [program("door"), form, REQUESTS]
    alone = box.run(foreign(*door, preload=()))
    under = box.run(foreign(*door), "page_unit_pool")
    assert under.stdout == alone.stdout
    assert len(alone.stdout.splitlines()) > 440
    stat = box.stat()
    assert (stat["allocs"], stat["hits"], stat["frees"]) == (2, 1, 2)
    assert box.report()[0]["cuMemAlloc_v2"] == 1


def test_a_freed_block_serves_again_with_its_contents(box, foreign):
    shell = shell_of(box, foreign)
    took(shell, "alloc a 5000")
    took(shell, "free a")
    took(shell, "alloc b 8192")
    assert shell("addr a") == shell("addr b")
    took(shell, "fill b 7")
    assert shell("check b 7").endswith("right")
    shell.end()
    assert (box.stat()["hits"], box.stat()["misses"]) == (1, 1)


def test_what_is_doubtful_is_noted_and_handed_on(box, foreign):
    alone = box.start(foreign(program("shell_driver"), preload=()))
    assert alone("init") == "0"
    answer = alone("table")
    alone.end()
    shell = shell_of(box, foreign)
    use(shell, "zero", 2)
    assert shell.stat()["order"] == "stream"
    assert shell("table") == answer
    assert shell.stat()["order"] == "fence"
    shell.end()


def test_the_socket_answers_and_swaps_the_pool(box, foreign):
    shell = shell_of(box, foreign)
    took(shell, "alloc a 5000")
    ps = box.run(foreign(os.path.join(HERE, "mnm"), "ps", preload=()))
    assert f" {shell.pid} " in ps.stdout and "page_unit_pool" in ps.stdout
    assert shell.ask("swap no_pool")["devices"][0]["after"] == "no_pool"
    assert shell.stat()["pool"] == "no_pool"
    assert shell.stat()["live_bytes"] == 5000
    took(shell, "free a")
    assert shell.stat()["live_bytes"] == 0
    shell.end()


def test_what_comes_next_is_the_callers_question(box, foreign):
    run = box.run(foreign(program("next"), preload=(
        program("next_answer.so"), LIBRARY)))
    assert run.stdout == "next\n"
