"""The Responses API of OpenAI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ledger.value import Json
from ....store.cassette.tokens import responses_tokens
from ..tokens import Spent, below, name
from .openai_error import error as error

ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


def is_last(event: Json) -> bool:
    """Say whether an event ends a stream."""
    return below(event, "type") in ENDS


def spent(events: Sequence[Json]) -> Spent | None:
    """Read what was used: the last event of a stream holds the whole response."""
    for event in reversed(events):
        response = below(event, "response") or event
        usage = below(response, "usage")
        if isinstance(usage, Mapping):
            return Spent(responses_tokens(usage), name(below(response, "model")))
    return None
