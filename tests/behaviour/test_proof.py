"""The generated programs: one seed gives one program and one schedule."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import BUILD, DEADLINE, plain_build_only, program


def addresses_can_be_fixed():
    return shutil.which("setarch") and not subprocess.run(
        ["setarch", "-R", "true"], capture_output=True,
        check=False).returncode


PROOF = os.path.join(BUILD, "tests", "proof", "proof")


def proof(*words, **env):
    return subprocess.run([PROOF, *words], capture_output=True, text=True,
                          timeout=DEADLINE, check=False,
                          env={**os.environ, **env})


def calls(path, *words):
    """The calls that a run made, without the numbers of its threads."""
    path.unlink(missing_ok=True)
    assert proof(*words, MNM_SIM_LOG=str(path)).stdout
    return [line.split(" ", 1)[1] for line in path.read_text().splitlines()]


@plain_build_only
@pytest.mark.skipif(not addresses_can_be_fixed(), reason="a container's filter "
                    "of system calls may forbid it; where in the index a block "
                    "is, and what is beside it, follows from its address")
def test_one_seed_is_one_schedule(tmp_path):
    path = tmp_path / "calls"
    for seed in ["3", "7", "14"]:
        assert calls(path, "--seed", seed) == calls(path, "--seed", seed)


@plain_build_only
def test_what_is_done_once_in_a_while_is_not_done_beside_the_schedule():
    """A thread whose place was taken would wait for ever."""
    done = proof("--count", "60", LD_PRELOAD=program("hurry.so"))
    assert done.returncode == 0, done.stdout


@plain_build_only
def test_two_seeds_are_two_programs(tmp_path):
    path = tmp_path / "calls"
    assert calls(path, "--seed", "3") != calls(path, "--seed", "7")


@plain_build_only
def test_no_fence_is_found_out():
    done = proof("--level", "none", "--count", "100")
    assert done.returncode == 1
    assert "not ordered after earlier work" in done.stdout


@plain_build_only
@pytest.mark.parametrize("words", [
    ["--pool", "nonsense"], ["--level", "nonsense"], ["--kind", "nonsense"],
    ["--count", "x"], ["--count", "0"], ["--count", "-1"], ["--seed", "-1"],
    ["--first", "1x"], ["--jobs", "0"]])
def test_what_is_not_understood_runs_no_program(words):
    run = proof("--count", "1", *words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(("proof: ", "usage: proof "))


@plain_build_only
def test_a_library_that_serves_nothing_is_found_out():
    """As one that was built before a pool, and so refuses its name."""
    run = proof("--count", "3", MNM_DISABLE="1")
    assert run.returncode == 1
    assert "memory was asked for, and mnm has not served it" in run.stdout


@plain_build_only
def test_a_failure_is_replayed_by_its_seed():
    found = proof("--level", "none", "--count", "100").stdout
    seed = re.search(r"^seed (\d+) FAILED", found, re.M).group(1)
    again = proof("--level", "none", "--seed", seed)
    assert again.returncode == 1
    assert f"seed {seed} FAILED" in again.stdout


@plain_build_only
def test_a_failure_with_a_plug_in_is_replayed_with_it():
    plugin = os.path.join(BUILD, "tests", "plugins", "evil.so")
    found = proof("--pool", "evil_pool", "--count", "3",
                  MNM_POOL_PLUGINS=plugin, MNM_TEST_SIN="small_span").stdout
    line = re.search(r"^replay: (.*)", found, re.M).group(1)
    again = subprocess.run(["sh", "-c", line], capture_output=True, text=True,
                           timeout=DEADLINE, check=False,
                           env={**os.environ, "MNM_TEST_SIN": "small_span",
                                "PATH": os.path.dirname(PROOF) + ":" +
                                os.environ["PATH"]})
    assert again.returncode == 1
    assert "FAILED: a pool was switched off" in again.stdout
    assert "a span is less than its request" in again.stderr
