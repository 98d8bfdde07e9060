"""scripts/check-layers, on trees of two files."""

import os
import subprocess

import pytest

from conftest import ROOT


def said(tmp_path, called):
    """Runs it on a file of common that calls a function of a file of
    preload."""
    for layer, code in (("common", f"int {called}(void); "
                                   f"int low(void) {{ return {called}(); }}"),
                        ("preload", f"int {called}(void); "
                                    f"int {called}(void) {{ return 1; }}")):
        source = tmp_path / "src" / layer / "file.c"
        source.parent.mkdir(parents=True)
        source.write_text(code + "\n", encoding="utf-8")
        place = tmp_path / "build" / "obj" / "src" / layer
        place.mkdir(parents=True)
        subprocess.run(["gcc", "-c", str(source), "-o",
                        str(place / "file.o")], check=True)
    return subprocess.run([os.path.join(ROOT, "scripts", "check-layers"),
                           str(tmp_path), str(tmp_path / "build")],
                          capture_output=True, text=True, check=False)


def test_a_call_upwards_is_found_by_its_symbol(tmp_path):
    done = said(tmp_path, "upper")
    assert done.returncode == 1
    assert done.stdout == ("src/common/file.c: common uses upper of "
                           "src/preload/file.c, which is above\n")


@pytest.mark.parametrize("name", ["__isoc23_strtol", "__isoc23_strtoull"])
def test_what_stands_in_for_libc_may_be_called_from_everywhere(tmp_path, name):
    done = said(tmp_path, name)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_folder_that_stands_alone_includes_only_its_own(tmp_path):
    for name, text in (("ptx/file.c", '#include "own.h"\n'
                                      '#include "../driver/other.h"\n'),
                       ("ptx/own.h", ""), ("driver/other.h", "")):
        path = tmp_path / "src" / "sim" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    done = subprocess.run([os.path.join(ROOT, "scripts", "check-layers"),
                           str(tmp_path)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ("src/sim/ptx/file.c:2: src/sim/ptx may not include "
                           "src/sim/driver/other.h\n")


@pytest.mark.parametrize("there, words", [
    ([], "no sources in "), (["src/common/file.c"], "nothing is built in ")])
def test_a_tree_of_which_nothing_is_seen_is_no_good_one(tmp_path, there,
                                                        words):
    for name in there:
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("int value;\n", encoding="utf-8")
    done = subprocess.run([os.path.join(ROOT, "scripts", "check-layers"),
                           str(tmp_path), str(tmp_path / "build")],
                          capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"check-layers: {words}{tmp_path}")
