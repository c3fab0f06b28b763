"""Cut long texts, leaving no piece of a word: half a token is a secret that no rule knows."""

from __future__ import annotations

import re

MORE = "…"
"""What stands where a text was cut."""

REACH = 300  # characters up to the next line: the name that tells of a secret may be cut off

_APART = r"\s\"'`(){}\[\]<>,、。，；：（）「」『』"  # prose without spaces has its own marks
_IN_WORD = re.compile(rf"[^{_APART}]++")
_LAST_WORD = re.compile(rf"(?<![^{_APART}])[^{_APART}]++\Z")
_FIRST_LINE = re.compile(rf".{{0,{REACH}}}+\n(?=\s*+\S)")
# Between words it is the next one, but for an option, and with a name goes what is assigned to it.
_FIRST_WORD = re.compile(
    rf"(?:[{_APART}]++(?!-))?[^{_APART}]*+"
    rf"(?:(?:(?<=[=:])|[{_APART}]*+[=:])[{_APART}]*+[^{_APART}]*+)?"
)


def beginning(text: str, width: int) -> str:
    """Keep the beginning of a text, up to the last whole word that fits."""
    if len(text) <= width:
        return text
    kept = text[: width - 1]
    return (before_last_word(kept) if _IN_WORD.match(text, width - 1) else kept) + MORE


def ending(text: str, width: int) -> str:
    """Keep the end of a text, from a line on if one starts soon, or else from a word."""
    return text if len(text) <= width else MORE + after_first_word(text[len(text) - width + 1 :])


def before_last_word(text: str) -> str:
    """Drop the last word of a text that goes on elsewhere."""
    return text[: last.start()] if (last := _LAST_WORD.search(text)) else text


def word_end(text: str, at: int) -> int:
    """Find where the word ends that some place is in, or the place itself if it is in none."""
    return rest.end() if (rest := _IN_WORD.match(text, at)) else at


def after_first_word(text: str) -> str:
    """Drop the first line of a text that began elsewhere, or the first word of a long line."""
    first = _FIRST_LINE.match(text) or _FIRST_WORD.match(text)
    return text[first.end() :] if first else text
