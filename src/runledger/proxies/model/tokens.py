"""What an answer of a model used, as it is priced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ledger.value import Json

MOST_TOKENS = 10**12  # no answer uses more: a larger figure is a mistake


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one answer; each counts in one place only."""

    input: int = 0  # neither read from a cache nor written to one
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0  # kept for an hour, which some charge more for

    @property
    def all_input(self) -> int:
        """Count all that the model was given, cached or not."""
        return self.input + self.cache_read + self.cache_write + self.cache_write_1h


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer used, and the model that gave it, as the API calls it."""

    tokens: Tokens
    model: str | None = None


def count(value: Json) -> int:
    """Take a value for a number of tokens; what is none counts as nothing."""
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value <= MOST_TOKENS else 0


def below(value: Json, *keys: str) -> Json:
    """Find what stands under keys of nested objects, or None."""
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def name(value: Json) -> str | None:
    """Take a value for the name of a model."""
    return value[:200] if isinstance(value, str) and value else None
