"""The prompts in a task's input, for agents that are spoken to in words."""

from __future__ import annotations

from collections.abc import Mapping

from .value import Json


def prompts_of(given: Json) -> tuple[str, ...]:
    """List the prompts of a task, one a turn; an input of any other shape has none.

    It is a text, a list of texts, or an object whose `prompt` is one of these.
    """
    found = given.get("prompt") if isinstance(given, Mapping) else given
    if isinstance(found, str):
        return (found,)
    if not isinstance(found, (list, tuple)):
        return ()
    texts = tuple(one for one in found if isinstance(one, str))
    return texts if len(texts) == len(found) else ()
