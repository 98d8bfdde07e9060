"""What is written when memory first runs out, and how mnm report shows it."""

import json
import os
import re
import sys

import pytest

from conftest import (MIB, forks_only_without_asan, plain_build_only,
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


def test_it_is_written_once(box):
    """The second line about a refusal comes at once if it is of another
    device."""
    shell = open_shell(box, POOL, devices=2, postmortem="auto")
    assert shell(f"alloc a {70 * MIB}").split()[0] == "2"
    took(shell, "device 1")
    assert shell(f"alloc a {80 * MIB}").split()[0] == "2"
    shell.end()
    assert box.stderr().count("out of memory") == 2
    assert written(box)["asked"] == 70 * MIB
    assert len(re.findall(LINE, box.stderr())) == 1


def test_threads_that_fail_at_once_write_one(box):
    done = job(box, """
threads = [threading.Thread(target=alloc, args=(100 << 20,)) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")
    assert written(box)["asked"] == 100 << 20
    assert len(re.findall(LINE, done.stderr)) == 1


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
    """By a filter that the program has set since."""
    took(shell, "alloc a 5000")
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
    assert report(box, file).stdout.endswith(
        f"  who held what: mnm report {path}\n")


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
    assert json.loads(report(box, path, "--json").stdout) == written(box)


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
