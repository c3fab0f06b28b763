"""Suites of real agents as they are: how each is started, and what stands in front of it."""

from __future__ import annotations

import json

from bench import HERE, Json

MARK = "RL_TEST_MARK"  # in the environment of all that a run starts
_ECHO = {"command": ["{python}", str(HERE / "echo_server.py")]}
_ANTHROPIC = {
    "env": "ANTHROPIC_BASE_URL",
    "upstream": "https://api.anthropic.com",
    "profile": "claude-code",
}

CLAUDE: Json = {
    "agent_command": [
        "claude",
        "--model=haiku",
        "--permission-mode=acceptEdits",
        "--allowedTools=Bash,mcp__echo__echo_text",
    ],
    "agent_protocol": "headless",
    "adapter": "claude",
    "env": {"pass": [MARK]},
    "proxies": {"model": _ANTHROPIC, "mcp": {"echo": _ECHO}},
}

# What our adapter for `claude -p` sets, a suite for ACP has to set itself: claude waits for its
# servers before it asks, and asks nothing on the side.
CLAUDE_ACP: Json = {
    "agent_command": ["claude-agent-acp"],
    "agent_protocol": "acp",
    "env": {
        "pass": [MARK],
        "set": {
            "MCP_CONNECTION_NONBLOCKING": "0",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    },
    "proxies": {"model": _ANTHROPIC, "mcp": {"echo": _ECHO}},
}

_OPENCODE_CONFIG = {
    "provider": {
        "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": "{env:MODEL_URL}", "apiKey": "{env:MODEL_KEY}"},
            "models": {"scripted": {}},
        }
    },
    "model": "scripted/scripted",
    "share": "disabled",
}

OPENCODE: Json = {
    "agent_command": ["opencode"],
    "agent_protocol": "headless",
    "adapter": "opencode",
    "env": {
        "pass": [MARK],
        "set": {
            "OPENCODE_CONFIG_CONTENT": json.dumps(_OPENCODE_CONFIG),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_PURE": "1",
            "npm_config_offline": "true",
        },
    },
    "proxies": {
        "model": {
            "env": "MODEL_URL",
            "key_env": "MODEL_KEY",
            "upstream": "https://models.example/v1",
            "profile": "opencode",
        }
    },
}
