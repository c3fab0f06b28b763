"""A suite as the rest of the house sees it: settled, checked, with no trace of its file's form."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .adapter import Adapter
from .permission import ALLOW_ALL, Permissions
from .proxy import Proxies, Template
from .task import Task

Mode: TypeAlias = Literal["replay", "record", "live"]
AgentProtocol: TypeAlias = Literal["stdio", "acp", "headless", "python"]
SandboxKind: TypeAlias = Literal["none", "bwrap"]

OUTPUT_DIR = ".agentci/runs"
OWN_TOOLS: frozenset[AgentProtocol] = frozenset({"acp", "headless"})
"""Agents of these protocols call tools of their own, and ask the runner for none."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server that an agent is told to start and use."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """How to start an agent; `command` may still hold placeholders such as {python}."""

    command: tuple[str, ...]
    protocol: AgentProtocol = "stdio"
    reuse: bool = False
    env_pass: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=dict)
    grace_ms: int = 2000
    adapter: Adapter | None = None  # how a headless agent is started and understood
    permissions: Permissions = ALLOW_ALL
    fs: bool = False  # offer it our hands to read and write files
    terminal: bool = False  # offer it our hands to run commands
    servers: tuple[McpServer, ...] = ()  # that it is told to use
    sandbox: SandboxKind = "none"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How to start an MCP server; its variables come over the caller's."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """Which tools an agent may ask for, and who answers them outside replay."""

    names: tuple[str, ...] = ()
    module: str | None = None  # a file of the suite, or a dotted name
    timeout_s: float = 30.0
    servers: Mapping[str, ServerSettings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MatchRule:
    """How the recorded arguments of one tool are compared with a call's."""

    ignore: tuple[str, ...] = ()
    replace: Mapping[str, str] = field(default_factory=dict)
    match: Literal["exact", "subset"] = "exact"


@dataclass(frozen=True, slots=True)
class CassetteRules:
    """How cassettes are matched, and what an unused entry means."""

    order: Literal["none", "strict"] = "none"
    unused: Literal["fail", "warn", "ignore"] | None = None  # fail for tools, warn for the others
    match: Mapping[str, MatchRule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What the gate demands of a run, alone and beside its baseline."""

    min_success_rate: float | None = None
    max_avg_wall_ms_delta_pct: float | None = None
    max_p95_wall_ms_delta_pct: float | None = None
    latency_gate: Literal["warn", "fail"] | None = None
    abs_floor_ms: int = 50
    allow_missing_cases: bool = False
    gate: Literal["point", "statistical"] | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """Tasks, the agent that is asked, and the rules by which it is judged."""

    name: str
    directory: str
    agent: AgentSettings
    tasks: tuple[Task, ...]
    mode: Mode = "replay"
    tools: ToolSettings = ToolSettings()
    cassettes: CassetteRules = CassetteRules()
    proxies: Proxies = Proxies()
    workspace: Template | None = None
    thresholds: Thresholds | None = None
    baseline_path: str | None = None
    output_dir: str = OUTPUT_DIR
    sha256: str = ""  # of suite.yaml as it was read


def fill_in(command: Sequence[str], **places: str) -> list[str]:
    """Put values in place of the placeholders in a command's words."""
    words = list(command)
    for name, value in places.items():
        words = [word.replace(f"{{{name}}}", value) for word in words]
    return words


def record_command(place: str, case_id: str) -> str:
    """Write the command that records a case of the suite at a place."""
    return f"runledger run {shlex.quote(place)} --mode record --case {case_id}"
