"""Read what a cassette says in short: nothing is copied, and no small file grows without end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...ledger.fingerprint import canonical_bytes, preview
from ...ledger.strict_json import MAX_DEPTH
from ...ledger.value import Json, children_of
from .shorthand import (
    ADD,
    AFTER,
    BLOB,
    CONVERSATIONS,
    KEEP,
    MEANINGFUL,
    PLAIN,
    START,
    Link,
    Wrong,
    is_in_parts,
    links_from,
    shown_link,
)

MOST_EXPANDED = 1 << 30  # bytes of all that is said in short, were it written out
ITEM_BYTES = 64  # what a repeated item costs beside its content


@dataclass(frozen=True, slots=True)
class Blob:
    """A value that other lines refer to."""

    line: int
    value: Json
    weight: int
    levels: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of a request, and a link for each of its items."""

    items: Sequence[Json]
    links: Sequence[Link]


class Expander:
    """Write out the values of one cassette, line after line."""

    def __init__(self) -> None:
        self.blobs: dict[str, Blob] = {}
        self.used: set[str] = set()  # ids
        self._conversations: dict[str, Conversation] = {}
        self._room = MOST_EXPANDED

    def define(self, line: int, id: str, value: Json) -> None:
        """Take in a blob; it may not refer to another."""
        whole = self._below(value, 0, within_blob=True)
        known = self.blobs.get(id)
        content = canonical_bytes(whole)
        if known is not None and canonical_bytes(known.value) != content:
            raise Wrong(f"the blob {id!r:.60} has another value on line {known.line}")
        self.blobs.setdefault(id, Blob(line, whole, len(content), _levels(whole)))

    def value(self, short: Json) -> Json:
        """Write out a value."""
        return self._below(short, 0)

    def body(self, short: Json) -> Json:
        """Write out the body of a request, and remember its conversation."""
        if not is_in_parts(short):
            return self._below(short, 0)
        key = next((one for one in CONVERSATIONS if _is_conversation(short.get(one))), None)
        whole = {name: self._below(short[name], 1) for name in short if name != key}
        if key is None:
            return whole
        whole[key] = self._conversation(short[key])
        return {name: whole[name] for name in short}

    def _conversation(self, short: Json) -> Json:
        before: Conversation | None = None
        added, keep = short, 0
        if isinstance(short, dict):
            before, keep, added = self._continued(short)
        assert isinstance(added, list)
        new = [self._below(item, 2) for item in added]
        kept = before.links[:keep] if before else []
        links = [*kept, *links_from(kept[-1] if kept else START, new)]
        items = [*(before.items[:keep] if before else ()), *new]
        if links:
            self._conversations.setdefault(shown_link(links[-1]), Conversation(items, links))
        return items

    def _continued(self, short: Mapping[str, Json]) -> tuple[Conversation, int, Json]:
        after, keep, added = (short.get(key) for key in (AFTER, KEEP, ADD))
        if set(short) != {AFTER, KEEP, ADD} or not isinstance(after, str) or type(keep) is not int:
            raise Wrong(f"{preview(short, 60)} should have {AFTER} (a text), keep (a number), add")
        if not isinstance(added, list):
            raise Wrong(f"'add' beside {AFTER} must be a list")
        before = self._conversations.get(after)
        if before is None:
            raise Wrong(
                f"goes on after the messages {after!r:.60}, which no line above has: one was "
                "deleted or changed; record it anew"
            )
        if not 0 < keep <= len(before.items):
            raise Wrong(f"keeps {keep} of the {len(before.items)} messages {after!r:.60}")
        self._spend(before.links[keep - 1].weight + keep * ITEM_BYTES)
        return before, keep, added

    def _below(self, short: Json, level: int, *, within_blob: bool = False) -> Json:
        if isinstance(short, list):
            _check_level(level + 1)
            return [self._below(item, level + 1, within_blob=within_blob) for item in short]
        if not isinstance(short, dict):
            return short
        if not MEANINGFUL.isdisjoint(short) and PLAIN not in short:
            return self._blob(short, level, within_blob)
        plain = _plain(short) if PLAIN in short else short
        _check_level(level + 1)
        below = {}
        for name, item in plain.items():
            below[name] = self._below(item, level + 1, within_blob=within_blob)
        return below

    def _blob(self, short: Mapping[str, Json], level: int, within_blob: bool) -> Json:
        if AFTER in short:
            names = ", ".join(CONVERSATIONS)
            raise Wrong(f"{AFTER} may stand only for {names} of a model's request")
        id = short[BLOB]
        if len(short) != 1 or not isinstance(id, str):
            raise Wrong(f"{preview(short, 60)} should have {BLOB} (a text) and nothing else")
        if within_blob:
            raise Wrong(f"a blob refers to the blob {id!r:.60}, which none may")
        blob = self.blobs.get(id)
        if blob is None:
            raise Wrong(f"there is no blob {id!r:.60} above this line")
        _check_level(level + blob.levels)
        self._spend(blob.weight + ITEM_BYTES)
        self.used.add(id)
        return blob.value

    def _spend(self, weight: int) -> None:
        self._room -= weight
        if self._room < 0:
            most = MOST_EXPANDED >> 20
            raise Wrong(f"the cassette says over {most} MiB in short, which is too much to read")


def _is_conversation(value: Json) -> bool:
    return isinstance(value, list) or (isinstance(value, dict) and AFTER in value)


def _plain(short: Mapping[str, Json]) -> Mapping[str, Json]:
    plain = short[PLAIN]
    if len(short) != 1 or not isinstance(plain, dict):
        raise Wrong(f"{preview(short, 60)} should have {PLAIN} (an object) and nothing else")
    return plain


def _check_level(level: int) -> None:
    if level > MAX_DEPTH:
        raise Wrong(f"nested too deeply, over {MAX_DEPTH} levels")


def _levels(value: Json) -> int:
    """Count the levels of a value, none for a text or a number."""
    level, count = [value], 0
    while level := [item for item in level if isinstance(item, (dict, list))]:
        level = [child for item in level for child in children_of(item)]
        count += 1
    return count
