"""Programs of others load on the simulated device: it has every entry point
that NVIDIA's libraries have, and tells which of them a program lacked."""

import os
import subprocess
import sys

import pytest

from conftest import BUILD, cuda_home, plain_build_only

# No header declares these, and no program that nvcc builds needs them.
UNDOCUMENTED = {"__cudaGetProcAddress", "__cudaRegisterHostVar",
                "__cudaRegisterUnifiedTable"}


def exports(path):
    """The defined dynamic symbols, as NAME or NAME@@VERSION."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", path],
        check=True, capture_output=True, text=True).stdout
    return {words[2] for words in map(str.split, listed.splitlines())
            if words[1] in "TW"}


def toolkit(*names):
    for folder in ("lib", "lib64", "lib/stubs", "lib64/stubs"):
        for name in names:
            path = os.path.join(cuda_home(), folder, name)
            if os.path.exists(path):
                return path
    pytest.skip(f"this toolkit has no {names[0]}")


def test_the_runtime_exports_what_the_toolkits_does():
    ours = exports(os.path.join(BUILD, "sim", "libcudart.so.13"))
    theirs = exports(toolkit("libcudart.so.13"))
    assert {name.split("@")[0] for name in theirs - ours} == UNDOCUMENTED
    assert not ours - theirs


def test_the_driver_exports_what_the_toolkits_stub_does():
    ours = exports(os.path.join(BUILD, "sim", "libcuda.so.1"))
    theirs = exports(toolkit("libcuda.so"))
    assert len(theirs) > 400 and not theirs - ours


def test_the_compiler_for_run_time_exports_what_the_toolkits_does():
    theirs = exports(toolkit("libnvrtc.so.13"))
    assert exports(os.path.join(BUILD, "sim", "libnvrtc.so.13")) == {
        name for name in theirs if name.startswith("nvrtc")}


def test_the_static_form_defines_what_the_shared_one_exports():
    listed = subprocess.run(
        ["nm", "--defined-only", os.path.join(BUILD, "sim",
                                              "cudart_static.o")],
        check=True, capture_output=True, text=True).stdout
    defined = {words[2] for words in map(str.split, listed.splitlines())
               if words[1] in "TW"}
    shared = exports(os.path.join(BUILD, "sim", "libcudart.so.13"))
    assert not {name.split("@")[0] for name in shared} - defined


MISSING = """
import ctypes
runtime = ctypes.CDLL("libcudart.so.13")
driver = ctypes.CDLL("libcuda.so.1")
assert runtime.cudaImportExternalSemaphore(0, 0) == 801
assert runtime.cudaPeekAtLastError() == 801
assert runtime.cudaGetLastError() == 801
assert runtime.cudaGetLastError() == 0
assert runtime.cudaImportExternalSemaphore(0, 0) == 801
assert driver.cuMulticastCreate(0, 0) == 801
"""


VARIABLES = """
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .align 4 .u32 zeros[30];
.visible .const .align 8 .f64 scales[3] = {0d3FF0000000000000};
"""

READ = """
import ctypes, sys
driver = ctypes.CDLL("libcuda.so.1")
context, module = ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuInit(0) == 0
assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert driver.cuCtxSetCurrent(context) == 0
assert driver.cuModuleLoad(ctypes.byref(module), sys.argv[1].encode()) == 0
for name in (b"counter", b"zeros", b"scales"):
    addr, size = ctypes.c_uint64(), ctypes.c_size_t()
    assert driver.cuModuleGetGlobal_v2(ctypes.byref(addr), ctypes.byref(size),
                                       module, name) == 0
    value = ctypes.create_string_buffer(size.value)
    assert driver.cuMemcpyDtoH_v2(value, addr, size) == 0
    print(name.decode(), size.value, value.raw[:8].hex())
"""


@plain_build_only
def test_variables_of_a_file_are_those_of_its_symbols(tmp_path):
    text, file = tmp_path / "variables.ptx", tmp_path / "variables.cubin"
    text.write_text(VARIABLES)
    subprocess.run([os.path.join(cuda_home(), "bin", "ptxas"), "-arch=sm_75",
                    text, "-o", file], check=True, timeout=60)
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "sim"))
    for image in (text, file):
        done = subprocess.run([sys.executable, "-c", READ, image], env=env,
                              check=True, capture_output=True, text=True,
                              timeout=60)
        assert done.stdout.splitlines() == [
            "counter 4 07000000", "zeros 120 0000000000000000",
            "scales 24 000000000000f03f"]


@plain_build_only
def test_what_a_program_lacked_is_in_the_report_and_the_log(tmp_path):
    env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "sim"),
               MNM_SIM_REPORT=str(tmp_path / "report"),
               MNM_SIM_LOG=str(tmp_path / "log"))
    subprocess.run([sys.executable, "-c", MISSING], env=env, check=True,
                   timeout=60)
    lines = (tmp_path / "report").read_text().splitlines()
    assert sorted(line for line in lines if line.startswith("missing ")) == [
        "missing cuMulticastCreate 1", "missing cudaImportExternalSemaphore 2"]
    assert " cudaImportExternalSemaphore 801\n" in (tmp_path / "log").read_text()
