"""Check the words of a command: something to start, and placeholders that somebody fills in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import Finding, did_you_mean
from .source import Source, Steps, point

AGENT_PLACEHOLDERS = ("python", "suite", "workspace", "prompt", "mcp_config")

_PLACEHOLDER = re.compile(r"(?<!\$)\{([a-z_]+)\}")


def check_command(
    source: Source,
    steps: Steps,
    command: Sequence[str],
    placeholders: Sequence[str] = AGENT_PLACEHOLDERS,
) -> Iterator[Finding]:
    """Find what cannot be started, and placeholders that nobody fills in."""
    if not command[0].strip():
        yield point(source, (*steps, 0), "must be the program to start; found nothing")
    for index, argument in enumerate(command):
        for name in _PLACEHOLDER.findall(argument):
            if name not in placeholders:
                known = ", ".join(f"{{{word}}}" for word in placeholders)
                hint = did_you_mean(name, placeholders)
                message = f"unknown placeholder {{{name}}}{hint} (known: {known})"
                yield point(source, (*steps, index), message)
