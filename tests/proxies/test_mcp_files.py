"""From an MCP server to a cassette on disk, and back to an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxies.mcp_kit import NAME, Stall, open_stall
from runledger.ledger.proxy import McpProxy
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.store.cassette.entry import AgentStamp
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import mask_for, masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.replay.player import Player

SECRET = "sk-ant-api03-8fkWq2ZxP0nVbT7rYcLm4JhDgEsA1uQi"

SERVER = """
greet()
while True:
    request = read()
    if request.get("method") == "tools/list":
        reply(request, {"tools": [{"name": "echo"}]})
    elif "id" in request:
        send(method="notifications/message", params={"data": "echoing"})
        reply(request, {"said": request["params"]["arguments"]})
"""


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def talk(stall: Stall, server: McpProxy, station: Station) -> list[object]:
    """Have one session, and give all that was heard."""
    desk = stall.open(server, station)
    agent = stall.agent(desk)
    agent.begin()
    heard = [agent.ask(1, "tools/list")]
    for id, arguments in enumerate(({"key": SECRET}, {"n": 1}, {"n": 1}), start=2):
        agent.send(id=id, method="tools/call", params={"name": "echo", "arguments": arguments})
        heard += [agent.read(), agent.read()]
    heard += agent.finish()
    desk.close()
    return heard


def test_a_cassette_on_disk_replays_without_the_server_and_holds_no_secret(stall: Stall) -> None:
    """The same is heard, but for the secret, and nothing is left unused."""
    file = stall.path / "c.jsonl"
    recorder = Recorder(file, "c.jsonl", masking_for((SECRET,), "00"))
    station = Station(stall.told.append, stall.fault.put, Faults(), recorder=recorder)
    recorded = talk(stall, stall.raw(SERVER), station)
    recorder.commit()

    cassette = load_cassette(file, "c.jsonl")
    player = Player(cassette, mask=mask_for((SECRET,), cassette))
    station = Station(stall.told.append, stall.fault.put, Faults(), player=player)
    replayed = talk(stall, McpProxy(NAME, ("no-such-server",)), station)

    assert SECRET not in file.read_text()
    assert len(replayed) == len(recorded) == 7
    assert [replayed[place] for place in (0, 1, 3, 4, 5, 6)] == [
        recorded[place] for place in (0, 1, 3, 4, 5, 6)
    ]
    assert player.use().unused == 0
    assert cassette.agent == AgentStamp("raw", "1.0")
    assert stall.fault.empty()
