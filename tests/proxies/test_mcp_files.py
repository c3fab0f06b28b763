"""From an MCP server to a cassette on disk, and back to an agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proxies.mcp_kit import NAME, Stall, open_stall
from runledger.ledger.proxy import McpProxy
from runledger.ledger.suite import CassetteRules
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


def test_an_identical_run_replays_in_strict_order_with_what_was_cancelled(stall: Stall) -> None:
    """Requests stand in the order in which they were asked, whichever server was asked."""
    file = stall.path / "c.jsonl"
    recorder = Recorder(file, "c.jsonl", masking_for((), "00"))
    station = Station(stall.told.append, stall.fault.put, Faults(), recorder=recorder)
    server = stall.raw(
        "greet()\nwhile True:\n    asked = read()\n"
        "    if asked.get('params', {}).get('name') == 'fast': reply(asked, 1)"
    )
    recorded = two_at_once(stall, [replace(server, name=name) for name in "ab"], station)
    recorder.commit()

    strict = CassetteRules(order="strict")
    player = Player(load_cassette(file, "c.jsonl"), strict)
    station = Station(stall.told.append, stall.fault.put, Faults(), player=player)
    replayed = two_at_once(stall, [McpProxy(name, ("no-such-server",)) for name in "ab"], station)

    assert stall.fault.empty()
    assert replayed == recorded
    assert player.use().unused == 0


def two_at_once(stall: Stall, servers: list[McpProxy], station: Station) -> list[object]:
    """Talk to two servers in turns, and cancel a call to the first; give what was heard."""
    desks = [stall.open(server, station) for server in servers]
    first, second = (stall.agent(desk) for desk in desks)
    heard = [first.begin(), second.begin()]
    first.send(id=1, method="tools/call", params={"name": "slow"})
    heard.append(first.ask(2, "tools/call", name="fast"))
    heard.append(second.ask(1, "tools/call", name="fast"))
    first.send(method="notifications/cancelled", params={"requestId": 1})
    heard.append(first.ask(3, "tools/call", name="fast"))
    for agent in (first, second):
        agent.finish()
    for desk in reversed(desks):
        desk.close()
    return heard


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
