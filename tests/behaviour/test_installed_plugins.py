"""Plug-ins that are built against what is installed, and against nothing else."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import BUILD, DEADLINE, EXAMPLES, MIB, ROOT, plain_build_only
from test_install import make
from test_pool import open_shell, took

pytestmark = plain_build_only

SOURCES = {"octave_pool": ["gcc", "-std=c11"], "wide_pool": ["g++", "-std=c++17"]}


def tool(words, **env):
    done = subprocess.run(words, env={**os.environ, **env}, text=True,
                          capture_output=True, timeout=DEADLINE)
    assert done.returncode == 0, (words, done.stderr + done.stdout)
    return done.stdout


def clean():
    return {k: v for k, v in os.environ.items()
            if k[:4] != "MNM_" and k != "LD_LIBRARY_PATH"}


@pytest.fixture(name="root")
def installed_root(box):
    make(box, "install")
    return os.path.join(box.folder, "root", "opt")


def built(box, root, name):
    """The example, as its page says how to build it."""
    folder = os.path.join(box.folder, name)
    os.mkdir(folder)
    examples = os.path.join(root, "share", "doc", "mnm", "examples", "plugins")
    source, = [file for file in os.listdir(examples)
               if file.startswith(f"{name}.c")]
    flags = tool(["pkg-config", "--cflags", "mnm"],
                 PKG_CONFIG_PATH=os.path.join(root, "lib", "pkgconfig")).split()
    path = os.path.join(folder, f"{name}.so")
    tool([*SOURCES[name], "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
          "-shared", "-fPIC", *flags, os.path.join(examples, source), "-o",
          path])
    return path


@pytest.mark.parametrize("name", SOURCES)
def test_a_plug_in_is_built_and_serves(box, root, name):
    path = built(box, root, name)
    mnm = os.path.join(root, "bin", "mnm")
    stats = os.path.join(box.folder, "stats")
    trainer = [os.path.join(EXAMPLES, "train_digits"), "--steps", "60",
               "--losses"]
    text = []
    for words in ([], ["--plugin", path, "--pool", name, "--set",
                       f"stat_file={stats}"]):
        done = subprocess.run([mnm, "run", "--sim", *words, "--", *trainer],
                              env=clean(), capture_output=True, text=True,
                              timeout=DEADLINE, check=True)
        assert done.stderr == ""
        text.append(done.stdout.split("  step time")[0])
    assert text[0] == text[1] and "loss" in text[0]
    stat = box.stat(path=stats)
    assert stat["pool"] == name and stat["live_bytes"] == 0
    assert stat["hits"] > stat["misses"] > 0
    listed = tool([mnm, "pools"], MNM_POOL_PLUGINS=path)
    assert f"of the plug-in {path}" in listed


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", [1, 200])
def test_generated_programs_run_well_with_them(box, root, name, seed):
    done = tool([os.path.join(BUILD, "tests", "proof", "proof"), "--first",
                 str(seed), "--count", "60", "--jobs", "1", "--pool", name],
                MNM_POOL_PLUGINS=built(box, root, name))
    assert "60 programs, 0 failures" in done


def test_blocks_of_pinned_memory_share_no_page(box, root):
    shell = open_shell(box, "page_unit_pool,host:wide_pool", "driver",
                       pool_plugins=built(box, root, "wide_pool"),
                       host_limit=256 * MIB)
    pages = set()
    for name in "abcd":
        took(shell, f"pin {name} 1000 0")
        pages.add(int(shell(f"addr {name}"), 16) // 4096)
    assert len(pages) == 4
    shell.end()


def test_generated_programs_run_well_with_the_pool_that_places_of_the_page(box):
    """The one that is shown as part of mnm, here in a plug-in. In these seeds
    it grows while memory is short."""
    with open(os.path.join(ROOT, "docs", "writing-a-pool.md"),
              encoding="utf-8") as page:
        _, shown = re.findall(r"^```c\n(.*?)^```$", page.read(), re.M | re.S)
    source, path = (os.path.join(box.folder, f"wide_pool.{end}")
                    for end in ("c", "so"))
    with open(source, "w", encoding="utf-8") as file:
        for name in ("extent_tree", "extents", "placing"):
            file.write(f'#include "{name}.c"\n')
        file.write(shown + """
static const struct mnm_pool_row rows[] = {
	{&wide_pool, "as on the page", MNM_BACKING_DEVICE},
};
MNM_PLUGIN struct mnm_plugin mnm_plugin = {MNM_POOL_VERSION, 1, rows};
""")
    tool(["gcc", "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-Wall", "-Wextra",
          "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
          *(f"-I{ROOT}/{name}" for name in ("src", "src/pools", "include")),
          source, "-o", path])
    for first, count in ((1, 60), (317, 1), (467, 1), (653, 1), (1175, 1)):
        done = tool([os.path.join(BUILD, "tests", "proof", "proof"), "--first",
                     str(first), "--count", str(count), "--jobs", "1",
                     "--pool", "wide_pool"], MNM_POOL_PLUGINS=path)
        assert f"{count} programs, 0 failures" in done


def test_pkg_config_and_cmake_find_them_where_they_were_put(box, root):
    found = {"PKG_CONFIG_PATH": os.path.join(root, "lib", "pkgconfig")}
    library = tool(["pkg-config", "--variable=library", "mnm"], **found).strip()
    assert os.path.samefile(library, os.path.join(root, "lib/mnm/libmnm.so"))
    version = tool(["pkg-config", "--modversion", "mnm"], **found).strip()
    with open(os.path.join(ROOT, "src", "common", "version.h"),
              encoding="utf-8") as file:
        assert f'MNM_VERSION "{version}"' in file.read()


@pytest.mark.skipif(not shutil.which("cmake"), reason="there is no cmake")
@pytest.mark.parametrize("wanted, found", [("", True), ("0.1", True),
                                           ("0.2", False), ("1.0", False)])
def test_cmake_finds_its_own_series(box, root, wanted, found):
    source = os.path.join(box.folder, "project")
    os.mkdir(source)
    with open(os.path.join(source, "a.c"), "w", encoding="utf-8") as file:
        file.write("#include <mnm/pool.h>\nint a = MNM_POOL_VERSION;\n")
    with open(os.path.join(source, "CMakeLists.txt"), "w",
              encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.13)\nproject(a C)\n"
                   f"find_package(mnm {wanted} REQUIRED)\n"
                   "add_library(a SHARED a.c)\n"
                   "target_link_libraries(a mnm::mnm)\n"
                   "if(NOT EXISTS ${MNM_LIBRARY})\n"
                   '\tmessage(FATAL_ERROR "no ${MNM_LIBRARY}")\nendif()\n')
    done = subprocess.run(["cmake", f"-DCMAKE_PREFIX_PATH={root}", "-S", source,
                           "-B", os.path.join(source, "b")],
                          capture_output=True, text=True, timeout=DEADLINE)
    assert (done.returncode == 0) == found, done.stderr
    if found:
        tool(["cmake", "--build", os.path.join(source, "b")])
