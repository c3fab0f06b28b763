"""Tell in a few words what was asked of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ledger.cut import ending
from ...ledger.fingerprint import preview
from ...ledger.value import Json, texts_in
from ..cassette.shorthand import CONVERSATIONS

_WORDS = 60


def in_words(body: Json) -> str:
    """Name the model, count the messages, and give the last words that a user said."""
    if not isinstance(body, Mapping):
        return "no body" if body is None else preview(body, 80)
    said = conversation(body)
    parts = [
        _model(body.get("model")),
        _counted(said) if said is not None else "",
        _last_words(said if said is not None else [body.get("input")]),
    ]
    return ", ".join(part for part in parts if part) or preview(body, 80)


def conversation(body: Mapping[str, Json]) -> Sequence[Json] | None:
    """Find the list of messages of a request, if it has one."""
    lists = (body.get(name) for name in CONVERSATIONS)
    return next((one for one in lists if isinstance(one, (list, tuple))), None)


def _model(model: Json) -> str:
    return preview(model, 60).strip('"') if isinstance(model, str) else ""


def _counted(said: Sequence[Json]) -> str:
    return "1 message" if len(said) == 1 else f"{len(said)} messages"


def _last_words(said: Sequence[Json]) -> str:
    users = [one for one in said[-20:] if not _is_of(one, "assistant", "model", "system")]
    text = _last_text(users[-1]) if users else ""
    return (
        preview(ending(" ".join(text[-4 * _WORDS :].split()), _WORDS), 2 * _WORDS) if text else ""
    )


def _is_of(message: Json, *roles: str) -> bool:
    return isinstance(message, Mapping) and message.get("role") in roles


def _last_text(message: Json) -> str:
    """Find the last text of a message: its content, or that of its last block or part."""
    if isinstance(message, str):
        return message
    if isinstance(message, (list, tuple)):
        return next((text for one in reversed(message) if (text := _last_text(one))), "")
    if isinstance(message, Mapping):
        held = next((message[key] for key in _HOLDERS if key in message), None)
        return _last_text(held) if isinstance(held, (str, list, tuple)) else _any_text(held)
    return ""


def _any_text(held: Json) -> str:
    return next(texts_in(held), "")


_HOLDERS = ("text", "content", "parts", "output", "functionResponse", "input")
