"""The order of an experiment: drawn from a seed, balanced, drawn again for what is discarded."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

import pytest

from runledger.capture.plan import order_again, plan_runs
from runledger.ledger.attempt import Block, PlannedRun

TASKS = [f"t{number}" for number in range(1, 13)]


def orders(plan: tuple[PlannedRun, ...]) -> list[tuple[str, ...]]:
    """List the conditions of each block in the order of running."""
    blocks = groupby(plan, key=lambda run: (run.slot.task_id, run.slot.trial))
    return [tuple(run.slot.condition for run in runs) for _, runs in blocks]


def test_the_same_seed_draws_the_same_plan() -> None:
    """A plan is a function of its seed; another seed draws another one."""
    one = plan_runs(TASKS, ["a", "b"], 2, 7)

    assert one == plan_runs(TASKS, ["a", "b"], 2, 7)
    assert one != plan_runs(TASKS, ["a", "b"], 2, 8)


def test_every_task_is_run_under_every_condition_as_often_as_asked() -> None:
    """Tasks x conditions x trials, each once."""
    plan = plan_runs(TASKS, ["a", "b", "c"], 2, 1)

    assert len({run.slot for run in plan}) == len(plan) == 12 * 3 * 2
    assert [run.number for run in plan] == list(range(1, 73))


def test_the_conditions_of_a_task_follow_each_other() -> None:
    """Seed 004 section 2: within each task the conditions run one after the other."""
    found = orders(plan_runs(TASKS, ["with", "without"], 3, 5))

    assert len(found) == 36
    assert all(sorted(order) == ["with", "without"] for order in found)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("names", [["with", "without"], ["a", "b", "c"], list("abcde")])
def test_each_condition_takes_each_place_equally_often(seed: int, names: list[str]) -> None:
    """Seed 004 section 2: which condition comes first is random, and balanced over tasks."""
    plan = plan_runs([f"t{number}" for number in range(60)], names, 1, seed)

    counted = Counter((run.slot.condition, run.place) for run in plan)

    assert set(counted.values()) == {60 // len(names)}


@pytest.mark.parametrize("seed", range(20))
def test_an_odd_number_of_tasks_is_balanced_but_for_one(seed: int) -> None:
    """Where the numbers do not divide, the places differ by one at the most."""
    firsts = Counter(order[0] for order in orders(plan_runs(TASKS[:7], ["a", "b"], 1, seed)))

    assert sorted(firsts.values()) == [3, 4]


def test_the_order_is_not_alternating() -> None:
    """Seed 004 section 2: the order is random, so that no drift can follow it."""
    firsts = [order[0] for order in orders(plan_runs(TASKS, ["a", "b"], 1, 3))]
    drawn = {
        tuple(order[0] for order in orders(plan_runs(TASKS, ["a", "b"], 1, n))) for n in range(9)
    }

    assert firsts not in (["a", "b"] * 6, ["b", "a"] * 6)
    assert len(drawn) > 5


def test_a_discarded_block_is_drawn_again() -> None:
    """A round has an order of its own, which the seed tells again."""
    blocks = [Block(f"t{number}", 1) for number in range(40)]
    second = [order_again(block, ["a", "b"], 2, 9) for block in blocks]

    assert second == [order_again(block, ["a", "b"], 2, 9) for block in blocks]
    assert second != [order_again(block, ["a", "b"], 3, 9) for block in blocks]
    assert 10 < sum(order == ["a", "b"] for order in second) < 30
