"""The exit code that the result of a shell tool carries, where the agent calls it a success."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .figure import clamped
from .value import Json

SHELL_NAMES = frozenset({"bash", "shell", "run_shell_command", "local_shell", "exec_command"})
KEYS = ("exit", "exitCode", "exit_code")  # opencode, SDK peers, codex
NESTED = ("metadata", "output", "text")  # opencode; parts of a result that are text

_TOLD = (
    # gemini, qwen: at the end, with other lines of their own; a command may print the like before
    re.compile(
        r"^exit code: (-?\d{1,10})\n?"
        r"(?:^(?:signal|background pids|process group pgid): [^\n]*\n?)*\Z",
        re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"\AExited with code (\d{1,10})\."),  # claude-code-acp, of our terminals
)


def runs_commands(name: str, kind: str | None = None) -> bool:
    """Say whether a tool runs commands: by ACP's word for its kind, or by its name."""
    return kind == "execute" or name.lower() in SHELL_NAMES


def exit_code_in(output: Json) -> int | None:
    """Find the exit code in what a shell tool gave; ask only for tools that run commands."""
    if isinstance(output, str):
        return _told_in(output)
    if isinstance(output, Mapping):
        known = (_whole(output.get(key)) for key in KEYS)
        return _first(known, (exit_code_in(output[key]) for key in NESTED if key in output))
    parts = output if isinstance(output, list) else []
    return _first(exit_code_in(part) for part in parts if isinstance(part, Mapping))


def _told_in(text: str) -> int | None:
    found = [codes[-1] for told in _TOLD if (codes := told.findall(text))]
    return int(found[0]) if found else None


def _first(*sources: Iterable[int | None]) -> int | None:
    return next((code for source in sources for code in source if code is not None), None)


def _whole(value: Json) -> int | None:
    return clamped(value) if isinstance(value, int) and not isinstance(value, bool) else None
