"""The published check that every grader passes, a user's own included."""

from __future__ import annotations

import json
from copy import deepcopy

from ..ledger.trajectory import Trajectory
from . import Grader


def check_grader(grader: Grader, trajectory: Trajectory) -> None:
    """Raise an AssertionError that says which part of the contract a grader does not keep."""
    before = deepcopy(trajectory)
    first = grader.grade(trajectory)
    second = grader.grade(trajectory)
    promises = {
        "has a name": bool(grader.name),
        "signs its grades with its name": first.grader == grader.name,
        "leaves the trajectory as it was": trajectory == before,
        "says the same of the same trajectory": first == second,
        "gives a score from 0 to 1": 0.0 <= first.score <= 1.0,
        "passes a trial exactly when it found no failure": first.passed == (not first.failures),
        "begins every message with words": all(one.message.strip() for one in first.failures),
        "fills the record with JSON only": _is_json(
            [first.outcome, first.reasoning, *(dict(one.details) for one in first.failures)]
        ),
    }
    broken = [promise for promise, kept in promises.items() if not kept]
    assert not broken, f"{grader.name or 'the grader'} does not keep its promise: {broken}"


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False
