"""One stream's order serves again once that stream is alone again."""

import pytest

from conftest import plain_build_only, program
from test_order import POOL, T4, figures, ordered, use, with_other_driver
from test_pool import open_shell, took

BACK = 1000  # requests after which the order has come back

# What ends the order, and then goes away.
PASSING = {
    "a second stream": ["stream two", "alloc x 5000", "put x two 1",
                        "free x", "stream_end two"],
    "one that stays": ["stream two", "alloc x 5000", "put x two 1", "free x"],
    "a thread's own stream": ["mix"],
    "the stream's own end": ["stream_end one", "stream one", "alloc x 5000",
                             "put x one 1", "free x"],
    "a second context": ["create other 0", "set primary", "destroy other"],
    "a second device": ["create other 1", "set primary", "destroy other"],
    "a capture": ["capture one", "capture_end one"],
    "a launch that overlaps": ["overlap one 1"],
}
LASTING = {
    "a table of undocumented entries": "table",
    "a graph that the device launches": "device_graph",
    "an entry that the headers lack": "installed cuFutureWork",
}


def ended(box, lines, **options):
    shell = ordered(box, devices=2, **options)
    for line in lines:
        shell(line)
    assert figures(shell)[0] == "fence"
    return shell


@pytest.mark.parametrize("what", PASSING)
def test_a_stream_that_is_alone_again_needs_no_fence_any_more(box, what):
    shell = ended(box, PASSING[what])
    use(shell, "one", BACK)
    order, fences, syncs = figures(shell)
    assert (order, syncs) == ("stream", 0)
    use(shell, "one", 500)
    assert figures(shell) == ("stream", fences, 0)
    shell.end()


@pytest.mark.parametrize("what", LASTING)
def test_it_never_does_where_work_may_be_out_of_order(box, what):
    shell = ended(with_other_driver(box), [LASTING[what]], sim=T4)
    use(shell, "one", BACK)
    assert figures(shell)[0] == "fence"
    shell.end()


def test_nor_with_a_driver_newer_than_the_headers(box):
    shell = open_shell(box, POOL, "driver", sim_driver="13010")
    took(shell, "mix")
    use(shell, "zero", BACK)
    assert figures(shell)[0] == "fence"
    shell.end()


def test_nor_where_two_streams_have_work_in_turn(box):
    shell = ordered(box)
    took(shell, "stream two")
    for _ in range(BACK // 2):
        use(shell, "one")
        use(shell, "two")
    assert figures(shell)[0] == "fence"
    shell.end()


def test_nor_beside_a_second_context(box):
    shell = ended(box, ["create other 0", "set primary"])
    use(shell, "one", BACK)
    assert figures(shell)[0] == "fence"
    shell.end()


def test_nor_after_a_capture_that_is_still_on(box):
    shell = ordered(box)
    took(shell, "stream two")
    took(shell, "capture two")
    use(shell, "one", BACK)
    assert figures(shell)[0] == "fence"
    took(shell, "capture_end two")
    shell.end()


def test_a_short_time_alone_brings_no_order_back(box):
    """So a second stream that is used now and then does not cost a fence each
    time."""
    shell = ended(box, PASSING["a second stream"])
    use(shell, "one", 250)
    assert figures(shell)[0] == "fence"
    shell.end()


def test_the_next_second_stream_comes_behind_all_that_was_reused(box):
    shell = ended(box, PASSING["one that stays"])
    use(shell, "one", BACK)
    order, fences, _ = figures(shell)
    assert order == "stream"
    for line in ("alloc a 5000", "linger one", "put a one 238", "free a",
                 "alloc b 5000"):
        took(shell, line)
    assert figures(shell) == ("stream", fences, 0)
    took(shell, "put b two 17")
    assert figures(shell) == ("fence", fences + 1, 0)
    for line in ("wait two", "wait one"):
        took(shell, line)
    assert shell("check b 17").endswith("right")
    shell.end()


def test_it_ends_and_returns_any_number_of_times(box):
    shell = ordered(box)
    took(shell, "stream two")
    for _ in range(3):
        use(shell, "two")
        assert figures(shell)[0] == "fence"
        use(shell, "one", BACK)
        assert figures(shell)[0] == "stream"
    shell.end()


def test_without_any_work_it_returns_too(box):
    """Without work there is nothing to wait for."""
    shell = ended(box, PASSING["a thread's own stream"])
    for _ in range(BACK):
        took(shell, "alloc a 5000")
        took(shell, "free a")
    fences = figures(shell)[1]
    assert figures(shell)[0] == "stream"
    took(shell, "mix")
    assert figures(shell) == ("fence", fences + 1, 0)
    shell.end()


GONE = {"threads": "8 0 0", "a second stream": "0 1 0", "streams": "0 16 0",
        "a second context": "0 0 1", "contexts": "0 0 8", "all": "8 8 8"}


@plain_build_only
@pytest.mark.parametrize("gone", GONE)
def test_a_thread_that_is_alone_again_is_as_if_it_always_was(box, gone):
    """The measure is the locks that it takes: one in 256 requests, to look at
    the other threads."""
    done = box.run([program("alone_again"), *GONE[gone].split()], POOL)
    words = done.stdout.split()
    assert words[4:] == ["errors", "0"], done.stdout
    assert int(words[3]) <= int(words[1]) + 5, done.stdout
