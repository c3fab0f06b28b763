"""Run a suite: plan, capture, grade, record, and derive the views from the record."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from .. import registry
from ..capture.plan import trials_of
from ..capture.trial import Stage, refuse_trial, run_trial
from ..errors import CassetteError, Interrupted, StoreError
from ..executors import Executor
from ..graders import Place
from ..ledger.baseline import Baseline
from ..ledger.clock import Clock
from ..ledger.grade import Failure
from ..ledger.result import capture_result
from ..ledger.run import Ending, Summary, TrialRow
from ..ledger.suite import Suite
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Trajectory
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from ..store.rundir import RunWriter, make_run_directory, read_run
from ..tools import ToolSource
from .derive import derive_views
from .furnish import driver_for, secrets_of, source_for
from .grading import finish_tools, grade_trajectory, internal_failure, row_of
from .manifest import Selection, manifest_of
from .prepare import Prepared, RunOptions, prepare

SYSTEM_CLOCK = Clock(time.time, time.monotonic)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A finished run: where it is, and what it came to."""

    path: Path
    summary: Summary


class Watcher(Protocol):
    """Somebody who is told how a run goes on."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Learn that a run of so many trials begins."""

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Learn how a trial ended, and what its line of results.jsonl says."""

    def finish(self) -> None:
        """Learn that no more trials will end."""


class Unwatched:
    """Watch nothing."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Ignore that a run begins."""

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Ignore that a trial has ended."""

    def finish(self) -> None:
        """Ignore that no more trials will end."""


DEFAULTS = RunOptions()
UNWATCHED = Unwatched()


def run_suite(
    suite: Suite,
    options: RunOptions = DEFAULTS,
    *,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Run the chosen cases of a suite and give the run's directory and summary."""
    with Supervisor() as supervisor:
        (prepared,) = prepare([suite], options, supervisor)
        return run_prepared(prepared, options, supervisor, watcher=watcher, clock=clock)


def run_prepared(
    prepared: Prepared,
    options: RunOptions,
    supervisor: Supervisor,
    *,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Run what was prepared and give the run's directory and summary."""
    suite, tasks = prepared.suite, prepared.tasks
    path = make_run_directory(Path(options.output_dir or suite.output_dir) / suite.name, clock)
    selection = Selection(tasks, options.trials, options.jobs)
    with contextlib.ExitStack() as stack:
        manifest = manifest_of(suite, selection, path.name, clock)
        writer = RunWriter(path, manifest, clock, secrets_of(suite, os.environ))
        stack.callback(writer.close)
        writer.start({"run_id": path.name, "suite_name": suite.name, "mode": suite.mode})
        watcher.begin(suite, len(tasks) * options.trials, path)
        stack.callback(watcher.finish)
        driver = driver_for(suite, supervisor)
        stack.callback(driver.close)
        floor = _Floor(
            stage=Stage(driver, frozenset(suite.tools.names), writer.note, clock),
            open_tools=source_for(suite, prepared.toolbox),
            writer=writer,
            place=Place(suite.directory, supervisor, options.grader_timeout_s),
            watcher=watcher,
            agent=" ".join(suite.agent.command),
            fail_fast=options.fail_fast,
        )
        jobs = min(options.jobs, len(tasks) * options.trials)
        started = clock.monotonic()
        wake = partial(supervisor.stop.request, signal.SIGINT)
        executor = registry.find("executors", "local")(jobs, wake)
        interrupted = _execute(executor, trials_of(tasks, options.trials), floor)
        wall_ms = int((clock.monotonic() - started) * 1000)
        _end(writer, Ending(wall_ms, interrupted), prepared.baseline)
    return RunOutcome(path, derive_views(path))


def _end(writer: RunWriter, ending: Ending, baseline: Baseline | None) -> None:
    """End the record with the comparison with the baseline; a fault in it costs no ending."""
    try:
        if baseline is not None:
            from .baselines import beside  # without a baseline nobody pays for it

            ending = beside(replace(read_run(writer.path), ending=ending), baseline).ending
    finally:
        writer.end(ending)


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
        result = capture_result(trajectory, row.status, self.agent)
        line = self.writer.end_trial(trial, row, result)
        self.watcher.ended(row, line)
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
            captured = run_trial(trial, self.stage, source, self.place.directory)
            graded = grade_trajectory(captured, self.place, self.stage.note)
            return finish_tools(graded, source, self.stage.note)
