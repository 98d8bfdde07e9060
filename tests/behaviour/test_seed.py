"""One seed gives one schedule."""

import pytest

from conftest import program

SEEDS = range(1, 25)


def order(box, seed):
    return box.run([program("interleave")], sim_seed=seed).stdout


def test_a_seed_always_gives_the_same_schedule(box):
    assert [order(box, s) for s in SEEDS] == [order(box, s) for s in SEEDS]


def test_seeds_give_different_schedules_and_each_is_allowed(box):
    assert len({order(box, seed) for seed in SEEDS}) > 12


def test_the_log_tells_the_schedule(box, tmp_path):
    def log(seed, name):
        path = tmp_path / name
        box.run([program("interleave")], sim_seed=seed, sim_log=path)
        return [line.split()[1:] for line in path.read_text().splitlines()]

    first = log(7, "first")
    assert first == log(7, "again") != log(8, "other")
    assert len([words for words in first if words[0] == "run"]) == 24


def test_reuse_is_safe_under_any_schedule(box):
    for seed in SEEDS:
        run = box.run([program("late_work")], pool="page_unit_pool",
                      sim_seed=seed)
        assert run.stdout == "right\n", f"seed {seed}"


@pytest.mark.parametrize("seed", ["x", "-1", "1x", "99999999999999999999"])
def test_a_wrong_seed_is_said_and_there_is_no_device(box, seed):
    run = box.run([program("late_work")], sim_seed=seed, check=False)
    assert run.returncode and run.stdout != "right\n"
    assert f'MNM_SIM_SEED: "{seed}" is not 0 to 18446744073709551615\n' in \
        run.stderr
