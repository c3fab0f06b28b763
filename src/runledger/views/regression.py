"""A run beside its baseline: for a terminal, as Markdown, and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

from ..ledger.baseline import Baseline
from ..ledger.printable import inert, one_line
from ..ledger.regression import CaseChanges, Check, Regression
from ..ledger.run import Summary
from .look import PLAIN, Look, count, duration, names, paint, set_text

SCHEMA_VERSION = 1
NAMED = 20
NOTE_CHARS = 1000
MOST_SHOWN = 9999  # percent: beyond it a figure says only that nothing is known
_STYLES = {"pass": "good", "warn": "odd", "fail": "bad", "skipped": "faint", "inconclusive": "odd"}
_MARGIN, _WORD = "  ", 6  # a check's word stands in a column of its own
_NOBODY = CaseChanges()


def render_text(regression: Regression, baseline: Baseline | None, look: Look = PLAIN) -> str:
    """Tell how a run stands beside its baseline: every check, and the cases that changed."""
    word = paint(regression.verdict.upper(), _STYLES[regression.verdict], look)
    lines = [f"{word}  {headline(regression, baseline)}"]
    for check in regression.checks:
        if check.status != "skipped":
            lines += _check_lines(check, regression.cases, look)
    lines += set_text(_MARGIN, _good_news(regression.cases), look)
    lines += (paint(line, "faint", look) for line in set_text(_MARGIN, _skipped(regression), look))
    return inert("\n".join(lines)) + "\n"


def trouble_lines(regression: Regression, baseline: Baseline | None, look: Look) -> Iterator[str]:
    """Tell in a few lines what is not well beside the baseline; in one line when all is."""
    yield from set_text(_MARGIN, [headline(regression, baseline)], look)
    for check in regression.checks:
        if check.status in ("fail", "warn") or _allowed_to_fail(check):
            yield from _check_lines(check, regression.cases, look)


def render_markdown(regression: Regression, baseline: Baseline | None) -> str:
    """Tell how a run stands beside its baseline as a table, with lists of the cases below."""
    name = f" {_code(baseline.run_id)}" if baseline else ""
    rows = [("", "check"), ("---", "---")]
    rows += ((check.status, _told(check, _NOBODY)) for check in regression.checks)
    noted = [check for check in regression.checks if check.note and check.id != "suite_sha256"]
    lists = [f"- {_plain(check.id)}: {_code(check.note or '')}" for check in noted]
    lists += (f"- {what}: {_codes(ids)}" for what, ids in _changes(regression.cases).items() if ids)
    table = [f"| {status} | {text} |" for status, text in rows]
    sections = [f"**{regression.verdict}** beside the baseline{name}", "\n".join(table)]
    return "\n\n".join([*sections, *(["\n".join(lists)] if lists else [])]) + "\n"


def render_json(summary: Summary, baseline: Baseline) -> str:
    """Give the comparison that a run's ending holds, with the names of both sides."""
    regression = summary.record.ending.regression
    document = {
        "schema_version": SCHEMA_VERSION,
        "suite_name": summary.record.manifest.suite_name,
        "run_id": summary.record.manifest.run_id,
        "baseline_run_id": baseline.run_id,
        **(asdict(regression) if regression else {}),
    }
    return json.dumps(document, indent=2) + "\n"  # ASCII: nothing in it drives a terminal


def headline(regression: Regression, baseline: Baseline | None) -> str:
    """Give the verdict in a few words that name the baseline's run."""
    name = f"baseline {one_line(baseline.run_id)}" if baseline else "baseline"
    match regression.verdict:
        case "pass":
            return f"{name}: no regression"
        case "fail":
            return f"worse than the {name}"
        case "inconclusive":
            return f"{name}: too little evidence for a verdict"


def _check_lines(check: Check, cases: CaseChanges, look: Look) -> Iterator[str]:
    """Set a check behind its word, its note below."""
    deeper = _MARGIN + " " * _WORD
    first, *others = set_text(deeper, [_told(check, cases)], look)
    word = paint(check.status.upper(), _STYLES[check.status], look)
    yield f"{_MARGIN}{word}{' ' * (_WORD - len(check.status))}{first.strip()}"
    yield from others
    if check.note and check.id != "suite_sha256":
        notes = set_text(deeper, [check.note[:NOTE_CHARS]], look)
        yield from (paint(line, "faint", look) for line in notes)


def _allowed_to_fail(check: Check) -> bool:
    """Tell a pass that needs to be explained: the suite allows that some cases fail."""
    rate = check.current if check.id == "min_success_rate" else None
    return check.status == "pass" and rate is not None and rate < 1


def _good_news(cases: CaseChanges) -> Iterator[str]:
    if cases.newly_passing:
        yield f"failed before, pass now: {names(cases.newly_passing, NAMED)}"
    if cases.added:
        yield f"not in the baseline: {names(cases.added, NAMED)}"


def _skipped(regression: Regression) -> Iterator[str]:
    skipped = [check for check in regression.checks if check.status == "skipped"]
    if skipped:
        yield "skipped: " + ", ".join(f"{_plain(one.id)} ({one.note})" for one in skipped)


def _told(check: Check, cases: CaseChanges) -> str:
    """Tell a check in one line, with its figures and the cases that it is about."""
    return _TELLERS.get(check.id, _tell_plainly)(check, cases)


def _tell_success(check: Check, _: CaseChanges) -> str:
    was = "" if check.baseline is None else f"{_percent(check.baseline)} → "
    now = "unknown" if check.current is None else _percent(check.current)
    change = None if check.delta is None else f"{_signed(check.delta * 100)} points"
    asked = None if check.threshold is None else f"at least {_percent(check.threshold)} asked for"
    points = check.ci and (check.ci[0] * 100, check.ci[1] * 100)
    return f"success rate {was}{now}{_details(change, _interval(points, ' points'), asked)}"


def _tell_newly_failing(check: Check, cases: CaseChanges) -> str:
    number = round(check.current or 0)
    if number:
        verb = "passed before and fails now" if number == 1 else "passed before and fail now"
        return f"{count(number, 'case')} {verb}{_listed(cases.newly_failing)}"
    if check.status == "pass":
        return "no case fails that passed before"
    return "a case that passed before may fail now"


def _tell_missing(check: Check, cases: CaseChanges) -> str:
    number = round(check.current or 0)
    if not number:
        return "no case of the baseline is missing"
    verb = "is" if number == 1 else "are"
    return f"{count(number, 'case')} of the baseline {verb} missing{_listed(cases.missing)}"


def _tell_average(check: Check, _: CaseChanges) -> str:
    return f"average duration {_tell_growth(check)}"


def _tell_p95(check: Check, _: CaseChanges) -> str:
    return f"95th percentile of durations {_tell_growth(check)}"


def _tell_suite(check: Check, _: CaseChanges) -> str:
    return check.note or "suite.yaml is the baseline's"


def _tell_plainly(check: Check, _: CaseChanges) -> str:
    return _plain(check.id)


_TELLERS: Mapping[str, Callable[[Check, CaseChanges], str]] = {
    "min_success_rate": _tell_success,
    "newly_failing": _tell_newly_failing,
    "missing_cases": _tell_missing,
    "max_avg_wall_ms_delta_pct": _tell_average,
    "max_p95_wall_ms_delta_pct": _tell_p95,
    "suite_sha256": _tell_suite,
}


def _tell_growth(check: Check) -> str:
    was, now = (_duration(ms) for ms in (check.baseline, check.current))
    change = None if check.delta is None else f"{_signed(check.delta)}%"
    allowed = None if check.threshold is None else f"at most {_signed(check.threshold)}% allowed"
    return f"{was} → {now}{_details(change, _interval(check.ci, '%'), allowed)}"


def _interval(ends: tuple[float, float] | None, unit: str) -> str | None:
    return ends and f"98% interval {_signed(ends[0])} to {_signed(ends[1])}{unit}"


def _details(*details: str | None) -> str:
    known = [detail for detail in details if detail]
    return f" ({', '.join(known)})" if known else ""


def _listed(ids: Sequence[str]) -> str:
    return f": {names(ids, NAMED)}" if ids else ""


def _duration(ms: float | None) -> str:
    return "unknown" if ms is None else duration(round(ms))


def _percent(rate: float) -> str:
    return f"{rate * 100:.4g}%"


def _signed(number: float) -> str:
    if number > MOST_SHOWN:
        return f"over +{MOST_SHOWN:,}"
    return f"{number:+,.1f}".removesuffix(".0").replace("-", "−")


def _changes(cases: CaseChanges) -> Mapping[str, Sequence[str]]:
    return {
        "passed before, fail now": cases.newly_failing,
        "missing": cases.missing,
        "failed before, pass now": cases.newly_passing,
        "not in the baseline": cases.added,
    }


def _codes(ids: Sequence[str]) -> str:
    shown = ", ".join(map(_code, ids[:NAMED]))
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED:,} more"


def _code(text: str) -> str:
    """Set a text of any origin as code, in which nothing is Markdown, a mention or a link."""
    return f"`{one_line(text, NOTE_CHARS).replace('`', chr(39)) or ' '}`"


def _plain(id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "?", id)
