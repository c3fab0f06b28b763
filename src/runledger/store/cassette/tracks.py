"""Texts that a model said in pieces: each piece of a track stands in some event of the stream."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...ledger.value import Json

Place: TypeAlias = tuple[str | int, ...]
"""The keys and indices from the root of an event's value down to a piece."""

_NO_TEXT = frozenset({"type", "role", "id", "name"})  # these come whole


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a piece of a track stands, and what it says."""

    frame: int
    place: Place
    text: str


def tracks_in(values: Sequence[Json]) -> dict[Hashable, list[Piece]]:
    """Gather the pieces of every track over the values of a stream's events, in order."""
    found: dict[Hashable, list[Piece]] = {}
    for frame, value in enumerate(values):
        for track, place, text in _pieces(value):
            found.setdefault(track, []).append(Piece(frame, place, text))
    return found


def text_of(pieces: Sequence[Piece]) -> str:
    """Put the pieces of a track together."""
    return "".join(piece.text for piece in pieces)


def put_text(values: list[Json], pieces: Sequence[Piece], text: str) -> None:
    """Say a whole text in the first piece of a track, and nothing in the others."""
    for piece in pieces:
        values[piece.frame] = _with(values[piece.frame], piece.place, text)
        text = ""


def put_pieces(values: list[Json], pieces: Sequence[Piece]) -> None:
    """Say each piece of a track where it stood."""
    for piece in pieces:
        values[piece.frame] = _with(values[piece.frame], piece.place, piece.text)


_Found: TypeAlias = Iterator[tuple[Hashable, Place, str]]


def _pieces(value: Any) -> _Found:
    if not isinstance(value, Mapping):
        return
    if isinstance(value.get("response"), Mapping) and "candidates" in value["response"]:
        for track, place, text in _gemini(value["response"]):
            yield track, ("response", *place), text
    yield from _anthropic(value)
    yield from _responses(value)
    yield from _chat(value)
    yield from _gemini(value)


def _anthropic(value: Mapping[str, Any]) -> _Found:
    delta = value.get("delta")
    if value.get("type") == "content_block_delta" and isinstance(delta, Mapping):
        for name, text in _texts(delta):
            yield ("block", str(value.get("index")), name), ("delta", name), text


def _responses(value: Mapping[str, Any]) -> _Found:
    kind, delta = value.get("type"), value.get("delta")
    if isinstance(kind, str) and kind.endswith(".delta") and isinstance(delta, str):
        places = ("output_index", "content_index", "summary_index")
        yield (kind, *(str(value.get(name)) for name in places)), ("delta",), delta


def _chat(value: Mapping[str, Any]) -> _Found:
    for at, choice in _objects(value.get("choices")):
        number = str(choice.get("index"))
        if isinstance(choice.get("text"), str):
            yield ("choice", number), ("choices", at, "text"), choice["text"]
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            continue
        for name, text in _texts(delta):
            yield ("choice", number, name), ("choices", at, "delta", name), text
        for track, place, text in _parts_of(delta):
            yield ("call", number, *track), ("choices", at, "delta", *place), text


def _parts_of(delta: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Place, str]]:
    """Yield the pieces that stand in lists of a delta: what tools are given, and thoughts."""
    for at, call in _objects(delta.get("tool_calls")):
        for kind in ("function", "custom"):
            said = call.get(kind)
            for name, text in _texts(said) if isinstance(said, Mapping) else ():
                yield (str(call.get("index")), name), ("tool_calls", at, kind, name), text
    for at, thought in _objects(delta.get("reasoning_details")):
        for name in ("text", "summary"):
            if isinstance(thought.get(name), str):
                track = (str(thought.get("index")), f"reasoning {name}")
                yield track, ("reasoning_details", at, name), thought[name]


def _gemini(value: Mapping[str, Any]) -> _Found:
    for at, candidate in _objects(value.get("candidates")):
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, Mapping) else None
        for place, part in _objects(parts):
            if isinstance(part.get("text"), str):
                track = ("candidate", str(candidate.get("index")), bool(part.get("thought")))
                yield track, ("candidates", at, "content", "parts", place, "text"), part["text"]


def _texts(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, text in fields.items():
        if isinstance(text, str) and name not in _NO_TEXT:
            yield name, text


def _objects(items: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for at, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, Mapping):
            yield at, item


def _with(value: Any, place: Place, text: str) -> Any:
    """Copy a value with another text at a place, if it still has it; the rest is shared."""
    if not place:
        return text
    if not isinstance(value, (dict, list)):
        return value  # hidden as a whole
    key: Any = place[0]
    changed: Any = value.copy()
    changed[key] = _with(value[key], place[1:], text)
    return changed
