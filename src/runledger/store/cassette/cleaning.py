"""Take the secrets out of entries: what one of them tells is hidden in all of them.

A secret that a model says piece by piece is found in the whole text of its track; the stream then
says the redacted text in the first piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TypeAlias

from ...errors import StoreError
from ...ledger.strict_json import NotJson, dump_line, loads
from ...ledger.value import Json
from .entry import Entry, McpEntry, ModelAnswer, ModelEntry
from .frames import read_frame, written_frame
from .line import AnyEntry
from .shorthand import conversation_of
from .tracks import put_pieces, put_text, text_of, tracks_in

MaskAll: TypeAlias = Callable[[Sequence[Json]], Sequence[Json]]
Clean: TypeAlias = Callable[[Json], Json]


def cleaned(entries: Sequence[AnyEntry], mask: MaskAll) -> list[AnyEntry]:
    """Give the entries without secrets; what stands in several of them is looked at once."""
    said = _said_in(entries)
    said.mask(mask)
    return [_clean_entry(entry, said.give) for entry in entries]


def all_said(entries: Sequence[AnyEntry]) -> list[Json]:
    """List what is said in entries, once each: what was said in pieces stands there in whole."""
    return _said_in(entries).values


def _said_in(entries: Sequence[AnyEntry]) -> _Said:
    said = _Said()
    for entry in entries:
        _clean_entry(entry, said.note)
    return said


class _Said:
    """Each value that was said, once, and then what is left of it."""

    def __init__(self) -> None:
        self._values: dict[bytes, Json] = {}

    @property
    def values(self) -> list[Json]:
        """List all values."""
        return [*self._values.values()]

    def note(self, value: Json) -> Json:
        """Remember a value."""
        self._values.setdefault(_known_by(value), value)
        return value

    def mask(self, mask: MaskAll) -> None:
        """Take the secrets out of all values."""
        masked = mask(self.values)
        for value, left in zip(self._values.values(), masked, strict=True):
            if isinstance(value, (Mapping, list)) and isinstance(left, str):
                raise StoreError("an answer is nested too deeply to be searched for secrets")
        self._values = dict(zip(self._values, masked, strict=True))

    def give(self, value: Json) -> Json:
        """Give what is left of a value."""
        return self._values[_known_by(value)]


def _known_by(value: Json) -> bytes:
    return sha256(dump_line(value)).digest()


def _clean_entry(entry: AnyEntry, clean: Clean) -> AnyEntry:
    match entry:
        case Entry():
            return _clean_tool(entry, clean)
        case McpEntry():
            return _clean_mcp(entry, clean)
        case ModelEntry():
            return _clean_model(entry, clean)


def _clean_tool(entry: Entry, clean: Clean) -> Entry:
    said = clean({"args": entry.args, "result": entry.result, "error": entry.error})
    assert isinstance(said, Mapping)
    args = said["args"]
    assert isinstance(args, Mapping)
    return replace(entry, args=args, result=said["result"], error=said["error"])


def _clean_mcp(entry: McpEntry, clean: Clean) -> McpEntry:
    asked, reply = clean({"params": entry.params}), clean(entry.reply)
    around = clean({"before": list(entry.before), "after": list(entry.after)})
    assert isinstance(asked, Mapping)
    assert isinstance(reply, Mapping)
    assert isinstance(around, Mapping)
    before, after = (tuple(_listed(around[name])) for name in ("before", "after"))
    return replace(entry, params=asked["params"], reply=reply, before=before, after=after)


def _clean_model(entry: ModelEntry, clean: Clean) -> ModelEntry:
    answer = entry.answer
    headers = clean(dict(answer.headers))
    assert isinstance(headers, Mapping)
    kept = {name: _text(headers[name]) for name in headers}
    return replace(
        entry,
        path=_text(clean(entry.path)),
        body=_clean_body(entry.body, clean),
        answer=replace(retold(answer, clean), headers=kept),
    )


def retold(answer: ModelAnswer, change: Clean) -> ModelAnswer:
    """Give an answer in other words; what is the same stays as it is, byte for byte."""
    frames = _clean_stream(answer, change) if answer.is_stream else _clean_content(answer, change)
    return replace(answer, frames=frames)


def _clean_body(body: Json, clean: Clean) -> Json:
    """Clean a body and each of its messages by itself, since the next request has most again."""
    found = conversation_of(body)
    if found is None:
        return clean(body)
    assert isinstance(body, Mapping)
    key, items = found
    rest = clean({**body, key: []})
    assert isinstance(rest, Mapping)
    said = [clean({key: [item]}) for item in items]
    return {**rest, key: [_listed(one[key])[0] for one in said if isinstance(one, Mapping)]}


def _clean_content(answer: ModelAnswer, clean: Clean) -> tuple[bytes, ...]:
    content = b"".join(answer.frames)
    try:
        value = loads(content) if content else None
    except NotJson:
        text = content.decode("utf-8", "surrogateescape")
        left = _text(clean(text))
        return (left.encode("utf-8", "surrogateescape"),) if left != text else answer.frames
    left_value = _clean_list(value, clean) if isinstance(value, list) else clean(value)
    return (dump_line(left_value)[:-1],) if left_value != value else answer.frames


def _clean_list(value: Sequence[Json], clean: Clean) -> Json:
    """Clean a list, which is a stream where Gemini is not asked for one of events."""
    return _clean_pieces(value, clean, lambda events: _listed(clean(events)))


def _clean_stream(answer: ModelAnswer, clean: Clean) -> tuple[bytes, ...]:
    frames = [*map(read_frame, answer.frames)]
    said = [frame.value for frame in frames]
    values = _clean_pieces(said, clean, lambda events: [*map(clean, events)])
    rests = [_text(clean(frame.rest)) for frame in frames]
    together = zip(frames, values, rests, strict=True)
    return tuple(written_frame(frame, value, rest) for frame, value, rest in together)


def _clean_pieces(values: Sequence[Json], clean: Clean, clean_rest: MaskAll) -> list[Json]:
    """Clean the events of a stream; a piece of a text tells nothing, only the whole text does."""
    tracks = [*tracks_in(values).values()]
    bare = [*values]
    for pieces in tracks:
        put_text(bare, pieces, "")
    left = [*clean_rest(bare)]
    for pieces in tracks:
        name, whole = str(pieces[0].place[-1]), text_of(pieces)
        said = clean({name: whole})
        if said == {name: whole}:
            put_pieces(left, pieces)
        elif isinstance(said, Mapping):
            put_text(left, pieces, _text(said[name]))
    return left


def _text(value: Json) -> str:
    assert isinstance(value, str)  # what was a text stays one
    return value


def _listed(value: Json) -> Sequence[Json]:
    assert isinstance(value, (list, tuple))
    return value
