"""One attempt of an experiment: the task is asked under a condition, and judged to count or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace

from ..capture.course import Turn
from ..capture.prefix import Prefixes
from ..capture.trial import Scene, Stage, refuse_trial, run_trial
from ..capture.workspace import Workspaces
from ..errors import Interrupted, OutsideError, PrefixFailed, StoreError
from ..graders.validity import Seen, files_matching, standing_of
from ..ledger.attempt import Attempt, Standing
from ..ledger.counts import counts_of
from ..ledger.event import Log
from ..ledger.experiment import Condition, Experiment
from ..ledger.grade import Failure
from ..ledger.prompts import prompts_of
from ..ledger.result import capture_result
from ..ledger.self_report import reported_in
from ..ledger.session import session_of
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Trajectory, output_in, tally_of
from ..ledger.value import Absent
from ..store.attempts import attempt_from, standing_fields, told_fields
from ..store.record import RunWriter
from ..tools import ToolSource
from .conditions import asked_under
from .grading import internal_failure, row_of


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the attempts of an experiment are made."""

    experiment: Experiment
    conditions: Mapping[str, Condition]
    tasks: Mapping[str, Task]
    stages: Mapping[str, Stage]  # by condition: each has an agent of its own
    open_tools: Callable[[], ToolSource]
    workspaces: Workspaces
    prefixes: Prefixes
    writer: RunWriter

    def attempt(self, turn: Turn) -> Attempt:
        """Make an attempt, write it down, and give it as the record has it."""
        slot = turn.slot
        repeated = self.experiment.trials > 1
        trial = Trial(self.tasks[slot.task_id], slot.trial, turn.number, slot.condition, repeated)
        trajectory, standing = self._made(trial, turn)
        if standing.state != "counts":
            told = {"state": standing.state, "cause": standing.cause, "message": standing.message}
            self.writer.note(trial, Log("warning", "standing", told))
        row = row_of(trajectory)
        agent = " ".join(self.experiment.agent.command)
        attempt = self._counted(trajectory, turn, standing)
        line = capture_result(replace(trajectory, trial=trial), row.status, agent)
        line |= told_fields(attempt)
        return attempt_from(self.writer.end_trial(trial, row, line, standing_fields(attempt)))

    def _made(self, trial: Trial, turn: Turn) -> tuple[Trajectory, Standing]:
        stage = self.stages[turn.slot.condition]
        try:
            return self._asked(trial, turn)
        except (StoreError, Interrupted):
            raise
        except PrefixFailed as error:
            refused = refuse_trial(trial, stage, Failure("spawn_failed", str(error)))
            return refused, Standing("discarded", "prefix_failed", str(error))
        except OutsideError as error:  # no workspace: the agent could not be started in it
            refused = refuse_trial(trial, stage, Failure("spawn_failed", str(error)))
            return refused, Standing("discarded", "not_started", str(error))
        except Exception as error:  # a fault of ours must not cost the other runs
            refused = refuse_trial(trial, stage, internal_failure(error))
            return refused, Standing("discarded", "not_started", str(error) or repr(error))

    def _asked(self, trial: Trial, turn: Turn) -> tuple[Trajectory, Standing]:
        condition = self.conditions[turn.slot.condition]
        before = self.prefixes.before(trial.task, condition.prefix, turn.round)
        asked = replace(trial, task=asked_under(trial.task, condition, before))
        with self.workspaces.open(trial) as ground:
            directory = ground.directory
            files = files_matching(directory, condition)
            with closing(self.open_tools()) as source:
                stage = self.stages[condition.name]
                trajectory = run_trial(asked, stage, source, Scene(directory))
            files += files_matching(directory, condition)
        seen = Seen(
            prompts=prompts_of(asked.task.input),
            files=tuple(dict.fromkeys(files)),
            directory=directory,
            visible=self._shows_its_steps(),
        )
        retries = self.experiment.retries
        return trajectory, standing_of(trajectory, condition, retries, seen, turn.tries)

    def _counted(self, trajectory: Trajectory, turn: Turn, standing: Standing) -> Attempt:
        output = output_in(trajectory.events)
        session = session_of(trajectory.events)
        return Attempt(
            slot=turn.slot,
            number=turn.number,
            round=turn.round,
            place=turn.place,
            standing=standing,
            output="" if isinstance(output, Absent) else output,
            duration_s=trajectory.wall_ms / 1000,
            counts=counts_of(trajectory.events, self._shows_its_steps()),
            reported=reported_in("" if isinstance(output, Absent) else output),
            usage=tally_of(trajectory).usage,
            model=session.model,
            version=session.version,
        )

    def _shows_its_steps(self) -> bool:
        adapter = self.experiment.agent.adapter
        return adapter is None or adapter.lines
