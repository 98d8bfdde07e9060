"""Graphs that belong to a node of another graph, and the blocks that they
hold."""

import pytest

from test_capture import captured, lines, opened


def held(shell):
    return shell.stat()["held_blocks"]


def body(shell):
    lines(shell, "graph p", "body inner p")


def moved(shell):
    lines(shell, "graph p", "graph inner", "move n inner p")


def copied(shell):
    lines(shell, "graph p", "graph c", "child n c p", "inside inner n")


def nested(shell):
    lines(shell, "graph p", "graph c", "graph inner", "move n inner c",
          "move m c p")


def fill_inside(shell):
    """Captures a fill of block a, and its free, into that graph."""
    lines(shell, "alloc a 5000", "begin_into s relaxed inner",
          "stream_fill s a 7", "free a", "end s same")
    assert shell("addr same") == shell("addr inner")
    assert held(shell) == 1


def graphs_at(shell, address, make):
    """Makes graphs one after the other, until one is at that address."""
    names = []
    while address not in [shell(f"addr {name}") for name in names]:
        names.append(f"n{len(names)}")
        make(names[-1])
        assert len(names) < 8
    return names


@pytest.mark.parametrize("inside", [body, moved, copied, nested])
def test_what_is_captured_into_it_is_the_parents(box, inside):
    shell = opened(box)
    inside(shell)
    fill_inside(shell)
    lines(shell, "instantiate p x", "graph_destroy p")
    assert held(shell) == 1
    lines(shell, "exec_destroy x")
    assert held(shell) == 0
    shell.end()


def test_a_destroy_that_cuda_refuses_ends_nothing(box):
    shell = opened(box)
    nested(shell)
    assert shell("graph_destroy c") == "1"  # it is a node's
    fill_inside(shell)
    lines(shell, "instantiate p x", "graph_destroy p")
    assert held(shell) == 1
    lines(shell, "exec_destroy x")
    assert held(shell) == 0
    shell.end()


@pytest.mark.parametrize("inside", [body, moved, copied, nested])
def test_another_graph_at_its_address_ends_nothing(box, inside):
    shell = opened(box)
    inside(shell)
    fill_inside(shell)
    former = shell("addr inner")
    lines(shell, "instantiate p x", "graph_destroy p")
    for name in graphs_at(shell, former, lambda n: lines(shell, f"graph {n}")):
        lines(shell, f"graph_destroy {name}")
    assert held(shell) == 1
    lines(shell, "alloc b 5000", "launch x s", "exec_destroy x")
    assert shell("addr b") != shell("addr a")
    assert held(shell) == 0
    shell.end()


@pytest.mark.parametrize("inside", [body, moved, copied, nested])
def test_a_capture_at_its_address_is_its_own(box, inside):
    shell = opened(box)

    def capture(name):
        lines(shell, "alloc a 5000", "begin s relaxed", "stream_fill s a 7",
              "free a", f"end s {name}")

    inside(shell)
    former = shell("addr inner")
    lines(shell, "graph_destroy p")
    names = graphs_at(shell, former, capture)
    assert held(shell) == len(names)
    lines(shell, f"graph_destroy {names[-1]}")
    assert held(shell) == len(names) - 1
    shell.end()


@pytest.mark.parametrize("uses", [
    ["instantiate p x", "graph_destroy p"],
    ["clone p q", "graph_destroy p", "instantiate q x", "graph_destroy q"],
])
def test_a_moved_graph_takes_along_what_it_held(box, uses):
    shell = opened(box)
    captured(shell, "free a")
    lines(shell, "graph p", "move n g p", *uses)
    assert held(shell) == 1
    lines(shell, "exec_destroy x")
    assert held(shell) == 0
    shell.end()


def test_a_graph_of_an_unknown_parent_holds_for_good(box):
    """The node is a copy, and nothing tells which graph it is in."""
    shell = opened(box)
    lines(shell, "graph p", "graph c", "child n c p", "clone p q",
          "first m q", "inside inner m")
    fill_inside(shell)
    former = shell("addr inner")
    lines(shell, "instantiate q x", "graph_destroy q", "graph_destroy p")
    for name in graphs_at(shell, former, lambda n: lines(shell, f"graph {n}")):
        lines(shell, "alloc b 5000", f"begin_into s relaxed {name}",
              "stream_fill s b 7", "free b", f"end s {name}")
        assert held(shell) == 2
        lines(shell, f"graph_destroy {name}")
        assert held(shell) == 1
    shell.end()


@pytest.mark.parametrize("inside", [moved, copied, nested])
def test_a_capture_where_a_destroyed_node_had_its_graph_is_its_own(box, inside):
    """The former parent still exists. It keeps the blocks that the node's
    graph held."""
    shell = opened(box)
    inside(shell)
    fill_inside(shell)
    former = shell("addr inner")
    node = "m" if inside == nested else "n"
    lines(shell, f"node_destroy {node}")

    def capture(name):
        lines(shell, "alloc b 5000", "begin s relaxed", "stream_fill s b 7",
              "free b", f"end s {name}")

    names = graphs_at(shell, former, capture)
    assert held(shell) == 1 + len(names)
    lines(shell, "graph_destroy p")
    assert held(shell) == len(names)
    lines(shell, f"graph_destroy {names[-1]}")
    assert held(shell) == len(names) - 1
    shell.end()


def test_a_capture_where_an_unseen_end_left_a_graph_is_its_own(box):
    """A conditional node was destroyed. Nothing tells that its bodies ended
    with it."""
    shell = opened(box)
    lines(shell, "graph p", "body inner p", "first n p")
    former = shell("addr inner")
    lines(shell, "node_destroy n")

    def capture(name):
        lines(shell, "alloc b 5000", "begin s relaxed", "stream_fill s b 7",
              "free b", f"end s {name}")

    names = graphs_at(shell, former, capture)
    lines(shell, "graph_destroy p")
    assert held(shell) == len(names)
    lines(shell, f"graph_destroy {names[-1]}")
    assert held(shell) == len(names) - 1
    shell.end()


def test_a_node_that_is_not_destroyed_keeps_its_graph(box):
    shell = opened(box, fail="cuGraphDestroyNode:1:1")
    copied(shell)
    assert shell("node_destroy n") == "1"
    fill_inside(shell)
    lines(shell, "instantiate p x", "graph_destroy p")
    assert held(shell) == 1
    lines(shell, "exec_destroy x")
    assert held(shell) == 0
    shell.end()
