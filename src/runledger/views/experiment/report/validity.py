"""How far the figures can be trusted, as tables: discards, and whether judges agree."""

from __future__ import annotations

from collections.abc import Iterator

from ....ledger.experiment import Experiment
from ....ledger.findings import Agreement, Disagreement, Discard, Findings
from ..words import CAUSES, UNKNOWN, causes, level
from .table import Cell, Table, link, numbers, plain, said, table, words


def discard_tables(findings: Findings) -> Iterator[Table]:
    """Tell how many runs of each condition do not count, and each one with its cause."""
    columns = [
        *words("Condition"),
        *numbers("Attempts", "That count", "Retried", "Discarded", "Timed out"),
        *words("Causes"),
    ]
    rows = (
        [
            said(one.condition),
            *map(plain, (f"{number:,}" for number in (one.attempts, one.counted, one.retried))),
            plain(f"{sum(one.discarded.values()):,}"),
            plain(f"{one.timed_out:,}"),
            plain(causes(one.discarded)),
        ]
        for one in findings.tallies
    )
    about = (
        "An attempt that said nothing is retried; one that broke a rule is discarded, and its "
        "whole block is run again. One that timed out counts."
    )
    yield table("Attempts", columns, rows, about)
    if findings.discards:
        heads = [*words("Task", "Condition"), *numbers("Trial", "Attempt"), *words("Cause", "Why")]
        yield table("Discards", heads, map(_discard, findings.discards))


def _discard(discard: Discard) -> Iterator[Cell]:
    slot = discard.slot
    yield link(slot)
    yield said(slot.condition)
    yield plain(str(slot.trial))
    yield plain(str(discard.attempt))
    yield plain(CAUSES[discard.cause])
    yield said(discard.message, 1000)


def agreement_tables(experiment: Experiment, findings: Findings) -> Iterator[Table]:
    """Tell how far judges agree, and where they do not."""
    if not findings.agreements:
        return
    columns = [
        *words("Judges"),
        *numbers("Verdicts", "Agreed", "Kappa", level(experiment).capitalize()),
    ]
    about = "Kappa is agreement beyond chance: 1 is perfect, 0 is what chance alone would give."
    yield table("Judges", columns, map(_agreement, findings.agreements), about)
    rows = [
        _disagreement(agreement, one)
        for agreement in findings.agreements
        for one in agreement.disagreements
    ]
    if rows:
        heads = [*words("Task", "Condition"), *numbers("Trial")]
        yield table("Disagreements", [*heads, *words("Criterion", "One says", "Other says")], rows)


def _agreement(agreement: Agreement) -> Iterator[Cell]:
    yield said(f"{agreement.a}, {agreement.b}")
    yield plain(f"{agreement.n:,}")
    yield plain(f"{agreement.agreed:,}")
    yield plain(UNKNOWN if agreement.kappa is None else f"{agreement.kappa:.2f}")
    ci = agreement.ci
    yield plain(UNKNOWN if ci is None else f"{ci[0]:.2f} to {ci[1]:.2f}")


def _disagreement(agreement: Agreement, one: Disagreement) -> Iterator[Cell]:
    yield link(one.slot)
    yield said(one.slot.condition)
    yield plain(str(one.slot.trial))
    yield said(one.criterion)
    yield said(f"{agreement.a}: {one.a}")
    yield said(f"{agreement.b}: {one.b}")
