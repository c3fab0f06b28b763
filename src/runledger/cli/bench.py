"""runledger bench: plan, run, judge and report an experiment between conditions of one agent."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .app import EXPERIMENT, app
from .bench_steps import (
    is_judged,
    judge_answers,
    next_step,
    report_code,
    run_detached,
    run_here,
    run_to_do,
    short_of,
    show_dry_run,
    warn_of,
    warn_of_change,
)
from .options import (
    CompareFormat,
    FailOnInconclusive,
    MaxTotalCost,
    OpenIt,
    Quiet,
)

bench = typer.Typer(
    help="Experiments: compare conditions of one agent, with a verdict that can be trusted."
)
app.add_typer(bench, name="bench", rich_help_panel=EXPERIMENT)

RUN_CODES = (
    "Exit codes: 0 every planned run was done, or enough of them; "
    "2 something to fix in the files or flags; 3 too many runs were discarded, "
    "the agent could not be started, or the money is spent; 130 or 143 interrupted."
)
JUDGE_CODES = (
    "Exit codes: 0 all was judged; 2 something to fix; 3 something has no verdict yet; 130 or 143."
)
REPORT_CODES = (
    "Exit codes: 0 go, or no gate says otherwise; 1 no-go; 2 something to fix; 3 not all was run "
    "or judged; 4 inconclusive (with --fail-on-inconclusive)."
)

ExperimentPath = Annotated[
    Path, typer.Argument(metavar="EXPERIMENT", help="The experiment's YAML file, or a run of it.")
]
OutputDir = Annotated[
    Path | None,
    typer.Option(
        "--output-dir",
        metavar="D",
        envvar="RUNLEDGER_OUTPUT_DIR",
        help="Where run directories are made. Default: the experiment's, or bench.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", min=1, metavar="N", envvar="RUNLEDGER_JOBS", help="Judges at once."
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", metavar="", help="Show what each condition would be given for one task."
    ),
]
TaskId = Annotated[
    str | None, typer.Option("--task", metavar="ID", help="The task that --dry-run shows.")
]
Detach = Annotated[
    bool, typer.Option("--detach", metavar="", help="Run in the background; see bench status.")
]
Sequential = Annotated[
    bool,
    typer.Option(
        "--sequential",
        metavar="",
        help="Judge after each task, and stop as soon as the evidence is enough.",
    ),
]
Manual = Annotated[
    bool,
    typer.Option("--manual", metavar="", help="Judge by hand: write a blinded sheet, or read it."),
]

JudgeTimeout = Annotated[
    float,
    typer.Option(
        "--judge-timeout", min=0.001, metavar="S", help="Seconds a judge may take for a question."
    ),
]


@bench.callback(invoke_without_command=True)
def top(context: typer.Context) -> None:
    """Experiments: compare conditions of one agent, with a verdict that can be trusted."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@bench.command()
def plan(
    experiment: ExperimentPath,
    dry_run: DryRun = False,
    task: TaskId = None,
    output_dir: OutputDir = None,
) -> None:
    """Draw the order of all runs, write it down, and tell what the experiment could show."""
    from ..errors import UsageError
    from ..harness.bench_choice import choose_experiment, earlier_runs
    from ..harness.bench_plan import estimate_of, plan_bench
    from ..harness.bench_run import refuse_unfit_agent
    from ..harness.bench_views import derive_bench
    from ..views.experiment import terminal
    from .exits import put
    from .show import look_at

    chosen = choose_experiment(experiment, output_dir, to_run=True)
    warn_of(chosen)
    if dry_run:
        raise typer.Exit(show_dry_run(chosen, task))
    if chosen.path is not None:
        raise UsageError(f"{experiment} is a run, and planned already: runledger bench run it")
    refuse_unfit_agent(chosen.experiment)
    estimate = estimate_of(chosen.experiment, earlier_runs(chosen))
    path = plan_bench(chosen.experiment, chosen.output_dir)
    record = derive_bench(path).record
    put(terminal.render_plan(record, estimate, look_at(1)))
    put(f"the plan is in {path}\nto run it: runledger bench run {chosen.words}")


@bench.command(epilog=RUN_CODES)
def run(
    experiment: ExperimentPath,
    detach: Detach = False,
    sequential: Sequential = False,
    max_total_cost_usd: MaxTotalCost = None,
    output_dir: OutputDir = None,
    quiet: Quiet = False,
) -> None:
    """Run what the plan says, or go on with it; nothing that has finished is run again."""
    from ..harness.bench_choice import choose_experiment
    from ..store.lines import one_at_a_time

    chosen = choose_experiment(experiment, output_dir, to_run=True)
    warn_of(chosen)
    with one_at_a_time(chosen.output_dir):  # so that two of us do not plan the same
        path = run_to_do(chosen)
    if path is None:
        return
    if detach:
        raise typer.Exit(run_detached(path))
    from ..harness.bench_run import BenchOptions

    options = BenchOptions(max_total_cost_usd, sequential)
    raise typer.Exit(run_here(chosen, path, options, quiet))


@bench.command()
def status(experiment: ExperimentPath, output_dir: OutputDir = None) -> None:
    """Tell how far the newest run has come."""
    from ..harness.bench_choice import choose_experiment, newest_of
    from ..harness.bench_views import read_derived
    from ..views.experiment import terminal
    from .exits import put
    from .show import look_at

    chosen = choose_experiment(experiment, output_dir, to_run=False)
    path = newest_of(chosen)
    derived = read_derived(path)
    warn_of_change(chosen, derived.record)
    put(terminal.render_status(*derived, look_at(1), now_ms=int(time.time() * 1000)))
    step = next_step(derived.record, chosen.words, judged=is_judged(derived))
    put(f"the run is in {path}\n{step}")


@bench.command(epilog=JUDGE_CODES)
def judge(
    experiment: ExperimentPath,
    manual: Manual = False,
    jobs: Jobs = None,
    judge_timeout: JudgeTimeout = 300.0,
    output_dir: OutputDir = None,
    quiet: Quiet = False,
) -> None:
    """Judge every answer by its criteria: by check, by judges that see no condition, or by hand."""
    from ..harness.bench_choice import choose_experiment, newest_of
    from ..harness.judge_experiment import JudgeOptions
    from .run import cores

    chosen = choose_experiment(experiment, output_dir, to_run=False)
    options = JudgeOptions(jobs or cores(), manual, judge_timeout)
    raise typer.Exit(judge_answers(chosen, newest_of(chosen), options, quiet))


@bench.command(epilog=REPORT_CODES)
def report(
    experiment: ExperimentPath,
    fail_on_inconclusive: FailOnInconclusive = False,
    format: Annotated[
        CompareFormat, typer.Option("--format", help="How to show it.")
    ] = CompareFormat.text,
    open_it: OpenIt = False,
    output_dir: OutputDir = None,
) -> None:
    """Make all views of the newest run again, tell its verdict, and gate on it."""
    from ..harness.bench_choice import choose_experiment, newest_of
    from ..harness.bench_views import REPORT, derive_bench
    from ..views.experiment import results, summary, terminal
    from .exits import put, say
    from .report import open_page
    from .show import add_to_page, look_at

    chosen = choose_experiment(experiment, output_dir, to_run=False)
    path = newest_of(chosen)
    derived = derive_bench(path)
    record, findings = derived
    warn_of_change(chosen, record)
    match format:
        case "json":
            put(summary.render(record, findings))
        case "markdown":
            put(results.render(record, findings))
        case _:
            put(terminal.render_report(record, findings, look_at(1)))
            put(f"the report is in {path / REPORT}")
    add_to_page(lambda most: results.render(record, findings))
    for reason in short_of(derived, chosen.words):
        say(reason)
    if open_it:
        open_page(path / REPORT)
    raise typer.Exit(report_code(record, findings, fail_on_inconclusive))
