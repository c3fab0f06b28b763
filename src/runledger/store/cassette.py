"""Read a cassette: the answers that were recorded for one case, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ..errors import CassetteError, did_you_mean
from ..ledger.fingerprint import preview
from ..ledger.strict_json import NotJson, loads
from ..ledger.value import Json
from .entry import AgentStamp, McpEntry, ModelEntry
from .entry import Entry as Entry

if TYPE_CHECKING:
    from pathlib import Path

KEYS = ("tool", "args", "ok", "result", "error")
KINDS = ("header", "blob", "mcp", "model")
VERSION = 1


@dataclass(frozen=True, slots=True)
class Header:
    """What a cassette says of itself; the salt makes equal secrets equal placeholders."""

    salt: str | None = None


@dataclass(frozen=True, slots=True)
class Cassette:
    """What was recorded for one case; `path` is as users know it, relative to the suite."""

    path: str
    sha256: str
    entries: tuple[Entry, ...]
    salt: str | None = None  # of the placeholders that stand for secrets in it
    agent: AgentStamp | None = None  # who was recorded, where it told
    servers: tuple[McpEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()


def load_cassette(file: Path, shown: str | None = None) -> Cassette:
    """Read a whole cassette, or raise CassetteError for the first line that is wrong."""
    path = shown if shown is not None else str(file)
    content = _content(file, path)
    lines = tuple(_lines(content, path))
    entries = tuple(line for line in lines if isinstance(line, Entry))
    salts = {line.salt for line in lines if isinstance(line, Header)} - {None}
    if len(salts) > 1:
        raise CassetteError(path, None, "its headers have different salts; record it anew")
    return Cassette(path, sha256(content).hexdigest(), entries, salts.pop() if salts else None)


class _Wrong(ValueError):
    """Say what is wrong with a line."""


def _content(file: Path, path: str) -> bytes:
    try:
        return file.read_bytes()
    except OSError as fault:
        raise CassetteError(path, None, f"cannot be read: {fault.strerror}") from fault


def _lines(content: bytes, path: str) -> Iterator[Header | Entry]:
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _line(number, loads(line.rstrip(b"\r")))
        except (NotJson, _Wrong) as fault:
            torn = isinstance(fault, NotJson) and number == len(lines)
            hint = "; the file ends within this line" if torn else ""
            raise CassetteError(path, number, f"{fault}{hint}") from None


def _line(number: int, line: Json) -> Header | Entry:
    if not isinstance(line, dict):
        raise _Wrong(f"an entry must be an object, not {_kind(line)}")
    if "v" in line:
        _check_further(line)
        return Header(line.get("salt"))
    _check_keys(line)
    _check_values(line)
    return Entry(
        number, line["tool"], line["args"], line["ok"], line.get("result"), line.get("error")
    )


def _check_further(line: Mapping[str, Any]) -> None:
    version, kind = line["v"], line.get("kind")
    if version is True or version != VERSION:
        shown = preview(version, 60)
        raise _Wrong(f"version {shown} of the format is not known here, only {VERSION} is")
    if kind not in KINDS:
        raise _Wrong(f"unknown kind {preview(kind, 60)}{_nearest(str(kind), KINDS)}")
    if kind != "header":
        raise _Wrong(f"kind {kind} is not available in this version yet")
    if not isinstance(line.get("salt"), (str, type(None))):
        raise _Wrong(f"'salt' must be a text, not {_kind(line['salt'])}")


def _check_keys(line: Mapping[str, Any]) -> None:
    for key in line:
        if key not in KEYS:
            raise _Wrong(f"unknown key {key[:60]!r}{_nearest(key, KEYS)}")
    for key in KEYS[:3]:
        if key not in line:
            raise _Wrong(f"the key {key!r} is missing (an entry has tool, args, ok, result)")


def _check_values(line: Mapping[str, Any]) -> None:
    for key, kind in (("tool", str), ("args", dict), ("ok", bool)):
        if not isinstance(line[key], kind):
            raise _Wrong(f"{key!r} must be {_KINDS[kind]}, not {_kind(line[key])}")
    if line["ok"] and "result" not in line:
        raise _Wrong("the key 'result' is missing; only an entry with \"ok\": false may lack it")
    if line["ok"] and line.get("error") is not None:
        raise _Wrong("'error' stands beside \"ok\": true")


_KINDS = {
    str: "a text",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def _kind(value: object) -> str:
    return _KINDS[type(value)]


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"{did_you_mean(name, names)} (known: {', '.join(names)})"
