"""The names of all pools, from their table, with the default one last."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


def names():
    path = os.path.join(ROOT, "src", "common", "pool_list.h")
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^POOL\((\w+),", file.read(), re.MULTILINE)[::-1]


POOLS = names()
COMPARED = ["no_pool", "vmm_pool", POOLS[-1]]  # what a pool gains
