"""What is written when memory first runs out, and how mnm report shows it."""

import json
import os
import re
import sys

import pytest

from conftest import (MIB, MNM, forks_only_without_asan, plain_build_only,
                      program)
from test_pool import open_shell, took
from test_recording import fails, report

POOL = "page_unit_pool"
LINE = r"mnm: error: what there was then: mnm report (\S+)\n"
JOB = """
import ctypes, os, sys, threading
runtime = ctypes.CDLL("libcudart.so.13")
def alloc(size):
    block = ctypes.c_void_p()
    return runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(size))
"""


def job(box, text, check=True, **options):
    options = {"postmortem": "auto"} | options
    asan = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return box.run(["env", f"ASAN_OPTIONS={asan}", sys.executable, "-c",
                    JOB + text], POOL, check=check, **options)


def files(box):
    return [name for name in box.socket_files() if name.endswith(".oom.json")]


def written(box):
    name, = files(box)
    with open(os.path.join(box.sockets, name), encoding="utf-8") as file:
        return json.load(file)


@pytest.fixture
def shell(box):
    return open_shell(box, POOL, "driver", postmortem="auto")


def test_it_says_what_was_asked_and_what_there_was(box, shell):
    for line in ("alloc a 5000", "alloc b 6000", f"alloc c {10 * MIB}",
                 f"alloc d {20 * MIB}", "free d",
                 f"take managed m {4 * MIB}"):
        took(shell, line)
    assert shell(f"alloc e {60 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    assert (told["mnm_postmortem"], told["pid"], told["asked"],
            told["device"], told["refused_by"], told["pool"]) == (
        1, shell.pid, 60 * MIB, 0, "driver", POOL)
    assert told["total"] == 64 * MIB and 0 < told["free"] < 60 * MIB
    assert told["live"]["blocks"] == 3
    assert told["live"]["bytes"] == 11000 + 10 * MIB
    assert told["live"]["span"] == 2 * 8192 + 10 * MIB
    assert told["live"]["sizes"] == [
        {"up_to": 16 * MIB, "blocks": 1, "bytes": 10 * MIB,
         "largest": 10 * MIB},
        {"up_to": 8192, "blocks": 2, "bytes": 11000, "largest": 6000}]
    figures = told["figures"]
    assert figures["live_bytes"] == told["live"]["bytes"]
    assert figures["managed_bytes"] == 4 * MIB and figures["failures"] == 1
    assert figures["idle_bytes"] == told["largest_idle_block"] == 0
    said, = re.findall(LINE, box.stderr())
    assert said == os.path.join(box.sockets, f"{shell.pid}.oom.json")
    assert os.stat(said).st_mode & 0o777 == 0o600


KIB = 1024
RUNS_OUT = program("runs_out")
# What a post-mortem of this version has, and one of the first had not.
ADDED = ("stack", "files", "pinned", "unpooled", "holes")


def calls(box):
    """The files and the functions that asked, the innermost first."""
    path = os.path.join(box.sockets, files(box)[0])
    return [(call["file"], call["function"])
            for call in json.loads(report(box, path, "--json").stdout)["calls"]]


@plain_build_only
@pytest.mark.parametrize("how", ["driver", "runtime"])
def test_it_says_which_code_has_asked(box, how):
    box.run([RUNS_OUT, how], POOL, postmortem="auto")
    assert calls(box)[:3] == [("runs_out", name) for name in
                              ("ask_inside", "ask_outside", "main")]
    told = written(box)
    first = told["stack"][0]
    file, = (file for file in told["files"] if file["address"] <= first
             < file["address"] + file["size"])
    assert file["path"] == RUNS_OUT
    text = report(box, os.path.join(box.sockets, files(box)[0])).stdout
    assert re.search(r"\n  asked for by\n    runs_out +ask_inside\n", text)


def test_an_interpreter_has_asked(box):
    """A stack is cut off where it has many calls."""
    job(box, """
def deep(depth):
    return deep(depth - 1) if depth else list(map(alloc, [100 << 20]))
deep(100)
""")
    assert 4 < len(written(box)["stack"]) <= 32
    path = os.path.join(box.sockets, files(box)[0])
    short, long = report(box, path).stdout, report(box, path,
                                                   "--stacks").stdout
    assert re.search(r"^    and \d+ more: --stacks$", short, re.MULTILINE)
    assert "more: --stacks" not in long
    assert long.count("\n") > short.count("\n")
    assert max(map(len, long.splitlines())) <= 80


@plain_build_only
@pytest.mark.parametrize("how", ["visit", "visited", "handler", "cancel",
                                 "torn", "filtered"])
def test_it_is_written_whatever_is_held(box, how):
    """The request's result and errno are as they would have been."""
    done = box.run([RUNS_OUT, how], POOL, postmortem="auto")
    assert done.stdout == "2 77\n"
    assert calls(box)[:2] == [("runs_out", "ask_inside"),
                              ("runs_out", "ask_outside")]


@plain_build_only
def test_no_memory_is_asked_for(box):
    """The program's own malloc counts."""
    done = box.run([RUNS_OUT, "counts"], POOL, postmortem="auto")
    before, meanwhile, code, number = map(int, done.stdout.split())
    assert before and (meanwhile, code, number) == (0, 2, 77)
    assert len(files(box)) == 1


@plain_build_only
def test_another_file_than_the_program_had_names_nothing(box, tmp_path):
    """Its build-id is another one."""
    box.run([RUNS_OUT, "driver"], POOL, postmortem="auto")
    told = written(box)
    for file in told["files"]:
        if file["path"] == RUNS_OUT:
            assert file["build"]
            file["build"] = "00" * 20
    path = tmp_path / "a"
    path.write_text(json.dumps(told))
    done = report(box, path)
    assert "ask_inside" not in done.stdout
    assert re.search(r"    runs_out +\+0x[0-9a-f]+\n", done.stdout)
    assert re.fullmatch(r"mnm: \S+runs_out is another file than .*\n",
                        done.stderr)


def test_what_lives_is_told_by_kind_and_by_who_serves_it(box):
    shell = open_shell(box, POOL, "driver", postmortem="auto")
    for line in ("alloc a 5000", "alloc b 6000", "alloc_async c 7000 0",
                 f"take managed m {4 * MIB}", "pin p 3000 0",
                 f"physical q {2 * MIB}"):
        assert shell(line).split()[-1] in ("0", "set"), line
    assert shell(f"alloc e {62 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    assert told["live"]["kinds"] == [
        {"kind": "plain", "pool": POOL, "blocks": 2, "bytes": 11000},
        {"kind": "stream-ordered", "pool": POOL, "blocks": 1, "bytes": 7000}]
    assert told["pinned"] == {"blocks": 1, "bytes": 3000}
    assert told["unpooled"] == {
        "blocks": 2, "bytes": 6 * MIB,
        "sizes": [{"up_to": 4 * MIB, "blocks": 1, "bytes": 4 * MIB,
                   "largest": 4 * MIB},
                  {"up_to": 2 * MIB, "blocks": 1, "bytes": 2 * MIB,
                   "largest": 2 * MIB}],
        "kinds": [{"kind": "managed", "blocks": 1, "bytes": 4 * MIB},
                  {"kind": "cuMemCreate", "blocks": 1, "bytes": 2 * MIB}]}
    text = report(box, os.path.join(box.sockets, files(box)[0])).stdout
    for line in (rf"  plain +{POOL} +2 +10.7 KiB",
                 rf"  stream-ordered +{POOL} +1 +6.84 KiB",
                 r"  cuMemCreate +CUDA +1 +2.00 MiB",
                 r"  beside 2.93 KiB of pinned memory in 1 blocks",
                 r"     4.00 MiB +1 +4.00 MiB +4.00 MiB"):
        assert re.search(f"^{line}$", text, re.MULTILINE), text


def test_a_pool_that_was_swapped_out_is_told(box, shell):
    took(shell, "alloc a 5000")
    box.mnm("swap", shell.pid, "round_pool")
    took(shell, "alloc b 6000")
    assert shell(f"alloc e {60 * MIB + MIB}").split()[0] == "2"
    shell.end()
    assert written(box)["live"]["kinds"] == [
        {"kind": "plain", "pool": POOL, "blocks": 1, "bytes": 5000},
        {"kind": "plain", "pool": "round_pool", "blocks": 1, "bytes": 6000}]


@pytest.mark.parametrize("pool, holes", [
    (POOL, None),
    # A page of 2 MiB: 512 KiB, a hole, 1 MiB.
    ("vmm_pool", [512 * KIB]),
    # A segment of 2 MiB: 512 KiB, a hole, 1 MiB.
    ("best_fit_pool", [512 * KIB]),
])
def test_holes_are_told(box, pool, holes):
    """A request that the device could hold has made all go back that can."""
    shell = open_shell(box, pool, "driver", postmortem="auto")
    for line in (f"alloc a {512 * KIB}", f"alloc b {512 * KIB}",
                 f"alloc c {MIB}", "free b"):
        took(shell, line)
    assert shell(f"alloc e {63 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    if not holes:
        assert told["holes"]["regions"] == told["holes"]["largest"] == 0
        return
    assert told["holes"] == {"regions": 1, "bytes": sum(holes),
                             "count": len(holes), "largest": max(holes),
                             "whole_pages": 0}
    assert told["figures"]["idle_bytes"] == sum(holes)
    text = report(box, os.path.join(box.sockets, files(box)[0])).stdout
    assert re.search(r"^  largest hole +512 KiB$", text, re.MULTILINE)


@pytest.mark.parametrize("blocks, told", [(131071, True), (131072, False)])
def test_other_threads_do_not_wait_for_many_blocks(box, blocks, told):
    """The locks of regions are held while their blocks are looked at."""
    box.run([RUNS_OUT, "many", str(blocks)], "vmm_pool", postmortem="auto",
            sim="128M")
    assert written(box)["live"]["blocks"] == blocks
    assert (written(box)["holes"] is not None) == told


def test_addresses_without_pages_are_no_hole(box):
    shell = open_shell(box, "vmm_pool", "driver", postmortem="auto")
    for line in (f"alloc a {2 * MIB}", f"alloc b {2 * MIB}",
                 f"alloc c {2 * MIB}", "free b"):
        took(shell, line)
    box.mnm("trim", shell.pid)
    assert shell(f"alloc e {63 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    assert told["figures"]["reserved_bytes"] == 4 * MIB
    assert told["holes"] == {"regions": 1, "bytes": 0, "count": 0,
                             "largest": 0, "whole_pages": 0}


def test_pages_that_could_move_are_told(box):
    """A request for more than the device has takes nothing back."""
    shell = open_shell(box, "vmm_pool", "driver", postmortem="auto")
    for line in (f"alloc a {3 * MIB // 2}", f"alloc b {5 * MIB}",
                 "free b"):
        took(shell, line)
    assert shell(f"alloc e {65 * MIB}").split()[0] == "2"
    shell.end()
    holes = written(box)["holes"]
    assert (holes["largest"], holes["whole_pages"]) == (13 * MIB // 2, 6 * MIB)
    text = report(box, os.path.join(box.sockets, files(box)[0])).stdout
    assert re.search(r"^  in pages that can move +6.00 MiB$", text,
                     re.MULTILINE)


def test_more_than_there_are_numbers_is_told(box, shell):
    assert shell(f"alloc e {(1 << 64) - 1}").split()[0] == "2"
    shell.end()
    assert written(box)["asked"] == (1 << 63) - 1
    assert report(box, os.path.join(box.sockets, files(box)[0])).stdout


def test_names_are_told_as_they_are(box, tmp_path):
    """A folder's name has quotes, and letters that are not ASCII."""
    folder = tmp_path / 'a "\\ \u00fc\t'
    folder.mkdir()
    path = folder / "rec"
    shell = open_shell(box, POOL, "driver", postmortem="auto", record=path)
    took(shell, "alloc b 5000")
    shell.stat()
    assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
    shell.end()
    assert written(box)["recording"] == str(path)
    text = report(box, os.path.join(box.sockets, files(box)[0])).stdout
    assert "4.88 KiB live by the recording\n" in text and text.isascii()


def test_other_pools_are_estimated(box, shell):
    """45 MiB are live in 30 blocks of 1.5 MiB. By the rules of the document 16
    more fit, if blocks lie side by side, or by pages."""
    for i in range(30):
        took(shell, f"alloc b{i} {3 * MIB // 2}")
    assert shell(f"alloc e {19 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    needs = {row["pool"]: row["bytes"] for row in told["pools"]}
    assert needs == {POOL: 64 * MIB, "vmm_pool": 64 * MIB,
                     "no_pool": 46 * MIB + 20 * MIB}
    fits = {row["pool"]: row["fits"] for row in told["pools"]}
    assert told["room"] == told["figures"]["device_bytes"] + told["free"]
    assert fits == {pool: bytes <= told["room"]
                    for pool, bytes in needs.items()}


def test_a_limit_is_told(box):
    shell = open_shell(box, POOL, "driver", postmortem="auto", hard_limit="8M")
    took(shell, f"alloc a {3 * MIB}")
    assert shell(f"alloc b {6 * MIB}") == "2 null"
    shell.end()
    told = written(box)
    assert (told["refused_by"], told["hard_limit"], told["room"]) == (
        "hard_limit", 8 * MIB, 8 * MIB)
    assert not any(row["fits"] for row in told["pools"])
    assert "was refused by the hard limit\n" in report(
        box, os.path.join(box.sockets, files(box)[0])).stdout


def test_a_call_that_takes_memory_by_the_way_is_told(box):
    shell = open_shell(box, POOL, "driver", postmortem="auto",
                       sim_need="cuModuleLoadData:60M:0")
    took(shell, f"alloc a {20 * MIB}")
    took(shell, "free a")
    took(shell, f"alloc b {5 * MIB}")
    assert shell("open module").split()[0] == "2"
    shell.end()
    assert (written(box)["asked"], written(box)["live"]["blocks"]) == (0, 1)
    assert "\n  a call on device 0, " in report(
        box, os.path.join(box.sockets, files(box)[0])).stdout


def test_a_later_failure_takes_its_place(box):
    """The second line about a refusal comes at once if it is of another
    device; that about the file comes once."""
    shell = open_shell(box, POOL, devices=2, postmortem="auto")
    took(shell, f"alloc held {20 * MIB}")
    assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
    took(shell, "device 1")
    took(shell, f"alloc other {10 * MIB}")
    assert shell(f"alloc a {80 * MIB}").split()[0] == "2"
    shell.end()
    assert box.stderr().count("out of memory") == 2
    said = written(box)
    assert (said["asked"], said["device"]) == (80 * MIB, 1)
    assert (said["live"]["blocks"], said["live"]["bytes"]) == (1, 10 * MIB)
    assert 0 < len(said["stack"]) == len(set(said["stack"]))
    assert len(re.findall(LINE, box.stderr())) == 1


def test_it_is_written_eight_times_at_most(box):
    shell = open_shell(box, POOL, postmortem="auto")
    for i in range(10):
        assert shell(f"alloc a{i} {(70 + i) * MIB}").split()[0] == "2"
    shell.end()
    assert written(box)["asked"] == 77 * MIB


def test_threads_that_fail_at_once_write_one(box):
    done = job(box, """
threads = [threading.Thread(target=alloc, args=(100 << 20,)) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    assert written(box)["asked"] == 100 << 20
    assert len(files(box)) == len(re.findall(LINE, done.stderr)) == 1


@plain_build_only
def test_it_is_bounded_with_many_blocks(box):
    job(box, """
for i in range(100000):
    assert not alloc(1 + i % 5000)
assert alloc(8 << 30) == 2
""", sim="2G")
    assert written(box)["live"]["blocks"] == 100000
    path = os.path.join(box.sockets, files(box)[0])
    assert os.path.getsize(path) < 8192
    assert report(box, path).stdout.count("\n") < 100


def test_it_can_be_switched_off(box):
    done = job(box, "assert alloc(100 << 20) == 2", postmortem="off")
    assert files(box) == [] and not re.search(LINE, done.stderr)
    assert "out of memory: 100 MiB asked" in done.stderr


def test_it_goes_where_the_option_says(box, tmp_path):
    done = job(box, "assert alloc(100 << 20) == 2; print(os.getpid())",
               postmortem=tmp_path / "a-%p-%h-%%.json")
    name = f"a-{done.stdout.strip()}-{os.uname().nodename}-%%.json"
    assert os.listdir(tmp_path) == [name] and files(box) == []
    assert re.findall(LINE, done.stderr) == [str(tmp_path / name)]


def test_a_file_is_replaced_and_nothing_else(box, tmp_path):
    path = tmp_path / "old"
    path.write_text("old")
    job(box, "alloc(100 << 20)", postmortem=path)
    assert json.loads(path.read_text())["asked"] == 100 << 20
    link = tmp_path / "link"
    link.symlink_to(path)
    path.write_text("old")
    done = job(box, "alloc(100 << 20)", postmortem=link)
    assert path.read_text() == "old" and link.is_symlink()
    assert not re.search(LINE, done.stderr)


@pytest.mark.parametrize("path", ["/proc/nowhere/a", "/dev/full", "/dev/null",
                                  "x" * 300])
def test_where_it_cannot_be_the_program_goes_on(box, tmp_path, monkeypatch,
                                                path):
    monkeypatch.chdir(tmp_path)
    done = job(box, "print(alloc(100 << 20), alloc(5000))", postmortem=path)
    assert done.stdout == "2 0\n" and not re.search(LINE, done.stderr)
    assert os.listdir(tmp_path) == []


def test_a_limit_of_sizes_does_not_end_the_program(box, tmp_path):
    done = job(box, """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
print(alloc(100 << 20), alloc(5000))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
""", postmortem=tmp_path / "a", stat_file="")
    assert done.stdout == "2 0\n" and os.listdir(tmp_path) == []


@plain_build_only
def test_it_needs_no_more_than_a_small_stack(box):
    box.run([program("recorded_forks"), "small"], POOL, postmortem="auto")
    assert len(files(box)) == 1


@plain_build_only
def test_no_file_is_made_where_that_may_kill(box, shell):
    """By a filter that the program has set since. Before that the thread that
    answers has to be through with its folder: it opens it as it starts."""
    took(shell, "alloc a 5000")
    shell.ask("stat")
    took(shell, "opens_kill")
    assert shell(f"alloc e {100 * MIB}").split()[0] == "2"
    took(shell, "free a")
    assert files(box) == []
    shell.process.kill()  # its exit would open files


def test_a_folder_that_others_may_enter_is_not_written_to(box):
    os.makedirs(box.sockets)
    os.chmod(box.sockets, 0o755)
    done = job(box, "print(alloc(100 << 20))")
    assert done.stdout == "2\n" and files(box) == []


def test_old_ones_go(box):
    """The newest 16 are kept; what has another name stays."""
    os.makedirs(box.sockets, mode=0o700)
    for i in range(20):
        path = os.path.join(box.sockets, f"{900000 + i}.oom.json")
        with open(path, "w", encoding="utf-8"):
            os.utime(path, (i, i))
    for name in ("a.oom.json", "1.oom.json.new"):
        with open(os.path.join(box.sockets, name), "w", encoding="utf-8"):
            pass
    done = job(box, "alloc(100 << 20); print(os.getpid())")
    assert files(box) == sorted([f"{900000 + i}.oom.json" for i in range(5, 20)]
                                + [f"{done.stdout.strip()}.oom.json",
                                   "a.oom.json"])
    assert "1.oom.json.new" in box.socket_files()


@forks_only_without_asan
@pytest.mark.parametrize("before", [0, 5000])
def test_a_forked_child_writes_nothing_once_cuda_is_in_use(box, before):
    done = job(box, f"""
if {before}: alloc({before})
if os.fork():
    os.wait()
    print(os.getpid())
else:
    alloc(100 << 20)
    sys.stdout.flush()
    os._exit(0)
""")
    assert files(box) == [] if before else len(files(box)) == 1
    if not before:
        assert written(box)["pid"] != int(done.stdout)


def test_a_recording_is_named(box, tmp_path):
    path = tmp_path / "rec"
    shell = open_shell(box, POOL, "driver", postmortem="auto", record=path)
    took(shell, "alloc b 5000")
    shell.stat()
    assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
    shell.end()
    assert written(box)["recording"] == str(path)
    file = os.path.join(box.sockets, files(box)[0])
    text = report(box, file).stdout
    assert text.endswith(f"\n  more of it: mnm report {path}\n")
    assert re.search(r"\n  4.88 KiB live by the recording\n.*\n +4.88 KiB +100%"
                     r" +1  shell_driver +run_alloc\n", text)


def held(box, *words):
    path = os.path.join(box.sockets, files(box)[0])
    return json.loads(report(box, path, "--json", *words).stdout).get("held")


def test_who_held_what_is_as_of_the_failure(box, tmp_path):
    """What came, or went, before and after it; and what the thread got later."""
    shell = open_shell(box, POOL, "driver", postmortem="auto",
                       record=tmp_path / "rec")
    took(shell, "alloc a 5000")
    took(shell, f"alloc b {20 * MIB}")
    took(shell, "free a")
    took(shell, "take managed m 4096")
    shell.stat()
    assert shell(f"alloc c {60 * MIB}").split()[0] == "2"
    took(shell, "free b")
    took(shell, f"alloc c {60 * MIB}")
    shell.end()
    found = held(box)
    assert (found["live"], found["dropped"]) == (20 * MIB + 4096, 0)
    first, second = found["holders"]  # of the second, a part may be inlined
    assert first == {"file": "shell_driver", "function": "run_alloc",
                     "bytes": 20 * MIB, "blocks": 1}
    assert (second["file"], second["bytes"], second["blocks"]) == (
        "shell_driver", 4096, 1)
    assert found["served_after"] > 0
    assert re.search(r"^  the same thread got as much \d+\.\d{3} s later$",
                     report(box, os.path.join(box.sockets, files(box)[0]))
                     .stdout, re.MULTILINE)


@plain_build_only
def test_the_recording_has_all_of_a_program_that_ends_at_once(box, tmp_path):
    """It aborts as its request fails, in ranges."""
    done = box.run([MNM, "run", "--sim=24M", "--record", tmp_path / "rec",
                    "--stacks=1", "--", program("range_requests")],
                   POOL, check=False, postmortem="auto")
    assert done.returncode == -6
    found = held(box)
    assert (found["live"], found["open_ranges"]) == (
        15 * MIB, "epoch 1/load")
    assert found["ranges"] and sum(
        row["bytes"] for row in found["ranges"]) == 15 * MIB
    assert sum(row["bytes"] for row in found["stacks"]) == 15 * MIB
    text = report(box, os.path.join(box.sockets, files(box)[0]),
                  "--stacks").stdout
    assert "\n  in the ranges epoch 1/load\n" in text
    assert max(len(line) for line in text.splitlines()
               if "mnm report" not in line) <= 80


def test_the_iteration_is_told(box, tmp_path):
    """With a recording, also what the one before had at most."""
    shell = open_shell(box, POOL, "driver", postmortem="auto",
                       record=tmp_path / "rec")
    took(shell, "alloc a 5000")
    for size in (30, 10, 20):
        box.mnm("mark", shell.pid)
        took(shell, f"alloc b {size * MIB}")
        took(shell, "free b")
    box.mnm("mark", shell.pid)
    assert shell(f"alloc c {70 * MIB}").split()[0] == "2"
    shell.end()
    path = os.path.join(box.sockets, files(box)[0])
    assert held(box)["iteration_peak"] == 20 * MIB + 5000
    assert "\n  in iteration 4, after one with 20.0 MiB live at most\n" in (
        report(box, path).stdout)
    os.unlink(tmp_path / "rec")
    assert "\n  in iteration 4\n" in report(box, path).stdout


def test_a_device_that_it_is_not_of_is_told(box, shell):
    assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
    shell.end()
    path = os.path.join(box.sockets, files(box)[0])
    whole = report(box, path).stdout
    assert report(box, "--device", "0", path).stdout == whole != ""
    for device, name in ("1", "device 1"), ("host", "pinned memory"):
        fails(report(box, "--device", device, path, check=False),
              f"mnm: {path}: there is nothing of {name} in it")


@pytest.mark.parametrize("there, why", [
    (None, "it is not there any more"),
    ("", "it is no recording"),
    ("folder", "it is not there any more"),
    ("fifo", "it is not there any more"),
    ("other", "another recording is there now"),
])
def test_a_recording_that_is_gone_is_told(box, tmp_path, there, why):
    path = tmp_path / "rec"

    def fail():
        shell = open_shell(box, POOL, "driver", postmortem="auto", record=path)
        took(shell, "alloc b 5000")
        shell.stat()
        assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
        shell.end()

    fail()
    oom = os.path.join(box.sockets, files(box)[0])
    if there == "other":
        fail()
    else:
        path.unlink()
    if there == "folder":
        path.mkdir()
    elif there == "fifo":
        os.mkfifo(path)
    elif there == "":
        path.write_text("")
    done = report(box, oom)
    said, = re.findall(r"\n  who held what: mnm report \S+\n  but (.*)\n",
                       done.stdout)
    assert said == why and done.stderr == ""
    assert "held" not in json.loads(report(box, oom, "--json").stdout)


def test_the_report_shows_it(box, shell):
    took(shell, "alloc a 5000")
    assert shell(f"alloc b {70 * MIB}").split()[0] == "2"
    shell.end()
    path = os.path.join(box.sockets, files(box)[0])
    text = report(box, path).stdout
    assert re.match(rf"\S+, pid {shell.pid}, \S+ \S+\n  70.0 MiB on device 0, "
                    f"pool {POOL}, was refused by the driver\n", text)
    for line in (r"  the device has +64.0 MiB", r"  live in pools +4.88 KiB in "
                 r"1 blocks", r" +8.00 KiB +1 +4.88 KiB +4.88 KiB",
                 rf"  {POOL} +needs +70.0 MiB, which is not there"):
        assert re.search(f"^{line}$", text, re.MULTILINE), text
    assert max(map(len, text.splitlines())) <= 80
    printed = json.loads(report(box, path, "--json").stdout)
    assert printed.pop("calls") and printed == written(box)


@pytest.mark.parametrize("text, why", [
    ("{", ":1: it is no JSON"),
    ("{}", ": it is no recording and no post-mortem"),
    ('{"mnm_postmortem":2}', ": it has another version than 1"),
    ('{"mnm_postmortem":"1"}', ": it is no recording and no post-mortem"),
])
def test_what_is_no_post_mortem_is_told(box, tmp_path, text, why):
    path = tmp_path / "a"
    path.write_text(text)
    fails(report(box, path, check=False), f"mnm: {path}{why}")


def test_a_post_mortem_has_no_page(box, tmp_path):
    path = tmp_path / "a"
    path.write_text('{"mnm_postmortem":1}')
    fails(report(box, path, "-o", tmp_path / "page", check=False),
          f"mnm: {path}: it is no recording, and has no page")
    assert os.listdir(tmp_path) == ["a"]


def test_one_of_anybody_is_shown_plainly(box, tmp_path):
    path = tmp_path / "a"
    path.write_text('{"mnm_postmortem":1,"program":"a\\u001b[2J","pid":-5,'
                    '"live":{"sizes":[3,{"blocks":"x"}]},"pools":[7,{}],'
                    '"figures":[],"time":1e99}')
    text = report(box, path).stdout
    assert text.isascii() and "\x1b" not in text and text.startswith("a?[2J")


def test_an_older_file_is_shown(box, shell, tmp_path):
    took(shell, "alloc a 5000")
    assert shell(f"alloc b {70 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    for key in ADDED:
        del told[key]
    del told["live"]["kinds"]
    path = tmp_path / "a"
    path.write_text(json.dumps(told))
    done = report(box, path)
    assert "live in pools" in done.stdout and done.stderr == ""
    assert "asked for by" not in done.stdout


def test_a_file_that_is_cut_off_is_told(box, tmp_path):
    job(box, "alloc(5000); alloc(100 << 20)")
    whole = json.dumps(written(box))
    path = tmp_path / "a"
    for length in list(range(1, 300)) + list(range(300, len(whole), 97)):
        path.write_text(whole[:length])
        done = report(box, path, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"mnm: {path}:1: it is no JSON\n"


ODD = [-1, 1 << 62, (1 << 63) - 1, 1e308, None, True, "", "\x1b[2J\u202e\n",
       "x" * 5000, [], {}, [[]], [None, -1, 1 << 62, "a"], {"sizes": 3}]


@plain_build_only
@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_any_value_is_shown_plainly(box, tmp_path, odd):
    """In place of each value there is, whole tables as well."""
    shell = open_shell(box, "vmm_pool", "driver", postmortem="auto",
                       record=tmp_path / "rec")
    for line in ("alloc a 5000", "alloc b 6000", "free a",
                 "take managed m 4096", "pin p 3000 0"):
        took(shell, line)
    shell.stat()
    assert shell(f"alloc c {70 * MIB}").split()[0] == "2"
    shell.end()
    told = written(box)
    path = tmp_path / "a"

    def look():
        path.write_text(json.dumps(told))
        for words in ([], ["--json"]):
            done = report(box, path, *words, check=False)
            assert done.returncode in (0, 1), (done, words)
            assert done.stdout.isascii() and "\x1b" not in done.stdout
            assert done.returncode or done.stdout
            assert all(line.startswith("mnm: ") and "\x1b" not in line
                       for line in done.stderr.splitlines())

    def each(part):
        for key in list(part) if isinstance(part, dict) else range(len(part)):
            before = part[key]
            if before is not told["figures"]:
                part[key] = odd
                look()
                part[key] = before
            if isinstance(before, (dict, list)) and key != "figures":
                each(before)

    told["stack"], told["files"] = told["stack"][:1], told["files"][:2]
    each(told)
