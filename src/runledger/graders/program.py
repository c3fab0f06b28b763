"""Ask a program: a question in on standard input, a verdict out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from ..errors import SpawnFailed
from ..ledger.cut import beginning, ending
from ..ledger.question import Question, question_fields
from ..ledger.strict_json import NotJson, loads
from ..ledger.value import Json
from ..process.program import Finished, run_program
from ..process.supervisor import Launch, Supervisor
from .verdict import Fault, Verdict, verdict_in

T = TypeVar("T")

ANSWER_CAP = 1024 * 1024
KEPT = 2000  # characters of what a broken grader printed


class OutOfTime(Fault):
    """Say that a program did not finish in time."""


def ask_program(
    launch: Launch, question: Question, supervisor: Supervisor, timeout_s: float
) -> Verdict:
    """Give a program the question and read its verdict, or raise the fault that it has."""
    return answer_of(launch, question_fields(question), supervisor, timeout_s, verdict_in)


def answer_of(
    launch: Launch,
    question: Mapping[str, Json],
    supervisor: Supervisor,
    timeout_s: float,
    read: Callable[[Mapping[str, Json]], T],
    unwrap: Callable[[bytes], bytes] = bytes,
) -> T:
    """Give a program an object and read the one that it answers, or raise the fault that it has.

    `unwrap` takes off what stands around the object.
    """
    try:
        finished = run_program(supervisor, launch, _written(question), timeout_s, ANSWER_CAP)
    except SpawnFailed as error:
        raise Fault(str(error)) from None
    try:
        return read(_object(finished, timeout_s, unwrap))
    except Fault as fault:
        raise type(fault)(str(fault), _seen(finished)) from None


def _written(question: Mapping[str, Json]) -> bytes:
    try:
        return json.dumps(question).encode()  # ASCII: a lone surrogate stays valid JSON
    except RecursionError:
        raise Fault("the trial is nested too deep to be handed over") from None


def _object(
    finished: Finished, timeout_s: float, unwrap: Callable[[bytes], bytes]
) -> Mapping[str, Json]:
    if finished.timed_out:
        raise OutOfTime(f"it did not finish within {timeout_s:g} s")
    ending = _bad_ending(finished)
    if ending:
        raise Fault(ending)
    try:
        answer = loads(unwrap(finished.stdout))
    except NotJson as reason:
        raise Fault(f"its output is not one JSON object ({reason}); print logs to stderr") from None
    if not isinstance(answer, dict):
        raise Fault("its output is not a JSON object")
    return answer


def _bad_ending(finished: Finished) -> str:
    if finished.too_large:
        return f"it printed more than {ANSWER_CAP} bytes"
    if finished.signal:
        return f"it was ended by {finished.signal}"
    return f"it exited with status {finished.code}" if finished.code else ""


def _seen(finished: Finished) -> dict[str, Json]:
    printed = beginning(finished.stdout.decode("utf-8", "backslashreplace"), KEPT).rstrip()
    said = ending(finished.stderr, KEPT)
    return {"stdout": printed, "stderr": said, "code": finished.code, "signal": finished.signal}
