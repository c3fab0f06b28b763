"""Tables of what the conditions change: effects, gates, the order of runs, and looking early."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ledger.experiment import baseline_of, others_of
from ...ledger.findings import BenchRecord, Effect, Findings, GateFinding, OrderEffect
from ..look import count
from ..markup import code, prose, table
from .words import (
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
    ratio,
)

NAME_CHARS = 100


def effect_tables(record: BenchRecord, findings: Findings) -> Iterator[str]:
    """Set the effects of each condition on every metric."""
    base = code(baseline_of(record.experiment).name, NAME_CHARS)
    for condition in others_of(record.experiment):
        own = [one for one in findings.effects if one.condition == condition.name]
        if not own:
            continue
        name = code(condition.name, NAME_CHARS)
        head = ["metric", base, name, "difference", level(record.experiment), "ratio", "test"]
        head += ["p", "adjusted p", "tasks", "win/loss/tie", "smallest detectable"]
        yield table([head, *map(_effect_row, own)])
        notes = [f"- {METRICS[one.metric]}: {prose(one.note)}\n" for one in own if one.note]
        if notes:
            yield "".join(notes)
    if findings.effects:
        yield (
            "Paired by task. p is adjusted over all metrics and conditions (Holm). The smallest "
            "detectable difference is what so many tasks show in four of five experiments.\n"
        )


def _effect_row(effect: Effect) -> Sequence[str]:
    metric = effect.metric
    clusters = "" if effect.clusters is None else f" in {count(effect.clusters, 'cluster')}"
    return (
        METRICS[metric],
        amount(metric, effect.baseline),
        amount(metric, effect.mean),
        difference(metric, effect.difference),
        interval(metric, effect.ci),
        ratio(effect),
        TESTS[effect.test],
        p_value(effect.p),
        p_value(effect.p_adjusted),
        f"{effect.n:,}{clusters}",
        f"{effect.wins:,}/{effect.losses:,}/{effect.ties:,}",
        detectable(effect),
    )


def gate_table(record: BenchRecord, findings: Findings) -> Iterator[str]:
    """Set what every gate says of every condition."""
    if not findings.gates:
        return
    head = ["gate", "condition", "verdict", "difference", level(record.experiment), ""]
    yield table([head, *map(_gate_row, findings.gates)])


def _gate_row(found: GateFinding) -> Sequence[str]:
    metric = found.gate.metric
    return (
        gate_rule(found.gate),
        code(found.condition, NAME_CHARS),
        f"**{GATE_WORDS[found.verdict]}**",
        difference(metric, found.difference),
        interval(metric, found.ci),
        prose("; ".join(gate_remarks(found))),
    )


def gate_remarks(found: GateFinding) -> Iterator[str]:
    """Tell what would decide a gate, and what else there is to say."""
    lacking = further(found)
    if lacking is not None:
        yield f"about {lacking} would decide"
    if found.note:
        yield found.note


def order_table(record: BenchRecord, findings: Findings) -> Iterator[str]:
    """Set the mean difference where a condition ran before the baseline, and where after it."""
    if not findings.order:
        return
    head = ["condition", "metric", "ran first", "ran second", "order effect"]
    head += [level(record.experiment), "p"]
    yield table([head, *map(_order_row, findings.order)])


def _order_row(found: OrderEffect) -> Sequence[str]:
    metric = found.metric
    return (
        code(found.condition, NAME_CHARS),
        METRICS[metric],
        f"{difference(metric, found.first)} ({found.n_first:,})",
        f"{difference(metric, found.second)} ({found.n_second:,})",
        difference(metric, found.effect),
        interval(metric, found.ci),
        p_value(found.p),
    )


def sequential_table(findings: Findings) -> Iterator[str]:
    """Set the e-values, which hold whenever one looks."""
    if not findings.sequential:
        return
    rows = [
        (
            code(one.condition, NAME_CHARS),
            f"{one.wins:,}",
            f"{one.losses:,}",
            f"{one.e_value:.3g}",
            f"{one.threshold:.3g}",
            "yes" if one.decided else "no",
        )
        for one in findings.sequential
    ]
    yield table([("condition", "wins", "losses", "e-value", "decided from", "decided"), *rows])
