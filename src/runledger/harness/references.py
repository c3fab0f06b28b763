"""Try a grader on answers that are known to be good: the references of prompts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from ..graders import Judge
from ..ledger.grade import Grade, is_fault, score_fields
from ..ledger.question import Question
from ..ledger.result import errors_of
from ..ledger.task import Task
from ..ledger.value import Json
from ..store.redact.redactor import Redactor
from .in_order import in_order
from .judging import HERE, own_redactor


@dataclass(frozen=True, slots=True)
class Validated:
    """What a grader says of a reference, and the line that tells it."""

    id: str
    grade: Grade
    line: Mapping[str, Json]


def validate_references(tasks: Iterable[Task], judge: Judge, jobs: int) -> Iterator[Validated]:
    """Judge the reference of each task as if an agent had answered so."""
    return in_order(tasks, partial(_validated, judge, own_redactor()), jobs)


def _validated(judge: Judge, redactor: Redactor, task: Task) -> Validated:
    question = Question(
        input=task.input,
        output=task.reference,
        expected=task.expected,
        metadata=task.metadata,
        cwd=os.path.realpath(HERE),
    )
    grade = judge.judge(question)
    line = redactor.value(_fields(task, grade))
    assert isinstance(line, Mapping)
    return Validated(task.id, grade, {**line, "id": task.id})


def _fields(task: Task, grade: Grade) -> dict[str, Json]:
    line: dict[str, Json] = {"id": task.id, "input": task.input, "reference": task.reference}
    line |= {} if task.expected is None else {"expected": task.expected}
    if is_fault(grade):
        return line | {"errors": errors_of(grade.failures)}
    result = score_fields(grade.passed, grade.score, grade.reasoning)
    return line | {"passes": grade.passed, "graderResult": result}
