"""Make the keys by which requests to a model are found, at the cost of what is new in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from ...ledger.fingerprint import canonical_bytes
from ...ledger.path import ANY, Path, parse_path, without
from ...ledger.proxy import Profile
from ...ledger.suite import MatchRule
from ...ledger.value import Json
from ..cassette.masking import lessons_of
from .body import cut, read_body, read_fast
from .match import swaps_of
from .profile import Count, Numbers, Scope, normalise, scope_of

if TYPE_CHECKING:
    from ..cassette.masking import Mask

_LARGE = re.compile(rb"\de\+?\d\d")  # how orjson writes a float that may have been an integer


@dataclass(frozen=True, slots=True)
class Seen:
    """A part of a body that was looked at: its digest, and the ids in it that are numbered."""

    digest: bytes
    ids: tuple[tuple[str, str], ...]
    holds_large: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """How the parts at one place of a body are compared; those seen are known by their bytes."""

    name: bytes
    scope: Scope
    ignored: tuple[Path, ...]
    seen: dict[bytes, Seen] = field(default_factory=dict, compare=False)
    at: dict[int, Seen] = field(default_factory=dict, compare=False)  # by id(), of the recorded


@dataclass(frozen=True, slots=True)
class Sight:
    """A part of one request, with its ids numbered by their first appearance in the request."""

    path: Path
    digest: bytes
    numbers: tuple[int, ...]


class Reading:
    """Read requests that one profile and one rule hold for."""

    def __init__(
        self,
        profile: Profile,
        rule: MatchRule,
        mask: Mask | None = None,
        places: Mapping[str, str] | None = None,
    ) -> None:
        self._scope = scope_of((*profile.rules, *swaps_of(rule)), places or {})
        self._ignored = tuple(parse_path(path) for path in rule.ignore)
        self._mask = mask
        self._lessons = lessons_of(mask)
        self._lanes: dict[Path, Lane | None] = {}
        self._alike: dict[tuple[bytes, Scope, tuple[Path, ...]], Lane] = {}

    def key(self, body: bytes) -> bytes:
        """Make the key of a request as it came; a secret told in it anywhere is one throughout."""
        self._keep_up()
        key = self._called_key(body)
        return self._called_key(body) if self._keep_up() else key

    def strict_key(self, body: bytes) -> bytes:
        """Make the key of a request as a recording reads it, which is slow.

        What the quick reader lets pass, as one name twice in an object, was recorded as a text.
        """
        return self.recorded_key(read_body(body), are_kept=False)

    def recorded_key(self, body: Json, *, are_kept: bool = True) -> bytes:
        """Make the key of a recorded request; its parts stay where they are and never change."""
        return _key([seen for _, seen in self._seen(body, are_kept=are_kept)])

    def sights(self, body: Json, *, are_kept: bool = False) -> Iterator[Sight]:
        """Give the parts of a request, in the order of its key."""
        count = Numbers()
        for path, seen in self._seen(body, are_kept=are_kept):
            yield Sight(path, seen.digest, tuple(count(*one) for one in seen.ids))

    def masked(self, path: Path, part: Json) -> Json:
        """Put placeholders in place of a part's secrets; the name that it stands under may tell."""
        if self._mask is None:
            return part
        if len(path) != 1:
            return self._mask(part)
        whole = self._mask({path[0]: part})
        return whole[path[0]] if isinstance(whole, Mapping) else whole

    def normal(self, path: Path, part: Json, count: Count) -> Json:
        """Give a part as it is compared."""
        lane = self._lane(path)
        return None if lane is None else self._normal(lane, path, part, count)

    def _called_key(self, body: bytes) -> bytes:
        try:
            found = [seen for _, seen in self._seen(read_fast(body))]
            is_exact = not any(seen.holds_large for seen in found)
        except RecursionError:
            is_exact = False
        return _key(found) if is_exact else self.strict_key(body)

    def _keep_up(self) -> bool:
        """Forget how parts looked if more is known to be secret by now, and say whether it is."""
        lessons = lessons_of(self._mask)
        if lessons == self._lessons:
            return False
        self._lessons = lessons
        for lane in self._alike.values():
            lane.seen.clear()
        return True

    def _seen(self, body: Json, *, are_kept: bool = False) -> Iterator[tuple[Path, Seen]]:
        for path, part in cut(body):
            lane = self._lane(path)
            if lane is None:
                continue
            seen = lane.at.get(id(part)) if are_kept and path else None
            if seen is None:
                seen = self._look(lane, path, part)
                if are_kept and path and isinstance(part, (Mapping, list)) and part:
                    lane.at[id(part)] = seen
            yield path, seen

    def _look(self, lane: Lane, path: Path, part: Json) -> Seen:
        raw = _raw(part)
        known = sha256(raw).digest()
        seen = lane.seen.get(known)
        if seen is None:
            seen = lane.seen[known] = self._digested(lane, path, part, raw)
        return seen

    def _digested(self, lane: Lane, path: Path, part: Json, raw: bytes) -> Seen:
        count = Numbers()
        content = canonical_bytes(self._normal(lane, path, part, count))
        digest = sha256(b"%s\0%d\0" % (lane.name, len(count.finds)) + content).digest()
        return Seen(digest, count.finds, _LARGE.search(raw) is not None and _holds_large(part))

    def _normal(self, lane: Lane, path: Path, part: Json, count: Count) -> Json:
        kept = self.masked(path, part)
        kept = without(kept, lane.ignored) if lane.ignored else kept
        return kept if lane.scope.is_idle else normalise(kept, lane.scope, count)

    def _lane(self, path: Path) -> Lane | None:
        if path not in self._lanes:
            self._lanes[path] = self._lane_of(path)
        return self._lanes[path]

    def _lane_of(self, path: Path) -> Lane | None:
        """Find how parts at a path are compared; None if they are not."""
        scope, ignored = self._scope, self._ignored
        for segment in path:
            scope = scope.below(segment)
            ignored = tuple(one[1:] for one in ignored if one and one[0] in (segment, ANY))
            if () in ignored:
                return None
        name = canonical_bytes([*path[:1], len(path)])
        same = (name, scope, ignored)
        return self._alike.setdefault(same, Lane(*same))


def _key(found: list[Seen]) -> bytes:
    digest, count = sha256(), Numbers()
    for seen in found:
        digest.update(seen.digest)
        for one in seen.ids:
            digest.update(b"%d," % count(*one))
    return digest.digest()


def _raw(part: Json) -> bytes:
    try:
        return orjson.dumps(part)
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits, nested deep
        return canonical_bytes(part)


def _holds_large(value: Json) -> bool:
    """Say whether a value holds a float that an integer over 64 bits may have become."""
    if isinstance(value, Mapping):
        return any(map(_holds_large, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_holds_large, value))
    return isinstance(value, float) and abs(value) >= 2**63
