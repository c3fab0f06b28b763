"""Model APIs that are known: how each says an error, the end of a stream, and what was used.

Each module here is one API, and is used as an `Api`; which one a path belongs to is told by
`choice`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ....ledger.value import Json
from ..tokens import Spent


class Api(Protocol):
    """What is particular to one API."""

    def error(self, status: int, message: str) -> Json:
        """Write an error as the API does."""

    def is_last(self, event: Json) -> bool:
        """Say whether an event ends a stream."""

    def spent(self, events: Sequence[Json]) -> Spent | None:
        """Read what was used from an answer's events, or from its one document."""
