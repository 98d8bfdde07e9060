"""Programs that are built against the installed headers, and nothing else."""

import json
import os
import subprocess

import pytest

from conftest import (BUILD, DEADLINE, EXAMPLES, TRACES, cuda_home,
                      plain_build_only)
from test_installed_plugins import clean, tool
from test_install import make

pytestmark = plain_build_only

ALONE = "on its own: mnm is not loaded: run the program by mnm run\n"
SERVED = {"buffers.c": "1600 requests in 100 steps, ",
          "resource.cpp": "200 requests, "}
COMPILERS = {"buffers.c": [["gcc", "-std=c99"], ["gcc", "-std=gnu11", "-no-pie"],
                           ["g++", "-std=c++11", "-xc++"]],
             "resource.cpp": [["g++", "-std=c++17"], ["g++", "-std=c++20"],
                              ["g++", "-std=c++17", "-fno-exceptions"]]}


@pytest.fixture(name="root")
def installed_root(box):
    make(box, "install")
    return os.path.join(box.folder, "root", "opt")


def flags(root, what):
    return tool(["pkg-config", what, "mnm"],
                PKG_CONFIG_PATH=os.path.join(root, "lib", "pkgconfig")).split()


def runs(root, path, name):
    """The program runs with mnm, and without."""
    served = tool([os.path.join(root, "bin", "mnm"), "run", "--sim", "--pool",
                   "page_unit_pool", "--", path])
    assert served.startswith(SERVED[name]), served
    alone = subprocess.run([path], capture_output=True, text=True,
                           timeout=DEADLINE, env={
                               **clean(), "LD_LIBRARY_PATH":
                               os.path.join(root, "lib", "mnm", "sim")})
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, ALONE, "")


@pytest.mark.parametrize("name, compiler", [
    (name, compiler) for name, each in COMPILERS.items()
    for compiler in each])
def test_an_example_is_built_and_runs(box, root, name, compiler):
    source = os.path.join(root, "share/doc/mnm/examples/api", name)
    include = os.path.join(cuda_home(), "include")
    path = os.path.join(box.folder, "program")
    tool([*compiler, "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
          *flags(root, "--cflags"), "-isystem", include, "-isystem",
          os.path.join(include, "cccl"), source, "-xnone", "-o", path,
          f"-L{BUILD}/sim", "-lcuda", "-lcudart", *flags(root, "--libs")])
    runs(root, path, name)


SCRIPT = """
import ctypes, mnm
try:
    mnm.init_pool(0, "vmm_pool")
except mnm.NotServedError as error:
    raise SystemExit(f"on its own: {error}")
cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
for _ in range(2):
    mnm.mark_iteration()
    mnm.free_batch(mnm.alloc_batch([1 << 20, 1 << 12]))
found = mnm.stats()
print(mnm.pool_name(), found.iterations, found.allocs, mnm.__file__)
"""


def test_a_python_script_runs_with_mnm_and_without(box, root):
    script = os.path.join(box.folder, "script.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    package = os.path.join(root, "share", "mnm", "python")
    python = ["/usr/bin/python3", "-B", script]
    assert tool([os.path.join(root, "bin", "mnm"), "run", "--sim", "--",
                 *python], PYTHONPATH=package) == (
        f"vmm_pool 2 4 {package}/mnm/__init__.py\n")
    alone = subprocess.run(python, capture_output=True, text=True, check=False,
                           env={**clean(), "PYTHONPATH": package},
                           timeout=DEADLINE)
    assert alone.returncode == 1 and alone.stdout == ""
    assert alone.stderr == ("on its own: mnm is not loaded: run the program by "
                            "mnm run -- python3 PROGRAM\n")


def test_cmake_builds_one(box, root):
    source = os.path.join(box.folder, "project")
    os.mkdir(source)
    with open(os.path.join(source, "CMakeLists.txt"), "w",
              encoding="utf-8") as file:
        file.write(
            "cmake_minimum_required(VERSION 3.13)\nproject(a C)\n"
            "find_package(mnm REQUIRED)\n"
            f"add_executable(a {root}/share/doc/mnm/examples/api/buffers.c)\n"
            f"target_include_directories(a SYSTEM PRIVATE "
            f"{cuda_home()}/include)\n"
            f"target_link_libraries(a mnm::mnm {BUILD}/sim/libcuda.so)\n")
    built = os.path.join(source, "b")
    tool(["cmake", f"-DCMAKE_PREFIX_PATH={root}", "-S", source, "-B", built])
    tool(["cmake", "--build", built])
    runs(root, os.path.join(built, "a"), "buffers.c")


FIRST = """
#include <mnm/resource.hpp>
#include <cstdio>
int main()
{
	cudaStream_t stream = nullptr;
	mnm::resource r;
	void *ptr = r.allocate(cuda::stream_ref(stream), 5000);
	r.deallocate(cuda::stream_ref(stream), ptr, 5000);
	std::printf("%d\\n", ptr != nullptr);
}
"""


@pytest.mark.parametrize("served", [True, False])
def test_a_resource_may_be_the_first_that_uses_cuda(box, root, served):
    path = os.path.join(box.folder, "first")
    with open(f"{path}.cpp", "w", encoding="utf-8") as file:
        file.write(FIRST)
    include = os.path.join(cuda_home(), "include")
    tool(["g++", "-std=c++17", *flags(root, "--cflags"), "-isystem", include,
          "-isystem", os.path.join(include, "cccl"), f"{path}.cpp", "-o", path,
          f"-L{BUILD}/sim", "-lcudart", *flags(root, "--libs")])
    mnm = [os.path.join(root, "bin", "mnm"), "run", "--sim"]
    if not served:
        mnm += ["--set", "disable=1"]
    assert tool([*mnm, "--", path]) == "1\n"


# What rmm.hpp uses of RMM, and no more.
RMM = {"rmm/error.hpp": """
#pragma once
#include <new>
namespace rmm { struct out_of_memory : std::bad_alloc {
	out_of_memory(const char *) {}
}; }
""", "rmm/mr/device_memory_resource.hpp": """
#pragma once
#include <cuda_runtime_api.h>
#include <cstddef>
namespace rmm {
struct cuda_stream_view {
	cudaStream_t stream;
	cudaStream_t value() const { return stream; }
};
namespace mr {
class device_memory_resource
{
      public:
	virtual ~device_memory_resource() = default;
	void *allocate(std::size_t bytes, cuda_stream_view stream)
	{
		return do_allocate(bytes, stream);
	}
	void deallocate(void *ptr, std::size_t bytes, cuda_stream_view stream)
	{
		do_deallocate(ptr, bytes, stream);
	}

      private:
	virtual void *do_allocate(std::size_t, cuda_stream_view) = 0;
	virtual void do_deallocate(void *, std::size_t,
				   cuda_stream_view) noexcept = 0;
	virtual bool do_is_equal(const device_memory_resource &) const noexcept
	{
		return false;
	}
};
}
}
"""}
USES_RMM = """
#include <mnm/rmm.hpp>
#include <cstdio>
#ifdef MNM_RMM_IS_BASED
#define ALLOCATE(bytes) r.allocate(bytes, rmm::cuda_stream_view{stream})
#define FREE(ptr, bytes) \\
	r.deallocate(ptr, bytes, rmm::cuda_stream_view{stream})
#else
#define ALLOCATE(bytes) r.allocate(cuda::stream_ref(stream), bytes)
#define FREE(ptr, bytes) r.deallocate(cuda::stream_ref(stream), ptr, bytes)
#endif
int main()
{
	cudaStream_t stream = nullptr;
	mnm::rmm_resource r;
	void *ptr = ALLOCATE(5000);
	FREE(ptr, 5000);
	try {
		ALLOCATE((std::size_t)1 << 42);
	} catch (const rmm::out_of_memory &) {
		std::puts(ptr ? "out of memory" : "nothing");
	}
}
"""


@pytest.mark.parametrize("left_out", ["", "rmm/mr/device_memory_resource.hpp"])
def test_rmm_is_told_that_there_is_no_memory(box, root, left_out):
    os.makedirs(os.path.join(box.folder, "rmm/mr"))
    for name, text in {**RMM, "a.cpp": USES_RMM}.items():
        if name != left_out:
            with open(os.path.join(box.folder, name), "w",
                      encoding="utf-8") as file:
                file.write(text)
    include = os.path.join(cuda_home(), "include")
    path = os.path.join(box.folder, "a")
    tool(["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
          *flags(root, "--cflags"), f"-I{box.folder}", "-isystem", include,
          "-isystem", os.path.join(include, "cccl"), f"{path}.cpp", "-o", path,
          f"-L{BUILD}/sim", "-lcudart", *flags(root, "--libs")])
    assert tool([os.path.join(root, "bin", "mnm"), "run", "--sim", "--",
                 path]) == "out of memory\n"


@pytest.mark.parametrize("compiler", [["gcc", "-std=c99"],
                                      ["g++", "-std=c++11", "-xc++"]])
def test_a_recording_is_read(box, root, compiler):
    recording = os.path.join(box.folder, "job")
    tool([os.path.join(root, "bin", "mnm"), "run", "--sim", "--record",
          recording, "--", os.path.join(EXAMPLES, "trace_job"), "--fill",
          "none", os.path.join(TRACES, "vgg16_bs32.csv.zst")])
    path = os.path.join(box.folder, "peak")
    tool([*compiler, "-O2", "-Wall", "-Wextra", "-Werror",
          *flags(root, "--cflags"),
          os.path.join(root, "share/doc/mnm/examples/api/peak.c"), "-xnone",
          "-o", path, "-L" + os.path.join(root, "lib", "mnm"), "-lmnm-record",
          "-lzstd"])
    said = tool([path, recording])
    told = json.loads(tool([os.path.join(root, "bin", "mnm"), "report",
                            recording, "--json"]))
    peak = told["devices"][0]
    assert said == (f"{peak['requests']} requests, {peak['peak']} bytes live "
                    "at most\n")
