"""Check regular expressions with the engine that will run them."""

from __future__ import annotations

from functools import lru_cache

_UNSUPPORTED = {
    "invalid perl operator: (?=": "look-ahead is not supported",
    "invalid perl operator: (?!": "look-ahead is not supported",
    "invalid perl operator: (?<": "look-behind is not supported",
    "invalid perl operator: (?>": "atomic groups are not supported",
    "invalid perl operator: (?(": "conditions are not supported",
    "invalid escape sequence: \\Z": "write \\z for the end of the text",
    "invalid repetition size": "a repetition may count to 1000 at most",
    "bad repetition operator": "possessive repetition is not supported",
}


@lru_cache(maxsize=4096)
def pattern_problem(pattern: str) -> str | None:
    """Say why a pattern cannot be used, or None when it can."""
    import re2  # only suites with patterns pay for it

    options = re2.Options()
    options.log_errors = False  # it would write to our standard error
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        words = _words(error)
        return f"is not a regular expression that RE2 knows: {words}{_hint(words)}"
    return None


def _words(error: Exception) -> str:
    text = error.args[0] if error.args else error
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def _hint(words: str) -> str:
    if words.startswith("invalid escape sequence: \\") and words[-1:].isdigit():
        return " (back-references are not supported)"
    hints = (hint for start, hint in _UNSUPPORTED.items() if words.startswith(start))
    hint = next(hints, None)
    return f" ({hint})" if hint else ""
