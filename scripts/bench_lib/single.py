"""The rows that compare no rivals: what mnm adds to something, and counts."""

import json
import statistics

from . import contenders as who
from .counts import Counter

MIB, GIB = 1 << 20, 1 << 30
LIVE, LIVE_SIZE = 1000000, 4096
IDLE, PAGE = 40, 4096
STARTS = 400
WORK = f"window:{MIB}"
PLAN_SECONDS = 8  # until a plan is followed, and as long again


def doors(place):
    """What mnm costs at the driver's entries. Under a static runtime, that is
    without the runtime's own cost, which is what it adds to the bare driver."""
    def static(runner):
        runtime = runner.pair(who.native(place, allocator="cuda_static"), WORK)
        driver = runner.pair(who.native(place, allocator="cuda_driver"), WORK)
        under = runner.pair(who.ours(place, allocator="cuda_static"), WORK)
        return {who.OURS: under - (runtime - driver),
                "static runtime, mnm": under,
                "static runtime alone": runtime - driver,
                "driver alone": driver}

    def driver(runner):
        return runner.pair(who.ours(place, allocator="cuda_driver"), WORK)

    return [("static", "mnm under a static runtime, without its own cost",
             static, 25),
            ("driver", "mnm under the driver's API", driver, 25)]


def passing(place, allocator):
    """What no_pool adds to the driver's own cost."""
    def measure(runner):
        native = runner.pair(who.native(place, allocator=allocator), WORK)
        under = runner.pair(who.ours(place, allocator=allocator,
                                     MNM_POOL="no_pool"), WORK)
        return {who.OURS: under - native, "no_pool": under,
                who.DRIVER: native}
    return measure


def held(runner, contender, count, size):
    done = runner.run([runner.place.path("bench", "held"),
                       contender.allocator, str(count), str(size)],
                      runner.place.environment(contender))
    return json.loads(done.stdout)


def tables(place):
    """Bytes of mnm's own for a live block and for an idle page. The driver's
    bytes for the same blocks are subtracted."""
    def live(runner):
        under = held(runner, who.ours(place), LIVE, LIVE_SIZE)["live_bytes"]
        native = held(runner, who.native(place), LIVE, LIVE_SIZE)["live_bytes"]
        return (under - native) / LIVE

    def idle(runner):
        under = held(runner, who.ours(place), IDLE, GIB)["idle_bytes"]
        native = held(runner, who.native(place), IDLE, GIB)["live_bytes"]
        return (under - native) / (IDLE * (GIB // PAGE))

    return [("table-live", f"mnm's tables, {LIVE:,} live blocks",
             live, "bytes a block", 64),
            ("table-idle", f"mnm's tables, {IDLE} idle blocks of 1 GiB",
             idle, "bytes a page", 0.1)]


def counted(able, work):
    """(key, title, cases, limit)"""
    rivals = [each for each in able if each.kind != "floor"]

    def cases(name):
        return {each.name: lambda runner, each=each:
                getattr(Counter(runner), name)(each, work) for each in rivals}

    return [("instructions", "instructions (callgrind)",
             cases("instructions"), 90),
            ("driver-calls", "calls of the driver", cases("driver_calls"), 0),
            ("system-calls", "system calls", cases("system_calls"), 0),
            ("host-mallocs", "mallocs of the host", cases("mallocs"), 0)]


def starts(place):
    """The microseconds that a start takes more than without a preload, with mnm
    and with an empty library; and the instructions that run in each library.
    Those of the empty one are what the compiler puts into any."""
    empty = who.Contender("an empty library", "floor",
                          preload=place.allocator("nothing"))

    def time(runner):
        done = runner.run(
            [place.path("bench", "starts"), str(STARTS), str(runner.cores[0]),
             "-", empty.preload, place.path("libmnm.so")], {})
        bare, loaded, ours = json.loads(done.stdout)
        return {who.OURS: ours - bare, empty.name: loaded - bare,
                "the process": bare}

    def instructions(runner):
        command = [place.path("bench", "starts"), "nothing"]
        count = Counter(runner).own_instructions
        own, total = count(who.ours(place), command)
        any_has, _ = count(empty, command)
        return {who.OURS: own - any_has, empty.name: any_has,
                "the process": total}

    return time, instructions


def asked(place, way, figures):
    """A function that runs tests/bench/asked.c and returns {name: value}."""
    def measure(runner):
        cores = (runner.cores * 2)[:2]
        ours = who.ours(place)
        done = runner.run([place.path("bench", "asked"), ours.allocator,
                           *map(str, cores), way],
                          place.environment(ours))
        found = json.loads(done.stdout)
        return {name: found[figure] for name, figure in figures.items()}
    return measure


def batch(place):
    """The microseconds for 100 buffers that are idle: asked for at once, and
    one by one."""
    def measure(runner):
        done = runner.run([place.path("bench", "batch")],
                          place.environment(who.ours(place)))
        found = json.loads(done.stdout)
        return {who.OURS: found["batch_us"],
                "by cuMemAlloc": found["single_us"]}
    return measure


def plug_in(place, work):
    """The instructions of a pair with a pool of a plug-in's, to those with the
    same pool as mnm's own."""
    twin = place.path("tests", "plugins", "twin.so")

    def measure(runner):
        count = Counter(runner).instructions
        return count(who.ours(place, MNM_POOL="twin_pool",
                              MNM_POOL_PLUGINS=twin), work) / \
            count(who.ours(place, MNM_POOL="page_unit_pool"), work)
    return measure


def planned(place, work):
    """The nanoseconds of a pair that tstack_pool places by its plan: by then it
    has learnt what repeats, which is the whole trace, played again and again."""
    ours = who.ours(place, allocator="cuda_driver", MNM_POOL="tstack_pool",
                    MNM_PLAN_THREAD="0")

    def measure(runner):
        found = runner.pairs(ours, work, PLAN_SECONDS)
        return statistics.median(found[len(found) // 2:])
    return measure


def single_rows(row, place, able, work):
    def alone(measure):
        return {who.OURS: measure}

    for key, title, measure, limit in doors(place):
        yield row("door-" + key, title, alone(measure), limit=limit,
                  versus=False)
    for door, allocator in (("runtime", "cuda_runtime"),
                            ("driver", "cuda_driver")):
        yield row(f"no_pool-{door}", f"no_pool at the {door}'s door, on top "
                  "of the driver's own cost",
                  alone(passing(place, allocator)), limit=15, versus=False)
    for key, title, measure, unit, limit in tables(place):
        yield row(key, title, alone(measure), unit, limit, rounds=1)
    for key, title, cases, limit in counted(able, work):
        yield row(key, title + ", replay, once warm", cases, "a pair", limit,
                  rounds=1)
    yield row("plug-in", "instructions with a pool of a plug-in's, to its own",
              alone(plug_in(place, work)), "times", 1.02, rounds=1,
              versus=False)
    yield row("planned", "tstack_pool, replay, once it follows its plan",
              alone(planned(place, work)), limit=40, versus=False)
    yield row("batch", "100 buffers of mnm_alloc_batch, all idle before",
              alone(batch(place)), "us", 2, versus=False)
    time, instructions = starts(place)
    yield row("start", "a process that never allocates, more than without",
              alone(time), "us", versus=False)
    yield row("start-instructions", "the same: instructions in mnm that no empty library has",
              alone(instructions), "a process", 0, rounds=1, versus=False)
    yield row("stat", "a request for the statistics, of a busy thread's time",
              alone(asked(place, "stat", {who.OURS: "cost_us",
                                          "a request without figures":
                                          "other_us",
                                          "until answered": "answered_us"})),
              "us", 1, versus=False)
    yield row("swap", "a busy thread's longest call in a swap, 100,000 live",
              alone(asked(place, "swap", {who.OURS: "longest_us",
                                          "without a swap": "quiet_us",
                                          "the request": "answered_us"})),
              "us", 1000, versus=False)
