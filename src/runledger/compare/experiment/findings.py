"""All that an experiment shows, worked out from its record."""

from __future__ import annotations

from ...ledger.findings import BenchRecord, Findings
from .agreement import agreements_of
from .blocks import order_effects, task_effects
from .early import sequential_findings
from .effects import measure
from .gates import gate_findings
from .notes import notes_of, unjudged_runs
from .sentence import sentence_of, verdict_of
from .sides import outcomes_of
from .tallies import tallies_of


def findings_of(record: BenchRecord) -> Findings:
    """Work out scores, effects, gates and doubts; the same record gives the same findings."""
    outcomes = outcomes_of(record)
    measured = measure(outcomes)
    effects = tuple(one.effect for one in measured)
    early = sequential_findings(outcomes) if record.sequential else ()
    gates = gate_findings(outcomes, measured, early)
    tallies, order = tuple(tallies_of(outcomes)), tuple(order_effects(outcomes))
    return Findings(
        verdict=verdict_of(outcomes, gates),
        sentence=sentence_of(outcomes, effects, gates),
        scores=tuple(one.run for one in outcomes.runs),
        tallies=tallies,
        effects=effects,
        tasks=tuple(task_effects(outcomes)),
        gates=gates,
        order=order,
        agreements=tuple(agreements_of(outcomes)),
        sequential=early,
        discards=outcomes.settled.discards,
        unjudged=unjudged_runs(outcomes),
        notes=tuple(notes_of(outcomes, tallies, effects, gates, order)),
    )
