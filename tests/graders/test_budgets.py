"""What a trial used, judged by what it was allowed."""

from __future__ import annotations

from graders.trials import calling, trial, words
from runledger.graders.budgets import BudgetGrader
from runledger.ledger.event import Failed, UsageReport
from runledger.ledger.grade import Failure
from runledger.ledger.usage import Limits, Usage


def test_within_its_limits_a_trial_passes() -> None:
    """A limit may be used up to the last."""
    grade = BudgetGrader(Limits(max_tool_calls=2, max_wall_ms=100)).grade(calling("a", "b"))

    assert grade.passed
    assert grade.score == 1.0


def test_every_passed_limit_is_a_failure() -> None:
    """The message has what was used and what was allowed."""
    trajectory = trial(
        UsageReport(Usage(tokens_out=70, cost_usd=0.1)), UsageReport(Usage(cost_usd=0.2))
    )
    grade = BudgetGrader(Limits(max_wall_ms=50, max_tokens_out=60, max_cost_usd=0.25)).grade(
        trajectory
    )

    assert words(grade.failures) == [
        "max_wall_ms: 100 used, 50 allowed",
        "max_tokens_out: 70 used, 60 allowed",
        "max_cost_usd: 0.3 used, 0.25 allowed",
    ]
    assert {failure.type for failure in grade.failures} == {"budget_exceeded"}
    assert grade.failures[1].details == {"budget": "max_tokens_out", "allowed": 60, "used": 70}


def test_a_breach_that_stopped_the_trial_is_not_told_twice() -> None:
    """What the capture recorded stays as it is; other breaches are added."""
    recorded = Failed(Failure("budget_exceeded", "stopped", {"budget": "max_wall_ms"}))
    grade = BudgetGrader(Limits(max_wall_ms=50)).grade(trial(recorded))
    both = BudgetGrader(Limits(max_wall_ms=50, max_tool_errors=-1)).grade(trial(recorded))

    assert grade.failures == ()
    assert words(both.failures) == ["max_tool_errors: 0 used, -1 allowed"]


def test_what_nobody_reported_passes_no_limit() -> None:
    """Unknown cost is not zero, and not too much either."""
    assert BudgetGrader(Limits(max_cost_usd=0.0)).grade(trial()).passed
