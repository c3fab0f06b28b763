"""Places in JSON values: reading paths, looking there, leaving out what is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.ledger.difference import differences, shortfalls
from runledger.ledger.fingerprint import canonical_dumps
from runledger.ledger.path import find, parse_path, show_path, without
from runledger.ledger.value import ABSENT, Json

FLOATS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)  # no -0.0
SCALARS = st.none() | st.booleans() | st.integers() | FLOATS | st.text()
KEYS = st.text(max_size=3)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=10
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a.b.0", ("a", "b", "0")),
        ("$.a.b.0", ("a", "b", "0")),
        ("a.b[0]", ("a", "b", "0")),
        ("$[0].a", ("0", "a")),
        ("$", ()),
        ("", ()),
        ("$schema", ("$schema",)),
        ("a.*.b", ("a", "*", "b")),
        ("a[*].b", ("a", "*", "b")),
        ('$["a.b"].c', ("a.b", "c")),
        ("$['a.b'].c", ("a.b", "c")),
        ("a..b", ("a", "", "b")),
        ("tool-name.größe", ("tool-name", "größe")),
    ],
)
def test_paths_are_read(text: str, path: tuple[str, ...]) -> None:
    """Dots, brackets and quotes, with a root mark or without."""
    assert parse_path(text) == path


@given(st.lists(st.text() | st.integers(min_value=0)))
def test_a_path_that_was_written_reads_back(path: list[str | int]) -> None:
    """Whatever the keys are."""
    assert parse_path(show_path(path)) == tuple(map(str, path))


@given(st.text())
def test_every_text_is_a_path(text: str) -> None:
    """Reading never fails, and the path leads nowhere in a number."""
    assert find(1, text) in (1, ABSENT)


def test_values_are_found() -> None:
    """A digit is an index in a list and a key in an object."""
    value: Json = {"a": [{"b": None}, 2], "0": "zero"}

    assert find(value, "a.0.b") is None
    assert find(value, "$.a[1]") == 2
    assert find(value, "0") == "zero"
    assert find(value, "$") is value


@pytest.mark.parametrize("path", ["b", "a.2", "a.-1", "a.x", "a.0.b.c", "a." + "9" * 5000, "a.²"])
def test_what_is_not_there_is_absent(path: str) -> None:
    """Absence is not null."""
    assert find({"a": [{"b": None}, 2]}, path) is ABSENT


def test_values_are_left_out() -> None:
    """Indices mean the places before anything was taken away."""
    value: Json = {"id": 1, "items": [{"t": 1, "n": 1}, {"t": 2, "n": 2}, 3]}

    assert without(value, ["id", "$.items.*.t"]) == {"items": [{"n": 1}, {"n": 2}, 3]}
    assert without(value, ["items.0", "items[1]"]) == {"id": 1, "items": [3]}
    assert without(value, ["*"]) == {}
    assert without(value, ["none.at.all", "id.x"]) == value
    assert without(value, [("items",), "$"]) == {"id": 1}


@given(VALUES, st.lists(st.text(max_size=3)))
def test_leaving_out_changes_nothing_but_what_is_left_out(value: Json, paths: list[str]) -> None:
    """The value itself stays; leaving out objects' keys twice is leaving them out once."""
    before = canonical_dumps(value)
    without(value, paths)

    assert canonical_dumps(value) == before
    assert without(value, []) == value


@given(OBJECTS, st.data())
def test_what_was_left_out_is_not_found(value: dict[str, Json], data: st.DataObject) -> None:
    """Every other key stays."""
    key = data.draw(st.sampled_from(sorted(value)))
    rest = without(value, [(key,)])

    assert rest == {other: value[other] for other in value if other != key} or key == "*"
    assert find(rest, (key,)) is ABSENT


@given(VALUES)
def test_every_value_contains_itself_and_equals_itself(value: Json) -> None:
    """Both comparisons are reflexive."""
    assert not list(shortfalls(value, value))
    assert not list(differences(value, value))


@given(OBJECTS, OBJECTS)
def test_an_object_with_more_keys_contains_the_smaller_one(
    part: dict[str, Json], more: dict[str, Json]
) -> None:
    """Whatever the further keys are."""
    assert not list(shortfalls(part, {**more, **part}))


@given(VALUES, VALUES)
def test_values_without_differences_have_one_canonical_text(left: Json, right: Json) -> None:
    """What differs by path differs as JSON, and the other way round."""
    alike = canonical_dumps(left) == canonical_dumps(right)

    assert alike == (not list(differences(left, right)))
    assert not alike or not list(shortfalls(left, right))
