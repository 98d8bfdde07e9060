"""Runs a suite's processes in a mode, each in a scratch folder of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from . import results
from .modes import pools
from .shop import Failed

# What a program gets of the environment here: nothing but what it needs to load
# and to compute right on this processor.
KEPT = ("LANG", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
# mnm's lines that tell of a request that had no room, which a suite may test.
EXPECTED = ("out of memory", "refused by hard_limit")


class Stopped(Exception):
    """The user has interrupted the run."""


class Runner:
    def __init__(self, build, cuda, folder, neighbour, kernels=None,
                 library=None, options=None):
        self.build = build
        self.cuda = cuda
        self.folder = folder
        self.neighbour = neighbour
        self.kernels = kernels  # MNM_SIM_KERNELS, or the default
        self.library = library or f"{build}/libmnm.so"
        self.options = options or {}  # of mnm, in all modes but alone
        self.stopped = threading.Event()
        self.lock = threading.Lock()
        self.live = set()  # process groups

    def stop(self):
        """Ends what runs, and starts nothing more. It may be called again."""
        self.stopped.set()
        with self.lock:
            for group in self.live:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)

    def go_on(self):
        """More may be started again."""
        self.stopped.clear()

    def environment(self, suite, mode, process, scratch, short):
        path = f"{self.cuda}/bin:/usr/local/bin:/usr/bin:/bin"
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env.update(
            PATH=path, HOME=f"{scratch}/home", TMPDIR=f"{short}/tmp",
            LD_LIBRARY_PATH=f"{self.build}/sim", CUDA_HOME=self.cuda,
            GUESTS_CUDA=self.cuda, PYTHONDONTWRITEBYTECODE="1",
            PYTHONHASHSEED="0", OMP_NUM_THREADS="1",
            MNM_SIM=suite.sim, MNM_SIM_CLOCK="zero", MNM_SIM_COPIED="1",
            MNM_SIM_REPORT=f"{scratch}/report",
            MNM_SOCKET_DIR=f"{short}/sockets", MNM_POSTMORTEM="off")
        places = {"lines": f"{scratch}/lines", "path": path,
                  "libraries": f"{self.build}/sim"}
        env.update((name, placed(value, places))
                   for name, value in process.env.items())
        env.update(mode.env)
        if self.kernels:
            env["MNM_SIM_KERNELS"] = self.kernels
        if mode.preload:
            beside = [self.neighbour] if mode.neighbour and \
                process.neighbour else []
            env.update(LD_PRELOAD=":".join([*beside, self.library]),
                       MNM_STAT_FILE=f"{scratch}/stat", **self.options)
        return env

    def run(self, suite, mode, process):
        """What became of the process, as compare.py reads it."""
        scratch = os.path.join(self.folder, suite.name, mode.name,
                               process.name)
        shutil.rmtree(scratch, ignore_errors=True)
        os.makedirs(os.path.join(scratch, "home"))
        # The path of a socket has to be short.
        with tempfile.TemporaryDirectory(prefix="guests-", dir="/tmp",
                                         ignore_cleanup_errors=True) as short:
            for name in ("tmp", "sockets"):
                os.mkdir(os.path.join(short, name), 0o700)
            env = self.environment(suite, mode, process, scratch, short)
            began = time.monotonic()
            status, swaps = self.wait(mode, process, scratch, env)
        return {**self.read(suite, process, scratch, status), "swaps": swaps,
                "seconds": round(time.monotonic() - began, 1)}

    def wait(self, mode, process, scratch, env):
        """(exit status or None at its time limit, times its pools were
        swapped)."""
        argv = [placed(word, {"lines": f"{scratch}/lines"})
                for word in process.argv]
        with open(f"{scratch}/stdout", "wb") as out, \
                open(f"{scratch}/stderr", "wb") as err:
            with self.lock:
                if self.stopped.is_set():
                    raise Stopped
                try:
                    child = subprocess.Popen(
                        argv, env=env, stdin=subprocess.DEVNULL, stdout=out,
                        stderr=err, cwd=process.folder or scratch,
                        start_new_session=True)
                except OSError as error:
                    raise Failed(
                        f"{process.name}: {error}; what was fetched has gone: "
                        f"remove the suite's folder in "
                        f"{os.path.dirname(self.folder)} and run this again"
                    ) from None
                self.live.add(child.pid)
            end = time.monotonic() + process.limit
            try:
                swaps = self.swap_until(child, end, env) if mode.swaps else 0
                child.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            finally:
                status = child.poll()
                with self.lock:
                    self.live.discard(child.pid)
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)  # what it left
                child.wait()
        if self.stopped.is_set():
            raise Stopped
        return status, swaps

    def swap_until(self, child, end, env):
        """Swaps the pools of the process and of its children, one after the
        other, until it ends."""
        count = turn = 0
        names = pools()
        env = {name: value for name, value in env.items()
               if name != "LD_PRELOAD"}
        while child.poll() is None and time.monotonic() < end:
            with contextlib.suppress(subprocess.TimeoutExpired):
                done = subprocess.run(
                    [os.path.join(self.build, "mnm"), "swap", "--all",
                     "--no-wait", names[turn % len(names)]], env=env,
                    capture_output=True, timeout=30)
                count += done.returncode == 0
            turn += 1
            time.sleep(0.01)
        return count

    def read(self, suite, process, scratch, status):
        stderr = text(f"{scratch}/stderr")
        missing, copied = results.report(text(f"{scratch}/report"))
        tests = suite.read(process.name, status, text(f"{scratch}/lines"),
                           text(f"{scratch}/stdout"))
        return {"tests": results.whole(tests, status),
                "exit": results.ended(status), "missing": missing,
                "copied": copied, "violations": results.violations(stderr),
                "served": results.served(text(f"{scratch}/stat")),
                "said": said(stderr)}


def placed(word, places):
    """With what stands for {NAME}. A path may have other braces."""
    for name, place in places.items():
        word = word.replace("{" + name + "}", place)
    return word


def text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def said(stderr):
    """What mnm complained about, each line once."""
    return sorted({results.settled(line) for line in stderr.splitlines()
                   if line.startswith("mnm: ") and
                   not any(words in line for words in EXPECTED)})
