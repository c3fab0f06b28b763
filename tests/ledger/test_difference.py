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


def test_long_texts_are_shown_in_whole_words() -> None:
    """A word that is longer than the window is shown whole, and one that is longer yet not."""
    path = "/a/very/long/path" * 6
    left, right = show_both(Difference("$", f"x {path}1 " + "y " * 90, f"x {path}2 " + "y " * 90))

    assert (left, right) == (f'"x {path}1…"', f'"x {path}2…"')

    left, right = show_both(Difference("$", f"x {path * 2}1", f"x {path * 2}2"))

    assert left == right == '"x …"'


def test_lines_are_words_of_their_own() -> None:
    """In JSON there is no space between them."""
    lines = "\n".join(f"line-{n}" for n in range(100))
    left, right = show_both(Difference("$", lines, lines.replace("line-50", "line-fifty")))

    assert r"line-49\nline-50\nline-51" in left
    assert r"line-49\nline-fifty\nline-51" in right


def test_a_text_that_goes_on_is_shown_at_its_end() -> None:
    """One text may be the beginning of the other."""
    left, right = show_both(Difference("$", "x " * 50, "x " * 50 + "and more"))

    assert left != right


def test_keys_with_dots_are_quoted_in_paths() -> None:
    """A path reads back as the place it came from."""
    told = describe(differences({"a.b": {"c": 1}}, {"a.b": {"c": 2}}))

    assert told == 'at $["a.b"].c: expected 1, found 2'
