"""What tests of a process came out as, read from what it left behind.

Every reader of a suite takes a process's name, its exit status, the lines that
our runners wrote and its standard output, and returns {test: (outcome,
detail)}, where the outcome is passed, failed, skipped, xfailed, xpassed or
crashed. A test that began and did not end has crashed."""

import json
import re

# What differs between two runs of the same: addresses, times, numbers of
# processes.
VARIES = re.compile(r"0x[0-9a-fA-F]+|\b\d{4,}\b|\d+\.\d+")
# The same in the name of a test, which may have numbers of its own.
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def settled(text):
    """The first line of a text, without what differs from run to run."""
    line = (text or "").strip().split("\n", 1)[0]
    return VARIES.sub("#", line)[:160]


def from_lines(_name, _status, lines, _stdout):
    """Of unittest_lines.py or pytest_lines.py: a JSON object a line. The last
    of a test counts."""
    found, running = {}, None
    for line in lines.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut off in the middle
        name = ADDRESS.sub("#", entry["test"])
        if "outcome" not in entry:
            running = name
            continue
        found[name] = (entry["outcome"], settled(entry["detail"]))
        if name == running:
            running = None
    if running is not None:
        found[running] = ("crashed", "")
    return found


PROCESS = "its process"


def ended(status):
    if status is None:
        return "time limit"
    return f"signal {-status}" if status < 0 else f"status {status}"


def whole(tests, status):
    """The tests, and the process as one that crashed if it ended badly and no
    test shows that, or if it has told of none."""
    seen = {outcome for outcome, _ in tests.values()}
    if status is None or status < 0:
        shown = "crashed" in seen
    else:
        shown = not status or bool(seen & {"failed", "crashed", "xpassed"})
    if tests and shown:
        return tests
    return {**tests, PROCESS: ("crashed", ended(status))}


def report(text):
    """(missing calls by name, what was copied to the host) of a file of
    MNM_SIM_REPORT, which may be cut off."""
    missing, copied = {}, None
    for words in map(str.split, text.splitlines()):
        if len(words) == 3 and words[0] == "missing":
            missing[words[1]] = int(words[2])
        elif len(words) == 3 and words[0] == "copied":
            copied = [int(words[1]), words[2]]
    return missing, copied


VIOLATION = re.compile(r"^(?:mnm-sim: violation \d+|neighbour: \d+).*",
                       re.MULTILINE)


def violations(stderr):
    """The kinds of violation that the checker has printed, and the neighbour,
    and how many of each."""
    found = {}
    for line in VIOLATION.findall(stderr):
        kind = re.sub(r"(violation|neighbour:) \d+", r"\1 #",
                      VARIES.sub("#", line))
        found[kind] = found.get(kind, 0) + 1
    return found


def served(text):
    """The requests that mnm served, of a file of MNM_STAT_FILE."""
    try:
        return sum(device["allocs"] for device in json.loads(text)["devices"])
    except (ValueError, KeyError, TypeError):
        return 0
