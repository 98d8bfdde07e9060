"""`mnm run` puts mnm where other preloads are still called."""

import os
import shutil
import subprocess

import pytest

from conftest import DEADLINE, LIBRARY, MNM, plain_build_only, program

pytestmark = plain_build_only

SCRIPT = "alloc a 5000\nfree a\n" * 3


def run_under_mnm(box, preloads, *command, stdin=""):
    env = dict(box.env("page_unit_pool", preload=False), LD_PRELOAD=preloads)
    return subprocess.run([MNM, "run", "--", *command], env=env, input=stdin,
                          capture_output=True, text=True, check=True,
                          timeout=DEADLINE)


def made(box, name, symbols):
    path = f"{box.folder}/{name}"
    source = "".join(f"int {symbol}(void) {{ return 0; }}\n"
                     for symbol in symbols)
    subprocess.run(["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-o",
                    path, "-xc", "-"], input=source, text=True, check=True)
    return path


def test_a_preload_that_serves_memory_itself_is_asked(box):
    shell = program("shell_shared")
    run = run_under_mnm(box, program("taker.so"), shell, stdin=SCRIPT)
    assert run.stderr == "taker: 3 allocs 3 frees\n"
    assert (box.stat()["hits"], box.stat()["misses"]) == (2, 1)
    assert run.stdout == box.run([shell], stdin=SCRIPT).stdout


@pytest.mark.parametrize("preloads, said", [
    ("{mnm}:{taker}", 1), ("{mnm} {taker}", 1), ("{plain}:{mnm}:{taker}", 1),
    ("{mnm}:{plain}:{taker}", 1), ("{mnm}:/nowhere.so:{taker}:{taker}", 1),
    ("{taker}:{mnm}", 0), ("{mnm}:{plain}", 0), ("{mnm}:{both}", 0),
    ("{mnm}", 0), ("{mnm}:", 0)])
def test_a_preload_that_is_not_asked_is_told(box, preloads, said):
    """mnm says so in one line, once it serves the first request."""
    paths = {"mnm": LIBRARY, "taker": program("taker.so"),
             "plain": made(box, "plain.so", ["nothing"]),
             "both": made(box, "both.so", ["cudaHostAlloc"])}
    shell = program("shell_shared")
    env = dict(box.env("page_unit_pool", preload=False),
               LD_PRELOAD=preloads.format(**paths))
    none = subprocess.run([shell], env=env, input="count\n", text=True,
                          capture_output=True, check=True, timeout=DEADLINE)
    done = subprocess.run([shell], env=env, input=SCRIPT, text=True,
                          capture_output=True, check=True, timeout=DEADLINE)
    lines = [line for line in done.stderr.splitlines()
             if line.startswith("mnm: ")]
    assert lines == said * [
        f"mnm: warn: {paths['taker']}, a preload, takes CUDA's memory calls as "
        "well and is not asked: put it before mnm, as `mnm run` does"]
    assert "mnm: " not in none.stderr
    assert ("taker: 3 allocs" in done.stderr) == (preloads[:6] == "{taker")


def order(box, preloads):
    run = run_under_mnm(box, preloads, "sh", "-c", "echo $LD_PRELOAD")
    return run.stdout.strip().split(":")


def test_mnm_comes_first_but_for_who_must(box):
    exports = {"plain": "nothing", "taker": "cudaFree",
               "driver": "cuMemAlloc_v2", "checker": "__asan_init"}
    path = {name: made(box, f"{name}.so", [symbol])
            for name, symbol in exports.items()}
    path["both"] = made(box, "both.so", ["dlsym", "cudaMalloc"])
    preloads = f"{':'.join(path.values())} libtsan.so.0:libno.so::./no.so"
    assert order(box, preloads) == [
        path["taker"], path["driver"], path["checker"], "libtsan.so.0",
        LIBRARY, path["plain"], path["both"], "libno.so", "./no.so"]
    assert order(box, "") == [LIBRARY]


def test_a_line_with_a_long_path_is_cut(box):
    folder = os.path.join(box.folder, *4 * ["x" * 200])
    os.makedirs(folder)
    taker = shutil.copy(program("taker.so"), folder)
    env = dict(box.env("page_unit_pool", preload=False),
               LD_PRELOAD=f"{LIBRARY}:{taker}")
    done = subprocess.run([program("shell_shared")], env=env, input=SCRIPT,
                          text=True, capture_output=True, check=True,
                          timeout=DEADLINE)
    said, = [line for line in done.stderr.splitlines(keepends=True)
             if line.startswith("mnm: ")]
    assert said.startswith(f"mnm: warn: {box.folder}/xxx")
    assert said.endswith("xxx\n") and 400 < len(said) < 600
