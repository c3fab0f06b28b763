"""Tell in a few words what a model answered: its text, the tools it called, the tokens it took."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...ledger.strict_json import NotJson, loads
from ...ledger.value import Json
from .entry import ModelAnswer
from .frames import read_frame
from .tracks import Piece, text_of, tracks_in

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "function_call"})
_TOKENS_IN = (
    *("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    *("prompt_tokens", "promptTokenCount"),
)
_TOKENS_OUT = ("output_tokens", "completion_tokens", "candidatesTokenCount")


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said in one answer."""

    text: str = ""
    calls: tuple[tuple[str, Json], ...] = ()  # names of tools, and their arguments
    tokens_in: int | None = None
    tokens_out: int | None = None


def said_in(answer: ModelAnswer) -> Said:
    """Put together what an answer says, in whichever of the known shapes it is."""
    values = [*_values(answer)]
    tracks = tracks_in(values)
    text = "".join(text_of(pieces) for track, pieces in tracks.items() if _is_speech(track))
    calls: dict[Hashable, tuple[str, Json]] = {}
    for value in values:
        for key, name, args in _calls(value, tracks):
            calls[key] = (name, args or calls.get(key, (name, args))[1])
    tokens = {name: number for value in values for name, number in _counts(value)}
    return Said(
        text or ("" if answer.is_stream else "".join(_texts(values))),
        tuple(calls.values()),
        _sum(tokens, _TOKENS_IN),
        _sum(tokens, _TOKENS_OUT),
    )


def _values(answer: ModelAnswer) -> Iterator[Json]:
    if answer.is_stream:
        yield from (read_frame(frame).value for frame in answer.frames)
        return
    try:
        yield loads(b"".join(answer.frames))
    except NotJson:
        return


def _is_speech(track: Hashable) -> bool:
    match track:
        case ("block", _, "text") | ("choice", _, "content") | ("choice", _):
            return True
        case ("candidate", _, thought):
            return not thought
        case ("response.output_text.delta", *_):
            return True
    return False


def _calls(
    value: Any, tracks: Mapping[Hashable, Sequence[Piece]]
) -> Iterator[tuple[Hashable, str, Json]]:
    """Yield the calls of tools in a value: what each is known by, its name, its arguments."""
    if isinstance(value, list):
        for item in value:
            yield from _calls(item, tracks)
    if not isinstance(value, Mapping):
        return
    block = value.get("content_block")
    if isinstance(block, Mapping) and block.get("type") in _CALLS:
        pieces = tracks.get(("block", str(value.get("index")), "partial_json"), ())
        yield block.get("id"), str(block.get("name")), text_of(pieces)
        return
    for name in ("functionCall", "function"):
        call = value.get(name)
        if isinstance(call, Mapping) and isinstance(call.get("name"), str):
            pieces = tracks.get(("call", "0", str(value.get("index")), "arguments"), ())
            args = text_of(pieces) or call.get("args", call.get("arguments"))
            yield value.get("id") or id(call), call["name"], args
    if value.get("type") in _CALLS and isinstance(value.get("name"), str):
        key = value.get("call_id") or value.get("id")
        yield key, value["name"], value.get("input", value.get("arguments"))
        return
    for item in value.values():
        yield from _calls(item, tracks)


def _texts(value: Any) -> Iterator[str]:
    """Yield what an answer that came in one piece says to a reader."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    if not isinstance(value, Mapping) or value.get("thought") is True:
        return
    for name in ("message", "content", "output", "choices", "candidates", "parts", "text", "error"):
        held = value.get(name)
        if isinstance(held, str):
            yield held
        else:
            yield from _texts(held)


def _counts(value: Any) -> Iterator[tuple[str, int]]:
    """Yield the numbers of tokens that a value tells of."""
    if not isinstance(value, Mapping):
        return
    for name in ("message", "response"):
        yield from _counts(value.get(name))
    for name in ("usage", "usageMetadata"):
        usage = value.get(name)
        for key, number in usage.items() if isinstance(usage, Mapping) else ():
            if type(number) is int:
                yield key, number


def _sum(tokens: Mapping[str, int], names: Sequence[str]) -> int | None:
    found = [tokens[name] for name in names if name in tokens]
    return sum(found) if found else None
