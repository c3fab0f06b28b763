"""Write values in short: what stands more than once as a blob, a conversation as what it added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256

from ...ledger.strict_json import dump_line
from ...ledger.value import Json
from .census import Census, Continued
from .shorthand import ADD, AFTER, BLOB, KEEP, MEANINGFUL, PLAIN, SHOWN_DIGITS, is_in_parts

# Where a request holds what every request of a session holds: a reader wants to pass over it.
STANDING = frozenset({"tools", "system", "instructions", "systemInstruction", "system_instruction"})


class Compactor:
    """Write the values of one cassette, all of which the census has seen in the same order."""

    def __init__(self, census: Census) -> None:
        self._census = census
        self._told: set[str] = set()  # ids of blobs
        self._blobs: list[Json] = []

    def value(self, value: Json) -> Json:
        """Write a value."""
        if not self._census.is_large(value):
            return _escaped(value)
        if self._census.is_repeated(value):
            return self._blob(value)
        if isinstance(value, Mapping):
            return _plain({name: self.value(item) for name, item in value.items()})
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def body(self, body: Json) -> Json:
        """Write the body of a request."""
        continued = self._census.continued.popleft()
        if not is_in_parts(body):
            return self.value(body)
        return {name: self._part(name, body[name], continued) for name in body}

    def new_blobs(self) -> Iterator[Json]:
        """Yield the lines that what was written last refers to, and that stand nowhere yet."""
        yield from self._blobs
        self._blobs = []

    def _part(self, name: str, value: Json, continued: Continued | None) -> Json:
        if continued is not None and name == continued.key:
            assert isinstance(value, list)
            added = [self.value(item) for item in value[continued.keep :]]
            return {AFTER: continued.after, KEEP: continued.keep, ADD: added}
        return self._standing(value) if name in STANDING else self.value(value)

    def _standing(self, value: Json) -> Json:
        """Write a large value as a blob, or what is large in it where only that comes again."""
        census = self._census
        if not census.is_large(value):
            return _escaped(value)
        if census.is_repeated(value) or not census.holds_repeated(value):
            return self._blob(value)
        if isinstance(value, Mapping):
            return _plain({name: self._standing(item) for name, item in value.items()})
        assert isinstance(value, (list, tuple))  # a text holds nothing that could come again
        return [self._standing(item) for item in value]

    def _blob(self, value: Json) -> Json:
        id = sha256(dump_line(value)[:-1]).hexdigest()[:SHOWN_DIGITS]
        if id not in self._told:
            self._told.add(id)
            self._blobs.append({"v": 1, "kind": "blob", "id": id, "value": _escaped(value)})
        return {BLOB: id}


def _escaped(value: Json) -> Json:
    """Write a value as it is, but for objects that would be taken for something in short."""
    if isinstance(value, Mapping):
        return _plain({name: _escaped(item) for name, item in value.items()})
    if isinstance(value, (list, tuple)):
        return [_escaped(item) for item in value]
    return value


def _plain(written: dict[str, Json]) -> Json:
    return written if MEANINGFUL.isdisjoint(written) else {PLAIN: written}
