"""What is kept of a child's pipes: lines under caps, a bounded tail, what is still to send."""

from __future__ import annotations

import os
from collections import deque

from ..ledger.cut import after_first_word, before_last_word

MESSAGE_CAP = 8 * 1024 * 1024
TRIAL_CAP = 64 * 1024 * 1024
OUTBOX_CAP = 32 * 1024 * 1024
MESSAGE_COST = 256  # that a message takes while it waits, beside its bytes
CHUNK = 64 * 1024
HEAD_BYTES = 4 * 1024
TAIL_BYTES = 12 * 1024


class TooLarge(Exception):
    """Tell that a program wrote more than is kept."""


class LineBuffer:
    """Bytes come in as they arrive, whole lines go out; each line and the sum have a cap."""

    def __init__(self, line_cap: int = MESSAGE_CAP, total_cap: int = TRIAL_CAP) -> None:
        self._line_cap = line_cap
        self._total_cap = total_cap
        self._held = bytearray()
        self._searched = 0
        self._total = 0
        self._charged = 0

    def add(self, data: bytes) -> None:
        """Take in what was read."""
        self._held += data
        self._total += len(data)

    def take(self) -> bytes | None:
        """Give the next whole line without its end, or None while there is none."""
        end = self._held.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._held)
            self._check(len(self._held))
            return None
        self._check(end)
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        self._searched = 0
        return line

    def rest(self) -> bytes | None:
        """Give what stands after the last line end, once; programs forget the last newline."""
        line = bytes(self._held)
        self._held.clear()
        self._searched = 0
        return line or None

    def charge(self, size: int) -> None:
        """Add to the sum what the program's messages make us send or write down."""
        self._total += size
        self._charged += size

    def reset_total(self) -> None:
        """Begin the sum anew, for the next trial of a program that serves many."""
        self._total = len(self._held)
        self._charged = 0

    def check_total(self) -> None:
        """Raise when more has come in than is kept."""
        if self._total > self._total_cap:
            also = " and what they led to" if self._charged else ""
            raise TooLarge(f"all messages{also} together are over {self._total_cap // 2**20} MiB")

    def _check(self, length: int) -> None:
        if length > self._line_cap:
            raise TooLarge(f"one message is over {self._line_cap // 2**20} MiB")
        self.check_total()


class Tail:
    """The beginning and the end of a stream of any length."""

    def __init__(self, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
        self._head_size = head
        self._tail_size = tail
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take in what was read, and let go of what is neither beginning nor end."""
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        over = len(self._tail) - self._tail_size
        if over > 0:
            del self._tail[:over]
            self._dropped += over

    def text(self) -> str:
        """Show what was kept, with a line that says how much was not."""
        if not self._dropped:
            return _decoded(self._head + self._tail)
        head = before_last_word(_decoded(self._head))
        tail = after_first_word(_decoded(self._tail))
        return f"{head}\n… over {self._dropped} bytes left out …\n{tail}"


def _decoded(content: bytearray) -> str:
    return content.decode("utf-8", "backslashreplace")


class Outbox:
    """What waits to be written to a child that reads when it likes."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._waiting: deque[memoryview] = deque()
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Say whether so much waits that nothing should be added before the child reads."""
        return self._size + MESSAGE_COST * len(self._waiting) > OUTBOX_CAP

    def put(self, data: bytes) -> None:
        """Queue bytes for the child."""
        self._waiting.append(memoryview(data))
        self._size += len(data)

    def flush(self) -> bool:
        """Write what the pipe takes now; say whether nothing waits any longer."""
        while self._waiting:
            try:
                written = os.write(self._fd, self._waiting[0])
            except BlockingIOError:
                return False
            except (BrokenPipeError, ConnectionResetError):
                self._waiting.clear()  # it closed its input: what it still says counts all the same
                self._size = 0
                return True
            self._size -= written
            rest = self._waiting.popleft()[written:]
            if rest:
                self._waiting.appendleft(rest)
        return True
