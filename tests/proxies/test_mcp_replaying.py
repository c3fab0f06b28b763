"""What an agent hears of an MCP server that is only a recording."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxies.mcp_kit import Stall, open_stall
from runledger.ledger.proxy import McpProxy
from runledger.ledger.value import Json
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.store.cassette.entry import AgentStamp, McpEntry
from runledger.store.cassette.load import Cassette
from runledger.store.replay.player import Player

LOG = {"method": "notifications/message", "params": {"data": "a"}}
PROGRESS = {"method": "notifications/progress", "params": {"progress": 1}}
ROOTS = {"id": 1, "method": "roots/list"}


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def call(
    name: str, result: Json, before: tuple[Json, ...] = (), after: tuple[Json, ...] = ()
) -> McpEntry:
    """Make the recording of a call."""
    return McpEntry(0, "srv", "tools/call", {"name": name}, {"result": result}, before, after)


def test_equal_calls_get_the_recorded_results_in_their_order(stall: Stall) -> None:
    """The n-th gets the n-th, under its own id."""
    agent = stall.agent(stall.replay([call("a", 1), call("b", 2), call("a", 3)]))

    heard = [agent.ask(id, "tools/call", name="a") for id in ("x", 7)]

    assert heard == [
        {"jsonrpc": "2.0", "id": "x", "result": 1},
        {"jsonrpc": "2.0", "id": 7, "result": 3},
    ]


def test_a_call_that_was_not_recorded_is_refused_and_ends_the_trial(stall: Stall) -> None:
    """The agent gets the first line of the miss, the trial all of it."""
    agent = stall.agent(stall.replay([call("a", 1)]))

    heard = agent.ask(1, "tools/call", name="b")

    message = 'c.jsonl: no recorded answer for srv.b {"name":"b"}'
    assert heard["error"] == {"code": -32603, "message": message}
    miss = stall.fault.get_nowait()  # before the agent, who may end at once
    assert miss.kind == "cassette_miss"
    assert str(miss).startswith(f"{message}\n")


def test_another_version_of_the_agent_is_named_first(stall: Stall) -> None:
    """It is known from what it says of itself, though nothing is found by that."""
    first = McpEntry(1, "srv", "initialize", {"protocolVersion": "2025-06-18"}, {"result": {}})
    agent = AgentStamp("raw", "0.9")
    player = Player(Cassette("c.jsonl", "0", (), servers=(first,), agent=agent))
    station = Station(stall.told.append, stall.fault.put, Faults(), player=player)
    raw = stall.agent(stall.open(McpProxy("srv", ("no-such-server",)), station))
    raw.begin()

    raw.ask(1, "tools/call", name="a")

    assert str(stall.fault.get_nowait()).startswith(
        "c.jsonl: recorded with raw 0.9, this is raw 1.0: record it anew\n"
        'no recorded answer for srv.a {"name":"a"}\n'
    )


def test_what_was_never_answered_is_not_answered(stall: Stall) -> None:
    """The agent hears what the server said until then, and cancels it as it did before."""
    slow = McpEntry(0, "srv", "tools/call", {"name": "slow"}, {}, (LOG,))
    agent = stall.agent(stall.replay([slow, call("slow", 2)]))

    heard = agent.ask(1, "tools/call", name="slow")
    agent.send(method="notifications/cancelled", params={"requestId": 1})
    again = agent.ask(2, "tools/call", name="slow")

    assert heard == {"jsonrpc": "2.0", **LOG}
    assert again == {"jsonrpc": "2.0", "id": 2, "result": 2}
    assert stall.fault.empty()


def test_an_agent_may_say_any_amount(stall: Stall) -> None:
    """Nothing of it is kept, so only single messages have a cap."""
    agent = stall.agent(stall.replay([]))
    for _ in range(10):
        agent.send(method="notifications/x", params={"data": "x" * 7_000_000})

    assert agent.ask(1, "ping")["result"] == {}
    assert stall.fault.empty()


def test_lists_are_not_used_up_and_calls_are(stall: Stall) -> None:
    """An agent may start a server again, and look at its tools again."""
    listed = McpEntry(0, "srv", "tools/list", {}, {"result": {"tools": []}})
    agent = stall.agent(stall.replay([listed, call("a", 1)]))

    lists = [agent.ask(id, "tools/list")["result"] for id in (1, 2, 3)]
    calls = [agent.ask(id, "tools/call", name="a") for id in (4, 5)]

    assert lists == [{"tools": []}] * 3
    assert calls[0]["result"] == 1
    assert "error" in calls[1]


def test_a_ping_is_answered_though_nobody_recorded_it(stall: Stall) -> None:
    """Whoever is there answers it."""
    agent = stall.agent(stall.replay([]))

    assert agent.ask(1, "ping") == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_the_reply_waits_for_the_answer_to_what_the_server_asked_before_it(stall: Stall) -> None:
    """Other requests meanwhile do not wait."""
    agent = stall.agent(stall.replay([call("a", 1, (LOG, ROOTS)), call("b", 2)]))
    agent.send(id=1, method="tools/call", params={"name": "a"})
    told, question = agent.read(), agent.read()

    other = agent.ask(2, "tools/call", name="b")
    agent.send(id=question["id"], result={"roots": []})
    reply = agent.read()

    assert told["method"] == "notifications/message"
    assert question["method"] == "roots/list"
    assert (other["id"], other["result"]) == (2, 2)
    assert (reply["id"], reply["result"]) == (1, 1)


def test_what_came_after_a_reply_comes_after_it(stall: Stall) -> None:
    """A question there is asked, and not waited for."""
    agent = stall.agent(stall.replay([call("a", 1, (), (ROOTS, LOG))]))

    agent.send(id=1, method="tools/call", params={"name": "a"})
    heard = [agent.read() for _ in range(3)]

    assert [message.get("method") for message in heard] == [None, "roots/list", LOG["method"]]


def test_progress_comes_under_the_token_of_the_request(stall: Stall) -> None:
    """It does not come where nobody asked for it."""
    agent = stall.agent(stall.replay([call("a", 1, (PROGRESS,)), call("a", 2, (PROGRESS,))]))

    progress = agent.ask(1, "tools/call", name="a", _meta={"progressToken": "t"})
    agent.read()
    reply = agent.ask(2, "tools/call", name="a")

    assert progress["params"] == {"progressToken": "t", "progress": 1}
    assert reply["result"] == 2


@pytest.mark.parametrize("line", [b"hello\n", b"[]\n", b'{"jsonrpc": "2.0"}\n'])
def test_a_line_that_is_no_message_is_refused(stall: Stall, line: bytes) -> None:
    """There is no server that might know better."""
    agent = stall.agent(stall.replay([]))

    agent.write(line)

    refused = agent.read()
    assert refused["error"]["code"] == -32600
    assert refused["error"]["message"].startswith("not JSON-RPC: ")


def test_an_agent_that_says_all_at_once_gets_all_its_replies(stall: Stall) -> None:
    """It may close its end before it reads, and forget the last line's end."""
    agent = stall.agent(stall.replay([call("a", "x" * 1_000_000), call("b", 2)]))
    agent.send(id=1, method="tools/call", params={"name": "a"})
    agent.write(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}')

    first, second = agent.finish()

    assert len(first) > 1_000_000
    assert second == b'{"jsonrpc":"2.0","id":2,"result":2}\n'
