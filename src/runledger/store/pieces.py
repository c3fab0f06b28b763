"""Texts that come in pieces, held back until it is known whether together they tell a secret."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

from ..ledger.event import Raw
from ..ledger.value import Json, map_texts
from .redact.placeholder import PLAIN

MOST_HELD = 2000
MOST_CHARS = 256 * 1024
OVERLAP = 1024  # characters that are looked at with what follows, too: no secret is longer


@dataclass(frozen=True, slots=True)
class Held:
    """A message that waits, and the moment when it came."""

    moment: str
    raw: Raw


class Pieces:
    """What waits to be written, trial by trial; a trial's own thread comes here, and no other."""

    def __init__(self, clean: Callable[[Json, Hashable], Json]) -> None:
        self._clean = clean
        self._held: dict[Hashable, list[Held]] = {}
        self._chars: dict[Hashable, int] = {}  # since the last release

    def wants(self, trial: Hashable, raw: Raw) -> bool:
        """Say whether a message has to wait: it is a piece, or came between two of them."""
        return raw.piece is not None or trial in self._held

    def hold(self, trial: Hashable, held: Held) -> Iterator[Held]:
        """Keep a message; yield those that waited long enough, so that no flood is kept."""
        waiting = self._held.setdefault(trial, [])
        waiting.append(held)
        self._chars[trial] = self._chars.get(trial, 0) + len(held.raw.piece or "")
        if len(waiting) > MOST_HELD or self._chars[trial] > MOST_CHARS:
            yield from self._release(trial, waiting, _tail(waiting) or len(waiting))
            self._chars[trial] = 0

    def release(self, trial: Hashable) -> Iterator[Held]:
        """Yield what waits, now that the text is whole."""
        waiting = self._held.pop(trial, [])
        self._chars.pop(trial, None)
        yield from self._release(trial, waiting, len(waiting))

    def _release(self, trial: Hashable, waiting: list[Held], upto: int) -> Iterator[Held]:
        whole = "".join(held.raw.piece or "" for held in waiting)
        telling = bool(whole) and self._clean(whole, trial) != whole
        for held in waiting[:upto]:
            yield _hidden(held) if telling else held
        del waiting[:upto]


def _tail(waiting: list[Held]) -> int:
    """Find where the last pieces begin that have to be looked at with the next ones."""
    left = OVERLAP
    for place in range(len(waiting) - 1, -1, -1):
        left -= len(waiting[place].raw.piece or "")
        if left < 0:
            return place
    return 0


def _hidden(held: Held) -> Held:
    """Put the placeholder where the piece stands: what it is part of is told whole elsewhere."""
    piece = held.raw.piece
    data = map_texts(held.raw.data, lambda text: PLAIN if text == piece else text)
    return Held(held.moment, Raw(held.raw.direction, data))
