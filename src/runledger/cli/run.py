"""runledger run: run suites, write a run directory for each, and gate."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..harness.suite_run import RunOptions, RunOutcome
    from ..ledger.suite import Suite
    from ..process.supervisor import Supervisor


class Mode(StrEnum):
    """Where tool answers come from."""

    replay = "replay"
    record = "record"
    live = "live"


class Format(StrEnum):
    """How a run is shown."""

    text = "text"
    json = "json"
    github = "github"


def run(
    suites: Annotated[
        list[Path],
        typer.Argument(metavar="SUITE...", help="Suite directories, or suite.yaml files."),
    ],
    mode: Annotated[
        Mode | None,
        typer.Option(envvar="RUNLEDGER_MODE", help="Override the suite's mode."),
    ] = None,
    case: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Run only this case (repeatable).")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="T", help="Run only cases with this tag (repeatable)."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            envvar="RUNLEDGER_JOBS",
            help="Cases at once. Default: the cores.",
        ),
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", "-k", min=1, help="Repetitions of each case.")
    ] = 1,
    output_dir: Annotated[
        Path | None,
        typer.Option(envvar="RUNLEDGER_OUTPUT_DIR", help="Where run directories are made."),
    ] = None,
    grader_timeout: Annotated[
        float, typer.Option(min=0.001, metavar="S", help="Seconds a script assertion may take.")
    ] = 60.0,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start nothing new after the first failing case.")
    ] = False,
    format: Annotated[
        Format | None,
        typer.Option(help="How to show the result. Default: github on GitHub Actions, else text."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Run suites of cases, write a run directory for each, and gate on the result.

    Exit codes: 0 all well, 1 the gate failed, 2 something to fix in the files or flags,
    3 the run is not valid, 130 or 143 interrupted.
    """
    from ..harness.suite_run import RunOptions
    from ..suite.load import load_suite

    loaded = [load_suite(path, mode=mode.value if mode else None) for path in suites]
    options = RunOptions(
        jobs=jobs or len(os.sched_getaffinity(0)),
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        trials=trials,
        fail_fast=fail_fast,
        output_dir=str(output_dir) if output_dir else None,
        grader_timeout_s=grader_timeout,
    )
    raise typer.Exit(_run_all(loaded, options, _chosen(format), quiet))


def _chosen(format: Format | None) -> Format:
    if format:
        return format
    return Format.github if os.environ.get("GITHUB_ACTIONS") == "true" else Format.text


def _run_all(suites: list[Suite], options: RunOptions, format: Format, quiet: bool) -> int:
    """Run one suite after the other, show each, and choose the exit code of them all."""
    from ..harness.suite_run import run_suite
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .exits import put, worst
    from .progress import watcher_for
    from .show import shown

    codes: list[int] = []
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        for suite in suites:
            watcher = watcher_for(quiet)
            outcome = run_suite(suite, options, supervisor=supervisor, watcher=watcher)
            put(shown(outcome.summary, outcome.path, format))
            codes.append(_exit_code(outcome, supervisor))
            if supervisor.stop.requested:
                break
    return worst(codes)


def _exit_code(outcome: RunOutcome, supervisor: Supervisor) -> int:
    status = outcome.summary.status
    if status == "interrupted":
        return 128 + (supervisor.stop.signum or 2)
    return {"passed": 0, "failed": 1, "invalid": 3}[status]
