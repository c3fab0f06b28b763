"""Finding the recorded answer of a call."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.errors import CassetteMiss, UsageError
from runledger.ledger.fingerprint import canonical_bytes
from runledger.ledger.suite import CassetteRules, MatchRule
from runledger.ledger.value import Json
from runledger.store.cassette.load import Cassette, Entry
from runledger.store.replay.player import Player

Call: TypeAlias = tuple[str, Mapping[str, Json]]


def cassette(*calls: Call) -> Cassette:
    """Make a cassette in which the n-th call was answered with the number n."""
    entries = (
        Entry(line, tool, args, ok=True, result=line)
        for line, (tool, args) in enumerate(calls, start=1)
    )
    return Cassette("c.jsonl", "0" * 64, tuple(entries))


def tape(*calls: Call, **rule: object) -> Player:
    """Make a tape of calls to tools, all of which may have one rule."""
    rules = {tool: MatchRule(**rule) for tool, _ in calls} if rule else {}  # type: ignore[arg-type]
    return Player(cassette(*calls), CassetteRules(match=rules))


def strict(*calls: Call) -> Player:
    """Make a tape that must be asked in the order of recording."""
    return Player(cassette(*calls), CassetteRules(order="strict"))


def kind_of_miss(tape: Player, tool: str, args: Json) -> str:
    """Ask for what is not there and say what kind of miss it was."""
    with pytest.raises(CassetteMiss) as miss:
        tape.tool(tool, args)
    return miss.value.kind


def test_the_order_of_keys_does_not_matter() -> None:
    """Arguments are equal when their canonical texts are."""
    recorded = tape(("a", {"x": 1, "y": {"p": [1, 2], "q": None}}))

    assert recorded.tool("a", {"y": {"q": None, "p": [1, 2]}, "x": 1}).line == 1


@pytest.mark.parametrize("other", [1.0, True, "1", None, [1], 2])
def test_values_that_only_look_alike_do_not_match(other: Json) -> None:
    """There is no coercion: 1 is neither 1.0 nor true nor a text."""
    assert kind_of_miss(tape(("a", {"x": 1})), "a", {"x": other}) == "cassette_miss"


@pytest.mark.parametrize("value", [2**70, "\ud800", -0.0, "é", {"deep": [[[[{}]]]]}])
def test_odd_values_match_themselves(value: Json) -> None:
    """Large integers, lone surrogates and the like are values like others."""
    assert tape(("a", {"x": value})).tool("a", {"x": value}).line == 1


def test_polling_gets_one_answer_after_the_other() -> None:
    """The same call three times gets the three recorded answers, in order."""
    recorded = tape(*[("poll", {"job": 7})] * 3)

    assert [recorded.tool("poll", {"job": 7}).result for _ in range(3)] == [1, 2, 3]


def test_pages_are_found_by_their_arguments() -> None:
    """Pagination replays whatever other calls come between the pages."""
    recorded = tape(
        ("list", {"page": 1}), ("list", {"page": 2}), ("get", {}), ("list", {"page": 1})
    )

    pages = [recorded.tool("list", {"page": page}).line for page in (2, 1, 1)]

    assert pages == [2, 1, 4]


def test_one_call_too_many_is_exhausted_and_not_a_miss() -> None:
    """A call that was recorded, but not so often, is told apart from an unknown one."""
    recorded = tape(("poll", {}), ("poll", {}))
    recorded.tool("poll", {})
    recorded.tool("poll", {})

    assert kind_of_miss(recorded, "poll", {}) == "cassette_exhausted"
    assert kind_of_miss(recorded, "poll", {"x": 1}) == "cassette_miss"


def test_a_miss_uses_nothing_up() -> None:
    """After a refused call the entries are all still there."""
    recorded = tape(("a", {}))

    kind_of_miss(recorded, "a", {"x": 1})

    assert recorded.tool("a", {}).line == 1


def test_use_counts_what_was_taken() -> None:
    """Used and unused add up to the entries."""
    recorded = tape(("a", {}), ("b", {}), ("a", {}))
    recorded.tool("a", {})

    use = recorded.use()

    assert (use.path, use.entries, use.used, use.unused) == ("c.jsonl", 3, 1, 2)
    assert use.left == (2, 3)
    assert use.overridden == ()


def test_a_new_tape_of_the_same_cassette_starts_anew() -> None:
    """Trials share a cassette, never a tape."""
    recorded = cassette(("a", {}))

    assert [Player(recorded).tool("a", {}).line for _ in range(2)] == [1, 1]


def test_ignored_paths_are_left_out_on_both_sides() -> None:
    """An ignored value may differ, be missing or be new."""
    call: Call = ("a", {"q": "x", "id": 1})
    recorded = tape(call, call, call, ignore=("$.id",))

    recorded.tool("a", {"q": "x", "id": 2})
    recorded.tool("a", {"q": "x"})
    recorded.tool("a", {"q": "x", "id": 1})

    assert recorded.use().overridden == (1, 2)
    assert kind_of_miss(recorded, "a", {"q": "y", "id": 1}) == "cassette_miss"


def test_an_asterisk_ignores_every_element() -> None:
    """A path may lead through all elements of a list."""
    recorded = tape(
        ("a", {"rows": [{"id": 1, "n": "x"}, {"id": 2, "n": "y"}]}), ignore=("rows.*.id",)
    )

    assert recorded.tool("a", {"rows": [{"id": 8, "n": "x"}, {"n": "y"}]}).line == 1


def test_calls_equal_but_for_ignored_values_are_fifo() -> None:
    """Entries that differ only in what is ignored stand in one queue."""
    recorded = tape(("a", {"id": 1}), ("a", {"id": 2}), ignore=("id",))

    assert [recorded.tool("a", {"id": 2}).line for _ in range(2)] == [1, 2]
    assert kind_of_miss(recorded, "a", {"id": 1}) == "cassette_exhausted"


def test_replaced_texts_match_on_both_sides() -> None:
    """Every text value is rewritten, at any depth, and keys are not."""
    rule = {r"\d{4}-\d\d-\d\d": "<day>", "^tmp-(.).*$": r"tmp-\1"}
    recorded = tape(("a", {"since": ["on 2024-01-02", {"f": "tmp-a1"}], "n": 1}), replace=rule)

    assert recorded.tool("a", {"since": ["on 2025-12-31", {"f": "tmp-a9"}], "n": 1}).line == 1
    assert recorded.use().overridden == (1,)


def test_replacing_leaves_half_a_surrogate_pair_alone() -> None:
    """A text that is not UTF-8 is compared as it is."""
    recorded = tape(("a", {"x": "\ud800 1"}), replace={r"\d": "n"})

    assert recorded.tool("a", {"x": "\ud800 1"}).line == 1


def test_a_rule_that_cannot_work_is_a_usage_error() -> None:
    """A broken pattern is named, not a traceback."""
    with pytest.raises(UsageError, match=r"replace: .*\(a"):
        tape(("a", {"x": "a"}), replace={"(a": "b"}).tool("a", {"x": "a"})


def test_a_replacement_may_number_what_it_stands_for() -> None:
    """As in a profile: an id stays equal to itself, and different from another."""
    recorded = ("a", {"ids": ["id-7", "id-8", "id-7"]})
    rule = {r"id-\d": "[id-{n}]"}

    assert tape(recorded, replace=rule).tool("a", {"ids": ["id-1", "id-2", "id-1"]}).line == 1
    with pytest.raises(CassetteMiss):
        tape(recorded, replace=rule).tool("a", {"ids": ["id-1", "id-2", "id-2"]})


def test_a_replacement_is_taken_literally() -> None:
    """Backslashes and group numbers mean nothing in it."""
    recorded = tape(("a", {"x": "id-1"}), replace={r"id-(\d)": r"\2"})

    assert recorded.tool("a", {"x": "id-7"}).line == 1


@pytest.mark.parametrize(
    ("recorded", "called", "fits"),
    [
        ({}, {"x": 1}, True),
        ({"x": 1}, {"x": 1, "y": 2}, True),
        ({"x": {"p": 1}}, {"x": {"p": 1, "q": 2}}, True),
        ({"x": [{"p": 1}]}, {"x": [{"p": 1, "q": 2}]}, True),
        ({"x": 1, "y": 2}, {"x": 1}, False),
        ({"x": [1]}, {"x": [1, 2]}, False),
        ({"x": []}, {"x": {}}, False),
        ({"x": 1}, {"x": 1.0}, False),
        ({"x": 1}, {"x": True}, False),
        ({"x": None}, {}, False),
    ],
)
def test_a_subset_rule_asks_only_for_what_was_recorded(
    recorded: Mapping[str, Json], called: Mapping[str, Json], fits: bool
) -> None:
    """Objects may have more keys in the call; lists and scalars are compared as ever."""
    subset = tape(("a", recorded), match="subset")

    if fits:
        assert subset.tool("a", called).line == 1
    else:
        assert kind_of_miss(subset, "a", called) == "cassette_miss"


def test_subset_entries_are_taken_in_the_order_of_the_file() -> None:
    """A call that fits several entries gets the first that is left."""
    recorded = tape(("a", {"x": 1}), ("a", {}), ("a", {"x": 1}), match="subset")

    assert [recorded.tool("a", {"x": 1, "y": 2}).line for _ in range(3)] == [1, 2, 3]
    assert kind_of_miss(recorded, "a", {"x": 1}) == "cassette_exhausted"
    assert recorded.use().overridden == (1, 2, 3)


def test_a_rule_binds_its_own_tool_only() -> None:
    """Another tool with the same arguments is compared exactly."""
    rules = CassetteRules(match={"a": MatchRule(ignore=("id",))})
    recorded = Player(cassette(("a", {"id": 1}), ("b", {"id": 1})), rules)

    assert recorded.tool("a", {"id": 2}).line == 1
    assert kind_of_miss(recorded, "b", {"id": 2}) == "cassette_miss"


def test_strict_order_lets_the_recorded_order_pass() -> None:
    """Asked as recorded, a strict cassette answers all."""
    recorded = strict(("a", {}), ("b", {}), ("a", {}))

    assert [recorded.tool(tool, {}).line for tool in "aba"] == [1, 2, 3]


def test_strict_order_refuses_a_call_before_its_turn() -> None:
    """A call that comes too early is out of order, and its entry stays."""
    recorded = strict(("a", {}), ("b", {}))

    assert kind_of_miss(recorded, "b", {}) == "cassette_order"
    assert [recorded.tool(tool, {}).line for tool in "ab"] == [1, 2]


def test_strict_order_still_tells_a_miss_and_an_exhausted_call() -> None:
    """What was never recorded, or is all used up, is not a question of order."""
    recorded = strict(("a", {}), ("b", {}))
    recorded.tool("a", {})

    assert kind_of_miss(recorded, "a", {}) == "cassette_exhausted"
    assert kind_of_miss(recorded, "c", {}) == "cassette_miss"
    recorded.tool("b", {})
    assert kind_of_miss(recorded, "b", {}) == "cassette_exhausted"


def test_strict_order_goes_by_the_rules() -> None:
    """The next entry need only match as its tool's rule says."""
    rules = CassetteRules(order="strict", match={"a": MatchRule(ignore=("id",))})
    recorded = Player(cassette(("a", {"id": 1}), ("a", {"id": 2})), rules)

    assert [recorded.tool("a", {"id": 2}).line for _ in range(2)] == [1, 2]


def hide(args: Json) -> Json:
    """Stand in for redaction: hide the key."""
    assert isinstance(args, Mapping)
    return {
        name: f"[{len(str(value))}]" if name == "key" else value for name, value in args.items()
    }


def test_calls_on_a_salted_cassette_are_masked_before_they_are_compared() -> None:
    """What became a placeholder when it was recorded becomes the same one in a call."""
    salted = replace(cassette(("a", {"key": "[3]", "q": 1})), salt="5a17")

    assert Player(salted, mask=hide).tool("a", {"key": "abc", "q": 1}).line == 1


def test_rules_see_masked_arguments_and_no_override_is_told_for_a_mask() -> None:
    """A placeholder that stands for an equal value is an exact match."""
    salted = replace(cassette(("a", {"key": "[3]", "id": 1})), salt="5a17")
    recorded = Player(salted, CassetteRules(match={"a": MatchRule(ignore=("x",))}), mask=hide)

    recorded.tool("a", {"key": "abc", "id": 1})

    assert recorded.use().overridden == ()


def test_a_miss_on_a_salted_cassette_shows_masked_arguments() -> None:
    """Neither the message nor its details hold the value."""
    salted = replace(cassette(("a", {"key": "[3]"})), salt="5a17")

    with pytest.raises(CassetteMiss) as miss:
        Player(salted, mask=hide).tool("a", {"key": "hunter22"})

    assert "hunter22" not in f"{miss.value} {miss.value.details}"
    assert "[8]" in str(miss.value)


def test_without_a_salt_nothing_is_masked() -> None:
    """Cassettes without placeholders are compared as they are, at no cost."""
    recorded = Player(cassette(("a", {"key": "abc"})), mask=hide)

    assert kind_of_miss(recorded, "a", {"key": "xyz"}) == "cassette_miss"


few = st.sampled_from(["a", "b"])
small = st.dictionaries(few, st.sampled_from([0, 1, 1.0, True, None, "a", [], [1]]), max_size=2)


@given(st.data(), st.lists(st.tuples(few, small), max_size=12))
def test_recorded_calls_asked_in_any_order_are_all_answered(
    data: st.DataObject, calls: list[tuple[str, dict[str, Json]]]
) -> None:
    """Each call gets an answer of its own, in the order of recording among equal calls."""
    expected: defaultdict[tuple[str, bytes], list[int]] = defaultdict(list)
    for line, (tool, args) in enumerate(calls, start=1):
        expected[tool, canonical_bytes(args)].append(line)
    recorded, answered = tape(*calls), defaultdict(list)

    for tool, args in data.draw(st.permutations(calls)):
        answered[tool, canonical_bytes(args)].append(recorded.tool(tool, args).result)

    assert answered == expected
    assert recorded.use().left == ()


@given(st.lists(st.tuples(few, small), max_size=12))
def test_a_recording_replays_in_its_own_order_under_every_rule(
    calls: list[tuple[str, dict[str, Json]]],
) -> None:
    """Whatever is ignored, and subset or not: asked as recorded, each call gets its own answer."""
    for rule in (MatchRule(), MatchRule(ignore=("a",)), MatchRule(match="subset")):
        rules = CassetteRules(order="strict", match={"a": rule, "b": rule})
        recorded = Player(cassette(*calls), rules)

        lines = [recorded.tool(tool, args).line for tool, args in calls]

        assert lines == list(range(1, len(calls) + 1))
        assert recorded.use().overridden == ()
