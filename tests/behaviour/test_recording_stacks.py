"""Recordings: the stacks of those who ask."""

import re

import pytest

from conftest import MIB, MNM, plain_build_only, program
from recording_writer import ALLOC, NAME, STACK, STACKED, written
from recordings import events, export, report, rows, rows_of, told
from test_recording import await_true, kill
from test_report_html import figures_of, made

STACKS = [program("stacks"), program("librmm_test.so")]
POOL = "page_unit_pool"
DEPTH = 32
# What the program's functions ask for, and which of them have called which.
CALLED = {1: ["at_load"], 2: ["rmm_take", "layer_open", "model_open", "main"],
          4: ["alloc", "compare", "sort_open", "main"], 8: ["thread_open"],
          16: ["deep_open"] * DEPTH}
SMALL = 100 * 1024


def recorded(box, path, stacks, pool=POOL):
    box.run(STACKS, pool, sim="1G", record=path, record_stacks=stacks)
    return path


def own(stack):
    """The functions of the program and its library. A compiler may name a part
    of one NAME.part.0."""
    return [frame["function"].split(".")[0] for frame in stack["frames"]
            if frame["file"] in ("stacks", "librmm_test.so")]


def device_of(box, path):
    return told(box, path)["devices"][0]


@pytest.mark.parametrize("pool", [POOL, "vmm_pool", "no_pool"])
def test_each_request_has_its_stack_if_each_is_to_have(box, tmp_path, pool):
    path = recorded(box, tmp_path / "out", 1, pool)
    stacks = device_of(box, path)["stacks"]
    assert sum(s["blocks"] for s in stacks) == len(CALLED) + 100
    found = {s["bytes"] // MIB: own(s) for s in stacks
             if s["bytes"] >= MIB}
    assert set(found) == set(CALLED)
    assert {s["frames"][0]["file"] for s in stacks} <= {
        "stacks", "librmm_test.so"}
    for size, functions in CALLED.items():
        # Those that a compiler has made one are in the order of the others.
        rest = iter(found[size])
        assert all(function in rest for function in functions
                   if function not in ("alloc", "compare")), (size, found)
    assert len(found[16]) == DEPTH
    small, = (s for s in stacks if s["bytes"] == SMALL)
    assert own(small)[:2] == ["small_open", "main"]


def test_folded_stacks_begin_with_the_outermost(box, tmp_path):
    path = recorded(box, tmp_path / "out", 1)
    text = export(box, path, "--format", "folded").stdout
    folded = {tuple(re.sub(r"\.part\..*", "", frame)
                    for frame in line.rsplit(" ", 1)[0].split(";")):
              int(line.rsplit(" ", 1)[1]) for line in text.splitlines()}
    assert sum(folded.values()) == device_of(box, path)["peak"]
    small, = (stack for stack, size in folded.items() if size == SMALL)
    assert small[-2:] == ("stacks`main", "stacks`small_open")


def test_stacks_come_back_from_csv(box, tmp_path):
    path = recorded(box, tmp_path / "out", 1)
    text = export(box, path).stdout
    table = tmp_path / "table"
    table.write_text(text)
    box.mnm("import", table, "-o", tmp_path / "back")
    assert export(box, tmp_path / "back").stdout == text
    assert told(box, tmp_path / "back")["devices"][0]["stacks"] == device_of(
        box, path)["stacks"]


def test_the_first_of_a_stack_is_who_called(box, tmp_path):
    path = recorded(box, tmp_path / "out", 1)
    with_stack = [row for row in events(box, path) if row["kind"] == "malloc"]
    first = {row["address"]: row["text"].split()[0] for row in
             rows(box, path) if row["kind"] == "stack"}
    assert len(with_stack) == len(CALLED) + 100
    for row in with_stack:
        assert row["site"] == "0x" + first[hex(int(row["stack"]))]


def test_a_stack_is_noted_once_in_so_many_bytes(box, tmp_path):
    """A thread's first request has one, and so has a large one."""
    path = recorded(box, tmp_path / "out", "3M")
    mallocs = [row for row in events(box, path) if row["kind"] == "malloc"]
    assert [int(row["size"]) // MIB for row in mallocs
            if row["stack"] != "0"] == [1, 4, 8, 16]
    assert all(row["site"] != "0" for row in mallocs)
    without, = (s for s in device_of(box, path)["stacks"] if not s["frames"])
    assert without["bytes"] == 2 * MIB + SMALL


def test_no_stack_is_noted_unless_it_is_asked_for(box, tmp_path):
    path = recorded(box, tmp_path / "out", 0)
    assert {row["stack"] for row in rows(box, path)} == {"0"}
    assert "stack" not in {row["kind"] for row in rows(box, path)}
    assert device_of(box, path)["stacks"] == []
    assert "their stacks" not in report(box, path, "--stacks").stdout


def test_the_report_names_who_asked_an_allocator(box, tmp_path):
    path = recorded(box, tmp_path / "out", 1)
    text = report(box, path).stdout
    place = text.index("by their stacks")
    assert re.search(r"2\.00 MiB +6% +1  librmm_test.so +rmm_take", text[:place])
    assert re.search(r"2\.00 MiB +6% +1  stacks +layer_open", text[place:])
    whole = report(box, path, "--stacks").stdout
    assert re.search(r"2\.00 MiB in 1 blocks asked for by\n"
                     r" +librmm_test.so +rmm_take\n +stacks +layer_open\n"
                     r" +stacks +model_open\n", whole)


def test_stacks_can_be_asked_for_as_it_runs(box, tmp_path):
    path = tmp_path / "out"
    shell = box.shell(POOL, record=path)
    for line in ("alloc a 5000", "free a"):
        shell(line)
    box.mnm("set", shell.pid, "record_stacks", 1)
    shell("alloc b 5000")
    shell.end()
    assert [row["stack"] != "0" for row in events(box, path)
            if row["kind"] == "malloc"] == [False, True]


@pytest.mark.parametrize("words, every", [
    (["--stacks"], "1M"), (["--stacks=64K"], "64K"), ([], "0")])
def test_the_command_says_in_how_many_bytes(box, words, every):
    done = box.mnm("run", *words, "--", "/usr/bin/env")
    found = re.search(r"^MNM_RECORD_STACKS=(.*)$", done.stdout, re.M)
    assert (found.group(1) if found else "0") == every


def test_wrong_bytes_are_told(box):
    done = box.mnm("run", "--stacks=few", "--", "true", check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"mnm run: record_stacks: 'few'.*\n", done.stderr)


def test_both_parts_of_a_long_one_have_the_stacks(box, tmp_path):
    """The second begins with those that the first has."""
    path = tmp_path / "out"
    shell = box.start([program("leaver"), "stay"], POOL, record=path,
                      record_size="1M", record_stacks=1)
    assert (shell.read(), shell.read()) == ("leaves", "stays")
    before = tmp_path / "out.before"
    await_true(lambda: before.exists() and path.exists() and
               path.stat().st_size > 1 << 16)
    kill(shell)
    before.unlink()
    found = rows_of(export(box, path, check=False).stdout)
    told_of = {int(row["address"], 16) for row in found
               if row["kind"] == "stack"}
    had = {int(row["stack"]) for row in found if row["kind"] == "malloc"}
    assert had and had <= told_of


@plain_build_only
@pytest.mark.parametrize("how, stacks", [("stacks", 1), ("visit", 1),
                                         ("ranges", 0)])
def test_a_forked_child_comes_to_its_end(box, tmp_path, how, stacks):
    box.run([MNM, "run", "--record", tmp_path / "out",
             f"--stacks={stacks}" if stacks else "--set=log=warn", "--",
             program("recorded_forks"), how])


def of_stacks(tmp_path, stacks, twins=1):
    """A recording in which each stack has asked for blocks of 1 MiB, as many as
    its number, from `twins` places of the same two functions."""
    told_events = []
    for number in range(1, stacks + 1):
        for twin in range(twins):
            sites = [(number * twins + twin) * 16 + at for at in range(2)]
            told_events += [
                {"kind": NAME, "time": 0, "site": site,
                 "text": b"lib\tf%d_%d" % (number, at)}
                for at, site in enumerate(sites)]
            stack = (number - 1) * twins + twin + 1
            told_events.append({"kind": STACK, "time": 0, "address": stack,
                                "text": b"%x %x" % tuple(sites)})
            told_events += [
                {"kind": ALLOC, "time": 1, "size": MIB, "site": stack,
                 "flags": STACKED, "address": (stack * 1000 + block) << 20}
                for block in range(number)]
    return written(tmp_path, told_events)


def test_stacks_of_the_same_functions_are_one(box, tmp_path):
    path = of_stacks(tmp_path, 3, twins=4)
    text = report(box, path, "--stacks").stdout
    assert re.findall(r"([\d.]+) MiB in (\d+) blocks asked for by\n"
                      r" +lib +(\w+)\n +lib +(\w+)\n", text) == [
        (f"{4 * n}.0" if n > 2 else f"{4 * n}.00", str(4 * n), f"f{n}_0",
         f"f{n}_1") for n in (3, 2, 1)]
    assert [(each["blocks"], len(each["frames"]))
            for each in device_of(box, path)["stacks"]] == [
        (12, 2), (8, 2), (4, 2)]
    folded = export(box, path, "--format", "folded").stdout
    assert folded.splitlines() == [
        f"lib`f{n}_1;lib`f{n}_0 {4 * n * MIB}" for n in (3, 2, 1)]


def test_the_largest_stacks_are_shown_and_the_others_counted(box, tmp_path):
    path = of_stacks(tmp_path, 40)
    text = report(box, path, "--stacks").stdout
    assert len(re.findall(r"blocks asked for by$", text, re.M)) == 14
    rest = range(1, 27)
    assert re.search(fr"^  {sum(rest)} MiB in {sum(rest)} blocks asked for by "
                     r"26 other stacks; --json has all\n", text, re.M)
    assert len(device_of(box, path)["stacks"]) == 40
    whole = report(box, of_stacks(tmp_path, 15), "--stacks").stdout
    assert len(re.findall(r"blocks asked for by$", whole, re.M)) == 15
    assert "other" not in whole


def named(stacks):
    """Events that give each address of the stacks its file and function."""
    return [{"kind": NAME, "time": 0, "site": site, "text": text}
            for site, text in sorted(stacks.items())]


INNER, STEP, MAIN, IDLE = 16, 32, 48, 64
NAMES = {INNER: b"lib\talloc", STEP: b"app\tstep",
         MAIN: b"app\tmain", IDLE: b"app\tidle"}


def of_an_allocator(tmp_path):
    """Blocks of 1 MiB: two of one stack, one of another, one of none, and one
    of a call that holds next to nothing."""
    return written(tmp_path, named(NAMES) + [
        {"kind": STACK, "time": 0, "address": number, "text": b" ".join(
            b"%x" % site for site in sites)}
        for number, sites in enumerate([
            (INNER, STEP, MAIN), (INNER, MAIN),
            (INNER, IDLE, MAIN)], 1)] + [
        {"kind": ALLOC, "time": at, "size": size, "site": site,
         "flags": flags, "address": at << 20}
        for at, (size, site, flags) in enumerate([
            (MIB, 1, STACKED), (MIB, 1, STACKED), (MIB, 2, STACKED),
            (MIB, INNER, 0), (64, 3, STACKED)], 1)])


def course_of(box, path):
    return figures_of(made(box, path))["courses"][0]


def functions(rows):
    return {each["name"].split("(")[0] for each in rows}


def test_a_page_names_who_asked_an_allocator(box, tmp_path):
    course = course_of(box, recorded(box, tmp_path / "out", 1))
    asked = {"at_load", "layer_open", "compare", "thread_open", "deep_open",
             "small_open"}
    assert functions(course["tree"]) == asked
    assert asked == functions(course["stack"]["functions"])
    without = course_of(box, recorded(box, tmp_path / "other", 0))
    assert "layer_open" not in functions(without["tree"])


def test_a_page_has_the_calls_as_a_tree(box, tmp_path):
    """But for what is too thin to be seen."""
    calls = course_of(box, of_an_allocator(tmp_path))["flame"]
    paths = []
    for parent, file, function, size, blocks in calls:
        path = paths[parent][0] if parent >= 0 else ()
        paths.append((path + (function or file,), size, blocks))
    assert sorted(paths) == [
        (("(no stack)",), MIB, 1),
        (("main",), 3 * MIB + 64, 4),
        (("main", "alloc"), MIB, 1),
        (("main", "step"), 2 * MIB, 2),
        (("main", "step", "alloc"), 2 * MIB, 2)]


def test_a_page_without_stacks_has_no_tree_of_calls(box, tmp_path):
    path = written(tmp_path, [{"kind": ALLOC, "time": 1, "size": MIB,
                               "site": INNER, "address": MIB}])
    assert course_of(box, path).get("flame") is None
