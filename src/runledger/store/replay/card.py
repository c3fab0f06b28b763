"""Entries as they are looked for: under a topic, with what was asked made comparable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from ...ledger.suite import CassetteRules, MatchRule
from ...ledger.value import Json
from ..cassette.entry import EntryKind, Recorded

R = TypeVar("R", bound=Recorded)

EXACT = MatchRule()


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


def rule_of(rules: CassetteRules, topic: Topic) -> MatchRule | None:
    """Find the rule that a suite has for a topic."""
    name = rule_name(rules, topic)
    return None if name is None else rules.match[name]


def rule_name(rules: CassetteRules, topic: Topic) -> str | None:
    """Find the name of the rule that a suite has for a topic; the full name comes first."""
    return next((name for name in (topic.name, *topic.aliases) if name in rules.match), None)
