"""scripts/lint: what it gives to each tool, and what it says. The tools here
are stand-ins, as the real ones may not be installed."""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "lint")
SOURCES = {
    "scripts/plain": "#!/bin/sh\n",
    "scripts/spaced": "#! /bin/sh -e\n",
    "scripts/found": "#!/usr/bin/env bash\n",
    "scripts/snake": "#!/usr/bin/python3\n",
    "scripts/by_env": "#!/usr/bin/env python3\n",
    "scripts/part.py": "value = 1\n",
    "scripts/text": "#! this is no script\n",
    "src/one.c": "int one;\n",
    "tests/two.cpp": "int two;\n",
    "tests/bench/peers/far.c": "int far;\n",
    "elsewhere/snake.py": "value = 1\n",
    "build/gen.c": "int gen;\n",
}


@pytest.fixture
def tree(tmp_path):
    """The script and some sources that git does not know yet."""
    root = tmp_path / "tree"
    for path, text in SOURCES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".gitignore").write_text("build/\n")
    shutil.copy(SCRIPT, root / "scripts" / "lint")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(shutil.which("git"))
    return root


def lint(root, *words):
    """Runs lint with the tools of the tree alone."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("GIT_")}
    env["PATH"] = str(root.parent / "tools")
    return subprocess.run([str(root / "scripts" / "lint"), *words],
                          capture_output=True, text=True, check=False, env=env)


def tool(root, name, script):
    path = root.parent / "tools" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def read_by(root, name):
    done = lint(root, "--list", name)
    assert done.returncode == 0, done.stderr
    return [line.split(" ", 1)[1] for line in done.stdout.splitlines()]


def test_a_script_is_known_by_its_first_line(tree):
    assert read_by(tree, "shellcheck") == ["scripts/found", "scripts/plain",
                                           "scripts/spaced"]
    assert read_by(tree, "ruff") == ["scripts/by_env", "scripts/lint",
                                     "scripts/part.py", "scripts/snake"]


def test_what_is_built_or_needs_more_is_not_read(tree):
    for name in ("cppcheck", "clang-tidy"):
        assert read_by(tree, name) == ["src/one.c", "tests/two.cpp"]


@pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, ".git")),
                    reason="the sources are not in a checkout of git")
def test_each_script_of_this_tree_is_read_by_a_tool():
    known = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT,
                            "ls-files"],
                           capture_output=True, text=True, check=True)
    scripts = set()
    for path in known.stdout.splitlines():
        with open(os.path.join(ROOT, path), "rb") as file:
            if file.read(2) == b"#!":
                scripts.add(path)
    done = subprocess.run([SCRIPT, "--list", "shellcheck", "ruff"],
                          capture_output=True, text=True, check=True)
    read = {line.split(" ", 1)[1] for line in done.stdout.splitlines()}
    assert "scripts/setup" in scripts and scripts <= read


def test_a_tool_that_is_missing_is_named_with_what_installs_it(tree):
    tool(tree, "codespell", "exit 0")
    done = lint(tree, "codespell", "shellcheck", "ruff")
    assert done.returncode == 1
    assert "not installed: shellcheck, ruff;" in done.stderr
    assert "scripts/setup --dev" in done.stderr
    assert not done.stdout


def test_a_finding_is_shown_once_and_fails(tree):
    tool(tree, "codespell", "exit 0")
    tool(tree, "shellcheck", 'for i in 1 2; do '
         'echo "scripts/plain:1:1: warning: odd"; done; exit 1')
    done = lint(tree, "codespell", "shellcheck")
    assert done.returncode == 1
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["ok", "codespell", "12", "files"],
        ["scripts/plain:1:1:", "warning:", "odd"],
        ["FAILED", "shellcheck", "3", "files"]]


def test_a_tool_that_fails_without_a_word_is_no_success(tree):
    tool(tree, "codespell", "exit 3")
    done = lint(tree, "codespell")
    assert done.returncode == 1
    assert "codespell ended with 3 and said nothing" in done.stdout


def test_an_unknown_tool_is_refused(tree):
    done = lint(tree, "splint")
    assert done.returncode == 2
    assert "no tool 'splint'; allowed: codespell, shellcheck" in done.stderr


def test_c_is_read_with_the_flags_that_make_gives_the_compiler():
    loader = importlib.machinery.SourceFileLoader("lint", SCRIPT)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("lint", loader))
    loader.exec_module(module)
    files = ["src/hooks/memory.c", "src/common/log.c", "tests/new.c",
             "examples/plugins/octave_pool.c"]
    found = module.commands("build", files)
    assert list(found) == files
    for command in found.values():
        assert {"-Wall", "-std=gnu11"} <= set(command)
        assert not {"-c", "-S", "-o", "-MMD", "-shared"} & set(command)
        assert not any(word.endswith((".c", ".o")) for word in command)
    assert {"-Isrc", "-Ibuild/gen/hooks"} <= set(found["src/hooks/memory.c"])
