"""Call by call, a program sees the same results and error states with the
preload as without it."""

import pytest

from conftest import (FORMS, KINDS, MIB, RUNTIME_FORMS,
                      forks_only_without_asan, plain_build_only)

RUNTIME = {
    "sizes": f"""
        alloc a 0 | alloc a 1 | alloc b {3 * MIB} | free a | free b
        alloc a {2 ** 64 - 1} | last | alloc a {2 ** 64 - 4096} | last
        alloc a {2 ** 64 - 600} | last | alloc a {2 ** 40} | alloc c 5
        last | last | free c""",
    "null": """
        free_at 0 | bound | alloc_null 5 | last | alloc_null 0 | last
        info_null | last | free_at 0""",
    "wrong frees": """
        alloc a 5000 | free a | free a | alloc b 5000 | last | free b
        free_at 123456700 | free_inside b 256 | last | last""",
    "an error stays until it is asked for": f"""
        alloc a {2 ** 40} | alloc b 5000 | free b | alloc b 5000 | info_null
        free b | last | last""",
    "all the memory": f"""
        alloc a {65 * MIB} | alloc b {64 * MIB} | alloc c 1 | info | free b
        info | alloc c {32 * MIB} | alloc d {32 * MIB} | free c | free d
        alloc e {64 * MIB} | info | free e | info""",
    "free first": "bound | free_at 1230000 | bound | last",
    "a thread's own state": f"""
        alloc a 5000 | thread bound | thread alloc b {2 ** 40} ; last ; last
        last | thread alloc c 5000 ; bound ; free c | thread info_null ; bound
        thread free_at 0 ; bound | thread free_at 1230000 ; bound ; last""",
    "a thread's first call frees a block": """
        alloc a 5000 | alloc b 5000 | thread free a ; bound
        thread free a ; bound ; last | thread free b ; alloc b 5000""",
    "devices": f"""
        count | device 1 | alloc a {2 * MIB} | device 0 | alloc b 5000 | free a
        device 1 | free b | free b | last | device 7 | last | info
        thread alloc c 5000 ; free c | thread device 1 ; alloc c 5000 ; free c
        alloc d {65 * MIB} | last""",
    "a reset": """
        alloc a 5000 | alloc b 5000 | free b | reset | free a | last | free b
        last | alloc c 5000 | fill c 1 | check c 1 | free c | free c | last
        reset | reset | free c | last""",
    "a reset by the driver": """
        alloc a 5000 | alloc b 5000 | free b | primary_reset 0 | alloc c 5000
        last | free a | last | reset | alloc d 5000 | fill d 1 | check d 1
        free d | free d | last""",
    "other memory": """
        managed m 4096 | pitch p 1000 3 | alloc_async s 4096 | free m | free p
        free s | free m | last | alloc a 4096 | free_async a | sync | free a
        last""",
}

TAKES = ["managed", "async", "async_own", "pool", "pool_own", "default",
         "pitch", "virtual"]
REFUSED = {
    "sizes of idle blocks": """
        init | retain p 0 | set p | alloc a 1 | alloc b 4096 | free a | free b
        alloc c 0 | alloc a 1 | alloc c 0 | free a | alloc c 0""",
    "kinds of nothing": "init | retain p 0 | set p | " + " | ".join(
        f"take {kind} a 5000 | give {kind} a | take {kind} b 0"
        for kind in TAKES),
    "kinds of too much": "init | retain p 0 | set p | " + " | ".join(
        f"take {kind} a 5000 | give {kind} a | take {kind} b {2 ** 40}"
        f" | take {kind} b {2 ** 62}" for kind in TAKES),
    "kinds without a context": "init | " + " | ".join(
        f"take {kind} a 5000" for kind in TAKES if "pool" not in kind),
    "a full device": " | ".join([
        "init | retain p 0 | set p",
        *(f"take {kind} a 4096 | give {kind} a" for kind in TAKES),
        f"alloc a {60 * MIB}",
        *(f"take {kind} b {20 * MIB}" for kind in TAKES
          if kind != "managed")]),
    "a capture": """
        init | retain p 0 | set p | stream s | capture s | take managed b 5000
        take pitch b 5000""",
    "pinned memory": """
        init | retain p 0 | set p | pin a 5000 0 | unpin a | pin b 0 0
        unpin b | pin_plain b 0 | unpin b | pin b 5000 256 | pin b 5000 0
        unpin b | unpin b""",
    "too much pinned memory": f"""
        init | retain p 0 | set p | pin a 5000 0 | unpin a | pin b {2 ** 60} 0
        pin_plain b {2 ** 60} | pin b {2 ** 64 - 1} 0""",
    "frees of nothing": """
        init | retain p 0 | set p | stream s | take async a 5000 | give async a
        give async b | free_async b s | free_at 0""",
}

FORKED = """
    alloc a 500 | fork alloc b 500 | fork free a | fork alloc b 100000
    fork info | fork free_at 0 | free a | last"""

DRIVER = {
    "before init": """
        alloc a 5 | free_at 0 | free_at 1000 | info | is none | create x 0
        retain p 0 | alloc_null 5""",
    "without a context": """
        init | count | alloc a 5 | alloc a 0 | free_at 0 | free_at 1000 | info
        info_null | alloc_null 5 | sync""",
    "sizes": f"""
        init | create x 0 | alloc a 0 | alloc a 1 | alloc b {3 * MIB} | free a
        free b | alloc a {2 ** 64 - 1} | alloc a {2 ** 64 - 4096}
        alloc a {65 * MIB} | alloc a {64 * MIB} | alloc b 1 | info | free a
        info | alloc_null 5 | info_null | free_at 0""",
    "wrong frees": """
        init | create x 0 | alloc a 5000 | free a | free a | alloc b 5000
        free_inside b 256 | free_at 1230000 | free b | free b""",
    "a free without a context": """
        init | create x 0 | alloc a 5000 | alloc b 5000 | pop x | free a
        free_at 0 | push x | free a | free b | thread free b""",
    "the stack": """
        init | create x 0 | create y 0 | is y | pop y | is x | push y | is y
        set x | is x | pop x | is x | pop x | pop none | set none | is none
        push none | destroy none""",
    "a destroyed context": """
        init | create x 0 | alloc a 5000 | alloc b 5000 | free b | destroy x
        is none | alloc c 5 | push x | set x | destroy x | create y 0 | free a
        free b | alloc d 5000 | fill d 1 | check d 1 | free d | free d""",
    "destroyed while current to another": """
        init | create x 0 | alloc a 5000 | create y 0 | destroy x
        alloc b 5000 | pop y | alloc c 5000 | free b | info""",
    "the primary context": """
        init | release 0 | retain p 0 | retain p 0 | set p | alloc a 5000
        destroy p | release 0 | alloc b 5000 | free a | release 0 | alloc c 5
        free b | retain p 0 | alloc d 5000 | fill d 2 | check d 2 | free b
        free d | release 0 | retain p 9 | release 9 | primary_reset 9""",
    "a reset of the primary context": """
        init | primary_reset 0 | retain p 0 | set p | alloc a 5000
        alloc b 5000 | free b | primary_reset 0 | alloc c 5 | free a
        retain p 0 | set p | free a | free b | alloc c 5000 | fill c 3
        check c 3 | free c""",
    "two contexts of a device": """
        init | create x 0 | alloc a 5000 | create y 0 | alloc b 5000 | free a
        free a | pop y | free b | free b | destroy y | alloc c 5000 | free c
        destroy x""",
    "two devices": """
        init | count | create x 0 | create y 1 | alloc a 5000 | peers x
        peers y | peers none | peers x | free a | set x | alloc b 5000
        free b | free a | create z 7""",
}


def calls(text):
    return [line.strip() for part in text.strip().splitlines()
            for line in part.split("|")]


def answers(box, form, pool, lines, **options):
    done = box.run(FORMS[form], pool, stdin="\n".join(lines) + "\n",
                   devices=2, **options)
    return done.stdout.splitlines()


def same(box, form, pool, lines, **options):
    native = answers(box, form, None, lines)
    assert "what?" not in native
    assert len(native) >= len(lines)
    assert answers(box, form, pool, lines, **options) == native


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("what", RUNTIME)
@pytest.mark.parametrize("form", RUNTIME_FORMS)
def test_runtime_calls_answer_as_without_the_preload(box, form, what, pool):
    same(box, form, pool, calls(RUNTIME[what]))


@forks_only_without_asan
@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("form", RUNTIME_FORMS)
def test_calls_of_a_forked_child_answer_as_without_the_preload(box, form,
                                                               pool):
    same(box, form, pool, calls(FORKED))


@pytest.mark.parametrize("pool", KINDS)
@pytest.mark.parametrize("what", DRIVER)
def test_driver_calls_answer_as_without_the_preload(box, what, pool):
    same(box, "driver", pool, calls(DRIVER[what]))


EVERY = [*KINDS, "round_pool", "naive_pool", "best_fit_pool", "tstack_pool"]


@pytest.mark.parametrize("ordered", [0, 1])
@pytest.mark.parametrize("what,pool", [
    (what, pool) for what in REFUSED for pool in EVERY
    # managed memory takes nothing of the device's
    if what != "a full device" or not pool.endswith("@managed")])
def test_requests_that_yield_nothing_answer_as_without_the_preload(
        box, what, pool, ordered):
    """Also what becomes of the address, where the program had another one."""
    same(box, "driver", pool, calls(REFUSED[what]), stream_ordered=ordered)


@pytest.mark.parametrize("pool", EVERY)
@pytest.mark.parametrize("form", RUNTIME_FORMS)
def test_the_runtimes_requests_of_nothing_answer_as_without_the_preload(
        box, form, pool):
    same(box, form, pool, calls(f"""
        alloc a 1 | alloc b 4096 | free a | free b | alloc c 0 | alloc a 1
        alloc c 0 | free a | alloc c 0 | alloc_async a 5000 | free_async a
        alloc_async b 0 | free_async b | last | alloc_async b {2 ** 40} | last
        managed m 0 | managed m {2 ** 60} | last | pin h 5000 0 | unpin h
        pin g 0 0 | unpin g | last | pitch p 1000 3 | free p | pitch p 0 3
        pitch p 1000 0 | pitch p {2 ** 40} 16 | last"""))


@pytest.mark.parametrize("form,script", [
    *(("shared", RUNTIME[what]) for what in RUNTIME),
    *(("driver", DRIVER[what]) for what in DRIVER)])
def test_a_disabled_preload_changes_no_answer(box, form, script):
    same(box, form, "page_unit_pool", calls(script), disable=1)


@plain_build_only
@pytest.mark.parametrize("name", ["cudaMalloc", "cuMemAlloc_v2",
                                  "cuGetProcAddress_v2", "cudaFree"])
def test_cuda_does_not_look_installed_where_it_is_not(box, name):
    """A program asks that has loaded no CUDA library."""
    code = ("import ctypes; f = ctypes.CDLL(None).dlsym;"
            "f.restype = ctypes.c_void_p;"
            f"print(f(None, b'{name}'))")
    done = box.run(["/usr/bin/python3", "-c", code], "page_unit_pool")
    assert done.stdout == "None\n"
