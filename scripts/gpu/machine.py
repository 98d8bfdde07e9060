"""Where the checks run: the build, the device, and a way to start programs
on it with and without mnm, each within a time limit."""

import concurrent.futures
import datetime
import glob
import importlib.metadata
import itertools
import json
import os
import platform
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time

from meter import Meter

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get(
    "MNM_BUILD", os.environ.get("BUILD", os.path.join(ROOT, "build"))))
HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77  # the exit status of a program that can't do its work here
# A main thread that waits in one piece may miss a signal that comes just before.
LOOK_SECONDS = 0.2
# What a report says the version of, where pip has installed it.
PACKAGES = ("torch", "jax", "cupy-cuda13x", "cupy-cuda12x", "numba-cuda",
            "numba", "numpy", "rmm-cu13")

# The options of a run under mnm, by level. None is a run without mnm.
LEVELS = {
    "native": None,
    "fence": {"fence": "fence"},
    "fence at once": {"fence": "fence", "quarantine": "0"},
    "sync": {"fence": "sync"},
    "none": {"fence": "none", "force": "1"},
}


class Skip(Exception):
    """A check that can't be made here, and why."""


class Failed(Exception):
    """A check that did not hold, why, and its figures."""

    def __init__(self, reason, **figures):
        super().__init__(reason)
        self.figures = figures


class Done:
    """How a program ended, mnm's figures if it wrote them, and the most memory
    of the device that it had, or None."""

    def __init__(self, status, out, err, seconds, stat, peak):
        self.status, self.out, self.err = status, out, err
        self.seconds, self.stat, self.peak = seconds, stat, peak

    def why(self):
        """One line about an end that was not good."""
        if self.status is None:
            return f"out of time after {self.seconds:.0f} s"
        said = (self.err.strip() or self.out.strip()).splitlines()
        return f"exit status {self.status}" + (f": {said[-1]}" if said else "")

    def json(self):
        """The last line of the output."""
        return json.loads(self.out.strip().splitlines()[-1])


def ours(folder):
    return folder and os.path.realpath(folder) != os.path.join(BUILD, "sim")


def runtime_folders():
    """Where a CUDA 13 runtime may be: in a toolkit, or installed by pip."""
    site = sysconfig.get_paths()["purelib"]
    places = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda",
              os.path.join(ROOT, "build", "cuda"),
              *glob.glob(os.path.join(site, "nvidia", "cu*")),
              *glob.glob(os.path.join(site, "nvidia", "cuda_runtime"))]
    return [os.path.join(place, lib) for place in places if place
            for lib in ("lib64", "lib")
            if glob.glob(os.path.join(place, lib, "libcudart.so.13*"))]


class Machine:
    def __init__(self, simulated, deadline):
        self.simulated = simulated
        self.deadline = deadline    # of everything, time.monotonic()
        self.part_deadline = deadline
        self.meter = None  # where there is a device that NVML may know
        self.scratch = tempfile.TemporaryDirectory(prefix="gpu-check-")
        self.numbers = itertools.count()
        self.claims = {}  # of each Check program that ran without mnm
        self.running = set()  # processes, of any thread
        self.stopped = None  # the exit status, once it is to end
        if not os.path.exists(os.path.join(BUILD, "mnm")):
            sys.exit(f"gpu-check: {BUILD}/mnm is not built; run make "
                     "build-check")

    def build(self, *names):
        """The path of something that was built."""
        path = os.path.join(BUILD, *names)
        if not os.path.exists(path):
            raise Skip(f"{os.path.join(*names)} is not built")
        return path

    def safe_levels(self):
        """The levels under mnm that must not change what a program does."""
        return {name: options for name, options in LEVELS.items()
                if name not in ("native", "none")}

    def environment(self, extra, runtime):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("MNM_", "CK_", "LD_PRELOAD"))}
        paths = [p for p in env.get("LD_LIBRARY_PATH", "").split(":")
                 if ours(p)]
        if self.simulated:
            paths.insert(0, os.path.join(BUILD, "sim"))
            env["MNM_SIM"] = "t4"
        elif runtime:
            paths += runtime_folders()
        env["LD_LIBRARY_PATH"] = ":".join(paths)
        env["MNM_SOCKET_DIR"] = os.path.join(self.scratch.name, "s")
        env.update(extra or {})
        return env

    def left(self):
        return min(self.deadline, self.part_deadline) - time.monotonic()

    def run(self, command, options=None, limit=600, env=None, stdin="",
            runtime=True, measured=True):
        """Runs a program, under mnm unless options is None. Without runtime,
        the program has to find its CUDA runtime itself, as frameworks do.
        Programs that run at the same time must not be measured."""
        left = self.left()
        self.go_on()
        if left <= 0:
            raise Skip("no time left")
        meter = self.meter if measured else None
        stat = os.path.join(self.scratch.name, f"stat.{next(self.numbers)}")
        if options is not None:
            settings = {"stat_file": stat, **options}
            command = [self.build("mnm"), "run",
                       *(f"--set={k}={v}" for k, v in settings.items()),
                       "--", *command]
        start = time.monotonic()
        if meter:
            meter.start()
        with subprocess.Popen(command, text=True,
                              env=self.environment(env, runtime),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            self.running.add(process)
            if self.stopped:
                end(process)
            status, out, err = wait(process, stdin, min(limit, left))
            self.running.discard(process)
        self.go_on()
        done = Done(status, out, err, time.monotonic() - start,
                    first_device(stat),
                    meter.stop() if meter else None)
        if status is None and left < limit:
            raise Skip(f"the part's time was over after {done.seconds:.0f} s")
        loader = re.search(r"(lib\S+): cannot open shared object", err)
        if status == 127 and loader:
            raise Skip(f"{loader.group(1)} is not on this machine")
        return done

    def stop(self, status):
        """Ends what runs. It has sessions of its own, so that neither Ctrl-C
        nor the end of this process would do so. The next go_on() ends the rest:
        where a signal comes, a program may just be starting."""
        self.stopped = status
        for process in tuple(self.running):
            end(process)

    def go_on(self):
        """Ends this thread's part if it is to end."""
        if self.stopped:
            sys.exit(self.stopped)

    def head(self):
        """What the report says about the machine. Exits if it has no device."""
        try:
            found = self.run([sys.executable, "-B",
                              os.path.join(HERE, "device.py")], limit=60)
        except Skip:
            sys.exit("gpu-check: the time was over before a device was found")
        if found.status != 0:
            sys.exit(f"gpu-check: {found.why()}; --sim runs on the simulated "
                     "device")
        device = found.json()
        if not self.simulated:
            self.meter = Meter(device["bus"])
        return {"date": datetime.datetime.now(datetime.timezone.utc).strftime(
                    "%Y-%m-%d %H:%M UTC"),
                "device": device["name"], "memory_bytes": device["bytes"],
                "driver": "simulated" if self.simulated else driver_version(),
                "cuda": device["cuda"], "simulated": self.simulated,
                "cpus": f"{len(os.sched_getaffinity(0))}, {cpu_model()}",
                "python": platform.python_version(),
                "packages": ", ".join(packages()) or "none of those that "
                            "are checked",
                "memory_in_use": self.memory_source(),
                "mnm": subprocess.run(
                    [os.path.join(BUILD, "mnm"), "--version"], check=False,
                    capture_output=True, text=True).stdout.strip(),
                "levels": ", ".join(LEVELS)}

    def memory_source(self):
        if not self.meter:
            return "not measured on the simulated device"
        return self.meter.why or "by NVML, of all processes"


def end(process):
    """Ends a program and its children."""
    if process.returncode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def wait(process, stdin, limit):
    """Exit status (None if out of time), output and errors. When the time is
    out, also ends the program's children."""
    until = time.monotonic() + limit
    while True:
        try:
            out, err = process.communicate(
                stdin, timeout=min(LOOK_SECONDS,
                                   max(0, until - time.monotonic())))
            return process.returncode, out, err
        except subprocess.TimeoutExpired:
            stdin = None  # it is on its way
            if time.monotonic() >= until:
                break
    end(process)
    out, err = process.communicate()
    return None, out, err


def result_of(future):
    """What another thread has found."""
    while not future.done():
        concurrent.futures.wait([future], LOOK_SECONDS)
    return future.result()


def devices_of(path):
    """mnm's figures of the devices that a process used, as it wrote them."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)["devices"]
    except (OSError, ValueError):
        return []


def first_device(path):
    """The same of the first of them, or {}."""
    devices = devices_of(path)
    return devices[0] if devices else {}


def cpu_model():
    """What the kernel calls the machine's CPU."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*: (.*)$", file.read(),
                              re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.machine()


def packages():
    """The names and versions of those of PACKAGES that are installed."""
    for name in PACKAGES:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            pass


def driver_version():
    try:
        return subprocess.run(
            ["nvidia-smi", "--query-gpu=driver_version",
             "--format=csv,noheader"], capture_output=True, text=True,
            timeout=30, check=True).stdout.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return "unknown: no nvidia-smi"
