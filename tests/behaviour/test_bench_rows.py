"""scripts/bench: what it writes, and how it judges. No figure is tested."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

from conftest import BUILD, DEADLINE, ROOT, plain_build_only

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from bench_lib import contenders, counts, judge, plot, rows, table

BENCH = os.path.join(ROOT, "scripts", "bench")
PAIR = os.path.join(BUILD, "bench", "pair")


def bench(*words, check=True):
    return subprocess.run([BENCH, *words, BUILD], check=check,
                          capture_output=True, text=True, timeout=DEADLINE)


def pair(*words):
    return subprocess.run([PAIR, *words], capture_output=True, text=True,
                          timeout=DEADLINE)


def host(name="host"):
    return os.path.join(BUILD, "bench", name + ".so")


def quick(folder, *names):
    only = [word for name in names for word in ("--only", name)]
    done = bench("--quick", "--runs", "1", "--out", str(folder), *only)
    with open(folder / "bench.json", encoding="utf-8") as file:
        return done, json.load(file)


@plain_build_only
def test_a_row_is_written_with_all_contenders_and_the_machine(tmp_path):
    done, result = quick(tmp_path, "one-2K", "window-2K")
    assert [row["row"] for row in result["rows"]] == ["one-2K", "window-2K"]
    for row in result["rows"]:
        able = {each["name"] for each in result["contenders"]
                if not each["reason"] and not each["streams"]}
        assert able == set(row["cells"]) | set(row["failed"])
        assert {"mnm", "without a pool", "glibc"} <= set(row["cells"])
        assert row["target"]["limit"] == 20
        assert row["target"]["met"] in (True, False)
        for cell in row["cells"].values():
            assert len(cell["values"]) == 1 and cell["median"] > 0
        assert set(row["ratios"]) == set(row["cells"]) - {"mnm"}
        assert f"{row['row']}: {row['title']}" in done.stdout
    assert {"processor", "cores", "kernel", "compiler", "mnm",
            "commit"} <= set(result["machine"])
    assert (tmp_path / "bench.txt").read_text() == done.stdout


@plain_build_only
def test_rows_of_streams_have_who_follows_streams(tmp_path):
    done, result = quick(tmp_path, "async-turns", "async-driver-calls",
                         "async-door-replay", "async-door-cross-calls",
                         "async-legacy")
    assert len(result["rows"]) == 8
    for row in result["rows"]:
        assert not row["failed"], row
        assert "mnm" in row["cells"] and "without a pool" not in row["cells"]
        assert row["row"].startswith("async-door") or (
            "cudaMallocAsync" in row["cells"])
        assert row["target"]["met"] in (True, False)
        assert f"{row['row']}: {row['title']}" in done.stdout
    calls, = (row["cells"] for row in result["rows"]
              if row["row"] == "async-driver-calls")
    # Neither a call too many, nor more events taken away than there are.
    assert [row["cells"]["mnm"]["median"] for row in result["rows"]
            if "calls" in row["row"]] == [0] * 5
    # The runtime's own question for the context comes on top.
    assert calls["cudaMallocAsync"]["median"] == 3 > calls["mnm"]["median"]
    assert "events alone" in result["rows"][0]["cells"]


def test_the_frameworks_are_measured_with_and_without_mnm(tmp_path):
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "peers.json").write_text(json.dumps([
        {"name": "a async", "version": "1", "allocator": "/x/a.so",
         "preload": None, "env": {"B": "1"}, "reason": None, "streams": True}]))
    place = contenders.Place(str(tmp_path))
    known = contenders.contenders(place)
    found = {each.name: each for each in contenders.in_streams(place, known)}
    assert list(found) == ["mnm", "cudaMallocAsync", "a async", "a async, mnm",
                           "events alone"]
    under = found["a async, mnm"]
    assert under.kind == "over" and under.preload == place.path("libmnm.so")
    assert under.env == {"B": "1", "MNM_STREAM_ORDERED": "1"}
    assert found["a async"].env == {"B": "1"} and not found["a async"].preload
    for row in rows.rows(place, known):
        assert ("a async" in row.cases) == (
            row.key.startswith("async-") and "door" not in row.key and
            row.key != "async-legacy")


@plain_build_only
def test_the_plot_is_an_svg_with_a_bar_for_each_figure(tmp_path):
    _, result = quick(tmp_path, "one-2K")
    root = xml.parse(tmp_path / "bench.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    bars = [each for each in root.iter("{http://www.w3.org/2000/svg}rect")
            if each.get("fill") != "white"]
    assert len(bars) == len(result["rows"][0]["cells"])
    words = [each.text for each in root.iter(
        "{http://www.w3.org/2000/svg}text")]
    assert any("simulated driver" in text for text in words)


@plain_build_only
def test_every_single_row_can_be_measured(tmp_path):
    names = ["door", "no_pool", "table-idle", "start", "driver-calls",
             "system-calls", "host-mallocs", "stat", "swap"]
    _, result = quick(tmp_path, *names)
    assert len(result["rows"]) == 12
    for row in result["rows"]:
        assert not row["failed"], row
        assert "mnm" in row["cells"]


def test_the_rows_are_named_once_and_each_target_is_of_ours():
    place = contenders.Place(BUILD)
    able = [each for each in contenders.contenders(place) if not each.reason]
    keys = [row.key for row in rows.rows(place, able)]
    assert len(keys) == len(set(keys)) >= 30
    assert all(row.limit is not None for row in rows.rows(place, able)
               if row.key.startswith(("replay", "one", "window", "threads",
                                      "async")))


@plain_build_only
def test_an_interrupt_writes_what_was_measured(tmp_path):
    process = subprocess.Popen(
        [BENCH, "--quick", "--only", "one-2K", "--only", "spread-1000000",
         "--runs", "2", "--out", str(tmp_path), BUILD],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True)
    while "spread-1000000" not in process.stderr.readline():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130 and "Traceback" not in err
    row = json.loads((tmp_path / "bench.json").read_text())["rows"][0]
    assert row["row"] == "one-2K" and len(row["cells"]["mnm"]["values"]) == 2


@pytest.mark.parametrize("words, said", [
    (["--only", "nonsense"], "no row starts with 'nonsense'"),
    (["--runs", "0"], "'0' is not a whole number of 1 to 1000"),
    (["--cores", "4096"], "'4096' is not a list of cores"),
])
def test_a_wrong_option_is_one_clear_line(words, said):
    done = bench(*words, check=False)
    assert done.returncode == 2 and said in done.stderr.splitlines()[-1]


def test_a_build_without_the_programs_is_said(tmp_path):
    done = subprocess.run([BENCH, str(tmp_path)], capture_output=True,
                          text=True)
    assert done.returncode == 2 and "run `make bench`" in done.stderr


@plain_build_only
def test_where_mnm_cannot_be_measured_the_status_says_so(tmp_path):
    done = subprocess.run(
        [BENCH, "--quick", "--runs", "1", "--only", "one-2K", "--out",
         str(tmp_path), "--gpu", BUILD], capture_output=True, text=True,
        env=dict(os.environ, CUDA_HOME=str(tmp_path)), timeout=DEADLINE)
    assert done.returncode == 1
    assert "bench: mnm was not measured: one-2K: " in done.stderr


@pytest.mark.parametrize("words, said", [
    ([host(), "nonsense"], "no such work"),
    ([host(), "one"], "not a whole number of 1 to"),
    ([host(), "one:2K"], "not a whole number of 1 to"),
    ([host(), "threads:65"], "not a whole number of 1 to 64: 65"),
    ([host(), "replay"], "needs a trace"),
    ([host(), "replay:/nowhere"], "pair: /nowhere: No such file"),
    (["/nowhere.so", "one:512"], "not loaded"),
    (["--seconds", "0", host(), "one:512"], "--seconds: more than 0"),
    (["--cores", "x", host(), "one:512"], "--cores: numbers of cores"),
    ([host(), "turns:4"], "follows no streams"),
    ([host(), "cross"], "not a whole number of 1 to"),
    ([host(), "turns:0"], "not a whole number of 1 to"),
    ([host(), "streams"], "needs a trace"),
])
def test_a_pair_that_cannot_run_says_why(words, said):
    done = pair(*words)
    assert done.returncode == 1 and said in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not done.stdout


@plain_build_only
def test_plays_are_counted_whole_and_mallocs_are_of_the_pairs():
    env = dict(os.environ, LD_PRELOAD=host("count_malloc"))
    done = subprocess.run([PAIR, "--plays", "3", host(), "one:4096"], env=env,
                          capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["plays"] == 3 and found["pairs"] == 256
    assert found["mallocs"] == 1 and len(found["ns_per_pair"]) == 1


@pytest.mark.parametrize("work", ["random", "threads:3", "handoff",
                                  "window:4096", "live:2000", "spread:2000",
                                  "shared:5", "shared-large:5", "alone:5"])
def test_each_work_gives_back_what_it_takes(box, work):
    done = box.run([PAIR, "--plays", "2", host("cuda_runtime"), work],
                   sim="ideal")
    found, (calls, devices) = json.loads(done.stdout), box.report()
    assert devices[0]["live_allocs"] == 0
    # One of the frees is of NULL, which starts CUDA.
    assert calls["cuMemAlloc_v2"] == calls["cuMemFree_v2"] - 1
    assert calls["cuMemAlloc_v2"] > found["pairs"] * found["plays"]


@pytest.mark.parametrize("driver", ["cuda_async", "driver_async"])
@pytest.mark.parametrize("work", [
    "turns:5", "turns:40", "cross:7", "one:4096",
    f"streams:{ROOT}/examples/traces/resnet50_bs64_prefetch.csv.zst"])
def test_each_work_in_streams_gives_back_what_it_takes(box, driver, work):
    done = box.run([PAIR, "--plays", "2", host(driver), work], sim="ideal",
                   sim_check=1)
    found, (calls, devices) = json.loads(done.stdout), box.report()
    assert "violation" not in done.stderr
    assert devices[0]["live_allocs"] == 0
    # One pair comes first, and three plays warm up.
    assert calls["cuMemAllocAsync"] == 1 + found["pairs"] * 5
    assert calls["cuMemFreeAsync"] == calls["cuMemAllocAsync"]
    assert calls.get("cuEventRecord", 0) == calls.get("cuStreamWaitEvent", 0)
    # The trace has 12 inputs, and its iterations begin and end 9 times.
    each = 0 if work.startswith("one") else 21 if "zst" in work else 2
    assert calls.get("cuEventRecord", 0) == 5 * each


def cells(**values):
    return {name: judge.summary(each) for name, each in values.items()}


def test_a_summary_has_the_median_and_the_quartiles():
    assert judge.summary([4, 1, 3, 2, 5]) == {
        "median": 3, "low": 2, "high": 4, "spread": 2,
        "values": [1, 2, 3, 4, 5]}
    assert judge.summary([7])["spread"] == 0


def test_a_spread_that_exceeds_the_difference_is_a_warning():
    found = cells(mnm=[10, 11, 12, 13, 14], near=[11, 12, 13, 14, 15],
                  far=[100, 101, 102])
    said = judge.warnings(found, "mnm", None)
    assert len(said) == 1 and "mnm and near can't be told apart" in said[0]
    assert judge.warnings(found, "mnm", None, versus=False) == []


def test_a_target_within_the_spread_is_a_warning():
    found = cells(mnm=[20, 22, 24, 26, 28])
    assert "distance from the target" in judge.warnings(found, "mnm", 25)[0]
    assert judge.warnings(found, "mnm", 50) == []


def test_a_target_is_met_by_the_figure_and_by_each_ratio():
    found = cells(mnm=[20], umf=[70], **{"rmm pool": [150]})
    assert judge.verdict(found, "mnm", 25, {"umf": 3})["met"]
    assert not judge.verdict(found, "mnm", 15, {})["met"]
    said = judge.verdict(found, "mnm", 25, {"umf": 3, "rmm": 10})
    assert not said["met"] and "10x rmm pool: missed" in said["text"]
    assert judge.verdict(found, "mnm", None, {})["met"] is None
    assert judge.verdict({}, "mnm", 25, {})["met"] is None


def test_a_target_of_zero_allows_no_rate():
    assert judge.below(0, 0) and judge.below(0.0002, 0)
    assert not judge.below(0.01, 0)


def test_instructions_are_those_of_the_object_without_what_it_calls(tmp_path):
    file = tmp_path / "out"
    file.write_text("events: Ir\n\nob=/lib/a.so\nfn=f\n10 5\n11 7\ncob=/lib/"
                    "b.so\ncfn=g\ncalls=1 3\n12 100\nob=/lib/b.so\nfn=g\n"
                    "3 100\n")
    assert counts.instructions_in(file, "/lib/a.so") == (12, 112)


def test_who_cannot_run_is_named_with_the_reason():
    result = {"machine": {"load before": 0}, "driver": "simulated driver",
              "runs": 1, "rows": [], "contenders": [
                  {"name": "someone", "kind": "peer", "version": "1",
                   "reason": "needs a GPU"}]}
    assert "not here: someone: needs a GPU" in table.text(result)
    assert plot.svg(result) is None


def test_peers_are_read_as_they_were_left(tmp_path):
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "peers.json").write_text(json.dumps([
        {"name": "a", "version": "1.2", "allocator": "/x/a.so",
         "preload": None, "env": {"B": "1", "LD_LIBRARY_PATH": "/x"},
         "reason": None},
        {"name": "b", "version": None, "allocator": None, "preload": None,
         "env": {}, "reason": "no package"},
        {"name": "jemalloc", "version": "5", "allocator": "host",
         "preload": "/x/j.so", "env": {}, "reason": None}]))
    place = contenders.Place(str(tmp_path))
    found = {each.name: each for each in contenders.contenders(place)}
    assert found["a"].kind == "peer" and found["b"].reason == "no package"
    assert found["jemalloc"].kind == "floor"
    assert found["jemalloc"].allocator == str(tmp_path / "bench" / "host.so")
    env = place.environment(found["a"])
    assert env["LD_LIBRARY_PATH"] == f"{tmp_path}/sim:/x" and env["B"] == "1"
    assert "LD_PRELOAD" not in env
    assert place.environment(found["jemalloc"])["LD_PRELOAD"] == "/x/j.so"


def test_peers_that_cannot_be_read_are_one_line(tmp_path):
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "peers.json").write_text("[")
    with pytest.raises(SystemExit) as ended:
        contenders.contenders(contenders.Place(str(tmp_path)))
    assert "scripts/bench-peers again" in str(ended.value)
