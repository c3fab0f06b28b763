"""The events of a run read back, trial by trial, from a log in which all trials are mixed."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Graded,
    Happening,
    Log,
    Message,
    Plan,
    TaskError,
    TaskStart,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
    event_at,
)
from ..ledger.grade import Grade
from ..ledger.sound import WRONG, sound, what_is_wrong
from ..ledger.trajectory import Exit
from ..ledger.usage import Usage
from ..ledger.value import Json
from .lines import decode, is_torn
from .plain import open_plain
from .rows import failure_from
from .rundir import RESERVED

Place: TypeAlias = tuple[int, int]  # trial, attempt

# The writer puts these keys first, in this order; any other line is decoded to be placed.
_HEAD = re.compile(
    rb'\{"seq":\d+,"ts":"[^"]*","case_id":"([^"\\]*)","trial":(\d+),"attempt":(\d+),'
)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the log holds of one attempt at a trial, finished or not."""

    trial: int
    attempt: int
    events: tuple[Event, ...]
    stderr: str = ""  # the end of it, whatever the status


class TraceLog:
    """A run's log, indexed once: where the lines of each trial are, not what they say."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, dict[Place, array[int]]] = {}
        offset = 0
        with open_plain(path) as file:
            for number, line in enumerate(file, start=1):
                found = None if is_torn(line) else self._placed(line, number)
                if found is not None:
                    case_id, place = found
                    trials = self._places.setdefault(case_id, {})
                    trials.setdefault(place, array("Q")).append(offset)
                offset += len(line)

    def _placed(self, line: bytes, number: int) -> tuple[str, Place] | None:
        try:
            return place_of(line)
        except WRONG as error:
            raise self._no_event(number, error) from None

    def _no_event(self, number: int, error: Exception) -> UsageError:
        told = what_is_wrong(error)
        return UsageError(f"{self._path}:{number}: this is no event of a run: {told}")

    def of(self, case_id: str) -> Iterator[Trace]:
        """Yield the last attempt at each trial of a case, in the order of their numbers."""
        attempts = self._places.get(case_id, {})
        last = dict(sorted(attempts))  # of several attempts at a trial the last one stays
        for trial, attempt in last.items():
            yield self._read(trial, attempt, attempts[trial, attempt])

    def _read(self, trial: int, attempt: int, offsets: array[int]) -> Trace:
        reading = _Reading()
        with open_plain(self._path) as file:
            for offset in offsets:
                file.seek(offset)
                try:
                    reading.take(decode(file.readline()))
                except WRONG as error:
                    raise self._no_event(self._number_at(offset), error) from None
        return Trace(trial, attempt, tuple(reading.events), reading.stderr)

    def _number_at(self, offset: int) -> int:
        """Count the lines up to a place."""
        with open_plain(self._path) as file:
            starts = accumulate((len(line) for line in file), initial=0)
            return next(number for number, start in enumerate(starts, start=1) if start >= offset)


class _Reading:
    """What the lines of one attempt tell, one after the other."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.stderr = ""
        self._start: int | None = None

    def take(self, line: Mapping[str, Any]) -> None:
        """Take what a line tells."""
        now = _milliseconds(line["ts"])
        if self._start is None or line["type"] == TaskStart.type:
            self._start = now  # the agent was made ready before it
        what = _happening(line)
        if what is not None:
            self.events.append(event_at(max(now - self._start, 0), sound(what)))
        elif line["type"] == "case_end":
            self.stderr = sound(Exit(stderr=line["exit"]["stderr"])).stderr


def place_of(line: bytes) -> tuple[str, Place] | None:
    """Say which trial a line belongs to, if any."""
    if found := _HEAD.match(line):
        return found[1].decode(), (int(found[2]), int(found[3]))
    event = decode(line)
    if not isinstance(event, dict) or "type" not in event:
        raise TypeError("it is no object with a type")
    if "case_id" not in event:
        return None
    case_id, trial, attempt = event["case_id"], event["trial"], event["attempt"]
    if (type(case_id), type(trial), type(attempt)) != (str, int, int):
        raise TypeError("a case has a text for its id, and numbers for its trial and attempt")
    return case_id, (trial, attempt)


def _milliseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1000)


def _happening(line: Mapping[str, Any]) -> Happening | None:
    """Read what happened; None for kinds that no trajectory holds."""
    read = _READERS.get(line["type"])
    return None if read is None else read(line)


def _task_start(line: Mapping[str, Any]) -> TaskStart:
    return TaskStart(line["input"])


def _tool_call(line: Mapping[str, Any]) -> ToolCall:
    more = _extra(line, "name", "call_id", "args", "status")
    return ToolCall(line["name"], line["call_id"], line["args"], more, line.get("status"))


def _tool_result(line: Mapping[str, Any]) -> ToolResult:
    told = (line.get(key) for key in ("result", "error", "exit_code", "took_ms"))
    return ToolResult(line["call_id"], line["ok"], *told)


def _log(line: Mapping[str, Any]) -> Log:
    more = _extra(line, "level", "message", "data")
    return Log(line["level"], line["message"], line.get("data"), more)


def _usage(line: Mapping[str, Any]) -> UsageReport:
    names = ("tokens_in", "tokens_out", "cost_usd", "model")
    return UsageReport(Usage(*(line.get(name) for name in names)), _extra(line, *names))


def _final_output(line: Mapping[str, Any]) -> FinalOutput:
    return FinalOutput(line["output"], _extra(line, "output"))


def _task_error(line: Mapping[str, Any]) -> TaskError:
    return TaskError(line["message"], line.get("data"), _extra(line, "message", "data"))


def _failed(line: Mapping[str, Any]) -> Failed:
    return Failed(failure_from(line["failure"]))


def _graded(line: Mapping[str, Any]) -> Graded:
    fields = line["grade"]
    return Graded(
        Grade(
            fields["grader"],
            passed=fields["pass"],
            score=fields["score"],
            reasoning=fields.get("reasoning"),
            outcome=fields.get("outcome"),
        )
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Happening]] = {
    TaskStart.type: _task_start,
    ToolCall.type: _tool_call,
    ToolResult.type: _tool_result,
    Message.type: lambda line: Message(line["content"], line.get("took_ms")),
    Thought.type: lambda line: Thought(line["content"], line.get("took_ms")),
    Plan.type: lambda line: Plan(line["entries"]),
    Log.type: _log,
    UsageReport.type: _usage,
    FinalOutput.type: _final_output,
    TaskError.type: _task_error,
    Failed.type: _failed,
    Graded.type: _graded,
}


def _extra(line: Mapping[str, Any], *known: str) -> dict[str, Json]:
    """Keep what an agent said beside the keys of its message."""
    return {key: line[key] for key in line if key not in known and key not in RESERVED}
