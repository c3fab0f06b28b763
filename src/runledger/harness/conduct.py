"""Conduct a run: every trial through capture, grading and the record, then the views."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .. import registry
from ..capture.plan import trials_of
from ..capture.trial import DEFAULT_LIMIT, Limit, Stage, refuse_trial, run_trial
from ..capture.workspace import Ground, Shared, Workspaces
from ..errors import CassetteError, Interrupted, OutsideError, StoreError
from ..executors import Executor
from ..graders import Place
from ..ledger.assertion import Custom
from ..ledger.baseline import Baseline
from ..ledger.clock import Clock
from ..ledger.grade import Failure
from ..ledger.manifest import Enclosure, Manifest
from ..ledger.result import capture_result
from ..ledger.run import Ending, Summary
from ..ledger.suite import Suite
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Trajectory
from ..process.sandbox import Sandbox
from ..process.supervisor import Supervisor
from ..store.record import RunWriter, begin_record, continue_record
from ..store.rundir import make_run_directory, read_run
from .decks import OpenDeck, decks_for
from .derive import derive_views
from .furnish import driver_for, secrets_of
from .grading import add_late_fault, finish_tools, grade_trajectory, internal_failure, row_of
from .manifest import Selection, manifest_of
from .offer import Stagehand
from .watch import UNWATCHED, Watcher

if TYPE_CHECKING:
    from ..graders.hosts import Hosts
    from ..store.resume import Progress
    from ..tools.toolbox import Toolbox

SYSTEM_CLOCK = Clock(time.time, time.monotonic)


@dataclass(frozen=True, slots=True)
class Order:
    """All that one run is to do, and how."""

    suite: Suite
    tasks: tuple[Task, ...]
    output_dir: Path
    trials: int = 1
    repeated: bool = False  # ids of steps name the trial, however many there are
    jobs: int = 1
    limit: Limit = DEFAULT_LIMIT
    fail_fast: bool = False
    grader_timeout_s: float = 60.0
    max_cost_usd: float | None = None
    spent_usd: float = 0.0  # before this run
    workspaces: Workspaces | None = None  # without any, all work in the suite's directory
    toolbox: Toolbox | None = None
    sandbox: Sandbox | None = None  # as the suite asks for it
    baseline: Baseline | None = None
    baseline_file: Path | None = None
    resumed: Progress | None = None  # the run that is gone on with


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A finished run: where it is, and what it came to."""

    path: Path
    summary: Summary
    out_of_money: bool = False


def conduct(
    order: Order,
    supervisor: Supervisor,
    *,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Do the trials of an order and give the run's directory and summary."""
    suite = order.suite
    todo = list(_trials_of(order))
    purse = Purse(order.max_cost_usd, order.spent_usd)
    with contextlib.ExitStack() as stack:
        writer = _writer(order, clock)
        stack.callback(writer.close)
        writer.start({"run_id": writer.path.name, "suite_name": suite.name, "mode": suite.mode})
        watcher.begin(suite, len(todo), writer.path)
        stack.callback(watcher.finish)
        floor = _Floor(
            stage=_stage(order, writer, supervisor, stack),
            open_deck=decks_for(suite, order.toolbox),
            stagehand=Stagehand(suite, supervisor),
            workspaces=order.workspaces or Shared(suite.directory),
            writer=writer,
            place=_place(order, supervisor, stack),
            watcher=watcher,
            agent=" ".join(suite.agent.command),
            fail_fast=order.fail_fast,
            purse=purse,
        )
        started = clock.monotonic()
        wake = partial(supervisor.stop.request, signal.SIGINT)
        executor = registry.find("executors", "local")(min(order.jobs, len(todo)) or 1, wake)
        interrupted = _execute(executor, todo, floor)
        wall_ms = int((clock.monotonic() - started) * 1000) + _spent_before_ms(order)
        _end(writer, Ending(wall_ms, interrupted), order.baseline)
    return RunOutcome(writer.path, derive_views(writer.path), purse.refused)


def planned_by(order: Order, run_id: str, clock: Clock = SYSTEM_CLOCK) -> Manifest:
    """Describe the run that an order asks for."""
    file = None if order.baseline_file is None else str(order.baseline_file.resolve())
    selection = Selection(order.tasks, order.trials, order.jobs, _enclosure(order.sandbox), file)
    return manifest_of(order.suite, selection, run_id, clock)


def _spent_before_ms(order: Order) -> int:
    return 0 if order.resumed is None else order.resumed.wall_ms


def _enclosure(sandbox: Sandbox | None) -> Enclosure:
    if sandbox is None:
        return Enclosure()
    return Enclosure("bwrap", sandbox.version, sandbox.network)


def _without_record(order: Order) -> Sandbox | None:
    """Keep the records of runs from being seen, should they lie in the suite's directory."""
    if order.sandbox is None:
        return None
    return replace(order.sandbox, hidden=(str(order.output_dir.resolve()),))


def _stage(
    order: Order, writer: RunWriter, supervisor: Supervisor, stack: contextlib.ExitStack
) -> Stage:
    driver = driver_for(order.suite, supervisor, _without_record(order))
    stack.callback(driver.close)
    allowed = frozenset(order.suite.tools.names)
    return Stage(driver, allowed, writer.note, writer.clock, limit=order.limit)


def _place(order: Order, supervisor: Supervisor, stack: contextlib.ExitStack) -> Place:
    hosts = _hosts(order, supervisor, stack)
    return Place(order.suite.directory, supervisor, order.grader_timeout_s, hosts=hosts)


def _hosts(order: Order, supervisor: Supervisor, stack: contextlib.ExitStack) -> Hosts | None:
    """Keep the processes of Python graders from trial to trial, where there may be any."""
    if not any(isinstance(one, Custom) for task in order.tasks for one in task.assertions):
        return None
    from ..graders.hosts import Hosts

    return stack.enter_context(Hosts(supervisor))


def _writer(order: Order, clock: Clock) -> RunWriter:
    """Begin the record of a run, or go on with one that was broken off."""
    secrets, names = secrets_of(order.suite, os.environ), order.suite.tools.names
    if order.resumed is not None:
        return continue_record(order.resumed, clock, secrets, names)
    path = make_run_directory(order.output_dir / order.suite.name, clock)
    return begin_record(path, planned_by(order, path.name, clock), clock, secrets, names)


def _trials_of(order: Order) -> Iterator[Trial]:
    """Yield the trials that are still to be done; one that was broken off is a new attempt."""
    repeated = order.repeated or order.trials > 1
    for trial in trials_of(order.tasks, order.trials, repeated=repeated):
        key = trial.task.id, trial.number
        if order.resumed is None:
            yield trial
        elif key not in order.resumed.finished:
            yield replace(trial, attempt=order.resumed.attempts.get(key, 0) + 1)


def _end(writer: RunWriter, ending: Ending, baseline: Baseline | None) -> None:
    """End the record with the comparison with the baseline; a fault in it costs no ending."""
    try:
        if baseline is not None:
            from .baselines import beside  # without a baseline nobody pays for it

            ending = beside(replace(read_run(writer.path), ending=ending), baseline).ending
    finally:
        writer.end(ending)


def _execute(executor: Executor, trials: list[Trial], floor: _Floor) -> bool:
    """Do every trial; say whether something stopped the run before that."""
    try:
        executor.run(trials, floor.do)
    except Interrupted:
        return True
    return floor.place.supervisor.stop.requested or floor.purse.refused


class Purse:
    """What a run may spend, and whether it was asked for more."""

    def __init__(self, most_usd: float | None, spent_usd: float = 0.0) -> None:
        self.refused = False
        self._most = most_usd
        self._spent = spent_usd
        self._lock = threading.Lock()

    def allows(self) -> bool:
        """Say whether another trial may begin."""
        with self._lock:
            if self._most is not None and self._spent >= self._most:
                self.refused = True
            return not self.refused

    def pay(self, usd: float | None) -> None:
        """Take note of what a trial cost, as far as anybody knows."""
        with self._lock:
            self._spent += usd or 0.0


@dataclass(frozen=True, slots=True)
class _Floor:
    """Where the trials of one run are done, each through all its stages."""

    stage: Stage
    open_deck: OpenDeck
    stagehand: Stagehand
    workspaces: Workspaces
    writer: RunWriter
    place: Place
    watcher: Watcher
    agent: str
    fail_fast: bool
    purse: Purse

    def do(self, trial: Trial) -> bool:
        """Take a trial through capture, grading and record; say whether to go on."""
        if self.place.supervisor.stop.requested or not self.purse.allows():
            return False
        trajectory = self._captured_and_graded(trial)
        row = row_of(trajectory)
        self.purse.pay(row.tally.usage.cost_usd)
        result = capture_result(trajectory, row.status, self.agent)
        self.watcher.ended(row, self.writer.end_trial(trial, row, result))
        return row.status == "passed" or not self.fail_fast

    def _captured_and_graded(self, trial: Trial) -> Trajectory:
        try:
            with self.workspaces.open(trial) as ground:
                return self._through_all_stages(trial, ground)
        except (StoreError, Interrupted):
            raise
        except OutsideError as error:  # no workspace: the agent could not be started in it
            return refuse_trial(trial, self.stage, Failure("spawn_failed", str(error)))
        except Exception as error:  # a fault of ours must not cost the other cases
            return refuse_trial(trial, self.stage, internal_failure(error))

    def _through_all_stages(self, trial: Trial, ground: Ground) -> Trajectory:
        try:
            deck = self.open_deck(trial.task, ground)
        except CassetteError as error:
            failure = Failure("cassette_invalid", str(error), {"line": error.line})
            return refuse_trial(trial, self.stage, failure)
        place = replace(self.place, workspace=ground.directory)
        with contextlib.closing(deck.source):
            with self.stagehand.set(trial.task, ground, deck) as scene:
                captured = run_trial(trial, self.stage, deck.source, scene)
            if scene.bell is not None:
                captured = add_late_fault(captured, scene.bell.fault, self.stage.note)
            graded = grade_trajectory(captured, place, self.stage.note)
            return finish_tools(graded, deck.source, self.stage.note)
