"""One turn of a command-line agent: its lines in, what they mean out, and what it came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from ...ledger.adapter import Adapter
from ...ledger.cut import beginning
from ...ledger.event import Message, Raw, UsageReport
from ...ledger.strict_json import NotJson, loads
from .. import Said
from .result import Result
from .steps import Known, Meant, Piece, steps_in

SNIPPET = 200


class Turn:
    """Read one turn's lines, one after the other."""

    def __init__(self, adapter: Adapter, known: Known) -> None:
        self.understood = False  # at least one line was JSON
        self.stray = ""  # the start of the first line that was not
        self.result = Result(adapter.result, known)
        self._rules = adapter.events
        self._known = known
        self._pieces: list[Piece] = []
        self._began = 0.0
        self._messages: list[str] = []

    def read(self, line: bytes) -> Iterator[Said]:
        """Yield a line as it came, and then what it means; a stray one means nothing."""
        try:
            value = loads(line)
        except NotJson:
            value = None
        if not isinstance(value, dict):
            yield from self._pass_over(line)
            return
        self.understood = True
        steps = list(steps_in(value, self._rules, self._known))
        pieces = [step.text for step in steps if isinstance(step, Piece)]
        yield Raw("from_agent", value, pieces[0] if pieces else None)
        yield from self._meant(steps)
        self.result.learn(value)

    def take(self, said: Said) -> Said:
        """Remember a message, of which the answer may consist, and give it back."""
        if isinstance(said, Message):
            self._messages.append(said.content)
        return said

    def finish(self) -> Iterator[Said]:
        """Yield what is only known when no further line comes."""
        yield from self._joined()
        if self.result.usage is not None:
            yield UsageReport(self.result.usage)

    def answer(self) -> str | None:
        """Give the text of this turn: what a rule says it is, or else all its messages."""
        text = self.result.text
        if text is None:
            ended = self._messages or self.result.came_to_one
            return "".join(self._messages) if ended else None
        # An agent may say its answer twice; one of the two texts is enough to keep.
        return next((one for one in self._messages if one == text), text)

    def _pass_over(self, line: bytes) -> Iterator[Said]:
        text = line.decode("utf-8", "backslashreplace")
        if not text.strip():
            return
        self.stray = self.stray or beginning(text[: 5 * SNIPPET], SNIPPET)
        yield Raw("from_agent", text)

    def _meant(self, steps: Sequence[Meant]) -> Iterator[Said]:
        for step in steps:
            if self._pieces and not (isinstance(step, Piece) and step.of is self._pieces[-1].of):
                yield from self._joined()
            if isinstance(step, Piece):
                self._began = self._began if self._pieces else monotonic()
                self._pieces.append(step)
                continue
            yield self.take(step)

    def _joined(self) -> Iterator[Said]:
        if not self._pieces:
            return
        took_ms = int((monotonic() - self._began) * 1000)
        said = self._pieces[0].of("".join(piece.text for piece in self._pieces), took_ms)
        self._pieces = []
        yield self.take(said)
