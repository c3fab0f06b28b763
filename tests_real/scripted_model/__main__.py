"""Serve by hand: `python -m scripted_model` prints the address that an agent is to be given."""

from __future__ import annotations

import contextlib

from .server import ModelServer


def main() -> None:
    """Serve until somebody interrupts."""
    with ModelServer() as server, contextlib.suppress(KeyboardInterrupt):
        print(server.url, flush=True)  # noqa: T201
        server.closing.wait()


main()
