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


def with_affixes(given: Json, before: str, after: str) -> Json:
    """Put texts before the first prompt and after the last; an input without prompts stays.

    Each text is set off by an empty line.
    """
    prompts = list(prompts_of(given))
    if not prompts:
        return given
    prompts[0] = _joined(before, prompts[0])
    prompts[-1] = _joined(prompts[-1], after)
    if isinstance(given, Mapping):
        return {**given, "prompt": _alike(given["prompt"], prompts)}
    return _alike(given, prompts)


def wrapped(tag: str, text: str) -> str:
    """Put a text between the tags of this name."""
    return f"<{tag}>\n{text.strip(_BREAKS)}\n</{tag}>"


_BREAKS = "\r\n"


def _joined(first: str, second: str) -> str:
    if not first.strip() or not second.strip():
        return first if first.strip() else second
    return f"{first.rstrip(_BREAKS)}\n\n{second.lstrip(_BREAKS)}"


def _alike(found: Json, prompts: list[str]) -> Json:
    """Give prompts the shape in which they were found."""
    return prompts[0] if isinstance(found, str) else list(prompts)
