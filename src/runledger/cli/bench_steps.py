"""What the commands of `bench` do once they know which experiment is meant."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from .exits import INCONCLUSIVE, put, say
from .show import look_at

if TYPE_CHECKING:
    from ..harness.bench_choice import Chosen
    from ..harness.bench_run import BenchOptions
    from ..harness.judge_experiment import Judged
    from ..ledger.findings import BenchRecord, Findings

BEGUN_WITHIN_S = 30.0
DETACHED_LOG = "detached.log"
VERDICT_CODES = {"pass": 0, "fail": 1, "inconclusive": 0}
TAIL_CHARS = 4000


def warn_of(chosen: Chosen) -> None:
    """Tell what is odd in an experiment that can be run all the same."""
    for text in chosen.experiment.warnings:
        say(f"warning: {text}")


def show_dry_run(chosen: Chosen, task: str | None) -> None:
    """Show what each condition would be given for one task."""
    from ..harness.bench_plan import dry_run
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from ..views.experiment import terminal

    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        shown = dry_run(chosen.experiment, task, supervisor)
    put(terminal.render_dry_run(shown, look_at(1)))


def run_to_do(chosen: Chosen) -> Path | None:
    """Choose the run to go on with, or plan one; None where all is done already."""
    from ..harness.bench_choice import path_of, to_go_on_with
    from ..harness.bench_plan import plan_bench

    found = to_go_on_with(chosen)
    if found is None and chosen.path is not None:
        raise UsageError(
            f"{chosen.path} was stopped for good: start anew with its experiment's file"
        )
    if found is None:
        return plan_bench(chosen.experiment, chosen.output_dir)
    path = path_of(chosen, found)
    if found.status == "running":
        raise UsageError(f"{path} is being run already; see: runledger bench status {path}")
    if found.status == "done":
        say(f"all was run already, in {path}\n{next_step(found, path)}")
        say(f"to run all of it anew: runledger bench plan {chosen.experiment.file}, and run again")
        return None
    return path


def run_here(chosen: Chosen, path: Path, options: BenchOptions, quiet: bool) -> int:
    """Run what is left, tell how it went, and give the exit code."""
    from ..harness.bench_run import run_bench
    from ..harness.bench_sequential import early_stop
    from ..harness.bench_views import LiveFiles, derive_bench
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from ..store.bench import MONEY
    from ..suite.experiment import load_experiment
    from ..views.experiment import terminal
    from .bench_progress import Together, watcher_for

    seed = load_experiment(path, to_run=False).seed
    experiment = replace(chosen.experiment, seed=seed)
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        if options.sequential:
            options = replace(options, decided=early_stop(path, experiment, supervisor, say))
        watcher = Together(LiveFiles(), watcher_for(quiet))
        run_bench(path, experiment, options, supervisor, watcher=watcher)
        signum = supervisor.stop.signum
    record, findings = derive_bench(path)
    put(terminal.render_status(record, findings, look_at(1)))
    if record.status == "invalid":
        say(terminal.render_discards(findings.discards, look_at(2)))
    if record.stopped == MONEY:
        say(f"stopped: ${options.max_cost_usd} of --max-total-cost-usd are spent")
    say(f"the run is in {path}\n{next_step(record, path)}")
    return 128 + signum if signum is not None else 0 if record.status == "done" else 3


def run_detached(path: Path) -> int:
    """Start the same command in the background, and say where it works."""
    from ..process.detach import start_detached, under_way
    from ..store.lines import is_held
    from ..store.rundir import LOG

    words = [word for word in sys.argv[1:] if word != "--detach"]
    log = path / DETACHED_LOG
    program = start_detached([sys.executable, "-m", "runledger", *words], log)
    code = under_way(program, lambda: is_held(path / LOG), BEGUN_WITHIN_S)
    if code:
        say(log.read_text("utf-8", "replace")[-TAIL_CHARS:])
        return code
    program.returncode = 0  # it is not ours to wait for
    say(f"process {program.pid} runs it in {path}")
    say(f"how far it is: runledger bench status {shlex.quote(str(path))}")
    return 0


def judge_answers(path: Path, jobs: int, *, manual: bool, quiet: bool) -> int:
    """Judge the answers of a run, tell how it went, and give the exit code."""
    from ..harness.bench_views import derive_bench, read_derived
    from ..harness.judge_experiment import JudgeOptions, judge_experiment
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from ..store.bench import tools_used
    from .bench_progress import told_by_tenths

    record = read_derived(path).record
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        judged = judge_experiment(
            path,
            record,
            JudgeOptions(jobs, manual, tools_used(path)),
            supervisor=supervisor,
            tell=say,
            progress=told_by_tenths(quiet),
        )
        signum = supervisor.stop.signum
    derived = derive_bench(path)
    for text in _judged(judged):
        say(text)
    if not judged.left:
        say(derived.findings.sentence)
        say(next_step(derived.record, path, judged=True))
    return 128 + signum if signum is not None else _judge_code(judged)


def _judged(judged: Judged) -> Iterator[str]:
    """Tell what became of the questions."""
    if judged.written:
        yield f"wrote {judged.sheet}: tick a box for each criterion, then the same command again"
        return
    parts = {
        f"{judged.checked} by check": judged.checked,
        f"{judged.asked} {'by hand' if judged.sheet else 'asked'}": judged.asked,
        f"{judged.cached} known from before": judged.cached,
    }
    yield "judged: " + (", ".join(text for text, number in parts.items() if number) or "nothing")
    if judged.void:
        yield f"{judged.void} void, since their quotes are not in the answer"
    if judged.left:
        yield f"{judged.left} left without a verdict"


def _judge_code(judged: Judged) -> int:
    if judged.written:
        return 0
    return 3 if judged.left else 0


def next_step(record: BenchRecord, path: Path, *, judged: bool = False) -> str:
    """Say what a user does next."""
    name = shlex.quote(str(path))
    match record.status:
        case "planned" | "interrupted":
            return f"to go on: runledger bench run {name}"
        case "running":
            return f"to look again: runledger bench status {name}"
        case "invalid":
            return "find the cause, then run the experiment's file again: it begins a new run"
    step = "report" if judged else "judge"
    return f"next: runledger bench {step} {name}"


def short_of(record: BenchRecord, findings: Findings, path: Path) -> Iterator[str]:
    """Tell what keeps a report from being the last word."""
    if record.status != "done":
        yield f"not all was run ({record.status}); {next_step(record, path)}"
    elif findings.unjudged:
        yield f"{findings.unjudged} runs are not judged; {next_step(record, path)}"


def report_code(record: BenchRecord, findings: Findings, fail_on_inconclusive: bool) -> int:
    """Choose the exit code of a report."""
    if record.status != "done" or findings.unjudged:
        return 3
    if findings.verdict == "inconclusive" and fail_on_inconclusive:
        return INCONCLUSIVE
    return VERDICT_CODES[findings.verdict or "pass"]
