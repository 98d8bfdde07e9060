"""mnm replay: what a recording would need with other pools."""

import json
import os
import re
import signal
import statistics
import subprocess

import pytest

from conftest import (BUILD, DEADLINE, EXAMPLES, MIB, MNM, TRACES,
                      await_true)
from test_pool import open_shell, took

POOLS = ["page_unit_pool", "vmm_pool", "tstack_pool", "best_fit_pool",
         "naive_pool", "round_pool", "no_pool"]
SHORT = ["dcgan_bs128", "resnet50_bs32", "unet_bs4_512"]
FIGURES = ["reserved_peak", "live_peak", "driver_allocs", "driver_frees",
           "allocs", "hits"]


def trace_path(name):
    return os.path.join(TRACES, f"{name}.csv.zst")


def job(path):
    return [os.path.join(EXAMPLES, "trace_job"), "--mark", "--fill", "none",
            path]


def replay(box, *words, check=True):
    return box.mnm("replay", *words, check=check)


def told(box, *words):
    return json.loads(replay(box, "--json", *words).stdout)


def figures(device):
    return [device[key] for key in FIGURES]


def fails(done, why, status):
    """One line says why, and nothing else is said."""
    assert (done.returncode, done.stdout) == (status, "")
    assert re.fullmatch(why + r"\n", done.stderr), done.stderr


def write(path, *lines):
    path.write_text("# trace: made here\n# format: 1\n" +
                    "".join(line + "\n" for line in lines))
    return path


def loop(*sizes, times=8, kept=()):
    """Lines of a trace that has iterations: each asks for blocks of these
    sizes, and frees them at its end. Others are kept from the start on."""
    lines = [f"malloc,{i + 1},{size},0,param,"
             for i, size in enumerate(kept)]
    number = len(kept)
    for i in range(times):
        lines.append(f"mark,{i},forward")
        for j, size in enumerate(sizes):
            lines.append(f"malloc,{number + j + 1},{size},0,activation,")
        for j in range(len(sizes)):
            lines.append(f"free,{number + j + 1}")
        number += len(sizes)
    return lines + [f"free,{i + 1}" for i in range(len(kept))]


# What it says is what a job sees.

@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The recordings of jobs, by the trace."""
    return tmp_path_factory.mktemp("recorded")


def record_of(box, recorded, name):
    path = recorded / name
    if not path.exists():
        part = recorded / f"{name}.{os.getpid()}"
        box.run([MNM, "run", "--record", part, "--", *job(trace_path(name))],
                sim="64G")
        part.rename(path)
    return path


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", SHORT)
def test_a_replay_agrees_with_the_job(box, recorded, name, pool):
    path = record_of(box, recorded, name)
    seen = told(box, "--device", "64G", "--pool", pool, path)["pools"][0]
    box.run(job(trace_path(name)), pool, sim="64G", sim_clock="", plan_thread=0)
    assert figures(seen["devices"][0]) == figures(box.stat())
    assert seen["fits"] is True and seen["pool"] == pool


@pytest.mark.parametrize("pool", POOLS)
def test_a_trace_of_two_streams_agrees_with_the_job(box, tmp_path, pool):
    """trace_job has a block of its own, which comes first and goes last."""
    name = "resnet50_bs64_prefetch"
    text = subprocess.run(["zstd", "-dcq", trace_path(name)],
                          capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^(malloc|free),(\d+)", lambda found: (
        f"{found[1]},{int(found[2]) + 1}"), text, flags=re.M)
    text = re.sub(r"^(?!#)", "malloc,1,8,0,other,\n", text, count=1,
                  flags=re.M)
    path = tmp_path / "whole.csv"
    path.write_text(text + "free,1\n")
    seen = told(box, "--device", "64G", "--pool", pool, path)["pools"][0]
    box.run(job(trace_path(name)), pool, sim="64G", sim_clock="", plan_thread=0)
    assert figures(seen["devices"][0]) == figures(box.stat())


def test_the_same_file_has_the_same_answer(box, recorded):
    path = record_of(box, recorded, "dcgan_bs128")
    first, second = (told(box, path)["pools"] for _ in range(2))
    for pool in first + second:
        del pool["later"]["ns_a_pair"]
    assert first == second
    assert [pool["pool"] for pool in first] == POOLS


# What is played.

def test_streams_and_devices_are_those_of_the_recording(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOLS[0], devices=2, record=path)
    for line in ("alloc a 5000000", "alloc_async o 3000000", "free_async o",
                 "device 1", "alloc b 7000000", "managed m 8000000", "free b",
                 "free m", "device 0", "free a", "pin p 9000 0", "unpin p"):
        took(shell, line)
    took(shell, "alloc x 1073741824", "2")
    shell.end()
    seen = told(box, "--pool", POOLS[0], path)
    assert [(peak["device"], peak["live"]) for peak in seen["peaks"]] == [
        (0, 8000000), (1, 7000000)]
    assert (seen["requests"], seen["pinned"], seen["failed"]) == (3, 1, 1)
    devices = seen["pools"][0]["devices"]
    assert [(device["device"], device["allocs"]) for device in devices] == [
        (0, 2), (1, 1)]
    # no_pool leaves a stream's requests to CUDA, unless they become plain.
    ordered = told(box, "--pool", "no_pool", path)
    assert ordered["pools"][0]["devices"][0]["driver_allocs"] == 1
    plain = told(box, "--pool", "no_pool", "--streams", 0, path)
    assert plain["pools"][0]["devices"][0]["driver_allocs"] == 2


def test_memory_that_no_pool_serves_takes_room(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOLS[0], record=path)
    for line in ("managed m 40000000", "alloc a 20000000"):
        took(shell, line)
    shell.end()
    full, fits = (told(box, "--device", size, "--pool", "no_pool",
                       path)["pools"][0] for size in ("48M", "64M"))
    assert full["full"] == {"request": 1, "iteration": 0, "bytes": 20000000}
    assert (full["fits"], fits["fits"]) == (False, True)


def test_a_recording_that_was_begun_late_is_played(box, tmp_path):
    path = tmp_path / "out"
    shell = open_shell(box, POOLS[0])
    took(shell, "alloc a 5000000")
    box.mnm("record", shell.pid, "start", path)
    for line in ("alloc b 6000000", "free a", "free b"):
        took(shell, line)
    shell.end()
    seen = told(box, "--pool", "no_pool", path)
    assert seen["peaks"][0]["live"] == 11000000
    assert seen["pools"][0]["devices"][0]["live_peak"] == 11000000


def test_the_damaged_end_of_a_recording_is_left_out(box, recorded, tmp_path):
    path = tmp_path / "cut"
    path.write_bytes(record_of(box, recorded, "dcgan_bs128").read_bytes()[:-9])
    done = replay(box, "--pool", "no_pool", path, check=False)
    if done.stdout:  # the cut frame was not the only one
        assert done.returncode == 1 and "no_pool" in done.stdout
        assert done.stderr.startswith("mnm: what follows is lost: ")
    else:
        fails(done, f"mnm: {path}: no pool has served a request of it", 1)


# Whether it fits.

def test_the_request_that_does_not_fit_is_named(box, tmp_path):
    path = write(tmp_path / "t", *loop(10 * MIB, 30 * MIB, kept=[20 * MIB]))
    seen = told(box, "--device", "48M", "--pool", "no_pool,vmm_pool", path)
    for pool in seen["pools"]:
        assert pool["fits"] is False and "later" not in pool
        assert pool["full"] == {"request": 3, "iteration": 1,
                                "bytes": 30 * MIB}
    text = replay(box, "--device", "48M", "--pool", "no_pool", path).stdout
    assert text.endswith("no: request 3 of 30.0 MiB, iteration 1\n")


def test_iterations_are_divided_out(box, tmp_path):
    """no_pool asks the driver for each block, and gives each one back."""
    path = write(tmp_path / "t", *loop(MIB, 2 * MIB, kept=[MIB], times=10))
    seen = told(box, "--pool", "no_pool", path)
    later = seen["pools"][0]["later"]
    assert (seen["iterations"], seen["iterations_found"]) == (10, False)
    assert (later["iterations"], later["driver_calls"]) == (5, 20)
    assert later["requests"] == 10 and later["sim_ns"] > 5 * 4 * 40000
    text = replay(box, "--pool", "no_pool", path).stdout
    assert re.search(r"^no_pool +0 .*  4\.0 ", text, re.M)


@pytest.mark.parametrize("before", [0, 5])
def test_iterations_without_marks_are_found(box, tmp_path, before):
    start = [f"malloc,{i + 1},{1000 * i + 1},0,other,"
             for i in range(before)]
    body = [re.sub(r",(\d+)", lambda found: f",{int(found[1]) + before}",
                   line, count=1)
            for line in loop(MIB, 3 * MIB, 2 * MIB, times=60)
            if not line.startswith("mark")]
    path = write(tmp_path / "t", *start, *body,
                 *(f"free,{i + 1}" for i in range(before)))
    seen = told(box, "--pool", "no_pool", path)
    assert seen["iterations_found"] is True
    later = seen["pools"][0]["later"]
    assert later["driver_calls"] == 6 * later["iterations"]
    assert (seen["iterations"], later["iterations"]) == (60, 30)


def steady(name):
    """How many iterations of a trace have as many requests as most have, or
    more: what comes after them are evaluations, which have fewer."""
    text = subprocess.run(["zstd", "-dc", trace_path(name)], check=True,
                          capture_output=True, text=True).stdout
    counts = {}
    for line in text.splitlines():
        if line.startswith("mark,"):
            iteration = int(line.split(",")[1])
        elif line.startswith("malloc,") and iteration >= 0:
            counts[iteration] = counts.get(iteration, 0) + 1
    usual = statistics.mode(counts.values())
    return sum(count >= usual for count in counts.values())


@pytest.mark.parametrize("name", SHORT)
def test_a_report_and_a_replay_find_the_same_iterations(box, tmp_path, name):
    """And those that are there, of a job that does not mark them."""
    path = tmp_path / "job"
    box.run([word for word in job(trace_path(name)) if word != "--mark"],
            "vmm_pool", sim="64G", record=path)
    report = json.loads(box.mnm("report", "--json", path).stdout)
    replayed = told(box, "--pool", "no_pool", "--device", "64G", path)
    for seen in (report, replayed):
        assert (seen["iterations"], seen["iterations_found"]) == (
            steady(name), True)
    count = f"{steady(name)} iterations (found)"
    assert count in box.mnm("report", path).stdout
    assert count in replay(box, "--pool", "no_pool", "--device", "64G",
                           path).stdout


def test_nothing_is_found_where_nothing_repeats(box, tmp_path):
    path = write(tmp_path / "t", *(
        line for i in range(1, 40)
        for line in (f"malloc,{i},{i * i * 1000},0,other,", f"free,{i}")))
    seen = told(box, "--pool", "no_pool", path)
    assert (seen["iterations"], seen["iterations_found"]) == (0, False)
    assert seen["pools"][0]["later"]["iterations"] == 0


def shapes(*lengths):
    """Iterations, each of so many blocks of sizes that no other one has, with
    smaller ones that live for a moment. 0: of one block as large as 30."""
    lines, number = [], 0
    for i, length in enumerate(lengths):
        first = number + 1
        if not length:
            lines.append(f"malloc,{first},{30 * MIB},0,other,")
            number += 1
        for j in range(length):
            lines += [f"malloc,{number + 1},{MIB + 1000 * i + 10 * j},0,other,",
                      f"malloc,{number + 2},{100 * i + j + 1},0,other,",
                      f"free,{number + 2}"]
            number += 2
        lines += [f"free,{block}" for block in range(first, number + 1, 2)]
    return lines


@pytest.mark.parametrize("lengths, iterations", [
    ((20, 10, 30, 15, 25, 12), 6),
    ((20, 10, 30), 0),  # too few
    ((20, 10, 30, 1, 12, 25), 5),  # one is none
    ((20, 10, 30, 0, 12, 25), 0),  # one has few requests
    ((64, 32, 16, 8, 4, 2), 0),  # where would be the border?
    ((1,) * 40, 40),  # of two requests
    ((0,) * 40, 0),  # of one
    ((20, 10, 30, 1000, 12, 25), 0)])  # one does not end
def test_iterations_of_other_shapes_are_found_where_they_are_clear(
        box, tmp_path, lengths, iterations):
    """What lives rises in each, far higher than elsewhere."""
    path = write(tmp_path / "t", *shapes(*lengths))
    seen = told(box, "--pool", "no_pool", path)
    assert (seen["iterations"], seen["iterations_found"]) == (
        iterations, iterations > 0)


# A larger batch.

def test_what_lives_in_an_iteration_follows_the_batch(box, tmp_path):
    """But for what has the size of a weight, as its gradient has."""
    path = write(tmp_path / "t", *loop(8 * MIB, 3 * MIB, kept=[3 * MIB]))
    seen = told(box, "--scale", 2.5, "--pool", "no_pool", path)
    assert (seen["rule"], seen["scale"]) == ("lifetime", 2.5)
    assert seen["peaks"] == [{"device": 0, "live": 26 * MIB,
                              "by_batch": 20 * MIB}]
    assert seen["pools"][0]["devices"][0]["reserved_peak"] == 26 * MIB


def test_what_differs_between_iterations_follows_the_batch(box, tmp_path):
    """The last batch is a smaller one."""
    full, last = loop(8 * MIB, 5 * MIB), loop(4 * MIB, 5 * MIB, times=1)
    last = [re.sub(r",(\d+)", lambda found: f",{int(found[1]) + 16}", line,
                   count=1) for line in last if not line.startswith("mark")]
    path = write(tmp_path / "t", *full, "mark,8,forward", *last)
    seen = told(box, "--scale", 2, "--pool", "no_pool", path)
    assert seen["rule"] == "compared"
    assert seen["peaks"][0] == {"device": 0, "live": 21 * MIB,
                                "by_batch": 16 * MIB}


@pytest.mark.parametrize("sizes, live", [
    ("8M", 21), ("1M-4M", 18), ("3M-", 24), ("8M,5M", 21)])
def test_sizes_that_follow_can_be_given(box, tmp_path, sizes, live):
    path = write(tmp_path / "t", *loop(8 * MIB, 3 * MIB, kept=[2 * MIB]))
    seen = told(box, "--scale", 2, "--scaled", sizes, "--pool", "no_pool",
                path)
    assert seen["rule"] == "given"
    assert seen["peaks"][0]["live"] == live * MIB


def test_the_largest_batch_that_fits_is_found(box, tmp_path):
    """Of 64 MiB, 4 are taken by what stays: 60 are left for what is 8 at
    first."""
    path = write(tmp_path / "t", *loop(8 * MIB, kept=[4 * MIB]))
    seen = told(box, "--fit", "--device", "64M", "--pool", "no_pool", path)
    assert 7.4 <= seen["pools"][0]["fit"] <= 7.5
    text = replay(box, "--fit", "--device", "64M", "--pool", "no_pool",
                  path).stdout
    assert re.search(r"  batch times 7\.(4\d|5)$", text, re.M)


def test_a_smaller_batch_may_be_what_fits(box, tmp_path):
    path = write(tmp_path / "t", *loop(100 * MIB, kept=[4 * MIB]))
    seen = told(box, "--fit", "--device", "64M", "--pool", "no_pool", path)
    assert 0.59 <= seen["pools"][0]["fit"] <= 0.6


def test_nothing_follows_where_nothing_is_said_to(box, tmp_path):
    path = write(tmp_path / "t", *loop(8 * MIB))
    fails(replay(box, "--fit", "--scaled", 9 * MIB, path, check=False),
          f"mnm: {path}: nothing in it follows the batch; .*", 1)


def test_no_batch_fits_where_the_rest_does_not(box, tmp_path):
    path = write(tmp_path / "t", *loop(8 * MIB, kept=[100 * MIB]))
    seen = told(box, "--fit", "--device", "64M", "--pool", "no_pool", path)
    assert seen["pools"][0]["fit"] == 0
    assert seen["pools"][0]["full"]["bytes"] == 100 * MIB


# What is said of what is wrong.

@pytest.mark.parametrize("words, why", [
    (["--pool", "none"], r"mnm replay: pool: 'none': unknown pool; .*"),
    (["--pool", "0:no_pool"], r"mnm replay: --pool '0:no_pool'; allowed: .*"),
    (["--device", "x"], r"mnm replay: unknown profile 'x'; known: t4, .*"),
    (["--scale", "0"], r"mnm replay: --scale '0'; allowed: a number .*"),
    (["--scale", "nan"], r"mnm replay: --scale 'nan'; allowed: .*"),
    (["--scale", "1e30"], r"mnm replay: --scale '1e30'; .*, up to 1000000;.*"),
    (["--scaled", "x"], r"mnm replay: --scaled: 'x'; allowed: bytes .*"),
    (["--scaled", "4M-1M"], r"mnm replay: --scaled: '4M-1M'; allowed: .*"),
    (["--streams", "65"], r"mnm replay: --streams 65; allowed: 0 to 64; .*"),
    (["--scale", "2", "--fit"], r"mnm replay: --scale and --fit: one .*"),
    (["--set", "fence=x"], r"mnm replay: fence: 'x': not allowed; .*"),
])
def test_wrong_words_are_named(box, tmp_path, words, why):
    path = write(tmp_path / "t", *loop(MIB))
    fails(replay(box, *words, path, check=False), why, 2)


def test_what_can_not_be_played_is_named(box, tmp_path):
    path = tmp_path / "none"
    done = replay(box, path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and str(path) in done.stderr
    path.write_text("something\n")
    done = replay(box, path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1 and str(path) in done.stderr
    write(path, "mark,0,forward")
    fails(replay(box, path, check=False), f"mnm: {path}:3: no malloc in it", 1)
    shell = open_shell(box, POOLS[0])
    took(shell, "alloc a 5000")
    took(shell, "free a")
    box.mnm("record", shell.pid, "start", tmp_path / "empty")
    shell.end()
    fails(replay(box, tmp_path / "empty", check=False),
          f"mnm: {tmp_path}/empty: no pool has served a request of it", 1)


def test_what_is_neither_a_recording_nor_a_trace_is_told(box, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("time,size\n")
    fails(replay(box, path, check=False),
          f"mnm: {path}:1: not an event; allowed: a recording or a trace, and "
          "mnm import makes one of other files", 1)
    write(path, "malloc,1,5,0,other,", "time,size")
    fails(replay(box, path, check=False), f"mnm: {path}:4: not an event", 1)


def test_a_plug_in_that_is_refused_is_told(box, tmp_path):
    path = write(tmp_path / "t", *loop(MIB))
    done = replay(box, "--plugin", path, "--pool", "no_pool", path)
    assert re.fullmatch(f"mnm replay: plug-in {path} is refused: .*\n",
                        done.stderr)
    assert "\nno_pool " in done.stdout


def test_a_batch_needs_iterations_or_sizes(box, tmp_path):
    path = write(tmp_path / "t", "malloc,1,5000,0,other,", "free,1")
    fails(replay(box, "--scale", 2, path, check=False),
          f"mnm: {path}: it has no iterations, so --scaled has to say .*", 1)


def test_the_variables_of_programs_are_not_the_players(box, tmp_path):
    path = write(tmp_path / "t", *loop(MIB))
    out = tmp_path / "out"
    done = subprocess.run(
        [MNM, "replay", "--json", "--pool", "no_pool", path], check=True,
        stdout=subprocess.PIPE, timeout=DEADLINE, env=box.env_of_mnm(
            MNM_RECORD=str(out), MNM_HARD_LIMIT="1K", MNM_DISABLE="1"))
    assert json.loads(done.stdout)["pools"][0]["fits"] is True
    assert not out.exists() and not box.socket_files()


def test_options_can_be_set(box, tmp_path):
    path = write(tmp_path / "t", *loop(8 * MIB))
    seen = told(box, "--set", "hard_limit=4M", "--pool", "no_pool", path)
    assert seen["pools"][0]["full"]["bytes"] == 8 * MIB


def test_a_signal_ends_it_and_its_player(box, tmp_path):
    path = write(tmp_path / "t", *loop(*[MIB] * 200, times=400))
    command = [MNM, "replay", "--fit", "--pool", "tstack_pool", path]
    process = subprocess.Popen(
        command, env=box.env_of_mnm(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)

    def players():
        found = subprocess.run(["pgrep", "-P", str(process.pid)],
                               capture_output=True, text=True, check=False)
        return found.stdout.split()

    found = []
    await_true(lambda: found.extend(players()) or found)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert not any(os.path.exists(f"/proc/{player}") for player in found)


def test_a_plug_ins_pool_is_played(box, tmp_path):
    path = write(tmp_path / "t", *loop(MIB))
    plugin = os.path.join(BUILD, "examples", "plugins", "octave_pool.so")
    seen = told(box, "--plugin", plugin, "--pool", "octave_pool,no_pool", path)
    assert [pool["pool"] for pool in seen["pools"]] == ["octave_pool",
                                                        "no_pool"]
