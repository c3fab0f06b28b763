"""The Chat Completions API of OpenAI, and of all who speak like it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ledger.value import Json
from ....store.cassette.tokens import chat_tokens
from ..tokens import Spent, below, name
from .openai_error import error as error

DONE = "[DONE]"


def is_last(event: Json) -> bool:
    """Say whether an event ends a stream."""
    return event == DONE


def spent(events: Sequence[Json]) -> Spent | None:
    """Read what was used: the last chunk of a stream says it, where the client asked for it."""
    for event in reversed(events):
        usage = below(event, "usage")
        if isinstance(usage, Mapping):
            return Spent(chat_tokens(usage), name(below(event, "model")))
    return None
