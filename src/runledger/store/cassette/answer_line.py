"""How the answer of a model stands in a line: a stream of events, a JSON value, text, or bytes."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ledger.strict_json import NotJson, dump_line, loads
from ...ledger.value import Json
from .entry import STREAM, ModelAnswer
from .line_check import check_keys, checked
from .public import KEPT_HEADERS
from .shorthand import Wrong

if TYPE_CHECKING:
    from .expansion import Expander

CONTENTS = ("sse", "body", "text", "base64")
KEYS = ("status", "headers", *CONTENTS, "t", "partial")
STATUSES = range(200, 600)
LONGEST_MS = 24 * 60 * 60 * 1000


def answer_fields(answer: ModelAnswer, write: Callable[[Json], Json]) -> dict[str, Json]:
    """Write an answer so that every byte of it can be read back."""
    fields: dict[str, Json] = {"status": answer.status, "headers": dict(answer.headers)}
    if answer.is_stream:
        # Bytes that are no UTF-8 become halves of surrogate pairs, and bytes again when read.
        fields["sse"] = [frame.decode("utf-8", "surrogateescape") for frame in answer.frames]
    else:
        fields |= _content_fields(b"".join(answer.frames), write)
    times = list(answer.t) if answer.is_stream else list(answer.t[-1:])  # in one piece at its end
    fields |= {"t": times} if times else {}
    return fields | {"partial": True} if answer.partial else fields


def _content_fields(content: bytes, write: Callable[[Json], Json]) -> dict[str, Json]:
    value = json_in(content)
    if value is not None:
        return {"body": write(value)}
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


def json_in(content: bytes) -> Json:
    """Read a JSON object or list that is written as we would write it, or give None."""
    if content[:1] not in (b"{", b"["):
        return None
    try:
        value = loads(content)
    except NotJson:
        return None
    return value if compact(value) == content else None


def compact(value: Json) -> bytes:
    """Write a value without any space."""
    return dump_line(value)[:-1]


def read_answer(fields: Mapping[str, Any], expander: Expander) -> ModelAnswer:
    """Read an answer."""
    check_keys(fields, KEYS, ("status",), within="resp")
    status = checked(fields, "status", int, "resp")
    if status not in STATUSES:
        raise Wrong(f"resp: 'status' must be a number from 200 to 599, not {str(status)[:20]}")
    partial = checked(fields, "partial", bool, "resp") if "partial" in fields else False
    headers = _headers(checked(fields, "headers", dict, "resp") if "headers" in fields else {})
    if len([name for name in CONTENTS if name in fields]) != 1:
        raise Wrong(f"resp: must have one of {', '.join(CONTENTS)}")
    frames = _frames(fields, expander)
    times = _times(fields, len(frames) if "sse" in fields else 1)
    answer = ModelAnswer(status, headers, frames, times, partial)
    return _as_stream(answer) if "sse" in fields else answer


def _as_stream(answer: ModelAnswer) -> ModelAnswer:
    stream = replace(answer, headers={"content-type": STREAM, **answer.headers})
    if not stream.is_stream:
        kind = stream.headers["content-type"]
        raise Wrong(f"resp: 'sse' stands beside the content-type {kind!r:.60}")
    return stream


def _frames(fields: Mapping[str, Any], expander: Expander) -> tuple[bytes, ...]:
    if "sse" in fields:
        return tuple(map(_frame, checked(fields, "sse", list, "resp")))
    content = _content(fields, expander)
    return (content,) if content else ()


def _times(fields: Mapping[str, Any], pieces: int) -> tuple[int, ...]:
    times = tuple(map(_time, checked(fields, "t", list, "resp"))) if "t" in fields else ()
    if times and len(times) != pieces:
        raise Wrong(f"resp: 't' has {len(times)} items, and the answer has {pieces}")
    return times


def _frame(text: object) -> bytes:
    if not isinstance(text, str):
        raise Wrong("resp: 'sse' must be a list of texts")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Wrong("resp: 'sse' holds half a surrogate pair") from None


def _time(ms: object) -> int:
    if type(ms) is not int or not 0 <= ms <= LONGEST_MS:
        raise Wrong("resp: 't' must be a list of milliseconds, each at most a day")
    return ms


def _content(fields: Mapping[str, Any], expander: Expander) -> bytes:
    if "body" in fields:
        return compact(expander.value(fields["body"]))
    if "base64" in fields:
        try:
            return b64decode(checked(fields, "base64", str, "resp"), validate=True)
        except binascii.Error:
            raise Wrong("resp: 'base64' is not base64") from None
    try:
        return checked(fields, "text", str, "resp").encode()
    except UnicodeEncodeError:
        raise Wrong("resp: 'text' holds half a surrogate pair") from None


def _headers(headers: Mapping[str, Any]) -> dict[str, str]:
    for name in headers:
        if name.lower() not in KEPT_HEADERS:
            kept = ", ".join(sorted(KEPT_HEADERS))
            raise Wrong(f"resp: the header {name[:60]!r} is not for cassettes, only {kept}")
        if not checked(headers, name, str, "resp.headers").isprintable():
            raise Wrong(f"resp: the header {name[:60]!r} has signs that no header may have")
    return {name.lower(): value for name, value in headers.items()}
