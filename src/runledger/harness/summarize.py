"""Derive short views of results, one result after the other, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from ..errors import UsageError
from ..ledger.captured import Captured
from ..store.manifest import read_manifest
from ..store.results import STDIN, Warn, read_results
from ..store.sink import Sink, open_sink
from ..views.digest import summary_result
from ..views.trajectory import render_record


def summarize_results(
    results: Path, output: Path | None, *, markdown: bool = False, warn: Warn
) -> int:
    """Write a view of every result in a file; say how many there were."""
    several = _has_several_trials(results)
    found = _checked(read_results(results, warn))
    sink = open_sink(output, never=results)
    write = _write_record if markdown else _write_line
    count = 0
    try:
        for count, captured in enumerate(found, start=1):
            write(sink, captured, count, several or _is_repeated(captured))
    finally:
        sink.close()
    return count


def _checked(found: Iterator[Captured]) -> Iterator[Captured]:
    """Read the first result at once: what holds none must cost no file that is there already."""
    first = next(found, None)
    return iter(()) if first is None else chain([first], found)


def _write_line(sink: Sink, captured: Captured, _: int, repeated: bool) -> None:
    sink.append(summary_result(captured, repeated=repeated))


def _write_record(sink: Sink, captured: Captured, number: int, repeated: bool) -> None:
    record = render_record(captured, repeated=repeated)
    sink.text(record if number == 1 else f"\n{record}")


def _has_several_trials(results: Path) -> bool:
    """Say whether a run tried each task several times; only its own directory tells."""
    if str(results) == STDIN:
        return False
    try:
        return read_manifest(results.parent).trials > 1
    except UsageError:  # a file of that name beside the results may be anybody's
        return False


def _is_repeated(captured: Captured) -> bool:
    """Say whether a result is one of several trials, by what its own line tells."""
    if "trialNum" in captured.line or captured.trial > 1:
        return True
    prefix = f"{captured.id}-t{captured.trial}-step-"
    return any(str(step.get("stepId")).startswith(prefix) for step in captured.trajectory[:1])
