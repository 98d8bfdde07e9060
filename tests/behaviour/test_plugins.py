"""Plug-ins: shared objects that bring further pools."""

import json
import os
import shutil
import struct
import subprocess

import pytest

from conftest import BUILD, DEADLINE, FORMS, MNM, POOLS, program
from test_pool import took

# The pools of good.so serve nothing, so no test has them serve.
PLUGINS = os.path.join(BUILD, "tests", "plugins")


def plugin(name):
    return os.path.join(PLUGINS, f"{name}.so")


GOOD = plugin("good")
ALL = ", ".join([*POOLS[::-1], "quiet_pool", "placed_pool"])
REFUSED = {
    "no_symbol": "it has no symbol mnm_plugin",
    "later": "it is made for version 2 of mnm/pool.h, and this mnm has "
             "version 1",
    "taken_name": "the name vmm_pool is taken by one of mnm's own pools",
    "bad_name": "pool 0 has the name 'Quiet pool'; allowed: 1 to 63 of a-z, "
                "0-9 and _",
    "long_name": "allowed: 1 to 63 of a-z, 0-9 and _",
    "no_name": "pool 0 has no name",
    "no_rows": "it has no pools",
    "crowd": "it has 1000 pools, and there is room for",
    "bad_summary": "lines_pool has no summary of 1 to 200 printable",
    "bad_backing": "odd_pool has the unknown backing 9",
    "double": "it has two pools of the name double_pool",
    "needs": "libmnm-absent.so: cannot open shared object file",
    "same_name": f"the name quiet_pool is taken by a pool of {GOOD}",
}


def mnm(box, *words, pool=None, **options):
    return subprocess.run([MNM, *words], env=box.env(pool, preload=False,
                                                     **options),
                          capture_output=True, text=True, timeout=DEADLINE)


def served(box, pool="page_unit_pool", **options):
    """Runs a program that asks twice for memory of one size. Returns what was
    said, once it is clear that the pool has served."""
    shell = box.shell(pool, **options)
    for _ in range(2):
        took(shell, "alloc a 5000")
        took(shell, "free a")
    shell.end()
    assert box.report()[0]["cuMemAlloc_v2"] == 1
    assert box.pools() == {pool}
    return box.stderr()


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_plug_in_is_refused_in_one_line_and_the_job_goes_on(box, name):
    said = served(box, pool_plugins=f"{GOOD}:{plugin(name)}")
    assert said.startswith(f"mnm: warn: plug-in {plugin(name)} is refused: ")
    assert REFUSED[name] in said
    assert said.count("\n") == 1


def file_of_text(path):
    with open(path, "w", encoding="utf-8") as file:
        file.write("not an object file, and long enough for its head\n" * 9)


@pytest.mark.parametrize("make,why", [
    (file_of_text, "invalid ELF header"), (os.mkfifo, "not a regular file"),
    (os.mkdir, "not a regular file"), (lambda path: None, "No such file")])
def test_what_is_no_shared_object_is_refused(box, make, why):
    path = os.path.join(box.folder, "odd.so")
    make(path)
    said = served(box, pool_plugins=f"{path}:{GOOD}")
    assert said.startswith(f"mnm: warn: plug-in {path} is refused: ")
    assert said.count(path) == 1
    assert why in said and said.count("\n") == 1


def test_a_file_that_is_cut_short_is_refused_wherever_it_ends(box):
    """The loader would map it, and the process be ended by SIGBUS. Only what
    is not loaded, the tables of sections, may be missing."""
    path = os.path.join(box.folder, "cut.so")
    with open(GOOD, "rb") as file:
        whole = file.read()
    head = struct.unpack_from("<QQ", whole, 32)
    for size in [*range(64, head[1], 1024), 4096, 8192]:
        with open(path, "wb") as file:
            file.write(whole[:size])
        done = mnm(box, "pools", pool_plugins=path)
        refused = f"mnm: plug-in {path} is refused: it is cut short\n"
        assert (done.returncode, done.stderr) in [(0, refused), (0, "")]
        assert (done.stderr == "") == ("quiet_pool" in done.stdout)
    with open(path, "wb") as file:
        file.write(whole[:4096])
    assert served(box, pool_plugins=path) == (
        f"mnm: warn: plug-in {path} is refused: it is cut short\n")


def test_right_plug_ins_are_taken_without_a_word(box):
    assert served(box, pool_plugins=GOOD) == ""


def test_what_is_not_to_be_logged_is_not(box):
    assert served(box, pool_plugins=plugin("no_rows"), log="none") == ""


def test_a_file_that_is_named_twice_is_refused_once(box):
    said = served(box, pool_plugins=f"{GOOD}:{GOOD}")
    assert f"is taken by a pool of {GOOD}" in said
    assert said.count("\n") == 1


def test_relative_paths_are_an_option_that_is_wrong(box):
    shell = box.shell("page_unit_pool", pool_plugins=f"{GOOD}:good.so")
    took(shell, "alloc a 5000")
    shell.end()
    assert "a path is not absolute; allowed: absolute paths" in box.stderr()
    assert box.stderr().count("\n") == 1
    assert not os.path.exists(box.stat_file)


def test_a_pool_of_a_refused_plug_in_is_unknown(box):
    shell = box.shell("later_pool",
                      pool_plugins=f"{GOOD}:{plugin('later')}")
    took(shell, "alloc a 5000")
    shell.end()
    refusal, error = box.stderr().splitlines()
    assert "is refused: it is made for version 2" in refusal
    assert "'later_pool': unknown pool" in error
    assert error.split("pools: ")[1].startswith(ALL)
    assert not os.path.exists(box.stat_file)


def test_what_a_constructor_asks_for_is_cudas(box):
    """The program's own request comes after it."""
    shell = box.shell("page_unit_pool", pool_plugins=plugin("calls_cuda"))
    took(shell, "alloc a 5000")
    stat = shell.stat()
    assert stat["live_bytes"] == 5000 and stat["reserved_bytes"] == 8192
    shell.end()
    assert box.report()[0]["cuMemAlloc_v2"] == 2
    assert box.stderr() == ""


def test_a_disabled_library_opens_none(box):
    shell = box.shell("page_unit_pool", disable=1,
                      pool_plugins=plugin("calls_cuda"))
    took(shell, "alloc a 5000")
    shell.end()
    assert box.report()[0]["cuMemAlloc_v2"] == 1


@pytest.mark.parametrize("plugins", ["good", "calls_cuda", "no_symbol",
                                     "needs"])
def test_a_first_request_waits_for_the_loader_alone(box, plugins):
    """Another thread has the loader's lock, and asks for memory itself."""
    done = box.run([program("first_requests"), program("constructor.so")],
                   "page_unit_pool", pool_plugins=plugin(plugins))
    assert done.stdout == "served\n"
    assert done.stderr.count("is refused") == (
        plugins in ("no_symbol", "needs"))
    assert box.pools() == {"page_unit_pool"}


def test_no_lock_is_held_where_a_plug_in_is_opened(box):
    """A library is loaded while plug-ins are opened, after the first of them.
    There are so many of them that the library's thread gets the loader's lock
    in between. Its constructor asks for memory."""
    first = shutil.copy(program("constructor.so"), box.folder)
    done = box.run([program("first_requests"), program("constructor.so"),
                    "plugged"], "page_unit_pool", log="none",
                   pool_plugins=":".join([first] + ["/x"] * 500))
    assert done.stdout == "served\n"
    assert box.pools() == {"page_unit_pool"}


def test_the_loader_is_not_needed_under_a_lock(box):
    """A library is loaded while another thread reads the options. Its
    constructor asks for memory, and waits for that."""
    done = box.run([program("first_requests"), program("constructor.so"),
                    "told"], "page_unit_pool", pool_plugins="/x")
    assert done.stdout == "served\n"
    assert box.pools() == {"page_unit_pool"}


def test_pools_lists_those_of_plug_ins_with_their_file(box):
    done = mnm(box, "pools", pool_plugins=f"{plugin('no_rows')}:{GOOD}")
    assert done.returncode == 0
    assert done.stderr == (f"mnm: plug-in {plugin('no_rows')} is refused: "
                           "it has no pools\n")
    assert done.stdout.splitlines()[-5:] == [
        "quiet_pool       serves nothing",
        f"                 of the plug-in {GOOD}",
        "placed_pool      serves nothing, from regions",
        "                 NAME@BACKING: managed, device, virtual, host; the "
        "first is its own",
        f"                 of the plug-in {GOOD}"]


@pytest.mark.parametrize("paths, why", [
    ("good.so", "'good.so': a path is not absolute; allowed: absolute paths"),
    (f"{GOOD}:", "a path is not absolute"),
    (f"/{'x' * 2048}", "too long")], ids=["relative", "colon", "long"])
def test_pools_says_what_is_wrong_with_the_paths(box, paths, why):
    done = mnm(box, "pools", pool_plugins=paths)
    assert done.stderr.startswith("mnm: MNM_POOL_PLUGINS: pool_plugins: ")
    assert why in done.stderr and done.stderr.count("\n") == 1
    assert GOOD not in done.stdout and "no_pool" in done.stdout


ROWS = [{"name": "quiet_pool", "summary": "serves nothing", "backings": [],
         "file": GOOD},
        {"name": "placed_pool", "summary": "serves nothing, from regions",
         "backings": ["managed", "device", "virtual", "host"], "file": GOOD}]


@pytest.mark.parametrize("paths,why", [
    (f"{GOOD}:", "a path is not absolute"), ("good.so", "is not absolute"),
    (f"{GOOD}{':/x' * 1024}", "too long")])
def test_pools_says_what_is_wrong_with_the_variable(box, paths, why):
    """A program would take none of them."""
    done = mnm(box, "pools", pool_plugins=paths)
    assert done.stderr.startswith("mnm: MNM_POOL_PLUGINS: pool_plugins: ")
    assert why in done.stderr and done.stderr.count("\n") == 1
    assert "quiet_pool" not in done.stdout


def test_pools_lists_them_as_json(box):
    done = mnm(box, "pools", "--json", pool_plugins=GOOD)
    rows = json.loads(done.stdout)
    assert rows[-2:] == ROWS
    assert [row["name"] for row in rows[:-2]] == POOLS[::-1]
    assert not any("file" in row for row in rows[:-2])


def test_the_path_of_a_plug_in_need_not_be_utf_8(box):
    path = os.fsencode(box.folder) + b"/\xff.so"
    shutil.copy(GOOD, path)
    shown = f"{box.folder}/?.so"
    done = mnm(box, "pools", "--json", pool_plugins=os.fsdecode(path))
    assert [row.get("file") for row in json.loads(done.stdout)][-2:] == [
        shown, shown]
    assert shown in mnm(box, "pools", pool_plugins=os.fsdecode(path)).stdout
    shell = box.shell("quiet_pool", pool_plugins=os.fsdecode(path))
    took(shell, "alloc a 5000")
    assert [row["file"] for row in shell.ask("pools")["pools"][-2:]] == [
        shown, shown]
    shell.end()


def test_a_running_program_lists_its_own(box):
    shell = box.shell("page_unit_pool", pool_plugins=GOOD)
    took(shell, "alloc a 5000")
    assert shell.ask("pools")["pools"][-2:] == ROWS
    assert shell.ask("stat")["options"]["pool_plugins"] == GOOD
    error = shell.ask("swap fast_pool")["error"]
    assert error.endswith(f"pools: {ALL}")
    shell.end()


def findings(done):
    return [(found["level"], found["finding"])
            for found in json.loads(done.stdout)
            if found["subject"] == "plug-ins"]


def test_doctor_says_which_can_be_used_and_why_not(box):
    done = mnm(box, "doctor", "--json",
               pool_plugins=f"{GOOD}:{plugin('needs')}:/nowhere/a.so")
    good, needs, nowhere = findings(done)
    assert good == ("ok", f"{GOOD} has the pools quiet_pool, placed_pool")
    assert needs[0] == nowhere[0] == "warning"
    assert "is refused: libmnm-absent.so: cannot open" in needs[1]
    assert nowhere[1].startswith("plug-in /nowhere/a.so is refused: cannot")


def test_doctor_knows_the_pools_of_plug_ins(box):
    right = mnm(box, "doctor", pool="quiet_pool", pool_plugins=GOOD)
    assert "every MNM_ variable is right" in right.stdout
    wrong = mnm(box, "doctor", pool="later_pool",
                pool_plugins=plugin("later"))
    assert "'later_pool': unknown pool" in wrong.stdout


def run(box, *words, **options):
    """What a program finds in MNM_POOL_PLUGINS and MNM_POOL."""
    return mnm(box, "run", *words, "--", "/bin/sh", "-c",
               'echo "$MNM_POOL_PLUGINS $MNM_POOL"', **options)


def test_run_takes_plug_ins_and_their_pools_in_any_order(box):
    done = run(box, "--pool", "placed_pool@device,1:quiet_pool",
               "--plugin", plugin("no_rows"), "--plugin", GOOD)
    assert (done.stdout, done.stderr, done.returncode) == (
        f"{plugin('no_rows')}:{GOOD} placed_pool@device,1:quiet_pool\n", "", 0)
    done = run(box, "--set", "pool=quiet_pool", "--set",
               f"pool_plugins={GOOD}")
    assert done.stdout == f"{GOOD} quiet_pool\n"


@pytest.mark.parametrize("first", [0, 1])
def test_run_adds_a_file_to_those_that_are_set(box, first):
    both = [["--plugin", GOOD], ["--set", f"pool_plugins={plugin('needs')}"]]
    done = run(box, *both[first], *both[1 - first], "--pool", "quiet_pool",
               pool_plugins="/of/the/environment.so")
    assert done.stdout == f"{plugin('needs')}:{GOOD} quiet_pool\n"


def test_run_adds_to_the_plug_ins_of_the_environment(box):
    done = run(box, "--plugin", GOOD, "--pool", "needy_pool",
               pool_plugins=plugin("needs"))
    refusal, error = done.stderr.splitlines()
    assert refusal.startswith(f"mnm run: plug-in {plugin('needs')} is refused")
    assert "'needy_pool': unknown pool" in error
    assert error.endswith(f"pools: {ALL}")
    assert done.returncode == 2 and not done.stdout


def test_run_knows_the_pools_of_a_plug_in_that_links_the_simulated_cuda(box):
    """Its own loader does not find that."""
    env = {k: v for k, v in box.env(None).items() if k != "LD_LIBRARY_PATH"}
    done = subprocess.run(
        [MNM, "run", "--sim=64M", "--plugin", plugin("links"), "--pool",
         "linked_pool", "--set", f"stat_file={box.stat_file}", "--",
         FORMS["shared"][0]], env=env, input="alloc a 5000\nfree a\n",
        capture_output=True, text=True, timeout=DEADLINE)
    assert (done.returncode, done.stderr) == (0, "")
    assert box.pools() == {"linked_pool"}


def test_run_makes_a_path_absolute(box):
    done = subprocess.run(
        [MNM, "run", "--plugin", "good.so", "--plugin", "./good.so", "--",
         "/bin/sh", "-c", 'echo "$MNM_POOL_PLUGINS"'], cwd=PLUGINS,
        env=box.env(None), capture_output=True, text=True, timeout=DEADLINE)
    assert done.stdout == f"{PLUGINS}/good.so:{PLUGINS}/./good.so\n"


@pytest.mark.parametrize("words,why", [
    (["--plugin", "/nowhere/a.so"], "'/nowhere/a.so': No such file"),
    (["--plugin", ""], "'': No such file"),
    (["--plugin", "/dev/../dev/null:"], "No such file"),
    (["--set", "pool_plugins=a.so"], "a path is not absolute"),
    (["--set", f"pool_plugins=/{'x' * 2048}"], "too long"),
])
def test_run_refuses_a_plug_in_that_is_not_there(box, words, why):
    done = run(box, *words)
    assert why in done.stderr and not done.stdout
    assert done.returncode == 2


def test_run_refuses_a_path_with_a_colon(box):
    path = os.path.join(box.folder, "a:b.so")
    file_of_text(path)
    done = run(box, "--plugin", path)
    assert "its path has a :, which separates plug-ins" in done.stderr
    assert done.returncode == 2


def test_the_jobs_exit_status_and_output_stay_its_own(box):
    command = ["/bin/sh", "-c", f"{FORMS['driver'][0]} </dev/null; "
               "echo out; exit 7"]
    plain = mnm(box, "run", "--", *command)
    done = mnm(box, "run", "--plugin", plugin("later"), "--", *command)
    assert (done.returncode, done.stdout) == (7, plain.stdout)
