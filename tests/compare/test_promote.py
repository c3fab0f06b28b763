"""Which runs may become a baseline, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compare.rows import record, row, short_of
from runledger.compare.promote import baseline_of, promotable
from runledger.compare.rates import summarize
from runledger.errors import UsageError
from runledger.ledger.baseline import Aggregates, Baseline, BaselineCase, TrialFigures
from runledger.ledger.grade import Failure
from runledger.ledger.run import RunRecord

HUNG = row("hangs", Failure("timeout", "no final output"), ms=30_000, answered=False)


def refusal(run: RunRecord, *, allow_failing: bool = False) -> str:
    """Say why a run is refused."""
    with pytest.raises(UsageError) as refused:
        promotable(summarize(run), allow_failing)
    return str(refused.value)


def test_a_baseline_holds_the_figures_of_its_run() -> None:
    """Cases stand in the order of their ids."""
    run = record(row("b", ms=300), row("a", ms=100), suite_sha256="abc")

    assert baseline_of(summarize(run)) == Baseline(
        suite_name="support-triage",
        run_id="20260215-101530-a1b2c3",
        suite_sha256="abc",
        aggregates=Aggregates(1.0, 200.0, 290.0, 4, 0),
        cases=(BaselineCase("a", True, 100, 2, 0), BaselineCase("b", True, 300, 2, 0)),
    )


def test_a_case_that_did_not_answer_has_no_duration() -> None:
    """The limit's duration is not the agent's."""
    (case,) = baseline_of(summarize(record(HUNG))).cases

    assert (case.passed, case.wall_ms) == (False, None)


def test_several_trials_are_kept() -> None:
    """Their durations are sorted, so that the order of the trials leaves no trace."""
    rows = [row("a", ms=ms, trial=number) for number, ms in enumerate((300, 100, 900), start=1)]
    rows[2] = replace(short_of("a"), trial=3, tally=rows[2].tally)
    (case,) = baseline_of(summarize(record(*rows, trials=3, mode="live"))).cases

    assert (case.passed, case.wall_ms) == (False, 300)
    assert case.trials == TrialFigures(3, 2, (100, 300, 900))


def test_a_run_whose_cases_pass_is_promotable() -> None:
    """A whole run, all well."""
    promotable(summarize(record(row("a"), row("b"))), allow_failing=False)


def test_a_failing_run_is_refused() -> None:
    """Who wants it as it is says so."""
    run = record(row("a"), short_of("b"), HUNG)

    assert refusal(run) == (
        "run 20260215-101530-a1b2c3 cannot become a baseline: did not pass: b, hangs; "
        "to promote it all the same: --allow-failing"
    )
    promotable(summarize(run), allow_failing=True)


def test_of_many_failing_cases_some_are_named() -> None:
    """The others are counted."""
    assert "c0, c1, c2, c3, c4 and 15 more" in refusal(
        record(*(short_of(f"c{n}") for n in range(20)))
    )


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (record(row("a"), not_chosen=("b",)), "it is partial: b not chosen"),
        (record(row("a"), interrupted=True), "it was stopped before its end"),
        (record(row("a"), case_ids=("a", "b")), "not finished: b"),
        (record(short_of("a"), case_ids=("a", "b")), "not finished: b"),
        (record(row("a", Failure("spawn_failed", ""))), "it is not valid"),
        (record(), "it is not valid"),
    ],
)
def test_a_run_that_is_not_whole_is_refused(run: RunRecord, reason: str) -> None:
    """Nothing allows it."""
    assert f"cannot become a baseline: {reason}" in refusal(run, allow_failing=True)
