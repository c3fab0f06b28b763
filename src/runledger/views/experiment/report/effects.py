"""What the conditions changed, as tables: effects, gates, the order of running, looking early."""

from __future__ import annotations

from collections.abc import Iterator

from ....ledger.experiment import Experiment, baseline_of, others_of
from ....ledger.findings import Effect, Findings, GateFinding, OrderEffect, SequentialFinding
from ...figures import times
from ...look import count
from ...report.overview import shown
from ..words import (
    GATE_WORDS,
    METRICS,
    TESTS,
    amount,
    detectable,
    difference,
    further,
    gate_rule,
    interval,
    level,
    p_value,
)
from .table import Cell, Column, Table, numbers, plain, said, table, words

HOW_TO_READ = (
    "Better, worse and same count tasks. p is adjusted over all metrics and conditions (Holm). "
    "Detectable is what so many tasks would show in four of five experiments."
)
MARKS = {"pass": "✓", "fail": "✕", "inconclusive": "?"}


def gate_table(experiment: Experiment, findings: Findings) -> Table | None:
    """Tell what each gate says of each condition."""
    if not findings.gates:
        return None
    columns = [
        *words("Gate", "Condition", "Verdict"),
        *numbers("Difference", level(experiment).capitalize(), "Would decide"),
        *words("Note"),
    ]
    return table("Gates", columns, map(_gate, findings.gates))


def _gate(finding: GateFinding) -> Iterator[Cell]:
    metric = finding.gate.metric
    yield plain(_capital(gate_rule(finding.gate)))
    yield said(finding.condition)
    yield Cell(
        GATE_WORDS[finding.verdict], tone=f"mark {finding.verdict}", mark=MARKS[finding.verdict]
    )
    yield plain(difference(metric, finding.difference))
    yield plain(interval(metric, finding.ci))
    yield plain(further(finding) or "")
    yield said(finding.note or "", 1000)


def effect_tables(experiment: Experiment, findings: Findings) -> Iterator[Table]:
    """Tell of each condition how every metric differs from the baseline's."""
    baseline = baseline_of(experiment).name
    found = {
        one.name: [effect for effect in findings.effects if effect.condition == one.name]
        for one in others_of(experiment)
    }
    told = [name for name in found if found[name]]
    for name in told:
        about = HOW_TO_READ if name == told[-1] else ""
        rows = [_effect(one, experiment.level) for one in found[name]]
        columns = _effect_columns(experiment, shown(baseline), shown(name))
        yield table(f"{shown(name)} against {shown(baseline)}", columns, rows, about)


def _effect_columns(experiment: Experiment, baseline: str, condition: str) -> list[Column]:
    return [
        *words("Metric"),
        *numbers(baseline, condition, "Difference", level(experiment).capitalize()),
        *numbers("p", "p adjusted", "Better", "Worse", "Same", "Tasks", "Detectable"),
        *words("Test"),
    ]


def _effect(effect: Effect, wanted: float) -> Iterator[Cell]:
    metric = effect.metric
    yield plain(_capital(METRICS[metric]))
    yield plain(amount(metric, effect.baseline))
    yield plain(amount(metric, effect.mean))
    yield plain(difference(metric, effect.difference), _ratio(effect), tone_of(effect, wanted))
    yield plain(interval(metric, effect.ci), _ratio_interval(effect))
    yield plain(p_value(effect.p))
    yield plain(p_value(effect.p_adjusted))
    yield from (plain(f"{one:,}") for one in (effect.wins, effect.losses, effect.ties, effect.n))
    yield plain(detectable(effect))
    clusters = f", {count(effect.clusters, 'cluster')}" if effect.clusters is not None else ""
    yield plain(TESTS[effect.test] + clusters, shown(effect.note or "", 1000))


def tone_of(effect: Effect, wanted: float) -> str:
    """Colour a difference only where it is shown: among all that was tested, not by chance."""
    p = effect.p if effect.p_adjusted is None else effect.p_adjusted
    if p > 1 - wanted or effect.ci is None or effect.ci[0] <= 0 <= effect.ci[1]:
        return ""
    better = (effect.difference > 0) == (effect.metric in ("score", "completion"))
    return "passed" if better else "failed"


def _ratio(effect: Effect) -> str:
    return "" if effect.ratio is None else times(effect.ratio)


def _ratio_interval(effect: Effect) -> str:
    return "" if effect.ratio_ci is None else " to ".join(map(times, effect.ratio_ci))


def order_table(experiment: Experiment, findings: Findings) -> Table | None:
    """Tell whether it mattered which condition ran first."""
    if not findings.order:
        return None
    columns = [
        *words("Condition", "Metric"),
        *numbers("Difference when first", "when second", "Order effect"),
        *numbers(level(experiment).capitalize(), "p"),
    ]
    about = "The difference from the baseline where the condition ran before it, and after it."
    return table("Order of running", columns, map(_order, findings.order), about)


def _order(effect: OrderEffect) -> Iterator[Cell]:
    metric = effect.metric
    yield said(effect.condition)
    yield plain(_capital(METRICS[metric]))
    yield plain(difference(metric, effect.first), count(effect.n_first, "block"))
    yield plain(difference(metric, effect.second), count(effect.n_second, "block"))
    yield plain(difference(metric, effect.effect))
    yield plain(interval(metric, effect.ci))
    yield plain(p_value(effect.p))


def sequential_table(findings: Findings) -> Table | None:
    """Tell what looking early shows."""
    if not findings.sequential:
        return None
    columns = [
        *words("Condition"), *numbers("Wins", "Losses", "e-value", "Decides at"), *words("Verdict"),
    ]  # fmt: skip
    about = "The e-value holds at any time, so that one may look at it as often as one likes."
    return table("Looking early", columns, map(_sequential, findings.sequential), about)


def _sequential(finding: SequentialFinding) -> Iterator[Cell]:
    yield said(finding.condition)
    yield plain(f"{finding.wins:,}")
    yield plain(f"{finding.losses:,}")
    yield plain(f"{finding.e_value:.3g}")
    yield plain(f"{finding.threshold:g}")
    yield plain("decided" if finding.decided else "open")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
