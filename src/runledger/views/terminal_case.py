"""One case as a person reads it: a line when it passed, everything when it did not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from ..compare.cases import (
    distinct_failures,
    leaky,
    overridden_in,
    stderr_tail,
    unjudged_in,
    wall_of,
)
from ..ledger.grade import Failure
from ..ledger.printable import one_line
from ..ledger.run import CaseRow
from .look import Look, count, duration, names, paint, paint_status, set_text

FAILURES = 10
MESSAGE_CHARS = 8 * 1024
MESSAGE_LINES = 30
STDERR_LINES = 12
THE_REST = "… (the rest is in summary.json)"

LEAKY = "left processes behind, which were ended"
UNJUDGED = "not judged, because the agent reported no figure"
OVERRIDDEN = "matched only through an override"


def case_line(case: CaseRow, look: Look) -> str:
    """Tell in one line how a case ended."""
    status = paint_status(f"{case.status:<6}", case.status, look)
    line = f"  {status}  {duration(wall_of(case)):>7}  {one_line(case.id)}"
    if len(case.trials) < 2:
        return line
    passed = sum(row.status == "passed" for row in case.trials)
    return f"{line}  {passed} of {count(len(case.trials), 'trial')} passed"


def case_in_full(case: CaseRow, look: Look) -> Iterator[str]:
    """Tell all there is to say about a case that did not pass."""
    yield case_line(case, look)
    failures = distinct_failures(case)
    for failure, trials in failures[:FAILURES]:
        where = f" ({_trials(trials)})" if len(case.trials) > 1 else ""
        yield from _failure(failure, where, look)
    if len(failures) > FAILURES:
        more = count(len(failures) - FAILURES, "more failure")
        yield f"    … {more}, all in summary.json"
    yield from _stderr(case, look)
    yield from set_text("    ", _notes(case), look)


def _failure(failure: Failure, where: str, look: Look) -> Iterator[str]:
    label = one_line(failure.type, 40)
    first, *others = failure.message[:MESSAGE_CHARS].strip().splitlines() or [""]
    opening = set_text("    ", [f"{label}{where}: {first}"], look)
    lines = chain(opening, set_text("      ", others, look))
    yield next(lines).replace(label, paint(label, "bad", look), 1)
    yield from islice(lines, MESSAGE_LINES)
    if len(failure.message) > MESSAGE_CHARS or next(lines, None) is not None:
        yield f"      {THE_REST}"


def _stderr(case: CaseRow, look: Look) -> Iterator[str]:
    """Show the end of the first agent's standard error; one of several trials is enough."""
    tails = ((row, stderr_tail(row, STDERR_LINES)) for row in case.trials)
    for row, tail in tails:
        if tail:
            of = f" of trial {row.trial}" if len(case.trials) > 1 else ""
            yield f"    end of standard error{of}:"
            lines = set_text("      | ", (line[:MESSAGE_CHARS] for line in tail), look)
            yield from (paint(line, "faint", look) for line in [*lines][-STDERR_LINES:])
            return


def _notes(case: CaseRow) -> Iterator[str]:
    if leaky(case):
        yield f"note: {LEAKY}"
    if limits := unjudged_in(case):
        yield f"note: {', '.join(limits)} {UNJUDGED}"
    if lines := overridden_in(case):
        word = "line" if len(lines) == 1 else "lines"
        yield f"note: cassette {word} {names([*map(str, lines)], 20)} {OVERRIDDEN}"


def _trials(numbers: tuple[int, ...]) -> str:
    if len(numbers) > 10:
        return f"{len(numbers)} trials"
    return f"trial{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
