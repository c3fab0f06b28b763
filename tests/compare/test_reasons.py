"""Why a run has the status it has."""

from __future__ import annotations

import pytest

from compare.rows import record, row, short_of
from runledger.compare.rates import summarize
from runledger.compare.reasons import reasons_of, sentence
from runledger.ledger.grade import Failure
from runledger.ledger.regression import Regression
from runledger.ledger.run import RunRecord


def reasons(run: RunRecord) -> list[str]:
    """List the reasons of a run."""
    return [*reasons_of(summarize(run))]


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (
            record(row("a"), interrupted=True),
            "stopped before its end: what is not finished was not judged",
        ),
        (
            record(row("a", Failure("spawn_failed", "")), row("b", Failure("grader_error", ""))),
            "not valid: grader_error, spawn_failed in 2 cases, which says nothing about the agent",
        ),
        (record(), "not valid: there was no case to run"),
        (record(row("a"), case_ids=("a", "b")), "not valid: 1 case not finished"),
        (
            record(row("a"), short_of("b"), min_success_rate=0.5),
            "1 of 2 judged cases passed; the suite asks for at least 50%",
        ),
        (
            record(row("a"), short_of("b"), min_success_rate=0.5, mode="record"),
            "min_success_rate excuses no recording: every case must pass",
        ),
    ],
)
def test_there_is_one_reason(run: RunRecord, reason: str) -> None:
    """The weightiest is told, and no other."""
    assert reasons(run) == [reason]


def test_what_the_figures_tell_needs_no_reason() -> None:
    """Neither a run in which all passed, nor one whose suite sets no rate."""
    assert reasons(record(row("a"), min_success_rate=0.5)) == []
    assert reasons(record(row("a"), short_of("b"))) == []


def test_beside_a_baseline_its_checks_tell_what_is_asked_for() -> None:
    """Nothing is said twice."""
    run = record(row("a"), short_of("b"), min_success_rate=0.5, regression=Regression("pass", ()))

    assert reasons(run) == []


def test_a_reason_can_be_a_sentence() -> None:
    """It begins with a capital and ends with a full stop."""
    assert sentence("not valid: x") == "Not valid: x."
