"""scripts/guests, with made-up suites: nothing is fetched."""

import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import (BUILD, DEADLINE, POOLS, ROOT, await_true,
                      plain_build_only)

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from guests_lib import compare, results, table
from guests_lib.modes import AGAIN, ALONE, MODES, chosen
from guests_lib.suite import INSIDE
from guests_lib.suites import SUITES

SCRIPTS = os.path.join(ROOT, "scripts")

# Runs scripts/guests with one suite, `made`, of two processes, whose tests are
# in a module beside it.
RUN = """
import os, runpy, sys
scripts, here = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, scripts)
from guests_lib import results, suites
from guests_lib.suite import INSIDE, Process, Suite

def processes(home):
    return [Process(name, [os.environ.get("PROGRAM", "/usr/bin/python3"),
        os.path.join(
        INSIDE, "unittest_lines.py"), "{lines}", "made_up." + name],
        {"PYTHONPATH": here + ":" + os.environ.get("MORE", "")})
        for name in os.environ.get("PROCESSES", "Steady Odd").split()]

suites.SUITES[:] = [Suite(
    "made", "1", "here", "all of it", processes, results.from_lines,
    tuple(os.environ.get("WHEELS", "").split()), sim="64M",
    unwritten=tuple(os.environ.get("UNWRITTEN", "").split()))]
runpy.run_path(os.path.join(scripts, "guests"), run_name="__main__")
"""
TESTS = """
import ctypes, os, signal, threading, time, unittest

class Steady(unittest.TestCase):
    def test_copies_to_the_host(self):
        cuda = ctypes.CDLL("libcuda.so.1")
        context, block = ctypes.c_void_p(), ctypes.c_uint64()
        for result in (
                cuda.cuInit(0),
                cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                cuda.cuCtxSetCurrent(context),
                cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(64)),
                cuda.cuMemcpyHtoD_v2(block, b"a" * 64, ctypes.c_size_t(64)),
                cuda.cuMemcpyDtoH_v2(ctypes.create_string_buffer(64), block,
                                     ctypes.c_size_t(64))):
            self.assertEqual(result, 0)
        if os.environ.get("MNM_POOL") == "vmm_pool" and \
                "COPIES" in os.environ["PYTHONPATH"]:
            cuda.cuMemcpyDtoH_v2(ctypes.create_string_buffer(9), block,
                                 ctypes.c_size_t(9))
        if os.path.isdir(os.environ["MNM_SOCKET_DIR"]) and \\
                "swapped" in os.environ["HOME"]:
            time.sleep(0.5)

    def test_fails(self):
        self.assertEqual(1, 2)

    def test_skipped_as_pytest_does(self):
        raise type("Skipped", (Exception,), {})()

class Idle(unittest.TestCase):
    def test_takes_nothing(self):
        pass

class Odd(unittest.TestCase):
    def test_is_noisy(self):
        self.assertNotIn("MNM_SIM_CHECK", os.environ)

    def test_knows_mnm(self):
        self.assertNotIn("LD_PRELOAD", os.environ)

    @unittest.skip("no reason")
    def test_skipped(self):
        pass

    def test_within(self):
        if os.environ.get("MNM_POOL") == "no_pool":
            os.abort()

    def test_is_told_how(self):
        with open("/proc/self/maps", encoding="utf-8") as file:
            other = "/other/libmnm.so" in file.read()
        if os.environ.get("MNM_SIM_SEED") == "3" and other:
            self.fail(os.environ.get("MNM_SIM_KERNELS") + " " +
                      os.environ.get("MNM_HEADROOM"))

class Ordered(unittest.TestCase):
    def setUp(self):
        self.cuda = cuda = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.assertEqual(cuda.cuInit(0), 0)
        cuda.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0)
        self.assertEqual(cuda.cuCtxSetCurrent(self.context), 0)

    def check(self, take, free):
        block, got = ctypes.c_uint64(), ctypes.create_string_buffer(4096)
        for i in range(1, 50):
            self.assertEqual(take(ctypes.byref(block), ctypes.c_size_t(4096)),
                             0)
            want = bytes([i]) * 4096
            self.cuda.cuMemcpyHtoD_v2(block, want, ctypes.c_size_t(4096))
            self.cuda.cuMemcpyDtoH_v2(got, block, ctypes.c_size_t(4096))
            self.assertEqual(free(block), 0)
            self.assertTrue(got.raw == want)

    def test_by_handle(self):
        self.check(self.cuda.cuMemAlloc_v2, self.cuda.cuMemFree_v2)

    def function(self, name, ask, *more):
        found = ctypes.c_void_p()
        self.assertEqual(ask(name, ctypes.byref(found), 12000,
                             ctypes.c_uint64(0), *more), 0)
        return ctypes.CFUNCTYPE(ctypes.c_int)(found.value)

    def test_by_address(self):
        ask = self.cuda.cuGetProcAddress_v2
        self.check(self.function(b"cuMemAlloc", ask, None),
                   self.function(b"cuMemFree", ask, None))

    def test_by_first_form(self):
        ask = self.cuda.cuGetProcAddress
        self.check(self.function(b"cuMemAlloc", ask),
                   self.function(b"cuMemFree", ask))

    def test_a_first_request_beside_a_capture(self):
        stream, block = ctypes.c_void_p(), ctypes.c_uint64()
        graph = ctypes.c_void_p()
        self.assertEqual(self.cuda.cuStreamCreate(ctypes.byref(stream), 1), 0)
        self.assertEqual(self.cuda.cuStreamBeginCapture_v2(stream, 0), 0)
        self.cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(4096))
        told = self.cuda.cuStreamEndCapture(stream, ctypes.byref(graph))
        self.assertEqual("LD_PRELOAD" in os.environ, told == 0)

    def test_forks(self):
        end = threading.Event()
        def request():
            self.cuda.cuCtxSetCurrent(self.context)
            block = ctypes.c_uint64()
            while not end.is_set():
                self.cuda.cuMemAlloc_v2(ctypes.byref(block),
                                        ctypes.c_size_t(4096))
                self.cuda.cuMemFree_v2(block)
        thread = threading.Thread(target=request)
        thread.start()
        for _ in range(20):
            child = os.fork()
            if not child:
                signal.alarm(20)
                self.cuda.cuMemAlloc_v2(ctypes.byref(ctypes.c_uint64()),
                                        ctypes.c_size_t(4096))
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        end.set()
        thread.join()

    def test_frees_with_work_to_come(self):
        stream, block = ctypes.c_void_p(), ctypes.c_uint64()
        self.assertEqual(self.cuda.cuStreamCreate(ctypes.byref(stream), 1), 0)
        for _ in range(50):
            self.cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(4096))
            self.cuda.cuMemsetD8Async(block, 1, ctypes.c_size_t(4096), stream)
            self.assertEqual(self.cuda.cuMemFree_v2(block), 0)
"""


def guests(*words, **env):
    return subprocess.run([os.path.join(SCRIPTS, "guests"), *words],
                          capture_output=True, text=True, timeout=DEADLINE,
                          env={**os.environ, **env})


@pytest.fixture
def build(tmp_path):
    """A folder that has what this build has, and the made-up module."""
    (tmp_path / "made_up.py").write_text(TESTS)
    for name in ("sim", "libmnm.so", "mnm"):
        os.symlink(os.path.join(BUILD, name), tmp_path / name)
    return tmp_path


def made_command(build, *words):
    return [sys.executable, "-B", "-c", RUN, SCRIPTS, str(build), *words,
            str(build)]


def run_made(build, *words, **env):
    return subprocess.run(made_command(build, *words), capture_output=True,
                          text=True, timeout=DEADLINE,
                          env={**os.environ, **env})


def lines(*entries):
    return "\n".join(json.dumps(entry) for entry in entries)


def run_of(exit="status 0", copied=(8, "aa"), violations=None, **tests):
    return {"tests": {name: (outcome, "") for name, outcome in tests.items()},
            "exit": exit, "copied": copied, "violations": violations or {}}


def test_a_test_that_did_not_end_has_crashed():
    text = lines({"test": "a"}, {"test": "a", "outcome": "passed",
                                 "detail": ""}, {"test": "b"})
    found = results.from_lines("p", -11, text, "")
    assert found == {"a": ("passed", ""), "b": ("crashed", "")}
    assert results.from_lines("p", -11, text[:-4], "") == {
        "a": ("passed", "")}


def test_the_last_outcome_of_a_test_counts_without_what_varies():
    text = lines({"test": "a at 0x7f00", "outcome": "passed", "detail": ""},
                 {"test": "a at 0x8f00", "outcome": "failed",
                  "detail": "Error: pid 12345 after 1.25 s\nmore"})
    assert results.from_lines("p", 1, text, "") == {
        "a at #": ("failed", "Error: pid # after # s")}


@pytest.mark.parametrize("tests, status, crashed", [
    ({"a": ("passed", "")}, 0, None),
    ({"a": ("failed", "")}, 1, None),
    ({"a": ("crashed", "")}, -11, None),
    ({"a": ("passed", "")}, 1, "status 1"),
    ({"a": ("failed", "")}, -6, "signal 6"),
    ({"a": ("passed", "")}, None, "time limit"),
    ({}, 0, "status 0"),
    ({}, -11, "signal 11")])
def test_a_process_that_ended_badly_has_crashed(tests, status, crashed):
    found = results.whole(tests, status)
    assert found.pop(results.PROCESS, None) == (
        crashed and ("crashed", crashed))
    assert found == tests


def test_tests_with_numbers_in_their_names_stay_apart():
    lines = "".join(json.dumps({"test": name, "outcome": outcome,
                                "detail": ""}) + "\n"
                    for name, outcome in (("t[1024]", "failed"),
                                          ("t[2048]", "passed"),
                                          ("t at 0x7f12", "passed")))
    assert results.from_lines("p", 1, lines, "") == {
        "t[1024]": ("failed", ""), "t[2048]": ("passed", ""),
        "t at #": ("passed", "")}


def test_what_is_cut_off_is_left_out():
    assert results.report("missing cuX\n\ncopied 64") == ({}, None)
    assert results.served("[]") == 0


def test_a_report_tells_what_is_missing_and_what_was_copied():
    assert results.report("call cuInit 1\nmissing cuLinkCreate_v2 3\n"
                          "copied 64 00ff\nclock_ns 0\n") == (
        {"cuLinkCreate_v2": 3}, [64, "00ff"])
    assert results.report("") == ({}, None)


def test_violations_are_counted_by_kind():
    found = results.violations(
        "mnm-sim: violation 1: 512 bytes at 0x10: reused\nother\n"
        "mnm-sim: violation 2: 512 bytes at 0x20: reused\n")
    assert list(found.values()) == [2]


def test_what_differs_alone_may_be_either_of_both():
    alone = run_of(steady="passed", noisy="passed")
    again = run_of(steady="passed", noisy="failed", copied=(8, "bb"))
    assert compare.noisy(alone, again) == {"noisy", compare.COPIED}
    for noisy, number in (("passed", 0), ("failed", 0), ("crashed", 1)):
        here = run_of(steady="passed", noisy=noisy, copied=(8, "cc"))
        assert len(compare.differences("p", alone, again, here)) == number


def test_a_detail_that_differs_alone_is_not_compared():
    runs = [run_of() for _ in range(4)]
    for run, result in zip(runs, (("failed", "said a"), ("failed", "said b"),
                                  ("failed", "said c"), ("passed", ""))):
        run["tests"]["wordy"] = result
    alone, again, failed, passed = runs
    assert not compare.differences("p", alone, again, failed)
    assert compare.differences("p", alone, alone, again)
    assert compare.differences("p", alone, again, passed)


def test_a_difference_names_the_test_and_both_results():
    alone = run_of(steady="passed", gone="passed")
    here = run_of(exit="signal 11", steady="failed", copied=(8, "bb"))
    found = compare.differences("p", alone, alone, here)
    assert [each.what for each in found] == [
        "gone", "steady", compare.EXIT, compare.COPIED]
    assert found[0].text() == "p: gone: alone passed, here not run"
    assert found[2].text() == "p: its exit: alone status 0, here signal 11"


def test_violations_that_the_suite_has_alone_are_its_own():
    alone = run_of()
    again = run_of(violations={"own": 1})
    assert not compare.differences("p", alone, again, run_of(
        violations={"own": 5}))
    found, = compare.differences("p", alone, again, run_of(
        violations={"own": 1, "new": 1}))
    assert (found.what, found.here) == (compare.VIOLATIONS, "new")


@pytest.mark.parametrize("served, swaps, told", [
    (3, 1, []), (0, 1, ["served nothing"]), (3, 0, ["never swapped"])])
def test_a_mode_that_tested_nothing_is_told(served, swaps, told):
    mode, = [mode for mode in MODES if mode.swaps]
    runs = {"p": {"served": 0, "swaps": 0},
            "q": {"served": served, "swaps": swaps}}
    assert [each.here for each in compare.idle(mode, runs)] == told
    assert not compare.idle(ALONE, {"p": {"served": 0, "swaps": 0}})


def test_each_pool_is_a_mode_and_the_suite_alone_is_always_run():
    names = [mode.name for mode in MODES]
    assert len(names) == len(set(names)) and set(POOLS) < set(names)
    assert chosen(["no_pool"])[:2] == [ALONE, AGAIN]
    assert [mode.name for mode in chosen(["no_pool"])[2:]] == ["no_pool"]
    assert "unfenced" not in [mode.name for mode in chosen([])]


def test_seeds_kernels_and_library_reach_the_suite(build):
    """Its test fails by one of three seeds, with the library that is named."""
    other = build / "other"
    other.mkdir()
    shutil.copy(os.path.join(BUILD, "libmnm.so"), other / "libmnm.so")
    done = run_made(build, "--only", "made", "--mode", "seeded", "--seed", "2-3",
                    "--seed", "9", "--kernels", "standin", "--process", "Odd",
                    "--library", str(other / "libmnm.so"), "--set",
                    "MNM_HEADROOM=7", "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert result["modes"] == ["seeded-2", "seeded-3", "seeded-9"]
    assert result["how"] == ["kernels: standin",
                             f"library {other / 'libmnm.so'}",
                             "with MNM_HEADROOM=7"]
    told = {mode: [each for each in found["differences"] if "told_how" in each]
            for mode, found in result["suites"][0]["modes"].items()}
    assert not told["seeded-2"] and not told["seeded-9"]
    assert len(told["seeded-3"]) == 1 and "standin 7" in told["seeded-3"][0]


def test_a_library_below_a_folder_with_a_blank_is_refused(tmp_path):
    """Also if only the place that it is named from has one."""
    folder = tmp_path / "a b"
    folder.mkdir()
    (folder / "libmnm.so").touch()
    done = subprocess.run(
        [os.path.join(SCRIPTS, "guests"), "--library", "libmnm.so", BUILD],
        cwd=folder, capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 2
    assert "put it in another folder" in done.stderr.splitlines()[-1]


@plain_build_only
def test_a_suite_is_served_without_fences(build):
    """The library refuses MNM_FENCE=none unless it is told to force it."""
    done = run_made(build, "--only", "made", "--mode", "unfenced", "--process",
                    "Steady", "--json")
    mode = json.loads(done.stdout)["suites"][0]["modes"]["unfenced"]
    assert not [each for each in mode["differences"] if "served" in each]
    assert not mode["said"]


@plain_build_only
def test_the_neighbour_shows_a_fence_that_is_missing(build):
    """To a suite that uses one stream and waits, which alone would not tell. It
    finds cuMemAlloc in three ways, sees what becomes of its own bytes, and is
    no trouble beside captures, in children, and where there is no driver."""
    done = run_made(build, "--only", "made", "--mode", "neighbour", "--mode",
                    "unfenced", "--seed", "1-4", "--json",
                    PROCESSES="Ordered")
    suite = json.loads(done.stdout)["suites"][0]
    assert suite["alone"] == {"passed": 6}
    told = {"neighbour": "", "unfenced": ""}
    for name, mode in suite["modes"].items():
        told[name.split("-")[0]] += "\n".join(mode["differences"])
        assert not mode["said"]
    assert not told["neighbour"]
    for shown in ("test_by_handle: alone passed, here failed",
                  "test_by_address: alone passed, here failed",
                  "test_by_first_form: alone passed, here failed",
                  "neighbour: # of its bytes are another's"):
        assert shown in told["unfenced"]
    done = subprocess.run(
        [sys.executable, "-c", "import ctypes; print(hasattr("
         "ctypes.CDLL(None), 'cuMemAlloc_v2'))"], capture_output=True,
        text=True, timeout=DEADLINE,
        env={"LD_PRELOAD": str(build / "guests" / "neighbour.so")})
    assert done.stdout == "False\n", done.stderr


@plain_build_only
def test_what_goes_wrong_on_the_way_is_one_line(build):
    """A compiler is needed where there is a neighbour alone."""
    (build / "guests").mkdir()
    done = run_made(build, "--mode", "no_pool", CC="/nope", PROGRAM="/none")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert re.search("^guests: made: (Steady|Odd): ", done.stderr,
                     re.MULTILINE)
    done = run_made(build, "--mode", "neighbour", CC="/nope")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(
        "guests: neighbour.c did not build")
    os.symlink("/dev/full", build / "guests" / "guests.json.new")
    done = run_made(build, "--mode", "no_pool", "--process", "Steady", "--only",
                    "made")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "guests: writing: No space left")


@pytest.mark.parametrize("words, said", [
    (["--seed", "0"], "a number from 1 to 18446744073709551615"),
    (["--seed", "18446744073709551616"], "a number from 1 to"),
    (["--seed", "7", "--mode", "no_pool"], "seeded, neighbour, unfenced"),
    (["--seed", "5-2"], "a range"),
    (["--seed", "1-2000"], "a range"),
    (["--library", "/nowhere/libmnm.so"], "/nowhere/libmnm.so is no library"),
    (["--library", ""], "needs a path"),
    (["--library", "/tmp"], "/tmp is no library"),
    (["--library", "/a b/libmnm.so"], "put it in another folder"),
    (["--seed", "\u0661"], "a number from 1 to"),
    (["--set", "POOL"], "MNM_NAME=VALUE"),
    (["--set", "POOL=no_pool"], "there is no POOL; there are MNM_"),
    (["--set", "MNM_SIM_SEED=1"], "--seed says that"),
    (["--set", "MNM_STAT_FILE=/tmp/x"], "sets it itself"),
    (["--set", "MNM_POOL=no_pool", "--mode", "vmm_pool"],
     "the mode 'vmm_pool' sets it itself"),
    (["--kernels", "some"], "standin")])
def test_wrong_words_are_answered_by_what_is_allowed(words, said):
    done = guests(*words, BUILD)
    assert done.returncode == 2 and done.stdout == ""
    assert said in done.stderr.splitlines()[-1]


def test_each_suite_names_its_versions():
    for suite in SUITES:
        assert suite.wheels and all(re.fullmatch(r"[\w-]+==[\w.]+", wheel)
                                    for wheel in suite.wheels)
    names = [suite.name for suite in SUITES]
    assert len(names) == len(set(names))


def test_of_many_differences_some_are_shown():
    mode = {"differences": [f"test {i}" for i in range(30)], "swaps": 0,
            "said": []}
    suite = {"name": "made", "version": "1", "alone": {"passed": 30},
             "copied": 2048, "noisy": [], "modes": {"no_pool": mode},
             "reason": None, "missing": {"cuLinkCreate_v2": 2},
             "violations": 0}
    text = table.markdown({"suites": [suite], "modes": ["no_pool"],
                           "how": ["kernels: standin"],
                           "machine": {"date": "2026-01-02T", "mnm": "mnm",
                                       "commit": "c"}})
    assert "| `no_pool` | 30 differ |" in text and "*Simulated*" in text
    assert "commit c; kernels: standin." in text
    assert "| copied to the host | 2 KiB |" in text
    assert "test 19" in text and "test 20" not in text
    assert "and 10 more" in text and "`cuLinkCreate_v2`" in text


@pytest.mark.parametrize("option, there", [("--only", "numba-cuda"),
                                           ("--mode", "page_unit_pool")])
def test_an_unknown_name_is_refused_with_the_names(option, there):
    done = guests(option, "nothing", BUILD)
    assert done.returncode == 2 and done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert "'nothing'" in last and there in last


def test_a_folder_that_was_not_built_is_refused(tmp_path):
    done = guests(str(tmp_path))
    assert done.returncode == 2 and "run `make`" in done.stderr


@pytest.mark.parametrize("letter", list(" :;{"))
def test_a_folder_that_the_loader_would_take_apart_is_refused(tmp_path, letter):
    done = guests(str(tmp_path / f"a{letter}b"))
    assert done.returncode == 2 and "build in another folder" in done.stderr


def test_a_process_needs_its_suite():
    done = guests("--process", "test_cuda_driver", BUILD)
    assert done.returncode == 2 and "--only" in done.stderr.splitlines()[-1]


def test_a_wrong_process_is_answered_by_those_there_are(build):
    done = run_made(build, "--only", "made", "--process", "Odd", "--process",
                    "Even")
    assert done.returncode == 2 and done.stdout == ""
    assert "no process 'Even'; there are Steady, Odd\n" in done.stderr
    assert not os.path.exists(build / "guests" / "guests.json")


def test_what_the_loader_cannot_load_is_no_library(build, tmp_path):
    library = tmp_path / "text.so"
    library.write_text("no library", encoding="utf-8")
    done = run_made(build, "--mode", "no_pool", "--library", str(library))
    assert done.returncode == 1 and done.stdout == ""
    assert f"guests: {library} cannot be loaded: " in done.stderr


def test_a_part_may_take_no_memory_and_the_output_be_closed(build):
    words = made_command(build, "--only", "made", "--process", "Idle",
                         "--mode", "no_pool")
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], capture_output=True,
        text=True, timeout=DEADLINE,
        env={**os.environ, "PROCESSES": "Steady Idle"})
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    with open(build / "guests" / "guests.json", encoding="utf-8") as file:
        suite, = json.load(file)["suites"]
    assert suite["modes"]["no_pool"]["differences"] == []


def test_two_at_once_are_refused(build):
    (build / "guests").mkdir()
    with open(build / "guests" / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run_made(build)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("guests: another run is at work in "
                           f"{build / 'guests'}\n")


def test_who_reads_the_list_may_stop():
    with subprocess.Popen([os.path.join(SCRIPTS, "guests"), "--list"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "PYTHONUNBUFFERED": "1"},
                          text=True) as running:
        running.stdout.close()
        assert running.stderr.read() == ""


def test_the_list_names_suites_and_modes():
    done = guests("--list")
    assert done.returncode == 0
    for name in (*(suite.name for suite in SUITES), *POOLS, "seeded"):
        assert re.search(rf"^{name} ", done.stdout, re.MULTILINE), name


@plain_build_only
def test_a_suite_is_compared_with_itself_alone(build):
    done = run_made(build, "--mode", "page_unit_pool", "--mode", "no_pool",
                    "--mode", "swapped", "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert found["modes"] == ["no_pool", "page_unit_pool", "swapped"]
    suite, = found["suites"]
    assert suite["alone"] == {"passed": 5, "failed": 1, "skipped": 2}
    assert suite["copied"] == 64
    assert suite["noisy"] == ["Odd: its exit",
                              "Odd: made_up.Odd.test_is_noisy"]
    told = "Odd: made_up.Odd.test_knows_mnm: alone passed, here failed"
    for mode in suite["modes"].values():
        assert mode["differences"][0].startswith(told)
        assert mode["served"] >= 1
    assert len(suite["modes"]["page_unit_pool"]["differences"]) == 1
    assert suite["modes"]["no_pool"]["differences"][1:] == [
        "Odd: made_up.Odd.test_within: alone passed, here crashed",
        "Odd: its exit: alone status 0, here signal 6"]
    assert suite["modes"]["swapped"]["swaps"] >= 1
    assert json.loads((build / "guests" / "guests.json").read_text()) == found
    assert "| `page_unit_pool` | 1 differ |" in (
        build / "guests" / "guests.md").read_text()


@plain_build_only
@pytest.mark.parametrize("unwritten, number", [("", 1), ("Steady", 0)])
def test_other_bytes_on_the_host_are_a_difference(build, unwritten, number):
    done = run_made(build, "--mode", "vmm_pool", "--only", "made",
                    "--process", "Steady", "--json", MORE="COPIES", UNWRITTEN=unwritten)
    found = json.loads(done.stdout)["suites"][0]["modes"]["vmm_pool"]
    assert len(found["differences"]) == number == done.returncode
    assert all("64 bytes" in each and "73 bytes" in each
               for each in found["differences"])


@plain_build_only
def test_without_a_network_the_row_says_so(build):
    done = run_made(build, "--json", WHEELS="numpy==0.0", PIP_NO_INDEX="1",
                    PIP_FIND_LINKS="/nowhere", PIP_CONFIG_FILE=os.devnull)
    assert done.returncode == 1
    suite, = json.loads(done.stdout)["suites"]
    assert "with a network and 2 GB of room, run this again" in suite["reason"]
    assert not (build / "guests" / "made-1" / "made-of").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_what_was_started(build, number):
    mark = str(build / "pid")
    (build / "made_up.py").write_text(f"""
import os, time
with open({mark!r} + ".new", "w") as out:
    out.write(str(os.getpid()))
os.rename({mark!r} + ".new", {mark!r})
time.sleep({DEADLINE})
""")
    with subprocess.Popen(made_command(build, "--jobs", "1"),
                          stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as running:
        await_true(lambda: os.path.exists(mark))
        running.send_signal(number)
        said = running.communicate(timeout=DEADLINE)[1]
    assert "guests: interrupted; " in said
    assert running.returncode == 130 and "Traceback" not in said
    with open(mark, encoding="utf-8") as file:
        pid = int(file.read())
    await_true(lambda: not os.path.exists(f"/proc/{pid}"))


def test_a_skip_of_pytests_is_one_in_unittest_too(tmp_path):
    (tmp_path / "made_up_skips.py").write_text(
        "import unittest\n"
        "class Skipped(Exception): pass\n"
        "class Tests(unittest.TestCase):\n"
        "    def test_skips(self): raise Skipped('so')\n"
        "    def test_passes(self): pass\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, os.path.join(INSIDE, "unittest_lines.py"), "lines",
         "made_up_skips"], cwd=tmp_path, check=False, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=DEADLINE)
    assert done.returncode == 0, done.stderr
    found = results.from_lines("p", 0, (tmp_path / "lines").read_text(), "")
    assert [found[f"made_up_skips.Tests.test_{name}"][0]
            for name in ("skips", "passes")] == ["skipped", "passed"]


def test_pytest_writes_what_each_test_comes_out_as(tmp_path):
    (tmp_path / "test_made.py").write_text("""
import pytest
def test_passes(): pass
def test_fails(): assert 1 == 2
def test_skips(): pytest.skip("so")
@pytest.mark.xfail
def test_is_known(): assert False
@pytest.fixture
def broken(): raise ValueError("no")
def test_has_no_fixture(broken): pass
""")
    out = tmp_path / "lines"
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "pytest_lines",
                    "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir",
                    str(tmp_path), "test_made.py"], cwd=tmp_path,
                   capture_output=True, timeout=DEADLINE,
                   env={**os.environ, "PYTHONPATH": INSIDE,
                        "PYTHONDONTWRITEBYTECODE": "1",
                        "GUESTS_LINES": str(out)})
    found = results.from_lines("p", 1, out.read_text(), "")
    assert {name.split("::")[1]: outcome for name, (outcome, _)
            in found.items()} == {
        "test_passes": "passed", "test_fails": "failed",
        "test_skips": "skipped", "test_is_known": "xfailed",
        "test_has_no_fixture": "failed"}
    assert found["test_made.py::test_fails"][1] == "assert 1 == 2"


def test_a_cubin_is_asked_for_as_ptx(tmp_path):
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\necho "$@"\n')
    nvcc.chmod(0o755)

    def asked(*words):
        return subprocess.run([os.path.join(INSIDE, "nvcc"), *words],
                              env={**os.environ, "GUESTS_CUDA": str(tmp_path)},
                              capture_output=True, text=True,
                              check=True).stdout.strip()

    assert asked("--cubin", "-arch", "sm_75", "kernel.cu") == \
        "--ptx -arch sm_75 kernel.cu -o kernel.cubin"
    assert asked("--version") == "--version"


def test_what_was_preprocessed_is_kept_by_its_text(tmp_path):
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\ncat "$2"\necho asked >&2\n')
    nvcc.chmod(0o755)

    def asked(name, text, *more):
        (tmp_path / name).write_text(text)
        done = subprocess.run(
            [os.path.join(INSIDE, "nvcc"), "--preprocess", tmp_path / name,
             *more], env={**os.environ, "GUESTS_CUDA": str(tmp_path),
                          "PYCUDA_CACHE_DIR": str(tmp_path)},
            capture_output=True, text=True, check=True)
        return done.stdout, done.stderr == "asked\n"

    assert asked("a.cu", "one") == ("one", True)
    assert asked("b.cu", "one") == ("one", False)
    assert asked("b.cu", "two") == ("two", True)
    assert asked("a.cu", "one", "-P") == ("one", True)
