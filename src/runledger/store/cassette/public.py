"""What of an HTTP exchange may be kept: a few headers of answers, and paths without their keys."""

from __future__ import annotations

from urllib.parse import unquote_plus

from ..redact.telling import is_telling

KEPT_HEADERS = frozenset(
    [
        *("content-type", "retry-after", "retry-after-ms", "x-should-retry"),
        *("request-id", "x-request-id"),  # clients show them beside an error
    ]
)
"""Headers of an answer that a client acts upon; all others are never stored."""

# Names that tell only in a query: anywhere else a key finds something, and a code is a program.
_TELLING_IN_QUERIES = frozenset({"key", "auth", "sig", "signature", "code", "pass", "pw"})


def public_path(path: str) -> str:
    """Take parameters that hold secrets out of the query of a path; the rest stays as it is."""
    place, asked, query = path.partition("?")
    if not asked:
        return path
    kept = [one for one in query.split("&") if not _is_secret(one)]
    return f"{place}?{'&'.join(kept)}" if kept else place


def _is_secret(parameter: str) -> bool:
    name = unquote_plus(parameter.partition("=")[0])
    return name.lower() in _TELLING_IN_QUERIES or is_telling(name)
