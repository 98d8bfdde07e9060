"""Tools that watch a process write a jump over the first bytes of an entry,
and make the overwritten instructions run elsewhere. They can do so under mnm,
and they see each call."""

import os
import re
import subprocess

import pytest

from conftest import BUILD, DEADLINE, LIBRARY, plain_build_only, program
from test_rows import HOOKED, compare, walk, walk_alone

pytestmark = plain_build_only

DRIVER = os.path.join(BUILD, "sim", "libcuda.so.1")
RUNTIME = os.path.join(BUILD, "sim", "libcudart.so.13")
CONFORMANCE = os.path.join(BUILD, "tests", "conformance")
SEEN_ALL = ("wrong 0 allocs 20 frees 20\n" +
            "wrong 0 allocs 22 frees 22\n" * 2)  # none once restored


def exports(library):
    names = subprocess.run(["nm", "-D", "--defined-only", library], text=True,
                           capture_output=True, check=True).stdout
    return {line.split()[2].split("@")[0] for line in names.splitlines()
            if line.split()[1] in "TW"}


OWN = ("mnm_", "InitializeInjectionNvtx")


class Patches:
    """A preload that patches every function that a library exports."""

    def __init__(self, folder, library):
        self.library = library
        self.report = os.path.join(folder, "patches")

    def env(self, preloads=()):
        return {"PATCH_LIBRARY": os.path.basename(self.library),
                "PATCH_REPORT": self.report,
                "LD_PRELOAD": ":".join([*preloads, program("patch_all.so")])}

    def told(self, word):
        with open(self.report, encoding="utf-8") as file:
            return {line.split()[1] for line in file
                    if line.split()[0] == word}

    def check(self):
        """No tool patches the functions of mnm/mnm.h, nor those that NVTX
        calls."""
        def entries(names):
            return {name for name in names if not name.startswith(OWN)}

        assert entries(self.told("refused")) == set()
        assert entries(self.told("patched")) == entries(exports(self.library))


def test_each_entry_works_with_its_first_instructions_elsewhere(box):
    patches = Patches(box.folder, LIBRARY)
    plain = box.env
    box.env = lambda *args, **options: {**plain(*args, **options),
                                        **patches.env([LIBRARY])}
    under = walk(box, "exports", "page_unit_pool")
    compare(walk_alone("exports"), under)
    patches.check()
    assert HOOKED | {"dlsym"} <= patches.told("called")


@pytest.mark.parametrize("noun", ["memory", "host", "stream", "graph",
                                  "context"])
def test_the_simulated_driver_works_likewise(box, noun):
    patches = Patches(box.folder, DRIVER)
    env = {**box.env(None, sim="1G"), **patches.env()}
    done = subprocess.run([os.path.join(CONFORMANCE, noun)], env=env,
                          capture_output=True, text=True, check=False,
                          timeout=DEADLINE)
    assert done.returncode == 0, done.stdout + done.stderr
    patches.check()
    assert {"cuInit", "cuGetProcAddress_v2"} & patches.told("called")


@pytest.mark.parametrize("pool", ["no_pool", "page_unit_pool"])
def test_the_runtimes_entries_work_likewise(box, pool):
    """These are CUDA's own entries, which ours call."""
    patches = Patches(box.folder, RUNTIME)
    words = [f"{name}={value}" for name, value
             in patches.env([LIBRARY]).items()]
    script = "alloc a 5000\nfill a 3\ncheck a 3\nfree a\nlast\n"
    shell = program("shell_shared")
    run = box.run(["env", *words, shell], pool, stdin=script)
    assert run.stdout == box.run([shell], stdin=script).stdout
    patches.check()
    assert "cudaMalloc" in patches.told("called")


DOORS = ["driver", "runtime", "pinned", "runtime-pinned"]


@pytest.mark.parametrize("pool", [None, "no_pool", "page_unit_pool"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("when", ["early", "late"])
def test_patched_entries_as_dlsym_finds_them_see_each_call(box, when, door,
                                                           pool):
    run = box.run([program("patcher"), when, "found", door], pool,
                  host_limit="64M")
    assert (run.stdout, run.stderr) == (SEEN_ALL, "")


@pytest.mark.parametrize("pool", [None, "no_pool"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("when", ["early", "late"])
def test_patched_entries_of_cudas_own_see_all_that_no_pool_serves(
        box, when, door, pool):
    run = box.run([program("patcher"), when, "real", door], pool,
                  host_limit="64M")
    assert (run.stdout, run.stderr) == (SEEN_ALL, "")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("when", ["early", "late"])
def test_patched_entries_of_cudas_own_see_what_mnm_takes_and_gives_back(
        box, when, door):
    run = box.run([program("patcher"), when, "real", door], "page_unit_pool",
                  host_limit="64M")
    first, later, last = (list(map(int, re.findall(r"\d+", line)))
                          for line in run.stdout.splitlines())
    taken = 1 if when == "early" else 0
    assert first == [0, taken, 0]
    # The block of 60 MiB has to go back before there is room for one of 61.
    assert later[:2] == [0, taken + 2] and later[2] >= 1
    assert last == later
    assert run.stderr == ""
