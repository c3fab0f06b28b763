"""What is done with an answer that passed by: it is kept, or it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...store.cassette.entry import ModelAnswer, ModelEntry
from .asked import Asked

if TYPE_CHECKING:
    from ...store.cassette.recording import Recorder


@dataclass(frozen=True, slots=True)
class Keeper:
    """Keep every answer for the cassette, and who asked."""

    recorder: Recorder

    def __call__(self, asked: Asked, answer: ModelAnswer) -> None:
        """Keep an answer, whole or not; of which kind it is, the recorder is told."""
        if asked.agent is not None:
            self.recorder.meet(asked.agent)
        entry = ModelEntry(0, asked.method, asked.path, asked.document, answer)
        self.recorder.keep_model(entry)


def forget(asked: Asked, answer: ModelAnswer) -> None:
    """Keep nothing."""
