"""Whatever mnm runs out of, the job goes on as it does without mnm."""

import os
import resource
import subprocess

import pytest

from conftest import (FORMS, LIBRARY, answer_of, connect, plain_build_only,
                      program, request)
from test_pool import took

pytestmark = plain_build_only

DRIVER = """init
retain primary 0
set primary
alloc a 5000
fill a 3
alloc b 3000000
pitch p 1000 70 4
managed m 4096
free b
alloc c 3000000
fill c 4
check c 4
stream s
stream t
alloc_async y 5000 s
begin s relaxed
stream_fill s a 7
free c
alloc d 3000000
end s g
instantiate g x
graph_destroy g
launch x s
stream_sync s
check a 7
exec_destroy x
free_async y s
pin h 5000 0
host_fill h 9
unpin h
pin i 5000 0
host_fill i 2
host_check i 2
create other 0
alloc e 70000
fill e 5
check e 5
free e
destroy other
set primary
free a
free d
alloc f 5000
fill f 8
check f 8
sync
"""
RUNTIME = """alloc a 5000
fill a 3
check a 3
alloc b 3000000
managed m 4096
pitch p 1000 70
free b
alloc c 3000000
fill c 4
check c 4
alloc_async d 5000
free_async d
free c
pin h 5000 0
unpin h
pin i 5000 0
reset
alloc e 5000
fill e 6
check e 6
last
"""
# Calls that the first two scripts leave out.
KINDS = """init
retain primary 0
set primary
alloc a 5000
fill a 3
physical p 2097152
map v p
release_physical p
retain_physical r v
unmap v
release_physical r
array z 64 32 1
array_destroy z
mipmap m 64 32 3
mipmap_destroy m
take pool p1 5000
give pool p1
take virtual v1 2097152
give virtual v1
"""
GREEN = """init
retain primary 0
set primary
alloc a 5000
green g
green h
green_set g
alloc b 65536
green_stream s g
stream_fill s b 1
stream_sync s
free b
set primary
green_destroy h
stream t
begin t relaxed
stream_fill t a 7
green_stream u g
begin u relaxed
stream_fill u a 7
end u g4
end t g1
clone g1 g2
parent g2 g3
instantiate g2 x
launch x t
stream_sync t
check a 7
exec_destroy x
graph_destroy g2
graph_destroy g1
green_destroy g
graph gr
graph gc
child n gc gr
inside gi n
node fill n1 gr a none primary
graph_destroy gr
create other 1
alloc c 70000
fill c 5
check c 5
free c
destroy other
set primary
create last 0
alloc e 5000
fill e 4
check e 4
destroy last
set primary
free a
sync
"""
# More sizes than a pool has bins for at first.
SIZES = "".join(f"alloc a {size << 16}\nfill a 3\nfree a\n"
                for size in range(1, 24)) + "alloc b 5000\nfill b 4\ncheck b 4\n"
SCRIPTS = {"driver": ("driver", DRIVER), "shared": ("shared", RUNTIME),
           "kinds": ("driver", KINDS), "green": ("driver", GREEN),
           "sizes": ("shared", SIZES)}


def run(box, form, failing, script):
    """Runs with a failing call of mnm's. Returns how many such calls there
    were, and the run."""
    report = os.path.join(box.folder, "calls")
    done = box.run(["env", f"LD_PRELOAD={program('scarce.so')}:{LIBRARY}",
                    f"SCARCE_REPORT={report}", *failing, *FORMS[form]],
                   "page_unit_pool", stdin=script, devices=2)
    with open(report, encoding="utf-8") as file:
        return int(file.read()), done


def walk(box, name, least, step, *setting):
    """Runs the script once for each call by which mnm asks for memory or a
    thread, or once for `step` of them. Each time another one fails."""
    form, script = SCRIPTS[name]
    alone = box.run(FORMS[form], stdin=script, devices=2)
    assert "wrong" not in alone.stdout
    calls, whole = run(box, form, setting, script)
    assert calls > least and whole.stdout == alone.stdout
    for number in range(0, calls, step):
        _, short = run(box, form, [*setting, f"SCARCE_AT={number}"], script)
        assert short.stdout == alone.stdout, number
        # No thread, and no room for the other kind of record, are two
        # messages.
        said = set(short.stderr.splitlines())
        assert len(said) <= 1 + (name == "green"), (number, said)


@pytest.mark.parametrize("more", [[], ["SCARCE_ON=1"]],
                         ids=["one", "all from there on"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_job_goes_on_whatever_mnm_does_not_get(box, name, more):
    walk(box, name, 10, 1, "MNM_STAT_FILE=", *more)


def test_a_frameworks_hook_goes_on_whatever_mnm_does_not_get(box):
    """What it is told of streams is kept in a table of its own."""
    script = "init\nretain p 0\nset p\nstream s\n" + 3 * (
        "mnm_torch_malloc a 5000 0 s\nmnm_torch_record_stream a s\n"
        "mnm_torch_free a s 0\nmnm_torch_malloc b 5000 0 s\n"
        "mnm_torch_free b s 0\n")
    calls, whole = run(box, "driver", [], script)
    assert whole.returncode == 0 and calls > 10
    for number in range(calls):
        _, short = run(box, "driver", [f"SCARCE_AT={number}"], script)
        assert (short.returncode, short.stdout) == (0, whole.stdout), number
@pytest.mark.parametrize("pool", ["page_unit_pool", "best_fit_pool", "vmm_pool"])
def test_a_job_goes_on_whatever_a_checked_pool_does_not_get(box, pool):
    """Its account of what the pool holds is one more thing to get."""
    walk(box, "driver", 10, 1, "MNM_STAT_FILE=", "MNM_CHECK_POOLS=1",
         f"MNM_POOL={pool}")


def test_a_new_block_has_a_new_number_whatever_there_is_no_memory_for(box):
    script = "init\nretain p 0\nset p\nalloc a 5000\nbuffer a 0\n" \
        "free a\nalloc b 5000\nbuffer b 0\nbuffer b 100\nfree b\nsync\n"
    calls, done = run(box, "driver", ["MNM_STAT_FILE="], script)
    answers = [done.stdout.split("\n")]
    for number in range(calls):
        _, done = run(box, "driver", ["MNM_STAT_FILE=",
                                      f"SCARCE_AT={number}"], script)
        answers.append(done.stdout.split("\n"))
    for lines in answers:
        assert [line.split()[0] for line in lines if line] == 11 * ["0"]
        assert lines[4] != lines[7]  # b is another block
    assert answers[0][7] == answers[0][8]  # any address in it gives the same


def swap_short_of(box, number):
    """Swaps the pools of a device with two contexts. The call of this number,
    by which mnm asks for memory, fails. Returns the answer, the pool, and how
    many calls there were."""
    env = {"SCARCE_AT": str(number), "LD_PRELOAD":
           f"{program('scarce.so')}:{LIBRARY}"}
    report = os.path.join(box.folder, "calls")
    env["SCARCE_REPORT"] = report
    words = [f"{name}={value}" for name, value in env.items()]
    shell = box.start(["env", *words, *FORMS["driver"]], "page_unit_pool",
                      stat_file="")
    for line in ("init", "retain primary 0", "create other 0", "set primary",
                 "alloc a 5000", "fill a 3", "set other", "alloc b 3000000",
                 "fill b 4", "sync", "alloc c 70000", "free c"):
        took(shell, line)
    if not box.socket_files():
        shell.end()
        return None, None, 0
    answer = str(shell.ask("swap no_pool"))
    for line in ("alloc d 70000", "fill d 5", "sync", "set primary",
                 "alloc e 70000", "fill e 6"):
        took(shell, line)
    for name, value in zip("abde", (3, 4, 5, 6)):
        assert shell(f"check {name} {value}").endswith("right")
    stats = [shell.ask("stat") for _ in range(2)]  # one may lack something
    pool = next(device["pool"] for stat in stats if stat
                for device in stat.get("devices", [])
                if device.get("device") == 0 and "pool" in device)
    for name in "abde":
        took(shell, f"free {name}")
    shell.end()
    with open(report, encoding="utf-8") as file:
        return answer, pool, int(file.read())


def test_a_swap_that_gets_no_memory_is_refused_as_a_whole(box):
    """The failed call may be the one for either of its pools."""
    answer, pool, calls = swap_short_of(box, -1)
    assert "no_pool" in answer and pool == "no_pool"
    refused = set()
    for number in range(calls):
        answer, pool, _ = swap_short_of(box, number)
        if answer is None:
            continue  # the failed call was one for the socket
        assert pool in ("no_pool", "page_unit_pool")
        if "no memory for a new pool" in answer:
            assert pool == "page_unit_pool"
            refused.add(number)
    assert len(refused) >= 2  # one for each context


def test_a_job_ends_well_whatever_its_statistics_lack(box):
    walk(box, "driver", 100, 5)


def job(box, **options):
    """Asserts that the job is the same without mnm. Returns the lines that mnm
    has said."""
    alone = box.run(FORMS["shared"], stdin=RUNTIME)
    beside = box.run(FORMS["shared"], "page_unit_pool", stdin=RUNTIME,
                     **options)
    assert "wrong" not in alone.stdout and beside.stdout == alone.stdout
    return beside.stderr.splitlines()


def test_without_room_for_the_statistics_the_job_ends_well(box):
    said, = job(box, stat_file="/dev/full")
    assert "No space left on device" in said and "/dev/full" in said


@pytest.mark.parametrize("folder", ["/proc/mnm", "/dev/null/mnm",
                                    "/nowhere/mnm"])
def test_without_a_folder_for_it_the_job_has_no_socket(box, folder):
    said, = job(box, socket_dir=folder)
    assert said.startswith(f"mnm: warn: no control socket: {folder}: ")
    assert box.stat()["hits"] > 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_in_a_folder_that_may_not_be_written_the_job_has_no_socket(box):
    os.mkdir(box.sockets, 0o500)
    said, = job(box)
    assert "no control socket" in said and "Permission denied" in said


def inside(box, commands, command, **options):
    """Runs a program after these shell commands, which are run as root of a
    mount namespace."""
    words = ["unshare", "--map-root-user", "--mount"]
    if subprocess.run([*words, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no mount namespaces here")
    return box.run([*words, "sh", "-c", f'{commands} && exec "$@"', "sh",
                    *command], "page_unit_pool", **options)


@pytest.mark.parametrize("options, error", [
    ("size=4k,nr_inodes=1", "No space left on device"),
    ("ro", "Read-only file system"),
])
def test_on_a_full_or_read_only_disk_the_job_has_no_socket(box, options,
                                                           error):
    os.mkdir(box.sockets, 0o700)
    alone = box.run(FORMS["shared"], stdin=RUNTIME)
    run = inside(box, f"mount -t tmpfs -o mode=700,{options} none "
                 f"{box.sockets}", FORMS["shared"], stdin=RUNTIME)
    assert run.stdout == alone.stdout
    assert run.stderr.count("\n") == 1
    assert f"no control socket: {box.sockets}/" in run.stderr
    assert error in run.stderr and box.stat()["hits"] > 0


def test_on_a_disk_without_room_the_statistics_are_not_half_written(box):
    alone = box.run(FORMS["shared"], stdin=RUNTIME)
    full = os.path.join(box.folder, "full")
    os.mkdir(full)
    run = inside(box, f"mount -t tmpfs -o size=4k none {full} && "
                 f"head -c 4096 /dev/zero >{full}/all", FORMS["shared"],
                 stdin=RUNTIME, stat_file=os.path.join(full, "stat"))
    assert run.stdout == alone.stdout
    assert run.stderr.count("\n") == 1 and "No space left" in run.stderr


@pytest.mark.parametrize("limit", [0, 3])
def test_without_file_descriptors_the_job_goes_on(box, limit):
    """mnm uses descriptors of its own, or has no socket."""
    shell = box.shell("page_unit_pool")
    took(shell, "free_at 0")  # CUDA has what it needs
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (limit, 4096))
    for line in ("alloc a 5000", "fill a 3", "free a", "alloc a 5000"):
        took(shell, line)
    assert shell("check a 3").endswith("right")
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (4096, 4096))
    if box.socket_files():
        assert shell.stat()["live_bytes"] == 5000
    shell.end()
    if limit == 0:
        assert "no control socket" in box.stderr()
        assert "Too many open files" in box.stderr()
        assert box.stderr().count("\n") == 1
    assert box.stat()["hits"] == 1


def test_a_client_is_answered_once_there_are_descriptors_again(box):
    shell = box.shell("page_unit_pool")
    took(shell, "alloc a 5000")
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (3, 4096))
    with connect(box.socket_of(shell.pid)) as client:
        client.sendall(request("pools"))
        took(shell, "alloc b 5000")
        resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (4096, 4096))
        assert "pools" in answer_of(client)
    shell.end()
    assert box.stderr() == ""


@pytest.mark.parametrize("room", [100 << 10, 1 << 20, 4 << 20])
def test_without_address_space_the_job_goes_on(box, room):
    """CUDA has what it needs. There is no room for mnm's tables and its
    thread."""
    shell = box.shell("page_unit_pool")
    for line in ("free_at 0", "pin h 5000 0", "unpin h"):
        took(shell, line)
    with open(f"/proc/{shell.pid}/statm", encoding="utf-8") as file:
        used = int(file.read().split()[0]) * os.sysconf("SC_PAGESIZE")
    resource.prlimit(shell.pid, resource.RLIMIT_AS, (used + room,) * 2)
    for line in ("alloc a 5000", "alloc b 3000000", "free b",
                 "alloc c 3000000", "free a", "free c"):
        took(shell, line)
    assert shell("last") == "0"
    shell.end()
    assert box.stderr().count("\n") <= 1


HOOKS = """init
retain p 0
set p
stream s
stream t
""" + "".join(f"mnm_torch_malloc a{i} 5000 0 s\nmnm_torch_record_stream a{i} t\n"
              for i in range(12)) + \
    "".join(f"mnm_torch_free a{i} s 0\n" for i in range(12)) + "sync\n"


@pytest.mark.parametrize("more", [[], ["SCARCE_ON=1"]],
                         ids=["one", "all from there on"])
def test_a_frameworks_hook_goes_on_whatever_it_does_not_get(box, more):
    calls, whole = run(box, "driver", ["MNM_STAT_FILE=", *more], HOOKS)
    assert calls > 10 and whole.stdout.count("set") == 12
    for number in range(calls):
        _, short = run(box, "driver", ["MNM_STAT_FILE=", *more,
                                       f"SCARCE_AT={number}"], HOOKS)
        assert short.stdout == whole.stdout, number
