"""Where two values differ, as a person is told."""

from __future__ import annotations

from runledger.ledger.difference import Difference, describe, differences, show_both


def test_long_texts_are_shown_where_they_part() -> None:
    """The same beginning of two long texts tells nothing."""
    same = "word " * 50
    left, right = show_both(Difference("$", f"{same}cats", f"{same}dogs"))

    assert "cats" in left
    assert "dogs" in right
    assert len(left) < 80


def test_a_text_that_goes_on_is_shown_at_its_end() -> None:
    """One text may be the beginning of the other."""
    left, right = show_both(Difference("$", "x " * 50, "x " * 50 + "and more"))

    assert left != right


def test_keys_with_dots_are_quoted_in_paths() -> None:
    """A path reads back as the place it came from."""
    told = describe(differences({"a.b": {"c": 1}}, {"a.b": {"c": 2}}))

    assert told == 'at $["a.b"].c: expected 1, found 2'
