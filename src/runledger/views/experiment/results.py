"""results.md: the verdict of an experiment, its tables, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

from ...ledger.findings import BenchRecord, BenchStatus, Findings
from ..markup import code, prose
from .counted import counted_runs
from .criteria import criteria_sections
from .effects import effect_tables, gate_table, order_table, sequential_table
from .scores import completion_table, score_table, summary_table
from .trust import judge_sections, reported_sections, validity_sections
from .words import several

NAME_CHARS = 100
_UNFINISHED: dict[BenchStatus, str] = {
    "planned": "Nothing has run yet.",
    "running": "The experiment is still running: these are the results so far.",
    "interrupted": "The experiment was interrupted: these are the results so far.",
    "invalid": "The experiment is not valid.",
}


def render(record: BenchRecord, findings: Findings) -> str:
    """Write down what an experiment came to, the verdict first."""
    runs = counted_runs(record, findings)
    sections = {
        "Gates": gate_table(record, findings),
        "Scores": score_table(record, findings, runs),
        "Completion": completion_table(record, findings, runs),
        "Summary": summary_table(findings),
        "Effects": effect_tables(record, findings),
        "Order effect": order_table(record, findings),
        "Looking early": sequential_table(findings),
        "Reported against counted": reported_sections(record, runs),
        "Validity": validity_sections(record, findings),
        "Judges": judge_sections(record, findings, runs),
        "Notes": _notes(record, findings),
        "Criteria": criteria_sections(record, runs),
    }
    texts = [*_head(record, findings)]
    for title, parts in sections.items():
        if told := [*parts]:
            texts += [f"## {title}\n", *told]
    return "\n".join(texts)


def _head(record: BenchRecord, findings: Findings) -> Iterator[str]:
    yield f"# Results: {code(record.experiment.name, NAME_CHARS)}\n"
    yield f"**{prose(findings.sentence)}**\n"
    if said := _UNFINISHED.get(record.status):
        yield f"{said}{_why(record)}\n"
    elif record.stopped:
        yield f"It stopped before the end of its plan: {prose(record.stopped)}.\n"
    yield f"Run {code(record.run_id, NAME_CHARS)}, seed {record.seed}.\n"


def _why(record: BenchRecord) -> str:
    return f" Why: {prose(record.stopped)}." if record.stopped else ""


def _notes(record: BenchRecord, findings: Findings) -> Iterator[str]:
    notes = [prose(note) for note in findings.notes]
    models = {one.model for one in record.attempts if one.model}
    if models:
        notes.append(f"These results hold for this model only: {code(several(models), 500)}.")
    if notes:
        yield "".join(f"- {note}\n" for note in notes)
