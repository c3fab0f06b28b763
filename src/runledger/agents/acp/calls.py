"""The tool calls of an ACP agent: each is one, in whatever order and pieces it is told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...ledger.event import ToolCall, ToolResult
from ...ledger.shell_exit import exit_code_in, runs_commands
from ...ledger.value import Json
from .shapes import as_list, as_object, text_at
from .words import texts_of

Told: TypeAlias = ToolCall | ToolResult

BESIDE = ("kind", "title", "locations")  # what is known of a call beside its face
TOLD = (*BESIDE, "status", "rawInput", "rawOutput", "content")  # what comes over what was before
SILENT = "the tool failed and did not say why"
REFUSED = "permission refused"

# gemini's ids hold the tool: write_file__write_file_1794796853502_0, write_file-1794796853502
_NAMED_ID = re.compile(r"(?!(?:tool_?)?call-)([A-Za-z]\w{0,99}?)(?:__\1_\d|-\d{13}\b)")


@dataclass(slots=True)
class _Telling:
    """All that was told of one call, and how much of it was passed on."""

    call_id: str
    names: dict[int, str] = field(default_factory=dict)  # by how good their source is, 0 is best
    fields: dict[str, Json] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)  # what codex tells of a command's output
    refused: bool = False
    call: ToolCall | None = None
    result: ToolResult | None = None

    @property
    def name(self) -> str:
        """Give the name from the best source so far."""
        return self.names[min(self.names)] if self.names else self.kind or "tool"

    @property
    def kind(self) -> str:
        """Give ACP's word for what sort of tool it is."""
        return text_at(self.fields, "kind")


class Calls:
    """Put the pieces of every call together, and tell what changes."""

    def __init__(self) -> None:
        self._tellings: dict[str, _Telling] = {}

    def take(self, update: Mapping[str, Json]) -> Iterator[Told]:
        """Take a piece in, and yield the call or its result where they look different now."""
        telling = self._find(update)
        if telling is None:
            return
        _merge(telling, update)
        call = _call(telling)
        if telling.call is None or _face(call) != _face(telling.call):
            telling.call = call
            yield call
        result = _result(telling)
        if result is not None and result != telling.result:
            telling.result = result
            yield result

    def take_request(self, update: Mapping[str, Json]) -> Iterator[Told]:
        """Take in what a request for permission says of a call, but no input where it is known.

        It may have another shape there, as opencode's has; and what is shown is not yet a result.
        """
        telling = self._find(update)
        known = telling is not None and telling.fields.get("rawInput")
        left_out = ("content", "rawInput") if known else ("content",)
        yield from self.take({key: update[key] for key in update if key not in left_out})

    def look_up(self, update: Mapping[str, Json]) -> tuple[str, str]:
        """Give the name and the kind of the call that a piece is about."""
        telling = self._find(update)
        return (telling.name, telling.kind or "other") if telling else ("tool", "other")

    def refuse(self, update: Mapping[str, Json]) -> None:
        """Remember that a call was not permitted."""
        if telling := self._find(update):
            telling.refused = True

    def settle(self) -> Iterator[ToolResult]:
        """Yield a failure for every refused call of which nothing more was heard."""
        for telling in self._tellings.values():
            if telling.refused and telling.result is None:
                telling.result = ToolResult(telling.call_id, ok=False, error=REFUSED)
                yield telling.result

    def _find(self, update: Mapping[str, Json]) -> _Telling | None:
        call_id = text_at(update, "toolCallId")
        return self._tellings.setdefault(call_id, _Telling(call_id)) if call_id else None


def told_in(update: Mapping[str, Json]) -> dict[str, Json]:
    """Give what takes the place of what was told of a call before."""
    return {key: update[key] for key in TOLD if update.get(key) is not None}


def printed_in(update: Mapping[str, Json]) -> str:
    """Give what is added to what a command printed before."""
    meta = as_object(update.get("_meta"))
    return text_at(meta.get("terminal_output_delta"), "data")


def _merge(telling: _Telling, update: Mapping[str, Json]) -> None:
    """Let what is told now come over what was told before; what is left out stays."""
    telling.fields |= told_in(update)
    if printed := printed_in(update):
        telling.printed.append(printed)
    for rank, name in enumerate(_names(telling.call_id, update)):
        if name:
            telling.names.setdefault(rank, name)


def _names(call_id: str, update: Mapping[str, Json]) -> Iterator[str]:
    """Yield the name that each source gives, the best source first."""
    meta = as_object(update.get("_meta"))
    yield text_at(update, "name")  # codex
    yield text_at(meta.get("claudeCode"), "toolName")
    yield text_at(meta, "toolName")  # qwen
    named = _NAMED_ID.match(call_id)
    yield named[1] if named else ""
    yield text_at(update, "title")  # opencode: the first title; later ones are sentences


def _face(call: ToolCall) -> tuple[Json, ...]:
    return call.name, call.args, call.status


def _call(telling: _Telling) -> ToolCall:
    told = telling.fields
    extra: dict[str, Json] = {key: told[key] for key in BESIDE if key in told}
    status = text_at(told, "status") or "pending"
    return ToolCall(telling.name, telling.call_id, told.get("rawInput", {}), extra, status)


def _result(telling: _Telling) -> ToolResult | None:
    status = telling.fields.get("status")
    if status == "completed":
        given, code = _output(telling), _exit_code(telling)
        return ToolResult(telling.call_id, ok=True, result=given, exit_code=code)
    if status != "failed":
        return None
    error = _output(telling)
    if error is None:
        error = REFUSED if telling.refused else SILENT
    return ToolResult(telling.call_id, ok=False, error=error)


def _exit_code(telling: _Telling) -> int | None:
    """Find the exit code of a command that went wrong, though its tool calls it completed."""
    if not runs_commands(telling.name, telling.kind):
        return None
    told = telling.fields
    places = (told.get("rawOutput"), texts_of(as_list(told.get("content"))))  # qwen: the second
    return next((code for place in places if (code := exit_code_in(place))), None)


def _output(telling: _Telling) -> Json:
    """Give what the tool gave: as it is, else its text, else its parts."""
    if "rawOutput" in telling.fields:
        return telling.fields["rawOutput"]
    if telling.printed:
        return "".join(telling.printed)
    content = as_list(telling.fields.get("content"))
    text = texts_of(content)
    return text if text is not None else content or None
