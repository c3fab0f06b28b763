"""What the runner does when it is asked to stop: once politely, twice at once."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Iterator
from types import FrameType

from ..errors import RunledgerError
from .guard import FORWARDED, HANDLED, MEANINGS
from .supervisor import Supervisor

MEANT = {**MEANINGS, **{forwarded: meant for meant, forwarded in FORWARDED.items()}}


@contextlib.contextmanager
def stoppable(supervisor: Supervisor) -> Iterator[None]:
    """Let a signal, direct or through the guard, stop the supervisor's programs.

    Whatever then cannot be done, it is the signal that the exit code tells of.
    """
    seen: Counter[int] = Counter()

    def react(signum: int, _: FrameType | None) -> None:
        seen[signum] += 1
        meant = MEANT.get(signal.Signals(signum), signal.Signals(signum))
        supervisor.stop.request(meant)
        if max(seen.values()) > 1:
            supervisor.kill_all()
        if max(seen.values()) > 2:  # whatever our threads are doing: the guard ends the rest
            os._exit(128 + meant)

    ours = [one for one in HANDLED if signal.getsignal(one) is not signal.SIG_IGN]  # nohup
    before = {signum: signal.signal(signum, react) for signum in ours}
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, HANDLED)
    try:
        yield
    except RunledgerError as error:
        if supervisor.stop.signum is not None:
            error.exit_code = 128 + supervisor.stop.signum
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for signum, handler in before.items():
            signal.signal(signum, handler)
