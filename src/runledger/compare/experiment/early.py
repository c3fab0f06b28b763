"""Looking at an experiment before its end: what wins and losses so far decide."""

from __future__ import annotations

from ...ledger.experiment import baseline_of, others_of
from ...ledger.findings import SequentialFinding
from ..e_value import e_value, threshold_of
from .sides import Outcomes, sides_of, values_by_task


def sequential_findings(outcomes: Outcomes) -> tuple[SequentialFinding, ...]:
    """Weigh the tasks won and lost by each condition, by their scores."""
    experiment = outcomes.record.experiment
    others = others_of(experiment)
    threshold = threshold_of(experiment.level, len(others)) if others else 0.0
    return tuple(_finding(outcomes, one.name, threshold) for one in others)


def _finding(outcomes: Outcomes, condition: str, threshold: float) -> SequentialFinding:
    differences = _whole_tasks(outcomes, condition)
    wins, losses = sum(one > 0 for one in differences), sum(one < 0 for one in differences)
    found = e_value(wins, losses)
    return SequentialFinding(condition, wins, losses, found, threshold, found >= threshold)


def _whole_tasks(outcomes: Outcomes, condition: str) -> list[float]:
    """List the differences of tasks whose trials have all ended: each is looked at once."""
    experiment = outcomes.record.experiment
    sides = sides_of(outcomes, "score", condition)
    if sides is None:
        return []
    known = [
        values_by_task(outcomes, "score", name)
        for name in (baseline_of(experiment).name, condition)
    ]
    return [
        float(difference)
        for id, difference in zip(sides.tasks, sides.differences, strict=True)
        if all(len(side[id]) == experiment.trials for side in known)
    ]
