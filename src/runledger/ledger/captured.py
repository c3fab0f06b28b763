"""A trial as a results file tells it: what views, graders and comparisons read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import float_info
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
        if _figure(line.get("k", 1)) < 1:
            raise ValueError("its k is below 1")
        yield from (_from_entry(line, entry) for entry in line["trials"])
    else:
        yield _from_result(line)


def tool_calls(captured: Captured) -> list[str]:
    """Name the tools that were called, with repeats, in order."""
    return [str(step["name"]) for step in captured.trajectory if step["type"] == "tool_call"]


def _from_result(line: Mapping[str, Any]) -> Captured:
    score, timing = _score(line.get("score")), line["timing"]
    return Captured(
        id=_text(line["id"], "its id"),
        input=line["input"],
        output=line["output"],
        duration_ms=round(_figure(timing["end"]) - _figure(timing["start"])),
        trajectory=_steps(line["trajectory"]),
        expected=line.get("expected"),
        metadata=_object(line.get("metadata") or {}, "its metadata"),
        tool_errors=bool(line.get("toolErrors", False)),
        errors=_errors(line),
        score=score,
        usage=_usage(line),
        trial=_number(line.get("trial", 1)),
        passed=_passed(line, score),
        line=line,
    )


def _from_entry(line: Mapping[str, Any], entry: Mapping[str, Any]) -> Captured:
    score = _score(entry) if "pass" in entry else None
    steps = _steps(entry.get("trajectory", ()))
    return Captured(
        id=_text(line["id"], "its id"),
        input=line["input"],
        output=entry["output"],
        duration_ms=_number(entry["duration"]),
        trajectory=steps,
        expected=line.get("expected"),
        metadata=_object(line.get("metadata") or {}, "its metadata"),
        tool_errors=bool(
            entry.get("toolErrors", any(step.get("status") == "failed" for step in steps))
        ),
        errors=_errors(entry),
        score=score,
        usage=_usage(entry),
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
    return Score(bool(found["pass"]), float(_figure(found["score"])), found.get("reasoning"))


def _usage(line: Mapping[str, Any]) -> Usage:
    found = _object(line.get("usage") or {}, "its usage")
    told = (found.get(key) for key in ("tokensIn", "tokensOut", "costUsd"))
    return Usage(*(None if one is None else _figure(one) for one in told))


def _errors(line: Mapping[str, Any]) -> tuple[str, ...]:
    """Give the errors of a trial; what is known of its failures must be fit to be told, too."""
    for failure in _list(line.get("failures", ()), "its failures"):
        _text(failure["type"], "the type of a failure")
        _text(failure["message"], "the message of a failure")
        _object(failure.get("details") or {}, "the details of a failure")
    return tuple(map(str, _list(line.get("errors", ()), "its errors")))


def _steps(found: Any) -> Sequence[Mapping[str, Json]]:
    if not all(isinstance(step, Mapping) and "type" in step for step in found):
        raise TypeError("a step of its trajectory has no type")
    if not all("name" in step for step in found if step["type"] == "tool_call"):
        raise TypeError("a tool call of its trajectory has no name")
    return tuple(found)


def _object(found: Any, name: str) -> Mapping[str, Json]:
    if not isinstance(found, Mapping):
        raise TypeError(f"{name} should be an object")
    return found


def _list(found: Any, name: str) -> Sequence[Any]:
    if not isinstance(found, (list, tuple)):
        raise TypeError(f"{name} should be a list")
    return found


def _number(found: Any) -> int:
    figure: float = _figure(found)
    return round(figure)  # others may write fractions of milliseconds


def _figure(found: Any) -> Any:
    """Take a number that can be reckoned with; JSON knows larger ones."""
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise TypeError("something else stands where a number is due")
    if not abs(found) <= float_info.max:
        raise ValueError("a number is too large")
    return found


def _text(found: Any, name: str) -> str:
    if not isinstance(found, str):
        raise TypeError(f"{name} is not a text")
    return found
