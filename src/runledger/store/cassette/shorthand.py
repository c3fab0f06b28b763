"""How a cassette says in short what it holds already.

`{"$blob": ID}` stands for the value of a blob line above. `{"$after": FINGERPRINT, "keep": N,
"add": [...]}` stands for the first N items of an earlier request's list, and those added. An object
that itself has such a key is written as `{"$plain": OBJECT}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple, TypeGuard

from ...ledger.fingerprint import canonical_bytes
from ...ledger.value import Json

BLOB, AFTER, KEEP, ADD, PLAIN = "$blob", "$after", "keep", "add", "$plain"
MEANINGFUL = frozenset({BLOB, AFTER, PLAIN})

CONVERSATIONS = ("messages", "input", "contents")
"""Where a request holds what was said so far: Anthropic and Chat, Responses, Gemini."""

SHOWN_DIGITS = 16


class Wrong(ValueError):
    """Say what is wrong with a line of a cassette."""


class Link(NamedTuple):
    """A list up to one of its items: what it is known by, and its size as canonical JSON."""

    digest: bytes
    weight: int


START = Link(b"", 0)


def links_from(before: Link, items: Iterable[Json]) -> Iterator[Link]:
    """Yield a link for each item that is added, so that every beginning of a list is known."""
    for item in items:
        content = canonical_bytes(item)
        digest = sha256(before.digest + sha256(content).digest()).digest()
        before = Link(digest, before.weight + len(content))
        yield before


def shown_link(link: Link) -> str:
    """Write what a list is known by."""
    return link.digest.hex()[:SHOWN_DIGITS]


def is_in_parts(body: Json) -> TypeGuard[Mapping[str, Json]]:
    """Say whether a request's body is written part by part, as objects are."""
    return isinstance(body, Mapping) and MEANINGFUL.isdisjoint(body)


def conversation_of(body: Json) -> tuple[str, list[Json]] | None:
    """Find the list of a request's body that grows from turn to turn, and its key."""
    if not is_in_parts(body):
        return None
    for key in CONVERSATIONS:
        if isinstance(body.get(key), list):
            return key, body[key]  # type: ignore[return-value]
    return None
