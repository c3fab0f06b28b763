"""runledger run: run suites, write a run directory for each, and gate."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import UsageError
from .app import GATE, app
from .options import (
    BaselineChoice,
    CaseIds,
    FailFast,
    FailOnInconclusive,
    Format,
    FormatChoice,
    GraderTimeout,
    Jobs,
    MaxTotalCost,
    Mode,
    ModeChoice,
    OnlyMissing,
    OutputDir,
    Quiet,
    Resume,
    SuitePaths,
    Tags,
    Trials,
)

if TYPE_CHECKING:
    from ..harness.conduct import RunOutcome
    from ..harness.prepare import Prepared, RunOptions
    from ..harness.resumption import Resumption
    from ..ledger.suite import Suite


EXIT_CODES = (
    "Exit codes: 0 all well, 1 the gate failed, 2 something to fix in the files or flags, "
    "3 the run is not valid, 4 inconclusive (with --fail-on-inconclusive), 130 or 143 interrupted."
)


@app.command(rich_help_panel=GATE, epilog=EXIT_CODES)
def run(
    context: typer.Context,
    suites: SuitePaths,
    mode: ModeChoice = None,
    case: CaseIds = None,
    tag: Tags = None,
    jobs: Jobs = None,
    trials: Trials = 1,
    output_dir: OutputDir = None,
    baseline: BaselineChoice = None,
    resume: Resume = None,
    only_missing: OnlyMissing = False,
    grader_timeout: GraderTimeout = 60.0,
    fail_fast: FailFast = False,
    fail_on_inconclusive: FailOnInconclusive = False,
    max_total_cost_usd: MaxTotalCost = None,
    format: FormatChoice = None,
    quiet: Quiet = False,
) -> None:
    """Run suites of cases, write a run directory for each, and gate on the result."""
    from ..harness.prepare import RunOptions
    from ..harness.validate import load_suites

    options = RunOptions(
        jobs=jobs or cores(),
        cases=tuple(case or ()),
        tags=tuple(tag or ()),
        trials=trials,
        fail_fast=fail_fast,
        output_dir=str(output_dir) if output_dir else None,
        grader_timeout_s=grader_timeout,
        baseline=str(baseline) if baseline else None,
        only_missing=only_missing,
        max_cost_usd=max_total_cost_usd,
    )
    ending = Ending(_chosen(format), fail_on_inconclusive, quiet)
    if resume is not None:
        resumption = _resumption(resume, suites, mode, context)
        _refuse_silent_recording([resumption.suite], context)
        raise typer.Exit(_go_on(resumption, options, ending))
    loaded = load_suites(suites, mode.value if mode else None)
    _refuse_silent_recording(loaded, context)
    raise typer.Exit(_run_all(loaded, options, ending))


@dataclass(frozen=True, slots=True)
class Ending:
    """How runs are shown, and what their exit code minds."""

    format: Format
    fail_on_inconclusive: bool
    quiet: bool


def cores() -> int:
    """Count the cores that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _chosen(format: Format | None) -> Format:
    if format:
        return format
    return Format.github if os.environ.get("GITHUB_ACTIONS") == "true" else Format.text


def _resumption(
    name: str, suites: Sequence[Path], mode: Mode | None, context: typer.Context
) -> Resumption:
    """Find the run to go on with; what it chose cannot be chosen again."""
    from ..harness.resumption import resumption_of

    if len(suites) != 1:
        raise UsageError(f"--resume goes on with a run of one suite; {len(suites)} are named")
    for flag in ("case", "tag", "trials", "only_missing"):
        if _is_said(context, flag):
            told = f"--{flag.replace('_', '-')} is for new runs"
            raise UsageError(f"{told}: one that is gone on with keeps what it chose")
    output_dir = context.params["output_dir"]
    return resumption_of(name, suites[0], mode.value if mode else None, output_dir)


def _is_said(context: typer.Context, flag: str) -> bool:
    """Say whether a flag stands on the command line itself."""
    source = context.get_parameter_source(flag)
    return source is not None and source.name == "COMMANDLINE"


def _go_on(resumption: Resumption, options: RunOptions, ending: Ending) -> int:
    """Run what is left of a run, or show it again where nothing is."""
    from .exits import gate_code, put, say
    from .show import shown

    if resumption.is_needed:
        return _run_all([resumption.suite], resumption.options(options), ending)
    from ..harness.derive import derive_views

    path = resumption.progress.path
    if options.baseline is not None:
        words = f"runledger diff --baseline {shlex.quote(options.baseline)} --run {path}"
        raise UsageError(f"{path} has ended; to hold it against a baseline: {words}")
    say(f"nothing is left to do in {path}")
    summary = derive_views(path)
    put(shown(summary, path, ending.format))
    return gate_code(summary, ending.fail_on_inconclusive)


def _how_to_go_on(outcome: RunOutcome, suite: Suite, ending: Ending) -> str:
    from ..suite.tree import label_of

    words = ["runledger", "run", label_of(Path(suite.directory)), "--resume", str(outcome.path)]
    words += ["--mode", "record"] if suite.mode == "record" else []  # which CI wants to be told
    words += ["--fail-on-inconclusive"] if ending.fail_on_inconclusive else []
    return f"to go on: {shlex.join(words)}"


def _refuse_silent_recording(suites: Sequence[Suite], context: typer.Context) -> None:
    """In CI a cassette is overwritten only by somebody who says so on the command line."""
    said = _is_said(context, "mode")
    recording = [suite.name for suite in suites if suite.mode == "record"]
    if recording and not said and os.environ.get("CI", "").lower() in ("true", "1"):
        raise UsageError(
            f"{recording[0]}: CI is set, and there record mode overwrites cassettes only "
            "when it is asked for: add --mode record, or --mode replay to run what is recorded"
        )


def _no_baseline(outcome: RunOutcome, place: str) -> str:
    manifest = outcome.summary.record.manifest
    told = f"warning: {manifest.suite_name} was compared with nothing: there is no {place}"
    if outcome.summary.status != "passed":
        return told
    run, file = shlex.quote(str(outcome.path)), shlex.quote(place)
    command = f"runledger baseline promote --from {run} --to {file}"
    return f"{told}\nto make this run the baseline: {command}"


def _run_all(suites: Sequence[Suite], options: RunOptions, ending: Ending) -> int:
    """Run one suite after the other, show each, and choose the exit code of them all."""
    from ..harness.prepare import prepare
    from ..harness.suite_run import run_prepared
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .exits import gate_code, put, say, worst
    from .progress import watcher_for
    from .show import note_for_github, shown

    codes: list[int] = []
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        ready = prepare(suites, options, supervisor)
        if not ready:
            say("nothing to record: every chosen case has its cassette")
        for prepared in ready:
            watcher = watcher_for(ending.quiet)
            outcome = run_prepared(prepared, options, supervisor, watcher=watcher)
            put(shown(outcome.summary, outcome.path, ending.format))
            note_for_github(outcome.summary)
            for hint in _hints(prepared, outcome, options, ending):
                say(hint)
            codes.append(gate_code(outcome.summary, ending.fail_on_inconclusive))
            done = supervisor.stop.requested or outcome.out_of_money
            if done or (options.fail_fast and codes[-1]):
                break
        if supervisor.stop.signum is not None:
            codes.append(128 + supervisor.stop.signum)
    return worst(codes)


def _hints(
    prepared: Prepared, outcome: RunOutcome, options: RunOptions, ending: Ending
) -> Iterator[str]:
    """Yield what a user can do about a run that did not come to its end, or to a comparison."""
    if outcome.summary.status == "interrupted":
        yield _how_to_go_on(outcome, prepared.suite, ending)
    if outcome.out_of_money:
        yield f"stopped: ${options.max_cost_usd} of --max-total-cost-usd are spent"
    if prepared.no_baseline:
        yield _no_baseline(outcome, prepared.no_baseline)
