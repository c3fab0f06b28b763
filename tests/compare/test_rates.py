"""Rates, quantiles and sums against values worked out elsewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import record, row, short_of
from runledger.compare.rates import quantile, summarize, wilson
from runledger.ledger.grade import Failure
from runledger.ledger.usage import Tally, Usage


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [
        (8, 10, 0.49016247153664183, 0.9433178485456247),
        (0, 20, 0.0, 0.1611251580528193),
        (20, 20, 1 - 0.1611251580528193, 1.0),
    ],
)
def test_wilson_gives_the_published_values(passed: int, n: int, low: float, high: float) -> None:
    """The interval is that of SciPy and statsmodels to twelve digits."""
    assert wilson(passed, n) == pytest.approx((low, high), abs=1e-12)


def test_wilson_is_exact_at_its_ends() -> None:
    """No rounding leaves an interval that starts below nothing or ends above everything."""
    assert wilson(0, 7)[0] == 0.0
    assert wilson(7, 7)[1] == 1.0


def test_wilson_knows_nothing_without_observations() -> None:
    """With nothing seen, any rate is possible."""
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_takes_other_levels() -> None:
    """The usual level needs no table of its own to agree with its neighbours; higher is wider."""
    assert wilson(8, 10) == pytest.approx(wilson(8, 10, math.nextafter(0.95, 1)), abs=1e-12)
    assert wilson(8, 10, 0.99)[0] < wilson(8, 10)[0] < wilson(8, 10)[1] < wilson(8, 10, 0.99)[1]


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_rate(seen: tuple[int, int]) -> None:
    """Every interval lies in [0, 1] and holds the observed rate."""
    low, high = wilson(*seen)

    assert 0 <= low <= seen[0] / seen[1] <= high <= 1


def test_quantile_is_type_7() -> None:
    """A quantile lies between two order statistics, as R and NumPy have it by default."""
    assert quantile([4, 1, 3, 2], 0.5) == 2.5
    assert quantile([1, 2, 3, 4], 0.95) == pytest.approx(3.85)
    assert quantile([7], 0.95) == 7


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=60))
def test_quantile_agrees_with_the_standard_library(values: list[int]) -> None:
    """The inclusive method of `statistics.quantiles` is type 7 too."""
    assert quantile(values, 0.95) == pytest.approx(quantiles(values, n=20, method="inclusive")[18])


def test_quantile_of_nothing_is_refused() -> None:
    """There is no quantile of no values."""
    with pytest.raises(ValueError, match="no values"):
        quantile([], 0.5)


def test_cases_stand_in_the_order_of_the_suite() -> None:
    """The order in which trials ended plays no part."""
    summary = summarize(record(row("b"), row("a"), case_ids=("a", "b")))

    assert [case.id for case in summary.cases] == ["a", "b"]


def test_error_outweighs_failed() -> None:
    """A case with a trial that could not be judged is an error, whatever the others say."""
    fell = short_of("a")
    hung = row("a", Failure("timeout", "no final output"), trial=2)

    assert summarize(record(fell, hung, trials=2)).cases[0].status == "error"


def test_a_case_passes_when_all_its_trials_pass() -> None:
    """One failing trial among several fails the case."""
    good = summarize(record(row("a"), row("a", trial=2), trials=2))
    fair = summarize(record(row("a"), replace(short_of("a"), trial=2), trials=2))

    assert good.cases[0].status == "passed"
    assert fair.cases[0].status == "failed"


def test_a_case_without_all_its_trials_is_unfinished() -> None:
    """A planned trial that did not end leaves the case open, even if the others passed."""
    summary = summarize(record(row("a"), trials=2, case_ids=("a", "b")))

    assert [case.status for case in summary.cases] == ["unfinished", "unfinished"]
    assert summary.totals.unfinished == 2


def test_the_last_attempt_of_a_trial_counts() -> None:
    """A trial that was run again after a resume has one row."""
    summary = summarize(record(short_of("a"), row("a", attempt=2)))

    assert [one.attempt for one in summary.cases[0].trials] == [2]
    assert summary.totals.passed == 1


def test_failures_of_the_outside_leave_the_denominator() -> None:
    """Cases that say nothing about the agent do not change its success rate."""
    outside = row("c", Failure("spawn_failed", "no such file"))
    summary = summarize(record(row("a"), short_of("b"), outside, case_ids=("a", "b", "c", "d")))

    assert summary.totals.success_rate == 0.5
    assert summary.totals.success_rate_ci == wilson(1, 2)
    assert summary.totals.errors == 1


def test_a_timeout_stays_in_the_denominator() -> None:
    """An agent that hangs has not succeeded."""
    summary = summarize(record(row("a"), row("b", Failure("timeout", "no final output"))))

    assert summary.totals.success_rate == 0.5


def test_no_rate_where_nothing_was_judged() -> None:
    """A rate of nothing is unknown, not 0."""
    totals = summarize(record(case_ids=("a",))).totals

    assert totals.success_rate is None
    assert totals.success_rate_ci is None
    assert totals.avg_wall_ms is None
    assert totals.p95_wall_ms is None


def test_unknown_usage_is_never_zero() -> None:
    """Nobody reported anything: None."""
    totals = summarize(record(row("a"), row("b"))).totals

    assert (totals.tokens_in, totals.tokens_out, totals.cost_usd) == (None, None, None)


def test_known_usage_is_added_up() -> None:
    """Trials that report nothing do not hide what others reported."""
    spent = [Usage(10, 1, 0.1), Usage(None, 2, 0.2), Usage()]
    rows = [row(str(n), tally=Tally(1, 2, 1, one)) for n, one in enumerate(spent)]
    totals = summarize(record(*rows)).totals

    assert (totals.tokens_in, totals.tokens_out) == (10, 3)
    assert totals.cost_usd == pytest.approx(0.3)
    assert (totals.tool_calls, totals.tool_errors) == (6, 3)


def test_durations_are_of_trials_that_answered() -> None:
    """A timeout's duration is the limit's, not the agent's; the run has a duration of its own."""
    rows = [row("a", ms=100), row("b", ms=300), row("c", ms=30_000, answered=False)]
    totals = summarize(record(*rows, wall_ms=31_000)).totals

    assert totals.avg_wall_ms == 200
    assert totals.p95_wall_ms == pytest.approx(290)
    assert totals.wall_ms == 31_000


def test_of_several_trials_the_mean_of_the_cases_rates_counts() -> None:
    """A case that passes 2 of 4 times is half a success, with Student's interval over cases."""
    rows = [replace(row("a"), trial=n) for n in (1, 2, 3, 4)]
    rows += [replace(row("b") if n < 3 else short_of("b"), trial=n) for n in (1, 2, 3, 4)]
    totals = summarize(record(*rows, trials=4, mode="live")).totals

    assert (totals.passed, totals.cases, totals.success_rate) == (1, 2, 0.75)
    assert totals.success_rate_ci == (0.0, 1.0)  # two cases say next to nothing


def test_a_rate_is_demanded_of_the_mean() -> None:
    """Four cases that pass 4 of 5 times meet 0.5, though none of them always passes."""
    rows = [
        replace(row(id) if n < 5 else short_of(id), trial=n) for id in "abcd" for n in range(1, 6)
    ]

    assert summarize(record(*rows, trials=5, mode="live", min_success_rate=0.5)).status == "passed"
    assert summarize(record(*rows, trials=5, mode="live", min_success_rate=0.9)).status == "failed"
