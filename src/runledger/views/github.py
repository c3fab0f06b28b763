"""GitHub annotations: workflow commands that mark a run's failures on the pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from ..compare.cases import distinct_failures, leaky
from ..ledger.printable import one_line, printable
from ..ledger.run import Summary
from .look import Look, count
from .regression import trouble_lines

MOST = 10  # GitHub shows no more of one level in a step
LONGEST = 4000
UNBROKEN = Look(width=LONGEST)  # GitHub breaks lines itself


def render(summary: Summary) -> str:
    """Write one workflow command per line; nothing when there is nothing to say."""
    # Failures that the gate allows are no errors: a green job with red marks confuses.
    level = "warning" if summary.status == "passed" else "error"
    told = chain(_failures(summary), _of_the_gate(summary))
    lines = [_command(level, *one) for one in islice(told, MOST)]
    if not lines and summary.status != "passed":
        lines = [_command(level, summary.record.manifest.suite_name, _at_least(summary))]
    lines += [_command("warning", *one) for one in islice(_leaks(summary), MOST)]
    return "".join(line + "\n" for line in lines)


def _failures(summary: Summary) -> Iterator[tuple[str, str]]:
    for case in summary.cases:
        for failure, _ in distinct_failures(case):
            yield f"{case.id}: {failure.type}", failure.message


def _of_the_gate(summary: Summary) -> Iterator[tuple[str, str]]:
    """Tell what no case shows: how the run as a whole falls short of its baseline."""
    ending = summary.record.ending
    if ending.regression is not None and ending.regression.verdict != "pass":
        lines = trouble_lines(ending.regression, ending.baseline, UNBROKEN)
        told = "\n".join(line.strip() for line in lines)
        yield f"{summary.record.manifest.suite_name}: {ending.regression.verdict}", told


def _at_least(summary: Summary) -> str:
    totals = summary.totals
    return f"{summary.status}: {totals.passed:,} of {count(totals.cases, 'case')} passed"


def _leaks(summary: Summary) -> Iterator[tuple[str, str]]:
    for case in summary.cases:
        if leaky(case):
            yield f"{case.id}: leaky", "the agent left processes behind; they were ended"


def _command(level: str, title: str, message: str) -> str:
    shown = printable(message[:LONGEST]) + ("…" if len(message) > LONGEST else "")
    return f"::{level} title={_property(one_line(title))}::{_data(shown)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
