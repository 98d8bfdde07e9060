"""What the user may put under the suites: options, and another library."""

import glob
import os
import re
import subprocess

from .modes import ROOT, SEED
from .shop import Failed

# What run.py says in each mode.
OWN = {"MNM_SIM", "MNM_SIM_CLOCK", "MNM_SIM_COPIED", "MNM_SIM_REPORT",
       "MNM_SOCKET_DIR", "MNM_POSTMORTEM", "MNM_STAT_FILE"}
INSTEAD = {SEED: "--seed", "MNM_SIM_KERNELS": "--kernels"}


def known():
    """The variables of mnm and of the simulated device."""
    with open(os.path.join(ROOT, "src", "common", "option_list.h"),
              encoding="utf-8") as file:
        names = {"MNM_" + name.upper() for name in
                 re.findall(r"^OPTION\((\w+),", file.read(), re.MULTILINE)}
    for path in glob.glob(os.path.join(ROOT, "src", "sim", "**", "*.c"),
                          recursive=True):
        with open(path, encoding="utf-8") as file:
            names.update(re.findall(r'"(MNM_SIM[A-Z_]*)"', file.read()))
    return names


def wrong(word, modes):
    """What is wrong with NAME=VALUE where these modes are run, or None."""
    name, equals, _ = word.partition("=")
    if not equals:
        return "allowed: MNM_NAME=VALUE"
    if name in INSTEAD:
        return f"{INSTEAD[name]} says that"
    if name in OWN:
        return "scripts/guests sets it itself"
    if name not in known():
        return f"there is no {name}; there are " + ", ".join(
            sorted(known() - OWN - set(INSTEAD)))
    for mode in modes:
        if mode.preload and name in mode.env:
            return f"the mode {mode.name!r} sets it itself; say by --mode " \
                "which others you want"
    return None


def try_library(path):
    """The loader goes on without what it can't load."""
    said = subprocess.run(["/bin/true"], env={"LD_PRELOAD": path},
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace").stderr
    for line in said.splitlines():
        if "cannot be preloaded" in line:
            raise Failed(f"{path} cannot be loaded: {line}")
