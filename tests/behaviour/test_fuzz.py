"""The parsers on the corpus of `make fuzz`: inputs made by hand, and inputs
that once went wrong. See tests/fuzz/README.md."""

import os
import subprocess

import pytest

from conftest import BUILD, DEADLINE, ROOT

CORPUS = os.path.join(ROOT, "tests", "fuzz", "corpus")
TARGETS = sorted(name[:-2] for name in os.listdir(os.path.dirname(CORPUS))
                 if os.path.isdir(os.path.join(CORPUS, name[:-2])))


def test_each_target_has_a_corpus():
    assert sorted(os.listdir(CORPUS)) == TARGETS
    assert len(TARGETS) == 11


@pytest.mark.parametrize("target", TARGETS)
def test_parser_stands_its_corpus(target):
    folder = os.path.join(CORPUS, target)
    inputs = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    result = subprocess.run(
        [os.path.join(BUILD, "tests", "fuzz", target), *inputs],
        capture_output=True, timeout=DEADLINE, check=False)
    said = result.stdout + result.stderr
    assert result.returncode == 0, said.decode(errors="replace")
    assert result.stdout.decode().splitlines() == inputs
