"""What the page says before any script runs: the verdict, the figures, and the regressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...compare.reasons import reasons_of, sentence
from ...ledger.baseline import Aggregates
from ...ledger.printable import escape_controls
from ...ledger.regression import CaseChanges, Check, Regression, Unit, bounds_nothing, units_of
from ...ledger.run import Summary
from ..look import count, duration, money

MOST_NAMED = 200
WORDS = {
    "passed": "Passed",
    "failed": "Failed",
    "invalid": "Not valid",
    "interrupted": "Interrupted",
}
GATE_WORDS = {
    "pass": "No regression",
    "fail": "Worse than the baseline",
    "inconclusive": "Inconclusive beside the baseline",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the run, with what stands below it."""

    label: str
    value: str
    note: str = ""
    before: str = ""  # the same in the baseline
    tone: str = ""


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One check of the gate, as the page shows it."""

    id: str
    status: str
    baseline: str
    current: str
    delta: str
    threshold: str
    note: str


@dataclass(frozen=True, slots=True)
class Change:
    """Cases that changed in one way since the baseline; those missing have no page to link to."""

    label: str
    tone: str
    ids: tuple[str, ...]
    more: int
    linked: bool = True


@dataclass(frozen=True, slots=True)
class Share:
    """A stretch of the bar that shows how the cases ended, in thousandths."""

    status: str
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class Overview:
    """The part of the page that needs no script."""

    suite: str
    status: str
    word: str
    sentence: str
    reasons: tuple[str, ...]
    shares: tuple[Share, ...]
    figures: tuple[Figure, ...]
    gate: str
    gate_word: str
    checks: tuple[CheckLine, ...]
    changes: tuple[Change, ...]
    facts: tuple[tuple[str, str], ...]


def overview_of(summary: Summary) -> Overview:
    """Put the verdict and the figures of a run into words."""
    manifest, ending = summary.record.manifest, summary.record.ending
    regression = ending.regression
    return Overview(
        suite=shown(manifest.suite_name),
        status=summary.status,
        word=WORDS[summary.status],
        sentence=_sentence(summary),
        reasons=tuple(_reasons(summary)),
        shares=tuple(_shares(summary)),
        figures=tuple(_figures(summary)),
        gate=regression.verdict if regression else "",
        gate_word=GATE_WORDS[regression.verdict] if regression else "",
        checks=tuple(_check_lines(regression)) if regression else (),
        changes=tuple(_changes(regression)) if regression else (),
        facts=tuple(_facts(summary)),
    )


def shown(text: str, most: int = 300) -> str:
    """Make a text of any origin fit for the page; the template escapes the rest."""
    return escape_controls(text if len(text) <= most else text[: most - 1] + "…")


def _sentence(summary: Summary) -> str:
    totals = summary.totals
    if not totals.cases:
        return "There was no case to run."
    if totals.passed == totals.cases:
        return (
            "The only case passed." if totals.cases == 1 else f"All {totals.cases:,} cases passed."
        )
    parts = {"failed": totals.failed, "in error": totals.errors, "not finished": totals.unfinished}
    others = ", ".join(f"{number:,} {word}" for word, number in parts.items() if number)
    return f"{others}; {totals.passed:,} of {count(totals.cases, 'case')} passed."


def _reasons(summary: Summary) -> Iterator[str]:
    if (regression := summary.record.ending.regression) is not None:
        yield from _losses(regression.cases)
    yield from map(sentence, reasons_of(summary))


def _losses(cases: CaseChanges) -> Iterator[str]:
    if newly := len(cases.newly_failing):
        verb = "passes" if newly == 1 else "pass"
        yield f"{count(newly, 'case')} that passed in the baseline no longer {verb}."
    if missing := len(cases.missing):
        yield f"{count(missing, 'case')} of the baseline did not run."


def _shares(summary: Summary) -> Iterator[Share]:
    totals = summary.totals
    start = 0.0
    parts = {
        "passed": totals.passed,
        "failed": totals.failed,
        "error": totals.errors,
        "unfinished": totals.unfinished,
    }
    for status, number in parts.items():
        if number:
            width = round(1000 * number / totals.cases, 3)
            yield Share(status, round(start, 3), width)
            start += width


def _figures(summary: Summary) -> Iterator[Figure]:
    totals = summary.totals
    baseline = summary.record.ending.baseline
    before = baseline.aggregates if baseline else None
    yield Figure("Cases", f"{totals.cases:,}", _trials_note(summary))
    yield Figure("Passed", f"{totals.passed:,}", tone="passed")
    yield Figure("Failed", f"{totals.failed:,}", tone="failed" if totals.failed else "")
    yield Figure("Errors", f"{totals.errors:,}", tone="error" if totals.errors else "")
    if totals.unfinished:
        yield Figure("Unfinished", f"{totals.unfinished:,}", tone="unfinished")
    yield _rate_figure(summary, before)
    yield _duration_figure(summary, before)
    yield Figure(
        "Tool calls",
        f"{totals.tool_calls:,}",
        f"{totals.tool_errors:,} failed",
        f"{before.tool_calls:,}" if before else "",
    )
    yield from _usage_figures(summary)


def _trials_note(summary: Summary) -> str:
    trials = summary.record.manifest.trials
    return f"{trials} trials of each" if trials > 1 else ""


def _rate_figure(summary: Summary, before: Aggregates | None) -> Figure:
    totals = summary.totals
    note = ""
    if totals.success_rate_ci is not None:
        low, high = totals.success_rate_ci
        note = f"95 % interval {low * 100:.1f} – {high * 100:.1f}"
    return Figure("Success rate", _percent(totals.success_rate), note, _percent_before(before))


def _duration_figure(summary: Summary, before: Aggregates | None) -> Figure:
    totals = summary.totals
    note = ""
    if totals.avg_wall_ms is not None and totals.p95_wall_ms is not None:
        average, p95 = _duration(totals.avg_wall_ms), _duration(totals.p95_wall_ms)
        note = f"average {average}, p95 {p95}"
    known = before is not None and before.avg_wall_ms is not None
    was = f"average {_duration(before.avg_wall_ms)}" if before and known else ""
    return Figure("Duration", duration(totals.wall_ms), note, was)


def _usage_figures(summary: Summary) -> Iterator[Figure]:
    totals = summary.totals
    if totals.tokens_in is not None or totals.tokens_out is not None:
        ways = {"in": totals.tokens_in, "out": totals.tokens_out}
        known = {way: number for way, number in ways.items() if number is not None}
        note = ", ".join(f"{number:,} {way}" for way, number in known.items())
        yield Figure("Tokens", f"{sum(known.values()):,}", note)
    if totals.cost_usd is not None:
        yield Figure("Cost", money(totals.cost_usd))


def _percent(rate: float | None) -> str:
    return "–" if rate is None else f"{rate * 100:.1f} %"


def _percent_before(before: Aggregates | None) -> str:
    return _percent(before.success_rate) if before else ""


def _duration(ms: float | None) -> str:
    return duration(None if ms is None else round(ms))


def _check_lines(regression: Regression) -> Iterator[CheckLine]:
    """Tell every check but those that passed without a figure or a word."""
    for check in regression.checks:
        if check.status != "pass" or check.note or check.current is not None:
            yield _check_line(check)


def _check_line(check: Check) -> CheckLine:
    units = units_of(check)
    return CheckLine(
        id=shown(check.id),
        status=check.status,
        baseline=_in_unit(check.baseline, units.figure),
        current=_in_unit(check.current, units.figure),
        delta=_in_unit(check.delta, units.change) + _interval(check),
        threshold=_in_unit(check.threshold, units.threshold),
        note=shown(check.note or "", 1000),
    )


def _interval(check: Check) -> str:
    if check.delta is None or check.ci is None:
        return ""
    if bounds_nothing(check):
        return " (interval too wide to tell anything)"
    low, high = (_in_unit(end, units_of(check).change) for end in check.ci)
    return f" ({low} … {high})"


def _in_unit(value: float | None, unit: Unit) -> str:
    """Write a figure as the page does, in columns of equal decimals."""
    if value is None:
        return "–"
    match unit:
        case "share":
            return _percent(value)
        case "points":
            return f"{value * 100:+.1f} points"
        case "percent":
            return f"{value:+,.1f} %"
        case "ms":
            return duration(round(value))
        case "count":
            return f"{value:,.6g}"


def _changes(regression: Regression) -> Iterator[Change]:
    cases = regression.cases
    yield from _change("Newly failing", "failed", cases.newly_failing)
    yield from _change("Missing", "failed", cases.missing, linked=False)
    yield from _change("Newly passing", "passed", cases.newly_passing)
    yield from _change("Added", "", cases.added)


def _change(label: str, tone: str, ids: Sequence[str], *, linked: bool = True) -> Iterator[Change]:
    if ids:
        named = tuple(shown(id) for id in ids[:MOST_NAMED])
        yield Change(label, tone, named, len(ids) - len(named), linked)


def _facts(summary: Summary) -> Iterator[tuple[str, str]]:
    manifest, baseline = summary.record.manifest, summary.record.ending.baseline
    yield "run", shown(manifest.run_id)
    yield "mode", manifest.mode
    yield "started", shown(manifest.started)
    if manifest.command:
        yield "agent", shown(" ".join(manifest.command))
    yield "jobs", str(manifest.jobs)
    if baseline is not None:
        yield "baseline", shown(baseline.run_id)
    for name, version in manifest.versions.items():
        yield shown(name, 40), shown(version, 100)
