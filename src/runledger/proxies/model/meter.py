"""Read what an answer used, and tell the trial of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...ledger.event import Happening, UsageReport
from ...ledger.usage import Usage
from ...ledger.value import Json
from ...store.cassette.entry import ModelAnswer
from .apis import Api
from .frames import read_document, read_event
from .prices import cost_of

_MARK = b"usage"  # stands in whatever holds figures


@dataclass(frozen=True, slots=True)
class Meter:
    """Tell of what answers used."""

    tell: Callable[[Happening], None]

    def note(self, answer: ModelAnswer, api: Api) -> None:
        """Tell what a good answer used, where it says so."""
        usage = usage_in(answer, api)
        if usage is not None:
            self.tell(UsageReport(usage, {"source": "model"}))


def usage_in(answer: ModelAnswer, api: Api) -> Usage | None:
    """Read tokens and model from an answer, and find their price; of errors, nothing."""
    if answer.status >= 400 or answer.partial:
        return None
    spent = api.spent(_telling_events(answer))
    if spent is None:
        return None
    tokens = spent.tokens
    cost = cost_of(spent.model, tokens)
    return Usage(tokens.all_input, tokens.output, cost, spent.model)


def _telling_events(answer: ModelAnswer) -> Sequence[Json]:
    telling = [frame for frame in answer.frames if _MARK in frame]
    if answer.is_stream:
        return [read_event(frame) for frame in telling]
    document = read_document(b"".join(answer.frames)) if telling else None
    return document if isinstance(document, list) else [document]
