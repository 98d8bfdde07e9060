"""Who is measured: mnm, the driver without it, the peers that
scripts/bench-peers has put into build/peers, and floors."""

import dataclasses
import glob
import json
import os
from dataclasses import dataclass, field

# The simulated driver at its cheapest, the same for everyone.
SIMULATED = {"MNM_SIM": "ideal"}
OURS = "mnm"
DRIVER = "without a pool"
ORDERED = {"MNM_STREAM_ORDERED": "1"}
ASYNC = "cudaMallocAsync"
FLOORS = {"glibc": None, "jemalloc": "libjemalloc.so.2",
          "mimalloc": "libmimalloc.so.2*"}


@dataclass
class Contender:
    """allocator: what tests/bench/allocator.h describes; None if it can't run
    here, and then `reason` says why. kind: ours, over (a peer over mnm),
    driver, peer or floor. streams: it asks for memory in the order of streams;
    only rows of streams have it."""
    name: str
    kind: str
    allocator: str = None
    preload: str = None
    env: dict = field(default_factory=dict)
    version: str = ""
    reason: str = None
    streams: bool = False


class Place:
    """Where the contenders run: the simulated driver, or a GPU."""

    def __init__(self, build, gpu=False):
        self.build, self.gpu = build, gpu

    def path(self, *names):
        return os.path.join(self.build, *names)

    def allocator(self, name):
        """The path of a driver of our own, or the path that `name` is."""
        return name if "/" in name else self.path("bench", name + ".so")

    def libraries(self):
        if not self.gpu:
            return self.path("sim")
        homes = [os.environ.get("CUDA_HOME"), self.path("cuda"),
                 "/usr/local/cuda"]
        return ":".join(os.path.join(home, folder) for home in homes if home
                        for folder in ("lib64", "lib"))

    def environment(self, contender, extra=None, preload=()):
        """The tester's settings must not decide what is measured."""
        env = {k: v for k, v in os.environ.items()
               if k[:4] != "MNM_" and k != "LD_PRELOAD"}
        if not self.gpu:
            env.update(SIMULATED)
        env.update(contender.env)
        env.update(extra or {})
        env["LD_LIBRARY_PATH"] = ":".join(filter(None, [
            self.libraries(), contender.env.get("LD_LIBRARY_PATH")]))
        preloads = [*filter(None, [contender.preload]), *preload]
        if preloads:
            env["LD_PRELOAD"] = ":".join(preloads)
        return env


def library(pattern):
    """The first shared library of that name in the usual folders, or None."""
    for folder in ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib",
                   "/usr/local/lib"):
        found = sorted(glob.glob(os.path.join(folder, pattern)))
        if found:
            return found[0]
    return None


def ours(place, name=OURS, allocator="cuda_runtime", **env):
    return Contender(name, "ours", place.allocator(allocator),
                     place.path("libmnm.so"), env)


def native(place, name=DRIVER, allocator="cuda_runtime"):
    return Contender(name, "driver", place.allocator(allocator))


def peers(place):
    """The peers that scripts/bench-peers left; none if it has not run."""
    path = place.path("peers", "peers.json")
    try:
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)
    except FileNotFoundError:
        return []
    except ValueError as error:
        raise SystemExit(f"bench: {path}: {error}; remove it, or run "
                         "scripts/bench-peers again") from None
    return [Contender(row["name"], "floor" if row["allocator"] == "host" else
                      "peer", row["allocator"] and
                      place.allocator(row["allocator"]), row["preload"],
                      row["env"] or {}, row["version"] or "", row["reason"],
                      row.get("streams", False)) for row in rows]


def floors(place):
    """Allocators of plain host memory."""
    for name, pattern in FLOORS.items():
        preload = pattern and library(pattern)
        missing = None if preload or not pattern else "not installed"
        yield Contender(name, "floor", place.allocator("host"), preload,
                        reason=missing)


def over(place, peer):
    """A peer that asks for memory in the order of streams, and mnm serves."""
    return dataclasses.replace(peer, name=f"{peer.name}, {OURS}", kind="over",
                               preload=place.path("libmnm.so"),
                               env={**peer.env, **ORDERED})


def events_alone(place, allocator="events"):
    return Contender("events alone", "floor", place.allocator(allocator))


def in_streams(place, known):
    """Who follows streams: mnm, CUDA's own pool, and the frameworks' allocators
    over either; and last, the events of a work alone."""
    rivals = [each for each in known if each.streams]
    return [ours(place, allocator="cuda_async", **ORDERED), *rivals,
            *(over(place, each) for each in rivals if each.kind == "peer" and
              each.name != ASYNC), events_alone(place)]


def contenders(place):
    found = [ours(place), native(place),
             Contender(ASYNC, "peer", place.allocator("cuda_async"),
                       streams=True)]
    found += peers(place)
    known = {contender.name for contender in found}
    found += [each for each in floors(place) if each.name not in known]
    found.append(Contender("empty calls", "floor", place.allocator("nothing")))
    return found
