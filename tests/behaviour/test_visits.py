"""Work that reaches memory of another device, and whose work that is."""

import pytest

from conftest import MIB
from test_fence import calls_of, cycle
from test_order import T4, with_other_driver
from test_pool import open_shell, took

POOL = "page_unit_pool"
CURRENT = ["c0", "c1", "none"]
NODES = ["copy", "fill", "any_copy", "any_fill"]
SHAPES = ["batch", "batch_deep", "flat", "flat_any", "deep"]


def lines(shell, text):
    for line in text.split(";"):
        took(shell, line.strip())


def late(box, before="", **options):
    """A shell that has reused a block of device 0 after a fence. The block's
    old work, a fill with 1, comes late. Device 1 has two blocks, of which x is
    filled with 9."""
    shell = box.shell(POOL, "driver", devices=2, **options)
    lines(shell, f"""init; {before} retain c1 1; set c1; stream b; alloc x {MIB};
          alloc y {MIB}; put x b 9; wait b; retain c0 0; set c0; stream a;
          stream a2; alloc p {MIB}; put p a2 0; sync; linger a; put p a 1;
          free p; alloc q {MIB}""")
    assert shell("addr q") == shell("addr p")
    assert (shell.stat()["fences"], shell.stat()["syncs"]) == (1, 0)
    return shell


def launch(shell):
    lines(shell, "set c1; instantiate g e; launch e b; wait b")


def gates(box):
    """How many waits of contexts for fences there were, without those of the
    fences themselves."""
    waits, records = calls_of(box, "cuCtxWaitEvent", "cuCtxRecordEvent")
    return waits - records


def end_in_order(box, shell):
    lines(shell, "set c0; wait a")
    assert shell("check q 9").endswith("right")
    shell.end()
    assert gates(box) == 1


@pytest.mark.parametrize("current", CURRENT)
@pytest.mark.parametrize("how", NODES)
def test_a_node_is_of_the_context_that_it_names(box, how, current):
    shell = late(box)
    lines(shell, f"graph g; set {current}; node {how} n g q x c1")
    launch(shell)
    end_in_order(box, shell)


@pytest.mark.parametrize("current", CURRENT)
@pytest.mark.parametrize("how", NODES)
def test_a_node_stays_in_its_context_with_new_parameters(box, how, current):
    shell = late(box)
    lines(shell, f"graph g; node {how} n g y x c1; set {current}")
    lines(shell, f"renode {how} n q x c1")
    launch(shell)
    end_in_order(box, shell)


@pytest.mark.parametrize("how", NODES)
def test_without_a_name_it_may_be_anyones(box, how):
    shell = late(box)
    lines(shell, "graph g; set c1")
    lines(shell, f"node {how} n g q x none")
    launch(shell)
    end_in_order(box, shell)


@pytest.mark.parametrize("how", NODES)
def test_a_node_in_its_own_devices_memory_shares_nothing(box, how):
    shell = late(box)
    lines(shell, f"graph g; node {how} n g y x c1; set c1; instantiate g e")
    lines(shell, f"exec_renode {how} e n x y c1; set c0")
    for device in range(2):
        lines(shell, f"set c{device}")
        cycle(shell, 200)
        assert shell.stat(device)["fences"] > 1
    lines(shell, "launch e b; wait b")
    shell.end()
    assert gates(box) == 0


@pytest.mark.parametrize("how", NODES)
def test_an_executables_node_does_not_come_to_another_device(box, how):
    """CUDA asks for memory of the same context as before."""
    shell = late(box)
    lines(shell, f"graph g; node {how} n g y x c1; set c1; instantiate g e")
    took(shell, f"exec_renode {how} e n q x c1", "1")
    shell.end()


@pytest.mark.parametrize("line", [
    "node value n g q none c1", "node any_value n g q none c1",
    "renode value n q none c1", "renode any_value n q none c1",
    "exec_renode value none n q none c1",
    "exec_renode any_value none n q none c1",
    "visit value b q none", "visit values b q none", "visit await b q none",
    "visit peers b q x", "visit peers b x q", "visit unpack b q x",
    "visit unpack b x q"])
@pytest.mark.parametrize("current", CURRENT)
def test_what_this_device_can_not_do_is_a_visit_too(box, line, current):
    shell = late(box)
    lines(shell, f"graph g; set {current}")
    shell(line)
    lines(shell, "set c0; wait a")
    shell.end()
    assert gates(box) == 1


@pytest.mark.parametrize("current", ["c0", "c1"])
@pytest.mark.parametrize("how", SHAPES)
def test_a_copy_is_of_its_streams_context(box, how, current):
    shell = late(box)
    lines(shell, f"set {current}; visit {how} b q x; wait b")
    end_in_order(box, shell)


@pytest.mark.parametrize("current", ["c0", "c1"])
@pytest.mark.parametrize("how", SHAPES)
def test_what_a_copy_reads_is_visited_too(box, how, current):
    shell = late(box)
    lines(shell, f"put q a2 9; wait a2; set {current}; visit {how} b y q")
    lines(shell, "wait b; set c1")
    assert shell("check y 9").endswith("right")
    shell.end()
    assert gates(box) == 1


@pytest.mark.parametrize("line", [
    "visit flush b none none", "visit values zero none none",
    "visit flat b none none", "visit deep b none none",
    "node any_empty n g none none c1"])
def test_what_names_no_memory_of_another_device_visits_none(box, line):
    shell = late(box)
    lines(shell, "graph g; set c1")
    shell(line)
    lines(shell, "set c0; wait a")
    shell.end()
    assert gates(box) == 0


def test_a_batch_in_its_own_devices_memory_shares_nothing(box):
    shell = late(box)
    lines(shell, "visit batch b x y; visit batch_deep b x y; set c0")
    cycle(shell, 200)
    assert shell.stat()["fences"] > 1 and shell.stat()["syncs"] == 0
    shell.end()
    assert gates(box) == 0


@pytest.mark.parametrize("fail", ["cuCtxRecordEvent:2+:999",
                                  "cuEventQuery:1+:999"])
def test_frees_wait_where_another_device_cant_be_asked(box, fail):
    shell = late(box, sim_fail=fail)
    lines(shell, "visit batch b q x; wait b; wait a; set c0")
    addresses = cycle(shell, 1200)
    assert len(set(addresses)) < 1000
    assert shell.stat()["syncs"] >= 1
    shell.end()
    assert box.stderr().count("a fence failed with error 999") == 1


@pytest.mark.parametrize("current,stream", [("c0", "b"), ("c1", "b"),
                                            ("c1", "zero")])
def test_a_free_in_another_devices_stream_is_behind_the_fence(box, current,
                                                              stream):
    """The stream shares nothing: from then on the block is CUDA's."""
    shell = late(box, sim_check=1, stream_ordered=0)
    lines(shell, f"set {current}; free_async q {stream}; wait {stream}; set c0")
    lines(shell, f"alloc z {MIB}; put z a2 7; wait a2; wait a")
    assert shell("check z 7").endswith("right")
    cycle(shell, 200)
    assert shell.stat()["fences"] > 1 and shell.stat()["syncs"] == 0
    shell.end()
    assert gates(box) == 1
    assert "violation" not in box.stderr()


FUTURE = ["symbol cuFutureCopy 0", "door cuFutureCopy 13000",
          "door cuMemcpyBatchAsync 99000"]


@pytest.mark.parametrize("current", ["c0", "c1"])
@pytest.mark.parametrize("found", FUTURE)
def test_an_entry_that_no_header_has_may_go_anywhere(box, found, current):
    shell = late(with_other_driver(box), sim=T4, before=f"future {found};")
    lines(shell, f"set {current}; future_copy b q x; wait b")
    end_in_order(box, shell)


@pytest.mark.parametrize("found", FUTURE)
def test_until_it_is_called_it_goes_nowhere(box, found):
    shell = late(with_other_driver(box), sim=T4, before=f"future {found};")
    cycle(shell, 200)
    assert shell.stat()["fences"] > 1 and shell.stat()["syncs"] == 0
    shell.end()
    assert gates(box) == 0


def test_on_one_device_it_has_nowhere_to_go(box):
    shell = open_shell(with_other_driver(box), POOL, "driver", sim=T4)
    lines(shell, "future door cuFutureCopy 13000; stream s; alloc x 5000;"
          "alloc y 5000; put x s 9; future_copy s y x; wait s; mix")
    assert shell("check y 9").endswith("right")
    cycle(shell, 200)
    assert shell.stat()["fences"] > 1
    shell.end()


def test_what_a_multicast_object_took_is_never_reused(box):
    shell = open_shell(with_other_driver(box), POOL, "driver", sim=T4)
    lines(shell, "alloc a 5000; bind a; free a; alloc b 5000")
    shell.end()
    assert box.stat()["hits"] == 0
    assert calls_of(box, "cuMemFree_v2") == [1]


def test_a_free_in_a_stream_of_nobody_knows_whom_is_anyones(box):
    """CUDA does not say whose stream it is, so all devices wait for its
    work."""
    shell = box.shell(POOL, "driver", devices=2, fail="cuStreamGetCtx:1+:999")
    lines(shell, f"""init; retain c1 1; set c1; stream b; alloc x {MIB};
          retain c0 0; set c0; stream a; alloc p {MIB}; put p a 5; wait a;
          linger b; free_async p b; alloc q {MIB}; put q a 7; wait a; wait b""")
    assert shell("check q 7").endswith("right")
    shell.end()
    assert box.stderr() == ""
