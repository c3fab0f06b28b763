"""How a name that gives a condition away may be written, as patterns of RE2.

A name of several words, such as graph-context, may be written with any separator or with none:
graph_context, graph context, GraphContext. Names that sentences are full of, such as no-cache and
step-1, are none where a space parts their words; as a label they are names all the same.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from .markers import Marker

_ANYTHING = r"[\pL\pN\pM_-]*"
_SIGNS = r"(?:\\?[\p{Pd}_.]){0,2}"  # hyphens of every kind; Markdown escapes an underscore
_SIGNS_OR_SPACES = rf"(?:{_SIGNS}|(?:[\s\pZ]|%20){{1,4}})"
_SIGNS_OF_TOOLS = r"[\p{Pd}_\s]{0,2}"  # no dot: str.replace is not the tool str_replace
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


def visible(text: str) -> str:
    """Leave out signs that nobody sees, such as soft hyphens: a name with one reads the same."""
    return _UNSEEN.sub("", text)


def spelled(marker: Marker) -> str:
    """Write the pattern of a marker wherever it stands: in any case, with any separator."""
    if marker.is_pattern:
        return f"(?i:{_ANYTHING.join(map(_either_form, marker.text.split('*')))})"
    return _any_case(_joined(marker, _separator(marker)))


def as_label(marker: Marker) -> str:
    """Write the pattern of a marker that stands as a label: there a space is a separator, too."""
    if marker.is_pattern or marker.of_tool:
        return spelled(marker)
    return _any_case(_joined(marker, _SIGNS_OR_SPACES))


def in_capitals(marker: Marker) -> str:
    """Write the pattern of a marker that is shouted."""
    return _SIGNS_OR_SPACES.join(re.escape(part.upper()) for part in _words(marker))


def in_its_own_case(marker: Marker) -> str:
    """Write the pattern of a marker as it was given."""
    return re.escape(marker.text)


def _separator(marker: Marker) -> str | None:
    """Give what may stand between the words of a marker; None: what stands there now."""
    if marker.kind in ("name", "server"):
        guarded = marker.small and " " not in marker.text
        return _SIGNS if guarded else _SIGNS_OR_SPACES
    if marker.kind == "tool" and not marker.everyday:  # readFile is not the tool read_file
        return _SIGNS_OF_TOOLS
    return None


def _joined(marker: Marker, separator: str | None) -> str:
    words = [marker.text] if separator is None else _words(marker)
    return (separator or "").join(map(_either_form, words))


def _words(marker: Marker) -> list[str]:
    return marker.parts if len(marker.parts) > 1 else [marker.text]


def _any_case(pattern: str) -> str:
    return f"(?i:{pattern})"


def _either_form(text: str) -> str:
    """Write a text as it is; a letter with an accent may be written as one sign or as two."""
    forms = dict.fromkeys((text, normalize("NFC", text), normalize("NFD", text)))
    return f"(?:{'|'.join(map(re.escape, forms))})"
