"""What a case shows when it has several trials."""

from __future__ import annotations

from dataclasses import replace

from compare.rows import record, row, several_trials, short_of
from runledger.compare.cases import (
    calls_by_name_of,
    cases_of,
    cassette_of,
    distinct_failures,
    overridden_in,
    stderr_tail,
    wall_of,
)
from runledger.ledger.grade import Failure
from runledger.ledger.run import CaseRow, TrialRow
from runledger.ledger.trajectory import CassetteUse, Exit


def case(*rows: TrialRow) -> CaseRow:
    """Make one case of these rows, each a trial."""
    numbered = [replace(one, trial=n) for n, one in enumerate(rows, start=1)]
    return cases_of(record(*numbered, trials=len(numbered)))[0]


def test_the_same_failure_of_several_trials_is_told_once() -> None:
    """It names the trials that it happened in."""
    told = distinct_failures(several_trials().cases[1])

    assert [(failure.type, trials) for failure, trials in told] == [("assertion_failed", (2, 3))]


def test_a_case_takes_the_median_of_its_trials() -> None:
    """One slow trial does not make a slow case; without trials the duration is unknown."""
    assert wall_of(case(row("a", ms=100), row("a", ms=300), row("a", ms=9000))) == 300
    assert wall_of(case(row("a", ms=100), row("a", ms=300))) == 200
    assert wall_of(CaseRow("a", "unfinished", ())) is None


def test_calls_add_up_by_name() -> None:
    """Names stand in alphabetical order."""
    both = case(
        row("a", tool_calls_by_name={"z": 1}), row("a", tool_calls_by_name={"b": 1, "z": 2})
    )

    assert list(calls_by_name_of(both).items()) == [("b", 1), ("z", 3)]


def test_the_cassette_is_that_of_the_trial_with_the_most_unused() -> None:
    """Overrides are gathered from all trials."""
    used = CassetteUse("c", "s", 3, 3, 0, (3, 1))
    left = CassetteUse("c", "s", 3, 1, 2, (2,))
    both = case(row("a", cassette=used), row("a", cassette=left))

    assert cassette_of(both) == left
    assert overridden_in(both) == (1, 2, 3)


def test_standard_error_is_shown_of_agents_in_error() -> None:
    """Its last lines are; those of an agent that was judged are noise."""
    exit = Exit(stderr="one\ntwo\nthree\n")
    crashed = row("a", Failure("agent_exited_early", "exit code 1"), exit=exit)

    assert stderr_tail(crashed, 2) == ["two", "three"]
    assert stderr_tail(replace(short_of("a"), exit=exit), 2) == []


def test_standard_error_is_not_shown_twice() -> None:
    """A failure that quotes it already is enough."""
    quoting = Failure("agent_exited_early", "exit code 1; it wrote:\none\ntwo")

    assert stderr_tail(row("a", quoting, exit=Exit(stderr="one\ntwo\n")), 5) == []
