"""junit.xml: the run for CI servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..compare.cases import distinct_failures, failures_of, stderr_tail, usage_of, wall_of
from ..ledger.baseline import Baseline
from ..ledger.grade import NOT_JUDGED, Failure
from ..ledger.printable import escape_controls
from ..ledger.regression import Regression
from ..ledger.run import CaseRow, Summary
from ..ledger.usage import Usage
from .regression import headline, render_text

LONGEST = 8 * 1024  # bytes of one message
STDERR_LINES = 20
_CUT = "\n… (cut)".encode()
_MARKUP = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_IN_ATTRIBUTES = str.maketrans({"\n": "&#10;", "\t": "&#9;"})  # else read back as spaces


def render(summary: Summary) -> str:
    """Write junit.xml."""
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_document(summary), ""])


def _document(summary: Summary) -> Iterator[str]:
    manifest, totals = summary.record.manifest, summary.totals
    ending = summary.record.ending
    verdict = ending.regression.verdict if ending.regression else None
    attributes = {
        "name": manifest.suite_name,
        "tests": str(totals.cases + (verdict is not None)),
        "failures": str(totals.failed + (verdict == "fail")),
        "errors": str(totals.errors),
        "skipped": str(totals.unfinished + (verdict == "inconclusive")),
        "time": _seconds(totals.wall_ms),
        "timestamp": manifest.started,
    }
    yield "<testsuites>"
    yield f"  <testsuite{_attributes(attributes)}>"
    yield from _properties("    ", Usage(totals.tokens_in, totals.tokens_out, totals.cost_usd))
    for case in summary.cases:
        yield from _testcase(manifest.suite_name, case)
    if ending.regression:
        yield from _comparison(manifest.suite_name, ending.regression, ending.baseline)
    yield "  </testsuite>"
    yield "</testsuites>"


def _testcase(suite_name: str, case: CaseRow) -> Iterator[str]:
    attributes = {"classname": suite_name, "name": case.id, "time": _seconds(wall_of(case) or 0)}
    inside = [*_properties("      ", usage_of(case.trials)), *_outcome(case)]
    if not inside:
        yield f"    <testcase{_attributes(attributes)}/>"
        return
    yield f"    <testcase{_attributes(attributes)}>"
    yield from inside
    yield "    </testcase>"


def _comparison(suite_name: str, compared: Regression, baseline: Baseline | None) -> Iterator[str]:
    """Show the comparison with the baseline as a test: what it finds, no single case may show."""
    # A class of its own, since a case may be called baseline too.
    attributes = {"classname": f"{suite_name}.regression", "name": "baseline", "time": "0.000"}
    if compared.verdict == "pass":
        yield f"    <testcase{_attributes(attributes)}/>"
        return
    tag = "failure" if compared.verdict == "fail" else "skipped"
    said = {"type": "regression"} if tag == "failure" else {}
    said["message"] = headline(compared, baseline)
    body = _text(render_text(compared, baseline).rstrip())
    yield f"    <testcase{_attributes(attributes)}>"
    yield f"      <{tag}{_attributes(said)}>{body}</{tag}>"
    yield "    </testcase>"


def _outcome(case: CaseRow) -> Iterator[str]:
    if case.status == "passed":
        return
    body = _text("\n\n".join(_told(case)))
    if case.status == "unfinished":
        yield f'      <skipped message="not finished">{body}</skipped>'
        return
    tag = "error" if case.status == "error" else "failure"
    first = _telling(case)
    attributes = {"type": first.type, "message": first.message}
    yield f"      <{tag}{_attributes(attributes)}>{body}</{tag}>"


def _telling(case: CaseRow) -> Failure:
    """Choose the failure that gave the case its status."""
    failures = failures_of(case)
    weighty = [one for one in failures if case.status == "failed" or one.type in NOT_JUDGED]
    return next(iter(weighty or failures), Failure(case.status, ""))


def _told(case: CaseRow) -> Iterator[str]:
    for failure, trials in distinct_failures(case):
        where = f" (of trial {', '.join(map(str, trials))})" if len(case.trials) > 1 else ""
        yield f"{failure.type}{where}: {failure.message}"
    for row in case.trials:
        if tail := stderr_tail(row, STDERR_LINES):
            yield "\n".join([f"standard error of trial {row.trial}, its end:", *tail])


def _properties(margin: str, usage: Usage) -> Iterator[str]:
    figures = {name: getattr(usage, name) for name in ("tokens_in", "tokens_out", "cost_usd")}
    known = {name: str(figure) for name, figure in figures.items() if figure is not None}
    if known:
        yield f"{margin}<properties>"
        for name, figure in known.items():
            yield f"{margin}  <property{_attributes({'name': name, 'value': figure})}/>"
        yield f"{margin}</properties>"


def _attributes(values: Mapping[str, str]) -> str:
    return "".join(f' {name}="{_attribute(value)}"' for name, value in values.items())


def _attribute(text: str) -> str:
    return _text(text).translate(_IN_ATTRIBUTES)


def _text(text: str) -> str:
    shown = escape_controls(text).encode()
    if len(shown) > LONGEST:
        shown = shown[: LONGEST - len(_CUT)] + _CUT
    return shown.decode(errors="ignore").translate(_MARKUP)  # a character cut in two is left out


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}"
