"""runledger calibrate: sample failing answers for a person to check the grader by."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from .app import CAPTURE, app
from .options import GraderChoice, GraderTimeout, Jobs, OutputDir, OutputFile, Results

if TYPE_CHECKING:
    from ..ledger.calibration import Calibration


@app.command(rich_help_panel=CAPTURE)
def calibrate(
    results: Results,
    sample: Annotated[
        int, Option("--sample", "-s", min=1, metavar="N", help="Failing answers to show.")
    ] = 10,
    grader: GraderChoice = None,
    output: OutputFile = None,
    jobs: Jobs = None,
    grader_timeout: GraderTimeout = 60.0,
    output_dir: OutputDir = None,
) -> None:
    """Sample failing answers as Markdown, for a person to say whether the grader was right."""
    from ..harness.calibration import calibrate as sampled
    from ..harness.judging import opened_judge
    from ..ledger.suite import OUTPUT_DIR
    from ..store.results import find_results, read_results
    from .exits import say
    from .judging import supervised
    from .run import cores

    path = find_results(results, output_dir or Path(OUTPUT_DIR))
    with supervised() as work, ExitStack() as stack:
        opened = grader and opened_judge(grader, work.supervisor, grader_timeout)
        judge = stack.enter_context(opened) if opened else None
        found = sampled(read_results(path, say), sample, judge, jobs or cores())
        work.code = _shown(found, output, path)
    raise typer.Exit(work.code)


def _shown(found: Calibration, output: Path | None, path: Path) -> int:
    """Write the document, and choose the exit code."""
    from ..harness.judging import own_redactor
    from ..ledger.grade import is_fault
    from ..store.sink import open_sink
    from ..views.calibration import render_calibration
    from .exits import say

    if not found.failing:
        say(f"nothing to calibrate by: none of the {found.seen} trials failed")
        return 0
    sink = open_sink(output, never=path)
    sink.text(own_redactor().text(render_calibration(found)))
    sink.close()
    say(f"sampled {len(found.reviews)} of {found.failing} failing answers")
    return 3 if any(one.second and is_fault(one.second) for one in found.reviews) else 0
