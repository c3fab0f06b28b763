"""What an agent told about its session: its model, its version, what it had at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from .cut import beginning
from .event import Event, Log, UsageReport
from .value import Json

SESSION = "session"
"""The message of the log that holds what an agent told about its session."""

NOT_HAD = frozenset({"failed", "disabled", "disconnected", "needs-auth"})
"""What an agent says of an MCP server that it knows, and cannot use."""

SHOWN = 200  # characters of a model or a version


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What is known of a session; None is what nobody told, which is not an empty list."""

    model: str | None = None
    version: str | None = None
    tools: tuple[str, ...] | None = None
    mcp_servers: tuple[str, ...] | None = None


def session_of(events: Iterable[Event]) -> SessionFacts:
    """Gather what an agent told; of each fact the last telling counts."""
    facts: dict[str, Json] = {}
    used: str | None = None
    for event in events:
        match event.what:
            case Log(message=message, data=Mapping() as data) if message == SESSION:
                facts |= {key: value for key, value in data.items() if value is not None}
            case UsageReport(usage):
                used = usage.model or used
    return SessionFacts(
        model=_text(facts.get("model")) or _text(used),
        version=_text(facts.get("version")),
        tools=_names(facts.get("tools")),
        mcp_servers=_names(facts.get("mcp_servers")),
    )


def _text(value: Json) -> str | None:
    return beginning(value.strip(), SHOWN) or None if isinstance(value, str) else None


def _names(value: Json) -> tuple[str, ...] | None:
    """List the names in a list of texts, or of objects that have one."""
    if not isinstance(value, (list, tuple)):
        return None
    return tuple(dict.fromkeys(_named(value)))


def _named(items: Iterable[Json]) -> Iterator[str]:
    for item in items:
        name = item.get("name") if isinstance(item, Mapping) else item
        if isinstance(name, str) and not (isinstance(item, Mapping) and _unusable(item)):
            yield name


def _unusable(item: Mapping[str, Json]) -> bool:
    status = item.get("status")
    return isinstance(status, str) and status in NOT_HAD
