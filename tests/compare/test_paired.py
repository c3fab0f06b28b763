"""Intervals and exact tests against values worked out elsewhere."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.compare.paired import (
    geometric_mean,
    ratio_interval,
    sign_flip,
    standard_error,
    t_interval,
)
from runledger.compare.student import t_quantile, t_tail

WORKED = [Fraction(n, 20) for n in (5, 0, -2, 10, 6, 1, -4, 8, 3, 2)]
FLOATS = [float(one) for one in WORKED]

tenths = st.integers(-10, 10).map(lambda n: Fraction(n, 10))


@pytest.mark.parametrize(
    ("level", "freedom", "value"),
    [(0.95, 1, 12.706204736432095), (0.95, 9, 2.2621571627409915), (0.98, 19, 2.539483190622288)],
)
def test_quantiles_of_t_are_the_tables(level: float, freedom: int, value: float) -> None:
    """The half widths are those that every table of Student's distribution has."""
    assert t_quantile(level, freedom) == pytest.approx(value, rel=1e-9)


@given(st.floats(0, 50))
def test_t_with_one_degree_of_freedom_is_cauchy(t: float) -> None:
    """There the chance has a closed form."""
    assert t_tail(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, abs=1e-12)


def test_the_standard_error_is_the_worked_value() -> None:
    """It is SciPy's."""
    assert standard_error(FLOATS) == pytest.approx(0.06970174555442162, rel=1e-12)


def test_the_interval_excludes_0_just_when_the_paired_test_is_sure() -> None:
    """At the level that is the test's own chance, worked out by SciPy, one end of it is 0."""
    interval = t_interval(FLOATS, 1 - 0.06723332173782418)

    assert interval is not None
    assert interval[0] == pytest.approx(0, abs=1e-9)


def test_one_value_has_no_interval() -> None:
    """Nothing is known about its spread."""
    assert t_interval([0.5]) is None
    assert ratio_interval([2.0]) is None


def test_sign_flips_give_the_worked_value() -> None:
    """The chance is exact."""
    assert sign_flip(WORKED) == 0.08203125


def test_nothing_flipped_is_no_change() -> None:
    """Without a difference, or without pairs, nothing speaks for a change."""
    assert sign_flip([]) == 1
    assert sign_flip([Fraction(0)] * 5) == 1


def tossed(differences: list[Fraction]) -> float:
    """Try every way to toss the signs, and give the share of sums as far from 0 as ours."""
    sums = [
        sum(s * one for s, one in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(abs(one) >= abs(sum(differences)) for one in sums) / len(sums)


@given(st.lists(tenths, min_size=1, max_size=8))
def test_sign_flips_agree_with_trying_them_all(differences: list[Fraction]) -> None:
    """The sums are those of every way to toss the signs."""
    assert sign_flip(differences) == pytest.approx(tossed(differences), abs=1e-15)


def test_on_a_coarse_grid_sign_flips_are_nearly_exact() -> None:
    """Differences whose finest grid has millions of steps are rounded to thousands."""
    trials = (7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19)
    differences = [Fraction(1 - n % 4, n) for n in trials]

    assert sign_flip(differences) == pytest.approx(tossed(differences), abs=2e-3)


def test_a_thousand_ragged_pairs_are_no_burden() -> None:
    """The work does not grow with the least common multiple of the numbers of trials."""
    ragged = [Fraction(n % 7 - 3, 8 + n % 13) for n in range(1000)]

    assert 0 < sign_flip([*ragged, *[Fraction(-1, 11)] * 60]) < 1


def test_ratios_are_averaged_on_their_logarithms() -> None:
    """Twice as slow and twice as fast are no change; the interval holds the mean."""
    ratios = [2.0, 0.5, 3.0, 1 / 3]
    interval = ratio_interval(ratios)

    assert geometric_mean(ratios) == pytest.approx(1)
    assert interval is not None
    assert interval[0] * interval[1] == pytest.approx(1)
