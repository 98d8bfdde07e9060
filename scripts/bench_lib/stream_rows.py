"""The rows of memory that is asked for and freed in the order of streams."""

from . import contenders as who
from .counts import Counter

KIB = 1 << 10
PAIRS = 64  # of a stream, between two events
# The last one has a second stream, which fills inputs ahead.
TRACES = ["resnet50_bs32", "gpt2_small_bs4_seq1024", "bert_base_dynamic_bs16",
          "lstm_lm_bs20_bptt35", "resnet50_bs64_prefetch"]
ONE, TWO = 30, 40  # nanoseconds a pair, in one stream and with two
INSTRUCTIONS = 110


def works(trace_work):
    """(key, title, work, limit)"""
    yield ("one", "one block of 64 KiB, freed at once in its stream",
           f"one:{64 * KIB}", ONE)
    for name in TRACES:
        yield (name, f"replay of {name} in its streams",
               trace_work(name).replace("replay:", "streams:", 1),
               TWO if name == TRACES[-1] else ONE)
    yield ("turns", f"two streams take turns of {PAIRS} pairs, with an event "
           "after each", f"turns:{PAIRS}", TWO)
    yield ("cross", f"{PAIRS} blocks of one stream, freed in another, with "
           "events between", f"cross:{PAIRS}", TWO)


def without_events(able, name, work):
    """What is counted, less what the same work takes without an allocator: the
    events that the program itself asks for."""
    def count(runner, contender):
        return getattr(Counter(runner), name)(contender, work)

    floor = able[-1]
    return {each.name: lambda runner, each=each: (count(runner, each) -
                                                  count(runner, floor))
            for each in able[:-1]}


def counted(row, able, trace_work):
    found = {key: (title, work) for key, title, work, _ in works(trace_work)}
    for key in (TRACES[0], "turns", "cross"):
        title, work = found[key]
        short = "" if key == TRACES[0] else "-" + key
        if not short:
            yield row("async-instructions",
                      f"instructions (callgrind), {title}",
                      without_events(able, "instructions", work), "a pair",
                      INSTRUCTIONS, rounds=1)
        yield row("async-driver-calls" + short, "calls of the driver besides "
                  f"the program's own events, {title}",
                  without_events(able, "driver_calls", work), "a pair", 0,
                  rounds=1)


def at_the_driver(row, place, trace_work):
    """A program of the driver's API; the shared runtime's own cost is not in
    these."""
    ours = who.ours(place, allocator="driver_async", **who.ORDERED)
    able = [ours, who.events_alone(place, "driver_events")]
    found = {key: work for key, _, work, _ in works(trace_work)}
    for key, title, limit in ((TRACES[0], "replay", ONE),
                              ("cross", "cross", TWO)):
        yield row(f"async-door-{title}", f"mnm under the driver's API, as "
                  f"async-{key}", {who.OURS: lambda runner, work=found[key]:
                                   runner.pair(ours, work)},
                  limit=limit, versus=False)
        yield row(f"async-door-{title}-calls", "the same: calls of the driver "
                  "besides the program's own events",
                  without_events(able, "driver_calls", found[key]), "a pair",
                  0, rounds=1, versus=False)
    yield row("async-door-instructions", "mnm under the driver's API, as "
              "async-instructions",
              without_events(able, "instructions", found[TRACES[0]]),
              "a pair", INSTRUCTIONS, rounds=1, versus=False)


def in_legacy(row, place):
    """A program that names no stream, and has a stream that waits for the
    legacy one."""
    legacy = {"BENCH_KIND": "legacy"}
    able = [who.ours(place, allocator="cuda_async", **who.ORDERED, **legacy),
            who.Contender(who.ASYNC, "peer", place.allocator("cuda_async"),
                          env=legacy)]
    work = f"one:{64 * KIB}"
    yield row("async-legacy", "one block of 64 KiB in the legacy stream, which "
              "another stream waits for",
              {each.name: lambda runner, each=each: runner.pair(each, work)
               for each in able}, limit=ONE)


def stream_rows(row, place, known, trace_work):
    able = who.in_streams(place, known)
    for key, title, work, limit in works(trace_work):
        yield row("async-" + key, title,
                  {each.name: lambda runner, each=each, work=work:
                   runner.pair(each, work) for each in able}, limit=limit)
    yield from in_legacy(row, place)
    yield from counted(row, able, trace_work)
    yield from at_the_driver(row, place, trace_work)
