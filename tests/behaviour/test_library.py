"""scripts/check-library, which scripts/check runs on the built library, and
what it refuses."""

import os
import shutil
import subprocess

import pytest

from conftest import BUILD, COUNTED_IN, LIBRARY, ROOT, uncounted_build_only

CHECK = os.path.join(ROOT, "scripts", "check-library")
ROW = 'HOOK(cuMemAlloc_v2, "cuMemAlloc", 3020, VERSION_MAX) \\\n'
GOOD = ("int dlsym(void) { return 1; }\n"
        "int cuMemAlloc_v2(void) { return 1; }\n")
HIDDEN_CALL = ('int {0}(void);\n__attribute__((visibility("hidden"))) '
               "int call(void) {{ return {0}(); }}\n")
BAD = {
    "imports quick_exit in the version (none)":
        (HIDDEN_CALL.format("quick_exit"), ["-nodefaultlibs", "-nostartfiles"]),
    "imports pthread_create of glibc 2.34, and may use 2.17":
        (HIDDEN_CALL.format("pthread_create"), []),
    "imports strtoul, which is another entry in newer headers":
        (HIDDEN_CALL.format("strtoul"), []),
    "imports vsscanf, which is another entry in newer headers":
        (HIDDEN_CALL.format("vsscanf"), []),
    "needs libm.so.6, and may need libc.so.6 alone":
        ("", ["-Wl,--no-as-needed", "-lm"]),
    "has 2 functions in INIT_ARRAY, and may have 1, the compiler's own":
        ("__attribute__((constructor)) static void start(void) {}\n", []),
    "has 2 functions in FINI_ARRAY, and may have 1, the compiler's own":
        ("__attribute__((destructor)) static void end(void) {}\n", []),
    "exports helper, which has no HOOK row": ("int helper;\n", []),
    "exports dlsym with a version, MNM_1":
        ("", ["-Wl,--version-script=versions"]),
    "has an executable stack": ("", ["-Wl,-z,execstack"]),
    "has tables that stay writable": ("", ["-Wl,-z,lazy"]),
}


def build(folder, source, flags, rows=ROW):
    for name, text in (("rows.h", rows), ("bad.c", GOOD + source),
                       ("versions", "MNM_1 { *; };\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-Wl,-z,now",
                    "-Wl,-z,relro", "bad.c", "-o", "bad.so", *flags],
                   cwd=folder, check=True)


def check(*words):
    return subprocess.run([CHECK, *words], capture_output=True, text=True,
                          check=False)


def test_a_library_as_it_should_be_passes(box):
    build(box.folder, HIDDEN_CALL.format("getpid"), [])
    done = check(os.path.join(box.folder, "bad.so"), box.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("line", BAD)
def test_what_a_preload_may_not_be_is_named(box, line):
    build(box.folder, *BAD[line])
    path = os.path.join(box.folder, "bad.so")
    done = check(path, box.folder)
    assert done.returncode == 1
    assert f"{path}: {line}" in done.stdout


def test_a_row_without_an_export_is_named(box):
    build(box.folder, "", [], ROW + 'HOOK(cuMemFree_v2, "cuMemFree", 0, 0)\n')
    done = check(os.path.join(box.folder, "bad.so"), box.folder)
    assert "does not export cuMemFree_v2, which has a HOOK row" in done.stdout
    assert done.returncode == 1


def test_what_is_no_library_is_one_line(box):
    done = check(os.path.join(box.folder, "none.so"), box.folder)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "none.so" in done.stderr


def test_a_usage_error_says_what_is_allowed():
    done = check()
    assert done.returncode == 1 and done.stderr.startswith("Usage: ")


def test_what_counts_lines_is_looked_for_beside_an_object_that_is_there():
    assert os.path.exists(f"{COUNTED_IN}.o")


@uncounted_build_only
def test_the_built_library_is_checked_with_all_its_rows(box):
    """A row that the headers alone have is reported as missing."""
    headers = os.path.join(box.folder, "include")
    shutil.copytree(os.path.join(ROOT, "src", "cuda"), headers)
    with open(os.path.join(headers, "more.h"), "w",
              encoding="utf-8") as file:
        file.write("HOOK(cuNeverThere, \"\", 0, 0)\n"
                   "MNM_API_RESULT(mnm_never_there, (int a), (a))\n")
    done = check(LIBRARY, headers, os.path.join(BUILD, "gen", "hooks"),
                 os.path.join(ROOT, "include", "mnm"))
    assert done.stdout == "".join(
        f"{LIBRARY}: does not export {name}, which has a HOOK row\n"
        for name in ("cuNeverThere", "mnm_never_there"))
