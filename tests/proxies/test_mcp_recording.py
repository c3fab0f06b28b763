"""What is kept of the talk between an agent and an MCP server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxies.mcp_kit import ECHO, Stall, open_stall
from runledger.store.cassette.entry import AgentStamp, McpEntry


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def test_requests_are_kept_in_their_order_with_what_the_server_said_around_them(
    stall: Stall,
) -> None:
    """What came before a reply and what came after it stand apart."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            first = read()
            send(method="notifications/message", params={"data": "on it"})
            reply(first, 1)
            send(method="notifications/tools/list_changed")
            second, third = read(), read()
            reply(third, 3)
            send(id=second["id"], error={"code": -32602, "message": "no", "data": [2]})
            read()
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    agent.send(id=1, method="tools/call", params={"name": "a"})
    heard = [agent.read() for _ in range(3)]
    agent.send(id=2, method="tools/call", params={"name": "b"})
    agent.send(id=3, method="tools/call", params={"name": "c"})
    heard += [agent.read() for _ in range(2)]

    agent.finish()
    desk.close()

    assert [message.get("id") for message in heard] == [None, 1, None, 3, 2]
    assert stall.kept.entries[1:] == [
        McpEntry(
            0,
            "srv",
            "tools/call",
            {"name": "a"},
            {"result": 1},
            ({"method": "notifications/message", "params": {"data": "on it"}},),
            ({"method": "notifications/tools/list_changed"},),
        ),
        McpEntry(
            0,
            "srv",
            "tools/call",
            {"name": "b"},
            {"error": {"code": -32602, "message": "no", "data": [2]}},
        ),
        McpEntry(0, "srv", "tools/call", {"name": "c"}, {"result": 3}),
    ]


def test_of_the_agent_itself_only_its_stamp_is_kept(stall: Stall) -> None:
    """A newer agent says other things of itself, and is to find the recording all the same."""
    desk = stall.record(stall.raw(ECHO))
    agent = stall.agent(desk)
    agent.begin()
    agent.ask(1, "tools/call", name="a", _meta={"progressToken": 7, "traceparent": "00-1-2-03"})

    agent.finish()
    desk.close()

    asked = [entry.params for entry in stall.kept.entries]
    assert asked == [{"protocolVersion": "2025-06-18"}, {"name": "a"}]
    assert stall.kept.stamps == [AgentStamp("raw", "1.0")]


def test_pings_and_notifications_of_the_agent_pass_and_are_not_kept(stall: Stall) -> None:
    """They reach the other side, whichever sent them."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            told, ping = read(), read()
            reply(ping, {"told": told})
            send(id="p", method="ping")
            reply(read(), {"answered": read()})
            read()
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    agent.send(method="notifications/initialized")
    pinged = agent.ask(1, "ping")
    asked = agent.read()
    agent.send(id=2, method="tools/list")
    agent.send(id="p", result={})
    listed = agent.read()

    agent.finish()
    desk.close()

    assert pinged["result"]["told"]["method"] == "notifications/initialized"
    assert (asked["id"], asked["method"]) == ("p", "ping")
    assert listed["result"]["answered"]["id"] == "p"
    assert stall.kept.asked() == ["initialize", "tools/list"]
    assert not stall.kept.of("tools/list").before


def test_a_question_of_the_server_is_kept_before_the_reply_if_it_was_answered_by_then(
    stall: Stall,
) -> None:
    """One that was not cannot have been waited for, and stands behind it."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            call = read()
            send(id="x", method="roots/list")
            read()
            send(id="y", method="elicitation/create", params={"message": "?"})
            reply(call, 1)
            read()
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    question = agent.ask(1, "tools/call", name="a")
    agent.send(id=question["id"], result={"roots": []})
    agent.read()
    agent.read()

    agent.finish()
    desk.close()

    entry = stall.kept.of("tools/call")
    assert entry.before == ({"id": 1, "method": "roots/list"},)
    later = {"id": 2, "method": "elicitation/create", "params": {"message": "?"}}
    assert entry.after == (later,)


def test_what_is_cancelled_or_open_at_the_end_is_kept_without_a_reply(stall: Stall) -> None:
    """In replay it is asked, too; a reply that comes after all is for nobody."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            slow, fast, cancelled, open = read(), read(), read(), read()
            send(id=slow["id"], result="late")
            reply(fast, 2)
            read()
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    agent.send(id=1, method="tools/call", params={"name": "slow"})
    agent.send(id=2, method="tools/call", params={"name": "fast"})
    agent.send(method="notifications/cancelled", params={"requestId": 1})
    agent.send(id=3, method="tools/call", params={"name": "open"})
    heard = [agent.read()["id"] for _ in range(2)]

    desk.close()

    assert heard == [1, 2]
    assert [(entry.params, entry.reply) for entry in stall.kept.entries[1:]] == [
        ({"name": "slow"}, {}),
        ({"name": "fast"}, {"result": 2}),
        ({"name": "open"}, {}),
    ]


def test_lines_that_are_no_messages_pass_both_ways_and_are_told_once(stall: Stall) -> None:
    """We are not stricter than the two who talk to each other."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            print("Welcome!", flush=True)
            print(sys.stdin.readline(), end="", flush=True)
            read()
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    agent.write(b'"hello"\n')
    lines = [agent.read_line() for _ in range(2)]

    agent.finish()
    desk.close()

    assert lines == [b"Welcome!\n", b'"hello"\n']
    (log,) = stall.logs()
    assert log.level == "warning"
    assert log.message.startswith("MCP server srv writes what is not JSON-RPC")
    assert "Welcome!" in log.message


def test_what_is_only_passed_on_may_be_any_amount(stall: Stall) -> None:
    """In live mode nothing is kept of either side, so only single messages have a cap."""
    agent = stall.agent(stall.live(stall.raw(ECHO)))
    agent.begin()

    said = "x" * 7_000_000
    heard = {agent.ask(id, "tools/call", a=said)["result"]["echo"]["a"] for id in range(12)}

    assert heard == {said}
    assert stall.fault.empty()


def test_lines_that_are_no_messages_may_be_any_amount(stall: Stall) -> None:
    """They are passed on like all others, to an agent that keeps up."""
    source = "greet()\nfor _ in range(12): print('x' * 7_000_000, flush=True); read()\nread()"
    agent = stall.agent(stall.live(stall.raw(source)))
    agent.begin()
    heard = set()
    for _ in range(12):
        heard.add(len(agent.read_line()))
        agent.send(method="notifications/next")

    assert heard == {7_000_001}
    assert stall.fault.empty()


def test_requests_are_kept_in_the_order_in_which_they_were_asked(stall: Stall) -> None:
    """Two relays at once have a server each, and do not get into each other's way."""
    desk = stall.record(stall.raw(ECHO))
    first, second = stall.agent(desk), None
    first.begin()
    second = stall.agent(desk)
    second.begin()
    second.ask(1, "tools/call", name="second")
    first.ask(1, "tools/call", name="first")
    second.finish()
    first.finish()

    desk.close()

    called = [entry.params for entry in stall.kept.entries if entry.method == "tools/call"]
    assert called == [{"name": "second"}, {"name": "first"}]


def test_a_server_is_started_where_and_how_the_suite_says(stall: Stall) -> None:
    """Placeholders are filled in, and its own variables come over the caller's."""
    proxy = stall.raw(
        """
        greet()
        reply(read(), [sys.argv[1:], os.getcwd(), os.environ["RL_TEST_MARK"]])
        read()
        """
    )
    desk = stall.live(type(proxy)(proxy.name, (*proxy.command, "{workspace}/x"), proxy.env))
    agent = stall.agent(desk)
    agent.begin()

    told = agent.ask(1, "tools/call")["result"]

    assert told == [[f"{stall.path}/x"], str(stall.path), stall.mark]
