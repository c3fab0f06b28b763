"""Regular expressions of a user's, run on RE2: no pattern can make them hang."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import re2


class BadPattern(ValueError):
    """Say why a pattern cannot be run."""


def found_in(pattern: str, text: str) -> bool:
    """Say whether a pattern matches anywhere in a text."""
    regex = _compiled(pattern)
    try:
        return regex.search(text) is not None
    except UnicodeEncodeError:  # RE2 reads UTF-8, which has no lone surrogates
        return regex.search(_whole(text)) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise BadPattern(f"RE2 cannot run {pattern!r:.200}: {_reason(error)}") from None
    except UnicodeEncodeError:
        raise BadPattern(f"RE2 cannot run {pattern!r:.200}: it holds a lone surrogate") from None


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
