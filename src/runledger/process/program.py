"""Run a program to its end: input in, output out."""

from __future__ import annotations

from dataclasses import dataclass

from .child import DeadlinePassed
from .deadline import Deadline
from .pipes import LineBuffer, TooLarge
from .supervisor import Launch, Supervisor

OUTPUT_CAP = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program wrote, and how it ended."""

    code: int | None
    signal: str | None
    stdout: bytes
    stderr: str
    timed_out: bool
    too_large: bool


def run_program(
    supervisor: Supervisor,
    launch: Launch,
    stdin: bytes,
    timeout_s: float,
    max_bytes: int = OUTPUT_CAP,
) -> Finished:
    """Give a program its input, gather its output, and end it and all it started."""
    child = supervisor.start(launch, LineBuffer(max_bytes, max_bytes))
    deadline = Deadline.after(timeout_s)
    output = b""
    timed_out = too_large = False
    try:
        child.send(stdin)
        child.finish_input()
        output = child.read_all(deadline)
        timed_out = not child.wait_exit(deadline)
    except DeadlinePassed:
        timed_out = True
    except TooLarge:
        too_large = True
    finally:
        ended = child.end(0.0 if timed_out or too_large else 1.0)
    return Finished(ended.code, ended.signal, output, child.stderr, timed_out, too_large)
