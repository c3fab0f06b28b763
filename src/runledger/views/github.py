"""GitHub annotations: workflow commands that mark a run's failures on the pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ..compare.cases import distinct_failures, leaky
from ..ledger.printable import one_line, printable
from ..ledger.run import Summary

MOST = 10  # GitHub shows no more of one level in a step
LONGEST = 4000


def render(summary: Summary) -> str:
    """Write one workflow command per line; nothing when there is nothing to say."""
    # Failures that the gate allows are no errors: a green job with red marks confuses.
    level = "warning" if summary.status == "passed" else "error"
    lines = [_command(level, *one) for one in islice(_failures(summary), MOST)]
    lines += [_command("warning", *one) for one in islice(_leaks(summary), MOST)]
    return "".join(line + "\n" for line in lines)


def _failures(summary: Summary) -> Iterator[tuple[str, str]]:
    for case in summary.cases:
        for failure, _ in distinct_failures(case):
            yield f"{case.id}: {failure.type}", failure.message


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
