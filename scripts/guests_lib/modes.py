"""The modes that each suite is run in, a row each."""

import os
import re
from dataclasses import dataclass, field, replace

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


SEED = "MNM_SIM_SEED"


@dataclass(frozen=True)
class Mode:
    name: str
    what: str                # for --list
    env: dict = field(default_factory=dict)
    preload: bool = True     # libmnm.so is under the suite
    swaps: bool = False      # its pools are swapped as long as it runs
    neighbour: bool = False  # another library takes and frees memory beside it
    default: bool = True     # run if no mode is named


def pools():
    """Every pool of mnm, by name."""
    path = os.path.join(ROOT, "src", "common", "pool_list.h")
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^POOL\((\w+),", file.read(), re.MULTILINE)[::-1]


# The suite's own result, which all modes are compared with, and its own noise.
# What the checker reports in the second run is the suite's own.
ALONE = Mode("alone", "without mnm", preload=False)
AGAIN = Mode("again", "without mnm, once more, with the checker of order",
             {"MNM_SIM_CHECK": "1"}, preload=False)

MODES = [
    ALONE,
    AGAIN,
    *(Mode(pool, f"served by {pool}", {"MNM_POOL": pool})
      for pool in pools()),
    Mode("checked", "with the checker of order", {"MNM_SIM_CHECK": "1"}),
    Mode("seeded", "by the schedule of one seed", {SEED: "1"}),
    Mode("swapped", "while its pools are swapped", swaps=True),
    Mode("neighbour", "beside a library that takes, fills and frees memory in "
         "a stream of its own, by the schedule of one seed",
         {SEED: "1"}, neighbour=True),
    Mode("unfenced", "the same without fences: it has to differ where order "
         "is tested",
         {"MNM_FENCE": "none", "MNM_FORCE": "1", SEED: "1"},
         neighbour=True, default=False),
]


def by_seeds(mode, seeds):
    """The mode by the schedule of each seed, if it has one."""
    if SEED not in mode.env or seeds == [1]:
        return [mode]
    return [replace(mode, name=f"{mode.name}-{seed}",
                    env={**mode.env, SEED: str(seed)})
            for seed in seeds]


def chosen(names, seeds=(1,)):
    """The modes to run: those named, or all of the default. The suite alone is
    always among them."""
    return [each for mode in MODES if mode in (ALONE, AGAIN) or
            (mode.name in names if names else mode.default)
            for each in by_seeds(mode, list(seeds))]
