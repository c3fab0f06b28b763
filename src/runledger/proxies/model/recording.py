"""What is done with an answer that passed by: it is kept, or it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...store.cassette.entry import ModelAnswer, ModelEntry
from .asked import Asked

if TYPE_CHECKING:
    from ...store.cassette.recording import Recorder

Keep: TypeAlias = Callable[[ModelAnswer], None]


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keep every answer for the cassette, in the order of the requests, and who asked."""

    recorder: Recorder
    via: str | None = None

    def __call__(self, asked: Asked) -> Keep:
        """Take the place of a request that is made now; give what keeps its answer there."""
        turn = self.recorder.turn()

        def keep(answer: ModelAnswer) -> None:
            if asked.agent is not None:
                self.recorder.meet(asked.agent)
            entry = ModelEntry(0, asked.method, asked.path, asked.document, answer, self.via)
            self.recorder.keep_model(entry, turn)

        return keep


def keep_nothing(asked: Asked) -> Keep:
    """Keep no answer."""
    return lambda answer: None
