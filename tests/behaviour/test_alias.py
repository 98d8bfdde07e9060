"""Variables of MXNet's that set options of mnm's."""

import os
import re

import pytest

from conftest import MIB, ROOT
from test_doctor import doctor, found
from test_pool import open_shell, took

PREFIX = "MXNET_GPU_MEM_POOL_"
TYPE = PREFIX + "TYPE"


def opened(box, pool=None, variables=(), **options):
    env = {**box.env("any", log="info", **options), **dict(variables)}
    if pool:
        env["MNM_POOL"] = pool
    else:
        del env["MNM_POOL"]
    box.env = lambda *args, **kwargs: env
    shell = open_shell(box, "any", "driver")
    took(shell, "alloc a 5000")
    return shell


def said(box, level, words):
    return [line for line in box.stderr().splitlines()
            if line.startswith(f"mnm: {level}: ") and words in line]


@pytest.mark.parametrize("name, pool, spans", [
    ("Naive", "naive_pool", 4 * MIB), ("Round", "round_pool", 4 * MIB),
    ("Unpooled", "no_pool", 3 * MIB)])
def test_mxnets_pool_is_that_of_its_name(box, name, pool, spans):
    """For the memory of GPUs alone."""
    shell = opened(box, variables={TYPE: name})
    took(shell, "pin p 5000 0")
    assert shell.stat()["pool"] == pool
    assert shell.stat("host")["pool"] == "page_unit_pool"
    before = shell.stat()["reserved_bytes"]
    took(shell, f"alloc b {3 * MIB}")
    assert shell.stat()["reserved_bytes"] == before + spans
    assert "devices" in shell.ask("swap page_unit_pool")
    assert "devices" in shell.ask("reset")
    assert shell.stat()["pool"] == pool
    shell.end()
    assert len(said(box, "info", f"{TYPE} sets pool={pool},host:")) == 1
    assert not said(box, "warn", "")


@pytest.mark.parametrize("variable, value, option, told", [
    ("PAGE_SIZE", "65536", "page_size", "64K"),
    ("ROUND_LINEAR_CUTOFF", "20", "round_cutoff", "20"),
    ("RESERVE", "10", "headroom", "10")])
def test_mxnets_numbers_are_those_of_options(box, variable, value, option,
                                             told):
    shell = opened(box, variables={PREFIX + variable: value})
    words = f"{option} is {told}"
    assert words in box.mnm("set", shell.pid, option).stdout
    assert shell.stat()["pool"] == "page_unit_pool"
    shell.end()
    assert said(box, "info", f"{PREFIX}{variable} sets {option}={told}")


def test_an_options_own_variable_counts_more(box):
    shell = opened(box, "page_unit_pool", {
        TYPE: "Round", PREFIX + "PAGE_SIZE": "nonsense"}, page_size=512)
    assert shell.stat()["pool"] == "page_unit_pool"
    assert shell.stat()["reserved_bytes"] == 5120
    shell.end()
    assert said(box, "info", f"{TYPE} has no effect: pool has a value")
    assert not said(box, "warn", "")


@pytest.mark.parametrize("variable, value, allowed", [
    ("TYPE", "naive", "Naive, Round, Unpooled"),
    ("TYPE", "no_pool", "Naive, Round, Unpooled"),
    ("PAGE_SIZE", "32", "power of two, 512 to 2M"),
    ("ROUND_LINEAR_CUTOFF", "40", "20 to 34"),
    ("RESERVE", "-1", "0 to 100")])
def test_a_value_that_is_not_known_is_one_warning_and_no_more(
        box, variable, value, allowed):
    shell = opened(box, variables={PREFIX + variable: value})
    took(shell, "free a")
    took(shell, "alloc a 5000")
    stat = shell.stat()
    assert (stat["pool"], stat["hits"]) == ("page_unit_pool", 1)
    assert stat["reserved_bytes"] == 8192
    shell.end()
    line, = said(box, "warn", "")
    assert f"{PREFIX}{variable} has no effect: " in line and allowed in line


def test_an_empty_alias_is_as_none(box):
    shell = opened(box, variables={TYPE: ""})
    assert shell.stat()["pool"] == "page_unit_pool"
    shell.end()
    assert TYPE not in box.stderr()


def test_an_empty_option_leaves_it_to_the_alias(box):
    shell = opened(box, variables={TYPE: "Round", "MNM_POOL": ""})
    assert shell.stat()["pool"] == "round_pool"
    shell.end()


@pytest.mark.parametrize("value, level, words", [
    ("Naive", "ok", f"{TYPE} sets pool=naive_pool,"),
    ("Unpooled", "warning", f"{TYPE} sets pool=no_pool,"),
    ("naive", "warning", f"{TYPE} has no effect: pool: 'naive'")])
def test_doctor_says_what_an_alias_does(box, value, level, words):
    status, findings = doctor(box, **{TYPE: value})
    found(findings, level, "options", words)
    found(findings, "ok", "options", "every MNM_ variable is right")
    assert status == 0


def test_doctor_says_that_an_option_counts_more(box):
    _, findings = doctor(box, **{TYPE: "Unpooled", "MNM_POOL": "round_pool"})
    found(findings, "ok", "options", f"{TYPE} has no effect: pool has")


def test_the_documents_have_each_alias():
    def text(*path):
        with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
            return file.read()

    rows = re.findall(r'{"(MXNET_\w+)", "(\w+)"}',
                      text("src", "common", "option_alias.c"))
    assert len(rows) == 4
    for variable, option in rows:
        row = f"| `{variable}` | `MNM_{option.upper()}` |"
        assert row in text("docs", "options.md")
        assert variable in text("docs", "mnm.1")
