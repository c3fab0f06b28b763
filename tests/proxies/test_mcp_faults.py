"""Faults on purpose between an agent and an MCP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxies.mcp_kit import ECHO, RawAgent, Stall, open_stall
from runledger.ledger.proxy import Fault
from runledger.proxies.mcp import McpDesk
from runledger.store.cassette.entry import McpEntry

LOG = {"method": "notifications/message", "params": {"data": "a"}}
RECORDED = [McpEntry(0, "srv", "tools/call", {"name": "a"}, {"result": 1}, (LOG, LOG))]


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def called(agent: RawAgent, id: int = 1) -> list[object]:
    """Call the tool, and give what comes up to the reply or the end."""
    agent.send(id=id, method="tools/call", params={"name": "a"})
    heard: list[object] = []
    while message := agent.read():
        heard.append(message)
        if "id" in message:
            break
    return heard


def replay(stall: Stall, fault: Fault) -> McpDesk:
    """Open a desk that answers one call, and has a fault for the first."""
    return stall.replay(RECORDED, [fault])


def test_a_status_is_an_error_in_place_of_the_reply(stall: Stall) -> None:
    """It uses up no recording, and is told."""
    agent = stall.agent(replay(stall, Fault("mcp", status=429)))

    (refused,) = called(agent)
    retried = called(agent, 2)

    error = {"code": -32000, "message": "injected fault: status 429", "data": {"status": 429}}
    assert refused == {"jsonrpc": "2.0", "id": 1, "error": error}
    assert len(retried) == 3
    (log,) = stall.logs()
    told = {"kind": "mcp", "nth": 1, "do": {"status": 429}, "method": "tools/call"}
    assert (log.level, log.message, log.data) == ("info", "fault injected", told)


def test_only_what_an_agent_does_is_counted(stall: Stall) -> None:
    """How often it looks around before is its own affair."""
    listed = McpEntry(0, "srv", "tools/list", {}, {"result": {}})
    agent = stall.agent(stall.replay([listed, *RECORDED], [Fault("mcp", nth=2, status=500)]))

    looks = [agent.ask(id, "tools/list") for id in range(3)]
    first, second = called(agent, 4), called(agent, 5)

    assert all(look["result"] == {} for look in looks)
    assert len(first) == 3
    assert len(second) == 1


def test_a_reset_ends_the_connection(stall: Stall) -> None:
    """The relay leaves, and another one is served."""
    desk = replay(stall, Fault("mcp", reset=True))
    agent = stall.agent(desk)

    assert called(agent) == []
    assert agent.process.wait() == 0
    assert len(called(stall.agent(desk))) == 3


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_a_cut_lets_so_many_messages_through(stall: Stall, frames: int) -> None:
    """What was cut off is there for the agent that comes again."""
    desk = replay(stall, Fault("mcp", cut_after_frames=frames))

    cut = called(stall.agent(desk))
    again = called(stall.agent(desk))

    assert len(cut) == frames
    assert len(again) == 3
    assert stall.fault.empty()
    assert [log.data["do"] for log in stall.logs()] == [{"cut_after_frames": frames}]


def test_a_cut_needs_no_recording(stall: Stall) -> None:
    """What was cut off at the recording is not in the cassette, unless the agent came again."""
    agent = stall.agent(stall.replay([], [Fault("mcp", cut_after_frames=1)]))

    assert called(agent) == []
    assert stall.fault.empty()


def test_a_malformed_reply_is_no_json(stall: Stall) -> None:
    """The connection stays, and the next call is answered."""
    agent = stall.agent(replay(stall, Fault("mcp", malformed=True)))
    agent.send(id=1, method="tools/call", params={"name": "a"})

    with pytest.raises(json.JSONDecodeError):
        agent.read()

    assert len(called(agent, 2)) == 3


def test_a_delay_holds_up_nothing_else(stall: Stall) -> None:
    """A call that comes later is answered first."""
    other = McpEntry(0, "srv", "tools/call", {"name": "b"}, {"result": 2})
    agent = stall.agent(stall.replay([*RECORDED, other], [Fault("mcp", delay_ms=1000)]))
    agent.send(id=1, method="tools/call", params={"name": "a"})
    agent.send(id=2, method="tools/call", params={"name": "b"})

    ids = [agent.read().get("id") for _ in range(4)]

    assert ids == [2, None, None, 1]


def test_a_late_call_is_still_answered_when_the_agent_says_no_more(stall: Stall) -> None:
    """Its reply comes before the relay leaves."""
    agent = stall.agent(replay(stall, Fault("mcp", delay_ms=50)))
    agent.send(id=1, method="tools/call", params={"name": "a"})

    assert len(agent.finish()) == 3


@pytest.mark.parametrize(
    ("fault", "heard"),
    [
        (Fault("mcp", status=529), 1),
        (Fault("mcp", reset=True), 0),
        (Fault("mcp", cut_after_frames=0), 0),
        (Fault("mcp", delay_ms=10), 1),
    ],
)
def test_faults_come_before_a_real_server_too(stall: Stall, fault: Fault, heard: int) -> None:
    """What met a fault is not kept; what was only late is."""
    desk = stall.record(stall.raw(ECHO), [fault])
    agent = stall.agent(desk)
    agent.begin()

    assert len(called(agent)) == heard
    desk.close()

    late = ["tools/call"] if fault.delay_ms else []
    assert stall.kept.asked() == ["initialize", *late]
    assert len(stall.logs()) == 1


def test_a_cut_before_a_real_server_is_not_kept(stall: Stall) -> None:
    """The agent may come again, and is answered by a new one."""
    source = 'greet()\ncall = read()\nsend(method="notifications/x")\nreply(call, 1)\nread()'
    desk = stall.record(stall.raw(source), [Fault("mcp", cut_after_frames=1)])
    first = stall.agent(desk)
    first.begin()
    cut = called(first)
    second = stall.agent(desk)
    second.begin()
    again = called(second)

    desk.close()

    assert (len(cut), len(again)) == (1, 2)
    assert stall.kept.asked() == ["initialize", "initialize", "tools/call"]
