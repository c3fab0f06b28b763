"""What a user reads when a call has no recorded answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

import pytest
import yaml

from runledger.errors import CassetteMiss
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.ledger.value import Json
from runledger.store.cassette.load import Cassette, Entry
from runledger.store.replay.player import Player

RECORD = "runledger run evals/demo --mode record --case t1"
EXACT = CassetteRules()

Call: TypeAlias = tuple[str, Mapping[str, Json]]


def tape(*calls: Call, rules: CassetteRules = EXACT) -> Player:
    """Make a tape of these calls."""
    lines = enumerate(calls, start=1)
    entries = tuple(Entry(line, tool, args, ok=True) for line, (tool, args) in lines)
    return Player(Cassette("cassettes/t1.jsonl", "0" * 64, entries), rules, RECORD)


def miss(recorded: Player, tool: str, args: Json) -> CassetteMiss:
    """Ask for what is not there."""
    with pytest.raises(CassetteMiss) as error:
        recorded.tool(tool, args)
    return error.value


def pasted(error: CassetteMiss) -> CassetteRules:
    """Read the rule that a message offers as YAML would."""
    (line,) = [one for one in str(error).splitlines() if one.startswith("to ignore it: ")]
    match = yaml.safe_load(line.removeprefix("to ignore it: "))["cassettes"]["match"]
    return CassetteRules(match={tool: MatchRule(**fields) for tool, fields in match.items()})


def test_a_miss_says_what_was_asked_what_is_near_and_what_to_do() -> None:
    """The whole message, as a user sees it."""
    recorded = tape(
        ("create_issue", {"title": "x"}),
        ("search_docs", {"query": "mice", "limit": 9}),
        ("search_docs", {"query": "cats", "limit": 5}),
    )

    error = miss(recorded, "search_docs", {"limit": 5, "query": "dogs"})

    assert error.kind == "cassette_miss"
    assert str(error) == (
        'cassettes/t1.jsonl: no recorded answer for search_docs {"limit":5,"query":"dogs"}\n'
        'nearest: line 3, differs at $.query: recorded "cats", called "dogs"\n'
        "to ignore it: cassettes: {match: {search_docs: {ignore: [$.query]}}}\n"
        "to record it: runledger run evals/demo --mode record --case t1\n"
        "recorded:\n"
        '  line 1 create_issue {"title":"x"}\n'
        '  line 2 search_docs {"limit":9,"query":"mice"}\n'
        '  line 3 search_docs {"limit":5,"query":"cats"}'
    )


def test_a_miss_carries_the_same_for_machines() -> None:
    """The details are JSON: the call, the nearest entry with its differences, the entries."""
    error = miss(tape(("a", {"x": 1, "y": 2})), "a", {"x": 2, "z": 3})

    assert error.details == {
        "tool": "a",
        "args": {"x": 2, "z": 3},
        "nearest": {
            "line": 1,
            "differences": [
                {"path": "$.x", "recorded": 1, "called": 2},
                {"path": "$.y", "recorded": 2},
                {"path": "$.z", "called": 3},
            ],
        },
        "recorded": [{"line": 1, "tool": "a", "args": {"x": 1, "y": 2}}],
    }


@pytest.mark.parametrize(
    ("recorded", "called"),
    [
        ({"q": 1}, {"q": 2}),
        ({"q": 1}, {}),
        ({"rows": [{"id": 1}, {"id": 2}]}, {"rows": [{"id": 3}, {"id": 2}, {"id": 4}]}),
        ({"a-b": {"true": 1}}, {"a-b": {"true": 2}}),
    ],
)
@pytest.mark.parametrize("tool", ["search_docs", "on", "a: b", "mcp.fs/read", "é"])
def test_the_offered_rule_works_when_pasted(
    recorded: Mapping[str, Json], called: Mapping[str, Json], tool: str
) -> None:
    """The rule is YAML, and with it the same call is answered."""
    rules = pasted(miss(tape((tool, recorded)), tool, called))

    assert tape((tool, recorded), rules=rules).tool(tool, called).line == 1


def test_the_offered_rule_keeps_what_the_tool_has_already() -> None:
    """Pasting the rule over the old one loses nothing of it."""
    old = MatchRule(ignore=("$.id",), replace={r"\d+": "n"}, match="subset")
    recorded: Call = ("a", {"id": 1, "at": "day 1", "q": "x"})
    called: Json = {"id": 2, "at": "day 2", "q": "y", "more": True}

    error = miss(tape(recorded, rules=CassetteRules(match={"a": old})), "a", called)

    assert 'nearest: line 1, differs at $.q: recorded "x", called "y"\n' in str(error)
    assert tape(recorded, rules=pasted(error)).tool("a", called).line == 1


def test_no_rule_is_offered_that_would_not_help() -> None:
    """Too many differences, or arguments that are no object, cannot be ignored away."""
    many = miss(tape(("a", dict.fromkeys("pqrstu", 1))), "a", dict.fromkeys("pqrstu", 2))
    whole = miss(tape(("a", {})), "a", ["x"])

    assert "to ignore it" not in str(many) + str(whole)
    assert "$.t: recorded 1, called 2; …\n" in str(many)
    assert len(many.details["nearest"]["differences"]) == 5


def test_an_unused_entry_is_nearer_than_a_used_one() -> None:
    """Among entries that differ equally, the next one in line is meant."""
    recorded = tape(("a", {"x": 1}), ("a", {"x": 2}))
    recorded.tool("a", {"x": 1})

    assert "nearest: line 2" in str(miss(recorded, "a", {"x": 3}))


def test_an_unknown_tool_is_told_with_the_nearest_name() -> None:
    """A misspelt tool is found by its name."""
    error = miss(tape(("search_docs", {})), "serch_docs", {})

    assert (
        "nearest: nothing is recorded for the tool serch_docs; did you mean search_docs?\n"
    ) in str(error)
    assert error.details["nearest"] is None


def test_an_empty_cassette_is_told_as_such() -> None:
    """There is nothing near and nothing to list."""
    error = miss(tape(), "a", {})

    assert "nearest: nothing is recorded for the tool a\n" in str(error)
    assert str(error).endswith("recorded: nothing, the cassette is empty")


def test_only_ten_entries_are_listed() -> None:
    """A long cassette does not drown the message."""
    error = miss(tape(*[("a", {"n": n}) for n in range(13)]), "b", {})

    assert str(error).endswith('  line 10 a {"n":9}\n  … and 3 more')
    assert len(error.details["recorded"]) == 10


def test_an_exhausted_call_says_how_often_it_was_recorded() -> None:
    """The user learns that one call more was made than recorded."""
    recorded = tape(("poll", {"job": 1}), ("a", {}), ("poll", {"job": 1}))
    recorded.tool("poll", {"job": 1})
    recorded.tool("poll", {"job": 1})

    error = miss(recorded, "poll", {"job": 1})

    assert str(error) == (
        'cassettes/t1.jsonl: no recorded answer is left for poll {"job":1}\n'
        "recorded: 2 times, lines 1, 3; one more was asked for\n"
        f"to record it: {RECORD}"
    )
    assert (error.details["times"], error.details["lines"]) == (2, [1, 3])


def test_a_call_out_of_order_names_the_expected_and_the_actual_one() -> None:
    """The user learns whose turn it was, and where the call stands."""
    recorded = tape(("a", {"x": 1}), ("b", {}), rules=CassetteRules(order="strict"))

    error = miss(recorded, "b", {})

    assert str(error) == (
        'cassettes/t1.jsonl: out of order: expected line 1 a {"x":1}\n'
        "called: b {}, which is line 2\n"
        "to allow any order: cassettes: {order: none}\n"
        f"to record it: {RECORD}"
    )
    assert error.details["expected"] == {"line": 1, "tool": "a", "args": {"x": 1}}


def test_without_a_command_none_is_named() -> None:
    """A caller that cannot record leaves the line out."""
    silent = Player(Cassette("c.jsonl", "0" * 64, ()))

    assert "to record it" not in str(miss(silent, "a", {}))


@pytest.mark.parametrize(
    "args",
    [
        {"text": "x" * 1_000_000},
        {"rows": [0] * 500_000},
        {f"key {number}": number for number in range(100_000)},
    ],
)
def test_huge_arguments_give_a_short_message(args: Mapping[str, Json]) -> None:
    """Neither the message nor the details grow with the call or the recording."""
    called = miss(tape(("a", {"x": 1})), "a", args)
    recorded = miss(tape(("a", args), ("a", {"y": 1})), "a", {"x": 1})

    assert "too large to compare" in str(called)
    for error in (called, recorded):
        assert len(str(error)) < 2000
        assert len(json.dumps(error.details)) < 4000


def test_large_recordings_alone_are_not_compared() -> None:
    """When every candidate is too large, the message says so."""
    error = miss(tape(("a", {"rows": [0] * 100_000})), "a", {})

    assert "nearest: unknown, since the arguments are too large to compare" in str(error)


def test_a_long_tool_name_is_cut() -> None:
    """A name is text of the agent's, and may be anything."""
    error = miss(tape(("a", {})), "x" * 100_000, {})

    assert len(str(error)) < 1000
    assert len(json.dumps(error.details)) < 1000


def test_half_a_surrogate_pair_in_a_key_is_escaped() -> None:
    """A message can always be printed."""
    error = miss(tape(("a", {"\ud800": 1})), "a", {"\ud800": 2})

    assert r"""differs at $["\ud800"]: recorded 1, called 2""" in str(error)


def test_a_difference_that_paths_cannot_show_is_still_a_miss() -> None:
    """Minus zero is written differently, and equal all the same."""
    error = miss(tape(("a", {"x": 0.0})), "a", {"x": -0.0})

    assert error.kind == "cassette_miss"
    assert "nearest: line 1, differs at $\n" in str(error)
