"""The guard above the runner, alone."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

RUNNER = """
import os, signal, sys
from runledger.process.guard import guarded

def work():
    guard = os.getppid()
    print(os.getpid(), flush=True)
    os.kill(guard, signal.SIGSTOP)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(guard, one)
    return 7

sys.exit(guarded(work))
"""


def test_signals_that_come_when_the_runner_has_ended_change_nothing() -> None:
    """The exit code is that of the work, which was done."""
    command = [sys.executable, "-c", RUNNER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        runner = os.pidfd_open(int(process.stdout.readline()))
        select.select([runner], [], [])
        os.close(runner)
        process.send_signal(signal.SIGCONT)
        _, told = process.communicate()

    assert (process.returncode, told) == (7, b"")
