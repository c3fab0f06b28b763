"""What the runner does when it is asked to stop: once politely, twice at once."""

from __future__ import annotations

import contextlib
import signal
from collections import Counter
from collections.abc import Iterator
from types import FrameType

from .guard import FORWARDED
from .supervisor import Supervisor


@contextlib.contextmanager
def stoppable(supervisor: Supervisor) -> Iterator[None]:
    """Let SIGINT and SIGTERM, direct or through the guard, stop the supervisor's programs."""
    meanings = {sent: meant for meant, sent in FORWARDED.items()}
    seen: Counter[int] = Counter()

    def react(signum: int, _: FrameType | None) -> None:
        seen[signum] += 1
        meant = meanings.get(signal.Signals(signum), signal.Signals(signum))
        direct, forwarded = seen[meant], seen[FORWARDED[meant]]
        supervisor.stop.request(meant)
        if max(direct, forwarded) > 1:
            supervisor.kill_all()

    watched = [*FORWARDED, *FORWARDED.values()]
    before = {signum: signal.signal(signum, react) for signum in watched}
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
