"""Entries as they are looked for: under a topic, with what was asked made comparable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...ledger.path import without
from ...ledger.suite import CassetteRules, MatchRule
from ...ledger.value import Json
from ..cassette.entry import AgentStamp, EntryKind, Recorded

R = TypeVar("R", bound=Recorded)

EXACT = MatchRule()
PROGRESS = "$._meta.progressToken"  # a number that a client counts up
CLIENT = "$.clientInfo"  # who asks; a cassette's header tells it


@dataclass(frozen=True, slots=True)
class Topic:
    """What an entry is about: its name in messages, and all names that a rule for it may have."""

    name: str
    aliases: tuple[str, ...] = ()
    kind: EntryKind = "tool"


@dataclass(frozen=True, slots=True)
class Card(Generic[R]):
    """An entry under its topic, with what was asked as it is compared and shown."""

    entry: R
    topic: Topic
    asked: Json

    @property
    def line(self) -> int:
        """Give the line of the cassette that the entry stands on."""
        return self.entry.line


def mcp_topic(server: str, method: str, params: Json) -> Topic:
    """Name a request to an MCP server: `fs.read_file` for a call of a tool, else `fs.<method>`.

    A rule for a call of a tool may also go by the tool's name alone. Its paths begin at the
    parameters, so that `$.arguments.path` is an argument.
    """
    tool = params.get("name") if isinstance(params, Mapping) else None
    if method == "tools/call" and isinstance(tool, str):
        return Topic(f"{server}.{tool}", (tool,), "mcp")
    return Topic(f"{server}.{method}", (), "mcp")


def mcp_asked(method: str, params: Json) -> Json:
    """Leave out of parameters what says nothing about the answer."""
    return without(params, (PROGRESS, CLIENT) if method == "initialize" else (PROGRESS,))


def client_of(params: Json) -> AgentStamp | None:
    """Read who asks from the parameters of an initialize request."""
    told = params.get("clientInfo") if isinstance(params, Mapping) else None
    if not isinstance(told, Mapping):
        return None
    name, version = told.get("name"), told.get("version")
    return AgentStamp(name, version) if isinstance(name, str) and isinstance(version, str) else None


def rule_of(rules: CassetteRules, topic: Topic) -> MatchRule | None:
    """Find the rule that a suite has for a topic; the full name comes first."""
    names = (topic.name, *topic.aliases)
    return next((rules.match[name] for name in names if name in rules.match), None)
