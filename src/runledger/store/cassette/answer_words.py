"""Tell in a few words what a model answered: its text, the tools it called, the tokens it took."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ...ledger.value import Json
from .entry import ModelAnswer
from .frames import values_in
from .tokens import tokens_in
from .tracks import Piece, text_of, tracks_in

_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "function_call"})


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said in one answer."""

    text: str = ""
    calls: tuple[tuple[str, Json], ...] = ()  # names of tools, and their arguments
    tokens_in: int | None = None
    tokens_out: int | None = None


def said_in(answer: ModelAnswer) -> Said:
    """Put together what an answer says, in whichever of the known shapes it is."""
    values = values_in(answer)
    tracks = tracks_in(values)
    text = "".join(text_of(pieces) for track, pieces in tracks.items() if _is_speech(track))
    if not text and not answer.is_stream:
        text = "".join(_texts(values))
    calls = tuple(_called(values, tracks).values())
    usage = {name: figure for value in values for name, figure in _figures(value)}
    if not usage:
        return Said(text, calls)
    tokens = tokens_in(usage)
    return Said(text, calls, tokens.all_input, tokens.output)


def _called(values: Sequence[Json], tracks: _Tracks) -> dict[Hashable, tuple[str, Json]]:
    """Gather the calls of all events; a later one may lack the arguments that were told before."""
    calls: dict[Hashable, tuple[str, Json]] = {}
    for value in values:
        for key, name, args in _calls(value, tracks):
            calls[key] = (name, args or calls.get(key, (name, args))[1])
    return calls


def _is_speech(track: Hashable) -> bool:
    match track:
        case ("block", _, "text") | ("choice", _, "content") | ("choice", _):
            return True
        case ("candidate", _, thought):
            return not thought
        case ("response.output_text.delta", *_):
            return True
    return False


_Tracks: TypeAlias = Mapping[Hashable, Sequence[Piece]]
_Called: TypeAlias = Iterator[tuple[Hashable, str, Json]]


def _calls(value: Any, tracks: _Tracks, choice: str = "") -> _Called:
    """Yield the calls of tools in a value: what each is known by, its name, its arguments."""
    if isinstance(value, list):
        for item in value:
            yield from _calls(item, tracks, choice)
    if not isinstance(value, Mapping):
        return
    choice = str(value.get("index")) if "delta" in value else choice
    yield from _functions(value, tracks, choice)
    found = [*_begun(value, tracks), *_whole(value)]
    yield from found
    for item in value.values() if not found else ():
        yield from _calls(item, tracks, choice)


def _functions(value: Mapping[str, Any], tracks: _Tracks, choice: str) -> _Called:
    """Yield calls as Chat and Gemini write them, whole or in pieces."""
    for name in ("functionCall", "function"):
        call = value.get(name)
        if isinstance(call, Mapping) and isinstance(call.get("name"), str):
            pieces = tracks.get(("call", choice, str(value.get("index")), "arguments"), ())
            args = text_of(pieces) or call.get("args", call.get("arguments"))
            yield value.get("id") or id(call), call["name"], args


def _begun(value: Mapping[str, Any], tracks: _Tracks) -> _Called:
    """Yield a call that a stream of Anthropic's begins, with what it says of it afterwards."""
    block = value.get("content_block")
    if isinstance(block, Mapping) and block.get("type") in _CALLS:
        pieces = tracks.get(("block", str(value.get("index")), "partial_json"), ())
        yield block.get("id"), str(block.get("name")), text_of(pieces)


def _whole(value: Mapping[str, Any]) -> _Called:
    """Yield a call as Anthropic and Responses write it in one piece."""
    if value.get("type") in _CALLS and isinstance(value.get("name"), str):
        key = value.get("call_id") or value.get("id")
        yield key, value["name"], value.get("input", value.get("arguments"))


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


def _figures(value: Any) -> Iterator[tuple[str, Json]]:
    """Yield what a value tells of tokens; what comes later in a stream takes its place."""
    if not isinstance(value, Mapping):
        return
    for name in ("message", "response"):
        yield from _figures(value.get(name))
    for name in ("usage", "usageMetadata"):
        usage = value.get(name)
        for key, figure in usage.items() if isinstance(usage, Mapping) else ():
            if figure is not None:
                yield key, figure
