"""Start a program that outlives us, on purpose: a long run in the background."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from ..errors import SpawnFailed
from ..store.disk import File
from .deadline import Deadline

LOOK_S = 0.05


def start_detached(argv: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, that writes to a file and reads nothing."""
    try:
        with closing(File(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)) as file:
            return subprocess.Popen(
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=file.fd,
                stderr=file.fd,
                start_new_session=True,
                env=dict(os.environ),
            )
    except OSError as error:
        raise SpawnFailed(f"could not start {argv[0]!r}: {error.strerror}", {}) from error


def under_way(
    program: subprocess.Popen[bytes], begun: Callable[[], bool], within_s: float
) -> int | None:
    """Wait until a program has begun its work; give its exit code if it ended before that."""
    deadline = Deadline.after(within_s)
    while not deadline.passed():
        code = _ended_within(program, LOOK_S)
        if code is not None or begun():
            return code
    return None


def _ended_within(program: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return program.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
