"""Open the grader that the command line names, for answers that were given before."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..graders import Judge, Place
from ..graders.choice import check_grader_choice
from ..graders.custom import CustomGrader
from ..graders.hosts import Hosts
from ..ledger.captured import Captured
from ..ledger.grade import NOT_JUDGED, Failure, Grade
from ..ledger.question import Question
from ..ledger.result import GRADER_ERROR, error_text
from ..process.supervisor import Supervisor
from ..store.redact.environment import secrets_in
from ..store.redact.redactor import Redactor

HERE = "."
OF_GRADERS = frozenset({"assertion_failed", "grader_error"})
"""Failures that graders find or have, which another grader does not take over."""


@contextmanager
def opened_judge(name: str, supervisor: Supervisor, timeout_s: float) -> Iterator[Judge]:
    """Give the grader of this name, or say what is wrong with it before anything is judged."""
    with Hosts(supervisor) as hosts:
        place = Place(os.path.realpath(HERE), supervisor, timeout_s, hosts=hosts)
        check_grader_choice(name, place)
        yield CustomGrader(name, place)


def judge_captured(captured: Captured, judge: Judge) -> Grade:
    """Judge a trial, unless the agent gave nothing to judge, which is its own failure."""
    stopped = _stopped(captured)
    if stopped is None:
        return judge.judge(_question(captured))
    return Grade(judge.name, False, 0.0, (), stopped)


def errors_of_agent(captured: Captured) -> list[str]:
    """List the errors of a trial that tell of the agent, and not of a grader or its verdict."""
    failures: Any = captured.line.get("failures")
    if failures is not None:  # a run's own line says of which kind each one is
        return [error_text(_noun(one)) for one in failures if one["type"] not in OF_GRADERS]
    return [error for error in captured.errors if not error.startswith(GRADER_ERROR)]


def _noun(failure: Mapping[str, Any]) -> Failure:
    return Failure(failure["type"], failure["message"], failure.get("details") or {})


def _stopped(captured: Captured) -> str | None:
    """Say what ended a trial before there was anything to judge."""
    failures: Any = captured.line.get("failures", ())
    for failure in failures:
        if failure["type"] in NOT_JUDGED - OF_GRADERS:
            return str(failure["message"])
    errors = errors_of_agent(captured)
    return errors[0] if errors and captured.output == "" else None


def _question(captured: Captured) -> Question:
    """Ask about an answer that was captured; the files are the caller's, as they are now."""
    return Question(
        input=captured.input,
        output=captured.output,
        expected=captured.expected,
        trajectory=captured.trajectory,
        metadata=captured.metadata,
        cwd=os.path.realpath(HERE),
    )


def own_redactor() -> Redactor:
    """Make the redactor of what graders say: they have the caller's environment."""
    return Redactor(secrets_in({}, os.environ))
