"""What an ACP agent says, as text: blocks of content, and errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...ledger.cut import beginning
from ...ledger.value import Json
from ...wire.jsonrpc import RpcError
from .shapes import as_list, as_object, text_at

AUTH_REQUIRED = -32000
SHOWN = 2000  # characters of what an agent says beside an error

# What agents give as their whole answer, and call it a success, when their model failed.
_MODEL_ERRORS = (
    re.compile(r'\{"error": ?\{'),  # codex-acp: what the model's server answered
    re.compile(r"stream disconnected before completion: "),  # codex-acp
    re.compile(r"unexpected status \d{3}\b"),  # codex-acp
    re.compile(r"exceeded retry limit\b"),  # codex-acp
    re.compile(r"API Error: "),  # claude-code-acp
    re.compile(r"\[API Error: "),  # qwen
)


def text_of(block: Json) -> str:
    """Show a block of content as text; what is none is named in brackets."""
    match as_object(block).get("type"):
        case None:
            return ""
        case "text":
            return text_at(block, "text")
        case "resource_link":
            return f"[{text_at(block, 'title') or text_at(block, 'name')}]({text_at(block, 'uri')})"
        case "resource":
            return _resource(as_object(block).get("resource"))
        case kind:
            shown = (str(kind), text_at(block, "mimeType"), text_at(block, "uri"))
            return f"[{' '.join(word for word in shown if word)}]"


def _resource(found: Json) -> str:
    return text_at(found, "text") or f"[resource {text_at(found, 'uri')}]"


def texts_of(content: Sequence[Json]) -> str | None:
    """Join the content of a tool call when all of it is text."""
    parts = [as_object(part) for part in content]
    blocks = [as_object(part.get("content")) for part in parts if part.get("type") == "content"]
    texts = [text for block in blocks if isinstance(text := block.get("text"), str)]
    return "\n".join(texts) if texts and len(texts) == len(parts) else None


def says_model_error(answer: str) -> bool:
    """Say whether an answer begins as those do that only tell of a model's failure."""
    text = answer[:SHOWN].lstrip()
    return any(pattern.match(text) for pattern in _MODEL_ERRORS)


def error_words(error: RpcError, met: Json) -> str:
    """Say what an agent answered in place of a result, and what to do where it wants a login."""
    told = f"{error.message}{_beside(error)} (error {error.code})"
    return f"{told}; {_how_to_log_in(met)}" if error.code == AUTH_REQUIRED else told


def _beside(error: RpcError) -> str:
    """Find the words in what came with an error, unless they are its message again."""
    if isinstance(error.data, str):
        words = error.data
    else:
        told = (text_at(error.data, key) for key in ("details", "message", "error"))
        words = next((one for one in told if one), "")
    return f": {beginning(words, SHOWN)}" if words not in error.message else ""


def _how_to_log_in(met: Json) -> str:
    methods = as_list(as_object(met).get("authMethods"))
    names = [text_at(one, "name") or text_at(one, "id") for one in methods]
    ways = f" (it offers: {', '.join(names)})" if names else ""
    return (
        f"the agent wants a login{ways}: log in with its own program first, "
        "or pass its key on with --env NAME, in a suite with env: {pass: [NAME]}"
    )
