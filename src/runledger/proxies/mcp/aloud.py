"""What goes wrong in a session is told to the trial before the agent can see the session end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import Interrupted, TrialFault
from ...process.pipes import TooLarge
from .. import Station
from .line import HungUp


@contextmanager
def aloud(server: str, station: Station) -> Iterator[None]:
    """Let a fault end the trial, and then hang up: an agent that is left may end at once."""
    try:
        yield
    except (HungUp, Interrupted):
        raise
    except Exception as problem:  # a fault of ours, too, must not leave the agent waiting
        station.fail(_fault_of(server, problem))
        raise HungUp from problem


def _fault_of(server: str, problem: Exception) -> TrialFault:
    match problem:
        case TrialFault():
            return problem
        case TooLarge():
            return TrialFault("message_too_large", f"MCP server {server}: {problem}")
    said = f"{type(problem).__name__}: {problem}"
    return TrialFault("internal_error", f"MCP server {server}: {said}")
