"""A run laid beside its baseline, case by case: what the rules of the gate judge."""

from __future__ import annotations

from dataclasses import dataclass

from ..ledger.baseline import Baseline, BaselineCase, TrialFigures
from ..ledger.figure import clamped
from ..ledger.grade import counts
from ..ledger.regression import Check
from ..ledger.run import CaseRow, Summary
from ..ledger.suite import Thresholds
from .cases import judged

NOT_SET = "not set"
_DIGITS = 9  # of a difference: 0.8 - 1.0 reads as -0.2


@dataclass(frozen=True, slots=True)
class Pair:
    """A case that both the baseline and the run have, with its trials that were judged."""

    id: str
    before: TrialFigures
    now: TrialFigures
    passed_before: bool
    passes_now: bool | None  # None where it says nothing about the agent


@dataclass(frozen=True, slots=True)
class Matched:
    """A run, its baseline, and the cases they share."""

    summary: Summary
    baseline: Baseline
    pairs: tuple[Pair, ...]
    thresholds: Thresholds


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a rule says of a run: its check, and whether the evidence was enough to decide."""

    check: Check
    undecided: bool = False
    fallen: tuple[str, ...] = ()
    risen: tuple[str, ...] = ()


def match(summary: Summary, baseline: Baseline) -> Matched:
    """Pair the cases of a run with those of a baseline, by id."""
    cases = {case.id: case for case in summary.cases}
    shared = [(case, cases[case.id]) for case in baseline.cases if case.id in cases]
    thresholds = summary.record.manifest.thresholds or Thresholds()
    pairs = tuple(_pair(before, now) for before, now in shared)
    return Matched(summary, baseline, tuple(sorted(pairs, key=lambda pair: pair.id)), thresholds)


def figures_of(case: CaseRow) -> TrialFigures:
    """Count the trials of a case that say something about the agent, and time those that answered.

    Durations are sorted, so that the order in which trials ended leaves no trace.
    """
    rows = [row for row in case.trials if counts(row.status, row.failures)]
    walls = sorted(row.tally.wall_ms for row in case.trials if row.answered)
    return TrialFigures(len(rows), sum(row.status == "passed" for row in rows), tuple(walls))


def difference(now: float | None, before: float | None) -> float | None:
    """Subtract two figures where both are known, without the noise of the last digits."""
    return None if now is None or before is None else round(now - before, _DIGITS)


def change_pct(now: float, before: float) -> float:
    """Give a change in percent of what was."""
    return round(clamped((now - before) / before * 100), _DIGITS)


def _pair(before: BaselineCase, now: CaseRow) -> Pair:
    walls = () if before.wall_ms is None else (before.wall_ms,)
    once = TrialFigures(1, int(before.passed), walls)
    says_something = judged(now) or now.status == "unfinished"
    passes = now.status == "passed" if says_something else None
    return Pair(now.id, before.trials or once, figures_of(now), before.passed, passes)
