"""A pool of a plug-in's that answers wrongly: the job goes on, with its data."""

import os
import re

import pytest

from conftest import BUILD, EXAMPLES, MIB
from test_api import name
from test_pool import open_shell, took

EVIL = os.path.join(BUILD, "tests", "plugins", "evil.so")
TRAINS = [os.path.join(EXAMPLES, "train_digits"), "--steps", "60", "--losses"]
WHOLE = [("small_span", "a span is less than its request"),
         ("wrong_span", "a block of another span"),
         ("not_ready", "a block that was not ready"),
         ("twice", "a block that it does not have"),
         ("strange_block", "a block that it does not have"),
         ("strange_answer", "its answer to alloc is none"),
         ("changed_record", "it has changed the record of a block"),
         ("stuck_alloc", "a call of it took no end"),
         ("stuck_free", "a call of it took no end"),
         ("stuck_trim", "a call of it took no end"),
         ("cycle", "a block that it does not have"),
         ("kept_back", "it has kept blocks back that were to go")]
PLACES = [("small_span", "a span is less than its request"),
          ("outside", "where it has no free bytes"),
          ("overlap", "where it has no free bytes"),
          ("too_small", "a block of another span"),
          ("stuck_place", "a call of it took no end"),
          ("in_vain", "no place in the regions that it asked for"),
          ("refused_free", "refused the bytes of a freed block"),
          ("lacks_nothing", "it lacks nothing"),
          ("part_of_live", "handed over bytes that it does not have")]
GROWING = [("refused_growth", "it has refused the memory that it asked for")]


def losses(done):
    return re.sub(r" step time .*", "", done.stdout)


@pytest.fixture(name="right")
def right_losses(box):
    return losses(box.run(TRAINS))


def switched_off(stderr, pool):
    """The one line that says so; nothing else is said."""
    line, = stderr.splitlines()
    start = f"mnm: error: pool {pool} is switched off: "
    assert line.startswith(start), stderr
    assert line.endswith("; page_unit_pool serves instead")
    return line


@pytest.mark.parametrize("pool, sin, why",
                         [("evil_pool", *row) for row in WHOLE] +
                         [("evil_places", *row) for row in PLACES] +
                         [("evil_growing", *row) for row in GROWING])
def test_a_wrong_answer_is_noticed_and_the_job_goes_on(box, right, pool, sin,
                                                       why):
    done = box.run(TRAINS, pool, pool_plugins=EVIL, test_sin=sin,
                   thread_cache=0, idle_limit="64K")
    assert why in switched_off(done.stderr, pool)
    assert losses(done) == right
    assert box.pools() == {"page_unit_pool"}
    stat = box.stat()
    assert stat["live_bytes"] == 0
    assert stat["retired_bytes"] == 0 and stat["region_bytes"] == 0


@pytest.mark.parametrize("pool", ["evil_pool"])
def test_a_pool_that_does_no_wrong_stays(box, right, pool):
    done = box.run(TRAINS, pool, pool_plugins=EVIL, test_sin="none",
                   thread_cache=0, idle_limit="64K")
    assert done.stderr == ""
    assert losses(done) == right
    assert box.stat()["pool"] == pool and box.stat()["hits"] > 0


def test_a_pool_that_is_switched_off_can_not_be_chosen_again(box):
    shell = box.shell("evil_pool", pool_plugins=EVIL, test_sin="small_span",
                      thread_cache=0)
    for i in range(30):
        took(shell, f"alloc b{i} 5000")
    assert "a span is less" in switched_off(box.stderr(), "evil_pool")
    assert shell.stat()["pool"] == "page_unit_pool"
    answer = shell.ask("swap evil_pool")
    assert "it is switched off, as it has answered wrongly" in answer["error"]
    row, = [row for row in shell.ask("pools")["pools"]
            if row["name"] == "evil_pool"]
    assert row["off"] is True
    shell.end()


def test_a_swap_away_from_a_pool_that_is_stuck_is_carried_out(box):
    """The thread of the socket, which blocks all signals, is in its call."""
    shell = box.shell("evil_pool", pool_plugins=EVIL, test_sin="stuck_trim",
                      thread_cache=0)
    took(shell, "alloc a 5000")
    took(shell, "free a")
    assert shell.ask("swap no_pool")["devices"][0]["after"] == "no_pool"
    assert "took no end" in switched_off(box.stderr(), "evil_pool")
    took(shell, "alloc a 5000")
    assert shell.stat()["pool"] == "no_pool"
    shell.end()


def test_what_a_pool_held_goes_back_at_the_next_free(box):
    shell = box.shell("evil_pool", pool_plugins=EVIL, test_sin="small_span",
                      thread_cache=0)
    for i in range(4):
        took(shell, f"alloc b{i} {MIB}")
    for i in range(4):
        took(shell, f"free b{i}")
    assert shell.stat()["idle_bytes"] == 4 * MIB
    for i in range(30):
        took(shell, f"alloc c{i} 5000")
    assert "a span is less" in switched_off(box.stderr(), "evil_pool")
    took(shell, "free c29")
    assert shell.stat()["reserved_bytes"] < MIB
    shell.end()


def test_pages_that_a_pool_does_not_take_go_back(box):
    """It may lack memory of its own for them."""
    shell = box.shell("evil_growing", pool_plugins=EVIL,
                      test_sin="refused_once")
    took(shell, f"alloc a {3 * MIB}")
    assert shell.stat()["region_bytes"] == 4 * MIB
    assert shell.stat()["pool"] == "evil_growing"
    took(shell, "free a")
    assert shell.stat()["reserved_bytes"] == 4 * MIB
    shell.end()
    assert box.stderr() == ""


def test_requests_do_not_pass_through_a_pool_that_is_switched_off(box):
    """Those that pass through ask the pool nothing, so it can't say so."""
    shell = box.shell("evil_nothing", pool_plugins=EVIL, test_sin="odd_size")
    for _ in range(3):
        took(shell, "alloc a 5000")
        took(shell, "free a")
    assert "its request's size" in switched_off(box.stderr(), "evil_nothing")
    assert shell.stat()["idle_bytes"] > 0  # page_unit_pool keeps it
    shell.end()


def test_the_default_serves_in_place_of_a_pool_that_is_switched_off(box):
    """Also where nobody has asked for memory since."""
    shell = open_shell(box, "evil_pool", "driver", devices=2, pool_plugins=EVIL,
                       test_sin="small_span")
    for _ in range(30):
        took(shell, "mnm_alloc_bytes 0 5000")
    assert "a span is less" in switched_off(box.stderr(), "evil_pool")
    took(shell, "alloc a 5000")
    for device in (0, 1):
        assert name(shell, device) == "page_unit_pool"
        assert shell(f"mnm_alloc_bytes {device} 5000") == "0 8192"
        took(shell, f"mnm_init_pool {device} no_pool")
        took(shell, f"mnm_remove_pool {device}")
        assert name(shell, device) == "page_unit_pool"
    swap, *_ = shell.ask("reset")["devices"]
    assert swap["after"] == "page_unit_pool"
    shell.end()


def test_a_pool_that_is_switched_off_as_it_is_opened_is_not_chosen(box):
    shell = open_shell(box, "page_unit_pool", "driver", pool_plugins=EVIL,
                       test_sin="odd_classes")
    took(shell, "alloc a 5000")
    assert shell("mnm_init_pool 0 evil_nothing") == "1"
    assert "evil_nothing is switched off" in shell("mnm_error")
    assert "keeps nothing" in switched_off(box.stderr(), "evil_nothing")
    assert name(shell) == "page_unit_pool"
    shell.end()


def test_a_reset_to_a_pool_that_is_switched_off_takes_the_default(box):
    shell = open_shell(box, "evil_pool", "driver", pool_plugins=EVIL,
                       test_sin="small_span", thread_cache=0)
    for i in range(30):
        took(shell, f"alloc b{i} 5000")
    switched_off(box.stderr(), "evil_pool")
    took(shell, "mnm_init_pool 0 vmm_pool")
    took(shell, "alloc more 5000")
    took(shell, "mnm_remove_pool 0")
    assert took(shell, "mnm_pool_name 0 80").split()[1] == "page_unit_pool"
    took(shell, "mnm_init_pool 0 vmm_pool")
    device = [row for row in shell.ask("reset")["devices"]
              if row["device"] == 0]
    assert [row["after"] for row in device] == ["page_unit_pool"]
    took(shell, "free more")
    assert shell.stat()["pool"] == "page_unit_pool"
    shell.end()


def test_a_swap_to_a_pool_that_opens_wrongly_leaves_the_one_before(box):
    shell = open_shell(box, "page_unit_pool", "driver", pool_plugins=EVIL,
                       test_sin="bad_headroom")
    took(shell, "alloc a 5000")
    row, = [row for row in shell.ask("swap evil_pool")["devices"]
            if row["device"] == 0]
    wrong = "the pool is switched off, as it has answered wrongly"
    assert row["error"] == wrong
    assert "its headroom is more than" in switched_off(box.stderr(), "evil_pool")
    took(shell, "mnm_init_pool 0 evil_pool", "1")
    assert "it is switched off, as it has" in shell("mnm_error")
    assert shell.stat()["pool"] == "page_unit_pool"
    shell.end()


def test_a_program_is_told_that_a_pool_opens_wrongly(box):
    shell = open_shell(box, "page_unit_pool", "driver", pool_plugins=EVIL,
                       test_sin="bad_headroom")
    took(shell, "alloc a 5000")
    took(shell, "mnm_init_pool 0 evil_pool", "1")
    assert "evil_pool is switched off" in shell("mnm_error")
    assert took(shell, "mnm_pool_name 0 80").split()[1] == "page_unit_pool"
    shell.end()


def test_a_pool_that_does_not_open_is_named_once(box, right):
    done = box.run(TRAINS, "evil_pool", pool_plugins=EVIL,
                   test_sin="never_opens")
    assert losses(done) == right
    line, = done.stderr.splitlines()
    assert line == ("mnm: warn: pool evil_pool does not open: its open has "
                    "returned false; CUDA serves each call until it opens")
    assert box.report()[1][0]["live_bytes"] == 0
