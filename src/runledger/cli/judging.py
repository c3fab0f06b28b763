"""How commands that only start graders begin, are stopped, and end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..process.supervisor import Supervisor


@dataclass(slots=True)
class Work:
    """What a command does its work with, and the exit code that it came to."""

    supervisor: Supervisor
    code: int = 0


@contextmanager
def supervised() -> Iterator[Work]:
    """Watch over the graders of a command; a signal that stops it decides its exit code."""
    from ..errors import Interrupted
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor

    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        work = Work(supervisor)
        with suppress(Interrupted):
            yield work
        if supervisor.stop.signum is not None:
            work.code = 128 + supervisor.stop.signum
