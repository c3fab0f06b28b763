"""All that the report shows of one case when it is opened: its trials, whole or cut to a bound."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TypeAlias

from ...ledger.event import Event, Failed
from ...ledger.run import CaseRow, TrialRow
from ...ledger.trajectory import CassetteUse
from ...ledger.value import Json
from ...store.lines import encode
from ...store.traces import Trace
from .steps import timeline_of

CHARACTERS = (16_000, 2_000, 200)  # of one value, the most that lets a case fit
CASE_BYTES = 1_000_000

Trial: TypeAlias = dict[str, Json]


def case_line(case: CaseRow, traces: Iterable[Trace]) -> bytes:
    """Write a case as one line of JSON of a fair size: values are cut first, then steps."""
    rows = {row.trial: row for row in case.trials}
    found = {number: _untraced(row) for number, row in rows.items()}
    found |= {trace.trial: trace for trace in traces}
    trials: list[Trial] = []
    for most in CHARACTERS:
        trials = [_trial(found[number], rows.get(number), most) for number in sorted(found)]
        line = encode({"trials": [*trials]})
        if len(line) <= CASE_BYTES:
            return line + b"\n"
    return encode({"trials": [*_within(CASE_BYTES, trials)]}) + b"\n"


def _within(bound: int, trials: list[Trial]) -> list[Trial]:
    """Leave out steps, then failures, of those that passed first and from the last trial on."""
    kept = [*trials]
    order = sorted(range(len(kept)), key=lambda at: (kept[at]["status"] != "passed", -at))
    over = len(encode({"trials": [*kept]})) - bound
    for smaller, at in product((_without_steps, _without_failures), order):
        if over <= 0:
            break
        before, kept[at] = kept[at], smaller(kept[at])
        over -= len(encode(before)) - len(encode(kept[at]))
    return kept


def _without_steps(trial: Trial) -> Trial:
    steps = trial["steps"]
    assert isinstance(steps, list)
    return trial | {"steps": [{"kind": "gap", "steps": sum(map(_counted, steps))}] if steps else []}


def _counted(step: Json) -> int:
    """Count a step, or those that a gap stands for."""
    assert isinstance(step, dict)
    left_out = step["steps"] if step["kind"] == "gap" else 1
    assert isinstance(left_out, int)
    return left_out


def _without_failures(trial: Trial) -> Trial:
    """Keep the first failure, and no word of graders and of standard error."""
    failures = trial["failures"]
    assert isinstance(failures, list)
    more = len(failures) - 1
    told = f"{more} more left out to keep this file small; they are in run.jsonl"
    note: list[Json] = [{"type": "failures", "message": told}] if more > 0 else []
    kept: Trial = {name: value for name, value in trial.items() if name != "stderr"}
    return kept | {"failures": [*failures[:1], *note], "grades": []}


def _untraced(row: TrialRow) -> Trace:
    """Make do with what the row knows of a trial whose events are not at hand."""
    failures = tuple(Event(row.tally.wall_ms, Failed(failure)) for failure in row.failures)
    return Trace(row.trial, row.attempt, failures, row.exit.stderr)


def _trial(trace: Trace, row: TrialRow | None, most: int) -> Trial:
    fields: Trial = {"trial": trace.trial, "attempt": trace.attempt}
    fields |= {"status": "unfinished"} if row is None else _ending(row)
    if trace.stderr.strip():
        fields["stderr"] = _tail(trace.stderr.rstrip(), most)
    return fields | timeline_of(trace.events, most)


def _ending(row: TrialRow) -> dict[str, Json]:
    tally, ended = row.tally, row.exit
    fields: dict[str, Json] = {
        "status": row.status,
        "wall": tally.wall_ms,
        "calls": tally.tool_calls,
        "errors": tally.tool_errors,
        "tokens_in": tally.usage.tokens_in,
        "tokens_out": tally.usage.tokens_out,
        "cost": tally.usage.cost_usd,
        "exit": {"code": ended.code, "signal": ended.signal, "timed_out": ended.timed_out},
    }
    if ended.leaky:
        fields["leaky"] = True
    if row.unjudged:
        fields["unjudged"] = list(row.unjudged)
    if row.cassette is not None:
        fields["cassette"] = _cassette(row.cassette)
    return fields


def _cassette(use: CassetteUse) -> Json:
    return {
        "path": use.path,
        "entries": use.entries,
        "used": use.used,
        "overridden": list(use.overridden[:100]),
    }


def _tail(text: str, most: int) -> Json:
    """Keep the end, which is where a program says why it died."""
    return text if len(text) <= most else [text[-most:], len(text)]
