"""Reading JSON that others wrote."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.ledger.strict_json import MAX_DEPTH, NotJson, is_deep, loads

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
finite = scalars.filter(lambda value: value not in (float("inf"), float("-inf")))
values = st.recursive(
    finite, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(values)
def test_what_json_writes_is_read_back(value: object) -> None:
    """Every JSON value survives, as text and as bytes, with the types it had."""
    text = json.dumps(value)

    assert repr(loads(text)) == repr(value)
    assert repr(loads(text.encode())) == repr(value)


@given(st.binary(max_size=40))
def test_any_bytes_give_a_value_or_one_kind_of_refusal(line: bytes) -> None:
    """Nothing but NotJson ever comes out, whatever comes in."""
    with contextlib.suppress(NotJson):
        loads(line)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', "duplicate key 'a'"),
        (b'{"x": {"a": 1, "a": 1}}', "duplicate key 'a'"),
        (b"NaN", "NaN is not JSON"),
        (b"[Infinity]", "Infinity is not JSON"),
        (b'{"a": -Infinity}', "-Infinity is not JSON"),
        (b"1e999", "the number 1e999 is too large"),
        (b"-1e999", "the number -1e999 is too large"),
        (b"1" * 5000, "an integer has too many digits"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 8"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 2"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8 at byte 1"),
        (b"\x00", "not JSON: NUL at column 1"),
        (b'{"a": "b\x00"}', "not JSON: NUL at column 9"),
        (b"\xef\xbb\xbf{}", "not JSON: begins with a byte order mark (BOM)"),
        (b"", "not JSON: Expecting value at column 1"),
        (b'{"a":', "not JSON: Expecting value at column 6"),
        (b'{"a', "not JSON: Unterminated string starting at column 2"),
        (b"{} {}", "not JSON: Extra data at column 4"),
        (b'"a\nb"', "not JSON: Invalid control character at column 3"),
        (b"[\n  x]", "not JSON: Expecting value at line 2 column 3"),
    ],
)
def test_what_is_not_json_is_refused_in_a_few_words(line: bytes, reason: str) -> None:
    """The refusal says what is wrong, and where."""
    with pytest.raises(NotJson) as refusal:
        loads(line)

    assert str(refusal.value).startswith(reason)
    assert len(str(refusal.value)) < 100


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 100_000])
@pytest.mark.parametrize("pair", [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_refused(depth: int, pair: tuple[str, str]) -> None:
    """A value that is nested too deeply is refused, with and without its end."""
    opening, closing = pair

    for text in (opening * depth, opening * depth + "1" + closing * depth):
        with pytest.raises(NotJson, match=r"nested too deeply|Expecting value"):
            loads(text)


def test_nesting_up_to_the_limit_is_read() -> None:
    """The limit is on depth: brackets side by side, or in a text, do not count."""
    depth = loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)

    assert json.dumps(depth).count("[") == MAX_DEPTH
    assert loads(json.dumps([[[]] * 500])) == [[[]] * 500]
    assert loads(json.dumps("[{" * 500)) == "[{" * 500


def test_a_hundred_thousand_keys_with_one_twice_are_refused_at_once() -> None:
    """Looking for the duplicate is linear in the number of keys."""
    keys = ",".join(f'"k{number}":0' for number in range(100_000))

    with pytest.raises(NotJson, match="duplicate key 'k99999'"):
        loads("{" + keys + ',"k99999":1}')


def test_half_a_surrogate_pair_is_kept() -> None:
    """An escaped lone surrogate is JSON, odd as it is."""
    assert loads(b'"\\ud800"') == "\ud800"


def test_whitespace_around_the_value_is_fine() -> None:
    """A CRLF line is read like any other."""
    assert loads(b' {"a": 1}\r\n') == {"a": 1}


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "[" * 300])
def test_what_is_no_object_and_no_list_has_no_levels(value: object) -> None:
    """A number is not deep, and neither is a text that holds brackets."""
    assert not is_deep(value, 1)  # type: ignore[arg-type]
