"""What stands between an agent and its model or its MCP servers, and the faults it puts in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["model", "mcp"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A text that varies between identical runs, and what stands for it when they are compared.

    `{n}` in the replacement numbers what was found by its first appearance in a request, so that
    an id stays equal to itself and different from another. Without a path, every text is looked
    at; `*` in a path stands for every key and every index.
    """

    pattern: str
    replace: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of rules for one kind of agent; another set of rules is another version."""

    name: str
    version: int
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelProxy:
    """A model API that the agent finds by a variable, and that ours stands in front of."""

    env: str  # the variable that gets our address
    upstream: str
    profile: Profile
    key_env: str | None = None  # the variable that holds the key
    latency: Literal["off", "recorded"] = "off"


@dataclass(frozen=True, slots=True)
class McpProxy:
    """An MCP server that ours stands in front of; its variables come over the caller's."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proxies:
    """All that stands between an agent and the world."""

    models: tuple[ModelProxy, ...] = ()
    servers: tuple[McpProxy, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong on purpose at the n-th request of a kind; it uses up no recording."""

    kind: Kind
    nth: int = 1
    status: int | None = None
    delay_ms: int | None = None
    reset: bool = False
    cut_after_frames: int | None = None
    malformed: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """The directory of which each case gets a fresh copy to work in."""

    directory: str  # relative to the suite's
    fresh_home: bool = True  # its HOME is a fresh directory too
