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
        name = VARIES.sub("#", entry["test"])
        if "outcome" not in entry:
            running = name
            continue
        found[name] = (entry["outcome"], settled(entry["detail"]))
        if name == running:
            running = None
    if running is not None:
        found[running] = ("crashed", "")
    return found


GTEST = re.compile(r"\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^\s,]+)")
GTEST_OUTCOMES = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}


def from_gtest(_name, _status, _lines, stdout):
    """Of GoogleTest's standard output."""
    found, running = {}, None
    for word, name in GTEST.findall(stdout):
        if word == "RUN":
            running = name
        elif running == name:  # the summary names failed tests again
            found[name] = (GTEST_OUTCOMES[word], "")
            running = None
    if running is not None:
        found[running] = ("crashed", "")
    return found


def report(text):
    """(missing calls by name, what was copied to the host) of a file of
    MNM_SIM_REPORT."""
    missing, copied = {}, None
    for words in map(str.split, text.splitlines()):
        if words[0] == "missing":
            missing[words[1]] = int(words[2])
        elif words[0] == "copied":
            copied = [int(words[1]), words[2]]
    return missing, copied


VIOLATION = re.compile(r"^mnm-sim: violation \d+.*", re.MULTILINE)


def violations(stderr):
    """The kinds of violation that the checker has printed, and how many of
    each."""
    found = {}
    for line in VIOLATION.findall(stderr):
        kind = re.sub(r"violation \d+", "violation", VARIES.sub("#", line))
        found[kind] = found.get(kind, 0) + 1
    return found


def served(text):
    """The requests that mnm served, of a file of MNM_STAT_FILE."""
    try:
        return sum(device["allocs"] for device in json.loads(text)["devices"])
    except (ValueError, KeyError):
        return 0
