"""The prompts in a task's input."""

from __future__ import annotations

import pytest

from runledger.ledger.prompts import prompts_of, with_affixes, wrapped
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


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("one", "A\n\none\n\nB"),
        (["one"], ["A\n\none\n\nB"]),
        (["one", "two", "three"], ["A\n\none", "two", "three\n\nB"]),
        ({"prompt": "one", "more": 1}, {"prompt": "A\n\none\n\nB", "more": 1}),
        ({"prompt": ["one", "two"]}, {"prompt": ["A\n\none", "two\n\nB"]}),
        ("", "A\n\nB"),
    ],
)
def test_texts_are_put_before_the_first_prompt_and_after_the_last(given: Json, asked: Json) -> None:
    """Seed 004 section 1: context block, task text, and the suffix that asks for a report."""
    assert with_affixes(given, "A", "B") == asked
    assert with_affixes(given, "A\n\n", "\n\nB") == asked


@pytest.mark.parametrize("given", ["one", ["one\n", "two"], {"prompt": "one"}])
def test_nothing_around_a_prompt_leaves_it_as_it_is(given: Json) -> None:
    """Seed 004 section 1: without a context block, the prompt is the raw task."""
    assert with_affixes(given, "", "") == given


@pytest.mark.parametrize("given", [None, 7, [], ["one", 2], {"q": "one"}, {"prompt": {"a": 1}}])
def test_an_input_without_prompts_stays(given: Json) -> None:
    """There is no place to put a text."""
    assert with_affixes(given, "A", "B") == given


def test_the_input_itself_is_not_changed() -> None:
    """The same task is asked under other conditions, too."""
    given: Json = {"prompt": ["one", "two"]}
    with_affixes(given, "A", "B")

    assert given == {"prompt": ["one", "two"]}


def test_a_text_is_wrapped_in_its_tag() -> None:
    """Seed 004 section 1: context is injected as a block with a tag."""
    assert wrapped("lens_context", "\n  a\nb\n\n") == "<lens_context>\n  a\nb\n</lens_context>"
