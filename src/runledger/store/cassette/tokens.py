"""What an answer of a model used, read from the figures of whichever API gave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ledger.value import Json

MOST_TOKENS = 10**12  # no answer uses more: a larger figure is a mistake


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one answer; each counts in one place only."""

    input: int = 0  # neither read from a cache nor written to one
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0  # kept for an hour, which some charge more for

    @property
    def all_input(self) -> int:
        """Count all that the model was given, cached or not."""
        return self.input + self.cache_read + self.cache_write + self.cache_write_1h


def anthropic_tokens(usage: Mapping[str, Json]) -> Tokens:
    """Read the figures of the Messages API, where what is cached counts by itself."""
    written = count(usage.get("cache_creation_input_tokens"))
    long = count(below(usage, "cache_creation", "ephemeral_1h_input_tokens"))
    return Tokens(
        input=count(usage.get("input_tokens")),
        output=count(usage.get("output_tokens")),
        cache_read=count(usage.get("cache_read_input_tokens")),
        cache_write=max(0, written - long),
        cache_write_1h=long,
    )


def responses_tokens(usage: Mapping[str, Json]) -> Tokens:
    """Read the figures of the Responses API, where all input counts what is cached, too."""
    cached = count(below(usage, "input_tokens_details", "cached_tokens"))
    return Tokens(
        input=max(0, count(usage.get("input_tokens")) - cached),
        output=count(usage.get("output_tokens")),
        cache_read=cached,
    )


def chat_tokens(usage: Mapping[str, Json]) -> Tokens:
    """Read the figures of Chat Completions, which count as those of Responses do."""
    cached = count(below(usage, "prompt_tokens_details", "cached_tokens"))
    return Tokens(
        input=max(0, count(usage.get("prompt_tokens")) - cached),
        output=count(usage.get("completion_tokens")),
        cache_read=cached,
    )


def gemini_tokens(usage: Mapping[str, Json]) -> Tokens:
    """Read the figures of Gemini, where thoughts are no part of what was said."""
    cached = count(usage.get("cachedContentTokenCount"))
    asked = count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount"))
    thought = count(usage.get("thoughtsTokenCount"))
    return Tokens(
        input=max(0, asked - cached),
        output=count(usage.get("candidatesTokenCount")) + thought,
        cache_read=cached,
    )


def tokens_in(usage: Mapping[str, Json]) -> Tokens:
    """Read figures of an API that is told only by how it names them."""
    if any(name.endswith("TokenCount") for name in usage):
        return gemini_tokens(usage)
    if "prompt_tokens" in usage or "completion_tokens" in usage:
        return chat_tokens(usage)
    is_openai = "input_tokens_details" in usage
    return responses_tokens(usage) if is_openai else anthropic_tokens(usage)


def count(value: Json) -> int:
    """Take a value for a number of tokens; what is none counts as nothing."""
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value <= MOST_TOKENS else 0


def below(value: Json, *keys: str) -> Json:
    """Find what stands under keys of nested objects, or None."""
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
