"""Annotations are commands to GitHub, and only ours are."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from compare.rows import HOSTILE, colourful, record, row, several_trials, short_of
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.regression import CaseChanges, Check, Regression, Verdict
from runledger.ledger.run import Summary
from runledger.ledger.trajectory import Exit
from runledger.views import github

ANY_TEXT = st.text(st.characters(exclude_categories=()))
COMMAND = re.compile(r"::(error|warning) title=([^:,]*)::(.*)")


def test_a_failure_is_an_error_with_its_case_and_type() -> None:
    """The title names the case and the type; the message keeps its lines."""
    text = github.render(summarize(record(short_of("a", "100% wrong,\nas: ever"))))

    assert text == "::error title=a%3A assertion_failed::100%25 wrong,%0Aas: ever\n"


def test_only_the_first_ten_failures_are_marked() -> None:
    """GitHub shows no more."""
    rows = [short_of(f"c{n}") for n in range(30)]

    assert len(github.render(summarize(record(*rows))).splitlines()) == 10


def test_a_leak_is_a_warning() -> None:
    """The case passed, but its agent left processes behind."""
    text = github.render(summarize(record(row("a", exit=Exit(leaky=True)))))

    assert text == "::warning title=a%3A leaky::the agent left processes behind; they were ended\n"


def test_failures_that_the_gate_allows_are_warnings() -> None:
    """A green job has no red marks."""
    text = github.render(summarize(record(row("a"), short_of("b"), min_success_rate=0.5)))

    assert text.startswith("::warning title=b%3A assertion_failed::")


def test_the_same_failure_of_several_trials_is_marked_once() -> None:
    """Ten marks are few enough."""
    assert github.render(several_trials()).count("::error") == 1


def test_a_passing_run_says_nothing() -> None:
    """No failures, no lines."""
    assert github.render(summarize(record(row("a")))) == ""


def test_a_long_message_is_cut() -> None:
    """An annotation is no place for a megabyte."""
    assert len(github.render(summarize(record(short_of("a", "x" * 10**6))))) < 5000


def test_hostile_text_gives_no_command_of_its_own() -> None:
    """Every line is one command of ours with its own title."""
    lines = github.render(colourful()).splitlines()

    assert HOSTILE.count("::") > 2
    assert all(COMMAND.fullmatch(line) for line in lines)


@given(name=ANY_TEXT, message=ANY_TEXT)
def test_any_text_is_one_command(name: str, message: str) -> None:
    """No text ends the line, leaves the title or starts another command."""
    text = github.render(summarize(record(row(name, Failure("timeout", message)))))

    assert text.endswith("\n")
    assert text.count("\n") == 1
    assert COMMAND.fullmatch(text[:-1])


def gated(*checks: Check, verdict: Verdict = "fail") -> Summary:
    """Make a run whose cases all passed and whose gate says something else."""
    regression = Regression(verdict, checks, CaseChanges(missing=("gone",)))
    return summarize(record(row("a"), regression=regression))


def test_a_failure_of_the_gate_alone_is_marked() -> None:
    """Every case passed, one is missing: the mark says which."""
    text = github.render(gated(Check("missing_cases", "fail", current=1), Check("x", "pass")))

    assert text == (
        "::error title=support-triage%3A fail::worse than the baseline%0A"
        "FAIL  1 case of the baseline is missing: gone\n"
    )


def test_too_little_evidence_is_a_warning() -> None:
    """A verdict that is none is worth a mark, not a red one."""
    text = github.render(gated(verdict="inconclusive"))

    assert text.startswith("::warning title=support-triage%3A inconclusive::")


def test_a_run_that_did_not_pass_is_never_without_a_mark() -> None:
    """A run of nothing has no failure to show, and is not valid all the same."""
    text = github.render(summarize(record()))

    assert text == "::error title=support-triage::invalid: 0 of 0 cases passed\n"
