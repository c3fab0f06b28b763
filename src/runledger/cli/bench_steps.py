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
    from ..harness.bench_run import BenchOptions, BenchWatcher
    from ..harness.bench_views import Derived
    from ..harness.judge_experiment import Judged, JudgeOptions
    from ..ledger.findings import BenchRecord, Findings

BEGUN_WITHIN_S = 30.0
DETACHED_LOG = "detached.log"
VERDICT_CODES = {"pass": 0, "fail": 1, "inconclusive": 0}
TAIL_CHARS = 4000


def warn_of(chosen: Chosen) -> None:
    """Tell what is odd in an experiment that can be run all the same."""
    for text in chosen.experiment.warnings:
        say(f"warning: {text}")
    tasks, judges = chosen.experiment.tasks, chosen.experiment.scoring.judges
    by_hand = [one.id for task in tasks for one in task.criteria if not one.has_check]
    if by_hand and not judges:
        say(f"warning: {len(by_hand)} criteria have neither a check nor a judge: by hand, then")


def show_dry_run(chosen: Chosen, task: str | None) -> int:
    """Show what each condition would be given for one task; one that cannot be is exit code 3."""
    from ..harness.bench_plan import dry_run
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from ..views.experiment import terminal

    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        shown = dry_run(chosen.experiment, task, supervisor)
    put(terminal.render_dry_run(shown, look_at(1)))
    return 3 if any(one.note for one in shown) else 0


def warn_of_change(chosen: Chosen, record: BenchRecord) -> None:
    """Tell where a file says something else than the run that is looked at was run by."""
    if chosen.experiment.protocol.sha256 != record.experiment.protocol.sha256:
        say(
            f"warning: {chosen.experiment.file} is not what {record.run_id} was run by; "
            "that run's own protocol.yaml goes here, and bench run begins a new run"
        )


def run_to_do(chosen: Chosen) -> Path | None:
    """Choose the run to go on with, or plan one; None where all is done already."""
    from ..harness.bench_choice import path_of, refuse_changed_programs, to_go_on_with
    from ..harness.bench_plan import plan_bench
    from ..harness.bench_run import refuse_unfit_agent

    found = to_go_on_with(chosen)
    if found is None and chosen.path is not None:
        told = "was stopped for good, or cannot be read"
        raise UsageError(f"{chosen.path} {told}: start anew with its experiment's file")
    if found is None:
        refuse_unfit_agent(chosen.experiment)  # before there is a plan that nobody can run
        _tell_changes(chosen)
        return plan_bench(chosen.experiment, chosen.output_dir)
    path = path_of(chosen, found)
    if found.status == "running":
        raise UsageError(f"{path} is being run already; see: runledger bench status {path}")
    if found.status == "done":
        _say_done(chosen, found, path)
        return None
    refuse_changed_programs(chosen, path)
    return path


def _tell_changes(chosen: Chosen) -> None:
    """Name what keeps a run that was broken off from being gone on with."""
    from ..harness.bench_choice import changes_since_newest

    path, changes = changes_since_newest(chosen) or (None, ())
    if changes:
        say(f"{path} is not gone on with: since it began, {', '.join(changes)}")


def _say_done(chosen: Chosen, found: BenchRecord, path: Path) -> None:
    from ..harness.bench_views import read_derived

    words = chosen.words
    how = f"this run was {found.stopped}" if found.stopped else "all was run already"
    say(f"{how}, in {path}\n{next_step(found, words, judged=is_judged(read_derived(path)))}")
    say(f"to run all of it anew: runledger bench plan {words}, then bench run")


def run_here(chosen: Chosen, path: Path, options: BenchOptions, quiet: bool) -> int:
    """Run what is left, tell how it went, and give the exit code."""
    from ..harness.bench_run import run_bench
    from ..harness.bench_sequential import EarlyStop, refuse_unfit_for_early_stop
    from ..harness.bench_views import LiveFiles, derive_bench
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from ..suite.experiment import load_experiment
    from .bench_progress import Together, watcher_for

    seed = load_experiment(path, to_run=False).seed
    experiment = replace(chosen.experiment, seed=seed)
    if options.sequential:
        refuse_unfit_for_early_stop(experiment)
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        watchers: list[BenchWatcher] = [LiveFiles(), watcher_for(quiet)]
        if options.sequential:
            early = EarlyStop(supervisor, say)
            watchers.append(early)
            options = replace(options, decided=early.decided)
        run_bench(path, experiment, options, supervisor, watcher=Together(*watchers))
        signum = supervisor.stop.signum
    derived = derive_bench(path)
    _tell_run(derived, options)
    judged = is_judged(derived)
    say(f"the run is in {path}\n{next_step(derived.record, chosen.words, judged=judged)}")
    return 128 + signum if signum is not None else 0 if derived.record.status == "done" else 3


def _tell_run(derived: Derived, options: BenchOptions) -> None:
    """Tell how far a run came, and what stopped it."""
    from ..store.bench import MONEY
    from ..views.experiment import terminal

    record, findings = derived
    put(terminal.render_status(record, findings, look_at(1)))
    if record.status == "invalid":
        say(terminal.render_discards(findings.discards, look_at(2)))
    if record.stopped == MONEY:
        say(f"stopped: ${options.max_cost_usd} of --max-total-cost-usd are spent")


def run_detached(path: Path) -> int:
    """Start the same command in the background, and say where it works."""
    from ..process.detach import start_detached, under_way
    from ..store.bench import read_log
    from ..store.lines import is_held
    from ..store.rundir import LOG

    words = [word for word in sys.argv[1:] if word != "--detach"]
    log = path / DETACHED_LOG
    # -P: no module of the caller's directory takes the place of one of ours
    program = start_detached([sys.executable, "-P", "-m", "runledger", *words], log)
    code = under_way(program, lambda: is_held(path / LOG), BEGUN_WITHIN_S)
    if code:
        said = log.read_text("utf-8", "replace")[-TAIL_CHARS:].strip()
        say(said or f"it ended with exit code {code} and said nothing; see {log}")
        return code
    program.returncode = 0  # it is not ours to wait for
    launches = read_log(path).launches
    say(f"process {launches[-1].pid if launches else program.pid} runs it in {path}")
    say(f"how far it is: runledger bench status {shlex.quote(str(path))}")
    return 0


def judge_answers(chosen: Chosen, path: Path, options: JudgeOptions, quiet: bool) -> int:
    """Judge the answers of a run, tell how it went, and give the exit code."""
    from ..harness.bench_views import derive_bench, read_derived
    from ..harness.judge_experiment import judge_experiment
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .bench_progress import told_by_tenths

    record = read_derived(path).record
    warn_of_change(chosen, record)
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        judged = judge_experiment(
            path,
            record,
            options,
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
        say(next_step(derived.record, chosen.words, judged=True))
    whole = derived.record.status == "done"
    if not whole:
        say(f"not all was run ({derived.record.status}): there will be more to judge")
    return 128 + signum if signum is not None else _judge_code(judged, whole)


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


def _judge_code(judged: Judged, whole: bool) -> int:
    if not whole:
        return 3
    return 3 if judged.left and not judged.written else 0


def is_judged(derived: Derived) -> bool:
    """Say whether every run of an experiment that counts is judged."""
    return bool(derived.findings.scores) and not derived.findings.unjudged


def next_step(record: BenchRecord, words: str, *, judged: bool = False) -> str:
    """Say what a user does next; `words` name the experiment in a command."""
    match record.status:
        case "planned" | "interrupted":
            return f"to go on: runledger bench run {words}"
        case "running":
            return f"to look again: runledger bench status {words}"
        case "invalid":
            return "find the cause, then run the experiment's file again: it begins a new run"
    step = "report" if judged else "judge"
    return f"next: runledger bench {step} {words}"


def short_of(derived: Derived, words: str) -> Iterator[str]:
    """Tell what keeps a report from being the last word."""
    record, findings = derived
    if record.status != "done":
        yield f"not all was run ({record.status}); {next_step(record, words)}"
    elif findings.unjudged:
        runs = "1 run is" if findings.unjudged == 1 else f"{findings.unjudged:,} runs are"
        yield f"{runs} not judged; {next_step(record, words)}"


def report_code(record: BenchRecord, findings: Findings, fail_on_inconclusive: bool) -> int:
    """Choose the exit code of a report."""
    if record.status != "done" or findings.unjudged:
        return 3
    if findings.verdict == "inconclusive" and fail_on_inconclusive:
        return INCONCLUSIVE
    return VERDICT_CODES[findings.verdict or "pass"]
