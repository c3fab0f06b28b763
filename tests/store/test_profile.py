"""What varies between identical runs, and what stands for it when requests are compared."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.ledger.fingerprint import canonical_bytes
from runledger.ledger.proxy import Profile, Rule
from runledger.ledger.suite import MatchRule
from runledger.ledger.value import Json
from runledger.store.replay.profile import Numbers, normalise, scope_of
from runledger.store.replay.reading import Reading

DAY = Rule(r"\d{4}-\d\d-\d\d", "[day]")
ID = Rule(r"toolu_[a-z0-9]+", "[id-{n}]")
PLAIN = MatchRule()


def seen(value: Json, *rules: Rule, places: dict[str, str] | None = None) -> Json:
    """Normalise a whole body."""
    return normalise(value, scope_of(rules, places or {}), Numbers())


def key(body: Json, *rules: Rule, rule: MatchRule = PLAIN) -> bytes:
    """Make the key of a body as a client would send it."""
    return Reading(Profile("p", 1, rules), rule).key(orjson.dumps(body))


def test_a_rule_rewrites_every_text_and_no_key() -> None:
    """Texts at any depth are looked at, and all finds in each."""
    body: Json = {"2024-01-02": ["on 2024-01-02, or 2024-01-03", {"at": "2024-01-02"}, 7]}

    assert seen(body, DAY) == {"2024-01-02": ["on [day], or [day]", {"at": "[day]"}, 7]}


def test_finds_are_numbered_by_their_first_appearance() -> None:
    """An id stays equal to itself and different from another."""
    assert seen(["toolu_b toolu_a", "toolu_b"], ID) == ["[id-1] [id-2]", "[id-1]"]


def test_each_replacement_has_numbers_of_its_own() -> None:
    """The ids of one rule do not shift those of another."""
    other = Rule("msg_[a-z]+", "[msg-{n}]")

    assert seen("msg_x toolu_a msg_y", ID, other) == "[msg-1] [id-1] [msg-2]"


def test_rules_are_applied_in_their_order() -> None:
    """A later rule sees what an earlier one left."""
    assert seen("ab", Rule("a", "b"), Rule("b+", "c")) == "c"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.system", {"system": [{"text": "[day]"}], "note": "2024-01-02"}),
        ("$.system.*.text", {"system": [{"text": "[day]"}], "note": "2024-01-02"}),
        ("$.system.0", {"system": [{"text": "[day]"}], "note": "2024-01-02"}),
        ("$.system.1", {"system": [{"text": "2024-01-02"}], "note": "2024-01-02"}),
        ("$.*", {"system": [{"text": "[day]"}], "note": "[day]"}),
    ],
)
def test_a_rule_with_a_path_holds_there_and_below(path: str, expected: Json) -> None:
    """An asterisk stands for every key and every index."""
    body: Json = {"system": [{"text": "2024-01-02"}], "note": "2024-01-02"}

    assert seen(body, Rule(DAY.pattern, DAY.replace, path)) == expected


def test_a_rule_with_a_path_keeps_its_place_in_the_order() -> None:
    """Rules without a path that come later are applied later."""
    assert seen({"a": "x"}, Rule("x", "y", "$.a"), Rule("y", "z")) == {"a": "z"}


def test_places_are_named_also_where_a_path_became_a_name() -> None:
    """The longest place counts, and agents write paths with dashes in names of files."""
    places = {"/tmp/a.ws": "[workspace]", "/tmp/a.ws/home": "[home]"}
    body = "/tmp/a.ws/a.py /tmp/a.ws/home/x and ~/projects/-tmp-a-ws/memory"

    assert seen(body, places=places) == (
        "[workspace]/a.py [home]/x and ~/projects/[workspace]/memory"
    )


def test_anchors_hold_for_each_text() -> None:
    """A rule is applied to one text at a time."""
    assert seen(["now", "not now"], Rule("^now$", "[t]")) == ["[t]", "not now"]


def test_rules_that_make_no_pattern_together_are_tried_one_by_one() -> None:
    """A quotation that is not ended would swallow the rules behind it."""
    assert seen("a.b 2024-01-02", Rule(r"\Qa.b", "[q]"), DAY) == "[q] [day]"


def test_half_a_surrogate_pair_stays_as_it_is_where_nothing_is_found() -> None:
    """RE2 cannot read it, and need not."""
    assert seen("\ud800", DAY) == "\ud800"


def test_ids_are_numbered_over_all_parts_of_a_request() -> None:
    """A result that belongs to another call is another request."""

    def body(first: str, second: str, answered: str) -> Json:
        calls = [{"id": first}, {"id": second}]
        return {"messages": [{"calls": calls}, {"answered": answered}]}

    recorded = key(body("toolu_a", "toolu_b", "toolu_a"), ID)

    assert key(body("toolu_x", "toolu_y", "toolu_x"), ID) == recorded
    assert key(body("toolu_x", "toolu_y", "toolu_y"), ID) != recorded
    assert key(body("toolu_x", "toolu_x", "toolu_x"), ID) != recorded


def test_ids_in_the_rest_of_a_body_count_too() -> None:
    """Parts are numbered together, whatever they are."""
    recorded = key({"session": "toolu_a", "messages": ["toolu_a"]}, ID)

    assert key({"session": "toolu_b", "messages": ["toolu_b"]}, ID) == recorded
    assert key({"session": "toolu_b", "messages": ["toolu_c"]}, ID) != recorded


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"messages": []}, {}),
        ({"messages": ["a"]}, {"input": ["a"]}),
        ({"messages": ["a", "b"]}, {"messages": ["b", "a"]}),
        ({"messages": ["a"]}, {"messages": "a"}),
        ({"a": {"b": 1}}, {"b": {"a": 1}}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": None}, {}),
        ({}, None),
        ([], {}),
        ({"a": []}, {"a": {}}),
        ({"messages": [[], "x"]}, {"messages": ["x", []]}),
    ],
)
def test_bodies_that_only_look_alike_have_keys_of_their_own(one: Json, other: Json) -> None:
    """Nothing of a body's shape is lost by cutting it."""
    assert key(one) != key(other)


def test_the_order_of_keys_does_not_matter() -> None:
    """Equal values are equal at every depth."""
    one: Json = {"a": {"x": 1, "y": 2}, "messages": [{"p": 1, "q": 2}]}
    other: Json = {"messages": [{"q": 2, "p": 1}], "a": {"y": 2, "x": 1}}

    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("$.metadata", {"metadata": {"user": 2}, "messages": [{"a": 1, "b": 1}]}),
        ("$.metadata.user", {"metadata": {}, "messages": [{"a": 1, "b": 1}]}),
        ("$.messages.*.b", {"metadata": {"user": 1}, "messages": [{"a": 1, "b": 2}]}),
        ("$.messages.0", {"metadata": {"user": 1}, "messages": [{"c": 2}]}),
        ("$.messages", {"metadata": {"user": 1}}),
        ("$.n", {"metadata": {"user": 1}, "messages": [{"a": 1, "b": 1}], "n": 5}),
    ],
)
def test_ignored_paths_are_left_out(path: str, other: Json) -> None:
    """A rule of the suite may ignore any part, or something in it."""
    body: Json = {"metadata": {"user": 1}, "messages": [{"a": 1, "b": 1}]}

    assert key(body, rule=MatchRule(ignore=(path,))) == key(other, rule=MatchRule(ignore=(path,)))
    assert key(body) != key(other)


@pytest.mark.parametrize(
    "body",
    [b"", b"hello", b"\xff\xfe", b"{", b'{"n": 123456789012345678901234567890}', b'"\\ud800"'],
)
def test_odd_bodies_have_the_key_that_their_recording_has(body: bytes) -> None:
    """What is no JSON is a text, and long integers stay exact."""
    from runledger.store.replay.body import read_body

    reading = Reading(Profile("p", 1, (ID,)), PLAIN)

    assert reading.key(body) == reading.recorded_key(read_body(body))


def test_long_integers_are_told_apart() -> None:
    """Two that are the same float are not the same."""
    reading = Reading(Profile("p", 1), PLAIN)
    bodies = [b'{"a": {"n": 12345678901234567890123%d}}' % last for last in (4, 5)]

    assert len({reading.key(body) for body in bodies}) == 2


def test_a_body_nested_without_end_is_a_text() -> None:
    """A hostile client gets a miss like anybody else."""
    reading = Reading(Profile("p", 1, (DAY,)), PLAIN)

    assert reading.key(b"[" * 900 + b"]" * 900) != reading.key(b"[" * 901 + b"]" * 901)


words = st.text(alphabet="ab0[]_-é\n", max_size=6)
leaves = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([0.5, 1.0]) | words
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)
)
names = st.sampled_from(["messages", "input", "contents", "tools", "system", "model", "n"])
bodies = st.dictionaries(names, values, max_size=5)
rules = st.lists(
    st.builds(
        Rule,
        st.sampled_from(["a+", "b0", "^0", r"\d", "x"]),
        st.sampled_from(["<{n}>", "<>", ""]),
        st.sampled_from([None, "$.messages", "$.*.0", "$.system.*.a"]),
    ),
    max_size=3,
).map(tuple)


@given(bodies, rules)
def test_a_request_equals_itself_under_any_profile(body: Json, chosen: tuple[Rule, ...]) -> None:
    """As it came, as it was recorded, and read by another reading."""
    raw = orjson.dumps(body)
    profile = Profile("p", 1, chosen)
    reading = Reading(profile, PLAIN)

    assert reading.key(raw) == reading.recorded_key(body) == Reading(profile, PLAIN).key(raw)


@given(bodies, bodies)
def test_requests_that_differ_outside_the_rules_never_share_a_key(one: Json, other: Json) -> None:
    """Where no rule finds anything, keys are equal exactly when the bodies are."""
    reading = Reading(Profile("p", 1, (DAY, ID)), PLAIN)
    are_same = canonical_bytes(one) == canonical_bytes(other)

    assert (reading.key(orjson.dumps(one)) == reading.key(orjson.dumps(other))) is are_same


@given(bodies, bodies, rules)
def test_keys_are_equal_exactly_when_normalised_bodies_are(
    one: Json, other: Json, chosen: tuple[Rule, ...]
) -> None:
    """Cutting a body and remembering its parts changes nothing but the cost."""
    reading = Reading(Profile("p", 1, chosen), PLAIN)
    plain = [rule for rule in chosen if "{n}" not in rule.replace]
    if len(plain) < len(chosen):
        return
    are_same = canonical_bytes(seen(one, *chosen)) == canonical_bytes(seen(other, *chosen))

    assert (reading.key(orjson.dumps(one)) == reading.key(orjson.dumps(other))) is are_same
