"""tests/mutants: the rows fit the sources that they edit. `make mutants` shows
whether each is caught."""

import glob
import importlib.util
import os
import re
import runpy
import subprocess
import sys

import pytest

from conftest import ROOT

FILES = sorted(glob.glob(os.path.join(ROOT, "tests", "mutants", "rows*.py")))


def rows_of(path):
    spec = importlib.util.spec_from_file_location("rows", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ROWS


@pytest.mark.parametrize("path", FILES, ids=os.path.basename)
def test_each_edit_has_its_text_once_in_its_file(path):
    rows = rows_of(path)
    assert rows
    for name, _, *edits in rows:
        assert edits, name
        for file, old, new in edits:
            with open(os.path.join(ROOT, file), encoding="utf-8") as source:
                assert source.read().count(old) == 1, (name, file)
            assert old != new, name


def test_what_an_edit_calls_is_there():
    """If it were not, either the edit would not build, which only a run of its
    row shows; or it would, as a library may lack a function, and would be
    caught for that alone."""
    there = set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*.[ch]"),
                          recursive=True):
        with open(path, encoding="utf-8") as file:
            code = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        there |= set(re.findall(r"(\w+)\)?\(", code))
    assert len(there) > 1000
    for path in FILES:
        for name, _, *edits in rows_of(path):
            for _, old, new in edits:
                own = set(re.findall(r"[ *](\w+)(?:;|\(CUevent)", new))
                before, calls = (set(re.findall(
                    r"(?<![.>\w])([a-z_]\w+)\(", text))
                    for text in (old, new))
                assert calls <= there | own | before, name


def test_what_is_no_build_is_told(tmp_path):
    done = subprocess.run([os.path.join(ROOT, "scripts", "mutants"),
                           str(tmp_path / "none")], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 2 and "none is no build" in done.stderr
    assert not os.listdir(tmp_path)


def test_no_two_rows_have_one_name():
    names = [row[0] for path in FILES for row in rows_of(path)]
    assert len(names) == len(set(names)) > 200


def test_make_mutants_runs_every_row():
    done = subprocess.run([os.path.join(ROOT, "scripts", "mutants"), ROOT,
                           "--list"], capture_output=True, text=True,
                          check=True)
    assert sorted(line.split()[0] for line in done.stdout.splitlines()) == (
        sorted(row[0] for path in FILES for row in rows_of(path)))


def test_a_row_that_names_a_race_names_one_there_is():
    there = set()
    for path in glob.glob(os.path.join(ROOT, "tests", "proof", "race_*.c")):
        with open(path, encoding="utf-8") as file:
            there |= set(re.findall(r'^\t\{"([^"]+)"', file.read(), re.M))
    named = {row[1][len("race "):] for path in FILES for row in rows_of(path)
             if row[1].startswith("race ")}
    assert named and named <= there


def test_a_row_that_names_a_test_names_one_there_is():
    """By a part of its name, as -k takes it."""
    named = {tuple(re.sub("^tests/behaviour/", "", row[1]).split(" -k "))
             for path in FILES for row in rows_of(path) if " -k " in row[1]}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p",
         "no:cacheprovider", *sorted({file for file, _ in named})],
        cwd=os.path.dirname(__file__), capture_output=True, text=True,
        check=True)
    there = [line.split("::") for line in done.stdout.splitlines()
             if "::" in line]
    assert len(named) > 100
    assert not [(file, part) for file, part in named
                if not any(os.path.basename(where) == file and part in test
                           for where, test in there)]


def test_a_row_says_what_runs_there():
    for path in FILES:
        for name, tests, *_ in rows_of(path):
            assert re.match(r"(proof( --kind \w+)?|unit)$|race |"
                            r"(tests/behaviour/)?test_\w+\.py\b", tests), name


@pytest.mark.parametrize("path, tests, built", [
    ("src/cli/ask.c", "test_operator.py", True),
    ("src/common/text.c", "test_operator.py", True),
    ("src/heap/swap.c", "test_operator.py", False),
    ("src/common/socket_left.c", "unit", False)])
def test_the_command_line_is_built_where_a_row_edits_it(monkeypatch, path,
                                                        tests, built):
    monkeypatch.setattr(sys, "path", [*sys.path])
    mutants = runpy.run_path(os.path.join(ROOT, "scripts", "mutants"))
    made = mutants["targets_of"]([(path, "", "x")], tests)
    assert made and ("build/mnm" in made) == built
