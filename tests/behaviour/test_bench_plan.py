"""scripts/bench-plan: what it writes, and how it judges. No figure is tested."""

import csv
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess

import pytest

from conftest import BUILD, DEADLINE, ROOT

SCRIPT = os.path.join(ROOT, "scripts", "bench-plan")


@pytest.fixture(scope="module")
def bench():
    loader = importlib.machinery.SourceFileLoader("bench_plan", SCRIPT)
    spec = importlib.util.spec_from_loader("bench_plan", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def run(peak, bound, seconds):
    return {"buffers": 10, "peak": peak, "lower_bound": bound,
            "ratio": peak / bound, "seconds": seconds}


def test_a_row_is_printed_and_written_with_the_machine(tmp_path):
    path = tmp_path / "plan.json"
    done = subprocess.run([SCRIPT, "--only", "somas", "--seeds", "2", "--json",
                           str(path), BUILD], capture_output=True, text=True,
                          timeout=DEADLINE, check=True)
    found = json.loads(path.read_text())
    assert [row["name"] for row in found["rows"]] == ["resnet50", "pangu_2.6B"]
    assert {"processor", "commit", "load before"} <= set(found["machine"])
    assert len(found["reference"]) == 4
    for row in found["rows"]:
        assert len(row["seconds"]) == 2 and row["runs"] == 2
        assert f"somas  {row['name']}" in done.stdout
    assert "the reference took" in done.stdout


@pytest.mark.parametrize("runs, met", [
    ([run(100, 100, 0.1), run(100, 100, 0.3)], True),
    ([run(100, 100, 0.1), run(101, 100, 0.1)], False),
    ([run(100, 100, 3), run(100, 100, 0.1), run(100, 100, 0.1)], False)])
def test_each_seed_has_to_reach_the_capacity_in_time(bench, runs, met):
    case = bench.Case("tilings", "t", capacity=100, limit=10, seconds=2)
    assert bench.entry(case, runs, [1.0])["met"] == met


@pytest.mark.parametrize("ratio, seconds, met", [
    (1.0004, 1.01, True), (1.0006, 0.1, False), (1.0, 1.5, False)])
def test_a_trace_has_to_come_near_its_bound_in_time(bench, ratio, seconds,
                                                    met):
    case = bench.Case("traces", "t", ratio=1.0005, limit=1, seconds=1)
    assert bench.entry(case, [run(ratio, 1, seconds)], [1.0])["met"] == met
    large = {**run(ratio, 1, seconds), "buffers": bench.MANY + 1}
    assert bench.entry(case, [large], [1.0])["met"] == (ratio <= 1.0005)


def test_a_reference_that_varies_is_a_warning(bench):
    assert "warning" not in bench.sums([], [1.0, 1.1, 1.1])
    assert "warning: the machine is noisy" in bench.sums([], [1.0, 1.2, 1.3])


@pytest.mark.parametrize("count, seed", [(60, 0), (300, 2), (1000, 1)])
def test_a_tiling_fills_its_addresses_at_each_time(bench, count, seed):
    text = subprocess.run([os.path.join(BUILD, "bench", "plan_tiling"),
                           str(seed), str(count)], capture_output=True,
                          text=True, check=True).stdout
    rows = [{name: int(value) for name, value in row.items()}
            for row in csv.DictReader(io.StringIO(text))]
    change = {}
    for row in rows:
        change[row["lower"]] = change.get(row["lower"], 0) + row["size"]
        change[row["upper"]] = change.get(row["upper"], 0) - row["size"]
    *times, end = sorted(change)
    live = 0
    for time in times:
        live += change[time]
        assert live == bench.TILED
    assert live + change[end] == 0 and len(rows) == count


def test_what_is_not_built_is_told(tmp_path):
    done = subprocess.run([SCRIPT, str(tmp_path)], capture_output=True,
                          text=True, timeout=DEADLINE)
    assert done.returncode == 2 and "`make bench-plan`" in done.stderr
