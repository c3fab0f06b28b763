"""YAML is read as YAML 1.2 says, and what could surprise or hurt is refused with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runledger.suite.source import line_of
from runledger.suite.yaml_source import parse_yaml, read_yaml

Refusal = Callable[[Callable[[], object]], str]


def value_of(text: str) -> object:
    """Read a text as YAML."""
    return parse_yaml(text.encode(), "f.yaml").value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("2024-01-01", "2024-01-01"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("12", 12),
        ("-7", -7),
        ("012", 12),
        ("0o17", 15),
        ("0xff", 255),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("+1", 1),
        (".", "."),
        ("-", [None]),
        ("'12'", "12"),
        ('"true"', "true"),
        ("1.2.3", "1.2.3"),
        ("<<", "<<"),
    ],
)
def test_plain_values_follow_the_core_schema(text: str, value: object) -> None:
    """Only true and false are booleans; dates, versions and `no` stay texts."""
    found = value_of(text)

    assert found == value
    assert type(found) is type(value)


def test_blocks_and_flows_nest() -> None:
    """Objects and lists come out as they were written."""
    text = "a:\n  - b: [1, {c: 2}]\n    d: |\n      text\n  - []\ne: {}\n"

    assert value_of(text) == {"a": [{"b": [1, {"c": 2}], "d": "text\n"}, []], "e": {}}


def test_every_part_knows_its_line() -> None:
    """A part is found on the line of its key, a missing one on the line of what is around it."""
    source = parse_yaml(b"# note\na:\n  b:\n    - 1\n    - x: 2\nc: 3\n", "f.yaml")

    assert line_of(source, ("a", "b", 1, "x")) == 5
    assert line_of(source, ("a", "b", 0)) == 4
    assert line_of(source, ("c",)) == 6
    assert line_of(source, ("a", "missing")) == 2
    assert line_of(source, ("missing",)) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\nb: &x [1]\nc: *x\n", "f.yaml:2: anchors and aliases are not allowed"),
        ("a: *x\n", "f.yaml:1: aliases are not allowed"),
        ("a: 1\nb: 2\na: 3\n", "f.yaml:3: the key 'a' is here twice; it was on line 1 already"),
        ("x:\n  a: 1\n  'a': 3\n", "f.yaml:3: the key 'a' is here twice; it was on line 2 already"),
        ("a: 1\n---\nb: 2\n", "f.yaml:2: a second document starts here"),
        ("a: 1\n2: b\n", "f.yaml:2: keys are texts, but this one is 2; use quotes"),
        ("true: b\n", "f.yaml:1: keys are texts, but this one is true"),
        ("? [a]\n: b\n", "f.yaml:1: keys are texts, but this one is a list or an object"),
        ("a: !!python/object:os.system x\n", "the tag tag:yaml.org,2002:python/object:os.system"),
        ("a: !mine [1]\n", "f.yaml:1: the tag !mine is not allowed"),
        ("a: .nan\n", "f.yaml:1: .nan is not a number that JSON knows"),
        ("a: -.inf\n", "f.yaml:1: -.inf is not a number that JSON knows"),
        ("a: 1e400\n", "f.yaml:1: 1e400 is too large for a number"),
        ("a: [1,\n", "f.yaml:1: is not valid YAML: while parsing a flow node, did not find"),
        ("a: b\nc: d: e\n", "f.yaml:2: is not valid YAML: mapping values are not allowed"),
        ("a:\n\t- b\n", "f.yaml:2: is not valid YAML: while scanning for the next token"),
        ("a: b\nc: \x07\n", "f.yaml:2: is not valid YAML: unacceptable character #x0007"),
        ("a: é\nc: \0\n", "f.yaml:2: holds a NUL character"),
        ('a: "\\ud800"\n', "f.yaml:1: is not valid YAML"),
    ],
)
def test_what_cannot_be_used_is_one_finding(text: str, words: str, refusal: Refusal) -> None:
    """A file that cannot be read gives one finding with its line and the reason."""
    assert words in refusal(lambda: value_of(text))


def test_bytes_that_are_not_utf8_are_named(refusal: Refusal) -> None:
    """A file in another encoding is refused with the byte and its line."""
    message = refusal(lambda: parse_yaml("a: 1\nb: é\n".encode("latin-1"), "f.yaml"))

    assert message == "f.yaml:2: is not UTF-8 text: byte 0xe9; save it as UTF-8"


def test_a_byte_order_mark_and_crlf_are_accepted() -> None:
    """Editors on Windows write both."""
    assert parse_yaml(b"\xef\xbb\xbfa: 1\r\nb: [x]\r\n", "f").value == {"a": 1, "b": ["x"]}


def test_an_alias_bomb_costs_nothing(refusal: Refusal) -> None:
    """Billions of laughs end at the first anchor."""
    bomb = "a: &a [x, x]\n" + "".join(
        f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}, *{a}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )

    assert "anchors and aliases are not allowed" in refusal(lambda: value_of(bomb))


@pytest.mark.parametrize("deep", ["[" * 100_000, "a: " + "{b: " * 100_000, "- " * 100_000])
def test_deep_nesting_is_refused_and_does_not_crash(deep: str, refusal: Refusal) -> None:
    """A hundred thousand brackets would overflow a recursive reader's stack."""
    assert "nested more than 100 levels deep" in refusal(lambda: value_of(deep))


def test_nesting_that_people_write_is_fine() -> None:
    """Ninety levels are read."""
    assert value_of("[" * 90 + "]" * 90)


@pytest.mark.parametrize("huge", ["9" * 301, "0x" + "f" * 5000, "0o" + "7" * 6000])
def test_a_huge_integer_is_refused(huge: str, refusal: Refusal) -> None:
    """One that Python, or a reader that knows only floats, could not write is a finding."""
    told = refusal(lambda: value_of(f"a: {huge}"))
    assert told == "f.yaml:1: an integer has too many digits, over 300"


def test_a_large_file_is_refused_unread(tmp_path: Path, refusal: Refusal) -> None:
    """Ten megabytes of YAML are pointed to the format that is made for it."""
    file = tmp_path / "big.yaml"
    file.write_bytes(b"a: " + b"x" * 10_000_000)

    message = refusal(lambda: read_yaml(file, "big.yaml"))

    assert message == ("big.yaml: is larger than 4 MiB; put many or large cases in a .jsonl file")


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path, refusal: Refusal) -> None:
    """The system's own words are given."""
    assert "cannot be read: Is a directory" in refusal(lambda: read_yaml(tmp_path, "dir"))
