"""The Messages API of Anthropic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....ledger.value import Json
from ....store.cassette.tokens import anthropic_tokens
from ..tokens import Spent, below, name

ENDS = ("message_stop", "error")
ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def error(status: int, message: str) -> Json:
    """Write an error as the API does."""
    usual = "invalid_request_error" if status < 500 else "api_error"
    return {"type": "error", "error": {"type": ERRORS.get(status, usual), "message": message}}


def is_last(event: Json) -> bool:
    """Say whether an event ends a stream."""
    return below(event, "type") in ENDS


def spent(events: Sequence[Json]) -> Spent | None:
    """Read what was used; a later event of a stream says the sums anew, as far as they changed."""
    figures: dict[str, Json] = {}
    model = None
    for event in events:
        message = below(event, "message") or event
        model = name(below(message, "model")) or model
        usage = below(message, "usage")
        if isinstance(usage, Mapping):
            figures |= {key: value for key, value in usage.items() if value is not None}
    return Spent(anthropic_tokens(figures), model) if figures else None
