"""When a run may merge, and when it says nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

import pytest

from compare.rows import record, row, short_of
from runledger.compare.gate import gate_passed, is_statistical
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.regression import Regression
from runledger.ledger.run import Totals, TrialRow
from runledger.ledger.suite import Thresholds


def cases(passed: int, of: int) -> list[TrialRow]:
    """Make the rows of a run in which some cases passed."""
    return [row(f"c{n}") if n < passed else short_of(f"c{n}") for n in range(of)]


def totals(passed: int, of: int) -> Totals:
    """Make the totals of a run in which some cases passed."""
    return summarize(record(*cases(passed, of))).totals


def test_without_a_rate_every_case_must_pass() -> None:
    """One failing case among many fails the gate."""
    assert gate_passed(totals(5, 5))
    assert not gate_passed(totals(4, 5))


def test_a_rate_that_is_just_met_passes() -> None:
    """Four of five is 0.8, to the last bit."""
    assert gate_passed(totals(4, 5), 0.8)
    assert not gate_passed(totals(3, 5), 0.8)


@pytest.mark.parametrize("asked", ["0.07", "0.1", "0.29", "0.333", "0.57", "0.7", "0.95", "0.999"])
def test_rates_compare_as_the_decimals_they_were_written_as(asked: str) -> None:
    """The comparison agrees with exact fractions for every run of up to 120 cases."""
    plain = totals(1, 1)
    for of in range(1, 121):
        for passed in range(of + 1):
            here = replace(plain, cases=of, passed=passed, success_rate=passed / of)
            assert gate_passed(here, float(asked)) == (Fraction(passed, of) >= Fraction(asked))


def test_an_unfinished_case_never_passes() -> None:
    """Even a gate that allows every case to fail wants each to be judged."""
    partly = summarize(record(row("a"), case_ids=("a", "b"))).totals

    assert not gate_passed(partly)
    assert not gate_passed(partly, 0.0)


def test_a_run_with_nothing_judged_never_passes() -> None:
    """No rate is not a good rate."""
    assert not gate_passed(summarize(record()).totals)
    assert not gate_passed(summarize(record()).totals, 0.0)


def test_a_run_whose_cases_pass_is_passed() -> None:
    """All well."""
    assert summarize(record(*cases(3, 3))).status == "passed"


def test_a_run_with_a_failing_case_is_failed() -> None:
    """Without a rate any failing case fails the run."""
    assert summarize(record(*cases(2, 3))).status == "failed"


def test_a_run_passes_with_the_failures_it_is_allowed() -> None:
    """The suite's own rate decides."""
    assert summarize(record(*cases(4, 5), min_success_rate=0.8)).status == "passed"
    assert summarize(record(*cases(3, 5), min_success_rate=0.8)).status == "failed"


def test_a_crashing_agent_is_the_agents_failure() -> None:
    """An agent that breaks the protocol fails the run; the run is valid."""
    assert summarize(record(row("a", Failure("protocol_error", "not JSON")))).status == "failed"


@pytest.mark.parametrize("type", ["spawn_failed", "grader_error", "internal_error"])
def test_a_failure_of_the_outside_makes_the_run_invalid(type: str) -> None:
    """It outweighs cases that failed, and rates that are met."""
    rows = [*cases(4, 5), row("outside", Failure(type, "out of order"))]

    assert summarize(record(*rows, min_success_rate=0.1)).status == "invalid"


def test_an_interrupted_run_is_interrupted_first() -> None:
    """Who stopped it knows why; nothing else is claimed about it."""
    outside = row("a", Failure("spawn_failed", "no such file"))

    assert summarize(record(outside, interrupted=True)).status == "interrupted"


def test_fail_fast_leaves_a_failed_run() -> None:
    """Cases that were not run after a failing one do not make the run invalid."""
    ids = ("c0", "c1", "c2")

    assert summarize(record(*cases(1, 2), case_ids=ids)).status == "failed"
    assert summarize(record(*cases(1, 2), case_ids=ids, min_success_rate=0.1)).status == "failed"


def test_fail_fast_inside_a_case_leaves_a_failed_run() -> None:
    """A trial that failed counts, although its case has no status of its own yet."""
    assert summarize(record(short_of("a"), trials=3)).status == "failed"


def test_a_run_that_just_ended_early_is_invalid() -> None:
    """Nothing failed and not everything ran: the run says nothing."""
    assert summarize(record(row("a"), case_ids=("a", "b"))).status == "invalid"


def test_a_run_without_cases_is_invalid() -> None:
    """Nothing was judged."""
    assert summarize(record()).status == "invalid"


def test_a_failed_comparison_with_the_baseline_fails_the_run() -> None:
    """The verdict of the comparison is part of the gate; an inconclusive one is not a failure."""
    worse = record(*cases(2, 2), regression=Regression("fail", ()))
    unsure = record(*cases(2, 2), regression=Regression("inconclusive", ()))

    assert summarize(worse).status == "failed"
    assert summarize(unsure).status == "passed"


def test_no_rate_excuses_a_recording() -> None:
    """Every case must be recorded, whatever the suite allows in replay."""
    assert summarize(record(*cases(4, 5), mode="record", min_success_rate=0.5)).status == "failed"
    assert summarize(record(*cases(5, 5), mode="record", min_success_rate=0.5)).status == "passed"


def test_a_recording_that_was_compared_is_judged_by_that() -> None:
    """`diff` holds it against a baseline, and says by its exit code what it prints."""
    worse = record(*cases(5, 5), mode="record", regression=Regression("fail", ()))

    assert summarize(worse).status == "failed"


@pytest.mark.parametrize(
    ("mode", "trials", "gate", "found"),
    [
        ("live", 3, None, True),
        ("live", 3, "statistical", True),
        ("live", 3, "point", False),
        ("live", 1, "statistical", False),
        ("replay", 3, "statistical", False),
    ],
)
def test_chance_is_weighed_live_with_several_trials(
    mode: str, trials: int, gate: Literal["point", "statistical"] | None, found: bool
) -> None:
    """Elsewhere the figures are taken as they are."""
    thresholds = Thresholds(gate=gate)
    manifest = record(mode=mode, trials=trials, thresholds=thresholds).manifest

    assert is_statistical(manifest) == found
