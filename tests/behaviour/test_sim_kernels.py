"""Kernels that no host function stands for: the simulated device takes them from
the program itself. They are interpreted, or a stand-in makes up a result by which
work out of order is seen."""

import math
import os
import shutil
import subprocess
import sys

import pytest

from conftest import BUILD, POOLS, ROOT, cuda_home, plain_build_only, program

KERNELS, ORDER = program("own_kernels"), program("own_order")
COMPILER = os.path.join(ROOT, "tests", "programs", "compile_job.py")
TOOLS = [os.path.join(ROOT, "build", "cuda", "bin"),
         os.path.join(cuda_home(), "bin")]
# Parts of own_order whose memory passes from stream to stream, and those that
# leave out an order by themselves.
REUSING = ["scratch", "copies", "batches", "indices"]
PARTS = [*REUSING, "relay", "ordered"]
SEEDS = range(1, 11)


@pytest.fixture(autouse=True)
def tool(monkeypatch):
    """Finds cuobjdump for a build in another folder, too."""
    monkeypatch.setenv("PATH", ":".join([*TOOLS, os.environ["PATH"]]))
    if not shutil.which("cuobjdump"):
        pytest.skip("no cuobjdump; scripts/setup fetches it")


def run(box, *command, pool=None, kernels="standin", **options):
    return box.run(command, pool, sim_kernels=kernels, **options).stdout


def native(box, part, **options):
    return run(box, ORDER, part, **options)


def compiled(box, source, *options):
    """Compiles a source to what cuModuleLoad takes."""
    path = os.path.join(box.folder, "code.cu")
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    out = os.path.join(box.folder, "code")
    subprocess.run([os.path.join(cuda_home(), "bin", "nvcc"), *options, path,
                    "-o", out], check=True, capture_output=True)
    return out


def test_a_stand_in_has_the_same_result_in_each_run_and_under_each_pool(box):
    once = run(box, KERNELS, "add")
    assert {run(box, KERNELS, "add", pool=pool)
            for pool in [None, *POOLS]} == {once}


def test_what_a_stand_in_writes_depends_on_all_that_it_reads(box):
    parts = ["scratch", "copies", "batches", "indices"]
    assert len({native(box, part) for part in parts}) == len(parts)


def test_stand_ins_write_small_numbers_where_integers_are_stored(box):
    kept = run(box, KERNELS, "symbol").splitlines()[2]
    assert all(0 <= int(word) < 128 for word in kept.split())


def test_stand_ins_write_fractions_where_floats_are_stored(box):
    first, last, _ = run(box, KERNELS, "add").split()
    assert 0 < float(first) < 1 and 0 < float(last) < 1


@pytest.mark.parametrize("pool", [None, *POOLS])
@pytest.mark.parametrize("part", PARTS)
def test_legal_programs_have_one_result_in_any_order_that_cuda_allows(
        box, part, pool):
    once = native(box, part)
    for seed in (1, 2):
        assert run(box, ORDER, part, pool=pool, sim_seed=seed,
                   sim_check=1) == once
    assert box.run([ORDER, part], pool, sim_kernels="standin", sim_seed=3,
                   sim_check=1).stderr == ""


@pytest.mark.parametrize("kernels", ["standin", "interpret"])
@pytest.mark.parametrize("part", ["relay", "ordered"])
def test_an_order_that_a_program_leaves_out_shows_in_its_result(
        box, part, kernels):
    right = native(box, part, kernels=kernels)
    assert any(run(box, ORDER, part, "broken", kernels=kernels,
                   sim_seed=seed) != right for seed in SEEDS)


@pytest.mark.parametrize("part", REUSING)
def test_a_pool_without_a_fence_shows_in_the_result(box, part):
    right = native(box, part)
    assert any(run(box, ORDER, part, pool="page_unit_pool", fence="none",
                   force=1, sim_seed=seed) != right for seed in SEEDS)


def test_the_host_program_notices_no_child_process(box):
    assert run(box, KERNELS, "children") == "0 signals, -1\n"


CUBIN = """
#include <cstdio>
__global__ void twice(float *to, int n) { if (threadIdx.x < n) to[0] *= 2; }
int main()
{
	unsigned *to, *beside, values[2] = {0, 0};
	cudaMalloc(&to, 8);
	cudaMalloc(&beside, 8);
	cudaMemset(beside, 1, 8);
	twice<<<1, 1>>>((float *)to, 1);
	printf("%d ", cudaGetLastError());
	cudaMemcpy(values, to, 8, cudaMemcpyDeviceToHost);
	printf("%d ", values[0] + values[1] != 0);
	cudaMemcpy(values, beside, 8, cudaMemcpyDeviceToHost);
	printf("%x\\n", values[0]);
}
"""


def test_a_cubin_has_stand_ins_by_the_sizes_of_its_parameters(box):
    """They write to the end of an allocation, and under a pool no further."""
    built = compiled(box, CUBIN, "-cudart", "shared", "-gencode",
                     "arch=compute_75,code=sm_75")
    assert {run(box, built, pool=pool) for pool in [None, *POOLS]} == {
        "0 1 1010101\n"}
    done = box.run([built], sim_kernels="interpret")
    assert done.stdout == "98 0 1010101\n"
    assert done.stderr.count("\n") == 1
    assert "its image has no PTX" in done.stderr


def test_without_the_tool_one_line_says_so(box, monkeypatch):
    """The library looks beside itself, so a copy of it is run."""
    if os.path.exists("/usr/local/cuda/bin/cuobjdump"):
        pytest.skip("this machine's toolkit has the tool")
    libraries = os.path.join(box.folder, "sim")
    shutil.copytree(os.path.join(BUILD, "sim"), libraries, symlinks=True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("CUDA_HOME", box.folder)
    env = {**box.env(None), "LD_LIBRARY_PATH": libraries}
    done = subprocess.run([KERNELS, "add"], env=env, capture_output=True,
                          text=True, check=False)
    assert "cudaErrorInvalid" in done.stdout
    assert done.stderr.count("no cuobjdump in") == 1
    assert "its image could not be read" in done.stderr


SOURCE = """
extern "C" __device__ int base = 30;
extern "C" __global__ void plus(long long *to, char more, long long number)
{
	to[threadIdx.x] = base + more + number + threadIdx.x + __CUDA_ARCH__;
}
"""
FORMS = {"ptx": (["-ptx", "-arch=compute_75"], 750),
         "fat": (["-fatbin", "-gencode", "arch=compute_75,code=sm_75",
                  "-gencode", "arch=compute_75,code=compute_75",
                  "-gencode", "arch=compute_90,code=compute_90"], 750),
         "compressed": (["-fatbin", "--compress-mode=size", "-gencode",
                         "arch=compute_90,code=compute_90"], 900)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", ["file", "data", "library", "library_file"])
def test_code_is_found_in_each_form_and_by_each_call(box, form, call):
    options, arch = FORMS[form]
    first = 30 + 5 + 7000000000 + arch
    assert run(box, program("own_modules"), call, compiled(
        box, SOURCE, *options), kernels="interpret") == (
            f"4 bytes, 8 at 16, base 30, {first} {first + 63}\n")


def compiled_at_run_time(box, source, *options, **how):
    """The same, by a program of its own, and what it said."""
    path, out = (os.path.join(box.folder, name) for name in ("code.cu", "code"))
    with open(path, "w", encoding="utf-8") as file:
        file.write(source)
    done = box.run([sys.executable, COMPILER, path, out, *options],
                   check=False, **how)
    assert bool(done.returncode) == bool(done.stderr), done.stderr
    return out, done.stderr


@plain_build_only
@pytest.mark.parametrize("options", [
    ["--gpu-architecture=sm_75"], ["-arch", "sm_75", "-default-device"]])
def test_code_that_a_program_compiles_for_a_device_can_run(
        box, options, monkeypatch):
    if not os.path.exists(os.path.join(BUILD, "sim", "libnvrtc.so.13")):
        pytest.skip("the toolkit has no compiler for run time")
    monkeypatch.setenv("CUDA_HOME", cuda_home())
    image, _ = compiled_at_run_time(box, SOURCE, *options)
    assert run(box, program("own_modules"), "data", image,
               kernels="interpret") == (
                   "4 bytes, 8 at 16, base 30, 7000000785 7000000848\n")
    _, log = compiled_at_run_time(box, "no device code", *options)
    assert "NVRTC_ERROR_COMPILATION" in log
    assert "code.cu(1): error" in log


def test_of_several_architectures_the_newest_fits_that_the_device_has(box):
    image = compiled(box, SOURCE, *FORMS["fat"][0])
    lines = [run(box, program("own_modules"), "wrapper", image,
                 kernels="interpret", sim=sim) for sim in ("t4", "h200")]
    assert [int(line.split()[-2]) for line in lines] == [
        7000000785, 7000000935]


def test_kernels_can_be_left_to_host_functions(box):
    done = box.run([KERNELS, "add"], check=False, sim_kernels="none")
    assert "cudaErrorInvalid" in done.stdout
    assert done.stderr.count("\n") == 1


# What each part prints if its kernels do what their source says.
TRUE = {
    "add": "2 16378 1.34218e+08\n",
    "struct": "3 12288 1.007e+08\n",
    "sum": "8.38656e+06 8.38656e+06 8.38656e+06\n",
    "symbol": "3 1 4 1\n13 21 181\n0 0 0 0\n",
    "printf": "thread 0 of block 0: 7\nthread 1 of block 0: 7\n"
              "thread 0 of block 1: 7\nthread 1 of block 1: 7\n",
    "graph": "2 12287 1.00684e+08\n",
}


@pytest.mark.parametrize("pool", [None, *POOLS])
@pytest.mark.parametrize("part", TRUE)
def test_interpreted_kernels_do_what_their_source_says(box, part, pool):
    for options in ({}, {"sim_seed": 1, "sim_check": 1}):
        done = box.run([KERNELS, part], pool, **options)
        assert (done.stdout, done.stderr) == (TRUE[part], "")


@plain_build_only
@pytest.mark.parametrize("part,error", [
    ("wild", "cudaErrorIllegalAddress"), ("assert", "cudaErrorAssert")])
@pytest.mark.parametrize("pool", [None, "page_unit_pool"])
def test_a_kernel_that_fails_loses_the_device(box, part, error, pool):
    done = box.run([KERNELS, part], pool)
    assert done.stdout.split()[-3:] == [error] * 3
    assert "the device is lost" in done.stderr


def test_a_kernel_has_the_limits_of_its_code(box):
    assert run(box, KERNELS, "attributes") == (
        "128 threads, 4 and 49148 bytes shared, 3 blocks\n"
        "cudaErrorInvalidValue\n")


@pytest.mark.parametrize("claims", ["texture", "variable", "function", "graph",
                                    "node"])
def test_claims_about_the_runtime_hold_for_interpreted_kernels(box, claims):
    """The programs have no host functions beside them here."""
    name = f"runtime_{claims}_claims"
    path = os.path.join(box.folder, name)
    shutil.copy(program(name), path)
    assert "\n100%" in run(box, path, kernels="interpret")


LINKED = {
    "main.cu": """
#include <cstdio>
extern __device__ int base;
extern __constant__ int table[2];
__device__ int twice(int n);
template <class T> __device__ __noinline__ T same(T n) { return n + 1; }
__device__ int first(int n) { return same(n); }
__device__ double wide(double x);
__global__ void plus(double *to)
{
	const char *text = threadIdx.x ? "own" : "main";
	to[threadIdx.x] = twice(base) + table[threadIdx.x] + first(text[0]) +
			  wide(1e9 + threadIdx.x) + sin(1e9);
}
int main()
{
	double *to, values[2];
	cudaMalloc(&to, sizeof(values));
	plus<<<1, 2>>>(to);
	printf("%d ", cudaGetLastError());
	cudaMemcpy(values, to, sizeof(values), cudaMemcpyDeviceToHost);
	printf("%.6f %.6f\\n", values[0], values[1]);
}
""",
    "other.cu": """
__device__ int base = 40;
__constant__ int table[2] = {100, 200};
template <class T> __device__ __noinline__ T same(T n) { return n + 1; }
__device__ int twice(int n)
{
	const char *text = n ? "other" : "no";
	return same(n) + n + text[0];
}
__device__ double wide(double x) { return sin(x); }
"""}


def test_a_program_of_relocatable_code_is_linked_by_names(box):
    paths = []
    for name, text in LINKED.items():
        paths.append(os.path.join(box.folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    built = os.path.join(box.folder, "linked")
    subprocess.run([os.path.join(cuda_home(), "bin", "nvcc"), "-rdc=true",
                    "-cudart", "shared", "-gencode",
                    "arch=compute_75,code=[sm_75,compute_75]", *paths,
                    "-o", built], check=True, capture_output=True)
    wanted = [41 + 40 + ord("o") + table + ord(text) + 1
              + math.sin(1e9 + i) + math.sin(1e9)
              for i, (table, text) in enumerate([(100, "m"), (200, "o")])]
    assert run(box, built, kernels="interpret") == (
        f"0 {wanted[0]:.6f} {wanted[1]:.6f}\n")
