"""A plug-in of pytest that writes what each test comes out as to the file that
GUESTS_LINES names, a line of JSON each. Runs in the suite's own Python."""

import json
import os
import sys

OUT = open(os.environ["GUESTS_LINES"], "w", encoding="utf-8")


def write(**entry):
    OUT.write(json.dumps(entry) + "\n")
    OUT.flush()


def pytest_runtest_logstart(nodeid):
    write(test=nodeid)


def pytest_runtest_setup():
    """Each run of a test draws the same numbers."""
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(1)


def pytest_collectreport(report):
    if report.failed:
        write(test=report.nodeid, outcome="failed",
              detail=str(report.longrepr).strip().splitlines()[-1])


def detail_of(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash:
        return crash.message
    if isinstance(report.longrepr, tuple):
        return report.longrepr[2]
    return ""


def pytest_runtest_logreport(report):
    if report.when != "call" and report.passed:
        return
    outcome = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    write(test=report.nodeid, outcome=outcome, detail=detail_of(report))
