"""Graders judge a trajectory: one Protocol, and how an assertion becomes a grader.

output    what the agent answered
calls     which tools it asked for, in which order, with which arguments
budgets   what it used
script    whatever a program that the suite names says
custom    whatever a function or program that the command line names says

Their tools: schema is JSON Schema whose patterns cannot hang; choice, program, python, hosts and
verdict are about graders of the user's. validity says whether an attempt of an experiment counts.
Its answers are judged without the condition by answers, blind, markers, criteria, judges and sheet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from .. import registry
from ..ledger.assertion import Assertion, Custom, Script
from ..ledger.grade import Failure, Grade, assertion_failure, grade_of
from ..ledger.question import Question, question_of
from ..ledger.task import Task
from ..ledger.trajectory import Trajectory, failures_in, output_in
from ..ledger.usage import Limits
from ..ledger.value import ABSENT, Absent
from ..process.supervisor import Supervisor

if TYPE_CHECKING:
    from .hosts import Hosts


class Grader(Protocol):
    """Judge a trajectory: change nothing, and say the same of the same trajectory each time."""

    @property
    def name(self) -> str:
        """Name the grader, as its grades do."""

    def grade(self, trajectory: Trajectory) -> Grade:
        """Judge one trial; what falls short is in the grade's failures, never an exception."""


class Judge(Grader, Protocol):
    """Judge a single answer too, without the trial that it came from."""

    def judge(self, question: Question) -> Grade:
        """Judge one answer of an agent."""


Check: TypeAlias = Callable[[Any, Trajectory], Iterator[Failure]]
"""An assertion that needs nothing but the trajectory: yields what falls short."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where programs of the user's run, who watches over them, and for how long at most."""

    directory: str  # of the suite, where programs are started
    supervisor: Supervisor
    timeout_s: float = 60.0
    python: str = sys.executable
    workspace: str | None = None  # where the agent worked, if not in the same directory
    caller: str = "."  # where a grader that the command line names is found and started
    hosts: Hosts | None = None  # of Python graders; without it, each question has a new one


@dataclass(frozen=True, slots=True)
class AssertionGrader:
    """Judge by one assertion that needs no model and no program."""

    assertion: Assertion
    check: Check

    @property
    def name(self) -> str:
        """Name the grader by its assertion's type."""
        return self.assertion.type

    def grade(self, trajectory: Trajectory) -> Grade:
        """Judge one trial by the assertion."""
        try:
            return grade_of(self.name, self.check(self.assertion, trajectory))
        except RecursionError:
            return grade_of(self.name, [_too_deep(self.name)])


def graders_for(task: Task, place: Place) -> Iterator[Grader]:
    """Yield the graders of a task: one for its limits if it has any, one for each assertion."""
    if task.limits != Limits():
        grader: Grader = registry.find("graders", "budgets")(task.limits)
        yield grader
    for assertion in task.assertions:
        yield grader_for(assertion, place)


def grader_for(assertion: Assertion, place: Place) -> Grader:
    """Make the grader that judges by an assertion."""
    made = registry.find("graders", assertion.type)
    grader: Grader
    match assertion:
        case Script(command):
            grader = made(command, place)
        case Custom(name):
            grader = made(name, place)
        case _:
            grader = AssertionGrader(assertion, made)
    return grader


def judge_trial(judge: Judge, trajectory: Trajectory, place: Place) -> Grade:
    """Ask about a trial, unless it was stopped before there was anything to judge."""
    if failures_in(trajectory.events) and isinstance(output_in(trajectory.events), Absent):
        return grade_of(judge.name, [no_output(judge.name, trajectory)])
    return judge.judge(question_of(trajectory, place.workspace or place.directory))


def no_output(assertion: str, trajectory: Trajectory) -> Failure:
    """Say that there is nothing to judge, and what stopped the agent before."""
    causes = dict.fromkeys(failure.type for failure in failures_in(trajectory.events))
    causes.pop("assertion_failed", None)
    why = f"; it was stopped by {', '.join(causes)}" if causes else ""
    message = f"{assertion}: the agent gave no final output{why}"
    details = {"path": "$", "expected": "a final output", "found": None}
    return Failure("assertion_failed", message, {"assertion": assertion, **details})


def _too_deep(assertion: str) -> Failure:
    message = "the value is nested too deep to be judged"
    return assertion_failure(assertion, message, path="$", expected=ABSENT, found=ABSENT)
