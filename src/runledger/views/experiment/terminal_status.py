"""What a terminal shows while an experiment runs: how far it is, and what does not count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import fmean

from ...ledger.attempt import Attempt, Cause, Slot
from ...ledger.findings import BenchRecord, BenchStatus, Discard, Findings
from ...ledger.printable import one_line
from ...ledger.settled import Settled, settled_in
from ..look import Look, count, duration, paint, set_text
from .grid import grid, short
from .words import CAUSES, money, seconds

MARGIN = "  "
BAR = 30  # columns
NAME_COLUMNS = 24
MESSAGE_CHARS = 400
_STYLES: dict[BenchStatus, str] = {"done": "good", "invalid": "bad", "interrupted": "odd"}


def status_sections(
    record: BenchRecord, findings: Findings, look: Look, now_ms: int | None
) -> Iterator[Sequence[str]]:
    """Yield what there is to say of a run's progress."""
    done = _done(settled_in(record))
    yield [_headline(record, look, now_ms), f"{MARGIN}{_bar(len(done), len(record.plan))}"]
    if record.attempts:
        yield [*grid([*_rows(record, findings, done)], look)]
    yield [*set_text(MARGIN, _remarks(record, findings, done), look)]


def _done(settled: Settled) -> list[Attempt]:
    """List the runs that need not be done again: those of blocks that are not void."""
    rounds = (one for one in settled.rounds.values() if not one.void)
    return [run for one in rounds for name, run in one.last.items() if one.has(name)]


def _headline(record: BenchRecord, look: Look, now_ms: int | None) -> str:
    name = paint(short(record.experiment.name, NAME_COLUMNS), "strong", look)
    style = _STYLES.get(record.status)
    word = paint(record.status, style, look) if style else record.status
    return f"{name}  {short(record.run_id, NAME_COLUMNS)}  {word}{_process(record, now_ms)}"


def _process(record: BenchRecord, now_ms: int | None) -> str:
    """Tell which process it is that runs, and for how long."""
    if record.status != "running" or not record.launches:
        return ""
    last = record.launches[-1]
    known = [f"process {last.pid}"] if last.pid is not None else []
    began = _unix_ms(last.started)
    if now_ms is not None and began is not None and now_ms >= began:
        known.append(f"for {duration(now_ms - began)}")
    return f" ({', '.join(known)})" if known else ""


def _unix_ms(started: str) -> int | None:
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return None
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round(known.timestamp() * 1000)


def _bar(done: int, planned: int) -> str:
    full = BAR * done // planned if planned else 0
    return f"{'█' * full}{'░' * (BAR - full)}  {done:,} of {count(planned, 'run')} done"


def _rows(
    record: BenchRecord, findings: Findings, done: Sequence[Attempt]
) -> Iterator[Sequence[str]]:
    yield "", "done", "of", "attempts", "retried", "discarded", "timed out"
    for one in findings.tallies:
        ended = sum(run.slot.condition == one.condition for run in done)
        figures = (ended, one.planned, one.attempts, one.retried)
        discarded = sum(one.discarded.values())
        shown = (f"{figure:,}" for figure in (*figures, discarded, one.timed_out))
        yield short(one.condition, NAME_COLUMNS), *shown


def _remarks(record: BenchRecord, findings: Findings, done: Sequence[Attempt]) -> Iterator[str]:
    left = len(record.plan) - len(done)
    if record.stopped:
        yield f"stopped: {record.stopped}"
    if done and left and record.status in ("running", "interrupted"):
        mean = fmean(one.duration_s for one in done)
        side_by_side = max(1, min(record.experiment.parallel_tasks, left))
        yield f"left: {count(left, 'run')}, about {seconds(mean * left / side_by_side)}"
    if findings.discards:
        allowed = f"more than {record.experiment.most_discards} stop the experiment"
        yield f"discards: {len(findings.discards)}; {allowed}"
    if findings.unjudged:
        yield f"to be judged: {count(findings.unjudged, 'run')}"
    yield from _spent(findings)
    yield from _last_error(record)


def _spent(findings: Findings) -> Iterator[str]:
    costs = [one.total_cost_usd for one in findings.tallies if one.total_cost_usd is not None]
    if costs:
        yield f"spent: {money(sum(costs))}"


def _last_error(record: BenchRecord) -> Iterator[str]:
    for one in reversed(record.attempts):
        said = one.standing.message or (one.errors[-1] if one.errors else "")
        if said:
            told = one_line(said, MESSAGE_CHARS)
            yield f"last error: {_attempt(one.slot, one.number)}: {told}"
            return


def _attempt(slot: Slot, number: int) -> str:
    trial = f" trial {slot.trial}" if slot.trial > 1 else ""
    return f"{one_line(slot.task_id)} {one_line(slot.condition)}{trial}, attempt {number}"


def discard_sections(discards: Sequence[Discard], look: Look) -> Iterator[Sequence[str]]:
    """Yield the causes of discards by condition, the most frequent first, and their last words."""
    conditions = sorted({one.slot.condition for one in discards})
    found: dict[Cause, list[Discard]] = {}
    for one in discards:
        found.setdefault(one.cause, []).append(one)
    ranked = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    rows = [["discarded", *map(short, conditions)]]
    for cause, own in ranked:
        numbers = (sum(one.slot.condition == name for one in own) for name in conditions)
        rows.append([CAUSES[cause], *(f"{number:,}" for number in numbers)])
    yield [*grid(rows, look)]
    yield [*set_text(MARGIN, (_last_words(own[-1]) for _, own in ranked), look)]


def _last_words(found: Discard) -> str:
    said = f": {one_line(found.message, MESSAGE_CHARS)}" if found.message else ""
    return f"{CAUSES[found.cause]}, last {_attempt(found.slot, found.attempt)}{said}"
