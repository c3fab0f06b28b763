"""The command line: one file for each command, and the one place where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

# Each module adds its command; the help keeps this order.
COMMANDS = (
    "init",
    "run",
    "validate",
    "diff",
    "baseline",
    "capture",
    "trials",
    "grade",
    "summarize",
    "compare",
    "calibrate",
    "validate_refs",
    "balance",
    "schemas",
    "adapter",
    "bench",
    "report",
    "cassette",
)
# Commands that start agents or graders, and so run under the guard.
GUARDED = frozenset(
    {"run", "capture", "trials", "grade", "calibrate", "validate-refs", "adapter", "bench"}
)

ASKING = ("capture", "trials")
MISUSED = 2


def main() -> int:
    """Do what the command line says and give the exit code."""
    _open_what_is_closed()
    words = sys.argv[1:]
    if words == ["--version"]:  # before anything heavy is imported
        from ..ledger.version import VERSION

        print(f"runledger {VERSION}")  # noqa: T201
        return 0
    if sys.platform == "win32":
        print("runledger needs Linux or macOS; on Windows, use WSL", file=sys.stderr)  # noqa: T201
        return 2
    if words and words[0] in GUARDED and not (words[0] == "bench" and "--detach" in words):
        from ..process.guard import guarded

        return guarded(_command)
    return _command()


def _open_what_is_closed() -> None:
    """Put /dev/null where a standard stream was closed, before a file of ours takes its number."""
    for fd, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(fd, "r" if fd == 0 else "w", closefd=False))


def _command() -> int:
    from .exits import exit_code_of

    return exit_code_of(_parse_and_do)


def _needed(words: Sequence[str]) -> Sequence[str]:
    """Name the modules of a command line: its command's alone, or all of them to choose from."""
    named = words[0].replace("-", "_") if words else ""
    return (named,) if named in COMMANDS else COMMANDS


def _parse_and_do() -> int:
    from importlib import import_module

    from .app import app

    for module in _needed(sys.argv[1:]):
        import_module(f".{module}", __name__)
    try:
        app(prog_name="runledger")
    except SystemExit as exit:  # the parser's way to give an exit code
        if exit.code == MISUSED and sys.argv[1] in ASKING and "--" not in sys.argv:
            from .exits import say

            say("flags of the agent itself go after --: runledger capture PROMPTS AGENT -- -x")
        return exit.code if isinstance(exit.code, int) else 0
    return 0
