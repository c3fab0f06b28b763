"""Text of any origin can be shown without obeying it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import HOSTILE
from runledger.ledger.printable import columns, escape_controls, one_line, printable, wrapped

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\r\n\t :#[\x1b\u202e"))
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 😀 👩‍🚀\n\tנכון", "plain é 😀 👩‍🚀\n\tנכון"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\x00b\x7f\x9bc\rd", r"a\x00b\x7f\x9bc\x0dd"),
        ("\u202egnp.exe \u2066\u2069 \u2028", r"\u202egnp.exe \u2066\u2069 \u2028"),
        ("\ud800 \udfff", r"\ud800 \udfff"),
        ("windows\r\nlines\r\n", "windows\nlines\n"),
        ("::error::x", r"\::error::x"),
        ("std::vector\n  \u00a0::stop-commands::x", "std::vector\n  \u00a0\\::stop-commands::x"),
        ("so ##[error]x ##vso[a] ## title #[x]", r"so #\#[error]x #\#vso[a] ## title #[x]"),
    ],
)
def test_printable_shows_what_it_defuses(text: str, shown: str) -> None:
    """Harmless text stays as it is; the rest becomes visible."""
    assert printable(text) == shown


@given(ANY_TEXT)
def test_printable_holds_nothing_that_drives_a_terminal(text: str) -> None:
    """No control character, no change of direction, no half of a character; for any text."""
    shown = printable(text)

    assert not UNSAFE.search(shown)
    assert shown.encode().decode() == shown


@given(ANY_TEXT)
def test_printable_holds_nothing_that_commands_a_runner(text: str) -> None:
    """No line starts with a command of GitHub's, and none holds one of the old kind."""
    shown = printable(text)

    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown


@given(ANY_TEXT)
def test_printable_of_printable_is_the_same(text: str) -> None:
    """Showing twice does no harm."""
    assert printable(printable(text)) == printable(text)


def test_escape_controls_leaves_commands_alone() -> None:
    """In a file nobody obeys them, and the text stays nearer to what was said."""
    assert escape_controls("::error::x\x00") == "::error::x\\x00"


@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_is_one_short_line(text: str, most: int) -> None:
    """No text breaks out of its place in a line."""
    shown = one_line(text, most)

    assert len(shown) <= most
    assert not set("\n\t") & set(shown)


def test_columns_are_what_a_terminal_shows() -> None:
    """Wide signs take two, joined and combining ones none."""
    assert columns("abc") == 3
    assert columns("日本") == 4
    assert columns("e\u0301") == 1


def test_wrapped_breaks_at_spaces_and_sets_the_rest_deeper() -> None:
    """A line keeps its own indent; what follows stands two columns behind it."""
    assert [*wrapped("  one two three", 11)] == ["  one two", "    three"]


def test_wrapped_breaks_words_that_are_too_long() -> None:
    """A long word goes over several lines."""
    assert [*wrapped("aaaaaaaaaaaa", 5)] == ["aaaaa", "  aaa", "  aaa", "  a"]


@given(ANY_TEXT, st.integers(10, 100))
def test_wrapped_keeps_to_the_width_and_loses_nothing(text: str, width: int) -> None:
    """Every piece fits, and all pieces together say the same."""
    line = one_line(text, 500)
    pieces = [*wrapped(line, width)]

    assert all(columns(piece) <= width for piece in pieces)
    assert "".join(pieces).replace(" ", "") == line.replace(" ", "")


def test_hostile_text_becomes_harmless() -> None:
    """The text that other tests feed to the views is defused here."""
    assert UNSAFE.search(HOSTILE)
    assert not UNSAFE.search(printable(HOSTILE))
