"""What a person reads when a run has ended: the verdict, why, and where the record is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..compare.cases import (
    cassette_of,
    failures_of,
    leaky,
    overridden_in,
    unjudged_in,
    unused_in,
)
from ..compare.reasons import reasons_of
from ..ledger.printable import inert, one_line
from ..ledger.run import CaseRow, Summary
from .look import PLAIN, Look, count, duration, money, names, paint, paint_status, set_text
from .regression import trouble_lines
from .terminal_case import LEAKY, OVERRIDDEN, UNJUDGED, case_in_full, case_line

SHORT_LIST = 20  # passing cases that are listed unasked, and failing ones that are told in full
NAMED = 100
NOTED = 5


def render(summary: Summary, directory: str = "", look: Look = PLAIN) -> str:
    """Tell how a run went; `directory` is where its record lies."""
    broken = [case for case in summary.cases if _broken(case)]
    told, untold = broken[:SHORT_LIST], broken[SHORT_LIST:]
    sections = [
        [
            verdict_line(summary, look),
            *set_text("  ", reasons_of(summary), look),
            *_beside_the_baseline(summary, look),
        ],
        [case_line(case, look) for case in _listed(summary, look)],
        *([*case_in_full(case, look)] for case in told),
        [*set_text("  ", _of_the_others(summary, told, untold), look)],
        [
            *set_text("", ["; ".join(_figures(summary)), *_recorded(summary)], look),
            *_place(directory),
        ],
    ]
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return inert(text) + "\n"


def verdict_line(summary: Summary, look: Look = PLAIN) -> str:
    """Tell how a run went, in one line."""
    totals = summary.totals
    word = paint_status(summary.status.upper(), summary.status, look)
    name = paint(one_line(summary.record.manifest.suite_name), "strong", look)
    passed = f"{totals.passed:,} of {count(totals.cases, 'case')} passed"
    return f"{word}  {name}  {passed}  {duration(totals.wall_ms)}"


def _broken(case: CaseRow) -> bool:
    return case.status in ("failed", "error") or bool(failures_of(case))


def _listed(summary: Summary, look: Look) -> Iterator[CaseRow]:
    if look.verbose or len(summary.cases) <= SHORT_LIST:
        yield from (case for case in summary.cases if case.status == "passed")


def _beside_the_baseline(summary: Summary, look: Look) -> Iterator[str]:
    ending = summary.record.ending
    if ending.regression is not None:
        yield from trouble_lines(ending.regression, ending.baseline, look)


def _of_the_others(
    summary: Summary, told: Sequence[CaseRow], untold: Sequence[CaseRow]
) -> Iterator[str]:
    """Name the cases that have no place of their own above, and what is odd about them."""
    if untold:
        yield f"{len(untold):,} more did not pass: {names([case.id for case in untold], NAMED)}"
    above = {case.id for case in told}
    others = [case for case in summary.cases if case.id not in above]
    missing = [case.id for case in others if case.status == "unfinished"]
    if missing:
        yield f"not finished: {names(missing, SHORT_LIST)}"
    yield from _notes(others)


def _notes(cases: Sequence[CaseRow]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for case in cases:
        if leaky(case):
            found.setdefault(LEAKY, []).append(case.id)
        for limit in unjudged_in(case):
            found.setdefault(f"{limit} {UNJUDGED}", []).append(case.id)
        if unused_in(case):
            found.setdefault("recorded answers were not used", []).append(case.id)
        if overridden_in(case):
            found.setdefault(f"cassette entries {OVERRIDDEN}", []).append(case.id)
    for what, ids in found.items():
        yield f"note: {names(ids, NOTED)}: {what}"


def _figures(summary: Summary) -> Iterator[str]:
    totals = summary.totals
    cases = {"failed": totals.failed, "in error": totals.errors, "unfinished": totals.unfinished}
    if any(cases.values()):
        yield ", ".join(f"{number:,} {what}" for what, number in cases.items() if number)
    errors = f" ({totals.tool_errors:,} failed)" if totals.tool_errors else ""
    yield count(totals.tool_calls, "tool call") + errors
    tokens = {"in": totals.tokens_in, "out": totals.tokens_out}
    if known := [f"{count(n, 'token')} {way}" for way, n in tokens.items() if n is not None]:
        yield ", ".join(known)
    if totals.cost_usd is not None:
        yield money(totals.cost_usd)


def _recorded(summary: Summary) -> Iterator[str]:
    """Tell which cassettes were put in place, and which were not because their case failed."""
    if summary.record.manifest.mode != "record":
        return
    uses = {case.id: cassette_of(case) for case in summary.cases}
    kept = [use for use in uses.values() if use is not None]
    entries = sum(use.entries for use in kept)
    if kept:
        yield f"recorded: {count(len(kept), 'cassette')} with {count(entries, 'answer')}"
    planned = summary.record.manifest.cases
    left = [case.cassette or case.id for case in planned if uses.get(case.id) is None]
    if left:
        yield f"left as it was, since its case did not pass: {names(left, SHORT_LIST)}"


def _place(directory: str) -> list[str]:
    if not directory:
        return []
    place = one_line(directory, 4096)
    return [f"record: {place}", f"report: {place}/report.html"]
