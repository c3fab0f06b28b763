"""Read one line of a cassette: a recorded answer, a header, or a blob that others refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from ...errors import did_you_mean
from ...ledger.fingerprint import preview
from ...ledger.value import Json
from .answer_line import read_answer
from .entry import AgentStamp, Entry, McpEntry, ModelEntry
from .expansion import Expander
from .line_check import check_keys, checked, kind_of
from .shorthand import Wrong

KEYS = ("tool", "args", "ok", "result", "error")
KINDS = ("header", "blob", "mcp", "model")
VERSION = 1
NO_PLACES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Header:
    """What a cassette says of itself; the salt makes equal secrets equal placeholders."""

    salt: str | None = None
    agent: AgentStamp | None = None
    places: Mapping[str, str] = field(default_factory=dict)


AnyEntry: TypeAlias = Entry | McpEntry | ModelEntry


def read_line(number: int, line: Json, expander: Expander) -> AnyEntry | Header | None:
    """Read a line, or raise Wrong; a blob is kept by the expander."""
    if not isinstance(line, dict):
        raise Wrong(f"an entry must be an object, not {kind_of(line)}")
    if "v" not in line:
        return _tool(number, line)
    match _kind(line):
        case "header":
            return _header(line)
        case "mcp":
            return _mcp(number, line, expander)
        case "model":
            return _model(number, line, expander)
    check_keys(line, ("v", "kind", "id", "value"), ("id", "value"))
    expander.define(number, checked(line, "id", str), line["value"])
    return None


def _kind(line: Mapping[str, Any]) -> object:
    version, kind = line["v"], line.get("kind")
    if version is True or version != VERSION:
        shown = preview(version, 60)
        raise Wrong(f"version {shown} of the format is not known here, only {VERSION} is")
    if kind not in KINDS:
        near = did_you_mean(str(kind), KINDS)
        raise Wrong(f"unknown kind {preview(kind, 60)}{near} (known: {', '.join(KINDS)})")
    return kind


def _tool(number: int, line: Mapping[str, Any]) -> Entry:
    check_keys(line, KEYS, KEYS[:3], "an entry has tool, args, ok, result")
    tool, args, ok = checked(line, "tool", str), checked(line, "args", dict), line["ok"]
    checked(line, "ok", bool)
    if ok and "result" not in line:
        raise Wrong("the key 'result' is missing; only an entry with \"ok\": false may lack it")
    if ok and line.get("error") is not None:
        raise Wrong("'error' stands beside \"ok\": true")
    return Entry(number, tool, args, ok, line.get("result"), line.get("error"))


def _header(line: Mapping[str, Any]) -> Header:
    check_keys(line, ("v", "kind", "agent", "salt", "places"))
    salt = line.get("salt")
    if salt is not None:
        checked(line, "salt", str)
    agent = _agent(checked(line, "agent", dict)) if line.get("agent") is not None else None
    places = checked(line, "places", dict) if "places" in line else {}
    for name in places:
        checked(places, name, str, "places")
    return Header(salt, agent, places)


def _agent(fields: Mapping[str, Any]) -> AgentStamp:
    check_keys(fields, ("name", "version"), ("name",), within="agent")
    name = checked(fields, "name", str, "agent")
    return AgentStamp(name, checked({"version": "", **fields}, "version", str, "agent"))


def _mcp(number: int, line: Mapping[str, Any], expander: Expander) -> McpEntry:
    check_keys(line, ("v", "kind", "server", "req", "resp", "before", "after"), ("server", "req"))
    check_keys(line, line, ("resp",))
    asked, reply = checked(line, "req", dict), checked(line, "resp", dict)
    check_keys(asked, ("method", "params"), ("method",), within="req")
    check_keys(reply, ("result", "error"), within="resp")
    if len(reply) > 1:
        raise Wrong("resp: must have either 'result' or 'error'")
    around = [_messages(line, name, expander) for name in ("before", "after")]
    return McpEntry(
        line=number,
        server=checked(line, "server", str),
        method=checked(asked, "method", str, "req"),
        params=expander.value(asked.get("params")),
        reply={name: expander.value(item) for name, item in reply.items()},
        before=around[0],
        after=around[1],
    )


def _messages(line: Mapping[str, Any], name: str, expander: Expander) -> tuple[Json, ...]:
    found: Iterable[Json] = checked(line, name, list) if name in line else ()
    return tuple(expander.value(item) for item in found)


def _model(number: int, line: Mapping[str, Any], expander: Expander) -> ModelEntry:
    check_keys(line, ("v", "kind", "req", "resp"), ("req", "resp"))
    asked, answer = checked(line, "req", dict), checked(line, "resp", dict)
    check_keys(asked, ("method", "path", "via", "body"), ("method", "path"), within="req")
    return ModelEntry(
        line=number,
        method=checked(asked, "method", str, "req"),
        path=checked(asked, "path", str, "req"),
        body=expander.body(asked.get("body")),
        answer=read_answer(answer, expander),
        via=checked(asked, "via", str, "req") if "via" in asked else None,
    )
