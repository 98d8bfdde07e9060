"""Recordings that are written for the tools of others: mnm export."""

import json
import os
import re

import pytest

from conftest import EXAMPLES, MNM
from test_recording import export, fails, mixed, report

__all__ = ["mixed"]


@pytest.fixture
def digits(box, tmp_path):
    """A recording of a program whose functions have names."""
    path = tmp_path / "digits"
    box.run([MNM, "run", "--record", path, "--",
             os.path.join(EXAMPLES, "train_digits"), "--steps", "5"],
            sim="64M")
    return path


def folded(box, path, *words):
    """Pairs of frames and bytes."""
    text = export(box, path, "--format", "folded", *words).stdout
    lines = [re.fullmatch(r"(.+) (\d+)", line) for line in text.splitlines()]
    return [(line[1].split(";"), int(line[2])) for line in lines]


@pytest.mark.parametrize("device", ["0", "1", "host"])
def test_folded_stacks_are_who_held_the_peak(box, mixed, device):
    told, = json.loads(report(box, mixed, "--json", "--device",
                              device).stdout)["devices"]
    stacks = folded(box, mixed, "--device", device)
    assert sum(size for _, size in stacks) == told["peak"] > 0
    assert stacks == [([h["file"], h["function"]] if h["function"]
                       else [h["file"]], h["bytes"]) for h in told["holders"]]


def test_folded_stacks_name_functions(box, digits):
    stacks = folded(box, digits)
    assert all(len(frames) == 2 and frames[0] == "train_digits"
               for frames, _ in stacks)
    names = {frames[1].split("(")[0] for frames, _ in stacks}
    assert {"model_open", "pass_forward"} <= names


def test_the_first_device_is_folded(box, mixed):
    assert folded(box, mixed) == folded(box, mixed, "--device", "0")
    assert folded(box, mixed, "--device", "7") == []


def test_a_damaged_recording_is_folded_up_to_there(box, mixed, tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(mixed.read_bytes()[:-10])
    done = export(box, path, "--format", "folded", check=False)
    assert done.returncode == 1 and done.stdout
    assert done.stderr == ("mnm: what follows is lost: frame 2: the file "
                           "breaks off in it\n")
    path.write_text("x")
    fails(export(box, path, "--format", "folded", check=False),
          f"mnm: {path}: it is no record of mnm")
