"""Find what stands more than once in a cassette to be, in one pass over all its values."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from ...ledger.strict_json import dump_line
from ...ledger.value import Json, children_of
from .shorthand import START, conversation_of, is_in_parts, links_from, shown_link

LARGE = 1024  # bytes from which on a value is worth a line of its own
LEAST_KEPT = 256  # bytes of an earlier list that are worth a reference


class Mark(NamedTuple):
    """What a value is known by, and its size in bytes, roughly."""

    token: bytes
    size: int


@dataclass(frozen=True, slots=True)
class Continued:
    """How a request's list goes on after an earlier one."""

    key: str
    after: str
    keep: int


class Census:
    """See every value before any is written."""

    def __init__(self) -> None:
        self.continued: deque[Continued | None] = deque()  # one for each body, in order
        self._marks: dict[int, tuple[Json, Mark]] = {}  # by id, which the value must not give up
        self._seen: Counter[bytes] = Counter()
        self._lists: dict[bytes, str] = {}  # beginnings of lists, and the list last seen with it

    def value(self, value: Json) -> Json:
        """Count a value and all that is in it, each time it stands anywhere but in its like."""
        mark = self.mark(value)
        if mark.size < LARGE:
            return None
        self._seen[mark.token] += 1
        if self._seen[mark.token] == 1:  # what is in a repeated value is not repeated by that
            for child in children_of(value):
                self.value(child)
        return None

    def body(self, body: Json) -> Json:
        """Count what is new in the body of a request."""
        if not is_in_parts(body):
            self.continued.append(None)
            return self.value(body)
        key, items = conversation_of(body) or ("", [])
        keep = self._follow(key, items)
        for item in (*(body[name] for name in body if name != key), *items[keep:]):
            self.value(item)
        return None

    def is_repeated(self, value: Json) -> bool:
        """Say whether a large value stands in more than one place."""
        return self._seen[self.mark(value).token] > 1

    def is_large(self, value: Json) -> bool:
        """Say whether a value is worth a line of its own."""
        return self.mark(value).size >= LARGE

    def holds_repeated(self, value: Json) -> bool:
        """Say whether something in a value stands elsewhere too."""
        large = [child for child in children_of(value) if self.is_large(child)]
        return any(self.is_repeated(one) or self.holds_repeated(one) for one in large)

    def mark(self, value: Json) -> Mark:
        """Tell what a value is known by; of objects and lists it is remembered."""
        if not isinstance(value, (Mapping, list, tuple)):
            content = dump_line(value)[:-1]
            return Mark(content if len(content) < LARGE else _digest(content), len(content))
        known = self._marks.get(id(value))
        if known is None:
            known = self._marks[id(value)] = value, self._mark_of_all(value)
        return known[1]

    def _mark_of_all(self, value: Mapping[str, Json] | Sequence[Json]) -> Mark:
        """Put the marks of what is in a value together: each is looked at only once."""
        names = [*map(dump_line, value)] if isinstance(value, Mapping) else [b"\n"] * len(value)
        marks = [self.mark(child) for child in children_of(value)]
        spelled = [name + mark.token for name, mark in zip(names, marks, strict=True)]
        size = sum(len(name) + mark.size for name, mark in zip(names, marks, strict=True))
        sign = b"{" if isinstance(value, Mapping) else b"["
        return Mark(_digest(sign + b"\n".join(spelled)), size + 2)

    def _follow(self, key: str, items: Sequence[Json]) -> int:
        """Find the longest beginning that an earlier list had, and remember this one's."""
        links = [*links_from(START, items)]
        known = (place for place in range(len(links), 0, -1) if links[place - 1][0] in self._lists)
        keep = next(known, 0)
        if keep and links[keep - 1].weight < LEAST_KEPT:
            keep = 0
        after = self._lists[links[keep - 1].digest] if keep else ""
        self.continued.append(Continued(key, after, keep) if keep else None)
        for link in links:
            self._lists[link.digest] = shown_link(links[-1])
        return keep


def _digest(content: bytes) -> bytes:
    return b"#" + sha256(content).digest()  # no JSON begins with this sign
