"""What holds of everything that is refused: it is told in a few words that can be printed."""

from __future__ import annotations

MOST_CHARACTERS = 5000


def check_words(error: Exception, most: int = MOST_CHARACTERS) -> None:
    """See that a refusal says something, and can be printed."""
    words = str(error)
    assert 0 < len(words) < most, words[:most]
    words.encode("utf-8", "backslashreplace")
