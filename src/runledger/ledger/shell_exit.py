"""The exit code that the result of a shell tool carries, where the agent calls it a success."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .value import Json

SHELL_NAMES = frozenset({"bash", "shell", "run_shell_command", "local_shell", "exec_command"})
KEYS = ("exit", "exitCode", "exit_code")  # opencode, SDK peers, codex
NESTED = ("metadata",)  # opencode

# gemini and qwen end a result with a few lines of their own, this one among them
_TOLD = re.compile(r"^Exit Code: (-?\d{1,10})$", re.MULTILINE | re.IGNORECASE)


def runs_commands(name: str, kind: str | None = None) -> bool:
    """Say whether a tool runs commands: by ACP's word for its kind, or by its name."""
    return kind == "execute" or name.lower() in SHELL_NAMES


def exit_code_in(output: Json) -> int | None:
    """Find the exit code in what a shell tool gave; ask only for tools that run commands."""
    if isinstance(output, str):
        told = _TOLD.findall(output)
        return int(told[-1]) if told else None
    if not isinstance(output, Mapping):
        return None
    for key in KEYS:
        if (code := _whole(output.get(key))) is not None:
            return code
    inner = (exit_code_in(output[key]) for key in (*NESTED, "output") if key in output)
    return next((code for code in inner if code is not None), None)


def _whole(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
