"""Playing a cassette that holds several kinds of entries."""

from __future__ import annotations

import threading
from collections import Counter

import orjson
import pytest

from runledger.errors import CassetteMiss
from runledger.ledger.proxy import Profile
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.ledger.value import Json
from runledger.store.cassette.entry import AgentStamp, Entry, McpEntry, ModelEntry, ModelRequest
from runledger.store.cassette.load import Cassette
from runledger.store.replay.player import Player

RECORD = "runledger run evals/demo --mode record --case t1"
ANY_ORDER = CassetteRules()
OK: dict[str, Json] = {"result": 1}


def call(tool: str, **args: Json) -> dict[str, Json]:
    """Make the parameters of a call of a tool."""
    return {"name": tool, "arguments": args}


def server(*calls: dict[str, Json], rules: CassetteRules = ANY_ORDER) -> Player:
    """Make a player of calls to tools of a server."""
    entries = [McpEntry(n, "fs", "tools/call", one, OK) for n, one in enumerate(calls, start=1)]
    return Player(Cassette("c.jsonl", "0" * 64, (), servers=tuple(entries)), rules, RECORD)


def test_replies_of_a_server_are_fifo_per_request() -> None:
    """The n-th equal request gets the n-th reply."""
    played = server(call("read", path="a"), call("read", path="b"), call("read", path="a"))

    asked = [call("read", path="b"), call("read", path="a"), call("read", path="a")]

    assert [played.mcp("fs", "tools/call", one).line for one in asked] == [2, 1, 3]
    with pytest.raises(CassetteMiss) as miss:
        played.mcp("fs", "tools/call", call("read", path="a"))
    assert miss.value.kind == "cassette_exhausted"


@pytest.mark.parametrize(("name", "method"), [("db", "tools/call"), ("fs", "tools/list")])
def test_another_server_or_method_is_another_request(name: str, method: str) -> None:
    """Equal parameters are not enough."""
    with pytest.raises(CassetteMiss):
        server(call("read")).mcp(name, method, call("read"))


def test_a_request_that_nobody_answered_may_be_left() -> None:
    """Whether it comes before the agent's end may be chance."""
    entries = (McpEntry(1, "fs", "tools/list", {}, OK), McpEntry(2, "fs", "tools/call", {}, {}))
    rules = CassetteRules(unused="fail")
    played = Player(Cassette("c.jsonl", "0" * 64, (), servers=entries), rules)
    played.mcp("fs", "tools/list", {})

    assert played.failures() == ()
    assert played.mcp("fs", "tools/call", {}).is_open


@pytest.mark.parametrize("name", ["fs.read", "read"])
def test_a_rule_may_name_the_tool_with_or_without_its_server(name: str) -> None:
    """Its paths begin at the parameters."""
    rules = CassetteRules(match={name: MatchRule(ignore=("$.arguments.at",))})
    played = server(call("read", path="a", at=1), rules=rules)

    assert played.mcp("fs", "tools/call", call("read", path="a", at=2)).line == 1
    assert played.use().overridden == (1,)


def test_a_miss_of_a_server_reads_like_that_of_a_tool() -> None:
    """The whole message, as a user sees it."""
    with pytest.raises(CassetteMiss) as miss:
        server(call("read", path="a")).mcp("fs", "tools/call", call("read", path="b"))

    assert str(miss.value) == (
        'c.jsonl: no recorded answer for fs.read {"arguments":{"path":"b"},"name":"read"}\n'
        'nearest: line 1, differs at $.arguments.path: recorded "a", called "b"\n'
        "to ignore it: cassettes: {match: {fs.read: {ignore: [$.arguments.path]}}}\n"
        f"to record it: {RECORD}\n"
        "recorded:\n"
        '  line 1 fs.read {"arguments":{"path":"a"},"name":"read"}'
    )
    assert miss.value.details["request"] == "fs.read"
    assert miss.value.details["params"] == call("read", path="b")


def test_a_tool_that_no_server_was_asked_for_is_told_with_the_nearest_name() -> None:
    """A misspelt tool is found by its name."""
    with pytest.raises(CassetteMiss, match=r"nothing is recorded for fs\.raed; did you mean fs\."):
        server(call("read")).mcp("fs", "tools/call", call("raed"))


def test_another_client_says_so_where_servers_alone_were_recorded() -> None:
    """The first one that is met counts."""
    agent = AgentStamp("opencode", "1.0")
    played = Player(Cassette("c.jsonl", "0" * 64, (), agent=agent))
    played.meet(AgentStamp("opencode", "2.0"))
    played.meet(AgentStamp("another", "1.0"))  # of whom nothing was recorded

    with pytest.raises(CassetteMiss) as miss:
        played.mcp("fs", "tools/list", None)

    assert str(miss.value).startswith(
        "c.jsonl: recorded with opencode 1.0, this is opencode 2.0: record it anew\n"
        "no recorded answer for fs.tools/list null\n"
    )


def test_calls_are_compared_with_their_places_named() -> None:
    """A directory may be elsewhere than where it was recorded."""
    cassette = Cassette(
        "c.jsonl",
        "0" * 64,
        (Entry(1, "read", {"path": "/tmp/there/a"}, ok=True),),
        servers=(McpEntry(2, "fs", "tools/call", call("read", path="/tmp/there/a"), {}),),
        places={"workspace": "/tmp/there"},
    )
    played = Player(cassette, places={"workspace": "/tmp/here"})

    assert played.tool("read", {"path": "/tmp/here/a"}).line == 1
    assert played.mcp("fs", "tools/call", call("read", path="/tmp/here/a")).line == 2


def whole(rules: CassetteRules = ANY_ORDER) -> Player:
    """Make a player with an entry of each kind."""
    cassette = Cassette(
        "c.jsonl",
        "0" * 64,
        (Entry(2, "search", {}, ok=True),),
        servers=(McpEntry(3, "fs", "tools/list", None, OK),),
        models=(ModelEntry(5, "POST", "/v1/messages", {"model": "m"}),),
    )
    return Player(cassette, rules)


def test_use_counts_all_kinds() -> None:
    """What is left is named by its lines."""
    played = whole()
    played.mcp("fs", "tools/list", None)

    use = played.use()

    assert (use.entries, use.used, use.unused, use.left) == (3, 1, 2, (2, 5))


def test_only_tools_fail_when_they_are_not_used() -> None:
    """What is usual differs between the kinds."""
    played = whole()

    (failure,) = played.failures()

    assert failure.message == "c.jsonl: 1 of 3 recorded answers was not used: line 2 search {}"
    assert played.use().warn_unused


@pytest.mark.parametrize(("unused", "counts"), [("fail", [3]), ("warn", []), ("ignore", [])])
def test_a_policy_of_the_suite_holds_for_all_kinds(unused: str, counts: list[int]) -> None:
    """There is no exception to what a user wrote."""
    played = whole(CassetteRules(unused=unused))  # type: ignore[arg-type]

    assert [one.details["count"] for one in played.failures()] == counts
    assert played.use().warn_unused is (unused == "warn")


def test_strict_order_holds_within_each_kind() -> None:
    """Kinds do not wait for each other."""
    played = whole(CassetteRules(order="strict"))
    asked = ModelRequest("POST", "/v1/messages", b'{"model":"m"}', Profile("generic", 1))

    assert played.model(asked).line == 5
    assert played.mcp("fs", "tools/list", None).line == 3
    assert played.tool("search", {}).line == 2


def test_many_threads_get_each_answer_once() -> None:
    """Servers of one trial ask from threads of their own."""
    profile = Profile("generic", 1)
    body: Json = {"model": "m"}
    models = tuple(ModelEntry(n, "POST", "/v1/messages", body) for n in range(1, 201))
    played = Player(Cassette("c.jsonl", "0" * 64, (), models=models))
    asked = ModelRequest("POST", "/v1/messages", orjson.dumps(body), profile)
    got: list[int] = []

    def ask() -> None:
        got.extend(played.model(asked).line for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Counter(got) == Counter(range(1, 201))
