"""The ways in which one known text may be written: escaped, URL-quoted, in base64 or in hex."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator

SHARED = 4  # characters at the end of one text and the beginning of another: fewer are chance

_SIGN = rb"[A-Za-z0-9+/]"
_LINE_BREAK = rb"(?:\r?\n|\\+r\\+n|\\+n)[ \t]*"

# Programs wrap base64 after 60 to 76 signs, where a text may then stand in two lines.
WRAPPED = rb"(?:" + _SIGN + rb"{60,}" + _LINE_BREAK + rb")+" + _SIGN + rb"+={0,2}"

# Its second line, long or a last one, with all that follow: to start at a break is quick, and to
# take all lines keeps long lists of hashes from looking crowded.
WRAPPED_NEEDLE = (
    rb"(?:\n|\\n)[ \t]*(?:" + _SIGN + rb"{20}|" + _SIGN + rb"+=|"
    rb"(?:" + _SIGN + rb"{4}){1,4}(?:[^A-Za-z0-9+/ .,:;!?)-]|$))"
    rb"(?:" + _SIGN + rb"|" + _LINE_BREAK + rb")*"
)

_NAMED_ESCAPES = {"\n": b"n", "\r": b"r", "\t": b"t", "\b": b"b", "\f": b"f"}
_QUOTED = rb"%(?:25)*"  # quoted again, a percent sign is itself %25
_RUN = rb"(?:[A-Za-z0-9+_-]|\\*/|%(?:25)*(?:2[BbFf]|3[Dd]))*"
_BREAK = re.compile(rb"\s|\\+[nr]")
_BASE64_SIGNS = {
    "+": rb"(?:[+-]|%(?:25)*2[Bb])",
    "/": rb"(?:\\*/|_|%(?:25)*2[Ff])",
}


def joined(texts: Iterable[str]) -> Iterator[str]:
    """Yield what two texts make where one ends as the other begins: only one would be found."""
    by_start = defaultdict(list)
    for text in texts:
        by_start[text[:SHARED]].append(text)
    for one in [text for same in by_start.values() for text in same]:
        for at in range(1, len(one) - SHARED + 1):
            for other in by_start.get(one[at : at + SHARED], ()):
                if other != one and len(other) > len(one) - at and other.startswith(one[at:]):
                    yield one[:at] + other


def spelled(text: str) -> bytes:
    """Give a pattern of a text as it is, in JSON escapes of any depth, or URL-quoted."""
    return b"".join(map(_character, text))


def in_code(texts: Iterable[str]) -> bytes:
    """Give a pattern of whole runs of base64, of either alphabet, or hexadecimal with a text."""
    return _RUN + b"(?:" + b"|".join(map(code_needles, texts)) + b")" + _RUN + b"={0,2}"


def code_needles(text: str) -> bytes:
    """Give a pattern of what any base64 or hexadecimal that holds a text must hold."""
    content = text.encode("utf-8", "surrogatepass")
    aligned = (_aligned(content, before) for before in range(3))
    return b"|".join([*aligned, b"(?i:" + content.hex().encode() + b")"])


def unwrapped(lines: bytes) -> bytes:
    """Join the lines of wrapped base64."""
    return _BREAK.sub(b"", lines)


def _character(char: str) -> bytes:
    if char.isascii() and char.isalnum():
        return char.encode()
    content = char.encode("utf-8", "surrogatepass")
    ways = [_raw(char, content), b"(?i:" + _unicode_escape(char) + b")"]
    ways.append(b"(?i:" + b"".join(_QUOTED + b"%02x" % byte for byte in content) + b")")
    if char in _NAMED_ESCAPES:
        ways.append(rb"\\+" + _NAMED_ESCAPES[char])
    if char == " ":
        ways.append(rb"\+")
    return b"(?:" + b"|".join(ways) + b")"


def _raw(char: str, content: bytes) -> bytes:
    if char == "\\":
        return rb"\\+"
    literal = b"".join(rb"\x%02x" % byte for byte in content)
    return rb"\\*" + literal if char in "\"'/" else literal


def _unicode_escape(char: str) -> bytes:
    units = char.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2].hex().encode() for at in range(0, len(units), 2))
    return b"".join(rb"\\+u" + pair for pair in pairs)


def _aligned(content: bytes, before: int) -> bytes:
    """Spell the signs that a content alone decides when so many bytes stand before it."""
    signs = b64encode(bytes(before) + content).decode().rstrip("=")
    first = -(-before * 8 // 6)
    last = (before + len(content)) * 8 // 6
    return b"".join(_BASE64_SIGNS.get(sign, re.escape(sign).encode()) for sign in signs[first:last])
