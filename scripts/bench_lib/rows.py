"""The rows: each is one thing to measure, with its target."""

import os

from . import contenders as who
from .machine import ROOT
from .single import single_rows
from .stream_rows import stream_rows

KIB, MIB = 1 << 10, 1 << 20
TRACES = ["resnet50_bs32", "gpt2_small_bs4_seq1024", "bert_base_dynamic_bs16",
          "lstm_lm_bs20_bptt35"]
SIZES = {"2K": 2 * KIB, "64K": 64 * KIB, "1M": MIB, "20M": 20 * MIB}
# By how many times at least mnm is to be ahead of the peers with these names.
AHEAD = {"umf": 3, "rmm": 10, "pytorch": 10}
MANY, FEW = 1000000, 1000
MANY_ROUNDS = 3  # since it takes long to make a million blocks


class Row:
    """cases: {contender: function}. The function gets the runner and returns a
    value, or {name: value} if one run has several. limit: the most that our
    value may be. times: {peer: how many times ours its value must be at least}.
    rounds: the most rounds; 1 if a value is the same in every run. versus:
    whether the cells are rivals."""

    def __init__(self, key, title, cases, unit="ns a pair", limit=None,
                 times=None, rounds=None, versus=True):
        self.key, self.title, self.unit = key, title, unit
        self.cases, self.limit, self.times = cases, limit, times or {}
        self.rounds, self.versus, self.ours = rounds, versus, who.OURS
        self.samples, self.failed = {}, {}


def trace_work(name):
    return "replay:" + os.path.join(ROOT, "examples", "traces",
                                    name + ".csv.zst")


def pairs(contenders, work):
    return {each.name: lambda runner, each=each: runner.pair(each, work)
            for each in contenders}


def replays(able):
    for name in TRACES:
        yield Row("replay-" + name, f"replay of {name}",
                  pairs(able, trace_work(name)), limit=25, times=AHEAD)


def sizes(able):
    for name, size in SIZES.items():
        yield Row(f"one-{name}", f"one block of {name}, freed at once",
                  pairs(able, f"one:{size}"), limit=20)
        yield Row(f"window-{name}", f"16 live blocks of {name}",
                  pairs(able, f"window:{size}"), limit=20)


def threads(able):
    """`No collapse`: eight threads may take no more than twice what two may."""
    for count, limit in ((2, 35), (4, 70), (8, 70)):
        yield Row(f"threads-{count}", f"{count} threads, own sizes",
                  pairs(able, f"threads:{count}"), limit=limit)
    yield Row("handoff", "one thread allocates, another frees",
              pairs(able, "handoff"), limit=35)


def sharing(able):
    """`No cliff`: sharing large sizes costs about what sharing small ones does,
    and a thread that is left alone is about as fast as one that always was."""
    ours = next(each for each in able if each.name == who.OURS)

    def times(work, base):
        return lambda runner: (runner.pair(ours, work) /
                               runner.pair(ours, base))

    yield Row("shared-small", "16 threads share sizes up to 300 KiB",
              pairs(able, "shared:16"), limit=70)
    yield Row("shared-large", "16 threads share sizes of 1 to 3 MiB",
              pairs(able, "shared-large:16"), limit=70)
    yield Row("shared-ratio", "the same, to that with small ones",
              {ours.name: times("shared-large:16", "shared:16")},
              unit="times", limit=2)
    yield Row("alone-after", "one thread, when 16 that shared have gone",
              pairs(able, "alone:16"), limit=20)
    yield Row("alone-ratio", "the same, to one block of 1 MiB, freed at once",
              {ours.name: times("alone:16", f"one:{MIB}")},
              unit="times", limit=1.5)


def many_live(able):
    ours = next(each for each in able if each.name == who.OURS)

    def times(runner):
        return (runner.pair(ours, f"live:{MANY}") /
                runner.pair(ours, f"live:{FEW}"))

    yield Row("live-1000", "1,000 small live blocks", pairs(able,
                                                            f"live:{FEW}"))
    yield Row("live-1000000", "1,000,000 live, work on 1,000 of them",
              pairs(able, f"live:{MANY}"), rounds=MANY_ROUNDS)
    yield Row("live-ratio", "the same, to that with 1,000 live",
              {ours.name: times}, unit="times", limit=1.5)
    yield Row("spread-1000000", "1,000,000 live, work on all of them",
              pairs(able, f"spread:{MANY}"), rounds=MANY_ROUNDS)


def rows(place, every):
    """every: the contenders that can run here."""
    able = [each for each in every if place.gpu or not each.streams]
    yield from replays(able)
    yield from sizes(able)
    yield Row("random", "2,000 live, 512 sizes, random frees",
              pairs(able, "random"), limit=30)
    yield from threads(able)
    yield from sharing(able)
    yield from many_live(able)
    yield from stream_rows(Row, place, every, trace_work)
    yield from single_rows(Row, place, able, trace_work(TRACES[0]))
