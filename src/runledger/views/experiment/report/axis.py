"""The axis that the plots of a report share: which differences it shows, and where each lies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor

from ....ledger.comparison import Interval
from ....ledger.experiment import Experiment
from ....ledger.findings import Effect, Findings, TaskEffect
from ...figures import MINUS

MOST_TICKS = 5
STEPS = (1, 2, 5, 10, 20, 25, 50)
FARTHEST = 100.0  # of two scores
MARGIN = 0.04  # of the span, so that no point sits on the edge


@dataclass(frozen=True, slots=True)
class Place:
    """A point on the axis, in percent of its width; with an interval, where that lies."""

    x: float
    low: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Tick:
    """A line across the plot with its label."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A stretch of differences."""

    low: float
    high: float

    def x(self, value: float) -> float:
        """Place a difference, in percent; what lies beyond the ends stays at them."""
        inside = min(max(value, self.low), self.high)
        return round(100 * (inside - self.low) / (self.high - self.low), 3)

    def place(self, value: float, ci: Interval | None) -> Place:
        """Place a difference with its interval."""
        if ci is None:
            return Place(self.x(value))
        low, high = self.x(ci[0]), self.x(ci[1])
        return Place(self.x(value), low, round(high - low, 3))


def axis_of(experiment: Experiment, findings: Findings) -> Axis:
    """Span whatever is drawn, with no change among it."""
    values = [0.0, *(limit for limit, _ in _score_gates(experiment)), *_drawn(findings)]
    low, high = max(min(values), -FARTHEST), min(max(values), FARTHEST)
    if high - low < STEPS[0]:
        low, high = low - 10, high + 10
    margin = MARGIN * (high - low)
    return Axis(low - margin, high + margin)


def _drawn(findings: Findings) -> Iterator[float]:
    effects = [one for one in findings.effects if one.metric == "score"]
    differences: list[TaskEffect | Effect] = [*findings.tasks, *effects]
    for one in differences:
        yield one.difference
        yield from one.ci or ()


def ticks_of(axis: Axis) -> Iterator[Tick]:
    """Mark the axis at a few round differences."""
    span = axis.high - axis.low
    step = next((one for one in STEPS if span / one <= MOST_TICKS), STEPS[-1])
    for number in range(ceil(axis.low / step), floor(axis.high / step) + 1):
        yield Tick(axis.x(number * step), _whole(number * step))


def limits_of(experiment: Experiment, axis: Axis) -> Iterator[Tick]:
    """Mark what the gates on the score ask for."""
    for limit, sign in _score_gates(experiment):
        yield Tick(axis.x(limit), f"gate {sign} {_whole(limit)}")


def _score_gates(experiment: Experiment) -> Iterable[tuple[float, str]]:
    for gate in experiment.gates:
        if gate.metric == "score" and gate.min_difference is not None:
            yield gate.min_difference, "≥"
        elif gate.metric == "score" and gate.max_difference is not None:
            yield gate.max_difference, "≤"


def _whole(value: float) -> str:
    return f"+{value:g}" if value > 0 else f"{value:g}".replace("-", MINUS)
