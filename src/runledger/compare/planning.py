"""What a number of tasks can show, before any of them is run."""

from __future__ import annotations

import math

from ..ledger.experiment import Experiment, others_of
from ..ledger.findings import BenchRecord
from .clusters import centre_of
from .experiment.sides import clusters_of, outcomes_of, sides_of
from .paired import FOUR_OF_FIVE
from .student import t_quantile


def units_of(experiment: Experiment) -> int:
    """Count what an experiment learns from: its tasks, or the clusters they come in."""
    return len(set(clusters_of(experiment).values()))


def smallest_effect(n_tasks: int, level: float) -> float | None:
    """Give the least effect that shows in four of five experiments; None under two tasks.

    It is in standard deviations of the tasks' differences, which nobody knows yet.
    """
    if n_tasks < 2:
        return None
    freedom = n_tasks - 1
    return (t_quantile(level, freedom) + t_quantile(FOUR_OF_FIVE, freedom)) / math.sqrt(n_tasks)


def smallest_points(earlier: BenchRecord, n_tasks: int) -> float | None:
    """Give the least effect on the score in points, if tasks differ as they did in an earlier run.

    Of several conditions the one whose tasks differ most is taken.
    """
    outcomes, shown = outcomes_of(earlier), smallest_effect(n_tasks, earlier.experiment.level)
    sides = [sides_of(outcomes, "score", one.name) for one in others_of(earlier.experiment)]
    centres = [
        centre_of([float(one) for one in found.differences], range(len(found.tasks)))
        for found in sides
        if found is not None
    ]
    spreads = [(one.error or 0.0) * math.sqrt(one.n) for one in centres if one.varies]
    return shown * max(spreads) if shown is not None and spreads else None
