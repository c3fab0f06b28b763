"""What the formats know but this version does not do yet: refused aloud, never ignored."""

from __future__ import annotations

from collections.abc import Mapping

from ..ledger.value import Json

_NOT_YET: Mapping[str, str] = {  # a key, or a key with one value of it: what to do instead
    "sandbox: bwrap": "use none",
    "proxies": "let the agent ask the runner for its tools",
    "workspace": "the agent runs in the suite's directory",
    "inject": "remove it",
}
KEYS = frozenset(entry.partition(":")[0] for entry in _NOT_YET)


def why_unavailable(key: str, value: Json) -> str | None:
    """Say that a key, or this value of it, does nothing yet, and what to do instead."""
    if value and key in _NOT_YET:
        return f"is not available in this version yet; {_NOT_YET[key]}"
    instead = _NOT_YET.get(f"{key}: {value}") if isinstance(value, str) else None
    if instead is not None:
        return f"{key} {value} is not available in this version yet; {instead}"
    return None
