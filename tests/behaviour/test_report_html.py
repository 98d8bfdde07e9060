"""The page of `mnm report FILE -o PAGE`: its figures, and where it goes."""

import csv
import io
import itertools
import json
import os
import re
import subprocess

import pytest

from conftest import EXAMPLES, MNM, TRACES
from recording_writer import (ALLOC, FAILED, FREE, LIVE, MARK, POP, PUSH,
                              RESERVED, STACK, STACKED, SWAP, TOOK, written)
from recordings import told
from test_pool import open_shell, took

POOL = "page_unit_pool"
LAPS = 4
HELD = 300000  # bytes that stay after each lap
POINTS_MOST = 4 * (2000 + 2 * 200 + 1)  # of a figure; see page.c
BYTES_MOST = 6 << 20
UNSHOWN = ("holders", "ranges", "stacks")  # of a device; the tree has them


def report(box, path, *words, check=True):
    return box.mnm("report", path, *words, check=check)


def figures_of(page):
    """What the page draws."""
    text = page.read_text(encoding="utf-8")
    return json.loads(re.search(
        r'<script type="application/json" id="figures">\n(.*)</script>', text,
        re.DOTALL).group(1))


def made(box, path, *words):
    page = path.with_suffix(".html")
    done = report(box, path, *words, "-o", page)
    assert (done.stdout, done.stderr) == ("", "")
    return page


def events(box, path, *words):
    text = box.mnm("export", path, *words).stdout
    return list(csv.DictReader(io.StringIO(text)))


def of_kind(rows, kind, device="0"):
    return [row for row in rows
            if row["kind"] == kind and row["device"] == device]


def record_laps(box, path, pool=POOL, **options):
    """Laps of requests with a mark each, from two functions; then a block on
    another device, and a pinned one."""
    shell = open_shell(box, pool, devices=2, record=path, **options)
    took(shell, "alloc first 5000")
    for lap in range(LAPS):
        box.mnm("mark", shell.pid)
        for size in range(1, 6):
            took(shell, f"alloc a{size} {size * 100000}")
        took(shell, f"alloc_async o{lap} 70000")
        took(shell, f"alloc kept{lap} {HELD}")
        for size in range(1, 6):
            took(shell, f"free a{size}")
        took(shell, f"free_async o{lap}")
    took(shell, "alloc x 1073741824", "2")
    shell.ask("trim")
    shell.ask("swap --device 0 vmm_pool")
    took(shell, "alloc late 7000")
    took(shell, "pin p 9000 0")
    took(shell, "device 1")
    took(shell, "alloc c 6000")
    shell.end()
    return path


@pytest.fixture
def laps(box, tmp_path):
    return record_laps(box, tmp_path / "laps")


# What it says.

def shown(told_by_json):
    """What a page has of a report."""
    for device in told_by_json["devices"]:
        for name in UNSHOWN:
            del device[name]
    return told_by_json


def test_its_figures_are_those_of_the_report(box, laps):
    figures = figures_of(made(box, laps))
    assert figures["report"] == shown(told(box, laps))
    assert len(figures["courses"]) == 3 and figures["wrong"] == ""


def test_one_device_can_be_chosen(box, laps):
    figures = figures_of(made(box, laps, "--device", 1))
    assert [d["device"] for d in figures["report"]["devices"]] == [1]
    assert figures["courses"][0]["requests"] == 1


def both(figures):
    return zip(figures["report"]["devices"], figures["courses"], strict=True)


def test_the_lines_have_the_peak_and_the_end(box, laps):
    rows = events(box, laps)
    for device, course in both(figures_of(made(box, laps))):
        name = str(device["device"])
        live = course["series"]["live"]
        assert max(live["v"]) == device["peak"]
        allocs = {row["address"]: int(row["size"]) for row in rows
                  if row["device"] == name and row["kind"] == "malloc"}
        last = {row["address"]: row["kind"] for row in rows
                if row["kind"] in ("malloc", "free")}
        assert live["v"][-1] == sum(
            size for address, size in allocs.items()
            if last[address] == "malloc")
        assert sum(live["t"]) <= figures_of(made(box, laps))[
            "report"]["nanoseconds"]
        seen = [int(row["size"]) for row in of_kind(rows, "reserved", name)]
        assert course["peak_reserved"] >= max(seen)
        assert course["series"]["reserved"]["v"][-1] == seen[-1]


@pytest.mark.parametrize("recording", ["laps", "repeated"])
@pytest.mark.parametrize("kind", ["functions", "files", "pools"])
def test_what_lives_is_divided_without_a_rest(box, request, recording, kind):
    page = made(box, request.getfixturevalue(recording))
    for device, course in both(figures_of(page)):
        stack = course["stack"]
        sums = [sum(row["v"][i] for row in stack[kind])
                for i in range(len(stack["t"]))]
        assert max(sums) == device["peak"]
        assert sums[-1] == course["series"]["live"]["v"][-1]


def test_the_pools_are_told_apart(box, laps):
    pools = figures_of(made(box, laps))["courses"][0]["stack"]["pools"]
    assert {row["name"] for row in pools} == {POOL, "vmm_pool"}
    later = next(row["v"] for row in pools if row["name"] == "vmm_pool")
    assert max(later) == 7000


def test_the_peak_has_its_blocks_by_function_and_size(box, laps):
    holders = [each["holders"] for each in told(box, laps)["devices"]]
    pairs = both(figures_of(made(box, laps)))
    for (device, course), held in zip(pairs, holders, strict=True):
        tree = course["tree"]
        assert sum(each["bytes"] for each in tree) == device["peak"]
        assert {(each["file"], each["name"], each["bytes"], each["blocks"])
                for each in tree} == {
            (each["file"], each["function"], each["bytes"], each["blocks"])
            for each in held}
        for each in tree:
            assert sum(size["size"] * size["blocks"]
                       for size in each["sizes"]) == each["bytes"]


def test_the_map_has_the_bytes_that_blocks_take(box, laps):
    for device, course in both(figures_of(made(box, laps))):
        cells = [cell for row in course["map"]["rows"] for cell in row["used"]]
        assert sum(cells) == device["peak_span"]
        assert max(cells) <= course["map"]["cell"]
        assert len(course["map"]["rows"]) <= 64


@pytest.mark.parametrize("pool, count", [
    ("vmm_pool", 1), ("best_fit_pool", 3), ("page_unit_pool", 0)])
def test_the_map_has_the_regions_of_its_blocks(box, tmp_path, pool, count):
    path = tmp_path / "out"
    shell = open_shell(box, pool, record=path, sim="16G")
    for line in ("alloc gone 70000000", "free gone", "alloc a 40000000",
                 "alloc b 50000000", "alloc c 5000"):
        took(shell, line)
    shell.end()
    (_, course), = both(figures_of(made(box, path)))
    regions = course["map"]["regions"]
    assert len(regions) == count
    if not count:
        return
    assert {region["pool"] for region in regions} == {pool}
    lives = [row for row in events(box, path) if row["kind"] == "malloc"][1:]
    assert sum(region["blocks"] for region in regions) == len(lives)
    assert sum(region["live"] for region in regions) == sum(
        int(row["span"]) for row in lives)
    lives = [region["live"] for region in regions]
    assert lives == sorted(lives, reverse=True)


def test_the_sizes_are_those_that_were_asked_for(box, laps):
    rows = events(box, laps)
    for device, course in both(figures_of(made(box, laps))):
        asked = [int(row["size"]) for row in
                 of_kind(rows, "malloc", str(device["device"]))]
        counts = {}
        for size in asked:
            counts[size.bit_length() - 1] = counts.get(
                size.bit_length() - 1, 0) + 1
        assert {each["power"]: each["count"]
                for each in course["sizes"]} == counts
        assert sum(each["bytes"] for each in course["sizes"]) == sum(asked)


def test_requests_without_the_driver_are_counted(box, laps):
    served = [row for row in of_kind(events(box, laps), "malloc")
              if (row["served"], row["driver"]) == ("1", "0")]
    course = figures_of(made(box, laps))["courses"][0]
    assert 0 < course["undriven"] == len(served) < course["requests"]


@pytest.mark.parametrize("pool", ["page_unit_pool", "best_fit_pool",
                                  "vmm_pool", "tstack_pool"])
def test_they_are_hits_of_stat_where_no_page_is_added(box, tmp_path, pool):
    """vmm_pool serves a request by idle memory and some new pages as well: that
    is a hit, but the driver was asked."""
    path, stat = tmp_path / "job", tmp_path / "stat"
    box.run([os.path.join(EXAMPLES, "trace_job"), "--fill", "none",
             "--every", "8", "--run", f"{MNM} stat --json $PPID > {stat}",
             os.path.join(TRACES, "resnet50_bs32.csv.zst")], pool, sim="64G",
            record=path)
    counted = json.loads(stat.read_text(encoding="ascii"))["devices"][0]
    course = figures_of(made(box, path))["courses"][0]
    assert course["requests"] == counted["allocs"] > 0
    if pool in ("vmm_pool", "tstack_pool"):
        assert 0 < course["undriven"] <= counted["hits"]
    else:
        assert 0 < course["undriven"] == counted["hits"]


def test_marks_divide_iterations(box, laps):
    figures = figures_of(made(box, laps))
    iterations = figures["courses"][0]["iterations"]
    assert figures["period"] is None
    assert iterations["each"] == 1
    assert [each["requests"] for each in iterations["list"]] == (
        [7] * (LAPS - 1) + [8])
    assert [each["stays"] for each in iterations["list"]][:-1] == (
        [HELD] * (LAPS - 1))
    peaks = [each["peak"] for each in iterations["list"]]
    assert [after - before for before, after in
            zip(peaks[:-1], peaks[1:], strict=True)] == [HELD] * (LAPS - 1)
    assert all(before["end"] == after["begin"] for before, after in
               zip(iterations["list"][:-1], iterations["list"][1:],
                   strict=True))


def test_what_happened_is_there(box, laps):
    moments = figures_of(made(box, laps))["courses"][0]["moments"]
    assert {each["kind"] for each in moments} == {"mark", "failure", "trim",
                                                  "swap"}
    assert sum(each["count"] for each in moments
               if each["kind"] == "mark") == LAPS
    assert [each["text"] for each in moments
            if each["kind"] == "swap"] == ["vmm_pool"]


def test_a_failure_has_what_was_live(box, laps):
    figures = figures_of(made(box, laps))
    failed, = figures["report"]["devices"][0]["failures"]
    holders, = figures["courses"][0]["failure_holders"]
    assert sum(each["bytes"] for each in holders) == failed["live"] == (
        5000 + LAPS * HELD)


def test_slow_calls_are_the_slowest(box, laps):
    rows = events(box, laps)
    took_ns = sorted((int(row["size"]) for row in rows
                      if row["kind"] == "took"), reverse=True)
    calls = [course["slow_calls"]
             for course in figures_of(made(box, laps))["courses"]
             if "slow_calls" in course]
    assert sum(each["count"] for each in calls) == len(took_ns) > 0
    assert max(each["slowest"][0]["took"] for each in calls) == took_ns[0]
    for each in calls:
        told = [call["took"] for call in each["slowest"]]
        assert told == sorted(told, reverse=True)


@pytest.fixture
def repeated(box, tmp_path):
    """A job that repeats its requests, and is not marked."""
    path = tmp_path / "repeated"
    box.run([MNM, "run", "--pool", "vmm_pool", "--record", path, "--",
             os.path.join(EXAMPLES, "trace_job"), "--fill", "none",
             os.path.join(TRACES, "lstm_lm_bs20_bptt35.csv.zst")], sim="64G")
    return path


def test_what_repeats_is_found(box, repeated):
    figures = figures_of(made(box, repeated))
    requests = [each["requests"]
                for each in figures["courses"][0]["iterations"]["list"]]
    assert figures["period"] == {"requests": 1237, "device": 0}
    assert requests == [1237] * figures["report"]["iterations"]
    assert len(requests) >= 5 and figures["report"]["iterations_found"]


def test_iterations_of_batches_of_many_lengths_are_found(box, tmp_path):
    """They have some 1900 requests. What stays is made in the first, which
    counts as two."""
    text = subprocess.run(
        ["zstd", "-dc", os.path.join(TRACES,
                                     "bert_base_dynamic_bs16.csv.zst")],
        check=True, capture_output=True, text=True).stdout.splitlines()
    counts = {}
    for line in text:
        if line.startswith("mark,"):
            iteration = int(line.split(",")[1])
        elif line.startswith("malloc,"):
            counts[iteration] = counts.get(iteration, 0) + 1
    trace, path = tmp_path / "trace.csv", tmp_path / "unmarked"
    trace.write_text("\n".join(
        line for line in text if not line.startswith("mark,")) + "\n")
    box.mnm("import", "-o", path, trace)
    figures = figures_of(made(box, path))
    found = [each["requests"]
             for each in figures["courses"][0]["iterations"]["list"]]
    assert figures["report"]["iterations"] == len(found) == 41
    for i in range(1, 39):
        assert abs(found[i + 1] - counts[i]) <= 32


def curve(rows, device="0"):
    """How much lives after each event, with its time."""
    sizes, live = {}, 0
    for row in rows:
        if row["kind"] == "malloc" and row["device"] == device:
            sizes[row["address"]] = int(row["size"])
            live += sizes[row["address"]]
        elif row["kind"] == "free" and row["address"] in sizes:
            live -= sizes.pop(row["address"])
        else:
            continue
        yield int(row["time_ns"]), live


@pytest.mark.parametrize("extreme", [max, min])
def test_no_high_and_no_low_is_lost(box, repeated, extreme):
    """Of each 50 events, the highest is near by in the line."""
    figures = figures_of(made(box, repeated))
    line = figures["courses"][0]["series"]["live"]
    points = list(zip(itertools.accumulate(line["t"]), line["v"],
                      strict=True))
    near = figures["report"]["nanoseconds"] / 2000 + 1
    events_of = list(curve(events(box, repeated)))
    assert {v for _, v in points} <= {v for _, v in events_of}
    for first in range(0, len(events_of), 50):
        at, value = extreme(events_of[first:first + 50], key=lambda e: e[1])
        assert extreme([value, *(v for t, v in points
                                 if abs(t - at) <= near)]) == extreme(
            v for t, v in points if abs(t - at) <= near)


def test_many_events_are_few_points(box, repeated):
    page = made(box, repeated)
    device, course = next(both(figures_of(page)))
    assert device["requests"] > POINTS_MOST
    for series in course["series"].values():
        assert len(series["t"]) == len(series["v"]) <= POINTS_MOST
    assert max(course["series"]["live"]["v"]) == device["peak"]
    assert page.stat().st_size < BYTES_MOST


def test_without_a_pool_nothing_is_a_hit(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, "no_pool", record=path)
    for line in ("alloc a 5000", "free a", "alloc a 5000"):
        took(shell, line)
    shell.end()
    course = figures_of(made(box, path))["courses"][0]
    assert (course["requests"], course["undriven"]) == (2, 0)


# What no program of ours does.

def of_written(box, tmp_path, events_of):
    return next(both(figures_of(made(box, written(tmp_path, events_of)))))


def test_many_functions_are_some_and_the_others(box, tmp_path):
    device, course = of_written(box, tmp_path, [
        {"kind": ALLOC, "time": at, "address": at << 12, "size": at,
         "site": at} for at in range(1, 301)])
    assert device["peak"] == 301 * 150
    assert sum(each["bytes"] for each in course["tree"]) == device["peak"]
    assert len(course["tree"]) == 128
    functions = course["stack"]["functions"]
    assert len(functions) == 10 and functions[-1]["name"] == "others"
    assert sum(row["v"][-1] for row in functions) == device["peak"]


def test_many_stacks_and_ranges_leave_a_page_small(box, tmp_path):
    count, depth = 20000, 32
    page = made(box, written(tmp_path, [
        event for at in range(1, count + 1) for event in (
            {"kind": STACK, "time": at, "address": at, "text": b" ".join(
                b"%x" % (at * depth + frame) for frame in range(depth))},
            {"kind": PUSH, "time": at, "text": b"range %d" % at},
            {"kind": ALLOC, "time": at, "address": at << 12, "size": at,
             "site": at, "flags": STACKED},
            {"kind": POP, "time": at})]))
    device, course = next(both(figures_of(page)))
    assert device["peak"] == sum(each["bytes"] for each in course["tree"])
    assert device["requests"] == count
    assert page.stat().st_size < BYTES_MOST


def test_many_iterations_are_some_of_several(box, tmp_path):
    laps = 2500
    _, course = of_written(box, tmp_path, [
        event for lap in range(laps) for event in (
            {"kind": MARK, "time": 100 * lap, "device": 255},
            {"kind": ALLOC, "time": 100 * lap + 10, "address": 4096,
             "size": lap + 1},
            {"kind": FREE, "time": 100 * lap + 50, "address": 4096})])
    iterations = course["iterations"]
    assert iterations["each"] == 4 and len(iterations["list"]) == laps / 4
    assert {each["requests"] for each in iterations["list"]} == {4}
    assert [each["peak"] for each in iterations["list"]] == list(
        range(4, laps + 1, 4))
    assert sum(each["count"] for each in course["moments"]) == laps


def test_blocks_far_apart_are_in_one_map(box, tmp_path):
    blocks = [(0x10000000, 3 << 20), (0x7fff00000000, 5 << 20), (0xf000, 700)]
    device, course = of_written(box, tmp_path, [
        {"kind": ALLOC, "time": at, "address": address, "size": size,
         "span": size} for at, (address, size) in enumerate(blocks)])
    rows = course["map"]["rows"]
    assert sum(sum(row["used"]) for row in rows) == device["peak"]
    addresses = [int(row["address"], 16) for row in rows]
    assert addresses == sorted(set(addresses)) and addresses[0] == 0
    assert all(len(row["used"]) == 64 for row in rows)


def test_what_is_not_known_is_left_out(box, tmp_path):
    """As of a recording that another tool has made."""
    _, course = of_written(box, tmp_path, [
        {"kind": ALLOC, "time": at, "address": at << 12, "size": 100}
        for at in range(1, 5)])
    assert list(course["series"]) == ["live"]
    assert not {"slow_calls", "iterations", "moments"} & set(course)
    assert (course["peak_reserved"], course["undriven"]) == (0, 0)


@pytest.mark.parametrize("size", [0, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
def test_sizes_of_a_wrong_recording_end_nothing(box, tmp_path, size):
    kinds = (ALLOC, LIVE, FAILED, RESERVED, TOOK, ALLOC, SWAP, FREE, TOOK)
    path = written(tmp_path, [
        {"kind": kind, "time": (at * 7919) % 1000, "address": at * size,
         "size": size, "span": size, "flags": 3, "text": b"</script>\xff"}
        for at, kind in enumerate(kinds * 3)])
    figures = figures_of(made(box, path))
    assert len(figures["courses"]) == 1
    assert len(made(box, path).read_text().split("</script>")) == 4


# Figures that others have as well.

def test_what_failed_without_a_device_is_shown(box, tmp_path):
    path = written(tmp_path, [
        {"kind": ALLOC, "time": 0, "address": 4096, "size": 100},
        *({"kind": FAILED, "time": 1, "size": 1 << 20, "device": 255}
          for _ in range(7))])
    text = report(box, path).stdout
    assert text.endswith("\nno device: 7 requests failed\n" + (
        "  failed after 0.000 s: 1.00 MiB; asked for by (unknown) \n" * 5) +
        "  and 2 more failed\n")
    nowhere = told(box, path)["nowhere"]
    assert (nowhere["failed"], len(nowhere["failures"])) == (7, 5)
    assert figures_of(made(box, path))["report"]["nowhere"] == nowhere
    assert "no device" not in report(box, path, "--device", 0).stdout
    assert told(box, path, "--device", 0)["nowhere"] is None


def test_the_driver_is_asked_in_a_part_of_all_calls(box, tmp_path):
    path = written(tmp_path, [
        {"kind": LIVE, "time": 0, "address": 8192, "size": 1, "flags": 2},
        {"kind": ALLOC, "time": 0, "address": 4096, "size": 100},
        {"kind": FREE, "time": 0, "address": 4096},
        *({"kind": FAILED, "time": 1, "size": 1 << 20, "flags": 2}
          for _ in range(6))])
    assert "driver was asked in 6 (75.0 %)" in report(box, path).stdout


@pytest.mark.parametrize("words", [[], ["--json"], ["-o", "page"]])
def test_a_device_that_is_not_there_is_told(box, tmp_path, monkeypatch, words):
    path = written(tmp_path, [
        {"kind": ALLOC, "time": 0, "address": 4096, "size": 100}])
    monkeypatch.chdir(tmp_path)
    done = report(box, path, "--device", 7, *words, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", f"mnm: {path}: there is nothing of device 7 in it\n")
    assert os.listdir(tmp_path) == ["written"]


# Where it goes.

def test_json_and_page_can_be_had_at_once(box, laps, tmp_path):
    page = tmp_path / "page"
    done = report(box, laps, "--json", "-o", page)
    assert figures_of(page)["report"] == shown(json.loads(done.stdout))


def test_a_damaged_recording_is_shown_up_to_there(box, laps, tmp_path):
    cut, page = tmp_path / "cut", tmp_path / "page"
    cut.write_bytes(laps.read_bytes()[:-10])
    done = report(box, cut, "-o", page, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    wrong = re.fullmatch(r"mnm: what follows is lost: (.*)\n", done.stderr)
    assert figures_of(page)["wrong"] == wrong.group(1)


@pytest.mark.parametrize("place, why", [
    ("none/page", "No such file or directory"), (".", "Is a directory")])
def test_a_page_needs_a_place(box, laps, tmp_path, place, why):
    out = tmp_path / place
    done = report(box, laps, "-o", out, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mnm: {out}: {why}\n"


def test_what_is_no_recording_leaves_the_old_page(box, tmp_path):
    old, page = tmp_path / "old", tmp_path / "page"
    old.write_text("no recording\n")
    page.write_text("a page\n")
    done = report(box, old, "-o", page, check=False)
    assert done.returncode == 1 and done.stderr.startswith(f"mnm: {old}: ")
    assert page.read_text() == "a page\n"
    assert sorted(os.listdir(tmp_path)) == ["old", "page"]


def test_a_full_disk_is_told(box, laps):
    done = report(box, laps, "-o", "/dev/full", check=False)
    assert done.returncode == 1
    assert done.stderr == "mnm: /dev/full: No space left on device\n"


def test_the_page_asks_for_nothing(box, laps):
    text = made(box, laps).read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"<(link|iframe|img|script)\b[^>]*\b(src|href)=",
                         text.replace("<script>", "", 1).split("<body>")[1])
    assert "Permission is hereby granted, free of charge" in text
