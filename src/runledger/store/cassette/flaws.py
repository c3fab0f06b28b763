"""Find what should not be in a cassette that others will read: secrets, halves, leftovers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...ledger.path import show_path
from ...ledger.strict_json import loads
from ...ledger.value import Json
from ..redact.listener import secrets_told
from ..redact.placeholder import MARK
from ..redact.redactor import Redactor
from .cleaning import all_said
from .entry import McpEntry, ModelAnswer
from .frames import values_in
from .load import LEVELS, Cassette, all_entries, open_cassette
from .tracks import text_of, tracks_in

ANEW = "record it anew; what is secret is hidden then"
MOST_SECRETS = 20  # of one line
NO_SALT = "lint"  # placeholders are only looked at, never written

_MARK = re.compile(MARK)
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})[\w.-]+")


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that should not be there: where, what, and what to do about it."""

    line: int
    place: str
    what: str
    advice: str
    is_warning: bool = False


def flaws_in(file: Path, secrets: Sequence[str]) -> list[Flaw]:
    """Look through a cassette; one that cannot be read raises CassetteError."""
    opened = open_cassette(file)
    cassette = opened.cassette
    lines = [*_lines(opened.content)]
    told = secrets_told(all_said(all_entries(cassette)))
    redactor = Redactor((*secrets, *told), salt=cassette.salt or NO_SALT)
    found = [flaw for number, value in lines for flaw in _secrets(number, value, redactor)]
    for entry in cassette.models:
        found += _secrets_in_stream(entry.line, entry.answer, redactor)
        found += _halves(entry.line, entry.answer)
    found += [flaw for entry in cassette.servers for flaw in _unanswered(entry)]
    unused = sorted(opened.blobs[id] for id in opened.unused_blobs)
    prune = f"runledger cassette prune {file}"
    found += [Flaw(line, "", "a blob that no line refers to", prune) for line in unused]
    found += _homes(lines, cassette)
    return sorted(found, key=lambda flaw: (flaw.line, flaw.is_warning))


def _lines(content: bytes) -> Iterator[tuple[int, Json]]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield number, loads(line.rstrip(b"\r"), LEVELS)


def _secrets(number: int, value: Json, redactor: Redactor) -> Iterator[Flaw]:
    left = redactor.value(value)
    if left is value:
        return
    for count, (place, kind) in enumerate(_changes(value, left, ())):
        if count == MOST_SECRETS:
            yield Flaw(number, "", "and more secrets", ANEW)
            return
        yield Flaw(number, show_path(place), f"a secret ({kind})", ANEW)


def _changes(
    old: Json, new: Json, place: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where a value was redacted, and by which rule."""
    if old is new or old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in old:
            yield from _changes(old[name], new[name], (*place, name))
    elif isinstance(old, list) and isinstance(new, list):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _changes(before, after, (*place, index))
    else:
        yield place, _kind(str(old), str(new))


def _kind(old: str, new: str) -> str:
    known = {*_MARK.findall(old)}
    marks = [mark for mark in _MARK.findall(new) if mark not in known]
    return marks[0].split(":")[1] if marks else "text"


def _secrets_in_stream(line: int, answer: ModelAnswer, redactor: Redactor) -> Iterator[Flaw]:
    if not answer.is_stream:
        content = b"".join(answer.frames).decode("utf-8", "replace")
        if "\ufffd" in content and redactor.text(content) != content:  # it stands there as base64
            yield Flaw(line, "$.resp.base64", "a secret", ANEW)
    for pieces in tracks_in(values_in(answer)).values():
        whole = text_of(pieces)
        alone = [redactor.text(piece.text) for piece in pieces]
        if len(pieces) > 1 and redactor.text(whole) not in (whole, "".join(alone)):
            place = show_path(("resp", "sse" if answer.is_stream else "body", pieces[0].frame))
            what = (
                f"a secret ({_kind(whole, redactor.text(whole))}), split over {len(pieces)} events"
            )
            yield Flaw(line, place, what, ANEW)


def _halves(line: int, answer: ModelAnswer) -> Iterator[Flaw]:
    if answer.partial:
        what = "half an answer: the client left before its end"
        advice = "if the agent was not meant to leave, record it anew"
        yield Flaw(line, "$.resp.partial", what, advice, is_warning=True)


def _unanswered(entry: McpEntry) -> Iterator[Flaw]:
    if entry.is_open:
        what = "no answer: the agent cancelled the request, or left before"
        advice = "if it was meant to wait, record it anew"
        yield Flaw(entry.line, "$.resp", what, advice, is_warning=True)


def _homes(lines: Sequence[tuple[int, Json]], cassette: Cassette) -> Iterator[Flaw]:
    """Warn of home directories, but for those that replay knows how to find elsewhere."""
    known = tuple(cassette.places.values())
    advice = "if it is part of what is compared, the case replays only where it was recorded"
    for number, value in lines:
        header = isinstance(value, Mapping) and value.get("kind") == "header"
        homes = () if header else _HOME.findall(_without(known, str(value)))
        found = [*dict.fromkeys(homes)]
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            yield Flaw(number, "", f"a home directory: {found[0]}{more}", advice, is_warning=True)


def _without(places: Sequence[str], text: str) -> str:
    """Take known places out: the last part of one may be `home`, and nobody's."""
    for place in places:
        text = text.replace(place, "")
    return text
