"""What the page says before any script runs: the verdict, the gates, the figures, the doubts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ....ledger.experiment import Experiment, baseline_of
from ....ledger.findings import BenchRecord, BenchStatus, Findings, GateWord
from ....ledger.version import VERSION
from ...look import count, duration
from ...report.overview import Figure, shown
from ..words import amount, money
from .effects import effect_tables, gate_table, order_table, sequential_table
from .forest import Forest, forests_of
from .runs import condition_table, reported_table
from .table import Table
from .validity import agreement_tables, discard_tables

WORDS: dict[GateWord | None, str] = {
    "pass": "Go",
    "fail": "No-go",
    "inconclusive": "Inconclusive",
    None: "No gate",
}
STATUS_WORDS: dict[BenchStatus, str] = {
    "planned": "Not run yet",
    "running": "Still running",
    "interrupted": "Interrupted",
    "invalid": "Not valid",
}


Sentence: TypeAlias = tuple[tuple[str, bool], ...]
"""The pieces of a sentence, and of each whether it is a name."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The part of the page that needs no script."""

    name: str
    verdict: str
    word: str
    sentence: Sentence
    unsettled: str  # why there may be more to come
    notes: tuple[Sentence, ...]
    figures: tuple[Figure, ...]
    gates: Table | None
    forests: tuple[Forest, ...]
    results: tuple[Table, ...]
    validity: tuple[Table, ...]
    facts: tuple[tuple[str, str], ...]


def overview_of(record: BenchRecord, findings: Findings) -> Overview:
    """Put what an experiment came to into words and tables."""
    results = (
        *effect_tables(record.experiment, findings),
        condition_table(findings),
        reported_table(record),
        order_table(record.experiment, findings),
        sequential_table(findings),
    )
    return Overview(
        name=shown(record.experiment.name),
        verdict=findings.verdict or "none",
        word=WORDS[findings.verdict],
        sentence=_pieces(_after_the_word(findings)),
        unsettled=_unsettled(record),
        notes=tuple(_pieces(_sentence(note)) for note in findings.notes),
        figures=tuple(_figures(record, findings)),
        gates=gate_table(record.experiment, findings),
        forests=forests_of(record.experiment, findings),
        results=tuple(one for one in results if one is not None),
        validity=(*discard_tables(findings), *agreement_tables(record.experiment, findings)),
        facts=tuple(_facts(record, findings)),
    )


def _after_the_word(findings: Findings) -> str:
    """Leave out the word that the badge says already."""
    word, colon, rest = findings.sentence.partition(": ")
    said = colon and word.casefold() == WORDS[findings.verdict].casefold()
    return shown(rest if said else findings.sentence, 2000)


def _pieces(sentence: str) -> Sentence:
    """Take a sentence apart at its backticks, between which names of conditions stand."""
    pieces = sentence.split("`")
    paired = len(pieces) % 2 == 1
    return tuple(
        (piece, place % 2 == 1)
        for place, piece in enumerate(pieces if paired else [sentence])
        if piece
    )


def _sentence(note: str) -> str:
    text = shown(note, 2000).strip()
    ended = text if text.endswith((".", "!", "?")) else f"{text}."
    return ended[:1].upper() + ended[1:]


def _unsettled(record: BenchRecord) -> str:
    if record.status == "done":
        return _sentence(f"stopped: {record.stopped}") if record.stopped else ""
    done = len({one.slot for one in record.attempts if one.standing.state == "counts"})
    told = f"{STATUS_WORDS[record.status]}: {done:,} of {count(len(record.plan), 'run')} done"
    return _sentence(f"{told}; {record.stopped}" if record.stopped else told)


def _figures(record: BenchRecord, findings: Findings) -> Iterator[Figure]:
    asked = record.experiment
    counted, planned = (
        sum(one.counted for one in findings.tallies),
        sum(one.planned for one in findings.tallies),
    )
    trials = f"{asked.trials} trials of each" if asked.trials > 1 else ""
    yield Figure("Tasks", f"{len(asked.tasks):,}", trials)
    yield Figure("Runs that count", f"{counted:,}", f"of {planned:,} planned")
    for tally in findings.tallies:
        note = f"{amount('completion', tally.completion)} of tasks complete"
        yield Figure(
            f"Score, {shown(tally.condition, 60)}", amount("score", tally.score),
            note if tally.completion is not None else "",
        )  # fmt: skip
    if findings.unjudged:
        yield Figure("Not judged", f"{findings.unjudged:,}", "runs without a score", tone="error")
    yield Figure("Time", duration(record.wall_ms))
    costs = [one.total_cost_usd for one in findings.tallies if one.total_cost_usd is not None]
    if costs:
        yield Figure("Cost", money(sum(costs)), "of all attempts")


def _facts(record: BenchRecord, findings: Findings) -> Iterator[tuple[str, str]]:
    asked = record.experiment
    yield "run", shown(record.run_id)
    yield "model", _named({one.model for one in record.attempts})
    yield "agent", shown(" ".join(asked.agent.command))
    yield "agent's version", _named({one.version for one in record.attempts})
    yield "conditions", _conditions(asked)
    yield "seed", str(record.seed)
    yield "judges", ", ".join(shown(one.id) for one in asked.scoring.judges) or "checks alone"
    yield "protocol", shown(asked.protocol.sha256[:12])
    yield "runledger", VERSION


def _conditions(asked: Experiment) -> str:
    baseline = baseline_of(asked).name
    return ", ".join(
        f"{shown(one.name)} (baseline)" if one.name == baseline else shown(one.name)
        for one in asked.conditions
    )


def _named(names: set[str | None]) -> str:
    return ", ".join(shown(one) for one in sorted(filter(None, names))) or "not told"
