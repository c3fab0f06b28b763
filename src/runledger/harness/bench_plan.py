"""Plan an experiment before anything runs: its directory, its order, and what it would take."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ..capture.plan import plan_runs
from ..capture.prefix import Prefixes
from ..compare.planning import smallest_effect, smallest_points, units_of
from ..errors import PrefixFailed, UnknownName
from ..ledger.clock import Clock
from ..ledger.estimate import DryCondition, Estimate
from ..ledger.experiment import Condition, Experiment
from ..ledger.findings import BenchRecord
from ..ledger.prompts import prompts_of
from ..ledger.settled import settled_in
from ..ledger.suite import Suite, fill_in
from ..ledger.task import Task
from ..process.supervisor import Supervisor
from ..store.bench import write_plan
from ..store.protocol import PROTOCOL, protocol_text
from ..store.record import begin_record
from ..store.rundir import make_run_directory
from ..store.whole import write_whole
from .conditions import asked_under, suite_under
from .conduct import SYSTEM_CLOCK
from .furnish import agent_environment, cleaner_for, secrets_of
from .manifest import Selection, manifest_of

SEED_BYTES = 4


def plan_bench(experiment: Experiment, output_dir: Path, clock: Clock = SYSTEM_CLOCK) -> Path:
    """Make the directory of a run and write down all that it will do; the plan comes last."""
    seed = experiment.seed if experiment.seed is not None else _drawn()
    suite = suite_under(experiment, experiment.conditions[0])
    path = make_run_directory(output_dir, clock)
    selection = Selection(experiment.tasks, experiment.trials, experiment.parallel_tasks)
    manifest = manifest_of(suite, selection, path.name, clock)
    begin_record(path, manifest, clock, secrets_of(suite, os.environ)).close()
    text = protocol_text(experiment.protocol, seed, cleaner_for(suite))
    write_whole(path / PROTOCOL, text.encode())
    ids = [task.id for task in experiment.tasks]
    names = [one.name for one in experiment.conditions]
    write_plan(path, plan_runs(ids, names, experiment.trials, seed))
    return path


def estimate_of(experiment: Experiment, earlier: Iterable[BenchRecord]) -> Estimate:
    """Tell what a plan could show and what it would take, by an earlier run if there is one."""
    runs = len(experiment.tasks) * len(experiment.conditions) * experiment.trials
    side_by_side = min(experiment.parallel_tasks, len(experiment.tasks))
    known = next((one for one in earlier if settled_in(one).counting), None)
    estimate = Estimate(
        most_seconds=runs * experiment.timeout_s / side_by_side,
        smallest_sd=smallest_effect(units_of(experiment), experiment.level),
    )
    if known is None:
        return estimate
    counting = settled_in(known).counting.values()
    costs = [one.usage.cost_usd for one in counting if one.usage.cost_usd is not None]
    points = smallest_points(known, units_of(experiment))
    return replace(
        estimate,
        seconds=_mean([one.duration_s for one in counting]) * runs / side_by_side,
        cost_usd=_mean(costs) * runs if costs else None,
        from_run=known.run_id,
        smallest_points=points,
        spread_from=None if points is None else known.run_id,
    )


def dry_run(
    experiment: Experiment, task_id: str | None, supervisor: Supervisor
) -> tuple[DryCondition, ...]:
    """Show how each condition would be asked one task, without asking."""
    task = _task(experiment, task_id)
    prefixes = Prefixes(experiment.directory, supervisor)
    return tuple(_dry(experiment, one, task, prefixes) for one in experiment.conditions)


def _dry(
    experiment: Experiment, condition: Condition, task: Task, prefixes: Prefixes
) -> DryCondition:
    suite = suite_under(experiment, condition)
    note = None
    try:
        before = prefixes.before(task, condition.prefix, 1)
    except PrefixFailed as error:
        before, note = "", str(error)
    prompts = prompts_of(asked_under(task, condition, before).input)
    first = prompts[0] if prompts else ""
    directory = experiment.cwd if experiment.workspace == "shared" else "{workspace}"
    return DryCondition(
        name=condition.name,
        command=tuple(_command(suite, first, directory)),
        directory=directory,
        prompt="\n\n".join(prompts),
        env_names=tuple(sorted(agent_environment(suite.agent, os.environ))),
        note=note,
    )


def _command(suite: Suite, prompt: str, directory: str) -> list[str]:
    places = {"suite": suite.directory, "workspace": directory}
    words = fill_in(suite.agent.command, python=sys.executable, **places)
    if suite.agent.protocol != "headless":
        return words
    from ..agents.headless.command import command_for  # the others pay nothing for it

    return command_for(suite.agent, words, prompt, None, None)


def _task(experiment: Experiment, task_id: str | None) -> Task:
    known = {task.id: task for task in experiment.tasks}
    if task_id is None:
        return experiment.tasks[0]
    if task_id not in known:
        raise UnknownName("task", task_id, known)
    return known[task_id]


def _drawn() -> int:
    return int.from_bytes(os.urandom(SEED_BYTES))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
