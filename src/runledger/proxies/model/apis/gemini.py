"""The Gemini API of Google."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ledger.value import Json
from ....store.cassette.tokens import gemini_tokens
from ..tokens import Spent, below, name

STATUSES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error(status: int, message: str) -> Json:
    """Write an error as the API does."""
    usual = "INVALID_ARGUMENT" if status < 500 else "INTERNAL"
    return {"error": {"code": status, "message": message, "status": STATUSES.get(status, usual)}}


def is_last(event: Json) -> bool:
    """Say whether an event ends a stream: it says why the model stopped."""
    candidates = below(event, "candidates")
    if not isinstance(candidates, list):
        return False
    return any(below(one, "finishReason") is not None for one in candidates)


def spent(events: Sequence[Json]) -> Spent | None:
    """Read what was used: every chunk says the sums so far."""
    for event in reversed(events):
        usage = below(event, "usageMetadata")
        if isinstance(usage, Mapping):
            return Spent(gemini_tokens(usage), name(below(event, "modelVersion")))
    return None
