"""Many threads, and swaps while they run."""


import pytest

from conftest import (KINDS, POOLS, SANITIZERS, answer_of, connect, program,
                      request)

SWAPS = 200 if SANITIZERS else 1000


def summary(box, shell):
    shell.process.stdin.close()
    words = shell.read().split()
    assert shell.process.wait() == 0, box.stderr()
    return dict(zip(words[::2], map(int, words[1::2])))


def assert_all_came_back(stat):
    assert stat["allocs"] == stat["frees"] == stat["hits"] + stat["misses"]
    assert stat["live_bytes"] == stat["retired_bytes"] == 0
    assert stat["pending_bytes"] == 0
    assert stat["reserved_bytes"] == stat["idle_bytes"]


@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("pool", POOLS)
def test_blocks_keep_their_contents(box, pool, threads):
    shell = box.start([program("churn"), str(threads), "300"], pool)
    assert shell.read() == "ready"
    figures = summary(box, shell)
    assert figures["rounds"] >= 300 * threads
    assert figures["wrong"] == figures["errors"] == 0
    assert_all_came_back(box.stat())
    assert (box.stat()["hits"] > 0) == (pool != "no_pool")


def test_blocks_keep_their_contents_on_two_devices(box):
    shell = box.start([program("churn"), "8", "200"], "page_unit_pool",
                      devices=2)
    assert shell.read() == "ready"
    assert summary(box, shell)["wrong"] == 0
    for device in (0, 1):
        assert_all_came_back(box.stat(device))
        assert box.stat(device)["hits"] > 0


def test_blocks_keep_their_contents_where_memory_is_scarce(box):
    shell = box.start([program("churn"), "8", "200"], "page_unit_pool",
                      pool_limit="512K")
    assert shell.read() == "ready"
    assert summary(box, shell)["errors"] == 0
    assert_all_came_back(box.stat())
    assert box.stat()["trims"] > 0


def started(box, shell):
    """Waits until the program has allocated, which is when its socket
    answers."""
    while f"{shell.pid}.sock" not in box.socket_files():
        assert shell.process.poll() is None
    while not shell.ask("stat")["devices"]:
        assert shell.process.poll() is None


def test_swaps_while_eight_threads_churn_lose_nothing(box):
    shell = box.start([program("churn"), "8", "100"], "no_pool")
    assert shell.read() == "ready"
    started(box, shell)
    before = "no_pool"
    turns = [*POOLS[1:], *POOLS[-1:], POOLS[0]]  # one of them twice in a row
    for turn in range(SWAPS):
        after = turns[turn % len(turns)]
        answer = shell.ask(f"swap {after}")
        assert answer["devices"][0]["before"] == before
        before = after
    figures = summary(box, shell)
    assert figures["wrong"] == figures["errors"] == 0
    stat = box.stat()
    assert_all_came_back(stat)
    assert stat["hits"] > 0
    live = box.report()[1][0]["live_allocs"]
    assert live == stat["driver_allocs"] - stat["driver_frees"]


def test_trims_and_figures_while_eight_threads_churn_lose_nothing(box):
    shell = box.start([program("churn"), "8", "100"], "page_unit_pool")
    assert shell.read() == "ready"
    started(box, shell)
    for _ in range(SWAPS // 4):
        shell.ask("trim")
        shell.ask("reset")
        stat = shell.stat()
        assert 0 <= stat["idle_bytes"] and stat["reserved_peak"] < 64 << 20
    with connect(box.socket_of(shell.pid)) as client:
        client.sendall(request("swap no_pool"))
        assert answer_of(client)["devices"][0]["before"] == "page_unit_pool"
    figures = summary(box, shell)
    assert figures["wrong"] == figures["errors"] == 0
    assert_all_came_back(box.stat())
    assert box.stat()["reserved_bytes"] == 0
    assert box.report()[1][0]["live_allocs"] == 0


@pytest.mark.parametrize("pool", [None, *POOLS])
def test_a_block_is_not_reused_before_the_work_queued_for_it_is_done(box,
                                                                     pool):
    assert box.run([program("late_work")], pool).stdout == "right\n"
    if pool == "page_unit_pool":
        assert box.stat()["hits"] == 1


@pytest.mark.parametrize("pool", [None, *KINDS])
def test_releases_of_a_context_beside_allocations_harm_nothing(box, pool):
    for _ in range(2 if SANITIZERS else 5):
        # The log makes the driver's calls long enough to overlap.
        done = box.run([program("releases")], pool, check=False,
                       sim_log="/dev/null")
        assert done.stdout == "errors 0\n"
        if pool:
            stat = box.stat()
            assert stat["live_bytes"] == stat["reserved_bytes"] == 0
            assert stat["idle_bytes"] == 0


@pytest.mark.parametrize("pool,options", [
    (None, {}), ("no_pool", {}), ("page_unit_pool", {}),
    ("page_unit_pool", {"thread_cache": 0}),  # no free is fast to its end
])
def test_a_first_call_of_the_runtime_waits_for_the_loader_alone(box, pool,
                                                               options):
    """Meanwhile the thread that has the loader's lock makes a context."""
    run = box.run([program("late_runtime"), program("constructor.so")], pool,
                  **options)
    assert run.stdout == "ended\n"
