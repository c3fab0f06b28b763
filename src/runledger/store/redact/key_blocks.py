"""Private keys in PEM, from BEGIN to END or as far as they go when cut off, and those of PuTTY."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .linear import linear
from .placeholder import Hide

_START = rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_LAST_LINES = rb"(?:[A-Za-z0-9+/=]{16,}(?:\s|\\+[nrt])+)+[A-Za-z0-9+/=]*(?:\s|\\+[nrt])*"
_WITHOUT_START = _LAST_LINES + rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_EDGE = re.compile(rb"-----(?:BEGIN|END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)")
_BODY = re.compile(rb"(?:[A-Za-z0-9+/=\s]|\\+[nrt/])*+")

_BREAK = rb"(?:\s|\\+[nrt])++"
_PUTTY = re.compile(
    rb"(Private-Lines:\s*+[0-9]++" + _BREAK + rb")"
    rb"([A-Za-z0-9+/=]++(?:" + _BREAK + rb"[A-Za-z0-9+/=]++(?!-))*+)"  # next is `Private-MAC`
)

KEY_BLOCK_NEEDLES = b"PRIVATE KEY|Private-Lines:"


def hide_key_blocks(content: bytes, hide: Hide) -> bytes:
    """Put placeholders in place of private keys."""
    content = _PUTTY.sub(lambda found: found[1] + hide("putty", found[2]), content)
    if b"PRIVATE KEY" not in content:
        return content
    pieces, done = [], 0
    for start, end in _blocks(content):
        pieces += [content[done:start], hide("pem", content[start:end])]
        done = end
    whole = b"".join([*pieces, content[done:]])
    return linear(_WITHOUT_START).sub(lambda found: hide("pem", found[0]), whole)


def _blocks(content: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while found := linear(_START).search(content, at):
        at = _end(content, found.end())
        yield found.start(), at


def _end(content: bytes, at: int) -> int:
    edge = _EDGE.search(content, at)
    if edge and not edge[0].endswith(b"BEGIN"):
        return edge.end()
    body = _BODY.match(content, at)
    return body.end() if body else at
