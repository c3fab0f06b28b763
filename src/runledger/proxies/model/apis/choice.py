"""Tell by its path which API a request belongs to."""

from __future__ import annotations

import re

from . import Api, anthropic, chat, gemini, responses

_PATHS: tuple[tuple[re.Pattern[str], Api], ...] = (
    (re.compile(r"/messages(/count_tokens|/batches.*)?$"), anthropic),
    (re.compile(r"/publishers/anthropic/[^/]*/[^/]*:(rawPredict|streamRawPredict)$"), anthropic),
    (re.compile(r"/responses(/.*)?$"), responses),
    (re.compile(r"/chat/completions$|/openai/|:(rawPredict|streamRawPredict)$"), chat),
    (re.compile(r"/v1(alpha|beta)\d*/|:(generate|stream|count|embed)\w*$"), gemini),
)


def api_of(target: str) -> Api:
    """Choose the API of a path, with or without a query; an unknown one is like OpenAI's."""
    path = target.partition("?")[0]
    return next((api for pattern, api in _PATHS if pattern.search(path)), chat)
