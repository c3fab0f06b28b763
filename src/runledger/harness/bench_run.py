"""Run an experiment: block by block in the planned order, again what was discarded, and go on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from .. import registry
from ..capture.course import Course, Turn
from ..capture.prefix import Prefixes
from ..capture.trial import Limit, Stage
from ..capture.workspace import Shared, Workspaces, copies, is_repository, remove, worktrees
from ..errors import Interrupted, UsageError
from ..ledger.attempt import Attempt, Block
from ..ledger.clock import Clock
from ..ledger.experiment import Condition, Experiment
from ..ledger.findings import BenchRecord
from ..ledger.run import Ending
from ..process.supervisor import Supervisor
from ..store.bench import DECIDED, DISCARDS, MONEY, read_bench, read_log
from ..store.disk import private_directory
from ..store.record import RunWriter, continue_record
from .agent_choice import refuse_unfit, require_program
from .bench_attempt import Bench
from .conditions import suite_under
from .conduct import SYSTEM_CLOCK, Purse
from .furnish import driver_for, secrets_of, toolbox_for

TIMEOUT = "timeout_s"


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """How far an experiment may go, and who is asked after each task whether that is enough."""

    max_cost_usd: float | None = None
    sequential: bool = False
    decided: Callable[[], bool] = lambda: False  # which hears of attempts as a watcher


class BenchWatcher(Protocol):
    """Somebody who is told how an experiment goes on."""

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Learn that so many runs are left to do."""

    def ended(self, attempt: Attempt, left: int) -> None:
        """Learn how an attempt ended, and what is left now; called from its own thread."""

    def finish(self) -> None:
        """Learn that nothing more will end."""


class Unwatched:
    """Watch nothing."""

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Ignore what is left."""

    def ended(self, attempt: Attempt, left: int) -> None:
        """Ignore how an attempt ended."""

    def finish(self) -> None:
        """Ignore the end."""


NOBODY = Unwatched()


def run_bench(
    path: Path,
    experiment: Experiment,
    options: BenchOptions,
    supervisor: Supervisor,
    *,
    watcher: BenchWatcher = NOBODY,
    clock: Clock = SYSTEM_CLOCK,
) -> None:
    """Do what is left of a run, and write down why it stopped if that was before its plan."""
    refuse_unfit_agent(experiment)
    log, record = read_log(path), read_bench(path, experiment)
    course = Course(record.plan, record.seed, record.attempts, log.tries)
    with ExitStack() as stack:
        writer = continue_record(log, clock, _secrets(experiment))
        stack.callback(writer.close)
        writer.start(_beginning(record, options))
        watcher.begin(record, course.left(), path)
        stack.callback(watcher.finish)
        conductor = _Conductor(
            course=course,
            bench=_bench(experiment, writer, supervisor, stack),
            purse=Purse(options.max_cost_usd, course.spent_usd()),
            supervisor=supervisor,
            watcher=watcher,
            decided=options.decided,
        )
        started = clock.monotonic()
        conductor.run(experiment.parallel_tasks)
        writer.end(conductor.ending(int((clock.monotonic() - started) * 1000)))


class _Conductor:
    """Let the blocks be run, again and again until none is left or something says stop."""

    def __init__(
        self,
        course: Course,
        bench: Bench,
        purse: Purse,
        supervisor: Supervisor,
        watcher: BenchWatcher,
        decided: Callable[[], bool],
    ) -> None:
        self._course = course
        self._bench = bench
        self._purse = purse
        self._supervisor = supervisor
        self._watcher = watcher
        self._decided = decided
        self._enough = False

    def run(self, parallel: int) -> None:
        """Run what is left; what is discarded meanwhile comes after all the others."""
        wake = partial(self._supervisor.stop.request, signal.SIGINT)
        while self._goes_on() and (tasks := self._course.tasks()):
            executor = registry.find("executors", "local")(min(parallel, len(tasks)), wake)
            try:
                executor.run(tasks, self._run_task)
            except Interrupted:
                return
            if self._purse.refused:
                return

    def ending(self, wall_ms: int) -> Ending:
        """Say how it ended: all done, stopped for a reason, or broken off."""
        stopped = self._stopped()
        over = stopped in (DISCARDS, DECIDED) or not self._course.left()
        return Ending(wall_ms, interrupted=not over, stopped=stopped)

    def _stopped(self) -> str | None:
        if self._too_many_discards():
            return DISCARDS
        if not self._course.left():
            return None
        if self._enough:
            return DECIDED
        return MONEY if self._purse.refused else None

    def _run_task(self, blocks: Sequence[Block]) -> bool:
        """Run the blocks of one task, one after the other."""
        for block in blocks:
            for turn in self._course.turns(block):
                if not self._goes_on() or not self._purse.allows():
                    return False
                self._run_turn(turn)
        self._bench.prefixes.forget(blocks[0].task_id)
        if self._decided():
            self._enough = True
        return self._goes_on()

    def _run_turn(self, turn: Turn) -> None:
        attempt = self._bench.attempt(turn)
        self._course.add(attempt)
        self._purse.pay(attempt.usage.cost_usd)
        self._watcher.ended(attempt, self._course.left())

    def _goes_on(self) -> bool:
        stopped = self._supervisor.stop.requested or self._enough
        return not stopped and not self._too_many_discards()

    def _too_many_discards(self) -> bool:
        most = self._bench.experiment.most_discards
        return self._course.discards() > most


def refuse_unfit_agent(experiment: Experiment) -> None:
    """Raise for an agent that is not there, tasks that it cannot be given, or no repository."""
    if experiment.workspace == "git-worktree" and not is_repository(Path(experiment.cwd)):
        told = f"agent.workspace: git-worktree needs a git repository, and {experiment.cwd} is none"
        raise UsageError(told)
    for condition in experiment.conditions:
        suite = suite_under(experiment, condition)
        require_program(suite.agent, experiment.directory)
        refuse_unfit(suite)


def _secrets(experiment: Experiment) -> tuple[str, ...]:
    return secrets_of(suite_under(experiment, experiment.conditions[0]), os.environ)


def _beginning(record: BenchRecord, options: BenchOptions) -> dict[str, str | int | bool]:
    return {
        "run_id": record.run_id,
        "experiment_name": record.experiment.name,
        "mode": "live",
        "pid": os.getpid(),
        "sequential": options.sequential or record.sequential,
    }


def _bench(
    experiment: Experiment, writer: RunWriter, supervisor: Supervisor, stack: ExitStack
) -> Bench:
    conditions = {one.name: one for one in experiment.conditions}
    toolbox = toolbox_for(suite_under(experiment, experiment.conditions[0]), supervisor)
    assert toolbox is not None  # there is one outside replay
    return Bench(
        experiment=experiment,
        conditions=conditions,
        tasks={task.id: task for task in experiment.tasks},
        stages={
            name: _stage(experiment, one, writer, supervisor, stack)
            for name, one in conditions.items()
        },
        open_tools=toolbox.open,
        workspaces=stack.enter_context(_workspaces(experiment, supervisor)),
        prefixes=Prefixes(experiment.directory, supervisor),
        writer=writer,
    )


def _stage(
    experiment: Experiment,
    condition: Condition,
    writer: RunWriter,
    supervisor: Supervisor,
    stack: ExitStack,
) -> Stage:
    driver = driver_for(suite_under(experiment, condition), supervisor)
    stack.callback(driver.close)
    limit = Limit(int(experiment.timeout_s * 1000), TIMEOUT)
    return Stage(driver, frozenset(), writer.note, writer.clock, limit=limit)


@contextmanager
def _workspaces(experiment: Experiment, supervisor: Supervisor) -> Iterator[Workspaces]:
    """Give every run the agent's directory, or a copy or worktree of it for itself alone."""
    if experiment.workspace == "shared":
        yield Shared(experiment.cwd)
        return
    origin = Path(experiment.cwd)
    base = private_directory("runledger-")
    try:
        if experiment.workspace == "copy":
            yield copies(base, origin, keep=False)
        else:
            yield worktrees(base, origin, supervisor, keep=False)
    finally:
        remove(base)
