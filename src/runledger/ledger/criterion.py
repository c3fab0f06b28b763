"""What an answer is judged by: facts that it must state."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One fact; where a check says how a machine can tell, no judge is asked."""

    id: str
    text: str
    contains: str | None = None
    regex: str | None = None

    @property
    def has_check(self) -> bool:
        """Say whether a machine can tell by itself."""
        return self.contains is not None or self.regex is not None
