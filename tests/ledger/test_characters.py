"""Texts are cut between characters, and characters are what a reader takes for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.ledger.characters import LONGEST, characters, first_characters

ONE_EACH = {
    "a letter": "a",
    "a letter with an accent of its own": "e\u0301",
    "a letter with two accents": "o\u0302\u0323",
    "an emoji": "🙂",
    "a shade of skin": "👍🏽",
    "a family": "👩\u200d👩\u200d👧\u200d👦",
    "a heart with its variation": "❤\ufe0f",
    "a flag": "🇫🇷",
    "a flag made of tags": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "a Korean syllable spelt out": "\u1112\u1161\u11ab",
    "a Korean syllable with an ending added": "하\u11ab",
    "a Hindi vowel sign": "कि",
    "a line end of two": "\r\n",
    "half a pair": "\ud83d",
}


@pytest.mark.parametrize("character", ONE_EACH.values(), ids=ONE_EACH)
def test_a_character_is_never_torn(character: str) -> None:
    """Ten of them are ten, and the first three of them are three."""
    assert list(characters(character * 10)) == [character] * 10
    assert first_characters(character * 10, 3) == character * 3 + "..."
    assert first_characters(character * 3, 3) == character * 3


def test_two_flags_are_two() -> None:
    """Their halves look alike; they are paired from the left."""
    assert list(characters("🇫🇷🇩🇪🇫")) == ["🇫🇷", "🇩🇪", "🇫"]


def test_what_has_no_end_is_no_character() -> None:
    """A tower of accents is cut, or a preview would hold all of it."""
    tower = "e" + "\u0301" * 10_000

    assert len(first_characters(tower, 100)) < 100 * LONGEST + 10
    assert "".join(characters(tower)) == tower


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 20))
def test_nothing_is_lost_and_nothing_is_added(text: str, most: int) -> None:
    """A cut text is the beginning of the whole one, and a short one is itself."""
    whole = list(characters(text))
    cut = first_characters(text, most)

    assert "".join(whole) == text
    assert cut == text if len(whole) <= most else cut == "".join(whole[:most]) + "..."
