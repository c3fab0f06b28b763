"""A run as Markdown, for the step summary of a CI job: the verdict, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice

from ..compare.cases import distinct_failures, failures_of, stderr_tail
from ..compare.reasons import reasons_of, sentence
from ..ledger.printable import one_line
from ..ledger.run import CaseRow, Summary
from .look import count, duration, money
from .markup import code, codes, fenced, table
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


def _verdict(summary: Summary) -> str:
    totals = summary.totals
    passed = f"{totals.passed:,} of {count(totals.cases, 'case')} passed"
    name = code(summary.record.manifest.suite_name, NAME_CHARS)
    return f"### {_SIGNS[summary.status]} {summary.status}: {name}, {passed}\n"


def _reasons(summary: Summary) -> Iterator[str]:
    for reason in reasons_of(summary):
        yield f"{sentence(reason)}\n"


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
    return table([known.keys(), known.values()])


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
        yield f"Not finished: {codes(unfinished, NAMED, NAME_CHARS)}\n"


def _case(case: CaseRow, unfolded: bool) -> str:
    failures = distinct_failures(case)
    told = [_failure(one.type, one.message) for one, _ in failures[:FAILURES]]
    if len(failures) > FAILURES:
        told.append(f"… {count(len(failures) - FAILURES, 'more failure')}")
    told += islice(_stderr(case), 1)  # one of several trials is enough
    # This line is HTML to GitHub, not Markdown; code keeps mentions inert there too.
    name = escape(one_line(case.id, NAME_CHARS))
    opened = "<details open>" if unfolded else "<details>"
    head = f"{opened}<summary><code>{name}</code> {case.status}</summary>\n"
    return "\n".join([head, fenced("\n\n".join(told)), "</details>\n"])


def _failure(type: str, message: str) -> str:
    return f"{_cut(type, NAME_CHARS)}: {_cut(message, MESSAGE_CHARS).strip()}"


def _stderr(case: CaseRow) -> Iterator[str]:
    for row in case.trials:
        if tail := stderr_tail(row, STDERR_LINES):
            yield _cut("\n".join(["end of standard error:", *tail]), MESSAGE_CHARS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _origin(summary: Summary) -> str:
    manifest = summary.record.manifest
    return f"<sub>run {code(manifest.run_id, NAME_CHARS)}, {manifest.mode}</sub>\n"


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) + 1 for text in texts)
