"""Sections on how far an experiment can be trusted: its counts, its runs and its judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ledger.attempt import Slot
from ...ledger.findings import Agreement, BenchRecord, Discard, Findings
from ..look import count
from ..markup import code, table
from .counted import Counted, Place, Runs
from .words import CAUSES, UNKNOWN, causes, level, several

NAME_CHARS = 100
MESSAGE_CHARS = 500
LISTED = 100


@dataclass(frozen=True, slots=True)
class Honesty:
    """How far what agents report agrees with what was counted."""

    what: str
    n: int  # runs of which both are known
    agree: int
    apart: float | None  # the mean absolute difference


def honesty(runs: Runs) -> Iterator[Honesty]:
    """Hold what was reported against what was counted."""
    counted = [one.attempt for several_runs in runs.values() for one in several_runs]
    calls = [(one.reported.tool_calls, one.counts.tool_calls) for one in counted]
    files = [(one.reported.files_read, one.counts.files_read) for one in counted]
    for what, pairs in (("tool calls", calls), ("files read", files)):
        apart = [abs(said - was) for said, was in pairs if said is not None and was is not None]
        mean = sum(apart) / len(apart) if apart else None
        yield Honesty(what, len(apart), apart.count(0), mean)


def honest_line(found: Honesty) -> str:
    """Tell it in a sentence."""
    if found.apart is None:
        return f"{found.what}: no run tells both figures"
    agree = f"{found.agree:,} of {count(found.n, 'report')}"
    return f"{found.what}: {agree} agree with the count; mean difference {found.apart:.1f}"


def reported_sections(record: BenchRecord, runs: Runs) -> Iterator[str]:
    """Set what agents reported beside what was counted, run by run."""
    counted = [one for task in record.experiment.tasks for one in _in_order(record, runs, task.id)]
    told = [one for one in counted if _reports(one)]
    if not told:
        return
    yield "".join(f"- {honest_line(one)}\n" for one in honesty(runs))
    head = ["task", "condition"]
    head += ["tool calls reported", "counted", "files read reported", "counted"]
    yield table([head, *map(_reported_row, told)])


def _in_order(record: BenchRecord, runs: Runs, task_id: str) -> Iterator[Counted]:
    for condition in record.experiment.conditions:
        yield from runs.get(Place(task_id, condition.name), ())


def _reports(run: Counted) -> bool:
    reported = run.attempt.reported
    return reported.tool_calls is not None or reported.files_read is not None


def _reported_row(run: Counted) -> Sequence[str]:
    slot, said, was = run.attempt.slot, run.attempt.reported, run.attempt.counts
    figures = (said.tool_calls, was.tool_calls, said.files_read, was.files_read)
    shown = (UNKNOWN if one is None else f"{one:,}" for one in figures)
    return code(_task_of(slot), NAME_CHARS), code(slot.condition, NAME_CHARS), *shown


def _task_of(slot: Slot) -> str:
    return slot.task_id if slot.trial == 1 else f"{slot.task_id} t{slot.trial}"


def validity_sections(record: BenchRecord, findings: Findings) -> Iterator[str]:
    """Set what became of the runs of each condition, and why some do not count."""
    if not record.attempts:
        return
    head = ["condition", "planned", "counted", "attempts", "retried", "discarded", "timed out"]
    rows = [
        (
            code(one.condition, NAME_CHARS),
            f"{one.planned:,}",
            f"{one.counted:,}",
            f"{one.attempts:,}",
            f"{one.retried:,}",
            causes(one.discarded) or "0",
            f"{one.timed_out:,}",
        )
        for one in findings.tallies
    ]
    yield table([head, *rows])
    models = several(one.model for one in record.attempts if one.model)
    versions = several(one.version for one in record.attempts if one.version)
    yield f"Model: {_told(models)}. Version of the agent: {_told(versions)}.\n"
    yield from _listed([_discard_item(one) for one in findings.discards], "discard")


def _told(names: str) -> str:
    return "not told" if names == UNKNOWN else code(names, MESSAGE_CHARS)


def _discard_item(found: Discard) -> str:
    where = f"{code(_task_of(found.slot), NAME_CHARS)} {code(found.slot.condition, NAME_CHARS)}"
    said = f": {code(found.message, MESSAGE_CHARS)}" if found.message else ""
    return f"- {where}, attempt {found.attempt}: {CAUSES[found.cause]}{said}\n"


def void_verdicts(runs: Runs) -> Mapping[str, int]:
    """Count the verdicts of each judge that do not count, on runs that do."""
    counted = [one for several_runs in runs.values() for one in several_runs]
    said = (one for run in counted for verdicts in run.verdicts.values() for one in verdicts)
    return dict(sorted(Counter(one.judge for one in said if one.void is not None).items()))


def judge_sections(record: BenchRecord, findings: Findings, runs: Runs) -> Iterator[str]:
    """Set how far the judges agree, where they do not, and what of them is void."""
    if findings.unjudged:
        yield f"{count(findings.unjudged, 'run')} not judged in full, and without a score.\n"
    void = void_verdicts(runs)
    if void:
        told = (
            f"- {code(name, NAME_CHARS)}: {count(n, 'verdict')} void\n" for name, n in void.items()
        )
        yield "".join(told)
    if not findings.agreements:
        return
    head = ["judges", "verdicts of both", "agree", "kappa", level(record.experiment)]
    yield table([head, *map(_agreement_row, findings.agreements)])
    for found in findings.agreements:
        yield from _listed([*_disagreement_items(found)], "disagreement")


def _agreement_row(found: Agreement) -> Sequence[str]:
    judges = f"{code(found.a, NAME_CHARS)}, {code(found.b, NAME_CHARS)}"
    return judges, f"{found.n:,}", f"{found.agreed:,}", kappa(found), kappa_interval(found)


def kappa(found: Agreement) -> str:
    """Write how far two judges agree beyond chance."""
    return UNKNOWN if found.kappa is None else f"{found.kappa:.2f}"


def kappa_interval(found: Agreement) -> str:
    """Write the interval of it."""
    return UNKNOWN if found.ci is None else f"{found.ci[0]:.2f} to {found.ci[1]:.2f}"


def _disagreement_items(found: Agreement) -> Iterator[str]:
    for one in found.disagreements:
        where = f"{code(_task_of(one.slot), NAME_CHARS)} {code(one.slot.condition, NAME_CHARS)}"
        words = f"{code(found.a, NAME_CHARS)} {one.a}, {code(found.b, NAME_CHARS)} {one.b}"
        yield f"- {where} {code(one.criterion, NAME_CHARS)}: {words}\n"


def _listed(items: Sequence[str], noun: str) -> Iterator[str]:
    """Give the first of many items as a list."""
    if items:
        more = len(items) - LISTED
        yield "".join([*items[:LISTED], f"- … {count(more, f'more {noun}')}\n" if more > 0 else ""])
