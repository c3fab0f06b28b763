"""What a person reads of an experiment in a terminal: its plan, its progress, its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...ledger.estimate import DryCondition, Estimate
from ...ledger.findings import BenchRecord, Discard, Findings
from ...ledger.printable import inert
from ..look import PLAIN, Look
from .terminal_plan import dry_lines, plan_lines
from .terminal_report import report_sections
from .terminal_status import discard_sections, status_sections


def render_plan(record: BenchRecord, estimate: Estimate, look: Look = PLAIN) -> str:
    """Tell what is planned, what it could show, and what it would take."""
    return _text([[*plan_lines(record, estimate, look)]])


def render_dry_run(shown: Sequence[DryCondition], look: Look = PLAIN) -> str:
    """Show how each condition would be asked; commands and prompts are not broken into lines."""
    return _text([*dry_lines(one, look)] for one in shown)


def render_status(
    record: BenchRecord, findings: Findings, look: Look = PLAIN, now_ms: int | None = None
) -> str:
    """Tell how far a run has come; `now_ms`, the Unix time, is for how long it has been running."""
    return _text(status_sections(record, findings, look, now_ms))


def render_report(record: BenchRecord, findings: Findings, look: Look = PLAIN) -> str:
    """Tell the verdict of an experiment, what it rests on, and how far it can be trusted."""
    return _text(report_sections(record, findings, look))


def render_discards(discards: Sequence[Discard], look: Look = PLAIN) -> str:
    """Set the causes of all discards, with what was said last of each."""
    return _text(discard_sections(discards, look)) if discards else ""


def _text(sections: Iterable[Sequence[str]]) -> str:
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return inert(text) + "\n"
