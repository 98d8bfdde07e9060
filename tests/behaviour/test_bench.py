"""The benchmarks: scripts/bench-fences on the shortest trace, and
bench-swaps."""

import json
import os
import re
import subprocess

import pytest

from conftest import BUILD, ROOT, plain_build_only


def bench(file):
    subprocess.run([os.path.join(ROOT, "scripts", "bench-fences"), "--json",
                    file, BUILD, "vgg16_bs32"], check=True,
                   capture_output=True, timeout=120)
    with open(file, encoding="utf-8") as text:
        return json.load(text)["jobs"]


@plain_build_only
def test_the_figures_of_fences_are_the_same_in_every_run(tmp_path):
    jobs = bench(tmp_path / "first")
    assert jobs == bench(tmp_path / "second")
    assert len(jobs) == 4
    for job in jobs:
        levels = job["levels"]
        allocs = levels["fence"]["allocs"]
        # All iterations are equal: each one of the trace has 152 pairs.
        assert allocs == 152 and levels["native"]["driver_calls"] == 2 * allocs
        assert levels["native"]["host_waits"] == allocs
        assert levels["sync"]["host_waits"] == allocs
        assert levels["none"]["driver_calls"] == 0
        assert levels["fence"]["host_waits"] == 0
        waits = levels["waits"]
        assert waits["host_waits"] == waits["syncs"]
        if job["streams"] == 1:  # the order of one stream is enough
            assert levels["fence"]["driver_calls"] == waits["syncs"] == 0
        else:
            assert levels["fence"]["driver_calls"] > 0 < waits["syncs"]
        assert levels["fence"]["step_over_none"] < 0.02


@plain_build_only
def test_a_program_is_swapped_again_and_again_while_it_works():
    done = subprocess.run([os.path.join(ROOT, "scripts", "bench-swaps"),
                           "--swaps", "500", BUILD], check=True,
                          capture_output=True, text=True, timeout=300)
    rows = re.findall(r"^(\w+) +(\d+) swaps in .* a minute; rounds \d+ wrong 0 "
                      "errors 0;", done.stdout, re.M)
    assert rows == [("fence", "500"), ("sync", "500")]


@plain_build_only
def test_the_figures_of_memory_are_the_same_in_every_run(tmp_path):
    found = []
    for file in (tmp_path / "first", tmp_path / "second"):
        done = subprocess.run(
            [os.path.join(ROOT, "scripts", "bench-memory"), "--json", file,
             BUILD, "vgg16_bs32", "dcgan_bs128"], check=True,
            capture_output=True, text=True, timeout=120)
        found.append((json.loads(file.read_text())["traces"], done.stdout))
    assert found[0] == found[1]
    for trace in found[0][0]:
        assert 1 < trace["reserved_per_live"] < 1.6
        assert trace["driver_peak"] >= trace["live_peak"]
        assert trace["trace"] in found[0][1]
        pairs = [row["pairs"] for row in trace["scarce"].values()]
        # There are fewer pairs with more room, and far fewer than requests.
        assert len(pairs) == 3 and pairs == sorted(pairs, reverse=True)
        assert 0 < pairs[0] < trace["scarce"]["1.05"]["allocs"] / 5


@plain_build_only
def test_the_figures_of_plans_are_the_same_in_every_run(tmp_path):
    found = []
    for file in (tmp_path / "first", tmp_path / "second"):
        done = subprocess.run(
            [os.path.join(ROOT, "scripts", "bench-tstack"), "--json", file,
             BUILD, "vgg16_bs32", "gpt2_small_bs4_seq1024"], check=True,
            capture_output=True, text=True, timeout=120)
        found.append((json.loads(file.read_text())["traces"], done.stdout))
    assert found[0] == found[1]
    for trace in found[0][0]:
        assert trace["trace"] in found[0][1]
        assert trace["placed"] == 1 > trace["placed_of_all"]
        assert 1 <= trace["arena_per_bound"] <= 1.005
        # What no plan foresees is served by what the plan leaves idle.
        assert trace["reserved_per_live"] <= trace["vmm_per_live"] + 0.005
        assert 1 <= trace["steady_per_planned"] <= 1.01
        assert trace["scarce_per_need"] <= 1.05


@pytest.mark.parametrize("script", ["bench-memory", "bench-tstack"])
@pytest.mark.parametrize("words, what", [
    (["nowhere"], "libmnm.so: not there"),
    ([BUILD, "alexnet"], "alexnet: no such trace"),
    (["--library", "none"], "none: not there")])
def test_a_wrong_word_for_the_figures_of_memory_is_said(script, words, what):
    done = subprocess.run([os.path.join(ROOT, "scripts", script), *words],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2 and what in done.stderr
