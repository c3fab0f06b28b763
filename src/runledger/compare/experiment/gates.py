"""What each gate says of each condition, and how many further tasks would decide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...ledger.comparison import Interval
from ...ledger.experiment import ExperimentGate, GateMetric, others_of
from ...ledger.findings import GateFinding, GateWord, SequentialFinding
from ..clusters import Centre, fewest
from ..e_value import further_pairs
from ..further import further_in_table, further_units
from .effects import Measured
from .sides import Outcomes, unfinished_blocks

UNKNOWN = "no task knows it under both conditions"
CUT_SHORT = "the run stopped early: an interval that is made for the whole plan decides nothing"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that gates go by."""

    effects: Mapping[tuple[GateMetric, str], Measured]
    early: Mapping[str, SequentialFinding]  # by condition; empty unless a run may stop early
    level: float
    cut_short: bool  # it did stop before its plan's end


def gate_findings(
    outcomes: Outcomes, measured: Sequence[Measured], early: Sequence[SequentialFinding]
) -> tuple[GateFinding, ...]:
    """Judge every condition by every gate."""
    experiment = outcomes.record.experiment
    evidence = Evidence(
        {(one.effect.metric, one.effect.condition): one for one in measured},
        {one.condition: one for one in early},
        experiment.level,
        bool(early) and unfinished_blocks(outcomes) > 0,
    )
    return tuple(
        _finding(gate, condition.name, evidence)
        for gate in experiment.gates
        for condition in others_of(experiment)
    )


def limit_of(gate: ExperimentGate) -> float:
    """Give the difference that a gate asks for, at least or at most."""
    limit = gate.max_difference if gate.min_difference is None else gate.min_difference
    assert limit is not None
    return limit


def _finding(gate: ExperimentGate, condition: str, evidence: Evidence) -> GateFinding:
    found = evidence.effects.get((gate.metric, condition))
    if found is None:
        return GateFinding(gate, condition, "inconclusive", None, None, note=UNKNOWN)
    plain = GateFinding(gate, condition, "inconclusive", found.effect.difference, found.effect.ci)
    if evidence.early and gate.metric == "score" and limit_of(gate) == 0:
        return _by_wins(plain, evidence.early[condition], found.effect.n)
    if evidence.cut_short:
        return replace(plain, note=CUT_SHORT)
    return _by_interval(plain, found, evidence.level)


def _by_interval(plain: GateFinding, found: Measured, level: float) -> GateFinding:
    """Ask for the whole interval on one side of the limit, and for enough tasks to trust it."""
    enough = found.centre.clusters >= fewest(level)
    word = _side(plain.gate, plain.ci) if enough else "inconclusive"
    if word != "inconclusive":
        return replace(plain, verdict=word)
    if found.effect.clusters is not None:
        return _short_of_clusters(plain, found.centre, level)
    limit = limit_of(plain.gate)
    if found.table is None:
        further = further_units(found.centre, limit, level)
    else:
        further = further_in_table(found.table, limit / 100, level)
    return replace(plain, further_tasks=further.number, note=further.note)


def _short_of_clusters(plain: GateFinding, centre: Centre, level: float) -> GateFinding:
    """Ask for further clusters, as large as these: more tasks of the same would not decide."""
    further = further_units(centre, limit_of(plain.gate), level, "clusters")
    if further.number is None:
        return replace(plain, note=further.note)
    tasks = math.ceil(further.number * centre.n / centre.clusters)
    return replace(plain, further_tasks=tasks, further_clusters=further.number, note=further.note)


def _side(gate: ExperimentGate, ci: Interval | None) -> GateWord:
    if ci is None:
        return "inconclusive"
    limit, (low, high) = limit_of(gate), ci
    if gate.min_difference is None:
        return "pass" if high <= limit else "fail" if low > limit else "inconclusive"
    return "pass" if low >= limit else "fail" if high < limit else "inconclusive"


def _by_wins(plain: GateFinding, early: SequentialFinding, tasks: int) -> GateFinding:
    """Go by wins and losses alone: their e-value holds however often one has looked."""
    told = f"by the e-value of {early.wins} wins and {early.losses} losses"
    if early.decided:
        upward = plain.gate.min_difference is not None
        word: GateWord = "pass" if (early.wins > early.losses) == upward else "fail"
        return replace(plain, verdict=word, note=told)
    pairs = further_pairs(early.wins, early.losses, early.threshold)
    if pairs is None:
        return replace(plain, note=f"{told}: tasks like these would not decide")
    tied_too = math.ceil(pairs * tasks / (early.wins + early.losses))
    return replace(plain, further_tasks=tied_too, note=told)
