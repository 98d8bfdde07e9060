"""What the framework jobs share: each prints one line of JSON."""

import importlib
import json
import os
import statistics
import sys

SKIPPED = 77


def need(name):
    """Imports a framework. If it is missing, ends the job as skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} can't be imported: {error}")
        sys.exit(SKIPPED)


def hook_of(framework):
    """What the module of mnm has for a framework's hook; None if the job runs
    without mnm."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                    "..", "..", "python"))
    mnm = importlib.import_module("mnm")
    if not mnm.served():
        return None
    if framework == "numba":
        return importlib.import_module("mnm.numba").MemoryManager
    frameworks = importlib.import_module("mnm.frameworks")
    return getattr(frameworks, f"{framework}_allocator")()


def finish(result, seconds=(), **figures):
    """result: values that must be equal in every run, with all digits. A value
    that is not a number shows nothing: every wrong run may end with it."""
    if any(str(value) in ("nan", "inf", "-inf") for value in result):
        sys.exit("the job's result is not a number")
    if seconds:
        figures["step_ms"] = round(statistics.median(seconds) * 1e3, 4)
    print(json.dumps({"result": result, "figures": figures}))
