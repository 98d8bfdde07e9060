"""What a suite is, and a process of it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field


# What a suite finds in its path, or is run by.
INSIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inside")


@dataclass(frozen=True)
class Process:
    """A process of a suite. Its argv and env may name {lines}, the file that it
    writes its results to; env also {path} and {libraries}, what PATH and
    LD_LIBRARY_PATH begin with."""
    name: str
    argv: list
    env: dict = field(default_factory=dict)
    folder: str = None      # where it runs; its own scratch folder else
    limit: int = 300        # seconds
    neighbour: bool = True  # the modes with a neighbour have one here too


@dataclass(frozen=True)
class Suite:
    name: str
    version: str
    origin: str
    what: str                # of it is run
    processes: Callable      # of its folder: what to run
    read: Callable           # a finished process's tests, see results.py
    wheels: tuple = ()       # for its virtual environment; the suite's first
    build: Callable = None   # makes the rest, of (shop, suite, folder)
    recipe: int = 1          # of build; another number has it built anew
    sim: str = "8G"          # MNM_SIM
    # Processes that copy device memory to the host which they never wrote: what
    # it holds is not promised.
    unwritten: tuple = ()
