"""Find secrets again by the hashes that their placeholders have, whatever they are.

So a cassette matches also where the variables are not set that were secrets at its recording, and
where a text names a secret before anything tells that it is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from functools import lru_cache

from ...ledger.value import Json, map_texts
from .environment import LONGEST_TOLD, SHORTEST_TOLD
from .placeholder import comparable_mark, hash_with

REMEMBERED = 1 << 16  # words of one trial, most of which come again
LONGEST_REMEMBERED = 100
MOST_SIGNS = 6  # at either end of a word that are looked behind

_LONG = f"{{{SHORTEST_TOLD},}}"  # a recording does not look for shorter ones, either
_SIGNS = r"""\s"'`´‘’“”«»()\[\]{}<>,;:.!?…=|&@/\\*~-"""
_WORD = re.compile(r"\S" + _LONG)
_PIECE = re.compile(f"[^{_SIGNS}]{_LONG}")
_SIGN = re.compile(f"[{_SIGNS}]")


class Recognition:
    """Know secrets by their hashes; each that is found is told of in clear."""

    def __init__(self, salt: str, hashes: Set[str], found: Callable[[str], None]) -> None:
        self._hash = hash_with(salt)
        self._hashes = hashes
        self._found = found
        self._mark = lru_cache(maxsize=REMEMBERED)(self._mark_of)

    def value(self, value: Json) -> Json:
        """Put comparable placeholders in place of texts, words and parts of them that are known."""
        return map_texts(value, self._text) if self._hashes else value

    def _text(self, text: str) -> str:
        return self._swapped(text) or _WORD.sub(self._word, text)

    def _word(self, found: re.Match[str]) -> str:
        """Look at a word, then at what is between signs in it, which may be signs of the secret."""
        word = found[0]
        whole = self._swapped(word)
        if whole or len(word) > LONGEST_TOLD or not _SIGN.search(word):
            return whole or word
        pieces = _PIECE.sub(lambda piece: self._swapped(piece[0]) or piece[0], word)
        return pieces if pieces != word else self._between_signs(word)

    def _between_signs(self, word: str) -> str:
        for start, end in _spans(word):
            if by := self._swapped(word[start:end]):
                return word[:start] + by + word[end:]
        return word

    def _swapped(self, text: str) -> str | None:
        by = self._mark(text) if len(text) <= LONGEST_REMEMBERED else self._mark_of(text)
        if by is not None:
            self._found(text)
        return by

    def _mark_of(self, text: str) -> str | None:
        short = self._hash(text.encode("utf-8", "surrogatepass"))
        return comparable_mark(short) if short in self._hashes else None


def _spans(word: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a word from behind a sign to before a sign, the longest first."""
    signs = [sign.start() for sign in _SIGN.finditer(word)]
    for start in (0, *(at + 1 for at in signs[:MOST_SIGNS])):
        for end in (len(word), *reversed(signs[-MOST_SIGNS:])):
            if end - start >= SHORTEST_TOLD:
                yield start, end
