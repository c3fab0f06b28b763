"""Grade what was captured, and say how the trial ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from ..errors import RunledgerError, TrialFault
from ..graders import Grader, Place, graders_for
from ..ledger.event import Event, Failed, Graded, Happening
from ..ledger.grade import Failure, Grade, bounded, grade_of, status_of
from ..ledger.run import TrialRow
from ..ledger.task import Trial
from ..ledger.trajectory import Trajectory, calls_by_name, failures_in, output_in, tally_of
from ..ledger.usage import unjudged
from ..ledger.value import Absent, Json
from ..tools import ToolSource

Note: TypeAlias = Callable[[Trial, Happening], None]


def add_late_fault(trajectory: Trajectory, fault: TrialFault | None, note: Note) -> Trajectory:
    """Let a trial fail of what one of its servers found out when the agent was gone."""
    if fault is None or failures_in(trajectory.events):
        return trajectory
    failure = Failure(fault.kind, str(fault), fault.details)
    return _extended(trajectory, [Failed(bounded(failure))], note)


def grade_trajectory(trajectory: Trajectory, place: Place, note: Note) -> Trajectory:
    """Judge a trial that can be judged; the grades and failures become its last events."""
    if status_of(failures_in(trajectory.events)) == "error":
        return trajectory
    return _extended(trajectory, list(_verdicts(trajectory, place)), note)


def finish_tools(trajectory: Trajectory, source: ToolSource, note: Note) -> Trajectory:
    """Let the source of the answers finish after a trial that went well."""
    left = [] if failures_in(trajectory.events) else source.finish()
    finished = _extended(trajectory, [Failed(bounded(failure)) for failure in left], note)
    return replace(finished, cassette=source.use())


def row_of(trajectory: Trajectory) -> TrialRow:
    """Say how a trial ended."""
    failures = failures_in(trajectory.events)
    status = status_of(failures)
    tally = tally_of(trajectory)
    missing = unjudged(trajectory.trial.task.limits, tally.usage)
    return TrialRow(
        case_id=trajectory.trial.task.id,
        trial=trajectory.trial.number,
        attempt=trajectory.trial.attempt,
        status=status,
        tally=tally,
        answered=not isinstance(output_in(trajectory.events), Absent),
        tool_calls_by_name=calls_by_name(trajectory.events),
        failures=failures,
        cassette=trajectory.cassette,
        exit=trajectory.exit,
        unjudged=() if status == "error" else missing,
    )


def internal_failure(error: Exception) -> Failure:
    """Write down a fault of our own, with what we need to find it."""
    message = f"RunLedger itself failed: {type(error).__name__}: {error}"
    return Failure("internal_error", message, _trace(error))


def _trace(error: Exception) -> dict[str, Json]:
    import traceback  # only a fault pays for it

    return {"traceback": "".join(traceback.format_exception(error)[-6:])}


def _extended(trajectory: Trajectory, found: Sequence[Happening], note: Note) -> Trajectory:
    for what in found:
        note(trajectory.trial, what)
    last = trajectory.events[-1].ms if trajectory.events else 0
    return replace(trajectory, events=(*trajectory.events, *(Event(last, what) for what in found)))


def _verdicts(trajectory: Trajectory, place: Place) -> Iterator[Happening]:
    for grader in graders_for(trajectory.trial.task, place):
        grade = _grade(grader, trajectory)
        yield Graded(grade)
        for failure in grade.failures:
            yield Failed(bounded(failure))


def _grade(grader: Grader, trajectory: Trajectory) -> Grade:
    try:
        return grader.grade(trajectory)
    except RunledgerError:
        raise
    except Exception as error:  # a grader's fault must not cost what was captured
        message = f"{grader.name} failed: {type(error).__name__}: {error}"
        return grade_of(grader.name, [Failure("grader_error", message, _trace(error))])
