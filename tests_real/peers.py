"""The real agents of the tests, each with its manners."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import HERE, Bench, echo_server, installed
from scripted_model.script import TOKENS_IN, TOKENS_OUT

# What one call and one answer cost: two requests.
BOTH = {"tokensIn": 2 * TOKENS_IN, "tokensOut": 2 * TOKENS_OUT}


@dataclass(frozen=True)
class Peer:
    """An agent on its bench: what it calls its tools, and what it tells of itself."""

    bench: Bench
    refused: Bench  # as it is when it may not write
    tools: Mapping[str, str]  # its own names of tools that write, run a command, answer by MCP
    usage: Mapping[str, Any]  # that it tells of one call and one answer
    derived: bool = False  # a command that fails is a tool that completed, as it tells it
    limit_ms: int = 12_000  # enough to ask its model, and to be interrupted then
    jobs: int = 2


def python_sdk(place: Path, model: str) -> Peer:
    """Give an agent on the official Python SDK, which needs no model."""
    agent = (sys.executable, str(HERE / "sdk_agent.py"))
    bench = Bench(place, agent, flags=("--mcp-server", echo_server()))
    return Peer(
        bench,
        refused=bench.but(flags=("--permissions", "reject")),
        tools={"write": "write", "shell": "shell", "mcp": "mcp"},
        usage={**BOTH, "costUsd": None},
    )


def claude(place: Path, model: str) -> Peer:
    """Give `claude -p`."""
    bench = Bench(
        place,
        ("claude",),
        flags=("--adapter", "claude", "--mcp-server", echo_server()),
        own_flags=("--permission-mode=acceptEdits", f"--allowedTools=Bash,{CLAUDE['mcp']}"),
        env=anthropic(model),
    )
    return Peer(bench, bench.but(own_flags=()), CLAUDE, CLAUDE_USAGE)


def claude_acp(place: Path, model: str) -> Peer:
    """Give claude behind its ACP adapter."""
    bench = Bench(
        place,
        ("claude-agent-acp",),
        flags=("--mcp-server", echo_server()),
        env=anthropic(model),
        passed=tuple(anthropic(model)),
    )
    return Peer(bench, bench.but(flags=("--permissions", "reject")), CLAUDE, CLAUDE_USAGE)


CLAUDE = {"write": "Write", "shell": "Bash", "mcp": "mcp__echo__echo_text"}
CLAUDE_USAGE = {**BOTH, "costUsd": 0.002}  # by the price list that this version of claude has


def anthropic(model: str) -> dict[str, str]:
    """Give the variables that lead claude to its model."""
    return {
        "ANTHROPIC_BASE_URL": model,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def opencode(place: Path, model: str) -> Peer:
    """Give `opencode run`, which knows MCP servers from its configuration alone."""
    server = {"type": "local", "command": [sys.executable, str(HERE / "echo_server.py")]}
    bench = Bench(
        place,
        ("opencode",),
        flags=("--adapter", "opencode"),
        env=_opencode(model, mcp={"echo": server}),
        passed=OPENCODE_OFFLINE,
    )
    asking = bench.but(env=_opencode(model, permission={"edit": "ask"}))
    usage = {**BOTH, "costUsd": 0}
    return Peer(bench, asking, OPENCODE, usage, **OPENCODE_MANNERS)


def opencode_acp(place: Path, model: str) -> Peer:
    """Give `opencode acp`, which tells the usage of its last request alone."""
    bench = Bench(
        place,
        ("opencode", "acp"),
        flags=("--mcp-server", echo_server()),
        env=_opencode(model),
        passed=("OPENCODE_CONFIG_CONTENT", *OPENCODE_OFFLINE),
    )
    asking = bench.but(
        flags=("--permissions", "reject"), env=_opencode(model, permission={"edit": "ask"})
    )
    usage = {"tokensIn": TOKENS_IN, "tokensOut": TOKENS_OUT, "costUsd": None}
    return Peer(bench, asking, OPENCODE, usage, **OPENCODE_MANNERS)


OPENCODE = {"write": "write", "shell": "bash", "mcp": "echo_echo_text"}
# Two that begin at once in a new home may find their database locked.
OPENCODE_MANNERS: Mapping[str, Any] = {"derived": True, "limit_ms": 20_000, "jobs": 1}
OPENCODE_OFFLINE = ("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_PURE", "npm_config_offline")


def _opencode(model: str, **more: Any) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    config = {
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        **more,
    }
    offline = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_PURE": "1"}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "npm_config_offline": "true",
        **offline,
    }


def typescript_sdk(place: Path) -> Bench:
    """Give the example agent of the TypeScript SDK, which needs no model and plays one scene."""
    script = installed() / "@agentclientprotocol" / "sdk" / "dist" / "examples" / "agent.js"
    return Bench(place, ("node", str(script)))
