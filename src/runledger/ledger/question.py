"""What a grader is asked, in the words of the grader protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .result import steps_of
from .trajectory import Trajectory, output_in
from .value import Absent, Json


@dataclass(frozen=True, slots=True)
class Question:
    """One answer of an agent, and all that a grader may want to know about it."""

    input: Json
    output: Json
    expected: Json = None
    trajectory: Sequence[Json] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    cwd: str = "."


def question_of(trajectory: Trajectory, cwd: str) -> Question:
    """Ask about a trial: what was asked, answered and done, and where."""
    task = trajectory.trial.task
    output = output_in(trajectory.events)
    return Question(
        input=task.input,
        output="" if isinstance(output, Absent) else output,
        expected=task.expected,
        trajectory=list(steps_of(trajectory)),
        metadata=task.metadata,
        cwd=cwd,
    )


def question_fields(question: Question) -> dict[str, Json]:
    """Write a question as the object that a grader reads."""
    return {
        "input": question.input,
        "output": question.output,
        "expected": question.expected,
        "trajectory": list(question.trajectory),
        "metadata": dict(question.metadata),
        "cwd": question.cwd,
    }
