"""Regular expressions of a user's, run on RE2: no pattern can make them hang."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from typing import Any

# RE2's own words for what it does not have, and ours for what to do about it.
_HINTS = {
    "invalid perl operator: (?=": "look-ahead is not supported",
    "invalid perl operator: (?!": "look-ahead is not supported",
    "invalid perl operator: (?<": "look-behind is not supported",
    "invalid perl operator: (?>": "atomic groups are not supported",
    "invalid perl operator: (?(": "conditions are not supported",
    "invalid escape sequence: \\Z": "write \\z for the end of the text",
    "invalid repetition size": "a repetition may count to 1000 at most",
    "bad repetition operator": "possessive repetition is not supported",
}


class BadPattern(ValueError):
    """Say why a pattern cannot be run."""

    def __init__(self, pattern: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"RE2 cannot run {pattern!r:.200}: {reason}")


def pattern_problem(pattern: str) -> str | None:
    """Say why a pattern cannot be run, or None when it can."""
    try:
        _compiled(pattern)
    except BadPattern as error:
        return f"is not a regular expression that RE2 knows: {error.reason}"
    return None


def found_in(pattern: str, text: str) -> bool:
    """Say whether a pattern matches anywhere in a text."""
    return _compiled(pattern).search(_whole(text)) is not None


def rewritten(pattern: str, by: Callable[[str], str], text: str) -> str:
    """Put what a function makes of each match of a pattern in its place."""
    return str(_compiled(pattern).sub(lambda match: by(match[0]), _whole(text)))


def finds_any(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Make the test whether one of some patterns matches anywhere in a text, in one search."""
    return partial(_any_found, tuple(patterns))


def _any_found(patterns: tuple[str, ...], text: str) -> bool:
    either = _either(patterns)
    if either is None:
        return any(found_in(pattern, text) for pattern in patterns)
    return bool(patterns) and found_in(either, text)


@lru_cache(maxsize=256)
def _either(patterns: tuple[str, ...]) -> str | None:
    """Make one pattern of several; None where they are too large together, or one has no end."""
    either = "|".join(f"(?:{pattern})" for pattern in patterns)
    return either if pattern_problem(either) is None else None


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    import re2  # only suites with patterns pay for it

    options = re2.Options()
    options.log_errors = False  # it would write to our standard error
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise BadPattern(pattern, _reason(error)) from None
    except UnicodeEncodeError:
        raise BadPattern(pattern, "it holds a lone surrogate") from None


def _reason(error: Exception) -> str:
    said = error.args[0] if error.args else error
    words = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if words.startswith("invalid escape sequence: \\") and words[-1:].isdigit():
        return f"{words} (back-references are not supported)"
    hint = next((hint for start, hint in _HINTS.items() if words.startswith(start)), None)
    return f"{words} ({hint})" if hint else words


def _whole(text: str) -> str:
    """Replace lone surrogates, which UTF-8 and so RE2 cannot read."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
