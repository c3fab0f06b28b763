"""Run a suite: plan, capture, grade, record, and derive the views from the record."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from .. import registry
from ..capture.plan import choose, trials_of
from ..capture.trial import Stage, refuse_trial, run_trial
from ..errors import CassetteError, Interrupted, StoreError
from ..executors import Executor
from ..graders import Place
from ..ledger.clock import Clock
from ..ledger.grade import Failure
from ..ledger.result import capture_result
from ..ledger.run import Ending, Summary, TrialRow
from ..ledger.suite import Suite
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Trajectory
from ..process.supervisor import Supervisor
from ..store.rundir import RunWriter, make_run_directory
from ..tools import ToolSource
from .derive import derive_views
from .furnish import driver_for, source_for
from .grading import finish_tools, grade_trajectory, internal_failure, row_of
from .manifest import Selection, manifest_of

SYSTEM_CLOCK = Clock(time.time, time.monotonic)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the caller wants of a run beyond what the suite says."""

    jobs: int = 1
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int = 1
    fail_fast: bool = False
    output_dir: str | None = None
    grader_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A finished run: where it is, and what it came to."""

    path: Path
    summary: Summary


class Watcher(Protocol):
    """Somebody who is told how a run goes on."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Learn that a run of so many trials begins."""

    def ended(self, row: TrialRow) -> None:
        """Learn that a trial has ended; called from the thread that did it."""

    def finish(self) -> None:
        """Learn that no more trials will end."""


class Unwatched:
    """Watch nothing."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Ignore that a run begins."""

    def ended(self, row: TrialRow) -> None:
        """Ignore that a trial has ended."""

    def finish(self) -> None:
        """Ignore that no more trials will end."""


def narrow(suites: Sequence[Suite], options: RunOptions) -> list[tuple[Suite, RunOptions]]:
    """Find what is chosen of each suite; a name is unknown only if no suite has it."""
    if not options.cases and not options.tags:
        return [(suite, options) for suite in suites]
    every = [task for suite in suites for task in suite.tasks]
    wanted = {id(task) for task in choose(every, options.cases, options.tags)}
    runs = []
    for suite in suites:
        cases = tuple(task.id for task in suite.tasks if id(task) in wanted)
        if cases:
            runs.append((suite, replace(options, cases=cases, tags=())))
    return runs


DEFAULTS = RunOptions()
UNWATCHED = Unwatched()


def run_suite(
    suite: Suite,
    options: RunOptions = DEFAULTS,
    *,
    supervisor: Supervisor | None = None,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Run the chosen cases of a suite and give the run's directory and summary."""
    tasks = choose(suite.tasks, options.cases, options.tags)
    parent = Path(options.output_dir or suite.output_dir) / suite.name
    path = make_run_directory(parent, clock)
    selection = Selection(tasks, options.trials, options.jobs)
    with contextlib.ExitStack() as stack:
        writer = RunWriter(path, manifest_of(suite, selection, path.name, clock), clock)
        stack.callback(writer.close)
        writer.start({"run_id": path.name, "suite_name": suite.name, "mode": suite.mode})
        watcher.begin(suite, len(tasks) * options.trials, path)
        stack.callback(watcher.finish)
        keeper = supervisor or stack.enter_context(Supervisor())
        driver = driver_for(suite, keeper)
        stack.callback(driver.close)
        floor = _Floor(
            stage=Stage(driver, frozenset(suite.tools), writer.note, clock),
            open_tools=source_for(suite),
            writer=writer,
            place=Place(suite.directory, keeper, options.grader_timeout_s),
            watcher=watcher,
            agent=" ".join(suite.agent.command),
            fail_fast=options.fail_fast,
        )
        jobs = min(options.jobs, len(tasks) * options.trials)
        started = clock.monotonic()
        wake = partial(keeper.stop.request, signal.SIGINT)
        executor = registry.find("executors", "local")(jobs, wake)
        interrupted = _execute(executor, trials_of(tasks, options.trials), floor)
        wall_ms = int((clock.monotonic() - started) * 1000)
        writer.end(Ending(wall_ms, interrupted))
    return RunOutcome(path, derive_views(path))


def _execute(executor: Executor, trials: Iterable[Trial], floor: _Floor) -> bool:
    """Do every trial; say whether somebody stopped the run before that."""
    try:
        executor.run(trials, floor.do)
    except Interrupted:
        return True
    return floor.place.supervisor.stop.requested


@dataclass(frozen=True, slots=True)
class _Floor:
    """Where the trials of one run are done, each through all its stages."""

    stage: Stage
    open_tools: Callable[[Task], ToolSource]
    writer: RunWriter
    place: Place
    watcher: Watcher
    agent: str
    fail_fast: bool

    def do(self, trial: Trial) -> bool:
        """Take a trial through capture, grading and record; say whether to go on."""
        if self.place.supervisor.stop.requested:
            return False
        trajectory = self._captured_and_graded(trial)
        row = row_of(trajectory)
        self.writer.end_trial(trial, row, capture_result(trajectory, row.status, self.agent))
        self.watcher.ended(row)
        return row.status == "passed" or not self.fail_fast

    def _captured_and_graded(self, trial: Trial) -> Trajectory:
        try:
            return self._through_all_stages(trial)
        except (StoreError, Interrupted):
            raise
        except Exception as error:  # a fault of ours must not cost the other cases
            return refuse_trial(trial, self.stage, internal_failure(error))

    def _through_all_stages(self, trial: Trial) -> Trajectory:
        try:
            source = self.open_tools(trial.task)
        except CassetteError as error:
            failure = Failure("cassette_invalid", str(error), {"line": error.line})
            return refuse_trial(trial, self.stage, failure)
        with contextlib.closing(source):
            captured = run_trial(trial, self.stage, source)
            graded = grade_trajectory(captured, self.place, self.stage.note)
            return finish_tools(graded, source, self.stage.note)
