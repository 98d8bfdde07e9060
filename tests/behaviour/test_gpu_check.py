"""scripts/gpu-check itself, on the simulated device."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from conftest import BUILD, DEADLINE, ROOT, plain_build_only

CLAIMS = """#!/bin/sh
echo '50%: Checks: 2, Failures: 1, Errors: 0'
echo "$PWD/x.c:3:F:case:claim_that_fails:0: Assertion '1 == 2' failed"
exit 1
"""
# One claim fails without mnm; under it, that one, another, and one that is
# known not to hold there.
POOL_CLAIMS = """#!/bin/sh
echo '25%: Checks: 4, Failures: 3, Errors: 0'
echo "$PWD/x.c:1:F:case:wrong_anyway:0: Assertion '1 == 2' failed"
if [ "$LD_PRELOAD" ]; then
known=a_pool_that_is_short_serves_after_a_wait
echo "$PWD/x.c:2:F:case:$known:0: Assertion '2 == 3' failed"
echo "$PWD/x.c:3:F:case:wrong_while_served:0: Assertion '3 == 4' failed"
fi
exit 1
"""
WAITS = """#!/bin/sh
echo '{"question": "a", "answer": "yes", "ms": 0.5}'
echo '{"question": "b", "answer": "unknown", "ms": 0}'
echo 'waits: line 3: cuMemAlloc(&block, size): CUDA_ERROR_UNKNOWN' >&2
exit 1
"""
# Runs the framework parts, which want a GPU, on the simulated device.
WITH_STANDINS = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import check
for name, (function, limit, _) in check.PARTS.items():
    check.PARTS[name] = (function, limit, True)
sys.exit(check.main())
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
ALONE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from parts_programs import BUILD, needs_all_memory

for folder, name in (
        ("conformance", "kernel"), ("conformance", "memory"),
        ("conformance", "scarcity"), ("programs", "runtime_memory_claims"),
        ("programs", "runtime_static_claims")):
    if needs_all_memory(os.path.join(BUILD, "tests", folder, name)):
        print(name)
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


def with_standins(folder, parts, **variables):
    """The same for parts that run frameworks, with what stands in for them."""
    env = {k: v for k, v in os.environ.items() if k[:4] != "MNM_"}
    env.update({"MNM_BUILD": BUILD, "PYTHONPATH": os.path.join(
        ROOT, "tests", "gpu", "standin"), **variables})
    return subprocess.run(
        [sys.executable, "-B", "-c", WITH_STANDINS,
         os.path.join(ROOT, "scripts", "gpu"), "--sim", "--only", parts,
         "--out", str(folder)], env=env, capture_output=True, text=True,
        timeout=2 * DEADLINE)


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


def wait_for(holds, seconds=DEADLINE):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


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
    assert checks(tmp_path, "prices")["cuMemFreeAsync 4 KiB"]["figures"]
    assert checks(tmp_path, "torch")["all"]["verdict"] == "skipped"
    proofs = [check["figures"] for check in
              checks(tmp_path, "doctor").values()]
    assert {"level": "ok", "finding": "cudaMallocAsync: 4 requests, 4 served"
            } in proofs
    under = checks(tmp_path, "pools")
    assert under["lstm_lm_bs20_bptt35, native"]["figures"]["mismatches"] == 0
    plan = under["lstm_lm_bs20_bptt35, tstack_pool"]["figures"]["plan"]
    assert sorted(plan) == ["deviations", "period", "state", "steps"]
    assert under["contexts (reuse), vmm_pool"]["figures"]["wrong"] == 0
    assert under["train_digits, swapped live"]["figures"]["swaps"] >= 4
    assert under["PyTorch"]["verdict"] == "skipped"
    pools = checks(tmp_path, "ordered")
    assert pools["pool_order, native"]["figures"]["claims"] > 10
    assert pools["pool, served"]["figures"]["served"] > 10
    assert pools["pool_order, served"]["figures"]["not_followed"] == [
        "a_pool_that_is_short_serves_after_a_wait"]
    assert checks(tmp_path, "rmm")["all"]["verdict"] == "skipped"


@plain_build_only
def test_what_frees_wait_for_is_what_the_simulation_says(tmp_path):
    """src/sim/README.md has the answers; a GPU may give others."""
    done = gpu_check("--sim", "--only", "waits", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = {name: check["figures"]["answer"] for name, check in
               checks(tmp_path, "waits").items() if check["figures"]}
    assert answers.pop("cuMemFree returns") == "no"
    assert answers.pop("cuMemFree of a pool's memory returns") == "yes"
    assert answers.pop("it lowers the pool's used bytes") == "no"
    assert answers.pop("it lowers the pool's reserved bytes") == "no"
    assert answers.pop("a blocking stream overtakes legacy work") == "no"
    assert answers.pop("a blocking stream overtakes a legacy free") == "no"
    assert answers.pop(
        "a kernel of another context reaches a pool's memory") == "yes"
    assert len(answers) == 18


@plain_build_only
def test_claims_about_pools_are_judged_by_what_holds_without_mnm(build,
                                                                 tmp_path):
    script(build / "tests" / "conformance" / "pool_liar", POOL_CLAIMS)
    done = gpu_check("--sim", "--only", "ordered", "--out", tmp_path,
                     build=build)
    assert done.returncode == 1, done.stderr
    found = checks(tmp_path, "ordered")
    assert found["pool_liar, native"]["figures"]["failed"] == [
        "wrong_anyway: Assertion '1 == 2' failed"]
    assert found["pool_liar, served"]["figures"] == {
        "claims": 4, "served": 0, "not_followed": [
            "a_pool_that_is_short_serves_after_a_wait"],
        "failed": ["wrong_while_served: Assertion '3 == 4' failed"]}
    assert found["requests served"]["verdict"] == "FAILED"


@plain_build_only
def test_an_answer_that_could_not_be_had_is_a_failure(build, tmp_path):
    script(build / "tests" / "gpu" / "waits", WAITS)
    done = gpu_check("--sim", "--only", "waits,ordered", "--out", tmp_path,
                     build=build)
    assert done.returncode == 1, done.stderr
    found = checks(tmp_path, "waits")
    assert found["a"]["figures"] == {"answer": "yes", "ms": 0.5}
    assert found["b"]["verdict"] == "FAILED"
    assert found["all"]["reason"].endswith("CUDA_ERROR_UNKNOWN")
    assert checks(tmp_path, "ordered")["all"]["reason"] == (
        "tests/conformance is not built")


@plain_build_only
def test_a_framework_is_served(tmp_path):
    done = with_standins(tmp_path, "rmm")
    assert done.returncode == 0, done.stdout + done.stderr
    served = checks(tmp_path, "rmm")["CudaAsyncMemoryResource, served"]
    assert served["figures"]["allocs"] == 200
    assert served["figures"]["hits"] > 150


@plain_build_only
@pytest.mark.parametrize("fault,reason", [
    ("keeps", "mnm served fewer requests than the job has results"),
    ("lies", "exit status 1: step 0: what came back is not what was sent"),
])
def test_a_framework_that_is_not_served_or_wrong_fails(tmp_path, fault,
                                                       reason):
    done = with_standins(tmp_path, "rmm", STANDIN=fault)
    assert done.returncode == 1, done.stdout + done.stderr
    found = checks(tmp_path, "rmm")
    assert found["CudaAsyncMemoryResource, native again"]["verdict"] == "ok"
    served = found["CudaAsyncMemoryResource, served"]
    assert (served["verdict"], served["reason"]) == ("FAILED", reason)


@plain_build_only
def test_a_framework_that_is_missing_is_named(tmp_path):
    parts = {"torch-async": "torch", "jax-async": "jax", "cupy-async": "cupy"}
    for name in parts.values():
        (tmp_path / f"{name}.py").write_text("raise ImportError('none here')")
    done = with_standins(tmp_path / "out", ",".join(parts),
                         PYTHONPATH=str(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "0 ok, 0 FAILED" in done.stdout and not done.stderr
    for part, name in parts.items():
        found = list(checks(tmp_path / "out", part).values())
        assert found[0]["reason"] == f"{name} can't be imported: none here"
        assert {check["verdict"] for check in found} == {"skipped"}


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
def test_a_program_that_the_end_of_the_time_cuts_short_did_not_fail(
        build, tmp_path):
    script(build / "tests" / "gpu" / "reuse", "#!/bin/sh\nsleep 60\n")
    gpu_check("--sim", "--only", "reuse", "--time", 3, "--out", tmp_path,
              build=build)
    found = [check for check in checks(tmp_path, "reuse").values()
             if check["reason"] != "reuse_per_thread is not built"]
    assert {check["verdict"] for check in found} == {"skipped"}
    assert found[0]["reason"].startswith("the part's time was over after")


@plain_build_only
def test_claims_about_all_of_the_memory_run_alone():
    done = subprocess.run(
        [sys.executable, "-B", "-c", ALONE, os.path.join(
            ROOT, "scripts", "gpu")], capture_output=True, text=True,
        env=dict(os.environ, MNM_BUILD=BUILD), check=True, timeout=DEADLINE)
    assert done.stdout.split() == ["memory", "scarcity",
                                   "runtime_memory_claims"]


@plain_build_only
def test_a_run_in_which_nothing_was_checked_is_no_success(build, tmp_path):
    done = gpu_check("--sim", "--only", "doors", "--out", tmp_path,
                     build=build)
    assert done.returncode == 1
    assert "0 ok, 0 FAILED" in done.stdout


def test_an_unknown_part_is_wrong_usage():
    done = gpu_check("--sim", "--only", "toad")
    assert done.returncode == 2
    assert "no part toad; known: doctor, doors" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("part,folder", [("reuse", "gpu"),
                                         ("conformance", "conformance")])
def test_a_run_that_is_stopped_leaves_no_program_behind(build, tmp_path,
                                                        number, part, folder):
    """Those of a part may run beside each other, in threads."""
    script(build / "tests" / folder / "reuse",
           f"#!/bin/sh\nsleep 600 &\necho $! >{tmp_path}/pid.new\n"
           f"mv {tmp_path}/pid.new {tmp_path}/pid\nwait\n")
    with subprocess.Popen(
            [os.path.join(ROOT, "scripts", "gpu-check"), "--sim", "--only",
             part, "--out", str(tmp_path / "report")],
            env=dict(os.environ, MNM_BUILD=str(build), PYTHON=sys.executable),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True) as job:
        wait_for((tmp_path / "pid").exists)
        job.send_signal(number)
        said = job.communicate(timeout=DEADLINE)[1]
    assert job.returncode == 128 + number
    assert "the report has what was done so far" in said
    wait_for(lambda: not os.path.exists(
        f"/proc/{(tmp_path / 'pid').read_text().strip()}"))


def test_a_folder_that_cannot_be_written_is_named(build, tmp_path):
    (tmp_path / "file").write_text("")
    done = gpu_check("--sim", "--only", "doors", "--out", tmp_path / "file",
                     build=build)
    assert done.returncode == 1
    assert done.stderr.startswith("gpu-check: ") and str(
        tmp_path / "file") in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("seconds", ["0", "-5", "nan", "x"])
def test_a_time_in_which_nothing_can_run_is_wrong_usage(seconds):
    done = gpu_check("--sim", "--only", "doors", f"--time={seconds}")
    assert done.returncode == 2
    assert "argument --time" in done.stderr


def test_a_time_that_ends_before_a_device_is_found_is_said(build, tmp_path):
    done = gpu_check("--sim", "--only", "doors", "--time=0.001", "--out",
                     tmp_path, build=build)
    assert done.returncode == 1
    assert done.stderr == ("gpu-check: the time was over before a device was "
                           "found\n")


@plain_build_only
def test_a_program_without_its_kernels_is_skipped(build, tmp_path):
    done = gpu_check("--sim", "--quick", "--only", "programs", "--out",
                     tmp_path, build=build)
    assert "FAILED  " not in done.stdout
    assert checks(tmp_path, "programs")["ctypes_job driver, native"][
        "reason"] == "examples/round_kernels.fatbin is not built"
