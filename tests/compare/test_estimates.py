"""pass@k and pass^k against worked values, and against drawing every possible k trials."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.compare.estimates import (
    estimates_of,
    over_tasks,
    pass_at_k,
    pass_exp_k,
    seed_fields,
)


@st.composite
def trials(draw: st.DrawFn) -> tuple[int, int]:
    """Draw a number of graded trials, and how many of them passed."""
    n = draw(st.integers(1, 9))
    return n, draw(st.integers(0, n))


def test_the_worked_values_are_met() -> None:
    """They were checked against other packages."""
    assert pass_at_k(10, 3, 5) == pytest.approx(0.9166666666666666, abs=1e-12)
    assert pass_exp_k(5, 4, 3) == pytest.approx(0.4, abs=1e-12)


@given(trials())
def test_estimates_are_the_shares_of_all_draws(found: tuple[int, int]) -> None:
    """Of every way to draw k trials, pass@k is the share with one that passed, pass^k with all."""
    n, passed = found
    for k in range(1, n + 1):
        draws = list(combinations([True] * passed + [False] * (n - passed), k))
        assert pass_at_k(n, passed, k) == pytest.approx(sum(map(any, draws)) / len(draws))
        assert pass_exp_k(n, passed, k) == pytest.approx(sum(map(all, draws)) / len(draws))


@pytest.mark.parametrize(("n", "passed", "k"), [(3, 1, 4), (3, 1, 0), (0, 0, 1), (3, 4, 1)])
def test_what_cannot_be_drawn_is_refused(n: int, passed: int, k: int) -> None:
    """More trials than there are say nothing, and neither do more passes than trials."""
    with pytest.raises(ValueError, match=f"{n}"):
        pass_at_k(n, passed, k)
    with pytest.raises(ValueError, match=f"{n}"):
        pass_exp_k(n, passed, k)


def test_the_published_fields_keep_their_plain_formula() -> None:
    """Four of five: the seed's own example, to its four digits."""
    found: dict[str, Any] = seed_fields(5, 4)

    assert found["passRate"] == 0.8
    assert round(found["passAtK"], 4) == 0.9997
    assert round(found["passExpK"], 4) == 0.3277


def test_the_published_rate_is_over_graded_trials_and_its_power_over_those_asked_for() -> None:
    """A trial that nobody graded is no failure."""
    found = seed_fields(4, 2, k=5)

    assert found == {"passRate": 0.5, "passAtK": 1 - 0.5**5, "passExpK": 0.5**5}


def test_without_a_graded_trial_there_are_no_fields() -> None:
    """Unknown is not 0."""
    assert seed_fields(0, 0, k=5) == {}
    assert estimates_of(0, 0) == []


def test_a_single_trial_has_wilsons_interval() -> None:
    """For k = 1 both chances are the rate; 8 of 10 is a worked value."""
    first: dict[str, Any] = estimates_of(10, 8)[0]

    assert first["k"] == 1
    assert first["passAtK"] == first["passExpK"] == pytest.approx(0.8)
    assert first["ci"] == pytest.approx([0.49016247153664183, 0.9433178485456247], abs=1e-9)
    assert first["ciExpK"] == first["ci"]


@given(trials())
def test_intervals_hold_their_estimates(found: tuple[int, int]) -> None:
    """Each lies in [0, 1] and around its point, for every k up to the number of trials."""
    estimates: list[dict[str, Any]] = estimates_of(*found)

    assert [one["k"] for one in estimates] == list(range(1, found[0] + 1))
    for one in estimates:
        assert 0 <= one["ci"][0] <= one["passAtK"] <= one["ci"][1] <= 1
        assert 0 <= one["ciExpK"][0] <= one["passExpK"] <= one["ciExpK"][1] <= 1


@given(trials())
def test_more_trials_pass_once_more_easily_and_always_less(found: tuple[int, int]) -> None:
    """pass@k grows with k, and pass^k falls."""
    estimates: list[dict[str, Any]] = estimates_of(*found)
    at_k, exp_k = ([one[key] for one in estimates] for key in ("passAtK", "passExpK"))

    assert at_k == sorted(at_k)
    assert exp_k == sorted(exp_k, reverse=True)


def test_over_tasks_each_task_weighs_the_same() -> None:
    """The mean of the tasks' estimates, with Student's interval over tasks, cut to [0, 1].

    Oracle: scipy.stats.t.interval(0.95, 3, mean, sem) of the four estimates, which are
    C(n-c, 2)/C(n, 2) from 1 and C(c, 2)/C(n, 2).
    """
    found = over_tasks([(5, 4), (5, 2), (10, 9), (4, 1)], 2)

    assert found.pass_at_k == pytest.approx(0.8)
    assert found.pass_at_k_ci == pytest.approx((0.41023152091246684, 1.0), abs=1e-9)
    assert found.pass_exp_k == pytest.approx(0.375)
    assert found.pass_exp_k_ci == pytest.approx((0.0, 0.9895638092373071), abs=1e-9)


def test_one_task_has_no_interval_over_tasks() -> None:
    """Nothing is known of how tasks differ; of no task nothing is known at all."""
    assert over_tasks([(5, 4)], 3) == (1.0, None, pytest.approx(0.4), None)
    with pytest.raises(ValueError, match="no tasks"):
        over_tasks([], 1)


def test_over_tasks_k_beyond_a_tasks_trials_is_refused() -> None:
    """The caller chooses which tasks have enough."""
    with pytest.raises(ValueError, match="3"):
        over_tasks([(5, 4), (2, 2)], 3)
