"""How a program ended, in words."""

from __future__ import annotations

from .child import Child

STDERR_LINES = 20


def how_it_ended(child: Child) -> str:
    """Say how a program left us: `exited with status 1`."""
    code, signal = child.peek_exit()
    if signal is not None:
        return f"was ended by {signal}"
    return f"exited with status {code}" if code is not None else "closed its standard output"


def last_lines(child: Child, most: int = STDERR_LINES) -> str:
    """Give the last lines that a program wrote on standard error."""
    return "\n".join(child.stderr.splitlines()[-most:])


def last_words(child: Child) -> dict[str, object]:
    """Give the last lines of standard error as a detail of a failure, if there are any."""
    last = last_lines(child)
    return {"stderr": last} if last else {}
