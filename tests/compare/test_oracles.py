"""The worked values of our statistics, and SciPy's answers to the same questions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from runledger.compare.clusters import centre_of, chance_of, interval_of
from runledger.compare.e_value import e_value
from runledger.compare.estimates import pass_at_k, pass_exp_k
from runledger.compare.exact import Stratum, drop_chance
from runledger.compare.holm import holm
from runledger.compare.mcnemar import Fourfold, mcnemar, newcombe
from runledger.compare.order import quantile_bounds
from runledger.compare.paired import (
    geometric_mean,
    ratio_interval,
    sign_flip,
    standard_error,
    t_chance,
    t_interval,
)
from runledger.compare.ranks import mann_whitney
from runledger.compare.rates import quantile, wilson
from runledger.compare.student import t_quantile, t_tail
from runledger.compare.welch import welch

EXACT = 1e-9
WORKED = ("0.25", "0", "-0.1", "0.5", "0.3", "0.05", "-0.2", "0.4", "0.15", "0.1")
LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.98, 0.99])

counts = st.integers(0, 200)
measured = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=2, max_size=40)
spread = measured.filter(lambda values: len(set(values)) > 1)
took = st.lists(st.integers(1, 10_000).map(float), min_size=2, max_size=30)


def near(value: Any) -> Any:
    """Compare to nine decimal places, relative where a value is large."""
    return pytest.approx(value, abs=EXACT, rel=EXACT)


def test_the_worked_values_are_met() -> None:
    """Every row of the table that our methods were chosen with."""
    exact = [Fraction(one) for one in WORKED]
    floats = [float(one) for one in exact]

    assert wilson(8, 10) == near((0.49016247153664183, 0.9433178485456247))
    assert wilson(0, 20) == near((0, 0.1611251580528193))
    assert pass_at_k(10, 3, 5) == near(0.9166666666666666)
    assert pass_exp_k(5, 4, 3) == near(0.4)
    assert mcnemar(2, 10) == near(0.03857421875)
    assert sign_flip(exact) == near(0.08203125)
    assert standard_error(floats) == near(0.06970174555442162)
    assert t_chance(floats) == near(0.06723332173782418)
    assert holm([0.01, 0.04, 0.03, 0.005]) == near([0.03, 0.06, 0.06, 0.02])
    assert e_value(1, 12) == near(45.010989010989015)


@given(counts, counts, LEVELS)
def test_wilson_is_scipys(passed: int, failed: int, level: float) -> None:
    """The interval of a rate."""
    assume(passed + failed)
    found = stats.binomtest(passed, passed + failed).proportion_ci(level, method="wilson")

    assert wilson(passed, passed + failed, level) == near((found.low, found.high))


@given(counts, counts)
def test_mcnemar_is_scipys_binomial_test(only_a: int, only_b: int) -> None:
    """Discordant pairs are tosses of a coin."""
    assume(only_a + only_b)

    assert mcnemar(only_a, only_b) == near(stats.binomtest(only_a, only_a + only_b).pvalue)


@given(st.lists(st.integers(0, 40), min_size=4, max_size=4), LEVELS)
def test_newcombes_interval_is_put_together_from_scipys_wilson(
    cells: list[int], level: float
) -> None:
    """Method 10, written down once more: SciPy's intervals, numpy-free, and phi as published."""
    assume(sum(cells))
    both, only_a, only_b, neither = cells
    n, a, b = sum(cells), both + only_a, both + only_b
    (la, ua), (lb, ub) = (
        stats.binomtest(x, n).proportion_ci(level, method="wilson") for x in (a, b)
    )
    product, cross = a * (n - a) * b * (n - b), both * neither - only_a * only_b
    held = cross - n / 2 if cross > n / 2 else min(cross, 0)
    phi = held / math.sqrt(product) if product else 0.0
    pa, pb = a / n, b / n
    below = (pb - lb) ** 2 - 2 * phi * (pb - lb) * (ua - pa) + (ua - pa) ** 2
    above = (ub - pb) ** 2 - 2 * phi * (ub - pb) * (pa - la) + (pa - la) ** 2
    low, high = pb - pa - math.sqrt(max(0, below)), pb - pa + math.sqrt(max(0, above))

    # A root of nearly 0 loses half of its digits.
    found = newcombe(Fourfold(both, only_a, only_b, neither), level)
    assert found == pytest.approx((max(-1, low), min(1, high)), abs=1e-7)


@given(st.just(0.0) | st.floats(1e-6, 60), st.floats(1, 2000))
def test_students_tail_is_scipys(t: float, freedom: float) -> None:
    """Welch's test needs degrees of freedom between whole numbers, too.

    Below a millionth SciPy itself gives 1, where 4e-9 is still worth 2.5e-9 less.
    """
    assert t_tail(t, freedom) == near(2 * stats.t.sf(t, freedom))


@given(st.floats(0, 60))
def test_students_tail_of_one_degree_is_cauchys(t: float) -> None:
    """It has a formula of its own, which holds for the smallest values as well."""
    assert t_tail(t, 1) == near(1 - 2 * math.atan(t) / math.pi)


@given(LEVELS, st.floats(1, 2000))
def test_students_quantile_is_scipys(level: float, freedom: float) -> None:
    """The half width of an interval, in standard errors."""
    assert t_quantile(level, freedom) == near(stats.t.ppf((1 + level) / 2, freedom))


@given(spread, LEVELS)
def test_intervals_of_a_mean_are_scipys(values: list[float], level: float) -> None:
    """Student's test and interval of paired differences."""
    found = stats.ttest_1samp(values, 0.0)
    ci = found.confidence_interval(level)
    centre = centre_of(values, range(len(values)))

    assert standard_error(values) == near(stats.sem(values))
    assert t_interval(values, level) == near((ci.low, ci.high))
    assert interval_of(centre, level) == near((ci.low, ci.high))
    assert chance_of(centre) == near(found.pvalue)
    assert t_chance(values) == near(found.pvalue)


@given(spread, spread, LEVELS)
def test_welchs_test_is_scipys(a: list[float], b: list[float], level: float) -> None:
    """Of two groups with unlike spread."""
    found = stats.ttest_ind(a, b, equal_var=False)
    ci = found.confidence_interval(level)
    ours = welch(a, b, level)

    assert ours.p == near(found.pvalue)
    assert ours.ci == near((ci.low, ci.high))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-12, 12), min_size=2, max_size=9))
def test_sign_flips_are_scipys_permutations(differences: list[int]) -> None:
    """All ways to toss the signs, tried one by one."""
    found = stats.permutation_test(
        (differences,), sum, permutation_type="samples", n_resamples=math.inf, vectorized=False
    )

    assert sign_flip([Fraction(one) for one in differences]) == near(found.pvalue)


@given(st.lists(st.integers(1, 10_000), min_size=4, max_size=24, unique=True), st.data())
def test_mann_whitneys_test_is_scipys(values: list[int], data: st.DataObject) -> None:
    """Exact, for small samples without ties."""
    split = data.draw(st.integers(2, len(values) - 2))
    a, b = [float(one) for one in values[:split]], [float(one) for one in values[split:]]

    assert mann_whitney(a, b) == near(stats.mannwhitneyu(a, b, method="exact").pvalue)


@given(took)
def test_geometric_means_are_scipys(values: list[float]) -> None:
    """And their interval is Student's on logarithms."""
    logs = [math.log(one) for one in values]
    assume(len(set(values)) > 1)
    ci = stats.ttest_1samp(logs, 0.0).confidence_interval(0.95)

    assert geometric_mean(values) == near(stats.gmean(values))
    assert ratio_interval(values) == near((math.exp(min(ci.low, 700)), math.exp(min(ci.high, 700))))


@given(st.integers(0, 15), st.integers(0, 15), st.integers(0, 15), st.integers(0, 15))
def test_drops_are_as_likely_as_scipys_fisher_says(a: int, b: int, c: int, d: int) -> None:
    """One task's passing and failing trials, before and now."""
    assume(a + b and c + d)
    found = stats.fisher_exact([[c, d], [a, b]], alternative="less")

    assert drop_chance(Stratum(a, a + b, c, c + d)) == near(found.pvalue)


@settings(deadline=None, max_examples=30)
@given(st.integers(59, 400))
def test_bounds_of_a_quantile_are_scipys(n: int) -> None:
    """Order statistics, one-sided at 95 % on either side."""
    values = [float(one) for one in range(n)]
    bounds = quantile_bounds(values, 0.95)
    test = [
        stats.quantile_test(values, q=0.0, p=0.95, alternative=side).confidence_interval(0.95)
        for side in ("greater", "less")
    ]

    assert bounds is not None
    assert bounds == (test[0].low, test[1].high)


@given(st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_scipys_type_7(values: list[float], q: float) -> None:
    """Linear between the two nearest order statistics."""
    expected = stats.mstats.mquantiles(values, [q], alphap=1, betap=1)[0]

    assert quantile(values, q) == near(float(expected))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_makes_chances_larger_in_their_order(chances: list[float]) -> None:
    """By its definition: the largest of all smaller ones' adjusted chances."""
    order = sorted(chances)
    steps = [min(1.0, (len(order) - rank) * p) for rank, p in enumerate(order)]

    assert sorted(holm(chances)) == near(sorted(max(steps[: k + 1]) for k in range(len(steps))))
