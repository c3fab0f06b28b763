"""Where two texts part, and the words around it."""

from __future__ import annotations

from .cut import MORE, after_first_word, before_last_word, word_end

LONGEST_WORD = 120  # that is shown; one that is longer is shown to nobody, whole or in part


def parting(left: str, right: str) -> int:
    """Count the characters that two texts begin with alike."""
    pairs = enumerate(zip(left, right, strict=False))
    shorter = min(len(left), len(right))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), shorter)


def windows(left: str, right: str, width: int) -> tuple[str, str]:
    """Give of two texts the whole words around the place where they part, from one place on.

    They are alike where they part inside of a word that is too long to be shown.
    """
    at = parting(left, right)
    word = len(before_last_word(left[:at]))
    start = _start(left, word, width)
    return _window(left, start, (word, at), width), _window(right, start, (word, at), width)


def _start(text: str, word: int, width: int) -> int:
    """Go back from a word to where a window begins: at the text's beginning, a line or a word."""
    if word <= width // 2:
        return 0
    before = after_first_word(text[word - width // 3 : word])
    return word - len(before.lstrip())


def _window(text: str, start: int, parts: tuple[int, int], width: int) -> str:
    word, at = parts
    before = MORE if start else ""
    end = word_end(text, at)
    if end - word > LONGEST_WORD:
        return before + text[start:word] + MORE
    if len(text) <= max(end, start + width):
        return before + text[start:]
    last = max(end, start + width)
    kept = text[start:last]
    return before + (before_last_word(kept) if word_end(text, last) > last else kept) + MORE
