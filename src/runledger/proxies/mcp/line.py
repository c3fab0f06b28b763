"""Our end of the connection to a relay: what the agent says, and what it is told."""

from __future__ import annotations

import contextlib
import select
import socket
import threading

from ...ledger.strict_json import dump_line
from ...ledger.value import Json
from ...process.deadline import Deadline
from ...process.pipes import CHUNK, OUTBOX_CAP, LineBuffer, Outbox, TooLarge

READABLE = select.POLLIN | select.POLLHUP | select.POLLERR
FLUSH_S = 10.0  # for an agent that is there to take the last words


class HungUp(Exception):
    """Tell that a connection is over, for whatever reason."""


class Line:
    """Lines come in under caps, and messages go out as the agent takes them; nothing blocks.

    It belongs to the thread of its session; only `hang_up` may be called from any.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.ended = False  # the agent says no more
        self._connection = connection
        self._lines = LineBuffer()
        self._outbox = Outbox(connection.fileno())
        self._is_flushed = True
        self._left: int | None = None  # messages that may still go out
        self._hung_up = False
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def fd(self) -> int:
        """Give the descriptor to wait for."""
        return self._connection.fileno()

    @property
    def events(self) -> int:
        """Tell what there is to wait for."""
        return (0 if self.ended else READABLE) | (0 if self._is_flushed else select.POLLOUT)

    @property
    def is_limited(self) -> bool:
        """Say whether it is to be cut off soon."""
        return self._left is not None

    def wait(self, deadline: Deadline) -> None:
        """Wait until something can be done, or for the deadline."""
        poll = select.poll()
        poll.register(self.fd, self.events)
        poll.poll(deadline.left_ms())

    def pump(self) -> None:
        """Read what has come, and write what can go; raise HungUp where nobody is there."""
        if self._hung_up:
            raise HungUp
        self._is_flushed = self._outbox.flush()
        if not self.ended and (said := self._received()) is not None:
            self._lines.add(said)
            self.ended = not said
        if self.ended and self._is_deserted():
            raise HungUp

    def take(self) -> bytes | None:
        """Give a line that has come, or None; the last one may lack its end."""
        line = self._lines.take()
        return self._lines.rest() if line is None and self.ended else line

    def forget(self) -> None:
        """Let what was taken so far not count any longer: only what is kept has a cap in all."""
        self._lines.reset_total()

    def tell(self, message: dict[str, Json]) -> None:
        """Send a message of JSON-RPC."""
        self.put(dump_line({"jsonrpc": "2.0", **message}))

    def put(self, line: bytes) -> None:
        """Send a line as it is; raise HungUp after the last one that may go out."""
        self._outbox.put(line)
        self._is_flushed = self._outbox.flush()
        if self._outbox.is_full:
            raise TooLarge(
                f"the agent leaves over {OUTBOX_CAP // 2**20} MiB of its messages unread"
            )
        self._count_down()

    def limit(self, messages: int) -> None:
        """Let so many more messages go out, and then hang up."""
        self._left = messages + 1
        self._count_down()

    def drain(self) -> None:
        """Give the agent a moment to take what it was told."""
        deadline = Deadline.after(FLUSH_S)
        with contextlib.suppress(HungUp, TooLarge):
            while not self._is_flushed and not deadline.passed():
                self.wait(deadline)
                self.pump()

    def hang_up(self) -> None:
        """End the connection, from any thread; the relay leaves, and the session hears of it."""
        with self._lock:
            self._hung_up = True
            if not self._is_closed:
                with contextlib.suppress(OSError):  # it has left already
                    self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up, and give the descriptor back."""
        self.hang_up()
        with self._lock:
            self._is_closed = True
            self._connection.close()

    def _received(self) -> bytes | None:
        """Read once; None when there is nothing yet, empty at the end."""
        try:
            return self._connection.recv(CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return b""

    def _is_deserted(self) -> bool:
        """Say whether the relay is gone, and has not only no more to say."""
        poll = select.poll()
        poll.register(self.fd, 0)
        return any(events & (select.POLLHUP | select.POLLERR) for _, events in poll.poll(0))

    def _count_down(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left <= 0:
                self.drain()
                raise HungUp
