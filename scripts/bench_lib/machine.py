"""What was measured, and where."""

import datetime
import os
import platform
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=30)
    except OSError:
        return "not installed"
    return (done.stdout.strip().splitlines() or ["unknown"])[0]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"^(?:model name|CPU part)\s*: (.*)$", file.read(),
                           re.MULTILINE)
    return names[0] if names else "unknown"


def machine(build):
    """Facts by name, in the order in which they are shown."""
    return {
        "date": datetime.datetime.now().astimezone().isoformat(
            timespec="seconds"),
        "mnm": first_line(os.path.join(build, "mnm"), "--version"),
        "commit": first_line("git", "-C", ROOT, "describe", "--always",
                             "--dirty"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load before": round(os.getloadavg()[0], 2),
        "kernel": f"{platform.system()} {platform.release()} "
                  f"{platform.machine()}",
        "compiler": first_line(os.environ.get("CC", "gcc"), "--version"),
        "C library": " ".join(platform.libc_ver()),
    }
