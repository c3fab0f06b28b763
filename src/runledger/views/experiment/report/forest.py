"""The forest plot: the difference of scores in each task, and at the bottom their mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ....ledger.experiment import Experiment, baseline_of, others_of
from ....ledger.findings import Effect, Findings, TaskEffect
from ...figures import POINTS
from ...look import count
from ...report.overview import shown
from ..words import difference, interval, level
from .axis import Axis, Place, Tick, axis_of, limits_of, ticks_of
from .table import as_written

HEAD, FOOT = 22, 34  # pixels above the first row, and of the mean with its axis below
GROUP = 20  # the least height of a group, so that its caption has room
ROOMY, DENSE, TIGHT = 24, 6, 2  # the height of a row; the style knows these too
MOST_ROOMY, MOST_DENSE = 40, 300
MOST_ROWS = 2000
TIE = 1e-9

WORDS = {"win": "win", "tie": "tie", "loss": "loss"}


@dataclass(frozen=True, slots=True)
class ForestRow:
    """A task: where its point is, and its figures in words."""

    task_id: str
    name: str
    y: float
    place: Place
    difference: str
    scores: str


@dataclass(frozen=True, slots=True)
class Group:
    """Tasks that went the same way, one below the other."""

    tone: str
    caption: str
    rows: tuple[ForestRow, ...]


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean over tasks, drawn as a diamond as wide as its interval."""

    y: float
    place: Place
    difference: str
    interval: str
    tone: str


@dataclass(frozen=True, slots=True)
class Forest:
    """One condition beside the baseline."""

    condition: str
    baseline: str
    density: str
    height: int
    axis: int  # where the rows end and the axis begins
    groups: tuple[Group, ...]
    ticks: tuple[Tick, ...]
    zero: float
    limits: tuple[Tick, ...]
    mean: Mean | None
    tally: str
    description: str
    left_out: str


def forests_of(experiment: Experiment, findings: Findings) -> tuple[Forest, ...]:
    """Draw a plot for each condition that has a task to show, all on one scale."""
    axis = axis_of(experiment, findings)
    names = [one.name for one in others_of(experiment)]
    tasks = {name: [one for one in findings.tasks if one.condition == name] for name in names}
    means = {one.condition: one for one in findings.effects if one.metric == "score"}
    return tuple(
        _forest(experiment, axis, tasks[name], means.get(name)) for name in names if tasks[name]
    )


def way_of(change: float) -> str:
    """Say which way a task went."""
    return "tie" if abs(change) < TIE else "win" if change > 0 else "loss"


def signed(points: float) -> str:
    """Write a difference of scores without its unit."""
    return difference("score", points).removesuffix(POINTS)


def _forest(
    experiment: Experiment, axis: Axis, tasks: Sequence[TaskEffect], mean: Effect | None
) -> Forest:
    ranked = _kept(sorted(tasks, key=lambda one: -round(one.difference, 6)))
    density, height = _density(len(ranked))
    groups = tuple(_groups(ranked, axis, height))
    bottom = HEAD + sum(_height(group, height) for group in groups)
    return Forest(
        condition=shown(tasks[0].condition),
        baseline=shown(baseline_of(experiment).name),
        density=density,
        height=bottom + FOOT + (ROOMY if mean else 0),
        axis=bottom + (ROOMY if mean else 0),
        groups=groups,
        ticks=tuple(ticks_of(axis)),
        zero=axis.x(0.0),
        limits=tuple(limits_of(experiment, axis)),
        mean=_mean(mean, axis, bottom) if mean else None,
        tally=_tally(mean, tasks),
        description=_description(experiment, tasks, mean),
        left_out=_left_out(len(tasks) - len(ranked)),
    )


def _kept(ranked: list[TaskEffect]) -> list[TaskEffect]:
    """Keep either end of what would be too long, which is where the tasks to look at are."""
    half = MOST_ROWS // 2
    return ranked if len(ranked) <= MOST_ROWS else [*ranked[:half], *ranked[-half:]]


def _left_out(tasks: int) -> str:
    return f"{count(tasks, 'task')} between them left out of the plot" if tasks else ""


def _density(rows: int) -> tuple[str, int]:
    if rows <= MOST_ROOMY:
        return "roomy", ROOMY
    return ("dense", DENSE) if rows <= MOST_DENSE else ("tight", TIGHT)


def _groups(ranked: Sequence[TaskEffect], axis: Axis, height: int) -> Iterator[Group]:
    top = float(HEAD)
    for way, tasks in groupby(ranked, key=lambda one: way_of(one.difference)):
        rows = tuple(
            _row(one, axis, top + (index + 0.5) * height) for index, one in enumerate(tasks)
        )
        group = Group(way, _counted(len(rows), way), rows)
        yield group
        top += _height(group, height)


def _height(group: Group, row: int) -> int:
    return max(GROUP, row * len(group.rows))


def _counted(number: int, way: str) -> str:
    return count(number, WORDS[way]) if way != "loss" or number == 1 else f"{number:,} losses"


def _row(task: TaskEffect, axis: Axis, y: float) -> ForestRow:
    return ForestRow(
        task_id=as_written(task.task_id),
        name=shown(task.task_id),
        y=y,
        place=axis.place(task.difference, task.ci),
        difference=signed(task.difference),
        scores=f"{task.baseline:.0f} → {task.mean:.0f}",
    )


def _mean(effect: Effect, axis: Axis, top: float) -> Mean:
    return Mean(
        y=top + ROOMY / 2,
        place=axis.place(effect.difference, effect.ci),
        difference=signed(effect.difference),
        interval=interval("score", effect.ci).removesuffix(POINTS) if effect.ci else "",
        tone=way_of(effect.difference),
    )


def _tally(mean: Effect | None, tasks: Sequence[TaskEffect]) -> str:
    """Count the ways that tasks went, as the statistics did where they are at hand."""
    ways = [way_of(one.difference) for one in tasks]
    counted = (
        {"win": mean.wins, "loss": mean.losses, "tie": mean.ties}
        if mean
        else {way: ways.count(way) for way in ("win", "loss", "tie")}
    )
    return ", ".join(_counted(number, way) for way, number in counted.items())


def _description(experiment: Experiment, tasks: Sequence[TaskEffect], mean: Effect | None) -> str:
    """Say in words what the plot shows, for those who do not see it."""
    ends = min(one.difference for one in tasks), max(one.difference for one in tasks)
    told = f"{count(len(tasks), 'task')}, {_tally(mean, tasks)}; differences from "
    told += f"{signed(ends[0])} to {signed(ends[1])} points"
    if mean is None:
        return told + "."
    told += f"; mean {signed(mean.difference)}"
    sure = f", {level(experiment)} {interval('score', mean.ci)}" if mean.ci else ""
    return f"{told}{sure}."
