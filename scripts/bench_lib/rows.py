"""What is measured: a row each, with its target."""

import os

from . import contenders as who
from .machine import ROOT

KIB, MIB = 1 << 10, 1 << 20
TRACES = ["resnet50_bs32", "gpt2_small_bs4_seq1024", "bert_base_dynamic_bs16",
          "lstm_lm_bs20_bptt35"]
SIZES = {"2K": 2 * KIB, "64K": 64 * KIB, "1M": MIB, "20M": 20 * MIB}


class Row:
    """cases: {contender: a function of the runner that returns a value}.
    limit: the most that ours may be; times: {peer: how often ours it must be
    at least}. rounds: where a value is the same in every run, 1."""

    def __init__(self, key, title, cases, unit="ns a pair", limit=None,
                 times=None, rounds=None, ours=who.OURS):
        self.key, self.title, self.unit = key, title, unit
        self.cases, self.limit, self.times = cases, limit, times or {}
        self.rounds, self.ours = rounds, ours
        self.samples, self.failed = {}, {}

    def values(self):
        """What is shown, {contender: [a value a round]}."""
        return self.samples


def trace_work(name):
    return "replay:" + os.path.join(ROOT, "examples", "traces",
                                    name + ".csv.zst")


def pairs(contenders, work):
    return {each.name: lambda runner, each=each: runner.pair(each, work)
            for each in contenders}


def replays(able):
    for name in TRACES:
        yield Row("replay-" + name, f"replay of {name}",
                  pairs(able, trace_work(name)), limit=25,
                  times={"UMF": 3, "RMM": 10, "c10": 10})


def sizes(able):
    for name, size in SIZES.items():
        yield Row(f"one-{name}", f"one block of {name}, freed at once",
                  pairs(able, f"one:{size}"), limit=20)
        yield Row(f"window-{name}", f"16 live blocks of {name}",
                  pairs(able, f"window:{size}"), limit=20)


def rows(place, able):
    """able: the contenders that can run here."""
    yield from replays(able)
    yield from sizes(able)
    yield Row("random", "2,000 live, 512 sizes, random frees",
              pairs(able, "random"), limit=30)
