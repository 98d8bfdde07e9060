"""The garbage threshold of best_fit_pool: which segments go back, and when."""

import pytest

from conftest import MIB
from test_pool import open_shell, took

# Of these, each has a segment of its own.
OLD, LATER, USED = 30, 32, 34  # MiB


def opened(box, **options):
    """Three segments of 96 MiB in all. The one of a is free since before three
    requests, that of b since the last one."""
    options = {"pool": "best_fit_pool", "sim": "200M", **options}
    shell = open_shell(box, options.pop("pool"), "driver", **options)
    for name, size in ("a", OLD), ("b", LATER), ("c", USED):
        took(shell, f"alloc {name} {size * MIB}")
    took(shell, "free a")
    for _ in range(3):
        took(shell, "free c")
        took(shell, f"alloc c {USED * MIB}")
    took(shell, "free b")
    return shell


def taken(shell, size):
    """The MiB that are reserved once that many more were asked for."""
    took(shell, f"alloc d{size} {size * MIB}")
    return shell.stat()["reserved_bytes"] // MIB


def test_the_oldest_segment_goes_back_past_the_threshold(box):
    shell = opened(box, garbage_threshold=40)  # 80 MiB
    assert taken(shell, 36) == 96 - OLD + 36
    assert taken(shell, LATER) == 96 - OLD + 36  # which has stayed
    shell.end()


def test_as_many_go_back_as_it_takes(box):
    shell = opened(box, garbage_threshold=20)  # 40 MiB: 56 are too many
    assert taken(shell, 36) == USED + 36
    shell.end()


def test_those_of_the_average_age_go_together(box):
    """One that is older than the average is enough, and another one is not
    younger."""
    shell = open_shell(box, "best_fit_pool", "driver", sim="200M",
                       garbage_threshold=45)  # 90 MiB
    for name, size in ("a", OLD), ("b", LATER), ("c", USED):
        took(shell, f"alloc {name} {size * MIB}")
    took(shell, "free a")
    took(shell, "free b")
    assert taken(shell, 36) == USED + 36
    shell.end()


@pytest.mark.parametrize("options", [
    {}, {"garbage_threshold": 0}, {"garbage_threshold": 48},  # 96 MiB
    {"garbage_threshold": 1, "pool": "vmm_pool@device"}])
def test_else_all_stays(box, options):
    shell = opened(box, **options)
    assert taken(shell, 36) == 96 + 36
    assert shell.stat()["driver_frees"] == 0
    shell.end()


@pytest.mark.parametrize("limit", ["pool_limit", "hard_limit"])
def test_the_limit_is_what_it_is_a_part_of(box, limit):
    shell = opened(box, garbage_threshold=50, **{limit: "160M"})  # 80 MiB
    assert taken(shell, 36) == 96 - OLD + 36
    shell.end()


def test_it_changes_while_the_program_runs(box):
    shell = opened(box)
    assert taken(shell, 36) == 96 + 36
    assert shell.ask("set garbage_threshold 55")["value"] == "55"  # 110 MiB
    assert taken(shell, 38) == 96 + 36 - OLD + 38
    assert "error" in shell.ask("set garbage_threshold 101")
    shell.ask("set garbage_threshold 0")
    assert taken(shell, 40) == 96 + 36 - OLD + 38 + 40
    shell.end()


def test_small_segments_stay(box):
    shell = open_shell(box, "best_fit_pool", "driver", sim="64M",
                       garbage_threshold=1)
    for name in "ab":
        took(shell, f"alloc {name} {MIB}")
    for name in "ab":
        took(shell, f"free {name}")
    assert taken(shell, 20) == 2 + 20
    shell.end()


def test_a_segment_that_is_used_in_part_stays(box):
    shell = open_shell(box, "best_fit_pool", "driver", sim="200M",
                       garbage_threshold=1)
    for name in "ab":
        took(shell, f"alloc {name} {6 * MIB}")
    took(shell, "free a")
    assert taken(shell, 36) == 20 + 36
    shell.end()


def test_nothing_goes_back_in_a_capture(box):
    shell = opened(box, garbage_threshold=1)
    for line in ("stream s", "capture s", f"alloc d {36 * MIB}",
                 "capture_end s"):
        took(shell, line)
    assert shell.stat()["reserved_bytes"] == (96 + 36) * MIB
    shell.end()


def test_what_goes_back_is_waited_for(box):
    shell = opened(box, garbage_threshold=1, pool="best_fit_pool@virtual",
                   sim_check=1)
    for line in ("fill c 7", "free c"):
        took(shell, line)
    assert taken(shell, 36) == 36
    shell.end()
    assert "unmapped" not in box.stderr()


@pytest.mark.parametrize("backing", ["device", "virtual", "managed"])
def test_it_holds_for_each_backing(box, backing):
    shell = opened(box, garbage_threshold=40, pool=f"best_fit_pool@{backing}")
    assert taken(shell, 36) == 96 - OLD + 36
    shell.end()
