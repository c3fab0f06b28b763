"""What a condition expects and forbids, held against what a run shows."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from ..errors import did_you_mean
from ..ledger.event import Event
from ..ledger.experiment import Condition
from ..ledger.files_read import files_read_in
from ..ledger.fingerprint import preview, show_name
from ..ledger.session import session_of
from ..ledger.trajectory import calls_in, is_error
from .validity_files import matches_path

NAMED = 5

Fits: TypeAlias = Callable[[str, str], bool]
"""Say whether a pattern fits a name."""


def matches_name(pattern: str, name: str) -> bool:
    """Say whether a pattern fits the name of a tool or of a server."""
    return fnmatchcase(name, pattern)


@dataclass(frozen=True, slots=True)
class Seen:
    """What the runner saw of a run itself, whatever the agent tells."""

    prompts: tuple[str, ...] = ()  # as they were sent
    files: tuple[str, ...] = ()  # files_matching, before the run and after it
    directory: str = ""  # where the agent worked, to which `files` are relative
    visible: bool = True  # its protocol shows what tools it calls


@dataclass(frozen=True, slots=True)
class _Side:
    """One thing that conditions speak of: what a run shows of it, and in which words."""

    key: str
    found: Sequence[str] | None  # None: nobody told
    unknown: str
    words: str  # before what was found
    none: str  # in place of it
    fits: Fits = matches_name


def violations(
    events: tuple[Event, ...], condition: Condition, seen: Seen, *, hurried: bool = False
) -> Iterator[str]:
    """Tell everything that is not as the condition wants it.

    A run that was stopped in a hurry is not blamed for tools that it had no time to use, nor for
    what it had no time to tell.
    """
    for side in _sides(events, seen):
        if hurried and side.found is None and seen.visible:
            continue
        wanted: tuple[str, ...] = getattr(condition.expect, side.key)
        unwanted: tuple[str, ...] = getattr(condition.forbid, side.key)
        yield from _missing(side, () if hurried and side.key == "used" else wanted)
        yield from _present(side, unwanted)
    yield from _disallowed(events, condition)
    yield from _about_prompts(condition, seen.prompts)


def _sides(events: tuple[Event, ...], seen: Seen) -> Iterator[_Side]:
    told = session_of(events)
    used = [call.call.name for call in calls_in(events)] if seen.visible else None
    files = [*seen.files, *_read(events, seen.directory)]
    no_list, servers = "the agent told no list of tools", "the agent told no list of MCP servers"
    # what it used it had, though the server of a tool may have come after the list was told
    had = None if told.tools is None else (*told.tools, *_worked(events))
    yield _Side("tools", had, no_list, "the agent had", "it had no tools")
    no_calls = "the agent's protocol shows no tool calls"
    yield _Side("used", used, no_calls, "the agent used", "it used no tools")
    yield _Side("mcp_servers", told.mcp_servers, servers, "the agent had", "it had none")
    yield _Side("files", files, "", "there was", "no such file was there or was read", matches_path)


def _missing(side: _Side, wanted: Sequence[str]) -> Iterator[str]:
    """Tell of every expected thing that is not there."""
    for pattern in wanted:
        demand = f"expect.{side.key} demands {show_name(pattern)}"
        if side.found is None:
            yield f"{demand}, but {side.unknown}"
        elif not any(side.fits(pattern, name) for name in side.found):
            shown = f"{side.words} {_listed(side.found)}" if side.found else side.none
            yield f"{demand}, but {shown}{did_you_mean(pattern, map(show_name, side.found))}"


def _present(side: _Side, unwanted: Sequence[str]) -> Iterator[str]:
    """Tell of every forbidden thing that is there, or of which nobody can know."""
    for pattern in unwanted:
        ban = f"forbid.{side.key} has {show_name(pattern)}"
        if side.found is None:
            yield f"{ban}, and {side.unknown}"
        elif there := [name for name in side.found if side.fits(pattern, name)]:
            yield f"{ban}, and {side.words} {_listed(there)}"


def _disallowed(events: tuple[Event, ...], condition: Condition) -> Iterator[str]:
    """Tell of disallowed tools that the agent had or used; a call that failed used none."""
    had = session_of(events).tools or ()
    used = _worked(events)
    for pattern in condition.disallowed_tools:
        ban = f"disallowed_tools has {show_name(pattern)}"
        if there := [name for name in had if _disallows(pattern, name)]:
            yield f"{ban}, and the agent had {_listed(there)} all the same"
        if there := [name for name in used if _disallows(pattern, name)]:
            yield f"{ban}, and the agent used {_listed(there)} all the same"


def _worked(events: tuple[Event, ...]) -> list[str]:
    """List the tools that were used, but for calls that failed."""
    return [call.call.name for call in calls_in(events) if not is_error(call.result)]


def _disallows(pattern: str, name: str) -> bool:
    """Say whether a tool is meant; mcp__server stands for all tools of that server."""
    server = pattern.startswith("mcp__") and pattern.count("__") == 1
    return matches_name(pattern, name) or (server and name.startswith(f"{pattern}__"))


def _about_prompts(condition: Condition, prompts: Sequence[str]) -> Iterator[str]:
    for text in condition.expect.prompt:
        if not any(text in prompt for prompt in prompts):
            yield f"expect.prompt demands {preview(text)}, but the agent was not told it"
    for text in condition.forbid.prompt:
        if any(text in prompt for prompt in prompts):
            yield f"forbid.prompt has {preview(text)}, and the agent was told it"


def _read(events: tuple[Event, ...], directory: str) -> Iterator[str]:
    """Yield every file that the agent read, as it named it and relative to its directory."""
    homes = (directory, os.path.realpath(directory)) if directory else ()
    for path in files_read_in(events):
        yield path
        inside = (path.removeprefix(f"{home.rstrip('/')}/") for home in homes)
        relative = next((one for one in inside if one != path), None)
        if relative:
            yield posixpath.normpath(relative)


def _listed(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    some = ", ".join(show_name(name) for name in distinct[:NAMED])
    return some + (f" and {len(distinct) - NAMED} more" if len(distinct) > NAMED else "")
