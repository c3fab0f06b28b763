"""A run as Markdown, for the step summary of a CI job: the verdict, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import islice

from ..compare.cases import distinct_failures, failures_of, judged, stderr_tail
from ..ledger.grade import NOT_VALID
from ..ledger.printable import escape_controls
from ..ledger.run import CaseRow, Summary
from .look import count, duration, money
from .regression import render_markdown

MOST_BYTES = 200_000  # GitHub drops a step's summary beyond 1 MiB, and several suites share it
NAME_CHARS = 100
NAMED = 50
FAILURES = 10
MESSAGE_CHARS = 4000
STDERR_LINES = 12
UNFOLDED = 3  # failing cases that are shown without a click

_SIGNS = {"passed": "✅", "failed": "❌", "invalid": "⚠️", "interrupted": "⚠️"}
_LEFT_OUT = "_{} more did not pass; all of them are in the run's report._\n"


def render(summary: Summary, most_bytes: int = MOST_BYTES) -> str:
    """Tell how a run went, within a number of bytes for the cases that did not pass."""
    ending = summary.record.ending
    sections = [_verdict(summary), *_reasons(summary), _figures(summary)]
    if ending.regression:
        sections += ["#### Baseline\n", render_markdown(ending.regression, ending.baseline)]
    sections += _fitting(summary, most_bytes - _size(sections))
    return "\n".join([*sections, _origin(summary)])


def _code(text: str, most: int = NAME_CHARS) -> str:
    """Set a text of any origin inside a line, so that nothing in it is Markdown.

    GitHub looks for mentions, links and formulas everywhere but in code.
    """
    line = _one_line(text, most)
    ticks = _ticks(line, fewest=1)
    space = " " if line[:1] in "` " or line[-1:] in "` " else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def _fenced(text: str) -> str:
    """Set a text of any origin as a block that nothing in it can end."""
    shown = escape_controls(text)
    ticks = _ticks(shown, fewest=3)
    return f"{ticks}text\n{shown}\n{ticks}\n"


def _ticks(text: str, fewest: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(fewest, longest + 1)


def _verdict(summary: Summary) -> str:
    totals = summary.totals
    passed = f"{totals.passed:,} of {count(totals.cases, 'case')} passed"
    name = _code(summary.record.manifest.suite_name)
    return f"### {_SIGNS[summary.status]} {summary.status}: {name}, {passed}\n"


def _reasons(summary: Summary) -> Iterator[str]:
    """Say what the figures alone do not: why a run is not valid, or what its gate asks for."""
    thresholds = summary.record.manifest.thresholds
    minimum = thresholds.min_success_rate if thresholds else None
    outside = {one.type for case in summary.cases for one in failures_of(case)} & NOT_VALID
    if summary.status == "interrupted":
        yield "Stopped before its end: what is not finished was not judged.\n"
    elif outside:
        yield f"Not valid: {_codes(sorted(outside))} says nothing about the agent.\n"
    elif summary.status == "invalid":
        yield "Not valid: no case was judged.\n"
    elif minimum is not None and summary.totals.passed < summary.totals.cases:
        of = sum(map(judged, summary.cases))
        asked = f"the suite asks for at least {minimum * 100:g}%"
        yield f"{summary.totals.passed} of {of} judged cases passed; {asked}.\n"


def _figures(summary: Summary) -> str:
    totals = summary.totals
    shown = {
        "success rate": _rate(summary),
        "failed": f"{totals.failed:,}",
        "in error": f"{totals.errors:,}",
        "not finished": f"{totals.unfinished:,}",
        "duration": duration(totals.wall_ms),
        "tool calls": f"{totals.tool_calls:,}",
        "tokens out": "" if totals.tokens_out is None else f"{totals.tokens_out:,}",
        "cost": "" if totals.cost_usd is None else money(totals.cost_usd),
    }
    known = {name: figure for name, figure in shown.items() if figure not in ("", "0")}
    return _table([known.keys(), known.values()])


def _rate(summary: Summary) -> str:
    rate, interval = summary.totals.success_rate, summary.totals.success_rate_ci
    if rate is None or interval is None:
        return "unknown"
    low, high = interval
    return f"{rate:.1%} (95% interval {low:.0%} to {high:.0%})"


def _fitting(summary: Summary, most_bytes: int) -> Iterator[str]:
    """Yield the cases that did not pass, as many as fit, and say how many are left out."""
    broken = [case for case in summary.cases if failures_of(case)]
    room = most_bytes
    for number, case in enumerate(broken):
        text = _case(case, unfolded=number < UNFOLDED)
        room -= _size([text])
        if room < 0:
            yield _LEFT_OUT.format(f"{len(broken) - number:,}")
            break
        yield text
    unfinished = [case.id for case in summary.cases if case.status == "unfinished"]
    if unfinished:
        yield f"Not finished: {_codes(unfinished)}\n"


def _case(case: CaseRow, unfolded: bool) -> str:
    failures = distinct_failures(case)
    told = [_failure(one.type, one.message) for one, _ in failures[:FAILURES]]
    if len(failures) > FAILURES:
        told.append(f"… {count(len(failures) - FAILURES, 'more failure')}")
    told += islice(_stderr(case), 1)  # one of several trials is enough
    # This line is HTML to GitHub, not Markdown; code keeps mentions inert there too.
    name = escape(_one_line(case.id, NAME_CHARS))
    opened = "<details open>" if unfolded else "<details>"
    head = f"{opened}<summary><code>{name}</code> {case.status}</summary>\n"
    return "\n".join([head, _fenced("\n\n".join(told)), "</details>\n"])


def _failure(type: str, message: str) -> str:
    return f"{_cut(type, NAME_CHARS)}: {_cut(message, MESSAGE_CHARS).strip()}"


def _stderr(case: CaseRow) -> Iterator[str]:
    for row in case.trials:
        if tail := stderr_tail(row, STDERR_LINES):
            yield _cut("\n".join(["end of standard error:", *tail]), MESSAGE_CHARS)


def _one_line(text: str, most: int) -> str:
    return escape_controls(_cut(text, most)).replace("\n", "\\n").replace("\t", " ")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _codes(names: Sequence[str]) -> str:
    shown = ", ".join(map(_code, names[:NAMED]))
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED:,} more"


def _table(rows: Sequence[Iterable[str]]) -> str:
    head, *others = (" | ".join(cells) for cells in rows)
    rule = " | ".join("---" for _ in head.split(" | "))
    return "\n".join(f"| {line} |" for line in (head, rule, *others)) + "\n"


def _origin(summary: Summary) -> str:
    manifest = summary.record.manifest
    return f"<sub>run {_code(manifest.run_id)}, {manifest.mode}</sub>\n"


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) + 1 for text in texts)
