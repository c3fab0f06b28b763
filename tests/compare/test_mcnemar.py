"""Tests over pairs and ranks, against worked values and against trying every way."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.compare.holm import holm
from runledger.compare.mcnemar import Fourfold, mcnemar, newcombe
from runledger.compare.paired import detectable, t_chance
from runledger.compare.ranks import hodges_lehmann, hodges_lehmann_interval, mann_whitney

SLOW = [120.0, 135.0, 150.0, 110.0, 160.0, 142.0, 133.0]
FAST = [100.0, 128.0, 99.0, 105.0, 131.0, 117.0]
WORKED = [0.25, 0.0, -0.1, 0.5, 0.3, 0.05, -0.2, 0.4, 0.15, 0.1]

counts = st.integers(0, 12)
tables = st.builds(Fourfold, counts, counts, counts, counts).filter(
    lambda table: table != Fourfold(0, 0, 0, 0)
)
samples = st.lists(st.integers(1, 40).map(float), min_size=1, max_size=6)


def test_mcnemar_gives_the_worked_value() -> None:
    """Two tasks passed only before, ten only now."""
    assert mcnemar(2, 10) == pytest.approx(0.03857421875, abs=1e-12)


def test_without_discordant_pairs_nothing_speaks_for_a_change() -> None:
    """So it is with as many on either side."""
    assert mcnemar(0, 0) == 1
    assert mcnemar(3, 3) == 1


def test_mcnemar_copes_with_many_pairs() -> None:
    """The sums are of whole numbers, and do not underflow."""
    assert mcnemar(1000, 1000) == 1
    assert 0 < mcnemar(900, 1100) < 1e-4


@pytest.mark.parametrize(
    ("table", "interval"),
    [
        (Fourfold(20, 2, 12, 16), (0.05615642484174832, 0.3292069954001405)),
        (Fourfold(36, 2, 12, 0), (0.05692958400323875, 0.3404276029749406)),
        (Fourfold(53, 0, 2, 0), (-0.03403240668744843, 0.12323463974651017)),
    ],
)
def test_newcombes_interval_is_the_worked_one(
    table: Fourfold, interval: tuple[float, float]
) -> None:
    """Values of the published formula, from a script apart; no other package was at hand."""
    assert newcombe(table) == pytest.approx(interval, abs=1e-9)


@given(tables)
def test_newcombes_interval_holds_the_difference_and_is_mirrored(table: Fourfold) -> None:
    """It stays within what a difference can be, and swapped sides only change its signs."""
    n = table.both + table.only_a + table.only_b + table.neither
    low, high = newcombe(table)
    swapped = newcombe(Fourfold(table.both, table.only_b, table.only_a, table.neither))

    assert -1 <= low <= (table.only_b - table.only_a) / n <= high <= 1
    assert swapped == (-high, -low)


def test_holm_gives_the_worked_values() -> None:
    """In the order that the chances came in."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-12)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_keeps_the_order_and_lowers_nothing(chances: list[float]) -> None:
    """An adjusted chance is one, at least as large, and ranks as before."""
    adjusted = holm(chances)

    assert all(p <= q <= 1 for p, q in zip(chances, adjusted, strict=True))
    assert [q for _, q in sorted(zip(chances, adjusted, strict=True))] == sorted(adjusted)


def test_students_test_gives_the_worked_value() -> None:
    """Oracle: scipy.stats.ttest_1samp."""
    assert t_chance(WORKED) == pytest.approx(0.06723332173782418, abs=1e-9)


def test_equal_changes_are_as_likely_as_equal_signs() -> None:
    """They have no spread that a test could go by; of one, or of none, nothing is known."""
    assert t_chance([0.3] * 5) == 2 / 2**5
    assert t_chance([0.0] * 5) == 1
    assert t_chance([0.3]) == 1
    assert detectable([0.3] * 5) is None


def test_the_smallest_detectable_change_is_the_textbooks() -> None:
    """Oracle: scipy.stats.t.ppf(.975, 9) + scipy.stats.t.ppf(.8, 9), by the worked error."""
    assert detectable(WORKED) == pytest.approx(3.1455610224837396 * 0.06970174555442162, abs=1e-9)


def test_mann_whitney_is_exact_without_ties() -> None:
    """Oracle: scipy.stats.mannwhitneyu(method="exact")."""
    assert mann_whitney(SLOW, FAST) == pytest.approx(0.022144522144522144, abs=1e-12)


def test_mann_whitney_allows_for_ties() -> None:
    """Oracle: scipy.stats.mannwhitneyu(method="asymptotic")."""
    found = mann_whitney([*SLOW, 120.0], [*FAST, 120.0, 99.0])

    assert found == pytest.approx(0.017706065807366615, abs=1e-12)


def dealt(a: list[float], b: list[float]) -> float:
    """Deal the values in every way, and give the share of ranks as uneven as ours."""

    def far(chosen: set[int], values: list[float]) -> int:
        ones = [values[i] for i in chosen]
        others = [values[i] for i in range(len(values)) if i not in chosen]
        return abs(2 * sum(x > y for x in ones for y in others) - len(ones) * len(others))

    pool = a + b
    found = far(set(range(len(a))), pool)
    deals = [far(set(chosen), pool) for chosen in combinations(range(len(pool)), len(a))]
    return sum(one >= found for one in deals) / len(deals)


@given(samples, samples)
def test_mann_whitney_agrees_with_dealing_in_every_way(a: list[float], b: list[float]) -> None:
    """Where no two values are equal, the chance is a share of all deals."""
    if len({*a, *b}) == len(a) + len(b):
        assert mann_whitney(a, b) == pytest.approx(dealt(a, b), abs=1e-12)


@given(samples, samples)
def test_ranks_are_mirrored(a: list[float], b: list[float]) -> None:
    """Swapped sides are as unlike, and their ratio is the inverse."""
    assert mann_whitney(a, b) == mann_whitney(b, a)
    assert hodges_lehmann(a, b) * hodges_lehmann(b, a) == pytest.approx(1)


def test_the_median_ratio_lies_in_its_interval_and_that_below_1_when_the_test_is_sure() -> None:
    """The test says 0.022, so that a 95 % interval excludes no change."""
    interval = hodges_lehmann_interval(SLOW, FAST)

    assert interval is not None
    assert interval[0] < hodges_lehmann(SLOW, FAST) < interval[1] < 1


@given(
    st.lists(st.floats(1, 100), min_size=4, max_size=7, unique=True),
    st.lists(st.floats(1, 100), min_size=4, max_size=7, unique=True),
)
def test_the_interval_excludes_no_change_just_when_the_test_does(
    a: list[float], b: list[float]
) -> None:
    """Both count the same pairs, wherever no two values are equal."""
    interval = hodges_lehmann_interval(a, b)
    if interval is None or len({math.log(one) for one in (*a, *b)}) < len(a) + len(b):
        return
    assert (mann_whitney(a, b) <= 0.05) == (not interval[0] <= 1 <= interval[1])


def test_a_few_values_bound_no_ratio() -> None:
    """Three and three fall apart by chance once in ten times."""
    assert hodges_lehmann_interval([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]) is None


def test_very_many_values_are_no_burden() -> None:
    """Their ratios are taken from evenly spread ones."""
    slow, fast = [float(n) for n in range(3000, 9000)], [float(n) for n in range(1500, 4500)]
    interval = hodges_lehmann_interval(slow, fast)

    assert interval is not None
    assert interval[0] < hodges_lehmann(slow, fast) < interval[1]
    assert hodges_lehmann(slow, fast) == pytest.approx(0.5, abs=0.01)
