"""All that the report shows of one task when it is opened: every run's answer and verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ....ledger.attempt import Attempt, Slot
from ....ledger.criterion import Criterion
from ....ledger.findings import BenchRecord, Discard, Findings, RunScore
from ....ledger.value import Json
from ....ledger.verdict import CriterionVerdict
from ....store.lines import encode
from ...report.cut import cut_text
from ..words import CAUSES
from .rows import TaskRow, asked_in, names_of

CHARACTERS = (100_000, 16_000, 2_000, 200)  # of one answer, the most that lets a task fit
WORDS_CHARS = 2_000  # of a quote, of what a judge or a machine says
TASK_BYTES = 2_000_000
MOST_FAILED = 100

Lines: TypeAlias = Callable[[TaskRow], bytes]


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of runs, each under its slot and the number of its attempt."""

    names: Sequence[str]
    scores: Mapping[tuple[Slot, int], RunScore]
    verdicts: Mapping[tuple[Slot, int], Sequence[CriterionVerdict]]
    attempts: Mapping[str, Sequence[Attempt]]  # by task
    discards: Mapping[tuple[Slot, int], Discard]


def task_lines(record: BenchRecord, findings: Findings) -> Lines:
    """Give what writes a task as one line of JSON of a fair size."""
    verdicts: dict[tuple[Slot, int], list[CriterionVerdict]] = {}
    for verdict in record.verdicts:
        verdicts.setdefault((verdict.slot, verdict.attempt), []).append(verdict)
    attempts: dict[str, list[Attempt]] = {}
    for attempt in record.attempts:
        attempts.setdefault(attempt.slot.task_id, []).append(attempt)
    known = _Known(
        names=names_of(record),
        scores={(one.slot, one.attempt): one for one in findings.scores},
        verdicts=verdicts,
        attempts=attempts,
        discards={(one.slot, one.attempt): one for one in findings.discards},
    )
    return lambda row: _line(row, known)


def _line(row: TaskRow, known: _Known) -> bytes:
    """Cut answers further until they fit; then leave out the last trials."""
    for most in CHARACTERS:
        line = encode(_task(row, known, most, _trials(row)))
        if len(line) <= TASK_BYTES:
            return line + b"\n"
    trials = _trials(row)
    while len(line) > TASK_BYTES and len(trials) > 1:
        trials = trials[: len(trials) // 2]
        line = encode(_task(row, known, CHARACTERS[-1], trials))
    return line + b"\n"


def _trials(row: TaskRow) -> list[int]:
    return sorted({slot.trial for slot in row.runs})


def _task(row: TaskRow, known: _Known, most: int, trials: Sequence[int]) -> dict[str, Json]:
    return {
        "asked": cut_text(asked_in(row.task), most),
        "criteria": [_criterion(one) for one in row.task.criteria],
        "trials": [{"trial": one, "runs": [*_runs(row, known, most, one)]} for one in trials],
        "left_out": len(_trials(row)) - len(trials),
        "failed": [*_failed(row, known)][:MOST_FAILED],
    }


def _criterion(criterion: Criterion) -> Json:
    text = cut_text(criterion.text, WORDS_CHARS)
    return {"id": criterion.id, "text": text, "check": _check(criterion)}


def _check(criterion: Criterion) -> Json:
    if criterion.contains is not None:
        return ["contains", criterion.contains[:WORDS_CHARS]]
    return ["matches", criterion.regex[:WORDS_CHARS]] if criterion.regex is not None else None


def _runs(row: TaskRow, known: _Known, most: int, trial: int) -> Iterator[Json]:
    """Yield the runs of one trial, in the order of the conditions."""
    for name in known.names:
        slot = Slot(row.task.id, name, trial)
        if (attempt := row.runs.get(slot)) is not None:
            yield _run(attempt, known, most)


def _run(attempt: Attempt, known: _Known, most: int) -> dict[str, Json]:
    key = attempt.slot, attempt.number
    score = known.scores.get(key)
    usage, counts, reported = attempt.usage, attempt.counts, attempt.reported
    return {
        "condition": attempt.slot.condition,
        "attempt": attempt.number,
        "place": attempt.place,
        "score": score.score if score else None,
        "complete": score.complete if score else None,
        "seconds": attempt.duration_s,
        "timed_out": attempt.timed_out,
        "calls": [counts.tool_calls, reported.tool_calls],
        "files": [counts.files_read, reported.files_read],
        "turns": counts.turns,
        "tokens": [usage.tokens_in, usage.tokens_out],
        "cost": usage.cost_usd,
        "model": attempt.model,
        "errors": [one[:WORDS_CHARS] for one in attempt.errors[:20]],
        "answer": cut_text(_text(attempt.output), most),
        "verdicts": [*_verdicts(known.verdicts.get(key, ()))],
    }


def _text(output: Json) -> str:
    return output if isinstance(output, str) else encode(output, indent=True).decode()


def _verdicts(verdicts: Iterable[CriterionVerdict]) -> Iterator[Json]:
    """Yield verdicts; the page reads each by position, so the order is a contract with it."""
    for one in verdicts:
        texts = (one.quote, one.reasoning, one.void)
        yield [one.criterion, one.judge, one.verdict, *(_cut(text) for text in texts)]


def _cut(text: str | None) -> Json:
    return None if text is None else text[:WORDS_CHARS]


def _failed(row: TaskRow, known: _Known) -> Iterator[Json]:
    """Yield the attempts that do not count, as for verdicts."""
    for one in known.attempts.get(row.task.id, ()):
        counting = row.runs.get(one.slot)
        if counting is None or counting.number != one.number:
            slot = one.slot
            yield [slot.condition, slot.trial, one.number, *_why(one, known)]


def _why(attempt: Attempt, known: _Known) -> tuple[str, str]:
    """Say why an attempt does not count; the partner of one that was discarded was well itself."""
    discard = known.discards.get((attempt.slot, attempt.number))
    if discard is not None:
        return f"discarded: {CAUSES[discard.cause]}", discard.message[:WORDS_CHARS]
    standing = attempt.standing
    if standing.state == "retried":
        return "retried", standing.message[:WORDS_CHARS]
    return "set aside", "its block is not whole: another run of it is missing or was discarded"
