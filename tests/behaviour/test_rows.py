"""Every hooked entry, by every way that leads to it. A driver that echoes its
arguments tells whether a call arrived as the program made it."""

import functools
import importlib.machinery
import importlib.util
import os
import re
import sys
import tempfile

import pytest

from conftest import BUILD, WHOLE, ROOT, Box

ROWS = os.path.join(BUILD, "tests", "rows")

# Calls that mnm makes in its own way: with the program's size rounded up, and
# with a place of its own for the answer. Each entry is listed with the one
# that CUDA is called by, as a code of CUDA's is then that entry's.
SERVED = {
    "cuMemAlloc_v2": "cuMemAlloc_v2",
    "cuMemHostAlloc": "cuMemHostAlloc",
    "cuMemAllocHost_v2": "cuMemHostAlloc",  # without flags
}
# Calls without a size, or without a place for the answer, go to CUDA.
SERVED_CASES = {"refused-odd", "refused-buffers", "granted-buffers"}

# Entries that mnm hooks and also calls itself.
ASKED = {"cuPointerGetAttribute", "cuMemGetAddressRange_v2",
         "cuMemPoolGetAttribute",
         "cuGraphChildGraphNodeGetGraph",
         "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2",
         "cuEventCreate", "cuCtxRecordEvent", "cuCtxWaitEvent",
         "cuStreamQuery"}


def words(name):
    """The entries in the lists of hook_list.h and in the generated one."""
    text = ""
    for path in (os.path.join(ROOT, "src", "cuda", "hook_list.h"),
                 os.path.join(BUILD, "gen", "hooks", "work_list.h")):
        with open(path, encoding="utf-8") as header:
            text += header.read()
    return set(re.findall(rf"^{name}\((cu[A-Z]\w+)", text, re.M))


HOOKED = words("HOOK")
OWN = words("USED") | ASKED


def walk(box, doors, pool, **options):
    """For each route: its name, the symbol that it should lead to, the file
    and the symbol that it did lead to, and the calls that were made by it."""
    env = box.env(pool, **options)
    env["LD_LIBRARY_PATH"] = f"{ROWS}:{os.path.join(BUILD, 'sim')}"
    box.env = lambda *args, **kwargs: env
    routes = []
    done = box.run([os.path.join(ROWS, "walk"), doors], check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"ended by {lines[-1:]} {done.stderr}"
    for line in lines:
        if line.startswith("route "):
            routes.append((*line.split()[1:], []))
            continue
        call, taken, buffers = line.split("|")
        _, symbol, case, code = call.split()
        routes[-1][-1].append((symbol, case, code, taken.split(), buffers))
    return routes


@functools.cache
def walk_alone(doors):
    with tempfile.TemporaryDirectory(prefix="mnm-test-", dir="/tmp") as folder:
        return walk(Box(folder), doors, None)


def problem(alone, under):
    """What is wrong with a call under mnm, or None."""
    symbol, case, code, (call,), buffers = alone
    served = SERVED.get(symbol) if case in SERVED_CASES else None
    _, _, code_now, calls, buffers_now = under
    extra = {name.split("(")[0] for name in calls if name != call}
    if calls.count(call) != 1 and served not in extra:
        return f"CUDA was called {calls}, not {call}"
    if not extra <= OWN | {served}:
        return f"CUDA was called {calls}, besides {call}"
    if buffers_now != buffers:
        return f"the memory is {buffers_now}, not {buffers}"
    if code_now != code and served in (None, symbol):
        return f"the code is {code_now}, not {code}"
    return None


def compare(alone, under):
    assert [route[:2] for route in under] == [route[:2] for route in alone]
    wrong = []
    for before, now in zip(alone, under):
        assert len(before[4]) == len(now[4])
        wrong += [f"{before[0]} {call[0]} {call[1]}: {problem(call, other)}"
                  for call, other in zip(before[4], now[4])
                  if problem(call, other)]
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("fence", ["fence", "sync"])
@pytest.mark.parametrize("pool", WHOLE)
def test_every_call_reaches_cuda_as_it_was_made(box, pool, fence):
    alone = walk_alone("exports")
    under = walk(box, "exports", pool, fence=fence)
    compare(alone, under)
    wrong = [(before[:4], now[:4]) for before, now in zip(alone, under)
             if before[2:4] != ("libcuda.so.1", before[1]) or
             now[2:4] != ("libmnm.so" if now[1] in HOOKED else "libcuda.so.1",
                          now[1])]
    assert not wrong


def test_a_library_that_is_switched_off_makes_no_call_of_its_own(box):
    alone = walk_alone("exports")
    under = walk(box, "exports", "page_unit_pool", disable="1")
    assert [route[:2] for route in under] == [route[:2] for route in alone]
    for before, now in zip(alone, under):
        assert now[4] == before[4], before[:2]


def test_the_walk_has_every_row():
    routes = walk_alone("exports")
    assert len(HOOKED) > 250
    for way in ("linked", "handle", "default"):
        assert {r[1] for r in routes if r[0] == way} == HOOKED
    for door in ("v1", "v2", "runtime"):
        asked = {r[1] for r in routes if r[0].startswith(door + ":")}
        assert asked >= HOOKED
    assert all(r[4] for r in routes)


# From 12.0 on cuda.h means cuGraphInstantiateWithFlags by that name.
# cudaTypedefs.h has no such form.
UNCLEAR = "cuGraphInstantiate"


def is_passed(symbol, name, version, flags):
    """Whether mnm leaves an entry alone, as it can't know it by its address.
    In versions older than its twin, a name may mean the twin."""
    own_stream = flags == "2" and {symbol + "_ptsz", symbol + "_ptds"} & HOOKED
    return (symbol not in HOOKED or own_stream or
            (name == UNCLEAR and int(version) >= 12000))


@pytest.mark.parametrize("pool", WHOLE)
def test_doors_that_are_not_exported_lead_to_the_same_rows(box, pool):
    alone = walk_alone("inner")
    under = walk(box, "inner", pool)
    compare(alone, under)
    wrong = []
    for route, symbol, file, found, _ in under:
        passed = is_passed(symbol, *route.split(":")[1:])
        if (file, found) != (("libcuda.so.1", "hidden") if passed else
                             ("libmnm.so", symbol)):
            wrong.append(f"{route} is {file} {found}, not {symbol}")
    assert not wrong, "\n".join(wrong[:20])


@functools.cache
def takes_memory():
    """The hooks that make room, without those of calls that mnm serves
    itself."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(
        "gen_work", os.path.join(ROOT, "src", "hooks", "gen_work"))
    script = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("gen_work", loader))
    loader.exec_module(script)
    return {name for name in HOOKED if script.takes_memory(name)
            and name not in SERVED}


def short(box, memory, calls, pool="page_unit_pool", **options):
    """{entry: its code, the names of the driver's calls, the calls, what it
    left}. Each entry is out of memory so many times, while other memory is
    idle or held."""
    env = box.env(pool, **options)
    env["LD_LIBRARY_PATH"] = f"{ROWS}:{os.path.join(BUILD, 'sim')}"
    box.env = lambda *args, **kwargs: env
    done = box.run([os.path.join(ROWS, "short"), memory, str(calls)])
    found = {}
    for line in done.stdout.splitlines():
        call, taken, buffers = line.split("|")
        _, name, code = call.split()
        found[name] = (code, [word.split("(")[0] for word in taken.split()],
                       taken.split(), buffers)
    assert set(found) == HOOKED
    return found


def test_each_entry_that_is_out_of_memory_gets_what_is_idle(box):
    assert len(takes_memory()) > 320
    for name, (code, names, calls, _) in short(box, "idle", 1).items():
        mine = [call for call in calls if call.split("(")[0] == name]
        if name not in takes_memory():
            continue
        assert code == "0", name
        assert len(mine) == 2 and mine[0] == mine[1], name
        first = names.index(name)
        again = names.index(name, first + 1)
        assert "cuMemFree_v2" in names[first:again], name


def test_each_entry_that_stays_out_of_memory_is_called_once_more(box):
    """If the second call fails as well, the program gets CUDA's code, and
    nothing is set."""
    for name, (code, names, _, buffers) in short(box, "idle", 99).items():
        if name in takes_memory():
            assert (code, buffers) == ("2", ""), name
            assert names.count(name) == 2, name
            assert names.count("cuMemFree_v2") == 1, name


@pytest.mark.parametrize("pool, memory", [("page_unit_pool", "busy"),
                                          ("no_pool", "idle")])
def test_nothing_is_called_where_nothing_is_idle(box, pool, memory):
    for name, (code, names, _, buffers) in short(box, memory, 1,
                                                 pool=pool).items():
        if name in takes_memory():
            assert (code, buffers) == ("2", ""), name
            assert names.count(name) == 1, name
            assert set(names) - {name} <= OWN, name


# The driver's entries that the runtime's calls end in. Where mnm calls one in
# place of another, both fail.
FAULTS = [
    "cuMemAlloc_v2:1+:2,cuMemAllocPitch_v2:1+:2",
    "cuMemAlloc_v2:1+:999,cuMemAllocPitch_v2:1+:999",
    "cuMemHostAlloc:1+:2", "cuMemAllocAsync:1+:801",
    "cuMemAllocManaged:3+:2", "cuMemFreeAsync:2+:999",
    "cuMemGetInfo_v2:1+:999", "cuPointerGetAttributes:1+:999",
    "cuIpcGetMemHandle:1+:1", "cuMemsetD8_v2:2+:999",
    "cuDevicePrimaryCtxRetain:1+:2", "cuDevicePrimaryCtxRetain:2+:101",
    "cuDevicePrimaryCtxReset_v2:1+:999", "cuInit:1+:100",
]


@pytest.fixture(autouse=True)
def too_much_is_refused(monkeypatch):
    """A sanitizer's allocator must refuse, too: the calls ask for all memory
    there is."""
    for name in ("ASAN_OPTIONS", "TSAN_OPTIONS"):
        monkeypatch.setenv(name, "allocator_may_return_null=1:" +
                           os.environ.get(name, ""))


def runtime_lines(box, form, seed, pool, **options):
    done = box.run([os.path.join(ROWS, f"runtime_{form}"), str(seed), "1500"],
                   pool, devices=2, **options)
    return done.stdout.splitlines()


def same_errors(box, form, seed, pool, fail=None, **options):
    alone = runtime_lines(box, form, seed, None, fail=fail)
    under = runtime_lines(box, form, seed, pool, fail=fail, **options)
    assert len(alone) == 1500
    for number, (before, now) in enumerate(zip(alone, under)):
        assert now == before, f"call {number} of seed {seed}"
    assert len(under) == len(alone)


@pytest.mark.parametrize("fence", ["fence", "sync"])
@pytest.mark.parametrize("pool", WHOLE)
@pytest.mark.parametrize("form", ["shared", "static"])
def test_each_call_of_the_runtime_leaves_the_same_error(box, form, pool,
                                                        fence):
    for seed in (1, 2, 3):
        same_errors(box, form, seed, pool, fence=fence)
    stat = box.stat()
    assert stat["allocs"] > 50 and stat["failures"] > 5
    assert (stat["hits"] > 10) == (pool != "no_pool")


@pytest.mark.parametrize("fail", FAULTS)
def test_each_call_leaves_the_same_error_where_the_driver_fails(box, fail):
    # What mnm serves does not fail where the driver's entry does.
    same_errors(box, "shared", 4, "page_unit_pool", fail=fail,
                stream_ordered=int("Async" not in fail))


def test_the_device_that_has_failed_is_named(box):
    """Host memory goes back in a context of either device."""
    done = box.run([os.path.join(ROWS, "runtime_shared"), "5", "1500"],
                   "page_unit_pool", devices=2,
                   sim_lost="cuMemAllocManaged:9:700")
    failed = re.findall(r"device (\d+) has failed", done.stderr)
    assert failed and set(failed) <= {"0", "1"}
