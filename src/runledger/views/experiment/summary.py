"""summary.json of an experiment: all that it came to, for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from math import isfinite

from ...ledger.attempt import Slot
from ...ledger.experiment import baseline_of
from ...ledger.findings import (
    Agreement,
    BenchRecord,
    ConditionTally,
    Discard,
    Findings,
    GateFinding,
    TaskEffect,
)
from ...ledger.task import Task
from ...ledger.value import Json
from .counted import Counted, Place, Runs, counted_runs

SCHEMA_VERSION = 1


def render(record: BenchRecord, findings: Findings) -> str:
    """Write summary.json."""
    document = _finite(_document(record, findings))
    return json.dumps(document, indent=2) + "\n"  # ASCII: nothing in it drives a terminal


def _document(record: BenchRecord, findings: Findings) -> dict[str, Json]:
    asked = record.experiment
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": record.run_id,
        "experiment_name": asked.name,
        "status": record.status,
        "stopped": record.stopped,
        "sequential_stopping": record.sequential,
        "verdict": findings.verdict,
        "sentence": findings.sentence,
        "seed": record.seed,
        "protocol_sha256": asked.protocol.sha256,
        "baseline": baseline_of(asked).name,
        "level": asked.level,
        "models": _told(one.model for one in record.attempts),
        "versions": _told(one.version for one in record.attempts),
        "wall_ms": record.wall_ms,
        "conditions": [*map(_condition, findings.tallies)],
        "tasks": _tasks(record, findings),
        "effects": [asdict(one) for one in findings.effects],
        "gates": [*map(_gate, findings.gates)],
        "order": [asdict(one) for one in findings.order],
        "agreements": [*map(_agreement, findings.agreements)],
        "sequential": [asdict(one) for one in findings.sequential],
        "discards": [*map(_discard, findings.discards)],
        "unjudged": findings.unjudged,
        "notes": [*findings.notes],
    }


def _told(names: Iterable[str | None]) -> list[str]:
    return sorted({name for name in names if name is not None})


def _condition(tally: ConditionTally) -> dict[str, Json]:
    fields = asdict(tally) | {"discarded": dict(sorted(tally.discarded.items()))}
    return {"name": fields.pop("condition"), **fields}


def _tasks(record: BenchRecord, findings: Findings) -> list[Json]:
    runs = counted_runs(record, findings)
    effects = {Place(one.task_id, one.condition): one for one in findings.tasks}
    names = [one.name for one in record.experiment.conditions]
    return [
        {
            "id": task.id,
            "conditions": {
                name: _cell(task, runs, effects.get(Place(task.id, name)), name) for name in names
            },
        }
        for task in record.experiment.tasks
    ]


def _cell(task: Task, runs: Runs, effect: TaskEffect | None, condition: str) -> dict[str, Json]:
    counted = runs.get(Place(task.id, condition), ())
    return {
        "difference": None if effect is None else effect.difference,
        "ci": None if effect is None else effect.ci,
        "trials": [_trial(task, one) for one in counted],
    }


def _trial(task: Task, run: Counted) -> dict[str, Json]:
    attempt = run.attempt
    return {
        "trial": attempt.slot.trial,
        "attempt": attempt.number,
        "place": attempt.place,
        "score": run.percent,
        "complete": run.complete,
        "timed_out": attempt.timed_out,
        "duration_s": attempt.duration_s,
        **asdict(attempt.counts),
        "tokens_in": attempt.usage.tokens_in,
        "tokens_out": attempt.usage.tokens_out,
        "cost_usd": attempt.usage.cost_usd,
        "reported": asdict(attempt.reported),
        "model": attempt.model,
        "criteria": {one.id: _criterion(run, one.id) for one in task.criteria},
    }


def _criterion(run: Counted, criterion: str) -> dict[str, Json]:
    """Tell the points of a criterion, and each judge's word; a void one is null."""
    verdicts = run.verdicts.get(criterion, ())
    return {
        "points": None if run.score is None else run.score.points.get(criterion),
        "verdicts": {
            one.judge: one.verdict if one.void is None else None
            for one in sorted(verdicts, key=lambda one: one.judge)
        },
    }


def _gate(found: GateFinding) -> dict[str, Json]:
    fields = asdict(found)
    return {**fields.pop("gate"), **fields}


def _agreement(found: Agreement) -> dict[str, Json]:
    differing: list[Json] = [
        {**_slot(one.slot), "criterion": one.criterion, "a": one.a, "b": one.b}
        for one in found.disagreements
    ]
    return asdict(found) | {"disagreements": differing}


def _discard(found: Discard) -> dict[str, Json]:
    return {
        **_slot(found.slot),
        "attempt": found.attempt,
        "cause": found.cause,
        "message": found.message,
    }


def _slot(slot: Slot) -> dict[str, Json]:
    return {"task_id": slot.task_id, "condition": slot.condition, "trial": slot.trial}


def _finite(value: Json) -> Json:
    """Put null for figures that JSON has no words for."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
