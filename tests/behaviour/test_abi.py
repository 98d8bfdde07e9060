"""What programs and plug-ins were built against stays as it is: abidiff compares
the interfaces with those that tests/abi/ has of the version's first release.

If a change is meant and keeps what was there, as a new function does, write the
file anew and commit it beside the change:
    /usr/bin/python3 tests/behaviour/test_abi.py build"""

import glob
import os
import platform
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
KEPT = os.path.join(ROOT, "tests", "abi")
EXPORTS = "{ global: mnm_*; local: *; };\n"
DWARF = ["gcc", "-std=gnu11", "-g", "-shared", "-fPIC"]


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120,
                          cwd=ROOT)
    assert not check or done.returncode == 0, done.stderr + done.stdout
    return done


def api(folder, build):
    """The functions of mnm/mnm.h alone."""
    path, exports = (os.path.join(folder, name) for name in ("api.so", "map"))
    with open(exports, "w", encoding="ascii") as file:
        file.write(EXPORTS)
    objects = sorted(glob.glob(os.path.join(build, "obj/src/api/*.o")))
    run("gcc", "-shared", *objects, f"-Wl,--version-script={exports}", "-o",
        path)
    return path


def pool(folder, _build):
    """A plug-in, whose symbol leads to all of mnm/pool.h."""
    path = os.path.join(folder, "pool.so")
    run(*DWARF, "-Iinclude", "examples/plugins/octave_pool.c", "-o", path)
    return path


PARTS = {"api": api, "pool": pool}


def dump(library, path):
    run("abidw", "--exported-interfaces-only", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
        "--out-file", path, library)


def kept(name):
    return os.path.join(KEPT, f"{name}.{platform.machine()}.abi")


def compared(name, library):
    return run("abidiff", "--no-show-locs", "--suppressions",
               os.path.join(KEPT, "suppressions"), kept(name), library,
               check=False)


needed = pytest.mark.skipif(
    not shutil.which("abidiff") or not os.path.isfile(kept("api")),
    reason="there is no abidiff, or no interface of such a machine is kept")


def plain():
    """Other compilers' and sanitizers' objects differ in what is no
    interface."""
    from conftest import BUILD, SANITIZERS
    return not SANITIZERS and os.path.basename(BUILD) == "build"


@needed
@pytest.mark.parametrize("name", PARTS)
def test_the_interface_stays(tmp_path, name):
    from conftest import BUILD
    if not plain():
        pytest.skip("not the plain build")
    done = compared(name, PARTS[name](str(tmp_path), BUILD))
    assert done.returncode == 0, f"{done.stdout}\n{__doc__}"


@needed
@pytest.mark.parametrize("before, after", [
    ("	size_t span;     /* bytes */\n", "	size_t span, more;\n"),
    ("	uint64_t epoch;  /* in which it was freed */\n",
     "	uint32_t epoch;\n"),
    ("	uint32_t count;   /* of rows */\n", "")])
def test_a_change_of_the_contract_is_seen(tmp_path, before, after):
    include = tmp_path / "include"
    shutil.copytree(os.path.join(ROOT, "include"), include)
    header = include / "mnm" / "pool.h"
    text = header.read_text()
    assert text.count(before) == 1
    header.write_text(text.replace(before, after))
    source = tmp_path / "plugin.c"
    source.write_text("#include <mnm/pool.h>\nMNM_PLUGIN struct mnm_plugin "
                      "mnm_plugin = {.version = MNM_POOL_VERSION};\n")
    path = str(tmp_path / "pool.so")
    run(*DWARF, f"-I{include}", str(source), "-o", path)
    assert compared("pool", path).returncode != 0


def main():
    folder = os.path.join(sys.argv[1], "tests")
    for name, make in PARTS.items():
        dump(make(folder, sys.argv[1]), kept(name))


if __name__ == "__main__":
    main()
