"""How secrets are kept out of cassettes, and how calls are compared with what stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...ledger.value import Json
from ..redact.listener import Listener
from ..redact.placeholder import comparable, hashes_in, holds_placeholder
from ..redact.recognition import Recognition

if TYPE_CHECKING:
    from .load import Cassette


Mask: TypeAlias = Callable[[Json], Json]
"""Put comparable placeholders in place of secrets; what is masked already stays as it is."""

ROUNDS = 3  # what is known to be secret may show what else is; two are the rule


@dataclass(frozen=True, slots=True)
class Masking:
    """How one cassette is written: with placeholders, made with its salt, in place of secrets."""

    salt: str
    mask: Callable[[Sequence[Json]], Sequence[Json]]  # what one value tells, all are cleaned of
    holds_placeholder: Callable[[Json], bool]


def masking_for(secrets: Sequence[str], salt: str) -> Masking:
    """Hide known secrets, and those that stand under telling names anywhere in the recording."""

    def mask(said: Sequence[Json]) -> list[Json]:
        listener = Listener(secrets, salt)
        left = [listener.value(one) for one in said]
        for _ in range(ROUNDS):
            if not listener.learn():
                break
            left = [listener.value(one) for one in said]
        return left

    return Masking(salt, mask, holds_placeholder)


class LearningMask:
    """Hide the secrets of calls as a recording would: what one of them tells, all later ones too.

    A recording hides what was told anywhere in it; what the calls have yet to tell is known by the
    hashes that its placeholders left in the cassette.
    """

    def __init__(self, secrets: Sequence[str], salt: str, hashes: Set[str]) -> None:
        self._listener = Listener(secrets, salt)
        self._recognition = Recognition(salt, hashes, self._listener.hear)
        self.lessons = 0

    def __call__(self, asked: Json) -> Json:
        """Mask what is asked, as far as its secrets are known."""
        return self._recognition.value(comparable(self._listener.value(asked)))

    def learn(self) -> None:
        """Know from now on what was told so far."""
        self.lessons += self._listener.learn()


def mask_for(secrets: Sequence[str], cassette: Cassette) -> Mask | None:
    """Hide the secrets of a call as those of its cassette are hidden; None where it has none."""
    if cassette.salt is None:
        return None
    hashes = {mark for asked in _each_once(cassette) for mark in hashes_in(asked)}
    return LearningMask(secrets, cassette.salt, hashes)


def lessons_of(mask: Mask | None) -> int:
    """Let a mask learn what it was told, where it can; a change means that it now hides more."""
    if not isinstance(mask, LearningMask):
        return 0
    mask.learn()
    return mask.lessons


def masked_whole(mask: Mask, asked: Json) -> Json:
    """Mask what is asked, with what it tells itself known."""
    before = lessons_of(mask)
    left = mask(asked)
    return left if lessons_of(mask) == before else mask(asked)


def _each_once(cassette: Cassette) -> Iterator[Json]:
    """Yield what was asked for; messages that requests have in common come once."""
    yield from (entry.args for entry in cassette.entries)
    yield from (entry.params for entry in cassette.servers)
    yield [entry.path for entry in cassette.models]
    parts = (part for entry in cassette.models for part in _parts_of(entry.body))
    yield from {id(part): part for part in parts}.values()


def _parts_of(body: Json) -> Iterator[Json]:
    for value in body.values() if isinstance(body, Mapping) else (body,):
        yield from value if isinstance(value, list) else (value,)
