"""What a run writes down of itself before it starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runledger.harness.manifest import Selection, manifest_of
from runledger.ledger.adapter import Adapter
from runledger.ledger.clock import Clock
from runledger.ledger.permission import REJECT_ALL
from runledger.ledger.suite import AgentSettings, McpServer, Suite

CLOCK = Clock(unix=lambda: 1_700_000_000.0, monotonic=lambda: 5.0)
SERVER = McpServer("fs", "serve", ("a",), {"KEY": "1"})
AGENT = AgentSettings(("agent",), env_pass=("A",), env_set={"B": "1"}, servers=(SERVER,))


def hashed(agent: AgentSettings, directory: str = "here") -> str:
    """Give the hash of how an agent is started."""
    suite = Suite("demo", directory, agent, ())
    return manifest_of(suite, Selection((), 1, 1), "r1", CLOCK).agent_sha256


@pytest.mark.parametrize(
    "other",
    [
        replace(AGENT, command=("agent", "-v")),
        replace(AGENT, protocol="acp"),
        replace(AGENT, adapter=Adapter("claude")),
        replace(AGENT, adapter=Adapter("claude", args=("-x",))),
        replace(AGENT, env_pass=("C",)),
        replace(AGENT, env_set={"B": "2"}),
        replace(AGENT, env_set={"C": "1"}),
        replace(AGENT, permissions=REJECT_ALL),
        replace(AGENT, fs=True),
        replace(AGENT, terminal=True),
        replace(AGENT, servers=()),
        replace(AGENT, servers=(replace(SERVER, args=("b",)),)),
        replace(AGENT, servers=(replace(SERVER, env={"OTHER": "1"}),)),
    ],
)
def test_an_agent_that_is_started_in_another_way_has_another_hash(other: AgentSettings) -> None:
    """A run of the one is not gone on with by the other."""
    assert hashed(other) != hashed(AGENT)


def test_the_directory_counts_and_the_secrets_of_servers_do_not() -> None:
    """Where an agent starts is part of how; a key that was renewed is not."""
    renewed = replace(AGENT, servers=(replace(SERVER, env={"KEY": "2"}),))

    assert hashed(AGENT) == hashed(renewed)
    assert hashed(AGENT) != hashed(AGENT, "there")
