"""runledger run: run suites, write a run directory for each, and gate."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import typer

from .app import GATE, app
from .options import (
    CaseIds,
    FailFast,
    Format,
    FormatChoice,
    GraderTimeout,
    Jobs,
    ModeChoice,
    OutputDir,
    Quiet,
    SuitePaths,
    Tags,
    Trials,
)

if TYPE_CHECKING:
    from ..harness.suite_run import RunOptions
    from ..ledger.suite import Suite


EXIT_CODES = (
    "Exit codes: 0 all well, 1 the gate failed, 2 something to fix in the files or flags, "
    "3 the run is not valid, 130 or 143 interrupted."
)

EXITS = {"passed": 0, "failed": 1, "invalid": 3, "interrupted": 1}  # the signal outweighs the last


@app.command(rich_help_panel=GATE, epilog=EXIT_CODES)
def run(
    suites: SuitePaths,
    mode: ModeChoice = None,
    case: CaseIds = None,
    tag: Tags = None,
    jobs: Jobs = None,
    trials: Trials = 1,
    output_dir: OutputDir = None,
    grader_timeout: GraderTimeout = 60.0,
    fail_fast: FailFast = False,
    format: FormatChoice = None,
    quiet: Quiet = False,
) -> None:
    """Run suites of cases, write a run directory for each, and gate on the result."""
    from ..harness.suite_run import RunOptions, narrow
    from ..harness.validate import load_suites

    loaded = load_suites(suites, mode.value if mode else None)
    options = RunOptions(
        jobs=jobs or cores(),
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        trials=trials,
        fail_fast=fail_fast,
        output_dir=str(output_dir) if output_dir else None,
        grader_timeout_s=grader_timeout,
    )
    raise typer.Exit(_run_all(narrow(loaded, options), _chosen(format), quiet))


def cores() -> int:
    """Count the cores that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _chosen(format: Format | None) -> Format:
    if format:
        return format
    return Format.github if os.environ.get("GITHUB_ACTIONS") == "true" else Format.text


def _run_all(runs: list[tuple[Suite, RunOptions]], format: Format, quiet: bool) -> int:
    """Run one suite after the other, show each, and choose the exit code of them all."""
    from ..harness.suite_run import run_suite
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .exits import put, worst
    from .progress import watcher_for
    from .show import shown

    codes: list[int] = []
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        for suite, options in runs:
            watcher = watcher_for(quiet)
            outcome = run_suite(suite, options, supervisor=supervisor, watcher=watcher)
            put(shown(outcome.summary, outcome.path, format))
            codes.append(EXITS[outcome.summary.status])
            if supervisor.stop.requested or (options.fail_fast and codes[-1]):
                break
        if supervisor.stop.signum is not None:
            codes.append(128 + supervisor.stop.signum)
    return worst(codes)
