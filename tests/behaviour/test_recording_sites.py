"""Recordings: which code has asked."""

import bisect

import pytest

from conftest import program
from recordings import events

SITES = program("sites")


def functions(output):
    """The functions that the program has printed, by their addresses."""
    found = [line.split() for line in output.splitlines()]
    return sorted((int(at, 16), name) for name, at in found)


def caller(table, site):
    place = bisect.bisect(table, (int(site, 16), ""))
    return table[place - 1][1] if place else None


def calls(output):
    return [line.split()[0] for line in output.splitlines()]


@pytest.mark.parametrize("pool", [
    "page_unit_pool", "vmm_pool", "no_pool", "tstack_pool",
    "page_unit_pool,host:page_unit_pool", "no_pool,host:no_pool"])
def test_each_request_and_each_free_is_told_with_its_caller(box, tmp_path,
                                                            pool):
    path = tmp_path / "out"
    output = box.run([SITES], pool, sim="1G", record=path).stdout
    table = functions(output)
    assert [caller(table, row["site"]) for row in events(box, path)] == calls(
        output)


def test_the_caller_is_known_if_cuda_itself_serves_streams(box, tmp_path):
    path = tmp_path / "out"
    output = box.run([SITES], "page_unit_pool", sim="1G", record=path,
                     stream_ordered=0).stdout
    table = functions(output)
    assert [caller(table, row["site"]) for row in events(box, path)] == calls(
        output)
