"""Why a run has the status it has, where its figures alone do not tell."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.grade import NOT_VALID
from ..ledger.run import Summary
from .cases import failures_of, judged
from .gate import least_success


def reasons_of(summary: Summary) -> Iterator[str]:
    """Say why a run was stopped or is not valid, or else what its suite asks for.

    The words are ours alone, so that no view need escape them.
    """
    if summary.status == "interrupted":
        yield "stopped before its end: what is not finished was not judged"
    elif summary.status == "invalid":
        yield f"not valid: {_why_invalid(summary)}"
    elif summary.totals.passed < summary.totals.cases:
        yield from _asked_of_cases(summary)


def sentence(reason: str) -> str:
    """Set a reason as a sentence, for views that are made of such."""
    return f"{reason[:1].upper()}{reason[1:]}."


def _why_invalid(summary: Summary) -> str:
    outside = [
        (case.id, failure.type)
        for case in summary.cases
        for failure in failures_of(case)
        if failure.type in NOT_VALID
    ]
    if outside:
        types = ", ".join(sorted({type for _, type in outside}))
        cases = _cases(len({id for id, _ in outside}))
        return f"{types} in {cases}, which says nothing about the agent"
    if not summary.cases:
        return "there was no case to run"
    return f"{_cases(summary.totals.unfinished)} not finished"


def _asked_of_cases(summary: Summary) -> Iterator[str]:
    """Say how many cases must pass, unless the comparison with a baseline says so in full."""
    manifest = summary.record.manifest
    if summary.record.ending.regression is not None or manifest.thresholds is None:
        return
    if manifest.mode == "record" and manifest.thresholds.min_success_rate is not None:
        yield "min_success_rate excuses no recording: every case must pass"
    if (least := least_success(manifest)) is not None:
        yield f"{_success(summary)}; the suite asks for at least {least * 100:g}%"


def _success(summary: Summary) -> str:
    rate = summary.totals.success_rate
    if summary.record.manifest.trials > 1 and rate is not None:
        return f"of the trials of each case {rate * 100:.1f}% passed on average"
    return f"{summary.totals.passed} of {sum(map(judged, summary.cases))} judged cases passed"


def _cases(number: int) -> str:
    return "1 case" if number == 1 else f"{number:,} cases"
