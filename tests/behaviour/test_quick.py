"""scripts/quick: what it chooses for a change. Nothing is built or run
here."""

import ast
import os
import shutil
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts", "quick")
SKIPPED = ("build", "build-*", ".git", "__pycache__", "data", "traces",
           "corpus")


def quick(*words, root=ROOT, check=True):
    env = {name: value for name, value in os.environ.items()
           if name != "BUILD" and not name.startswith("GIT_")}
    return subprocess.run([os.path.join(root, "scripts", "quick"), *words],
                          capture_output=True, text=True, check=check, cwd=root,
                          env=env)


def chosen(*files):
    """The words of all commands that it chooses for a change of these
    files."""
    return quick("--list", *files).stdout.split()


def units(words):
    return {os.path.basename(word) for word in words
            if word.startswith("build/tests/unit/")}


def behaviour(words):
    return {os.path.basename(word) for word in words
            if word.startswith("tests/behaviour/")}


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c",
                    "user.email=t@t", "-c", "commit.gpgsign=false", *words],
                   capture_output=True, check=True)


@pytest.fixture
def clone(tmp_path):
    """A repository with the sources and one commit on main."""
    root = str(tmp_path / "mnm")
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*SKIPPED))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")
    return root


def append(root, path, text="\n"):
    with open(os.path.join(root, path), "a", encoding="utf-8") as file:
        file.write(text)


def test_a_source_has_the_unit_tests_that_link_it():
    assert units(chosen("src/heap/graph_owner.c")) == {"graph_owner_test"}
    assert units(chosen("src/order/calls.c")) == {"calls_test", "giver_test", "owed_test"}
    assert units(chosen("src/order/fence.c")) == set()


def test_what_all_unit_tests_link_chooses_all():
    there = {name[:-len(".c")] for name in
             os.listdir(os.path.join(ROOT, "tests", "unit"))
             if name.endswith("_test.c")}
    assert len(there) > 10
    assert units(chosen("src/common/option.c")) == there
    assert units(chosen("src/block/block.c")) == there


def test_a_header_has_the_unit_tests_of_those_that_include_it():
    assert "giver_test" in units(chosen("src/heap/giver.h"))
    # They include it by way of context/context.h.
    assert "device_test" in units(chosen("src/common/counter_list.h"))


def test_a_header_that_is_installed_is_a_part_of_the_library():
    words = chosen("include/mnm/place.h")
    assert {"checked_places_test", "pool_test"} <= units(words)
    assert "build/tests/proof/proof" in words
    assert {"test_abi.py", "test_installed_plugins.py"} <= behaviour(words)


def test_a_unit_test_chooses_itself():
    words = chosen("tests/unit/bound_test.c")
    assert units(words) == {"bound_test"} and not behaviour(words)


def test_a_change_of_the_library_is_proved_and_its_layers_are_judged():
    for path in ("src/heap/pools.c", "src/hooks/memory.c", "src/cuda/real.h"):
        words = chosen(path)
        assert "build/tests/proof/proof" in words and "300" in words, path
        assert "scripts/check-layers" in words, path
        assert "test_mutant_rows.py" in behaviour(words), path


def test_a_change_of_the_command_line_is_not_proved():
    words = chosen("src/cli/ask.c")
    assert "build/tests/proof/proof" not in words
    assert "scripts/check-layers" in words
    assert behaviour(words) == {"test_cli.py", "test_operator.py",
                                "test_operator_odd.py"}


def test_the_longest_beginning_of_a_path_counts():
    assert behaviour(chosen("src/cli/doctor/elf.c")) == {"test_doctor.py"}
    assert behaviour(chosen("scripts/bench-peers")) == {"test_bench_peers.py"}


def test_a_behaviour_test_chooses_itself():
    assert behaviour(chosen("tests/behaviour/test_rest.py")) == {"test_rest.py"}


def test_a_program_chooses_the_tests_that_name_it():
    found = behaviour(chosen("tests/programs/churn.c"))
    assert "test_threads.py" in found
    for name in found:
        with open(os.path.join(ROOT, "tests", "behaviour", name),
                  encoding="utf-8") as file:
            assert '"churn"' in file.read(), name


def test_a_claim_about_the_driver_chooses_its_program():
    assert "build/tests/conformance/memory" in chosen(
        "tests/conformance/memory.c")


def test_a_document_builds_no_test_program():
    words = chosen("README.md")
    assert behaviour(words) == {"test_documents.py"}
    assert words[:3] == ["make", "build/libmnm.so", "build/mnm"]
    assert "build-tests" not in words


def test_what_no_quick_test_judges_is_told():
    text = quick("--list", "LICENSE").stdout
    assert "LICENSE: only `make check` judges it" in text


def test_each_folder_of_the_sources_has_a_test():
    for folder in sorted(os.listdir(os.path.join(ROOT, "src"))):
        path = os.path.join(ROOT, "src", folder)
        if os.path.isdir(path):
            name = next(name for name in sorted(os.listdir(path))
                        if os.path.isfile(os.path.join(path, name)))
            judges = behaviour(chosen(f"src/{folder}/{name}"))
            assert judges - {"test_mutant_rows.py"}, folder


def test_each_row_of_the_table_names_what_is_there():
    with open(SCRIPT, encoding="utf-8") as file:
        text = file.read()
    start = text.index("TESTS = {") + len("TESTS = ")
    rows = ast.literal_eval(text[start:text.index("\n}\n", start) + 2])
    assert len(rows) > 40
    files = subprocess.run(
        ["find", ".", "-path", "./build*", "-prune", "-o", "-type", "f",
         "-printf", "%P\n"], cwd=ROOT, capture_output=True, text=True,
        check=True).stdout.splitlines()
    for start, names in rows.items():
        assert any(path.startswith(start) for path in files), start
        for name in names.split():
            assert f"tests/behaviour/test_{name}.py" in files, (start, name)


def test_the_branch_and_what_is_not_committed_are_the_change(clone):
    assert "nothing has changed since main" in quick(root=clone).stdout
    git(clone, "checkout", "-q", "-b", "own")
    append(clone, "src/heap/graph_owner.c")
    git(clone, "commit", "-q", "-a", "-m", "change")
    append(clone, "src/cli/ask.c")                       # not committed
    append(clone, "tests/behaviour/test_own.py", "")     # not known to git
    words = quick("--list", root=clone).stdout.split()
    assert units(words) == {"graph_owner_test"}
    assert {"test_graph_owner.py", "test_operator.py",
            "test_own.py"} <= behaviour(words)


def test_what_main_did_since_is_not_the_change(clone):
    git(clone, "checkout", "-q", "-b", "own")
    git(clone, "checkout", "-q", "main")
    append(clone, "src/cli/ask.c")
    git(clone, "commit", "-q", "-a", "-m", "theirs")
    git(clone, "checkout", "-q", "own")
    assert "nothing has changed since main" in quick(root=clone).stdout
    append(clone, "src/cli/doctor/elf.c")
    assert behaviour(quick("--list", root=clone).stdout.split()) == {
        "test_doctor.py"}


def test_a_removed_test_is_not_run(clone):
    os.remove(os.path.join(clone, "tests", "behaviour", "test_rest.py"))
    assert not behaviour(quick("--list", root=clone).stdout.split())


def test_a_failure_is_the_exit_status(clone):
    """Either the make fails, or a test does that it has not built anew."""
    tools = os.path.join(clone, "tools")
    os.mkdir(tools)
    for status, said in (("1", "it does not build"),
                         ("0", "FAILED: build/tests/unit/graph_owner_test")):
        fake = os.path.join(tools, "make")
        with open(fake, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nexit {status}\n")
        os.chmod(fake, 0o755)
        unit = os.path.join(clone, "build", "tests", "unit")
        os.makedirs(unit, exist_ok=True)
        test = os.path.join(unit, "graph_owner_test")
        with open(test, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexit 1\n")
        os.chmod(test, 0o755)
        done = subprocess.run(
            [os.path.join(clone, "scripts", "quick"),
             "tests/unit/graph_owner_test.c"], capture_output=True, text=True,
            cwd=clone, check=False,
            env={**os.environ, "BUILD": "build",
                 "PATH": f"{tools}:{os.environ['PATH']}"})
        assert done.returncode == 1 and said in done.stdout, done.stdout


@pytest.mark.parametrize("words, said", [
    (["--base", "no-such-revision"], "no-such-revision"),
    (["no/such/file.c"], "no file no/such/file.c"),
    (["--no-such-option"], "usage: scripts/quick"),
])
def test_wrong_words_are_an_error(words, said, clone):
    done = quick(*words, root=clone, check=False)
    assert done.returncode in (1, 2) and said in done.stderr, done.stderr


def test_help_says_what_is_chosen():
    text = quick("--help").stdout
    assert "usage: scripts/quick [--list] [--base REV] [FILE...]" in text
    for word in ("unit tests", "behaviour tests", "300 generated programs",
                 "check-layers"):
        assert word in text, word
