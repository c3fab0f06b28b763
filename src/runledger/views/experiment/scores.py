"""Tables of what each condition came to: scores, completion, and what the runs took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from ...ledger.experiment import Experiment, baseline_of, others_of
from ...ledger.findings import BenchRecord, ConditionTally, Findings
from ..markup import code, table
from .counted import Counted, Place, Runs
from .words import UNKNOWN, amount, difference, money, number, percent, rounded, seconds

NAME_CHARS = 100


def mean_score(runs: Sequence[Counted]) -> float | None:
    """Average the scores of a task's trials; one that is not judged leaves it open."""
    scores = [one.percent for one in runs]
    known = [score for score in scores if score is not None]
    return fmean(known) if known and len(known) == len(scores) else None


def completed(runs: Sequence[Counted]) -> str:
    """Say whether a task is complete; of several trials, how many of them are."""
    known = [one.complete for one in runs if one.complete is not None]
    if not known:
        return UNKNOWN
    if len(runs) == 1:
        return "yes" if known[0] else "no"
    return f"{sum(known)} of {len(known)}"


def score_table(record: BenchRecord, findings: Findings, runs: Runs) -> Iterator[str]:
    """Set the score of every task in every condition, and what became of its criteria."""
    if not runs:
        return
    asked = record.experiment
    head = ["task", *_names(asked), *_difference_names(asked)]
    changes = {Place(one.task_id, one.condition): one.difference for one in findings.tasks}
    rows = [_score_row(asked, changes, runs, task.id) for task in asked.tasks]
    means = {one.condition: percent(one.score) for one in findings.tallies}
    whole = {one.condition: one.difference for one in findings.effects if one.metric == "score"}
    last = [
        "**mean**",
        *(f"**{means.get(one.name, UNKNOWN)}**" for one in asked.conditions),
        *(f"**{difference('score', whole.get(one.name))}**" for one in others_of(asked)),
    ]
    yield table([head, *rows, last])
    yield (
        f"A task's score is shown to the nearest {asked.scoring.round_to:g}%, with its criteria: "
        "met/partial/missed. Means and differences are those of scores that are not rounded.\n"
    )


def _score_row(
    asked: Experiment, changes: Mapping[Place, float], runs: Runs, task_id: str
) -> list[str]:
    return [
        code(task_id, NAME_CHARS),
        *(_score_cell(asked, runs.get(Place(task_id, one.name), ())) for one in asked.conditions),
        *(difference("score", changes.get(Place(task_id, one.name))) for one in others_of(asked)),
    ]


def _score_cell(asked: Experiment, runs: Sequence[Counted]) -> str:
    if not runs:
        return UNKNOWN
    return f"{rounded(mean_score(runs), asked)} ({verdict_counts(asked, runs)})"


def verdict_counts(asked: Experiment, runs: Sequence[Counted]) -> str:
    """Count the criteria that were met, partly met and missed, over all trials."""
    points = [one for run in runs if run.score for one in run.score.points.values()]
    known = [one for one in points if one is not None]
    most, least = asked.scoring.points["met"], asked.scoring.points["missed"]
    met, missed = sum(one >= most for one in known), sum(one <= least for one in known)
    open_ones = f", {len(points) - len(known)} open" if len(known) < len(points) else ""
    return f"{met}/{len(known) - met - missed}/{missed}{open_ones}"


def completion_table(record: BenchRecord, findings: Findings, runs: Runs) -> Iterator[str]:
    """Set whether each task was completed in each condition."""
    if not runs:
        return
    asked = record.experiment
    rows = [
        [
            code(task.id, NAME_CHARS),
            *(completed(runs.get(Place(task.id, one.name), ())) for one in asked.conditions),
        ]
        for task in asked.tasks
    ]
    rates = {one.condition: percent(one.completion) for one in findings.tallies}
    last = ["**rate**", *(f"**{rates.get(one.name, UNKNOWN)}**" for one in asked.conditions)]
    yield table([["task", *_names(asked)], *rows, last])
    yield f"A task is complete at a score of {asked.scoring.complete_at:g}%, before rounding.\n"


FIGURES: Mapping[str, Callable[[ConditionTally], str]] = {
    "score, mean": lambda one: percent(one.score),
    "completion rate": lambda one: percent(one.completion),
    "duration, geometric mean": lambda one: seconds(one.duration_s),
    "tool calls": lambda one: number(one.tool_calls),
    "files read": lambda one: number(one.files_read),
    "turns": lambda one: number(one.turns),
    "tokens": lambda one: amount("tokens", one.tokens),
    "cost of a run": lambda one: money(one.cost_usd),
    "cost of all attempts": lambda one: money(one.total_cost_usd),
    "runs counted": lambda one: f"{one.counted:,} of {one.planned:,}",
    "attempts": lambda one: f"{one.attempts:,}",
    "retried": lambda one: f"{one.retried:,}",
    "discarded": lambda one: f"{sum(one.discarded.values()):,}",
    "timed out": lambda one: f"{one.timed_out:,}",
}
"""The figures of a condition, by their names."""


def summary_table(findings: Findings) -> Iterator[str]:
    """Set the figures of all conditions side by side; what nobody knows has no row."""
    if not any(one.attempts for one in findings.tallies):
        return
    head = ["", *(code(one.condition, NAME_CHARS) for one in findings.tallies)]
    rows = [[name, *map(figure, findings.tallies)] for name, figure in FIGURES.items()]
    yield table([head, *(row for row in rows if {*row[1:]} != {UNKNOWN})])


def _names(asked: Experiment) -> list[str]:
    return [code(one.name, NAME_CHARS) for one in asked.conditions]


def _difference_names(asked: Experiment) -> list[str]:
    base = code(baseline_of(asked).name, NAME_CHARS)
    return [f"{code(one.name, NAME_CHARS)} − {base}" for one in others_of(asked)]
