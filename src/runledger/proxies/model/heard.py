"""What came back from upstream so far, kept in whole frames with the time of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ...errors import TrialFault
from ...store.cassette.entry import ModelAnswer
from ...store.cassette.weight import MOST_BYTES
from .frames import Splitter


class Heard:
    """Gather one answer while it passes by; `clock` gives seconds since the request."""

    def __init__(self, status: int, headers: Mapping[str, str], clock: Callable[[], float]) -> None:
        self._start = ModelAnswer(status, headers, ())
        self._clock = clock
        self._splitter = Splitter()
        self._frames: list[bytes] = []
        self._times: list[int] = []
        self._size = 0

    @property
    def is_stream(self) -> bool:
        """Say whether it is a stream of events."""
        return self._start.is_stream

    def take(self, piece: bytes) -> Iterator[bytes]:
        """Add a piece of a stream; yield the frames that are whole with it."""
        self._weigh(piece)
        for frame in self._splitter.take(piece):
            self._add(frame)
            yield frame

    def rest(self) -> Iterator[bytes]:
        """Add what came after the last whole frame, at the end of all; yield it, if it is any."""
        if rest := self._splitter.rest():
            self._add(rest)
            yield rest

    def take_body(self, piece: bytes) -> None:
        """Add a piece of what is no stream."""
        self._weigh(piece)
        self._add(piece)

    def answer(self, *, partial: bool = False) -> ModelAnswer:
        """Give all that was gathered, as an answer; what is no stream is one piece."""
        start, frames, times = self._start, tuple(self._frames), tuple(self._times)
        if not self.is_stream:
            frames, times = (b"".join(frames),) if frames else (), times[-1:]
        return ModelAnswer(start.status, start.headers, frames, times, partial)

    def _add(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._times.append(round(self._clock() * 1000))

    def _weigh(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MOST_BYTES:
            limit = f"{MOST_BYTES >> 20} MiB"
            raise TrialFault("message_too_large", f"an answer of the model is over {limit}")
