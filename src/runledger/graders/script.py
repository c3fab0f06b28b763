"""Judge by a program of the user's: a trial in on standard input, a verdict out."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..errors import SpawnFailed
from ..ledger.cut import beginning, ending
from ..ledger.fingerprint import preview
from ..ledger.grade import Failure, Grade, assertion_failure, grade_of
from ..ledger.question import Question, question_fields, question_of
from ..ledger.strict_json import NotJson, loads
from ..ledger.suite import fill_in
from ..ledger.trajectory import Trajectory, failures_in, output_in
from ..ledger.value import Absent, Json
from ..process.program import Finished, run_program
from ..process.supervisor import Launch
from . import Place, no_output

ANSWER_CAP = 1024 * 1024
REASONING_CAP = 32 * 1024
KEPT = 2000  # characters of what a broken grader printed


class _Fault(Exception):
    """Say what is wrong with the grader itself."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a grader printed, checked."""

    passed: bool
    score: float
    reasoning: str | None
    outcome: Json


@dataclass(frozen=True, slots=True)
class ScriptGrader:
    """Judge by a program in any language."""

    name: ClassVar[str] = "script"
    command: tuple[str, ...]
    place: Place

    def grade(self, trajectory: Trajectory) -> Grade:
        """Ask the program; if it cannot answer, that is its own fault and not the agent's."""
        if failures_in(trajectory.events) and isinstance(output_in(trajectory.events), Absent):
            return grade_of(self.name, [no_output(self.name, trajectory)])
        return self.judge(question_of(trajectory, self.place.workspace or self.place.directory))

    def judge(self, question: Question) -> Grade:
        """Ask the program about one answer."""
        finished = None
        try:
            finished = self._run(question)
            verdict = _read(finished, self.place.timeout_s)
        except (_Fault, SpawnFailed) as fault:
            return grade_of(self.name, [_fault_failure(self.command, fault, finished)])
        failures = () if verdict.passed else (_failure(self.command, verdict),)
        return Grade(
            self.name, verdict.passed, verdict.score, failures, verdict.reasoning, verdict.outcome
        )

    def _run(self, question: Question) -> Finished:
        place = self.place
        argv = fill_in(self.command, python=place.python, suite=place.directory)
        launch = Launch(argv, place.directory, dict(os.environ))
        asked = _written(question)
        return run_program(place.supervisor, launch, asked, place.timeout_s, ANSWER_CAP)


def _written(question: Question) -> bytes:
    try:
        # ASCII: a lone surrogate stays valid JSON
        return json.dumps(question_fields(question)).encode()
    except RecursionError:
        raise _Fault("the trial is nested too deep to be handed over") from None


def _read(finished: Finished, timeout_s: float) -> _Verdict:
    ending = _bad_ending(finished, timeout_s)
    if ending:
        raise _Fault(ending)
    try:
        answer = loads(finished.stdout)
    except NotJson as reason:
        raise _Fault(
            f"its output is not one JSON object ({reason}); print logs to stderr"
        ) from None
    if not isinstance(answer, Mapping):
        raise _Fault("its output is not a JSON object")
    return _checked(answer)


def _bad_ending(finished: Finished, timeout_s: float) -> str:
    if finished.timed_out:
        return f"it did not finish within {timeout_s:g} s"
    if finished.too_large:
        return f"it printed more than {ANSWER_CAP} bytes"
    if finished.signal:
        return f"it was ended by {finished.signal}"
    return f"it exited with status {finished.code}" if finished.code else ""


def _checked(answer: Mapping[str, Json]) -> _Verdict:
    passed, score, reasoning = answer.get("pass"), answer.get("score"), answer.get("reasoning")
    if not isinstance(passed, bool):
        raise _Fault(f'"pass" must be true or false, found {_shown(answer, "pass")}')
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise _Fault(f'"score" must be a number from 0 to 1, found {_shown(answer, "score")}')
    if not isinstance(reasoning, (str, type(None))):
        raise _Fault(f'"reasoning" must be text, found {_shown(answer, "reasoning")}')
    kept = reasoning if reasoning is None else beginning(reasoning, REASONING_CAP)
    return _Verdict(passed, float(score), kept, answer.get("outcome"))


def _shown(answer: Mapping[str, Json], key: str) -> str:
    return preview(answer[key], 60) if key in answer else "nothing"


def _failure(command: Sequence[str], verdict: _Verdict) -> Failure:
    reasoning = beginning(verdict.reasoning or "it gave no reasoning", 500)
    message = f"{_name(command)}: {reasoning}"
    found: Json = {"pass": False, "score": verdict.score}
    return assertion_failure("script", message, path="$", expected={"pass": True}, found=found)


def _fault_failure(command: Sequence[str], fault: Exception, finished: Finished | None) -> Failure:
    message = f"script: {_name(command)}: {fault}"
    details: dict[str, Json] = {"assertion": "script", "command": list(command)}
    if finished is None:
        return Failure("grader_error", message, details)
    printed = beginning(finished.stdout.decode("utf-8", "backslashreplace"), KEPT).rstrip()
    said = ending(finished.stderr, KEPT)
    details |= {"stdout": printed, "stderr": said}
    details |= {"code": finished.code, "signal": finished.signal}
    last = ending(said, 300).strip()
    seen = [("printed", preview(printed, 200) if printed else ""), ("stderr", last)]
    lines = [message, *(f"{where}: {text}" for where, text in seen if text)]
    return Failure("grader_error", "\n".join(lines), details)


def _name(command: Sequence[str]) -> str:
    return beginning(shlex.join(command), 200)
