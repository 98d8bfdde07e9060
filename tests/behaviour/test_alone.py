"""Programs whose stream order is no proof, as those with NVIDIA's runtime:
while they seem to use one stream alone, a fence comes before fresh memory."""

from conftest import MIB
from test_order import use
from test_pool import open_shell, took

PAGE = 4096


def shell_of(box, pool, **options):
    """A shell whose order may be broken by work that nobody sees."""
    shell = open_shell(box, pool, "driver", **options)
    took(shell, "table", "801")
    for name in ("one", "two"):
        took(shell, f"stream {name}")
    return shell


def test_with_one_stream_little_fresh_memory_takes_the_place_of_fences(box):
    shell = shell_of(box, "page_unit_pool")
    use(shell, "one", 1000)
    shell.end()
    stat = box.stat()
    assert stat["order"] == "fence"
    assert stat["driver_allocs"] < 50


def in_turn(shell, count):
    for _ in range(count):
        use(shell, "one")
        use(shell, "two")


def test_with_two_streams_fences_are_as_rare_as_ever(box):
    shell = shell_of(box, "page_unit_pool")
    in_turn(shell, 500)
    shell.end()
    assert 10 <= box.stat()["fences"] <= 10 + 1000 / 100


def test_they_are_once_a_second_stream_comes(box):
    shell = shell_of(box, "page_unit_pool")
    use(shell, "one", 2000)
    alone = shell.stat()["fences"]
    in_turn(shell, 500)
    both = shell.stat()["fences"] - alone
    shell.end()
    assert alone > 80
    assert 5 <= both <= 10 + 1000 / 100


def test_the_best_place_is_taken_though_it_was_just_freed(box):
    shell = shell_of(box, "best_fit_pool", thread_cache=0)
    use(shell, "one", 100)
    took(shell, f"alloc x {20 * MIB}")
    took(shell, f"alloc a {12 * MIB}")
    took(shell, "free x")
    took(shell, "sync")  # the larger place is safe
    at = shell("addr a")
    took(shell, "free a")
    took(shell, f"alloc c {12 * MIB}")
    assert shell("addr c") == at
    shell.end()


def test_what_a_stream_has_freed_itself_needs_no_fence(box):
    shell = shell_of(box, "best_fit_pool", thread_cache=0)
    use(shell, "one", 100)  # it seems to be alone
    fences = shell.stat()["fences"]
    for _ in range(100):
        took(shell, "alloc_async a 5000 one")
        took(shell, "put a one 7")
        took(shell, "free_async a one")
    assert shell.stat()["fences"] <= fences + 1
    shell.end()
