"""Characters as a reader sees them: a letter with its accents, a family of emoji, a flag."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from unicodedata import category

MORE = "..."
"""What stands where a text was cut, as in the seed of the formats."""

LONGEST = 64  # code points: who stacks more accents than this writes no character
_JOINERS = frozenset("\u200c\u200d\uff9e\uff9f")
_ZWJ = "\u200d"


def first_characters(text: str, most: int) -> str:
    """Keep the first characters of a text, none of them torn, and mark that there are more."""
    if text.isascii() and "\r" not in text:
        return text if len(text) <= most else text[:most] + MORE
    kept = "".join(islice(characters(text), most))
    return kept if len(kept) == len(text) else kept + MORE


def characters(text: str) -> Iterator[str]:
    """Yield the characters of a text: what stays together when it is cut."""
    start, flags = 0, 0
    for index in range(1, len(text)):
        before, char = text[index - 1], text[index]
        flags = flags + 1 if _is_flag_half(before) else 0
        if index - start < LONGEST and _belongs(before, char, odd=flags % 2 == 1):
            continue
        yield text[start:index]
        start = index
    if text:
        yield text[start:]


def _belongs(before: str, char: str, *, odd: bool) -> bool:
    """Say whether a code point continues the character before it."""
    if char.isascii():
        return before == "\r" and char == "\n"
    return (
        _extends(char)
        or before == _ZWJ
        or (_is_flag_half(char) and odd)
        or (_hangul(char) in "LVT" and _continues_syllable(before, char))
    )


def _extends(char: str) -> bool:
    code = ord(char)
    if 0x1F3FB <= code <= 0x1F3FF or 0xE0020 <= code <= 0xE007F:  # shades of skin, tags of flags
        return True
    return char in _JOINERS or category(char) in ("Mn", "Me", "Mc")


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _continues_syllable(before: str, char: str) -> bool:
    """Say whether a Korean letter continues a syllable that is spelt out letter by letter."""
    return _hangul(before) in {"L": "L", "V": "LVS", "T": "VTS"}[_hangul(char)]


def _hangul(char: str) -> str:
    """Tell a Korean syllable (S), and a letter that begins one (L), is its vowel (V) or ends it."""
    if "\u1100" <= char <= "\u115f" or "\ua960" <= char <= "\ua97c":
        return "L"
    if "\u1160" <= char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "V"
    if "\u11a8" <= char <= "\u11ff" or "\ud7cb" <= char <= "\ud7fb":
        return "T"
    return "S" if "\uac00" <= char <= "\ud7a3" else "-"
