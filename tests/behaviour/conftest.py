"""What the tests share: where things were built, and a Box to run them in.

A Box is a folder of its own with its own control sockets. Programs run on the
simulated device, under the preload unless the pool is None."""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import pytest

# A shell's background hides SIGINT from its programs, and they would hide it from
# those that a test interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("MNM_BUILD",
                                       os.path.join(ROOT, "build")))
MNM = os.path.join(BUILD, "mnm")
LIBRARY = os.path.join(BUILD, "libmnm.so")
PROGRAMS = os.path.join(BUILD, "tests", "programs")
EXAMPLES = os.path.join(BUILD, "examples")
TRACES = os.path.join(ROOT, "examples", "traces")
DEADLINE = 120  # seconds; only a hang takes so long
MIB = 1 << 20
with open(os.path.join(ROOT, "src", "common", "pool_list.h"),
          encoding="utf-8") as pool_list:
    ROWS = [(pool, own.lower()) for pool, own in re.findall(
        r"^POOL\((\w+), (\w+),", pool_list.read(), re.MULTILINE)]
POOLS = [pool for pool, _ in ROWS][::-1]
# Every pool that places its blocks, with each backing: its own by its name. The
# backing host is that of pinned memory alone.
PLACING = [name for pool, own in ROWS if own != "none"
           for name in (pool, *(f"{pool}@{backing}" for backing in
                                ("device", "virtual", "managed")
                                if backing != own))]
PINNING = [f"{pool}@host" for pool, own in ROWS if own != "none"]
# One pool of each kind that the library treats in a way of its own: one that
# keeps nothing, one that keeps what was freed, and those that place blocks in
# regions, in virtual memory and in managed memory. What does not depend on a
# pool's policy is tested with these. The blocks of WHOLE are allocations of the
# driver's, one for each request that nothing idle serves. SERVING are those that
# serve stream-ordered memory, and a request of a size that was freed by that
# block.
WHOLE = ["no_pool", "page_unit_pool"]
KINDS = [*WHOLE, "vmm_pool", "best_fit_pool@managed"]
SERVING = ["page_unit_pool", "vmm_pool"]


# Kinds of memory that have handles, which CUDA leaves alone if it refuses them.
# Where an address is to go, it writes 0 then.
HANDLES = ["array", "array3d", "mipmap", "virtual"]


def refused(kind):
    """The answer to a request of such memory if there is no room."""
    return "2 kept" if kind in HANDLES else "2 null"


def sanitizers():
    """The sanitizer runtimes that libmnm.so was built with; they have to come
    first in LD_PRELOAD."""
    needed = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True,
                            text=True, check=True).stdout
    return [subprocess.run(["gcc", f"-print-file-name={name}.so"],
                           capture_output=True, text=True,
                           check=True).stdout.strip()
            for name in ("libasan", "libtsan") if f"{name}.so" in needed]


SANITIZERS = sanitizers()
plain_build_only = pytest.mark.skipif(
    bool(SANITIZERS), reason="a sanitizer's runtime changes what the host "
    "programs do; they are run in the plain build")
races_only_without_tsan = pytest.mark.skipif(
    any("libtsan" in path for path in SANITIZERS),
    reason="the program's own work on the device races, as it is to")
last_calls_only_without_tsan = pytest.mark.skipif(
    any("libtsan" in path for path in SANITIZERS),
    reason="ThreadSanitizer is done with a thread before its last destructors")
# A lock of the allocator that another thread holds at the fork stays held in
# the child.
forks_only_without_asan = pytest.mark.skipif(
    any("libasan" in path for path in SANITIZERS),
    reason="AddressSanitizer's allocator can't be forked beside a thread")


def cuda_home():
    """The toolkit, looked for where the Makefile looks."""
    for home in (os.environ.get("CUDA_HOME", ""),
                 os.path.join(ROOT, "build", "cuda"), "/usr/local/cuda"):
        if os.path.exists(os.path.join(home, "bin", "nvcc")):
            return home
    raise FileNotFoundError("no CUDA toolkit; scripts/setup fetches one")


def skip_if_the_build_is_in_tmp():
    """For tests whose programs have a /tmp of their own."""
    if os.path.realpath(BUILD).startswith("/tmp/"):
        pytest.skip("the build is in /tmp, which is another one there")


def await_true(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def program(name):
    return os.path.join(PROGRAMS, name)


FORMS = {
    "shared": [program("shell_shared")],
    "static": [program("shell_static")],
    "plugin": [program("plugin_host"), program("shell_plugin.so")],
    "driver": [program("shell_driver")],
}
RUNTIME_FORMS = ["shared", "static", "plugin"]


class Shell:
    """A running tests/programs/shell. Each call sends a line and returns the
    answer."""

    def __init__(self, box, process):
        self.box = box
        self.process = process
        self.pid = process.pid
        self.unread = b""

    def read(self):
        while b"\n" not in self.unread:
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        DEADLINE)
            assert ready, "the program hangs"
            got = os.read(self.process.stdout.fileno(), 65536)
            assert got, f"the program ended: {self.box.stderr()}"
            self.unread += got
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode()

    def send(self, line):
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def __call__(self, line):
        self.send(line)
        return self.read()

    def end(self):
        """Ends the input. The program has to end well."""
        self.process.stdin.close()
        status = self.process.wait(DEADLINE)
        assert status == 0, self.box.stderr()

    def ask(self, words):
        return ask(self.box.socket_of(self.pid), words)

    def stat(self, device=0):
        answer = self.ask("stat")
        return next(d for d in answer["devices"] if d["device"] == device)


class Box:
    """A place where a test's programs run, with what they leave behind."""

    def __init__(self, folder):
        self.folder = folder
        self.sockets = os.path.join(folder, "sockets")
        self.stat_file = os.path.join(folder, "stat")
        self.report_file = os.path.join(folder, "report")
        self.stderr_file = os.path.join(folder, "stderr")
        self.processes = []

    def env(self, pool, sim="64M", devices=1, fail=None, preload=True,
            **options):
        env = {k: v for k, v in os.environ.items() if k[:4] != "MNM_"}
        env.update(MNM_SIM=sim, MNM_SIM_DEVICES=str(devices),
                   MNM_SIM_CLOCK="zero", MNM_SIM_REPORT=self.report_file,
                   MNM_SOCKET_DIR=self.sockets, MNM_POSTMORTEM="off")
        env["LD_LIBRARY_PATH"] = os.path.join(BUILD, "sim")
        # By default each program with a thread sleeps a second at its exit.
        env["TSAN_OPTIONS"] = ":".join(["atexit_sleep_ms=0",
                                        env.get("TSAN_OPTIONS", "")])
        if fail:
            env["MNM_SIM_FAIL"] = fail
        if pool:
            env.update(MNM_POOL=pool, MNM_STAT_FILE=self.stat_file)
        if pool and preload:
            env["LD_PRELOAD"] = ":".join([*SANITIZERS, LIBRARY])
        for name, value in options.items():
            env[f"MNM_{name.upper()}"] = str(value)
        return env

    def run(self, command, pool=None, check=True, stdin="", **options):
        """Runs a program to its end."""
        env = self.env(pool, **options)
        if command[0] == MNM and SANITIZERS:
            env.setdefault("LD_PRELOAD", ":".join(SANITIZERS))
        done = subprocess.run(command, env=env, input=stdin,
                              capture_output=True, text=True,
                              timeout=DEADLINE)
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    def start(self, command, pool=None, **options):
        """Starts a program that the test leads by its standard input."""
        with open(self.stderr_file, "ab") as stderr:
            process = subprocess.Popen(command, env=self.env(pool, **options),
                                       stdin=subprocess.PIPE, stderr=stderr,
                                       stdout=subprocess.PIPE)
        self.processes.append(process)
        return Shell(self, process)

    def shell(self, pool=None, form="shared", **options):
        return self.start(FORMS[form], pool, **options)

    def stderr(self):
        with open(self.stderr_file, encoding="utf-8") as file:
            return file.read()

    def stat(self, device=0, path=None):
        """The figures that the last program wrote at its exit."""
        with open(path or self.stat_file, encoding="utf-8") as file:
            devices = json.load(file)["devices"]
        return next(d for d in devices if d["device"] == device)

    def pools(self):
        """The pools that served the last program's devices at its exit."""
        with open(self.stat_file, encoding="utf-8") as file:
            return {d["pool"] for d in json.load(file)["devices"]}

    def report(self):
        """What the simulated device saw: its calls by name, and each
        device."""
        calls, devices = {}, []
        with open(self.report_file, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words[0] == "call":
                    calls[words[1]] = int(words[2])
                elif words[0] == "device":
                    devices.append({k: int(v) for k, v in
                                    zip(words[2::2], words[3::2])})
        return calls, devices

    def socket_of(self, pid):
        return os.path.join(self.sockets, f"{pid}.sock")

    def socket_files(self):
        return sorted(os.listdir(self.sockets)) if os.path.isdir(
            self.sockets) else []

    def env_of_mnm(self, **more):
        """For `mnm`, which may start itself under the library."""
        env = {**self.env(None), **more}
        if SANITIZERS:
            env["LD_PRELOAD"] = ":".join(SANITIZERS)
        return env

    def mnm(self, *words, check=True):
        """Runs the `mnm` command beside this box's programs."""
        done = subprocess.run([MNM, *map(str, words)], env=self.env_of_mnm(),
                              capture_output=True, text=True,
                              timeout=DEADLINE)
        assert not check or done.returncode == 0, done.stderr
        return done

    def close(self):
        for process in self.processes:
            if process.poll() is None and COUNTED:
                end_gently(process)
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdin.close()
            process.stdout.close()
        shutil.rmtree(self.folder)


# In a build for scripts/coverage a process that is killed reports nothing.
COUNTED_IN = os.path.join(BUILD, "obj", "src", "mem", "mem")
COUNTED = os.path.exists(f"{COUNTED_IN}.gcno")
uncounted_build_only = pytest.mark.skipif(
    COUNTED, reason="what counts lines has a start, files and calls of its own")


def end_gently(process):
    """Lets a program end that only waits for the end of its input."""
    try:
        process.stdin.close()
        process.wait(2)
    except (OSError, subprocess.TimeoutExpired):
        pass


REFUSAL = re.compile(r"mnm: error: (device \d+|pinned memory): "
                     r"(out of memory|refused by hard_limit): .*\n")


def besides_refusals(stderr):
    """What was said on stderr, without the lines about refused memory."""
    return REFUSAL.sub("", stderr)


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(DEADLINE)
    client.connect(path)
    return client


def receive(client):
    """All of an answer. The connection is reset if a request was left
    unread."""
    text = b""
    try:
        while True:
            got = client.recv(65536)
            if not got:
                break
            text += got
    except ConnectionResetError:
        pass
    return text.decode(errors="replace")


def request(words):
    """The line by which `mnm` makes a request of a process, from words such as
    "swap --device 0 no_pool"."""
    command, *rest = words.split(" ")
    fields = {"command": command}
    while rest and rest[0].startswith("--"):
        name, value, *rest = rest
        fields[name[2:]] = int(value) if value.isdigit() else value
    fields.update(zip(["option", "value"] if command == "set" else ["pool"],
                      rest, strict=False))
    return json.dumps(fields).encode() + b"\n"


def answer_of(client):
    """The answer as an object, or None if there is none."""
    answer = receive(client)
    return json.loads(answer) if answer else None


def ask(path, words):
    with connect(path) as client:
        client.sendall(request(words))
        return answer_of(client)


@pytest.fixture
def box():
    """A box in /tmp, as the path of a socket must be short."""
    made = Box(tempfile.mkdtemp(prefix="mnm-test-", dir="/tmp"))
    yield made
    made.close()
