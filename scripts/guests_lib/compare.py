"""Compares what a suite does in a mode with what it does alone."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    process: str
    what: str    # a test, or one of those below
    alone: str
    here: str

    def text(self):
        return f"{self.process}: {self.what}: alone {self.alone}, " \
               f"here {self.here}"


EXIT, COPIED, VIOLATIONS = ("its exit", "what it copied to the host",
                            "violations")
NOT_RUN = ("not run", "")


def shown(result):
    outcome, detail = result
    return f"{outcome} ({detail})" if detail else outcome


def noisy(alone, again):
    """The names of what differs between two runs of a process alone."""
    tests = set(alone["tests"]) | set(again["tests"])
    found = {test for test in tests
             if alone["tests"].get(test, NOT_RUN) !=
             again["tests"].get(test, NOT_RUN)}
    found |= {what for what, field in ((EXIT, "exit"), (COPIED, "copied"))
              if alone[field] != again[field]}
    return found


def differences(name, alone, again, here):
    """How a process differs from its two runs alone. Of what differs between
    these the outcome may be either, whatever the detail says."""
    found = []
    for test in sorted(set(alone["tests"]) | set(again["tests"]) |
                       set(here["tests"])):
        before = [run["tests"].get(test, NOT_RUN) for run in (alone, again)]
        now = here["tests"].get(test, NOT_RUN)
        if now in before or before[0] != before[1] and \
                now[0] in (before[0][0], before[1][0]):
            continue
        found.append(Difference(name, test, shown(before[0]), shown(now)))
    if here["exit"] not in (alone["exit"], again["exit"]):
        found.append(Difference(name, EXIT, alone["exit"], here["exit"]))
    # The sum tells nothing where a copy more or less is made each time.
    if alone["copied"] == again["copied"] != here["copied"]:
        found.append(Difference(name, COPIED, copied(alone), copied(here)))
    more = {kind: count for kind, count in here["violations"].items()
            if kind not in again["violations"]}
    if more:
        found.append(Difference(name, VIOLATIONS, "none of these",
                                "; ".join(sorted(more))))
    return found


def idle(mode, runs):
    """What shows that a mode has tested nothing. runs are {process: run}."""
    found = []
    if mode.preload and not any(run["served"] for run in runs.values()):
        found.append(Difference("all", "mnm", "not there", "served nothing"))
    if mode.swaps and not any(run["swaps"] for run in runs.values()):
        found.append(Difference("all", "mnm", "not there", "never swapped"))
    return found


def copied(run):
    return "{} bytes, hash {}".format(*run["copied"]) if run["copied"] else \
        "nothing"


def count(runs):
    """How many tests of a suite's processes came out as what."""
    counts = {}
    for run in runs.values():
        for outcome, _ in run["tests"].values():
            counts[outcome] = counts.get(outcome, 0) + 1
    return counts
