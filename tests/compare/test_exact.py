"""How likely a drop is by chance, against counting and closed forms."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.compare.exact import Stratum, drop_chance, drops_chance
from runledger.compare.order import quantile_bounds


@st.composite
def strata(draw: st.DrawFn) -> Stratum:
    """Draw a few trials on both sides."""
    before, now = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return Stratum(draw(st.integers(0, before)), before, draw(st.integers(0, now)), now)


@pytest.mark.parametrize("trials", [2, 3, 5, 10])
def test_from_all_to_none_is_one_deal_of_many(trials: int) -> None:
    """Only one way to deal the trials puts all passing ones on one side."""
    flipped = Stratum(trials, trials, 0, trials)

    assert drop_chance(flipped) == pytest.approx(1 / comb(2 * trials, trials))
    assert drops_chance([flipped]) == pytest.approx(1 / comb(2 * trials, trials))


def test_fishers_test_gives_the_published_value() -> None:
    """Three of four cups told right: 17 in 70."""
    assert drop_chance(Stratum(3, 4, 1, 4)) == pytest.approx(17 / 70)


def test_two_broken_tasks_are_less_likely_than_one() -> None:
    """Chances of separate tasks multiply; tasks that always pass change nothing."""
    flipped, steady = Stratum(3, 3, 0, 3), Stratum(3, 3, 3, 3)

    assert drops_chance([flipped, flipped, *[steady] * 20]) == pytest.approx(1 / 400)


def test_a_task_that_got_better_hides_none_that_got_worse() -> None:
    """Only drops weigh."""
    worse, better = Stratum(5, 5, 0, 5), Stratum(0, 5, 5, 5)

    assert drops_chance([worse, better]) < 0.01
    assert drops_chance([better]) == 1


def test_a_drop_to_what_is_enough_does_not_count() -> None:
    """A task that still passes as often as it must has not got worse."""
    assert drops_chance([Stratum(50, 50, 40, 50, enough=0.8)]) == 1
    assert drops_chance([Stratum(50, 50, 40, 50)]) < 0.01


@given(st.lists(strata(), max_size=6))
def test_a_chance_is_a_chance(some: list[Stratum]) -> None:
    """It lies in [0, 1], and the order of the tasks plays no part."""
    assert 0 <= drops_chance(some) <= 1
    assert drops_chance(some) == pytest.approx(drops_chance(some[::-1]), abs=1e-12)


@given(strata())
def test_alone_a_drop_is_as_likely_as_fisher_says(one: Stratum) -> None:
    """With one task the two tests agree, wherever there is a drop to speak of."""
    if one.passed_before / one.n_before - one.passed_now / one.n_now > 0.2:
        assert drops_chance([one]) == pytest.approx(drop_chance(one), abs=1e-12)


def test_a_thousand_tasks_are_no_burden() -> None:
    """The worst case is bounded; the chance of so many drops is nil."""
    assert drops_chance([Stratum(2, 2, 0, 2)] * 1000) == pytest.approx(0, abs=1e-9)


def test_fewer_than_59_values_do_not_bound_a_95th_percentile() -> None:
    """0.95 to the power of 59 is the first that is less than 0.05."""
    assert quantile_bounds(range(58), 0.95) is None
    assert quantile_bounds(range(59), 0.95) is not None


def test_the_bounds_of_a_quantile_are_order_statistics() -> None:
    """Of a hundred values, the median lies between the 42nd and the 59th."""
    assert quantile_bounds(range(1, 101), 0.5) == (42, 59)
