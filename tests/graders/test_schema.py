"""JSON Schema for values that may be hostile, with every error told."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from graders.trials import answering, failures, messages
from runledger.graders.schema import schema_failures
from runledger.ledger.assertion import JsonSchema
from runledger.ledger.value import Json

ISSUE: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["title", "labels"],
    "properties": {
        "title": {"type": "string", "pattern": "^[A-Z]"},
        "labels": {"type": "array", "items": {"enum": ["bug", "idea"]}, "uniqueItems": True},
    },
    "additionalProperties": False,
}


def under(schema: Json, output: Json) -> list[str]:
    """Say what is wrong with an output under a schema."""
    return messages(JsonSchema("schema.json", schema), answering(output))


def test_a_valid_output_passes() -> None:
    """Nothing is said about what is right."""
    assert under(ISSUE, {"title": "Crash", "labels": ["bug"]}) == []


def test_a_schema_that_is_false_allows_nothing() -> None:
    """A field that must not be there is named."""
    assert under({"properties": {"a": False}}, {"a": 1}) == [
        "json_schema: at $.a: expected properties: false, found 1"
    ]


def test_a_deep_value_under_a_recursive_schema_falls_short() -> None:
    """What the schema follows down too far is said to be too deep."""
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]

    assert under({"items": {"$ref": "#"}}, deep) == [
        "json_schema: the value is nested too deep to be judged"
    ]


def test_all_errors_are_told_in_the_order_of_their_paths() -> None:
    """Each has its path, what was expected and what was found."""
    output: Json = {"title": "crash", "labels": ["bug", "x", 7], "extra": 1}

    assert under(ISSUE, output) == [
        "json_schema: at $.extra: expected additionalProperties: false, found 1",
        'json_schema: at $.labels.1: expected enum: ["bug","idea"], found "x"',
        'json_schema: at $.labels.2: expected enum: ["bug","idea"], found 7',
        'json_schema: at $.title: expected pattern: "^[A-Z]", found "crash"',
    ]


def test_each_missing_field_is_an_error_of_its_own() -> None:
    """The name that is missing is what was expected."""
    assert under(ISSUE, {}) == [
        'json_schema: at $: expected required: "title", found {}',
        'json_schema: at $: expected required: "labels", found {}',
    ]


def test_the_details_hold_the_keyword_and_what_it_asks() -> None:
    """Machines find path, expected and found."""
    (failure,) = failures(JsonSchema("s.json", {"maximum": 3}), answering(4))

    assert failure.details == {
        "assertion": "json_schema",
        "path": "$",
        "expected": {"maximum": 3},
        "found": 4,
    }


def test_many_errors_are_cut_and_counted() -> None:
    """Twenty are told; the last says how many more there are."""
    few = under({"items": {"type": "string"}}, list(range(34)))
    many = under({"items": {"type": "string"}}, list(range(100_000)))

    assert len(few) == len(many) == 20
    assert few[-1].endswith("and 14 more like this")
    assert many[-1].endswith("and 980 or more like this")


def test_a_huge_value_is_shown_by_its_beginning() -> None:
    """Neither message nor details hold megabytes."""
    (failure,) = failures(JsonSchema("s.json", {"type": "string"}), answering(["x" * 5_000_000]))

    assert len(failure.message) < 300
    assert len(str(failure.details)) < 1000


@pytest.mark.parametrize(
    "schema",
    [
        {"items": {"pattern": "^(a+)+$"}},
        {"items": {"patternProperties": {"^(a+)+$": False}}},
        {"items": {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": True}},
        {"items": {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": True}},
        {"items": {"anyOf": [{"patternProperties": {"^(a+)+$": {}}}], "unevaluatedProperties": {}}},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "items": {"$ref": "#"},
            "pattern": "^(a+)+$",
            "patternProperties": {"^(a+)+$": True},
            "unevaluatedProperties": {},
        },
        {
            "items": {"$ref": "#/$defs/text"},
            "$defs": {
                "text": {
                    "$schema": "https://json-schema.org/draft/2019-09/schema",
                    "pattern": "^(a+)+$",
                }
            },
        },
    ],
)
def test_no_pattern_in_a_schema_hangs(schema: Json) -> None:
    """Wherever a schema has patterns, they run on RE2."""
    hostile = "a" * 5000 + "!"

    under(schema, [hostile, {hostile: 1}])


def test_a_long_list_of_objects_is_compared_quickly() -> None:
    """Repeats are found without comparing each with each, and 1.0 repeats 1."""
    different: Json = [{"n": number} for number in range(100_000)]

    assert under({"uniqueItems": True}, different) == []
    assert under({"uniqueItems": True}, [1, True, "1", [1], {}]) == []
    assert under({"uniqueItems": True}, [{"n": 1}, {"n": 1.0}]) != []


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"$ref": "https://example.org/s.json"}, "nothing is fetched"),
        ({"$ref": "#/$defs/none"}, "PointerToNowhere"),
        ({"type": "strng"}, "'strng' is not valid"),
        ({"pattern": "a(?=b)"}, "RE2 cannot run 'a(?=b)'"),
        ([], "a schema is an object, true or false"),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_fault_of_the_grader(schema: Json, fault: str) -> None:
    """The agent is not blamed for the schema."""
    (failure,) = failures(JsonSchema("s.json", schema), answering("ab"))

    assert failure.type == "grader_error"
    assert failure.message.startswith("json_schema: the schema cannot be used: ")
    assert fault in failure.message


def test_references_inside_the_schema_and_to_the_standard_work() -> None:
    """What needs no network is resolved."""
    schema: Json = {
        "$defs": {"id": {"type": "integer"}},
        "properties": {
            "id": {"$ref": "#/$defs/id"},
            "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        },
    }

    assert under(schema, {"id": 1, "schema": {"type": "object"}}) == []
    assert len(under(schema, {"id": "1", "schema": {"type": 7}})) == 2


def test_unicode_classes_of_json_schema_work() -> None:
    r"""A pattern that Python's `re` refuses, such as \p{L}, is fine."""
    assert under({"pattern": r"^\p{Lu}"}, "Ä") == []
    assert under({"pattern": r"^\p{Lu}"}, "ä") != []


def test_a_number_beyond_all_measure_falls_short() -> None:
    """An integer that no float can hold does not end the runner."""
    (message,) = under({"multipleOf": 0.5}, 10**400 + 1)

    assert message.startswith("json_schema: a number in it cannot be checked")


def test_old_dialects_keep_their_meaning() -> None:
    """In draft 3 `required` is a flag of a property, and stays one."""
    schema: Json = {
        "$schema": "http://json-schema.org/draft-03/schema#",
        "properties": {"a": {"type": "string", "required": True}},
    }

    assert under(schema, {"a": "x"}) == []
    assert len(under(schema, {})) == 1


A: Json = {"properties": {"a": {}}}
B: Json = {"properties": {"b": {}}}
UNEVALUATED: list[dict[str, Json]] = [
    {"properties": {"a": {}}},
    {"patternProperties": {"^a": {}}},
    {"allOf": [A, {"required": ["b"]}]},
    {"anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, B]},
    {"oneOf": [{**A, "required": ["a"]}, {**B, "required": ["b"]}]},
    {"if": {**A, "required": ["a"]}, "then": B, "else": {"patternProperties": {"c": {}}}},
    {"$ref": "#/$defs/x", "$defs": {"x": A}},
    {"dependentSchemas": {"a": B}, "properties": {"a": {}}},
    {"allOf": [{"additionalProperties": {"type": "integer"}}]},
]


@pytest.mark.parametrize("schema", UNEVALUATED)
@pytest.mark.parametrize("others", [False, {"type": "string"}])
@pytest.mark.parametrize(
    "output",
    [{}, {"a": 1}, {"a": "1"}, {"b": 1}, {"a": 1, "b": 2}, {"a": "1", "b": 2, "c": 3}, {"c": "x"}],
)
def test_our_keywords_agree_with_jsonschemas_own(
    schema: dict[str, Json], others: Json, output: Json
) -> None:
    """On harmless patterns both judge alike."""
    for keyword in ("unevaluatedProperties", "additionalProperties"):
        whole = {keyword: others, **schema}

        assert (under(whole, output) == []) == Draft202012Validator(whole).is_valid(output)


def test_a_schema_that_branches_at_every_level_does_not_hang() -> None:
    """Two ways at each of sixty levels would take for ever; the grader gives up, and says so."""
    ways = [{"properties": {"n": {"$ref": "#/$defs/x"}}, "required": [name]} for name in ("y", "z")]
    schema: Json = {"$defs": {"x": {"anyOf": ways}}, "properties": {"a": {"$ref": "#/$defs/x"}}}
    value: Json = {}
    for _ in range(60):
        value = {"n": value}
    (failure,) = schema_failures("json_schema", schema, {"a": value})

    assert failure.type == "grader_error"
    assert "it takes too many steps" in failure.message
