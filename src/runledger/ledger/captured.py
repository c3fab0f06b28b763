"""A trial as a results file tells it: what views, graders and comparisons read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .grade import NOT_VALID
from .usage import Usage
from .value import Json


@dataclass(frozen=True, slots=True)
class Score:
    """What a grader said of a trial."""

    passed: bool
    score: float
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """One trial of one task, read back; `line` is all that its line says."""

    id: str
    input: Json
    output: Json
    duration_ms: int
    trajectory: Sequence[Mapping[str, Json]] = ()
    expected: Json = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    tool_errors: bool = False
    errors: tuple[str, ...] = ()
    score: Score | None = None
    usage: Usage = Usage()
    trial: int = 1
    passed: bool | None = None  # None: nobody judged it
    line: Mapping[str, Json] = field(default_factory=dict)


def captured_from(line: Mapping[str, Any]) -> Iterator[Captured]:
    """Read a line of a capture, of a run, or of trials, which holds several.

    What does not have their shape raises KeyError, TypeError or ValueError.
    """
    if "trials" in line:
        yield from (_from_entry(line, entry) for entry in line["trials"])
    else:
        yield _from_result(line)


def tool_calls(captured: Captured) -> list[str]:
    """Name the tools that were called, with repeats, in order."""
    return [str(step["name"]) for step in captured.trajectory if step["type"] == "tool_call"]


def _from_result(line: Mapping[str, Any]) -> Captured:
    score, timing = _score(line.get("score")), line["timing"]
    return Captured(
        id=_text(line["id"]),
        input=line["input"],
        output=line["output"],
        duration_ms=_number(timing["end"] - timing["start"]),
        trajectory=_steps(line["trajectory"]),
        expected=line.get("expected"),
        metadata=_object(line.get("metadata") or {}),
        tool_errors=bool(line.get("toolErrors", False)),
        errors=tuple(map(str, line.get("errors", ()))),
        score=score,
        usage=_usage(line.get("usage") or {}),
        trial=_number(line.get("trial", 1)),
        passed=_passed(line, score),
        line=line,
    )


def _from_entry(line: Mapping[str, Any], entry: Mapping[str, Any]) -> Captured:
    score = _score(entry) if "pass" in entry else None
    steps = _steps(entry.get("trajectory", ()))
    return Captured(
        id=_text(line["id"]),
        input=line["input"],
        output=entry["output"],
        duration_ms=_number(entry["duration"]),
        trajectory=steps,
        expected=line.get("expected"),
        metadata=_object(line.get("metadata") or {}),
        tool_errors=bool(
            entry.get("toolErrors", any(step.get("status") == "failed" for step in steps))
        ),
        errors=tuple(map(str, entry.get("errors", ()))),
        score=score,
        usage=_usage(entry.get("usage") or {}),
        trial=_number(entry["trialNum"]),
        passed=None if score is None else score.passed,
        line=entry,
    )


def _passed(line: Mapping[str, Any], score: Score | None) -> bool | None:
    """Say whether a trial passed; a run's own word goes over the score's."""
    if "status" not in line:
        return None if score is None else score.passed
    if any(failure["type"] in NOT_VALID for failure in line["failures"]):
        return None
    return bool(line["status"] == "passed")


def _score(found: Mapping[str, Any] | None) -> Score | None:
    if found is None:
        return None
    return Score(bool(found["pass"]), float(found["score"]), found.get("reasoning"))


def _usage(found: Mapping[str, Any]) -> Usage:
    return Usage(found.get("tokensIn"), found.get("tokensOut"), found.get("costUsd"))


def _steps(found: Any) -> Sequence[Mapping[str, Json]]:
    if not all(isinstance(step, Mapping) and "type" in step for step in found):
        raise TypeError("a step of its trajectory has no type")
    if not all("name" in step for step in found if step["type"] == "tool_call"):
        raise TypeError("a tool call of its trajectory has no name")
    return tuple(found)


def _object(found: Any) -> Mapping[str, Json]:
    if not isinstance(found, Mapping):
        raise TypeError("its metadata are not an object")
    return found


def _number(found: Any) -> int:
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise TypeError("something else stands where a number is due")
    return round(found)  # others may write fractions of milliseconds


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise TypeError("its id is not a text")
    return found
