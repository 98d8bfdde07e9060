"""mnm's own thread and its files, in a process that does what it likes."""

import os
import platform
import resource
import shutil
import socket
import subprocess
import threading
import time

import pytest

from conftest import DEADLINE, FORMS, ask, connect, plain_build_only, \
    program, skip_if_the_build_is_in_tmp, uncounted_build_only
from test_pool import took

pytestmark = plain_build_only

RESIDENT = program("resident")
POOL = "page_unit_pool"


class Asker:
    """Asks every process of the box, as fast as it can, until it is closed."""

    def __init__(self, box):
        self.box = box
        self.answers = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.over.is_set():
            for name in self.box.socket_files():
                try:
                    path = os.path.join(self.box.sockets, name)
                    self.answers += bool(ask(path, "pools"))
                except OSError:
                    pass

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def test_descriptors_of_mnm_never_meet_the_programs(box):
    with Asker(box) as asker:
        done = box.run([RESIDENT, "redirects"], POOL)
    assert done.stdout == "begins\nmoved 0 busy 0 lost 0 wrong 0\n"
    assert asker.answers > 0


def test_a_plan_that_is_read_takes_no_number_from_the_program(box):
    path = os.path.join(box.folder, "wrong.plan")
    with open(path, "w", encoding="utf-8") as file:
        file.write("wrong")
    done = box.run([RESIDENT, "contexts"], "tstack_pool", plan=path)
    assert done.stdout == "moved 0 wrong 0\n"
    assert set(done.stderr.splitlines()) == {
        f"mnm: warn: plan {path}: it is no plan; the pool learns without it"}


def test_what_a_program_closes_is_closed(box):
    done = box.run([RESIDENT, "closed_output"], POOL)
    assert done.stdout == "read 0\n"


def test_the_control_thread_still_says_what_it_has_to_on_stderr(box):
    shell = box.shell(POOL, log="info")
    took(shell, "alloc a 5000")
    before = box.stderr()
    assert "devices" in shell.ask("swap no_pool")
    assert "no_pool" in box.stderr()[len(before):]
    shell.end()


@pytest.mark.parametrize("how", ["main_leaves", "worker_leaves_last"])
@pytest.mark.parametrize("asked", [False, True])
def test_a_program_whose_main_left_ends_with_its_last_thread(box, how, asked):
    """Requests meanwhile make no difference, and the last thread runs the exit
    handlers."""
    if asked:
        with Asker(box):
            done = box.run([RESIDENT, how], POOL)
    else:
        done = box.run([RESIDENT, how], POOL)
    assert (done.stdout, done.stderr) == ("left in the buffer\n", "")
    assert box.stat()["allocs"] == (1 + 4) * 1000
    assert box.socket_files() == []


@pytest.mark.parametrize("how", ["main_leaves", "main_leaves_poor",
                                 "main_leaves_apart"])
def test_main_wakes_the_control_thread_as_it_leaves(box, how):
    """Whatever main may do by then, no thread waits until a time is over."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    path = os.path.join(box.folder, "strace")
    preload = f"LD_PRELOAD={box.env(POOL)['LD_PRELOAD']}"
    done = box.run(["strace", "-f", "-o", path, "-e", "trace=/^p?poll$,tgkill",
                    "env", preload, RESIDENT, how], POOL, preload=False)
    if done.stdout == "no other networks here\n":
        pytest.skip("only root has other networks")
    assert done.stdout == "left in the buffer\n"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    calls = text.split("tgkill(")  # strace may show a call in two lines
    assert [call.split(",")[2][:7] for call in calls[1:]] == [" SIGURG"]
    assert "Timeout" not in calls[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root")
@pytest.mark.parametrize("how", ["main_leaves", "worker_leaves_last"])
def test_it_does_so_in_a_root_without_proc(box, how):
    root = os.path.join(box.folder, "root")
    os.mkdir(root)
    with Asker(box):
        done = box.run([RESIDENT, how, root], POOL, stat_file="")
    assert done.stdout == "left in the buffer\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root")
def test_the_sockets_file_goes_from_another_root_too(box):
    root = os.path.join(box.folder, "root")
    os.mkdir(root)
    box.run([RESIDENT, "changes_root", root], POOL, stat_file="")
    assert box.socket_files() == []


@pytest.mark.parametrize("how", ["changes_user", "executes", "detaches"])
@pytest.mark.parametrize("who", ["mnm", "another"])
def test_what_a_program_leaves_behind_is_swept(box, how, who):
    """`mnm` sweeps it, or the next program under mnm does."""
    if how == "changes_user" and os.geteuid() != 0:
        pytest.skip("only root may be another user")
    box.run([RESIDENT, how], POOL, stat_file="")
    left, = box.socket_files()
    if who == "mnm":
        assert box.mnm("ps").stdout.count("\n") == 1
        assert box.socket_files() == []
        return
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    assert shell.stat()["live_bytes"] == 5000
    assert left not in box.socket_files()
    shell.end()
    assert box.socket_files() == []


def test_of_a_program_that_executes_another_it_is_swept_at_once(box):
    shell = box.start([RESIDENT, "executes"], POOL)
    assert shell("executed") == "executed"
    assert box.socket_files() == [f"{shell.pid}.sock"]
    assert "resident" not in box.mnm("ps").stdout
    assert box.socket_files() == []
    shell.end()


@pytest.mark.parametrize("who", ["mnm", "another"])
def test_what_was_aside_when_its_process_ended_is_swept(box, who):
    """A file at which somebody listens stays, as its process may get its name
    back."""
    os.mkdir(box.sockets, 0o700)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(os.path.join(box.sockets, "4194298.old"))
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(os.path.join(box.sockets, "4194297.old"))
        listens.listen()
        if who == "mnm":
            box.mnm("ps", check=False)
        else:
            shell = box.shell(POOL)
            took(shell, "alloc a 5000")
            shell.stat()
            shell.end()
        assert box.socket_files() == ["4194297.old"]


def test_only_what_nobody_listens_at_is_swept(box):
    """It makes no difference whether a process has the number. Other files
    stay."""
    os.mkdir(box.sockets, 0o700)
    kept = ["1.new", "4194303.sock", "4194302", "x.sock", "4194301.sock.old"]
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(os.path.join(box.sockets, "4194303.sock"))
        listens.listen()
        for name in kept:
            if name != "4194303.sock":
                with open(os.path.join(box.sockets, name), "wb"):
                    pass
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(os.path.join(box.sockets, "4194300.sock"))
        shell = box.shell(POOL)
        took(shell, "alloc a 5000")
        shell.stat()
        assert box.socket_files() == sorted([*kept, f"{shell.pid}.sock"])
        shell.end()


def test_a_file_that_is_no_socket_is_not_swept(box):
    os.mkdir(box.sockets, 0o700)
    with open(box.socket_of(4194299), "wb"):
        pass
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    shell.stat()  # the control thread has swept
    box.mnm("ps")
    assert os.path.exists(box.socket_of(4194299))
    shell.end()


def test_a_filter_that_kills_is_not_met(box):
    """The program has the filter from its parent, so a child can try it. There
    are no caches without membarrier(2), and everything works."""
    shell = box.start([RESIDENT, "filter_inherited", "-"], POOL)
    assert shell.read() == "wrong 0"
    name, = box.socket_files()
    figures = ask(os.path.join(box.sockets, name), "stat")
    assert figures["devices"][0]["allocs"] == 1000
    shell.end()
    assert box.stat()["hits"] > 900
    assert box.stderr() == "" and box.socket_files() == []


NO_SOCKET = ("mnm: warn: no control socket: a filter of system calls may kill "
             "for it\n")
OF_A_SOCKET = ["socket", "bind", "listen", "accept4"] + [
    "mkdir", "chmod", "rename", "unlink"] * (platform.machine() == "x86_64") + [
    "kill", "tgkill"]


@pytest.mark.parametrize("words", [
    *(f"filter_inherited {call}" for call in OF_A_SOCKET),
    *(f"filter_of {call}" for call in OF_A_SOCKET), "filter", "filter_traps"])
def test_a_filter_that_kills_for_a_socket_is_not_met(box, words):
    command = [RESIDENT, *words.split()]
    alone = box.run(command)
    assert alone.stdout == "wrong 0\n"
    beside = box.run(command, POOL, stat_file="")
    assert beside.stdout == alone.stdout
    assert beside.stderr == NO_SOCKET
    assert box.socket_files() == []


@uncounted_build_only
@pytest.mark.parametrize("how", ["filter_of", "filter_before"])
def test_a_filter_of_the_programs_own_is_not_met(box, how):
    """Left out are only the calls that the C library needs for any lock, that
    mnm's one line needs, or that ask whether there is a filter."""
    needed = {"x86_64": [14, 157, 202], "aarch64": [135, 167, 98]}
    for call in range(450):
        command = [RESIDENT, how, str(call)]
        alone = box.run(command, check=False)
        if call in needed[platform.machine()] or alone.returncode:
            continue
        beside = box.run(command, POOL, stat_file="")
        assert (beside.stdout, beside.stderr) == (alone.stdout, NO_SOCKET)
    assert box.socket_files() == []


# What it takes to start a thread, and to look after it.
OF_A_THREAD = {
    "x86_64": [10, 13, 56, 218, 228, 234, 273, 302, 334, 435],
    "aarch64": [96, 99, 113, 131, 134, 220, 226, 261, 293, 435]}


@uncounted_build_only
@pytest.mark.parametrize("how", ["filter_of", "filter_before"])
def test_nor_is_it_met_where_calls_of_pools_are_watched(box, how):
    for call in OF_A_THREAD[platform.machine()]:
        command = [RESIDENT, how, str(call)]
        alone = box.run(command, check=False)
        if alone.returncode:
            continue
        beside = box.run(command, POOL, stat_file="", check_pools=1)
        assert (beside.stdout, beside.stderr) == (alone.stdout, NO_SOCKET)


@uncounted_build_only
@pytest.mark.parametrize("how", ["filter_of", "filter_before"])
def test_a_pool_that_plans_does_not_meet_it_either(box, how):
    """A plan of a file has a thread from the pool's beginning on. The simulated
    driver maps memory by calls that the filter may kill for."""
    for call in OF_A_THREAD[platform.machine()]:
        command = [RESIDENT, how, str(call)]
        alone = box.run(command, check=False)
        if alone.returncode:
            continue
        beside = box.run(command, "tstack_pool@device", stat_file="",
                         plan="none")
        assert (beside.stdout, beside.stderr) == (alone.stdout, NO_SOCKET)


def test_no_thread_begins_under_a_filter_of_the_programs_own(box):
    """It is set after the first blocks, and kills for a new thread."""
    done = box.run([RESIDENT, "filter_planned", "-"], "tstack_pool")
    assert (done.stdout, done.stderr) == ("wrong 0\n", "")
    plan = box.stat()["plan"]
    assert (plan["state"], plan["plans"]) == ("learning", 0)


def own_group():
    """The control group of this process, if groups may be made below it."""
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        path = next((line.split("::", 1)[1].strip() for line in file
                     if line.startswith("0::")), None)
    for top in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if path and os.path.exists(f"{top}{path}/cgroup.procs"):
            return f"{top}{path}"
    return None


@pytest.fixture
def group():
    """A new control group without processes."""
    path = os.path.join(own_group() or "/none", f"mnm-test-{os.getpid()}")
    try:
        os.mkdir(path)
    except OSError:
        pytest.skip("no control groups may be made here")
    yield path
    deadline = time.monotonic() + DEADLINE
    while os.path.exists(path) and time.monotonic() < deadline:
        try:
            os.rmdir(path)
        except OSError:
            time.sleep(0.01)


NUMBERS = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc"]


def test_a_filter_in_a_container_costs_nothing(box):
    """The first process of a container has no parent."""
    if subprocess.run([*NUMBERS, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no PID namespaces here")
    shell = box.start([*NUMBERS, RESIDENT, "filter_before", "500"], POOL)
    assert shell.read() == "wrong 0"
    assert box.socket_files() == ["1.sock"] and box.stderr() == ""
    shell.end()


def test_nor_does_one_where_the_parent_is_seen(group, box):
    """It is so in a container that sees the machine's processes, and in a
    service."""
    shell = box.start(["sh", "-c", 'echo 0 >"$0"/cgroup.procs; exec "$@"',
                       group, RESIDENT, "filter_before", "500"], POOL)
    assert shell.read() == "wrong 0"
    assert box.socket_files() == [f"{shell.pid}.sock"] and box.stderr() == ""
    shell.end()


def test_a_filter_that_refuses_membarrier_late_ends_the_caches(box):
    shell = box.start([RESIDENT, "filter_late"], POOL)
    assert shell.read() == "wrong 0"
    assert shell.stat()["allocs"] == 3000
    shell.end()
    assert box.stat()["hits"] > 1800 and box.stderr() == ""


def switches(pid):
    """How often the control thread has slept."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="utf-8") as file:
            text = file.read()
        if "Name:\tmnm-control\n" in text:
            return int(text.split("\nvoluntary_ctxt_switches:")[1].split()[0])
    raise AssertionError("no control thread")


def sleeps(pid):
    """Whether the control thread goes on sleeping and waking."""
    least = switches(pid) + 5
    deadline = time.monotonic() + DEADLINE
    while switches(pid) < least and time.monotonic() < deadline:
        time.sleep(0.01)
    return switches(pid) >= least


def test_without_any_descriptor_the_control_thread_sleeps(box):
    shell = box.shell(POOL)
    took(shell, "alloc a 5000")
    resource.prlimit(shell.pid, resource.RLIMIT_NOFILE, (0, 0))
    with connect(box.socket_of(shell.pid)):  # this ends the wait for a client
        assert sleeps(shell.pid)
    shell.end()


def test_a_folder_has_its_mode_whatever_the_umask(box):
    shell = box.start(["sh", "-c", 'umask 0177; exec "$0"', *FORMS["shared"]],
                      POOL)
    took(shell, "alloc a 5000")
    assert os.stat(box.sockets).st_mode & 0o777 == 0o700
    assert shell.stat()["live_bytes"] == 5000
    shell.end()
    assert box.stderr() == ""


def statistics_at(box, path, command=None, **options):
    """Asserts that the end and the output are the same without statistics.
    Returns what mnm said."""
    command = command or [RESIDENT, "main_leaves"]
    done = box.run(command, POOL, stat_file=path, check=False, **options)
    assert (done.returncode, done.stdout) == (0, "left in the buffer\n")
    return done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a link away")
@pytest.mark.parametrize("owner,written", [(65534, False), (0, True)])
def test_a_link_of_another_user_leads_the_statistics_nowhere(box, owner,
                                                             written):
    path, target = (os.path.join(box.folder, name)
                    for name in ("link", "target"))
    with open(target, "w", encoding="utf-8") as file:
        file.write("mine\n")
    os.symlink(target, path)
    os.lchown(path, owner, owner)
    said = statistics_at(box, path)
    with open(target, encoding="utf-8") as file:
        assert (file.read() != "mine\n") == written
    assert os.path.islink(path)
    assert said == ("" if written else "mnm: warn: statistics not written to "
                    f"{path}: Permission denied\n")


def test_statistics_into_a_pipe_that_nobody_reads_end_no_program(box):
    path = os.path.join(box.folder, "pipe")
    os.mkfifo(path)
    said = statistics_at(box, path)
    assert said.startswith(f"mnm: warn: statistics not written to {path}")
    assert said.count("\n") == 1


def test_statistics_into_a_pipe_with_a_reader_arrive(box):
    path = os.path.join(box.folder, "pipe")
    os.mkfifo(path)
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        assert statistics_at(box, path) == ""
        assert reader.read().startswith(b"{")


def test_a_message_queue_still_tells_the_program(box):
    alone = box.run([RESIDENT, "queue_tells"]).stdout
    if alone == "no queues here\n":
        pytest.skip("a system without message queues")
    assert alone == "told 1\n"
    assert box.run([RESIDENT, "queue_tells"], POOL).stdout == alone


def test_statistics_into_shared_memory_are_a_file(box):
    path = f"/dev/shm/mnm-test-{os.getpid()}-{os.path.basename(box.folder)}"
    try:
        for _ in range(2):
            assert statistics_at(box, path) == ""
            assert box.stat(path=path)["allocs"]
    finally:
        if os.path.exists(path):
            os.unlink(path)


def test_statistics_into_a_broken_pipe_end_no_program(box):
    """Standard error is a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([RESIDENT, "main_leaves"],
                          env=box.env(POOL, stat_file="/dev/stderr"),
                          stdout=subprocess.PIPE, stderr=writing,
                          timeout=DEADLINE, check=False)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"left in the buffer\n")


@uncounted_build_only
@pytest.mark.parametrize("there", [False, True])
def test_statistics_past_the_limit_of_files_end_no_program(box, there):
    if there:
        with open(box.stat_file, "w", encoding="utf-8") as file:
            file.write("of the run before\n")
    said = statistics_at(box, box.stat_file, [
        "prlimit", "--fsize=64", "env", "-u", "MNM_SIM_REPORT", RESIDENT,
        "main_leaves"])
    assert "File too large" in said and said.count("\n") == 1
    left = {name for name in os.listdir(box.folder) if "stat" in name}
    assert left == ({"stat"} if there else set())
    if there:
        with open(box.stat_file, encoding="utf-8") as file:
            assert file.read() == "of the run before\n"


def test_statistics_replace_a_file_and_follow_a_link(box):
    real = os.path.join(box.folder, "real")
    with open(real, "w", encoding="utf-8") as file:
        file.write("x" * 100000)
    os.symlink(real, box.stat_file)
    assert statistics_at(box, box.stat_file) == ""
    assert os.path.islink(box.stat_file) and box.stat(path=real)["allocs"]


def test_a_signal_that_everybody_blocks_stays_the_programs(box):
    """The signal wakes the control thread as well, which neither takes it nor
    spins on it."""
    alone = box.run([RESIDENT, "signal_waits"])
    shell = box.start([RESIDENT, "signal_waits"], POOL)
    assert shell.read() == "sent"
    for _ in range(3):
        assert shell.stat()["allocs"] == 1000
    assert sleeps(shell.pid)
    shell.process.stdin.close()
    assert [shell.read()] == alone.stdout.splitlines()[1:]
    assert shell.process.wait(DEADLINE) == 0


def another_tmp(box):
    """A folder of the box, and the commands that put it in place of /tmp.
    The box itself stays where it is."""
    skip_if_the_build_is_in_tmp()
    tmp = os.path.join(box.folder, "tmp")
    inner = os.path.join(tmp, os.path.basename(box.folder))
    os.makedirs(inner)
    return tmp, (f"mount --bind {box.folder} {inner} && "
                 f"mount --rbind {tmp} /tmp")


def in_another_tmp(box, make, command):
    """Starts a program whose /tmp is a folder of the box. `make` are the
    commands that prepare that folder."""
    _, mount = another_tmp(box)
    words = ["unshare", "--map-root-user", "--mount"]
    if subprocess.run([*words, "true"], capture_output=True,
                      check=False).returncode:
        pytest.skip("no mount namespaces here")
    script = f"{mount} && {make} && exec \"$@\""
    env_of = box.env

    def env(*args, **options):
        made = env_of(*args, **options)
        made.pop("MNM_SOCKET_DIR")
        made.pop("XDG_RUNTIME_DIR", None)
        return made

    box.env = env
    return box.start([*words, "sh", "-c", script, "sh", *command], POOL)


@pytest.mark.parametrize("made", ["touch /tmp/mnm-0",
                                  "ln -s /etc /tmp/mnm-0"])
def test_a_folder_that_somebody_made_first_hinders_nobody(box, made):
    """The socket gets another place, and `mnm` finds it by the process."""
    shell = in_another_tmp(box, made, FORMS["shared"])
    took(shell, "alloc a 5000")
    place, = [name for name in os.listdir(os.path.join(box.folder, "tmp"))
              if name.startswith("mnm-0-")]
    assert os.listdir(os.path.join(box.folder, "tmp", place)) == [
        f"{shell.pid}.sock"]
    stat = box.mnm("stat", shell.pid, "--json")
    assert '"live_bytes":5000' in stat.stdout
    shell.end()
    assert box.stderr() == ""
    # The next process uses the place that exists.
    assert os.listdir(os.path.join(box.folder, "tmp", place)) == []
