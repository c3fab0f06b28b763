"""What went wrong in the talk with an ACP agent, in the words of a failure."""

from __future__ import annotations

from ...errors import AgentError
from ...process.deadline import Deadline
from ...process.fate import how_it_ended
from ...process.pipes import TooLarge
from ...wire.jsonrpc import Connection, PeerGone
from .. import fault_of

SETTLE_S = 1.0  # for a program that closed its output to exit as well


def lost(loss: Exception, connection: Connection) -> AgentError:
    """Tell why nothing more can be heard from an agent."""
    if isinstance(loss, PeerGone):
        return _gone(connection)
    if isinstance(loss, TooLarge):
        told = f"the agent wrote too much: {loss}"
        return fault_of(connection.child, "message_too_large", told)
    told = f"the agent does not speak ACP: {loss}"
    return fault_of(connection.child, "protocol_error", told)


def late(waited_for: str, connection: Connection) -> AgentError:
    """Tell that the time was up, and what was waited for."""
    hint = ": does it speak ACP?" if waited_for == "initialize" else ""
    told = f"case timeout waiting for agent message (no answer to {waited_for}{hint})"
    return fault_of(connection.child, "timeout", told)


def _gone(connection: Connection) -> AgentError:
    child = connection.child
    child.wait_exit(Deadline.after(SETTLE_S))
    code, signal = child.peek_exit()
    also = f"; it wrote what is not JSON-RPC: {connection.stray}" if connection.stray else ""
    message = f"the agent {how_it_ended(child)} before its final output{also}"
    details = {"exit_code": code, "signal": signal}
    return fault_of(child, "agent_exited_early", message, details)
