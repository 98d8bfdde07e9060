"""mnm doctor, on installations, drivers and programs that are not as they
should be."""

import os
import resource
import shutil
import struct

import pytest

from conftest import LIBRARY, MNM, plain_build_only, program
from test_doctor import SIM, compiled, doctor, fake_python, found, no_driver, \
    script

ENTRIES = "int cuMemAlloc_v2, cuMemFree_v2, cuDeviceGet;\n" \
          "int cuDevicePrimaryCtxRetain, cuCtxSetCurrent;\n"


def subjects(findings):
    return {finding["subject"] for finding in findings}


def installed(box, name, library=True):
    """Installs another mnm in a folder of that name."""
    folder = os.path.join(box.folder, name)
    os.mkdir(folder)
    if library:
        shutil.copy(LIBRARY, folder)
    return shutil.copy(MNM, folder)


def driver(box, source):
    """Compiles a driver. Returns the variables by which it is found."""
    compiled(box, "libcuda.so.1", source, "-shared", "-fPIC")
    return {"LD_LIBRARY_PATH": box.folder}


def test_no_library_beside_the_program_is_a_problem(box):
    status, findings = doctor(box, mnm=installed(box, "alone", library=False),
                              **no_driver(box))
    found(findings, "problem", "library", "no libmnm.so beside")
    assert "proof" not in subjects(findings)
    assert status == 1


def test_an_empty_library_is_a_problem(box):
    mnm = installed(box, "empty", library=False)
    with open(os.path.join(box.folder, "empty/libmnm.so"), "wb"):
        status, findings = doctor(box, mnm=mnm, **no_driver(box))
    found(findings, "problem", "library", "libmnm.so: an empty file")
    found(findings, "problem", "proof", "did not preload libmnm.so")
    assert status == 1


@plain_build_only
def test_a_folder_that_cant_be_preloaded_from_is_a_problem(box):
    status, findings = doctor(box, mnm=installed(box, "with space"))
    found(findings, "problem", "library", "can't preload")
    assert "cannot be preloaded" in found(
        findings, "problem", "proof", "did not preload")["finding"]
    assert status == 1


@plain_build_only
def test_a_process_out_of_descriptors_still_tells_what_it_can(box):
    """One descriptor is left. With it a file can be looked at, but a child
    can't be listened to."""
    status, findings = doctor(box, "--", "/bin/true", **no_driver(box),
                              limit=(resource.RLIMIT_NOFILE, (4, 4)))
    found(findings, "ok", "program", "/bin/true")
    found(findings, "problem", "libraries", "Too many open files")
    found(findings, "problem", "proof", "can't be started: Too many open")
    assert status == 1


def test_a_toolkit_is_looked_for_in_its_variables_first(box):
    include = os.path.join(box.folder, "second/include")
    os.makedirs(include)
    with open(os.path.join(include, "cuda.h"), "w", encoding="utf-8") as file:
        file.write("\n#define CUDA_VERSION 12030\n")
    _, findings = doctor(box, **no_driver(box), CUDA_HOME="/nowhere",
                         CUDA_PATH=os.path.join(box.folder, "second"))
    assert found(findings, "ok", "toolkit", "CUDA 12.3 in")["finding"].endswith(
        "/second")


@pytest.mark.parametrize("path, words", [
    ("libm.so.6", "looked for by the loader"),
    ("/nowhere/lib.so", "No such file"),
    ("/proc/self", "not a file")])
def test_a_preload_that_is_no_file_is_a_warning(box, path, words):
    _, findings = doctor(box, preload=[path], **no_driver(box))
    found(findings, "warning", "preloads", f"{path}: {words}")


# Offsets in a 64-bit ELF header: of the section table, of its row count, and
# of the index of the section that has the names. Then the type of the section
# of dynamic symbols, and the bytes of a row.
TABLE, COUNT, NAMES = 0x28, 0x3c, 0x3e
DYNSYM, ROW = 11, 64


def field(whole, offset, form):
    return struct.unpack_from("<" + form, whole, offset)[0]


def damage(path, form, value, offset=None):
    """Writes a number into the file, at an offset or into a field of the row
    of the section of dynamic symbols."""
    with open(path, "r+b") as file:
        whole = bytearray(file.read())
        table = field(whole, TABLE, "Q")
        for i in range(field(whole, COUNT, "H")):
            row = table + i * ROW
            if offset is None and field(whole, row + 4, "I") == DYNSYM:
                offset = row + 0x18
        struct.pack_into("<" + form, whole, offset, value)
        file.seek(0)
        file.write(whole)


@plain_build_only
def test_a_preload_with_a_damaged_table_is_looked_at_as_far_as_it_goes(box):
    path = compiled(box, "libother.so", "int cudaMalloc;\n", "-shared")
    _, findings = doctor(box, preload=[path], **no_driver(box))
    found(findings, "warning", "preloads", "takes cudaMalloc as well")
    damage(path, "Q", 0x11)
    _, findings = doctor(box, preload=[path], **no_driver(box))
    found(findings, "ok", "preloads", "takes no call")


def test_a_program_without_names_of_sections_shows_no_runtime(box):
    path = shutil.copy(program("shell_static"), box.folder)
    _, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "cuda", "a static runtime inside")
    damage(path, "H", 0xfff0, NAMES)
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "cuda", "names no CUDA library")
    assert status == 0


@pytest.mark.parametrize("words, finding", [
    (["-c"], "an ELF file, but no program"),
    (["-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"],
     "for another C library")])
def test_a_file_that_the_loader_does_not_run_is_a_problem(box, words, finding):
    path = compiled(box, "made", "int main(void) { return 0; }\n", *words)
    os.chmod(path, 0o755)
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "program", finding)
    assert "libraries" not in subjects(findings)
    assert status == 1


@plain_build_only
def test_two_shared_runtimes_are_a_warning(box):
    libraries = [compiled(box, f"libcudart.so.{number}", f"int g{number};\n",
                          "-shared", "-fPIC",
                          f"-Wl,-soname,libcudart.so.{number}")
                 for number in (12, 13)]
    path = compiled(box, "host", "extern int g12, g13;\n"
                    "int main(void) { return g12 + g13; }\n", *libraries)
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "warning", "libraries", "2 shared runtimes")
    for number in (12, 13):
        found(findings, "ok", "cuda", f"shared runtime of CUDA {number}")
    assert status == 0


@plain_build_only
def test_mnm_itself_brings_no_cuda(box):
    path = compiled(box, "host", "int cudaMalloc(void **, unsigned long);\n"
                    "int main(void) { return cudaMalloc(0, 0); }\n", LIBRARY,
                    "-Wl,-rpath," + os.path.dirname(LIBRARY))
    _, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "cuda", "names no CUDA library")


@plain_build_only
def test_a_librarys_path_may_have_spaces(box):
    os.mkdir(os.path.join(box.folder, "a b"))
    library = compiled(box, "a b/libcudart.so.12", "int g;\n", "-shared",
                       "-fPIC")
    path = compiled(box, "host", "extern int g;\n"
                    "int main(void) { return g; }\n", library)
    _, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "cuda", f"{library}: the shared runtime of CUDA 12")


def test_a_script_for_nothing_is_a_problem(box):
    path = script(box, "train", "#!/usr/bin/env -S A=b\n")
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "program", "not an ELF file")
    assert status == 1


def test_what_a_terminal_obeys_is_not_told(box):
    path = script(box, "a\x1b[31mb\u00e9", "echo\n")
    _, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "program", "/a?[31mb?: not an ELF file")


def test_modules_are_found_by_their_variable(box):
    env = fake_python(box)
    os.makedirs(os.path.join(box.folder, "more/cupy"))
    _, findings = doctor(box, "--", "python3.11", "x.py", **env,
                         PYTHONPATH=f":{box.folder}/none:{box.folder}/more")
    found(findings, "warning", "python", f"{box.folder}/more/cupy: ")


def test_a_virtual_environment_has_its_own_modules_alone(box):
    env = fake_python(box)
    inner = os.path.join(box.folder, "venv")
    os.makedirs(os.path.join(inner, "lib/python3.11/site-packages/rmm"))
    os.mkdir(os.path.join(inner, "bin"))
    os.symlink("../../bin/python3.11", os.path.join(inner, "bin/python"))
    with open(os.path.join(inner, "pyvenv.cfg"), "wb"):
        _, findings = doctor(box, "--", os.path.join(inner, "bin/python"),
                             **env)
    found(findings, "ok", "python", "venv/lib/python3.11/site-packages/rmm")
    assert not [f for f in findings if "/numba" in f["finding"]]


def test_a_jax_without_a_version_is_taken_at_its_variables_word(box):
    env = fake_python(box)
    os.makedirs(os.path.join(box.folder, "lib/python3.11/site-packages/jax"))
    _, findings = doctor(box, "--", "python3.11", "x.py",
                         XLA_PYTHON_CLIENT_ALLOCATOR="platform", **env)
    found(findings, "ok", "python", "XLA_PYTHON_CLIENT_ALLOCATOR is set")


def test_a_driver_newer_than_the_headers_is_told(box):
    status, findings = doctor(box, MNM_SIM_DRIVER="14010")
    found(findings, "ok", "driver", "for CUDA 14.1")
    found(findings, "ok", "driver", "newer than the headers")
    assert status == 0


def test_without_a_shared_runtime_the_driver_alone_is_tried(box):
    for name in ("libcuda.so.1", "profiles"):
        os.symlink(os.path.join(SIM, name), os.path.join(box.folder, name))
    for name in ("13", "12", "11.0"):
        with open(os.path.join(box.folder, f"libcudart.so.{name}"), "wb"):
            pass
    status, findings = doctor(box, LD_LIBRARY_PATH=box.folder)
    found(findings, "ok", "proof", "4 requests, 4 served (driver)")
    assert status == 0


@plain_build_only
def test_a_driver_that_lacks_entries_is_a_problem(box):
    status, findings = doctor(box, **driver(box, ENTRIES))
    found(findings, "warning", "driver", "does not tell its version")
    found(findings, "problem", "proof", "nothing is served")
    assert status == 1


@plain_build_only
def test_a_driver_that_ends_the_probe_is_a_problem(box):
    source = ENTRIES + "#include <stdio.h>\n#include <stdlib.h>\n" \
        "int cuInit(unsigned f) { exit(3); }\n__attribute__((constructor))" \
        ' static void f(void) { puts("no licence"); fflush(stdout); }\n'
    status, findings = doctor(box, **driver(box, source))
    found(findings, "problem", "proof", "the probe failed: ")
    assert status == 1


@plain_build_only
def test_a_driver_that_hangs_is_a_problem_and_not_the_doctors(box):
    source = ENTRIES + "#include <unistd.h>\n" \
        "int cuInit(unsigned f) { for (;;) pause(); }\n"
    status, findings = doctor(box, **driver(box, source))
    found(findings, "problem", "proof", "the probe hung after 'by_dlsym'")
    assert status == 1


@plain_build_only
def test_what_a_preload_says_without_end_hides_nothing(box):
    """Only what comes after the first megabyte is lost, and the probe ends."""
    noisy = compiled(box, "libnoisy.so", """
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        __attribute__((destructor)) static void f(void)
        {
                static char line[2 << 20];
                const char *list = getenv("LD_PRELOAD");

                memset(line, 'x', sizeof(line));
                for (size_t at = 0; list && strstr(list, "libmnm.so") &&
                     at < sizeof(line); at += 4096)
                        write(1, line + at, 4096);
        }
        """, "-shared", "-fPIC")
    status, findings = doctor(box, preload=[noisy])
    found(findings, "ok", "proof", "8 requests, 8 served")
    assert status == 0


@pytest.mark.parametrize("folder, name", [
    (".", "bin/python3.11"), ("bin", "./python3.11"), ("bin", "python3.11")])
def test_a_virtual_environment_is_known_from_inside(box, folder, name):
    """Its python is a link to one that has other modules."""
    env = fake_python(box)
    made = os.path.join(box.folder, "made")
    os.makedirs(os.path.join(made, "lib/python3.11/site-packages/cupy"))
    os.mkdir(os.path.join(made, "bin"))
    os.symlink(os.path.join(box.folder, "bin/python3.11"),
               os.path.join(made, "bin/python3.11"))
    with open(os.path.join(made, "pyvenv.cfg"), "wb"):
        env["PATH"] = ".:" + env["PATH"]
    findings = doctor(box, "--", name, before=[
        "env", "-C", os.path.join(made, folder)], **env)[1]
    found(findings, "warning", "python", "/cupy")
    assert not [f for f in findings if "/torch" in f["finding"]]


def test_a_folder_of_a_programs_name_is_passed_over(box):
    first = os.path.join(box.folder, "first")
    os.makedirs(os.path.join(first, "job"))
    shutil.copy("/bin/true", os.path.join(box.folder, "job"))
    env = {"PATH": f"{first}:{box.folder}:" + os.environ["PATH"],
           **no_driver(box)}
    findings = doctor(box, "--", "job", **env)[1]
    found(findings, "ok", "program", os.path.join(box.folder, "job"))


def test_a_program_that_the_loader_crashes_on_is_a_problem(box):
    """Its table of what to load is said to be where nothing is."""
    path = os.path.join(box.folder, "broken")
    with open("/bin/true", "rb") as file:
        data = bytearray(file.read())
    rows, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    at = next(rows + i * size for i in range(count)
              if data[rows + i * size] == 2)  # PT_DYNAMIC
    struct.pack_into("<Q", data, at + 16, 0x7000000000)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o755)
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "libraries", "the loader crashes")
    assert status == 1
