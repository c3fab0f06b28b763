"""runledger grade: grade or regrade what was captured, without running the agent."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .app import CAPTURE, app
from .options import GraderName, GraderTimeout, Jobs, OutputDir, OutputFile, Results

if TYPE_CHECKING:
    from ..harness.regrade import Regraded
    from ..store.sink import Sink

GRADER_FAULT = 3
EACH = 100  # lines between two words of progress
EXIT_CODES = "Exit codes: 0 all graded, whatever the grades; 2 something to fix; 3 grader errors."


@app.command(rich_help_panel=CAPTURE, epilog=EXIT_CODES)
def grade(
    results: Results,
    grader: GraderName,
    output: OutputFile = None,
    jobs: Jobs = None,
    grader_timeout: GraderTimeout = 60.0,
    output_dir: OutputDir = None,
) -> None:
    """Grade or regrade a capture, trials or a run, without running the agent."""
    from ..harness.judging import opened_judge
    from ..harness.regrade import regrade
    from ..ledger.suite import OUTPUT_DIR
    from ..store.results import find_results, read_whole_results
    from ..store.sink import open_sink
    from .exits import say
    from .judging import supervised
    from .run import cores

    path = find_results(results, output_dir or Path(OUTPUT_DIR))
    with supervised() as work, opened_judge(grader, work.supervisor, grader_timeout) as judge:
        lines = read_whole_results(path, say)
        first = list(islice(lines, 1))  # what cannot be read at all costs no output
        sink = open_sink(output, never=path)
        try:
            work.code = _written(regrade(chain(first, lines), judge, jobs or cores()), sink)
        finally:
            sink.close()
    raise typer.Exit(work.code)


def _written(regraded: Iterable[Regraded], sink: Sink) -> int:
    """Write the lines as they come, tell what they came to, and choose the exit code."""
    from ..ledger.grade import is_fault
    from .exits import say

    graded = passed = faults = hidden = 0
    for number, one in enumerate(regraded, start=1):
        sink.append(one.line)
        graded += len(one.grades)
        passed += sum(grade.passed for grade in one.grades)
        faults += sum(map(is_fault, one.grades))
        hidden += one.redacted
        if number % EACH == 0:
            say(f"graded {graded} …")
    if hidden:
        say(f"warning: {hidden} of the lines hold [REDACTED] in place of what the agent said")
    say(f"graded {graded - faults}, passed {passed}, grader errors {faults}")
    return GRADER_FAULT if faults else 0
