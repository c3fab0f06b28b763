"""Answering tool calls from a cassette."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

from runledger.errors import CassetteMiss
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.process.deadline import Deadline
from runledger.store.cassette.load import Cassette, Entry, load_cassette
from runledger.store.replay.player import Player
from runledger.tools import ToolSource
from runledger.tools.conformance import check_tool_source
from runledger.tools.replay import Replay

LATER = Deadline.after(60)

POLLED = Cassette(
    "cassettes/t1.jsonl",
    "0" * 64,
    (
        Entry(1, "poll", {"job": 7}, True, "waiting"),
        Entry(2, "poll", {"job": 7}, True, "running"),
        Entry(3, "stop", {}, False, None, "not allowed"),
        Entry(4, "poll", {"job": 7}, True, "done"),
    ),
)


def poll(call_id: str) -> ToolCall:
    """Ask how the job goes."""
    return ToolCall("poll", call_id, {"job": 7})


def test_replay_is_a_tool_source() -> None:
    """Replay keeps every promise of the shelf."""
    calls = [poll("c1"), ToolCall("stop", "c2", {}), poll("c3"), poll("c4")]

    check_tool_source(lambda: Replay(Player(POLLED)), calls)


def test_polling_sees_the_job_proceed() -> None:
    """The same call three times gets three different answers, each under its own id."""
    source = Replay(Player(POLLED))

    answers = [source.answer(poll(f"c{number}"), LATER) for number in (1, 2, 3)]

    assert answers == [
        ToolResult("c1", True, "waiting"),
        ToolResult("c2", True, "running"),
        ToolResult("c3", True, "done"),
    ]


def test_parallel_calls_answered_in_another_order_get_their_own_answers() -> None:
    """Calls that were open at once may be asked in any order."""
    pages = tuple(Entry(page, "list", {"page": page}, True, f"page {page}") for page in (1, 2, 3))
    source = Replay(Player(Cassette("c.jsonl", "0" * 64, pages)))

    answers = {
        page: source.answer(ToolCall("list", f"c{page}", {"page": page}), LATER).result
        for page in (3, 1, 2)
    }

    assert answers == {3: "page 3", 1: "page 1", 2: "page 2"}
    assert source.finish() == ()


def test_a_recorded_error_is_an_answer() -> None:
    """A tool that failed when it was recorded fails the same way again."""
    answer = Replay(Player(POLLED)).answer(ToolCall("stop", "c1", {}), LATER)

    assert answer == ToolResult("c1", ok=False, result=None, error="not allowed")


def test_a_miss_names_the_command_that_records() -> None:
    """The command comes from the caller, who knows suite and case."""
    source = Replay(Player(POLLED, CassetteRules(), "runledger run demo --mode record --case t1"))

    with pytest.raises(
        CassetteMiss, match="to record it: runledger run demo --mode record"
    ) as miss:
        source.answer(ToolCall("poll", "c1", {"job": 8}), LATER)

    assert miss.value.kind == "cassette_miss"


def test_unused_entries_are_a_failure() -> None:
    """A cassette that holds more than was asked for no longer fits its agent."""
    source = Replay(Player(POLLED))
    source.answer(poll("c1"), LATER)
    source.answer(poll("c2"), LATER)

    (failure,) = source.finish()

    assert failure.type == "cassette_unused"
    assert failure.message == (
        "cassettes/t1.jsonl: 2 of 4 recorded answers were not used: "
        'line 3 stop {}; line 4 poll {"job":7}'
    )
    assert failure.details == {
        "count": 2,
        "unused": [
            {"line": 3, "tool": "stop", "args": {}},
            {"line": 4, "tool": "poll", "args": {"job": 7}},
        ],
    }


def test_many_unused_entries_are_cut_to_ten() -> None:
    """The failure says how many there are and shows the first."""
    entries = tuple(Entry(line, "a", {}, True) for line in range(1, 14))

    (failure,) = Replay(Player(Cassette("c.jsonl", "0" * 64, entries))).finish()

    assert failure.message.endswith("line 10 a {}; … and 3 more")
    assert failure.details["count"] == 13


@pytest.mark.parametrize("unused", ["warn", "ignore"])
def test_a_suite_may_allow_unused_entries(unused: Literal["warn", "ignore"]) -> None:
    """Then there is no failure, and the figures tell all the same."""
    source = Replay(Player(POLLED, CassetteRules(unused=unused)))

    assert source.finish() == ()
    assert source.use().unused == 4


def test_a_cassette_used_up_leaves_nothing_to_report() -> None:
    """Every entry was asked for."""
    source = Replay(Player(Cassette("c.jsonl", "0" * 64, ())))

    assert source.finish() == ()
    assert (source.use().entries, source.use().used, source.use().unused) == (0, 0, 0)


def test_use_lists_the_lines_that_matched_through_an_override() -> None:
    """A run can say which recordings were not met exactly."""
    source = Replay(Player(POLLED, CassetteRules(match={"poll": MatchRule(ignore=("$.job",))})))

    source.answer(poll("c1"), LATER)
    source.answer(ToolCall("poll", "c2", {"job": 8}), LATER)

    assert source.use().overridden == (2,)


def test_a_cassette_file_is_replayed(tmp_path: Path) -> None:
    """From the file to the answer."""
    file = tmp_path / "t1.jsonl"
    file.write_text(json.dumps({"tool": "a", "args": {"q": 1}, "ok": True, "result": [1]}))

    source: ToolSource = Replay(Player(load_cassette(file)))

    assert source.answer(ToolCall("a", "c1", {"q": 1}), LATER) == ToolResult("c1", True, [1])
