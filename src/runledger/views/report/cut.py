"""Values as the report keeps them: whole when they are short, else the beginning and the length."""

from __future__ import annotations

from ...ledger.value import Json
from ...store.lines import encode


def cut_text(text: str, most: int) -> Json:
    """Keep a text, or [its beginning, its length] when it is long."""
    return text if len(text) <= most else [text[:most], len(text)]


def cut_json(value: Json, most: int) -> Json:
    """Keep a value as JSON text, since a browser that parsed it could not tell 1.0 from 1."""
    return cut_text(encode(value).decode(), most)


def cut_line(text: str, most: int) -> str:
    """Keep the first line of a text, with an ellipsis when there is more of it."""
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= most else line[: most - 1] + "…"
