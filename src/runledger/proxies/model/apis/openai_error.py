"""Errors as OpenAI says them, whichever of its APIs is asked."""

from __future__ import annotations

from ....ledger.value import Json

CODES = {401: "invalid_api_key", 404: "not_found", 429: "rate_limit_exceeded"}


def error(status: int, message: str) -> Json:
    """Write an error as the API does."""
    usual = "invalid_request_error" if status < 500 else "server_error"
    kind = "rate_limit_error" if status == 429 else usual
    said = {"message": message, "type": kind, "param": None, "code": CODES.get(status)}
    return {"error": said}
