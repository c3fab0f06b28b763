"""What the agent answered, judged: fields, texts, patterns and values."""

from __future__ import annotations

import pytest

from graders.trials import answering, failures, messages, stopped
from runledger.graders.output import read_answer
from runledger.ledger.assertion import (
    Assertion,
    Contains,
    Equals,
    JsonSchema,
    Regex,
    RequiredFields,
)
from runledger.ledger.value import Json

ON_OUTPUT: tuple[Assertion, ...] = (
    RequiredFields(("a",)),
    JsonSchema("s.json", {}),
    Contains("a"),
    Regex("a"),
    Equals("a", 1),
)


@pytest.mark.parametrize("assertion", ON_OUTPUT, ids=lambda one: one.type)
def test_without_a_final_output_there_is_one_failure(assertion: Assertion) -> None:
    """Nothing was answered: that is said once, with the reason where there is one."""
    assert messages(assertion, stopped()) == [f"{assertion.type}: the agent gave no final output"]
    assert messages(assertion, stopped("budget_exceeded")) == [
        f"{assertion.type}: the agent gave no final output; it was stopped by budget_exceeded"
    ]


def test_fields_that_are_there_pass_whatever_their_value() -> None:
    """Null is a value, dots go down, and a key may itself have a dot."""
    output: Json = {"title": None, "items": [{"id": 0}], "a.b": 1}

    assert not messages(
        RequiredFields(("title", "items.0.id", "$.items[0]", "a.b")), answering(output)
    )


def test_each_missing_field_is_named_with_the_keys_there_are() -> None:
    """A field that looks like a typo of another gets that one as a hint."""
    output: Json = {"titel": "x", "issue": {"body": ""}}

    assert messages(RequiredFields(("title", "issue.labels")), answering(output)) == [
        "required_fields: title is missing; $ has the keys issue, titel; did you mean titel?",
        "required_fields: issue.labels is missing; $.issue has the keys body",
    ]


def test_a_field_of_a_plain_text_is_missing() -> None:
    """A text that is not JSON has no fields, and is shown."""
    assert messages(RequiredFields(("title",)), answering("All done.")) == [
        'required_fields: title is missing; $ is "All done."'
    ]


def test_only_a_few_of_many_keys_are_shown() -> None:
    """A huge answer does not make a huge message."""
    output: Json = {f"key{number}" * 30: number for number in range(1000)}
    (failure,) = failures(RequiredFields(("title",)), answering(output))

    assert "and 990 more" in failure.message
    assert len(failure.message) < 1000
    assert len(str(failure.details)) < 1000


def test_a_details_mapping_says_expected_found_and_where() -> None:
    """Machines read the details, and find the same four keys in each."""
    (failure,) = failures(Equals("$.n", 1), answering({"n": 2}))

    assert failure.type == "assertion_failed"
    assert failure.details == {"assertion": "equals", "path": "$.n", "expected": 1, "found": 2}


@pytest.mark.parametrize("found", [1.0, True, "1", None, [1]])
def test_equals_is_strict(found: Json) -> None:
    """1, 1.0, true and "1" are four values."""
    assert messages(Equals("n", 1), answering({"n": found}))
    assert not messages(Equals("n", found), answering({"n": found}))


def test_equals_shows_where_two_values_differ() -> None:
    """Differences are told path by path, a few of them."""
    found: Json = {"issue": {"title": "b", "labels": ["x"]}}

    assert messages(Equals("issue", {"title": "a", "labels": []}), answering(found)) == [
        'equals: at $.issue.labels.0: expected nothing, found "x"\n'
        'at $.issue.title: expected "a", found "b"'
    ]


def test_many_differences_are_cut() -> None:
    """The sixth difference is not shown, but counted in."""
    expected: Json = list(range(9))
    (message,) = messages(Equals("$", expected), answering([-1] * 9))

    assert message.endswith("at $.4: expected 4, found -1\nand more")


def test_a_path_that_leads_nowhere_says_how_far_it_leads() -> None:
    """The last place that exists is named with what it holds."""
    output: Json = {"items": [{"id": 1}]}

    assert messages(Equals("items.3.id", 1), answering(output)) == [
        "equals: there is nothing at $.items.3.id; $.items is a list of 1"
    ]
    assert messages(Contains("x", "items.0.name"), answering(output)) == [
        "contains: there is nothing at $.items.0.name; $.items.0 has the keys id"
    ]


def test_contains_looks_into_a_text() -> None:
    """Without a path a text answer is searched as it is."""
    assert not messages(Contains("done"), answering("All done."))
    assert messages(Contains("Done"), answering("All done.")) == [
        'contains: at $: expected the text "Done", found "All done."'
    ]


def test_contains_looks_into_an_object_as_json_and_as_texts() -> None:
    """What a person would call contained is found, quotes and line ends included."""
    output: Json = {"issue": {"body": 'say "hi"\nthere', "n": 12}}

    assert not messages(Contains('"n":12'), answering(output))
    assert not messages(Contains('"hi"\nthere'), answering(output))
    assert messages(Contains("bye"), answering(output))


def test_contains_at_a_path_takes_other_values_as_json() -> None:
    """A number or an object at the path is searched in its canonical text."""
    output: Json = {"n": 120, "o": {"b": 1, "a": 2}}

    assert not messages(Contains("12", "n"), answering(output))
    assert not messages(Contains('{"a":2,"b":1}', "$.o"), answering(output))
    assert messages(Contains("13", "n"), answering(output))


def test_regex_searches() -> None:
    """A pattern may match anywhere, and anchors work."""
    assert not messages(Regex(r"#\d+"), answering("see #42"))
    assert not messages(Regex("^ok$", "state"), answering({"state": "ok"}))
    assert messages(Regex("^k", "state"), answering({"state": "ok"})) == [
        'regex: at $.state: expected a match of "^k", found "ok"'
    ]


def test_no_pattern_hangs() -> None:
    """A pattern that takes `re` for ever is done at once."""
    assert messages(Regex("^(a+)+$"), answering("a" * 5000 + "!"))


def test_a_lone_surrogate_is_searched_all_the_same() -> None:
    """Half a character in a text does not end the runner."""
    assert not messages(Regex("b$"), answering("\ud800b"))
    assert messages(Contains("y"), answering({"a": "\ud800"}))


def test_a_pattern_that_cannot_run_is_a_fault_of_the_grader() -> None:
    """RE2 has no lookahead; the failure says so and blames nobody's agent."""
    (failure,) = failures(Regex("a(?=b)"), answering("ab"))

    assert failure.type == "grader_error"
    assert failure.message.startswith("regex: RE2 cannot run 'a(?=b)': invalid perl operator: (?=")
    assert failure.message.endswith("(look-ahead is not supported)")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1]\n", [1]),
        ('Here:\n```json\n{"a": 1}\n```\nBye.', {"a": 1}),
        ('````\n{"a": "```"}\n````', {"a": "```"}),
        ("```\n1\n```\n```\n2\n```", None),
        ("```json\n{\n```", None),
        ('```json\n{"a": 1}', None),
        ('{"a": 1, "a": 2}', None),
        ("NaN", None),
        ("[" * 100_000, None),
        ("All done.", None),
    ],
)
def test_a_text_is_read_when_it_or_its_only_fenced_block_is_json(text: str, read: Json) -> None:
    """Anything else stays the text that it is."""
    assert read_answer(text) == (text if read is None else read)


def test_paths_go_into_a_fenced_answer() -> None:
    """An agent that wraps its JSON in Markdown is judged by the JSON."""
    trajectory = answering('Sure!\n```json\n{"issue": {"id": 7}}\n```')

    assert not messages(Equals("issue.id", 7), trajectory)
    assert not messages(RequiredFields(("issue.id",)), trajectory)
    assert not messages(JsonSchema("s.json", {"required": ["issue"], "type": "object"}), trajectory)


def test_a_text_is_expected_as_a_text() -> None:
    """The answer 42 of a chat agent is a text, and a number when a number is asked for."""
    assert not messages(Equals("$", "42"), answering("42"))
    assert not messages(Equals("$", 42), answering("42"))
    assert not messages(JsonSchema("s.json", {"type": "string"}), answering("42"))


@pytest.mark.parametrize("assertion", ON_OUTPUT, ids=lambda one: one.type)
def test_a_value_nested_too_deep_is_judged_without_a_crash(assertion: Assertion) -> None:
    """What cannot be walked falls short, and says why."""
    deep: Json = "x"
    for _ in range(100_000):
        deep = [deep]
    judged = Equals("$", [deep]) if isinstance(assertion, Equals) else assertion
    expected = {
        "required_fields": ["required_fields: a is missing; $ is a list of 1"],
    }
    too_deep = [f"{assertion.type}: the value is nested too deep to be judged"]

    assert messages(judged, answering(deep)) == expected.get(assertion.type, too_deep)
