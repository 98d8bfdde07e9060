"""Checks mnm against the CUDA device of this machine; see docs/gpu.md."""

import argparse
import os
import signal
import sys
import time
import traceback

import parts_async
import parts_frameworks
import parts_hooks
import parts_ordered
import parts_pools
import parts_programs
from machine import BUILD, Failed, Machine, Skip
from report import Report

# name: (the function that runs it, its time limit in seconds, whether the
# simulated device can run it too)
PARTS = {
    "doctor": (parts_programs.doctor, 60, True),
    "doors": (parts_programs.doors, 150, True),
    "programs": (parts_programs.programs, 180, True),
    "reuse": (parts_programs.reuse, 240, True),
    "rest": (parts_programs.rest, 60, True),
    "prices": (parts_programs.prices, 60, True),
    "conformance": (parts_programs.conformance, 240, True),
    "torch": (parts_frameworks.torch, 330, False),
    "jax": (parts_frameworks.jax, 120, False),
    "cupy": (parts_frameworks.cupy, 60, False),
    "numba": (parts_frameworks.numba, 60, False),
    "pools": (parts_pools.pools, 330, True),
    "ordered": (parts_ordered.ordered, 150, True),
    "waits": (parts_ordered.waits, 60, True),
    "torch-async": (parts_async.torch_async, 240, False),
    "jax-async": (parts_async.jax_async, 80, False),
    "cupy-async": (parts_async.cupy_async, 40, False),
    "rmm": (parts_async.rmm, 40, False),
    "torch-hook": (parts_hooks.torch_hook, 240, False),
    "cupy-hook": (parts_hooks.cupy_hook, 40, False),
    "numba-hook": (parts_hooks.numba_hook, 40, False),
}


class Part:
    """Runs a part's checks; one that breaks does not stop the others."""

    def __init__(self, name, machine, report, arguments):
        self.name, self.machine, self.report = name, machine, report
        self.quick, self.pools = arguments.quick, arguments.pools

    def check(self, name, function, *arguments):
        """Adds one check, with the figures that the function returns. If it
        returns None, it has added its checks itself."""
        try:
            figures = function(*arguments)
            if figures is not None:
                self.report.add(self.name, name, "ok", **figures)
        except Skip as skip:
            self.report.add(self.name, name, "skipped", str(skip))
        except Failed as failed:
            self.report.add(self.name, name, "FAILED", str(failed),
                            **failed.figures)
        except Exception as error:  # pylint: disable=broad-except
            traceback.print_exc()
            self.report.add(self.name, name, "FAILED",
                            f"the check itself broke: {error!r}")

    def run(self):
        function, limit, simulated = PARTS[self.name]
        if self.machine.simulated and not simulated:
            self.report.add(self.name, "all", "skipped",
                            "needs a GPU, not the simulated device")
            return
        self.machine.part_deadline = time.monotonic() + limit
        self.check("all", function, self)


def names(text):
    chosen = text.split(",")
    for name in chosen:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(
                f"no part {name}; known: {', '.join(PARTS)}")
    return chosen


def seconds(text):
    chosen = float(text)
    if not chosen > 0:
        raise argparse.ArgumentTypeError(f"no time: {text}")
    return chosen


def arguments_read():
    parser = argparse.ArgumentParser(
        prog="gpu-check", description="Checks mnm against a real GPU.")
    add = parser.add_argument
    add("--out", default=os.path.join(BUILD, "gpu-check"), metavar="DIR",
        help="where the report goes [%(default)s]")
    add("--quick", action="store_true", help="fewer rounds and steps")
    add("--sim", action="store_true", help="on the simulated device")
    add("--only", type=names, default=list(PARTS), metavar="PART,...",
        help="these parts, in this order")
    add("--pools", type=lambda text: text.split(","), metavar="POOL,...",
        help="part pools: these only [all that mnm pools lists]")
    add("--time", type=seconds, default=570, metavar="SECONDS",
        help="skip what would start later [%(default)s]")
    add("--list", action="store_true", help="print the parts and end")
    return parser.parse_args()


def main():
    arguments = arguments_read()
    if arguments.list:
        for name, (function, limit, _) in PARTS.items():
            print(f"{name:12} {limit:4} s  "
                  f"{' '.join(function.__doc__.split())}")
        return 0
    machine = Machine(arguments.sim, time.monotonic() + arguments.time)

    def stop(number, _frame):
        if not machine.stopped:
            print("gpu-check: stopped; the report has what was done so far",
                  file=sys.stderr)
        machine.stop(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    report = Report(arguments.out, machine.head())
    for name in arguments.only:
        Part(name, machine, report, arguments).run()
    print(f"{report.summary()}; see {report.folder}/gpu-check.md")
    return 1 if report.count("FAILED") or not report.count("ok") else 0


if __name__ == "__main__":
    sys.exit(main())
