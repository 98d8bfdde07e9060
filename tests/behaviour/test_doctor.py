"""What mnm doctor finds, in environments that are made for it."""

import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys

import pytest

from conftest import BUILD, DEADLINE, MNM, SANITIZERS, plain_build_only, \
    program, skip_if_the_build_is_in_tmp

SIM = os.path.join(BUILD, "sim")


def doctor(box, *words, preload=(), limit=None, mnm=MNM, before=(),
           **variables):
    """The exit status and the findings. `before` are words that start it."""
    env = box.env(None)
    # A sanitizer's runtime has to come first, which `mnm` cannot know.
    env["LD_PRELOAD"] = ":".join([*SANITIZERS, *preload])
    env["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + env.get(
        "ASAN_OPTIONS", "")
    env.update(variables)
    done = subprocess.run(
        [*before, mnm, "doctor", "--json", *words], env=env, capture_output=True,
        text=True, timeout=DEADLINE, check=False,
        preexec_fn=limit and (lambda: resource.setrlimit(*limit)))
    # These are the loader's own words on a library that it can't preload.
    assert [line for line in done.stderr.splitlines()
            if not line.startswith("ERROR: ld.so: ")] == []
    return done.returncode, json.loads(done.stdout)


def found(findings, level, subject, words):
    """The only finding of that kind."""
    those = [f for f in findings if (f["level"], f["subject"]) == (
        level, subject) and words in f["finding"]]
    assert len(those) == 1, findings
    return those[0]


def compiled(box, name, source, *words):
    path = os.path.join(box.folder, name)
    subprocess.run(["gcc", "-x", "c", "-", "-x", "none", *words, "-o", path],
                   input=source, text=True, check=True)
    return path


def script(box, name, text):
    path = os.path.join(box.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def no_driver(box):
    """A folder in which the loader finds a file for the driver that is
    none."""
    with open(os.path.join(box.folder, "libcuda.so.1"), "wb"):
        return {"LD_LIBRARY_PATH": box.folder}


def test_what_works_is_shown_by_doing(box):
    status, findings = doctor(box)
    proof = found(findings, "ok", "proof", "interception works here")
    assert "8 requests, 8 served (driver, libcudart.so.13)" in proof["finding"]
    found(findings, "ok", "proof", "cudaMallocAsync: 4 requests, 4 served")
    assert os.path.join(SIM, "libcuda.so.1") in found(
        findings, "ok", "driver", "simulated, for CUDA 13.0")["finding"]
    assert os.path.join(BUILD, "libmnm.so") in found(
        findings, "ok", "library", "version")["finding"]
    assert status == 0


def test_text_and_json_are_the_same_findings(box):
    os.mkdir(box.sockets, 0o700)
    _, findings = doctor(box, MNM_NONSENSE="1")
    env = dict(box.env(None), LD_PRELOAD=":".join(SANITIZERS),
               ASAN_OPTIONS="verify_asan_link_order=0", MNM_NONSENSE="1")
    done = subprocess.run([MNM, "doctor"], env=env, capture_output=True,
                          text=True, timeout=DEADLINE, check=True)
    lines = [f"{f['level']:8} {f['subject']:10} {f['finding']}" +
             (f" -> {f['advice']}" if f["advice"] else "") for f in findings]
    assert done.stdout.splitlines() == lines
    assert {tuple(f) for f in findings} == {
        ("level", "subject", "finding", "advice")}


def test_no_driver_is_a_warning_with_a_way_out(box):
    status, findings = doctor(box, **no_driver(box))
    assert "mnm run --sim" in found(findings, "warning", "driver",
                                    "no CUDA driver")["advice"]
    assert status == 0


def test_an_old_driver_is_a_warning(box):
    status, findings = doctor(box, MNM_SIM_DRIVER="12040")
    assert "cudaMallocAsync" in found(findings, "warning", "driver",
                                      "for CUDA 12.4")["advice"]
    found(findings, "warning", "proof",
          "cudaMallocAsync: 4 requests, 0 served")
    found(findings, "ok", "proof", "4 requests, 4 served (driver)")
    found(findings, "warning", "proof", "cudaMalloc fails with CUDA's error 35")
    assert status == 0


@pytest.mark.parametrize("fail, words", [
    ("cuInit:1:100", "no context on the first device: CUDA's error 100"),
    ("cuMemAlloc_v2:1+:2", "the driver refused 1 MiB: CUDA's error 2")])
def test_a_device_that_fails_is_a_problem(box, fail, words):
    status, findings = doctor(box, MNM_SIM_FAIL=fail)
    found(findings, "problem", "proof", words)
    assert status == 1


@pytest.mark.parametrize("variables", [
    {"MNM_STREAM_ORDERED": "0"}, {"MNM_POOL": "no_pool"}])
def test_stream_ordered_memory_that_is_cudas_is_told(box, variables):
    status, findings = doctor(box, **variables)
    one = found(findings, "warning", "proof",
                "cudaMallocAsync: 4 requests, 0 served")
    assert next(iter(variables)).replace("MNM_POOL", "no_pool") in one["advice"]
    found(findings, "ok", "proof", "8 requests, 8 served")
    assert status == 0


def test_a_device_without_memory_pools_is_told(box):
    status, findings = doctor(box, MNM_SIM_FAIL="cuMemAllocAsync:1+:801",
                              MNM_STREAM_ORDERED="0")
    assert "has no memory pools" in found(
        findings, "warning", "proof",
        "cudaMallocAsync fails with CUDA's error 801")["advice"]
    assert status == 0


@plain_build_only
def test_a_driver_that_crashes_is_a_problem_and_not_the_doctors_end(box):
    compiled(box, "libcuda.so.1", "#include <stdlib.h>\n"
             "int cuInit(unsigned f) { abort(); }\n"
             "int cuMemAlloc_v2, cuMemFree_v2, cuDeviceGet;\n"
             "int cuDevicePrimaryCtxRetain, cuCtxSetCurrent;\n",
             "-shared", "-fPIC")
    status, findings = doctor(box, LD_LIBRARY_PATH=box.folder)
    found(findings, "problem", "proof", "signal 6 ended the probe after 'by_")
    assert status == 1


@pytest.mark.parametrize("variable, value, words", [
    ("MNM_POOL", "nonsense", "allowed: NAME"),
    ("MNM_FENCE", "none", "allowed: fence, sync"),
    ("MNM_DISABLE", "1", "keeps mnm out")])
def test_an_option_that_keeps_mnm_out_is_a_problem_twice(box, variable, value,
                                                         words):
    status, findings = doctor(box, **{variable: value})
    found(findings, "problem", "options", words)
    found(findings, "problem", "proof", "nothing is served")
    assert status == 1


def test_an_unknown_option_is_a_warning(box):
    status, findings = doctor(box, MNM_POOOL="no_pool")
    found(findings, "warning", "options", "MNM_POOOL is not one of mnm's")
    found(findings, "ok", "proof", "8 served")
    assert status == 0


@pytest.mark.parametrize("variable, value, level", [
    ("PYTORCH_CUDA_ALLOC_CONF", "a:1,expandable_segments:True", "warning"),
    ("PYTORCH_ALLOC_CONF", "backend:cudaMallocAsync", "ok"),
    ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", "ok"),
    ("XLA_PYTHON_CLIENT_ALLOCATOR", "platform", "ok"),
    ("XLA_PYTHON_CLIENT_ALLOCATOR", "address", "ok"),
    ("XLA_PYTHON_CLIENT_ALLOCATOR", "vmm", "warning"),
    ("XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async", "ok"),
    ("CT2_CUDA_ALLOCATOR", "cuda_malloc_async", "ok"),
    ("JULIA_CUDA_MEMORY_POOL", "none", "ok")])
def test_allocators_variables_are_told(box, variable, value, level):
    _, findings = doctor(box, **{variable: value, **no_driver(box)})
    found(findings, level, "allocators", f"{variable}={value}: ")


@plain_build_only
def test_a_preload_that_takes_the_same_calls_is_a_warning(box):
    taker = compiled(box, "taker.so", "int cudaMalloc(void) { return 0; }\n",
                     "-shared", "-fPIC")
    other = compiled(box, "other.so", "int nothing(void) { return 0; }\n",
                     "-shared", "-fPIC")
    hami = compiled(box, "libvgpu.so", "int nothing2;\n", "-shared", "-fPIC")
    status, findings = doctor(box, preload=[taker, other, hami])
    found(findings, "warning", "preloads", f"{taker} takes cudaMalloc")
    found(findings, "ok", "preloads", f"{other} takes no call")
    found(findings, "warning", "preloads", f"{hami}: HAMi")
    found(findings, "ok", "proof", "8 served")
    assert status == 0


def test_a_limit_of_locked_memory_says_how_much_is_kept(box):
    """The limit is that of the test, so either line is right."""
    most = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    words = ("locked memory has no limit" if most == resource.RLIM_INFINITY
             else "locked memory is limited, so at most ")
    _, findings = doctor(box, **no_driver(box))
    assert any(each["finding"].startswith(words) for each in findings
               if each["subject"] == "limits")


def test_sockets_get_a_folder_that_does_not_stay(box):
    status, findings = doctor(box, **no_driver(box))
    found(findings, "ok", "sockets", f"{box.sockets} can be made")
    assert not os.path.exists(box.sockets) and status == 0


def test_sockets_are_counted_and_stale_ones_removed(box):
    shell = box.shell("page_unit_pool")
    assert shell("alloc a 5000").split()[0] == "0"
    shell.stat()  # the control thread has swept
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(box.socket_of(4194303))
    _, findings = doctor(box, **no_driver(box))
    found(findings, "ok", "sockets",
          "running programs: 1, stale sockets: 1, removed: 1")
    assert box.socket_files() == [f"{shell.pid}.sock"]


# A program of the folder with that name, and what it runs.
BESIDE = """
import os, socket, subprocess, sys
folder, *words = sys.argv[1:]
os.mkdir("/tmp/mnm-0", 0o700)
os.makedirs(folder, 0o700, exist_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(f"{folder}/{os.getpid()}.sock")
listener.listen()
sys.exit(subprocess.call(words))
"""


@plain_build_only
@pytest.mark.parametrize("folder, count", [("/tmp/mnm-0", 1),
                                           ("/tmp/mnm-0-abcdef", 0)])
def test_only_the_sockets_of_the_folder_are_counted(box, folder, count):
    """Another one's name may begin as its name does."""
    skip_if_the_build_is_in_tmp()
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c",
             'mount -t tmpfs none /tmp && exec "$@"', "sh"]
    if subprocess.run([*apart, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no namespaces here")
    _, findings = doctor(box, before=[*apart, sys.executable, "-c", BESIDE,
                                      folder], MNM_SOCKET_DIR="",
                         XDG_RUNTIME_DIR="")
    found(findings, "ok", "sockets", f"/tmp/mnm-0: running programs: {count}, "
          "stale sockets: 0, removed: 0")


@pytest.mark.parametrize("make, words", [
    (lambda path: os.mkdir(path, 0o755), "has to be a folder of yours"),
    (lambda path: open(path, "wb").close(), "has to be a folder of yours"),
    (lambda path: os.symlink("/", path), "has to be a folder of yours")])
def test_a_wrong_folder_for_sockets_is_a_problem(box, make, words):
    make(box.sockets)
    status, findings = doctor(box)
    assert "MNM_SOCKET_DIR" in found(findings, "problem", "sockets",
                                     words)["advice"]
    found(findings, "problem", "proof", "control socket does not answer")
    assert status == 1


def test_a_folder_that_cant_be_made_is_a_problem(box):
    with open(box.sockets, "wb"):
        status, findings = doctor(box, **no_driver(box),
                                  MNM_SOCKET_DIR=box.sockets + "/below")
    found(findings, "problem", "sockets", "can't be made")
    assert status == 1


def test_a_folder_with_a_long_path_is_a_problem(box):
    status, findings = doctor(box, **no_driver(box),
                              MNM_SOCKET_DIR="/tmp/" + 90 * "x")
    found(findings, "problem", "sockets", "too long")
    assert status == 1


def test_few_files_are_a_warning(box):
    _, findings = doctor(box, limit=(resource.RLIMIT_NOFILE, (32, 32)),
                         **no_driver(box))
    found(findings, "warning", "limits", "32 open files")


@pytest.mark.parametrize("name, words", [
    ("shell_shared", "the shared runtime of CUDA 13"),
    ("shell_static", "a static runtime inside"),
    ("shell_nvidia", "a static runtime inside"),
    ("shell_driver", "the driver, by name"),
    ("plugin_host", "names no CUDA library")])
def test_how_a_program_brings_cuda_is_told(box, name, words):
    status, findings = doctor(box, "--", program(name))
    found(findings, "ok", "program", program(name))
    found(findings, "ok", "cuda", words)
    assert status == 0


def test_a_stripped_program_still_shows_its_runtime(box):
    path = os.path.join(box.folder, "stripped")
    subprocess.run(["strip", "-o", path, program("shell_nvidia")], check=True)
    _, findings = doctor(box, "--", path)
    found(findings, "ok", "cuda", "a static runtime inside")


@plain_build_only
def test_neither_program_nor_libraries_are_run(box):
    mark = os.path.join(box.folder, "mark")
    source = ("#include <fcntl.h>\n__attribute__((constructor)) static void "
              f'f(void) {{ open("{mark}", O_CREAT, 0600); }}\nint g;\n')
    library = compiled(box, "libfirst.so", source, "-shared", "-fPIC",
                       "-Wl,-soname,libfirst.so")
    path = compiled(box, "host", source.replace("int g", "extern int g") +
                    "int main(void) { return g; }\n", library)
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "program", path)
    assert status == 0 and not os.path.exists(mark)
    os.unlink(library)
    status, findings = doctor(box, "--", path)
    found(findings, "problem", "libraries", "libfirst.so is not found")
    assert status == 1


def test_a_damaged_library_is_a_problem(box):
    library = compiled(box, "libfirst.so", "int g;\n", "-shared", "-fPIC")
    path = compiled(box, "host", "extern int g;\n"
                    "int main(void) { return g; }\n", library)
    with open(library, "wb") as file:
        file.write(1000 * b"x")
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "libraries", "libfirst.so: invalid ELF")
    assert not [f for f in findings if f["subject"] == "cuda"]
    assert status == 1


def test_a_static_program_is_a_problem(box):
    path = compiled(box, "static", "int main(void) { return 0; }\n",
                    "-static")
    status, findings = doctor(box, path)
    assert "if it only starts another program, look at that one" in found(
        findings, "problem", "program", "linked statically")["advice"]
    assert status == 1


def test_a_setuid_program_is_a_problem(box):
    path = "/bin/su"
    if os.geteuid() == 0:  # root's own numbers give no other rights
        path = shutil.copy("/bin/true", os.path.join(box.folder, "setuid"))
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o4755)
    status, findings = doctor(box, "--", path)
    found(findings, "problem", "program", "setuid")
    assert status == 1


def test_another_processors_program_is_a_problem(box):
    path = shutil.copy("/bin/true", os.path.join(box.folder, "other"))
    with open(path, "r+b") as file:
        file.seek(18)  # the offset of e_machine
        file.write(b"\x03\x00")
    status, findings = doctor(box, "--", path)
    found(findings, "problem", "program", "another kind of processor")
    assert status == 1


def test_a_damaged_program_is_no_crash(box):
    path = os.path.join(box.folder, "damaged")
    with open("/bin/true", "rb") as file:
        whole = file.read()
    for size in (1, 20, 63, 64, 100, 700, 5000, len(whole) - 100):
        for fill in (b"", b"\xff" * 4096):
            with open(path, "wb") as file:
                file.write(whole[:size] + fill)
            os.chmod(path, 0o755)
            status, _ = doctor(box, "--", path, **no_driver(box))
            assert status in (0, 1)


@pytest.mark.parametrize("make", [
    lambda box: "/nowhere/program", lambda box: "no-such-program",
    lambda box: box.folder, lambda box: script(box, "text", "echo\n")])
def test_what_is_no_program_is_a_problem(box, make):
    status, findings = doctor(box, "--", make(box), **no_driver(box))
    found(findings, "problem", "program", "")
    assert status == 1


def fake_python(box):
    """A program of that name, with modules in its folders."""
    folder = os.path.join(box.folder, "lib/python3.11/site-packages")
    for name in ("torch", "numba"):
        os.makedirs(os.path.join(folder, name))
    os.mkdir(os.path.join(box.folder, "bin"))
    shutil.copy("/bin/true", os.path.join(box.folder, "bin/python3.11"))
    return {"PATH": os.path.join(box.folder, "bin") + ":" +
            os.environ["PATH"], **no_driver(box)}


def test_a_scripts_interpreter_and_its_modules_are_looked_at(box):
    env = fake_python(box)
    path = script(box, "train", "#!/usr/bin/env -S python3.11 -u\n")
    status, findings = doctor(box, "--", path, **env)
    found(findings, "ok", "program", f"{path}: a script for python3.11")
    found(findings, "ok", "program", "bin/python3.11: a program")
    assert "PYTORCH_NO_CUDA_MEMORY_CACHING=1" in found(
        findings, "warning", "python", "/torch")["advice"]
    found(findings, "ok", "python", "/numba")
    assert not [f for f in findings if "cupy" in f["finding"]]
    assert status == 0


def test_a_script_that_stands_for_a_python_says_what_is_not_known(box):
    """As pyenv and asdf make them. What is to be done works as printed."""
    shim = script(box, "python3",
                  '#!/usr/bin/env bash\nexec /usr/bin/python3 "$@"\n')
    env = {"PATH": box.folder + ":" + os.environ["PATH"], **no_driver(box)}
    status, findings = doctor(box, "--", "python3", "x.py", **env)
    advice = found(findings, "warning", "program",
                   f"{shim}: a script for bash; which Python it starts, and "
                   "which frameworks that has, is not known")["advice"]
    assert status == 0
    words, = re.findall("`(.*)`", advice)
    done = subprocess.run(["sh", "-c", words], env=env, text=True,
                          capture_output=True, check=True)
    _, findings = doctor(box, "--", done.stdout.strip(), **no_driver(box))
    found(findings, "ok", "program", "/usr/bin/python3")


def test_what_is_to_be_done_is_plain_text(box):
    path = script(box, "python\033[2J\xe9", "#!/bin/sh\n")
    _, findings = doctor(box, "--", path, **no_driver(box))
    advice = found(findings, "warning", "program", "not known")["advice"]
    assert "python?[2J? -c" in advice


@pytest.mark.parametrize("name", ["torchrun", "accelerate", "deepspeed"])
def test_what_starts_a_framework_is_known_by_its_name(box, name):
    path = script(box, name, "#!/bin/sh\n")
    _, findings = doctor(box, "--", path, **no_driver(box))
    assert "--frameworks=torch`" in found(
        findings, "warning", "python", f"{path}: PyTorch keeps a")["advice"]
    _, findings = doctor(box, "--", script(box, name + "2", "#!/bin/sh\n"),
                         **no_driver(box))
    assert not [f for f in findings if f["subject"] == "python"]


@pytest.mark.parametrize("line", ["'PYTHON'", '"PYTHON"', "PYTHON"])
def test_a_script_of_pips_with_a_long_path_leads_to_its_python(box, line):
    """Linux reads so many bytes of a #! line only, and no spaces in it."""
    env = fake_python(box)
    python = os.path.join(box.folder, "bin/python3.11")
    path = script(box, "train", "#!/bin/sh\n" + "'''exec' " + line.replace(
        "PYTHON", python) + ' "$0" "$@"\n\' \'\'\'\nimport torch\n')
    _, findings = doctor(box, "--", path, **env)
    found(findings, "ok", "program", f"{path}: a script for {python}")
    found(findings, "warning", "python", "/torch")


@pytest.mark.parametrize("name", [
    """"$(dirname -- "$(realpath -- "$0")")"/'python'""", "$HOME/python",
    "`python`", '""', ""])
def test_a_script_whose_python_sh_has_to_work_out_is_one_for_sh(box, name):
    path = script(box, "train", f"#!/bin/sh\n'''exec' {name} \"$0\"\n")
    _, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "ok", "program", f"{path}: a script for /bin/sh")


@pytest.mark.parametrize("version, value, level, words", [
    ("0.9.2", "platform", "ok", "each request is served"),
    ("0.9.2", "bfc", "warning", "75 %"),
    ("0.10.0", "platform", "warning", "jaxlib 0.10.0 divides memory itself"),
    ("0.10.2", "address", "warning", "jaxlib 0.10.2 divides memory itself"),
    ("0.10.3", "address", "ok", "each request is served"),
    ("0.11.0", "platform", "ok", "each request is served")])
def test_what_a_jax_makes_of_its_variable_hangs_on_its_version(
        box, version, value, level, words):
    env = fake_python(box)
    folder = os.path.join(box.folder, "lib/python3.11/site-packages")
    os.makedirs(os.path.join(folder, "jax"))
    os.makedirs(os.path.join(folder, f"jaxlib-{version}.dist-info"))
    _, findings = doctor(box, "--", "python3.11", "x.py",
                         XLA_PYTHON_CLIENT_ALLOCATOR=value, **env)
    assert words in found(findings, level, "python", "/jax: ")["finding"]


def test_a_module_that_asks_each_time_is_ok(box):
    env = fake_python(box)
    _, findings = doctor(box, "--", "python3.11", "x.py",
                         PYTORCH_NO_CUDA_MEMORY_CACHING="1", **env)
    found(findings, "ok", "python", "PYTORCH_NO_CUDA_MEMORY_CACHING is set")


def test_scripts_that_run_each_other_come_to_an_end(box):
    path = os.path.join(box.folder, "round")
    script(box, "round", f"#!{path}\n")
    status, findings = doctor(box, "--", path, **no_driver(box))
    found(findings, "problem", "program", "too many scripts")
    assert status == 1


def test_what_is_no_plain_file_is_a_problem(box):
    path = os.path.join(box.folder, "pipe")
    os.mkfifo(path, 0o755)
    status, findings = doctor(box, "--", path)
    assert status == 1
    assert found(findings, "problem", "program", "not a plain file")
