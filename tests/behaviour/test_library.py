"""The preload library itself."""

import re
import subprocess

from conftest import LIBRARY, plain_build_only


def tool(*words):
    return subprocess.run([*words, LIBRARY], capture_output=True, text=True,
                          check=True).stdout


@plain_build_only
def test_it_needs_libc_alone():
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", tool("readelf", "-d"))
    assert needed == ["libc.so.6"]


def test_it_exports_dlsym_and_cudas_names_alone():
    names = [line.split()[-1] for line in
             tool("nm", "-D", "--defined-only").splitlines()]
    assert "dlsym" in names and "cudaMalloc" in names
    assert "cuGetProcAddress_v2" in names and len(names) >= 20
    strange = [n for n in names if n != "dlsym" and n[:2] != "cu"]
    assert strange == []


def test_its_exports_have_no_version():
    """A named version would hide our dlsym from versioned references."""
    assert "@" not in tool("nm", "-D", "--defined-only")


@plain_build_only
def test_it_has_no_constructor_but_the_compilers():
    sizes = dict(re.findall(r"\((INIT_ARRAYSZ|FINI_ARRAYSZ)\)\s+(\d+)",
                            tool("readelf", "-d")))
    assert sizes == {"INIT_ARRAYSZ": "8", "FINI_ARRAYSZ": "8"}
    names = tool("nm")
    assert " frame_dummy" in names and " __do_global_dtors_aux" in names


def test_its_stack_is_not_executable_and_its_tables_are_read_only():
    headers = tool("readelf", "-lW")
    assert re.search(r"GNU_STACK.* RW ", headers)
    assert "GNU_RELRO" in headers
    assert "TEXTREL" not in tool("readelf", "-d")
