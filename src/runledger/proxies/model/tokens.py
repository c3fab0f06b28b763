"""What an answer of a model used, as it is priced."""

from __future__ import annotations

from dataclasses import dataclass

from ...ledger.value import Json
from ...store.cassette.tokens import Tokens as Tokens
from ...store.cassette.tokens import below as below


@dataclass(frozen=True, slots=True)
class Spent:
    """What an answer used, and the model that gave it, as the API calls it."""

    tokens: Tokens
    model: str | None = None


def name(value: Json) -> str | None:
    """Take a value for the name of a model."""
    return value[:200] if isinstance(value, str) and value else None
