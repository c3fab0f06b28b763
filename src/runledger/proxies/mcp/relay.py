"""Be started in place of an MCP server, and pass on what is said to the runner and back.

It is run by its path, with `python -I -S`, and needs nothing but Python: so it starts at once and
in any environment. It ends when the runner hangs up, which it does when the agent is gone.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading

CHUNK = 64 * 1024


def main(address: str) -> None:
    """Connect to the runner, and carry both ways until it hangs up."""
    runner = socket.socket(socket.AF_UNIX)
    try:
        runner.connect(address)
    except OSError as error:
        sys.exit(f"runledger: the run that this MCP server belongs to is over: {error}")
    threading.Thread(target=_carry_in, args=(runner,), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        _carry(runner.fileno(), 1)
    os._exit(0)  # the other thread may wait for the agent for ever


def _carry_in(runner: socket.socket) -> None:
    _carry(0, runner.fileno())
    with contextlib.suppress(OSError):
        runner.shutdown(socket.SHUT_WR)  # the agent says no more, but may still listen


def _carry(source: int, target: int) -> None:
    with contextlib.suppress(OSError):
        while said := os.read(source, CHUNK):
            rest = memoryview(said)
            while rest:
                rest = rest[os.write(target, rest) :]


if __name__ == "__main__":
    main(sys.argv[1])
