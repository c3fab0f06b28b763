"""The prompts in a task's input."""

from __future__ import annotations

import pytest

from runledger.ledger.prompts import prompts_of
from runledger.ledger.value import Json


@pytest.mark.parametrize(
    ("given", "prompts"),
    [
        ("one", ("one",)),
        ("", ("",)),
        (["one", "two"], ("one", "two")),
        ({"prompt": "one", "more": 1}, ("one",)),
        ({"prompt": ["one", "two"]}, ("one", "two")),
        ([], ()),
        (["one", 2], ()),
        ({"q": "one"}, ()),
        ({"prompt": {"prompt": "one"}}, ()),
        (None, ()),
        (7, ()),
    ],
)
def test_prompts_are_texts_one_a_turn(given: Json, prompts: tuple[str, ...]) -> None:
    """Any other input has none."""
    assert prompts_of(given) == prompts
