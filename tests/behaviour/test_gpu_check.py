"""scripts/gpu-check itself, on the simulated device."""

import json
import os
import subprocess
import sys

import pytest

from conftest import BUILD, DEADLINE, ROOT, plain_build_only

CLAIMS = """#!/bin/sh
echo '50%: Checks: 2, Failures: 1, Errors: 0'
echo "$PWD/x.c:3:F:case:claim_that_fails:0: Assertion '1 == 2' failed"
exit 1
"""
NVML = """
#include <stdio.h>
#include <string.h>
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	*device = (void *)5;
	return strcmp(bus, "0000:07:00.0") ? 6 : 0;
}
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory)
{
	FILE *file = fopen("used", "r");
	memory[2] = 0;
	if (device != (void *)5 || !file || fscanf(file, "%llu", &memory[2]) != 1)
		return 7;
	return fclose(file);
}
"""
METER = """
import os, sys
sys.path.insert(0, sys.argv[1])
from meter import Meter

def use(count):
    with open("used.new", "w") as file:
        file.write(str(count))
    os.replace("used.new", "used")

use(1000)
meter = Meter(sys.argv[2], sys.argv[3])
meter.start()
for count in (7000, 500) if not meter.why else ():
    use(count)
    looks = meter.looks
    while meter.looks < looks + 2:
        pass
print(meter.stop(), meter.why)
"""
REUSE = """#!/bin/sh
echo rounds 5 wrong 2 early 0 reused 5
exit 1
"""


def gpu_check(*words, build=BUILD):
    env = {k: v for k, v in os.environ.items() if k[:4] != "MNM_"}
    env.update(MNM_BUILD=str(build), PYTHON=sys.executable)
    return subprocess.run([os.path.join(ROOT, "scripts", "gpu-check"),
                           *map(str, words)], env=env, capture_output=True,
                          text=True, timeout=2 * DEADLINE)


def checks(folder, part):
    """{name: check} of one part."""
    with open(folder / "gpu-check.json", encoding="utf-8") as file:
        return {check["name"]: check for check in json.load(file)["checks"]
                if check["part"] == part}


@pytest.fixture
def build(tmp_path):
    """A build that has only mnm and the simulated device."""
    folder = tmp_path / "build"
    folder.mkdir()
    for name in ("mnm", "libmnm.so", "sim"):
        (folder / name).symlink_to(os.path.join(BUILD, name))
    return folder


def script(path, text):
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o755)


@plain_build_only
def test_all_that_needs_no_gpu_holds_on_the_simulated_device(tmp_path):
    done = gpu_check("--sim", "--quick", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (tmp_path / "gpu-check.md").read_text()
    assert "No GPU was used" in text and "| FAILED" not in text
    for name, check in checks(tmp_path, "doors").items():
        if check["verdict"] == "ok" and not name.endswith("native"):
            assert check["figures"]["allocs"] > 0
    assert checks(tmp_path, "doors")["driver, native"]["verdict"] == "ok"
    programs = checks(tmp_path, "programs")
    assert programs["graph_relaunch, fence"]["figures"]["hits"] > 0
    assert programs["ctypes_job driver, sync"]["verdict"] == "ok"
    assert programs["buffers, static, native"]["verdict"] == "skipped"
    streams = checks(tmp_path, "reuse")["streams (reuse), native"]
    assert streams["figures"]["rounds"] == 50
    claims = checks(tmp_path, "conformance")
    assert claims["memory"]["figures"]["claims"] > 10
    assert claims["runtime_work_claims"]["verdict"] == "ok"
    price = checks(tmp_path, "prices")["cuMemAlloc 4 KiB"]["figures"]
    assert 0 < price["least"] <= price["median"] <= price["p90"]
    assert checks(tmp_path, "torch")["all"]["verdict"] == "skipped"


def test_the_peak_of_used_memory_is_nvmls(tmp_path):
    library = tmp_path / "libnvidia-ml.so.1"
    (tmp_path / "nvml.c").write_text(NVML)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library),
                    str(tmp_path / "nvml.c")], check=True)

    def meter(bus, path):
        return subprocess.run(
            [sys.executable, "-B", "-c", METER,
             os.path.join(ROOT, "scripts", "gpu"), bus, str(path)],
            cwd=tmp_path, capture_output=True, text=True, check=True,
            timeout=DEADLINE).stdout.strip()

    assert meter("0000:07:00.0", library) == "6000 None"
    assert meter("0000:08:00.0", library) == (
        "None NVML does not know the device 0000:08:00.0: error 6")
    assert meter("0000:07:00.0", tmp_path / "none").startswith(
        "None no NVML: ")


@plain_build_only
def test_what_fails_is_named_and_stops_nothing_else(build, tmp_path):
    script(build / "tests" / "conformance" / "liar", CLAIMS)
    script(build / "tests" / "gpu" / "reuse", REUSE)
    done = gpu_check("--sim", "--only", "conformance,reuse,doors", "--out",
                     tmp_path, build=build)
    assert done.returncode == 1, done.stderr
    liar = checks(tmp_path, "conformance")["liar"]
    assert liar["verdict"] == "FAILED"
    assert liar["figures"]["failed"] == [
        "claim_that_fails: Assertion '1 == 2' failed"]
    wrong = checks(tmp_path, "reuse")["streams (reuse), native"]
    assert wrong["verdict"] == "FAILED" and wrong["figures"]["wrong"] == 2
    assert {check["verdict"] for check in
            checks(tmp_path, "doors").values()} == {"skipped"}


@plain_build_only
def test_a_run_in_which_nothing_was_checked_is_no_success(build, tmp_path):
    done = gpu_check("--sim", "--only", "doors", "--out", tmp_path,
                     build=build)
    assert done.returncode == 1
    assert "0 ok, 0 FAILED" in done.stdout


def test_an_unknown_part_is_wrong_usage():
    done = gpu_check("--sim", "--only", "toad")
    assert done.returncode == 2
    assert "no part toad; known: doors, programs" in done.stderr
