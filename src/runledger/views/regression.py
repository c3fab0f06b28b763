"""A run beside its baseline: for a terminal, as Markdown, and for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from ..ledger.baseline import Baseline
from ..ledger.printable import inert, one_line
from ..ledger.regression import (
    AVERAGE,
    MISSING,
    NEWLY_FAILING,
    P95,
    SUCCESS,
    SUITE,
    CaseChanges,
    Check,
    Regression,
    Unit,
    bounds_nothing,
    units_of,
)
from ..ledger.run import Summary
from .look import PLAIN, Look, count, duration, names, paint, set_text
from .markup import code, codes, table

SCHEMA_VERSION = 1
NAMED = 20
NOTE_CHARS = 1000
MOST_SHOWN = 9999  # percent: beyond it the digits say nothing more
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
    name = f" {code(baseline.run_id, NOTE_CHARS)}" if baseline else ""
    rows = [(check.status, _told(check, _NOBODY)) for check in regression.checks]
    items = "".join([*_note_items(regression.checks), *_change_items(regression.cases)])
    head = f"**{regression.verdict}** beside the baseline{name}\n"
    return "\n".join(filter(None, [head, table([("", "check"), *rows]), items]))


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
    said = "note" if check.id == SUITE and check.note else check.status
    word = paint(said.upper(), _STYLES[check.status], look)
    yield f"{_MARGIN}{word}{' ' * (_WORD - len(said))}{first.strip()}"
    yield from others
    if _note_stands_apart(check):
        notes = set_text(deeper, [(check.note or "")[:NOTE_CHARS]], look)
        yield from (paint(line, "faint", look) for line in notes)


def _allowed_to_fail(check: Check) -> bool:
    """Tell a pass that needs to be explained: the suite allows that some cases fail."""
    rate = check.current if check.id == SUCCESS else None
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
    was = "" if check.baseline is None else f"{_figure(check, check.baseline)} → "
    asked = None if check.threshold is None else f"at least {_threshold(check)} asked for"
    return f"success rate {was}{_figure(check, check.current)}{_details(check, asked)}"


def _tell_newly_failing(check: Check, cases: CaseChanges) -> str:
    if number := round(check.current or 0):
        verb = "passed before and fails now" if number == 1 else "passed before and fail now"
        return f"{count(number, 'case')} {verb}{_listed(cases.newly_failing)}"
    if check.status == "fail":
        return "cases pass less often than before"
    if check.status == "warn":
        return "a case that passed before may fail now"
    # A note names cases that fail in some trials, so that no more is claimed than is known.
    return f"no case {'surely ' if check.note else ''}fails that passed before"


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
    SUCCESS: _tell_success,
    NEWLY_FAILING: _tell_newly_failing,
    MISSING: _tell_missing,
    AVERAGE: _tell_average,
    P95: _tell_p95,
    SUITE: _tell_suite,
}


def _note_stands_apart(check: Check) -> bool:
    return bool(check.note) and check.id != SUITE  # whose line is its note


def _tell_growth(check: Check) -> str:
    was, now = _figure(check, check.baseline), _figure(check, check.current)
    allowed = None if check.threshold is None else f"at most {_threshold(check)} allowed"
    return f"{was} → {now}{_details(check, allowed)}"


def _details(check: Check, demand: str | None) -> str:
    """Tell the change, how sure it is, and what is asked for, as far as they are known."""
    change = None if check.delta is None else _in_unit(check.delta, units_of(check).change)
    known = [detail for detail in (change, _interval(check), demand) if detail]
    return f" ({', '.join(known)})" if known else ""


def _interval(check: Check) -> str | None:
    if check.ci is None:
        return None
    if bounds_nothing(check):
        return "98% interval too wide to tell anything"
    unit, (low, high) = units_of(check).change, check.ci
    return f"98% interval {_change(low, unit)} to {_in_unit(high, unit)}"


def _listed(ids: Sequence[str]) -> str:
    return f": {names(ids, NAMED)}" if ids else ""


def _figure(check: Check, value: float | None) -> str:
    return "unknown" if value is None else _in_unit(value, units_of(check).figure)


def _threshold(check: Check) -> str:
    return _in_unit(check.threshold or 0, units_of(check).threshold)


def _in_unit(value: float, unit: Unit) -> str:
    """Write a figure with its unit."""
    match unit:
        case "share":
            return f"{value * 100:.4g}%"
        case "points":
            return f"{_change(value, unit)} points"
        case "percent":
            return f"{_change(value, unit)}%"
        case "ms":
            return duration(round(value))
        case "count":
            return f"{value:,g}"


def _change(value: float, unit: Unit) -> str:
    number = value * 100 if unit == "points" else value
    if number > MOST_SHOWN:
        return f"over +{MOST_SHOWN:,}"
    digits = 1 if abs(number) >= 1 else 3
    shown = f"{number:+,.{digits}f}"
    return (shown.rstrip("0").rstrip(".") if "." in shown else shown).replace("-", "−")


def _note_items(checks: Iterable[Check]) -> Iterator[str]:
    for check in filter(_note_stands_apart, checks):
        yield f"- {_plain(check.id)}: {code(check.note or '', NOTE_CHARS)}\n"


def _change_items(cases: CaseChanges) -> Iterator[str]:
    changes = {
        "passed before, fail now": cases.newly_failing,
        "missing": cases.missing,
        "failed before, pass now": cases.newly_passing,
        "not in the baseline": cases.added,
    }
    for what, ids in changes.items():
        if ids:
            yield f"- {what}: {codes(ids, NAMED, NOTE_CHARS)}\n"


def _plain(id: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "?", id)
