"""Settle, before any case runs, who has the tools of a suite; open them for each trial."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ..errors import UsageError, did_you_mean
from ..ledger.suite import ToolSettings
from . import LiveSource, ToolSource
from .built_in import BuiltIn
from .live import Live
from .mcp import Mcp
from .several import Route, Several
from .workplace import Workplace

SHOWN_NAMES = 20

Open: TypeAlias = Callable[[], LiveSource]


@dataclass(frozen=True, slots=True)
class _Owner:
    """One who has tools: what it is called before a dot, how errors name it, how it is opened."""

    label: str
    title: str
    open: Open


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a tool is: its owner, and its name there."""

    owner: _Owner
    tool: str


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of a suite, each with the one who has it."""

    places: Mapping[str, _Place]

    def open(self) -> ToolSource:
        """Give the tools to one trial; what must be started starts at its first call."""
        owners = {id(place.owner): place.owner for place in self.places.values()}
        sources = {key: owner.open() for key, owner in owners.items()}
        return Several(
            {
                name: Route(sources[id(place.owner)], place.tool)
                for name, place in self.places.items()
            }
        )


def check_tools(settings: ToolSettings, place: Workplace) -> Toolbox:
    """Start everything that has tools once, and settle who answers for each name of the registry.

    Raises UsageError for tools that do not load, for names that nobody has and for names that
    two have.
    """
    known = _known(_owners(settings, place), settings.names)
    problems = [problem for name in settings.names if (problem := _problem(name, known))]
    if problems:
        raise UsageError("\n".join(problems))
    return Toolbox({name: known[name][0] for name in settings.names})


def _owners(settings: ToolSettings, place: Workplace) -> Iterator[_Owner]:
    module, timeout_s = settings.module, settings.timeout_s
    if module is not None:
        yield _Owner(_label(module), module, partial(Live, place, module, timeout_s))
    for name, server in settings.servers.items():
        yield _Owner(name, f"the MCP server {name}", partial(Mcp, place, name, server, timeout_s))


def _label(module: str) -> str:
    """Name a module by its last word: tools for lib/tools.py and for lib.tools."""
    return module.removesuffix(".py").replace("/", ".").rpartition(".")[2]


def _known(owners: Iterator[_Owner], wanted: Sequence[str]) -> Mapping[str, list[_Place]]:
    """List every tool under its own name and under its owner's; the built-in ones come last."""
    known: defaultdict[str, list[_Place]] = defaultdict(list)
    for owner in owners:
        with contextlib.closing(owner.open()) as source:
            for tool in source.names():
                known[tool].append(_Place(owner, tool))
                known[f"{owner.label}.{tool}"].append(_Place(owner, tool))
    built_in = _Owner("built_in", "RunLedger", BuiltIn)
    for tool in BuiltIn().names():
        if tool in wanted and tool not in known:  # a user's own tool is never pushed aside
            known[tool].append(_Place(built_in, tool))
    return dict(known)


def _problem(name: str, known: Mapping[str, list[_Place]]) -> str | None:
    places = known.get(name, [])
    if not places:
        hint = did_you_mean(name, known)
        return f"tool_registry: nobody has a tool named {name}{hint} ({_own_names(known)})"
    if len(places) > 1:
        owners = " and ".join(place.owner.title for place in places)
        ways = " or ".join(f"{place.owner.label}.{place.tool}" for place in places)
        return f"tool_registry: {name} is a tool of {owners}; write {ways}"
    return None


def _own_names(known: Mapping[str, list[_Place]]) -> str:
    names = sorted({place.tool for places in known.values() for place in places})
    more = f", … ({len(names)} in all)" if len(names) > SHOWN_NAMES else ""
    return f"known: {', '.join(names[:SHOWN_NAMES]) or 'none'}{more}"
