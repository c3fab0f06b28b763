"""Find the words in which two texts differ."""

from __future__ import annotations

import re

from ...ledger.difference import Difference
from ...ledger.parting import parting

LONGEST = 80
SHORTEST = 4  # a shorter word stands in the rest of the text, too
_SPACE = re.compile(r"\s")
_SPECIAL = re.compile(r"([\\.+*?()|\[\]{}^$])")


def changed_words(one: Difference) -> str | None:
    """Give a pattern for what differs in two texts that are else the same; None if it is long."""
    left, right = one.left, one.right
    if not isinstance(left, str) or not isinstance(right, str):
        return None
    start = _word_start(left, parting(left, right))
    rest = left[start:], right[start:]
    end = parting(rest[0][::-1], rest[1][::-1])
    end = len(_SPACE.split(rest[0][len(rest[0]) - end :], maxsplit=1)[-1]) if end else 0
    words = [side[: len(side) - end].strip() for side in rest]
    if not all(words) or any(len(word) > LONGEST or "\n" in word for word in words):
        return None
    if len(words[0]) == len(left):
        return None  # the whole text: ignoring it says the same
    if min(map(len, words)) < SHORTEST:
        return None
    return "|".join(_SPECIAL.sub(r"\\\1", word) for word in words)


def _word_start(text: str, at: int) -> int:
    """Go back to where the word begins that stands at some place."""
    while at > 0 and not text[at - 1].isspace():
        at -= 1
    return at
