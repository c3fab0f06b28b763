"""Trials as results files tell them, whoever wrote the files."""

from __future__ import annotations

from typing import Any

import pytest

from runledger.ledger.captured import captured_from
from runledger.ledger.usage import Usage

RESULT: dict[str, Any] = {
    "id": "a",
    "input": "q",
    "output": "o",
    "trajectory": [],
    "timing": {"start": 0.5, "end": 3.25},
}
FAILURE = {"type": "timeout", "message": "too slow", "details": {}}
ENTRY = {"trialNum": 1, "output": "o", "duration": 3}
HUGE = 10**400


def test_a_result_is_read() -> None:
    """Fractions are rounded, and what nobody reported stays unknown."""
    line = {**RESULT, "usage": {"tokensIn": 3}, "failures": [FAILURE], "errors": ["x"]}
    (found,) = captured_from(line)

    assert (found.duration_ms, found.usage, found.errors) == (3, Usage(3), ("x",))


@pytest.mark.parametrize(
    "odd",
    [
        {"timing": {"start": 0, "end": HUGE}},
        {"timing": {"start": 0.5, "end": HUGE}},
        {"timing": {"start": "0", "end": "1"}},
        {"score": {"pass": True, "score": HUGE}},
        {"score": {"pass": True, "score": float("nan")}},
        {"score": {"pass": True, "score": "1"}},
        {"usage": {"tokensOut": HUGE}},
        {"usage": {"costUsd": "free"}},
        {"usage": [1]},
        {"trial": HUGE},
        {"trial": float("inf")},
        {"failures": None},
        {"failures": {"type": "timeout", "message": "too slow"}},
        {"failures": ["timeout"]},
        {"failures": [{**FAILURE, "message": ["too slow"]}]},
        {"failures": [{**FAILURE, "type": []}]},
        {"failures": [{**FAILURE, "details": "none"}]},
        {"failures": [{"type": "timeout"}]},
        {"errors": "one"},
        {"errors": None},
        {"metadata": ["x"]},
        {"trials": [ENTRY], "k": 0},
        {"trials": [ENTRY], "k": "2"},
        {"trials": [{**ENTRY, "duration": HUGE}]},
        {"trials": [{**ENTRY, "failures": [{**FAILURE, "message": None}]}]},
    ],
)
def test_what_has_another_shape_is_refused(odd: dict[str, Any]) -> None:
    """Nothing that reads a trial later has to be afraid of it."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        list(captured_from({**RESULT, **odd}))
