"""How secrets are kept out of cassettes, and how calls are compared with what stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...ledger.value import Json
from ..redact.environment import secrets_below
from ..redact.placeholder import comparable, hashes_in, holds_placeholder, recognised
from ..redact.redactor import Redactor

if TYPE_CHECKING:
    from .load import Cassette


Mask: TypeAlias = Callable[[Json], Json]
"""Put comparable placeholders in place of secrets; what is masked already stays as it is."""


@dataclass(frozen=True, slots=True)
class Masking:
    """How one cassette is written: with placeholders, made with its salt, in place of secrets."""

    salt: str
    mask: Callable[[Sequence[Json]], Sequence[Json]]  # what one value tells, all are cleaned of
    holds_placeholder: Callable[[Json], bool]


def masking_for(secrets: Sequence[str], salt: str) -> Masking:
    """Hide known secrets, and those that stand under telling names anywhere in the recording."""

    def mask(said: Sequence[Json]) -> list[Json]:
        redactor = Redactor((*secrets, *secrets_below(said)), salt=salt)
        return [redactor.value(one) for one in said]

    return Masking(salt, mask, holds_placeholder)


def mask_for(secrets: Sequence[str], cassette: Cassette) -> Mask | None:
    """Hide the secrets of a call as those of its cassette are hidden; None where it has none."""
    salt = cassette.salt
    if salt is None:
        return None
    redactor = Redactor(secrets, salt=salt)
    known = {mark for asked in _each_once(cassette) for mark in hashes_in(asked)}
    return lambda args: recognised(comparable(redactor.value(args)), salt, known)


def _each_once(cassette: Cassette) -> Iterator[Json]:
    """Yield what was asked for; messages that requests have in common come once."""
    yield from (entry.args for entry in cassette.entries)
    yield from (entry.params for entry in cassette.servers)
    parts = (part for entry in cassette.models for part in _parts_of(entry.body))
    yield from {id(part): part for part in parts}.values()


def _parts_of(body: Json) -> Iterator[Json]:
    for value in body.values() if isinstance(body, Mapping) else (body,):
        yield from value if isinstance(value, list) else (value,)
