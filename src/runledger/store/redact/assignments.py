"""Secrets in texts beside a name that tells: `password=…`, `"token": "…"`, `--api-key …`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from .linear import linear
from .looks import WINDOW, looks_chosen, looks_secret
from .placeholder import PLACEHOLDER, Hide, is_placeholder, without_placeholders
from .quoting import (
    CODED_QUOTE,
    CODED_SIGN,
    ESCAPE,
    Quoted,
    depth_of,
    quoted_at,
    strings_below,
    unescaped,
)
from .telling import SCHEMES, is_telling, telling_stems

MOST_NAMES = 30_000  # in one text, `max_tokens` and the like too; each costs some 8 microseconds
MOST_PIECES = 5_000  # of what stands below all names of one text: quotes and brackets
NEAR = 200  # bytes from `pass` to the user that it belongs to

_HEADLESS = ("basic", "ssws")  # schemes that tell also where no header is named
_SCHEMES = f"(?i:{SCHEMES})".encode()
_SCHEME = re.compile(rb"(" + _SCHEMES + rb")\s+(\S.*)", re.DOTALL)
_SCHEME_AHEAD = re.compile(_SCHEMES + rb"(?:[ \t]++|%20|\+)")
_OPENING = re.compile(rb"\\*+[\"'`]")
_RUN = re.compile(
    rb"(?:" + PLACEHOLDER + rb"|[A-Za-z0-9_./+~%!@#$^*?:-])++(?:={1,2}(?![=A-Za-z0-9_\[]))?"
)
_QUERY_RUN = re.compile(rb"(?:" + PLACEHOLDER + rb"|[^&#\s\"'<>\\\[\]])++")
_COOKIES = re.compile(rb"[^\s=;\"'\\]++=[^\r\n\"'\\]*+")
_LINE_ENDS = re.compile(rb"[ \t]*+(?:[\r\n\"'\\]|\Z)")
_CODE_AHEAD = re.compile(rb"[({]|\[(?!REDACTED)")
_CODED_END = re.compile(CODED_QUOTE + rb"|[\r\n]|\Z")
_COLUMN_SIGN = re.compile(rb"\\++t|\t[ \t]*+|[ \t]{2,}+")
_PROSE_SIGN = re.compile(rb"(?i)\s++(?:is|was)\b")
_GAP = rb"(?:\s|\\+[nrt])++"
_NETRC = re.compile(
    rb"(?:(\b(?:machine" + _GAP + rb"[^\s\\]++|default)" + _GAP + rb")|\b)"
    rb"login" + _GAP + rb"[^\s\\]++" + _GAP + rb"\Z"
)
_USER = re.compile(
    rb"(?i)(?<![a-z])(?:user(?:_?name)?|login|email|account)(?:\\*+[\"']|"
    + (CODED_QUOTE + rb")?+\s*+(?:>|" + CODED_SIGN + rb")")
)
_LOGPROB = re.compile(rb"\s*+,\s*+\\*+\"logprob")
_SCHEMA = re.compile(
    rb"\{\s*+\\*+\"type\\*+\"\s*+:\s*+\\*+\"(?:string|object|array|number|integer|boolean)\\*+\""
)


class Edit(NamedTuple):
    """A piece of a text, and what to put in its place."""

    start: int
    end: int
    by: bytes


@dataclass(frozen=True, slots=True)
class Assignment:
    """A telling name in a text, the sign behind it, and where the value would start."""

    name: str
    before: bytes
    sign: bytes
    at: int

    @property
    def start(self) -> int:
        """Tell where the name starts."""
        return self.at - len(self.sign) - len(self.name)

    @property
    def is_flag(self) -> bool:
        """Say whether the name is an option of a command."""
        return self.name.startswith("--")

    @property
    def is_query(self) -> bool:
        """Say whether the name is a parameter of a URL."""
        return self.before in (b"?", b"&") and self.sign == b"="

    @property
    def is_variable(self) -> bool:
        """Say whether the name is written as variables of the environment are."""
        return self.name.isupper() and self.sign == b"="

    @property
    def is_prose(self) -> bool:
        """Say whether the name stands in a sentence: `the password is …`."""
        return _PROSE_SIGN.match(self.sign) is not None

    @property
    def is_column(self) -> bool:
        """Say whether the name stands in a table, with a gap behind it."""
        return _COLUMN_SIGN.fullmatch(self.sign) is not None

    @property
    def is_coded(self) -> bool:
        """Say whether the name stands in JSON inside HTML or a URL: `&quot;token&quot;:&quot;…`."""
        return self.sign[:1] in (b"&", b"%")

    @property
    def is_element(self) -> bool:
        """Say whether the name is a tag of XML."""
        return self.before == b"<" and self.sign == b">"


def hide_assigned(text: bytes, hide: Hide) -> bytes:
    """Put placeholders in place of the values beside telling names."""
    pieces, done = [], 0
    for edit in _edits(text, hide):
        pieces += [text[done : edit.start], edit.by]
        done = edit.end
    return b"".join([*pieces, text[done:]]) if pieces else text


def hide_whole(secret: bytes, hide: Hide) -> bytes:
    """Put a placeholder in place of all that stands under a telling name, but for a scheme."""
    if not secret.strip() or is_placeholder(secret):
        return secret
    scheme = _SCHEME.fullmatch(secret)
    if not scheme:
        return hide("key", secret)
    rest = scheme[2]
    return secret if is_placeholder(rest) else scheme[1] + b" " + hide("key", rest)


def _edits(text: bytes, hide: Hide) -> Iterator[Edit]:
    finder, at, patience = _finder(), 0, iter(range(MOST_PIECES))
    for _ in range(MOST_NAMES):
        found = finder.search(text, at)
        if not found:
            return
        at = found.end()
        one = _assignment(text, found)
        if one is None:
            continue
        for edit in _values(text, one, hide, patience):
            at = max(at, edit.end)
            if edit.by != text[edit.start : edit.end]:
                yield edit
    yield Edit(at, len(text), hide_whole(text[at:], hide))  # a hostile agent must have written it


@lru_cache(maxsize=1)
def _finder() -> re.Pattern[bytes]:
    name = rb"[A-Za-z0-9_.-]*(?i:" + telling_stems().encode() + rb")[A-Za-z0-9_.-]*"
    sign = (
        rb"\\*[\"']\s*,\s*\\*[\"'](?i:value)\\*[\"']\s*:\s*"  # {"name": "TOKEN", "value": "…"}
        rb"|\\*[\"']?\]?\s*(?::=|=>|[:=])\s*"
        rb"|\\*[\"']\s*,\s*"  # ["--token", "…"]
        rb"|\s+(?i:is|was)(?:\s*:\s*|\s+)"  # the password is: …
        rb"|" + CODED_QUOTE + rb"\s*" + CODED_SIGN + rb"(?:\s|%20)*" + CODED_QUOTE + rb"|\\+t"
        rb"|>|\s+"
    )
    telling = rb"(?:" + ESCAPE + rb")?(" + name + rb")(" + sign + rb")"
    whole = rb"(?:\b|" + ESCAPE + rb")((?i:basic|ssws|pass))(" + sign + rb")"
    return linear(PLACEHOLDER + b"|" + telling + b"|" + whole)


def _assignment(text: bytes, found: re.Match[bytes]) -> Assignment | None:
    start, end = max(found.span(1), found.span(3))
    if start < 0:
        return None
    one = Assignment(
        text[start:end].decode(), text[start - 1 : start], text[end : found.end()], found.end()
    )
    return one if _has_sign(text, one) and _tells(text, one) else None


def _tells(text: bytes, one: Assignment) -> bool:
    name = one.name.lower()
    if name == "pass":
        is_verdict = one.name.isupper() and one.sign.startswith(b":")  # `--- PASS: TestLogin`
        return not is_verdict and _is_beside_a_user(text, one)
    return name in _HEADLESS or is_telling(one.name)


def _is_beside_a_user(text: bytes, one: Assignment) -> bool:
    """Say whether a user is named near by, in which case `pass` is a password."""
    before = without_placeholders(text[max(0, one.start - WINDOW) : one.start])[-NEAR:]
    after = without_placeholders(text[one.at : one.at + WINDOW])[:NEAR]
    return _USER.search(before) is not None or _USER.search(after) is not None


def _has_sign(text: bytes, one: Assignment) -> bool:
    if one.is_prose or one.is_coded or b":" in one.sign or b"=" in one.sign:
        return one.name.lower() not in _HEADLESS
    if b">" in one.sign:
        return one.is_element
    if b"," in one.sign:
        return one.is_flag
    if one.is_flag or one.is_column or one.name.lower() in ("bearer", *_HEADLESS):
        return True
    return one.name == "password" and _netrc_before(text, one) is not None


def _netrc_before(text: bytes, one: Assignment) -> re.Match[bytes] | None:
    """Find `machine … login …`, or the part of it that is there."""
    return _NETRC.search(text, max(0, one.start - WINDOW), one.start)


def _values(text: bytes, one: Assignment, hide: Hide, patience: Iterator[int]) -> Iterator[Edit]:
    """Yield the pieces that are values of a name, those that stay as they are too."""
    if one.is_coded:
        yield _coded_edit(text, one, hide)
    elif opening := _OPENING.match(text, one.at):
        string = quoted_at(text, opening.end(), opening[0])
        yield _string_edit(text, string, hide, stays=_is_harmless(text, one, string))
    elif text[one.at : one.at + 1] in (b"{", b"[") and b'"' in one.sign:
        if not _SCHEMA.match(text, one.at) and text[one.at : one.at + 9] != b"[REDACTED":
            depth = depth_of(one.sign.index(b'"'))
            for string in strings_below(text, one.at, depth, patience):
                yield _string_edit(text, string, hide)
    elif span := _bare_value(text, one):
        start, end = span
        secret = text[start:end]
        bare = unquote_to_bytes(secret.replace(b"+", b" ")) if one.is_query else secret
        yield Edit(start, end, secret if is_placeholder(secret) else hide("key", bare))


def _string_edit(text: bytes, string: Quoted, hide: Hide, *, stays: bool = False) -> Edit:
    content = text[string.start : string.end]
    bare = unescaped(content, string.depth + 1)
    by = bare if stays else hide_whole(bare, hide)
    return Edit(string.start, string.end, content if by == bare else by)


def _coded_edit(text: bytes, one: Assignment, hide: Hide) -> Edit:
    end = _CODED_END.search(text, one.at)
    content = text[one.at : end.start() if end else len(text)]
    bare = _decoded(content, one)
    by = hide_whole(bare, hide)
    return Edit(one.at, one.at + len(content), content if by == bare else by)


def _decoded(content: bytes, one: Assignment) -> bytes:
    if one.sign.startswith(b"%"):
        return unquote_to_bytes(content.replace(b"+", b" "))
    return unescape(content.decode("utf-8", "surrogatepass")).encode("utf-8", "surrogatepass")


def _is_harmless(text: bytes, one: Assignment, string: Quoted) -> bool:
    """Say whether this is a word in a sentence or table, or a token of a language model."""
    if one.is_prose or one.is_column:
        return not looks_secret(text[string.start : string.end], one.name)
    return _is_piece_of_text(text, one, string)


def _is_piece_of_text(text: bytes, one: Assignment, string: Quoted) -> bool:
    """Say whether this is a token of a language model, listed with its probability."""
    return one.name == "token" and _LOGPROB.match(text, string.after) is not None


def _bare_value(text: bytes, one: Assignment) -> tuple[int, int] | None:
    """Find a value without quotes, where it looks like a secret."""
    if "cookie" in one.name.lower() and b":" in one.sign:
        found = _COOKIES.match(text, one.at)
        return found.span() if found else None
    if scheme := _SCHEME_AHEAD.match(text, one.at):
        return _credentials(text, one, scheme.end())
    if one.is_query:
        found = _QUERY_RUN.match(text, one.at)
        return found.span() if found else None
    return _whole_run(text, one.at) if _is_secret_run(text, one) else None


def _is_secret_run(text: bytes, one: Assignment) -> bool:
    start = _RUN.match(text, one.at, one.at + WINDOW)
    if not start:
        return False
    netrc = _netrc_before(text, one) if one.sign.isspace() else None
    if one.is_flag or one.is_variable or one.is_element or (netrc and netrc[1]):
        return looks_chosen(start[0])
    return not _CODE_AHEAD.match(text, start.end()) and looks_secret(start[0], one.name)


def _whole_run(text: bytes, at: int) -> tuple[int, int] | None:
    found = _RUN.match(text, at)
    return (at, at + len(found[0].rstrip(b".:") or found[0])) if found else None


def _credentials(text: bytes, one: Assignment, start: int) -> tuple[int, int] | None:
    """Find what follows a scheme of authentication: alone on its line, it is one."""
    found = _RUN.match(text, start, start + WINDOW)
    if not found:
        return None
    is_header = one.name.lower().endswith("authorization") and _LINE_ENDS.match(text, found.end())
    return _whole_run(text, start) if is_header or looks_secret(found[0], one.name) else None
