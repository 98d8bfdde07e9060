"""Recordings: which code has asked."""

import bisect
import re
import shutil
import subprocess

import pytest

from conftest import program
from recordings import events, export, report, rows, told

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


@pytest.fixture
def copied(box, tmp_path):
    """A recording of a copy of the program, and that copy."""
    own, path = tmp_path / "sites", tmp_path / "out"
    shutil.copy2(SITES, own)
    box.run([own], "page_unit_pool", sim="1G", record=path)
    return path, own


def build_id(path):
    notes = subprocess.run(["readelf", "-n", path], capture_output=True,
                           text=True, check=True).stdout
    return re.search(r"Build ID: (\w+)", notes).group(1)


def test_files_of_code_are_told_with_their_build_id(box, copied):
    path, own = copied
    found = rows(box, path)
    module, = (row for row in found if row["kind"] == "module" and
               row["text"] == str(own))
    build, = (row["text"] for row in found if row["kind"] == "build" and
              row["address"] == module["address"])
    assert build == build_id(own)


def test_another_file_in_the_place_of_that_names_nothing(box, copied):
    path, own = copied
    named = {h["function"] for h in told(box, path)["devices"][0]["holders"]}
    assert named == {"take_driver_array"}
    assert report(box, path).stderr == ""
    own_id = bytes.fromhex(build_id(own))
    own.write_bytes(own.read_bytes().replace(own_id, own_id[::-1]))
    done = report(box, path)
    assert re.fullmatch(r"mnm: .*sites is another file than the program had: "
                        r"its functions are not named\n", done.stderr)
    assert "take_driver_array" not in done.stdout
    assert re.search(r"100% +1  sites +0x", done.stdout)


@pytest.mark.parametrize("form", ["folded", "torch"])
def test_an_export_says_that_it_asked_no_other_file(box, copied, tmp_path, form):
    path, own = copied
    words = ("--format", form, "--output", tmp_path / "to")
    assert export(box, path, *words).stderr == ""
    own_id = bytes.fromhex(build_id(own))
    own.write_bytes(own.read_bytes().replace(own_id, own_id[::-1]))
    done = export(box, path, *words)
    assert re.fullmatch(r"mnm: .*sites is another file than the program had: "
                        r"its functions are not named\n", done.stderr)
    assert b"take_driver_array" not in (tmp_path / "to").read_bytes()
