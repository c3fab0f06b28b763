"""What stands where a secret stood: `[REDACTED]`, or a mark that tells secrets apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from ...ledger.value import Json, map_texts, texts_in

Hide: TypeAlias = Callable[[str, bytes], bytes]
"""Make the placeholder of a secret, given its kind and its bare text."""

Hear: TypeAlias = Callable[[str, bytes], None]
"""Be told of a secret that is hidden, by its kind and its bare text."""

PLAIN = "[REDACTED]"
MARK = r"\[REDACTED:[a-z0-9-]{1,40}:[0-9a-f]{8}\]"
PLACEHOLDER = rb"\[REDACTED(?::[a-z0-9-]{1,40}:[0-9a-f]{8})?\]"

_MARK = re.compile(MARK)
_MARK_BYTES = re.compile(MARK.encode())
_PLACEHOLDER = re.compile(PLACEHOLDER)
_BREAKS = re.compile(rb"\s|\\+[nrt]")


def hide_plainly(kind: str, secret: bytes) -> bytes:
    """Make the placeholder that says nothing about a secret."""
    return PLAIN.encode()


def hide_with(salt: str) -> Hide:
    """Make placeholders by which equal secrets stay equal and different ones different."""
    return partial(_marked, _keyed(salt))


def hide_aloud(hide: Hide, hear: Hear) -> Hide:
    """Make placeholders, and tell of each secret that one is made for."""

    def told(kind: str, secret: bytes) -> bytes:
        hear(kind, secret)
        return hide(kind, secret)

    return told


def is_placeholder(text: bytes) -> bool:
    """Say whether a text is one placeholder and nothing else."""
    return _PLACEHOLDER.fullmatch(text) is not None


def without_placeholders(text: bytes) -> bytes:
    """Leave the placeholders out of a text."""
    return _PLACEHOLDER.sub(b"", text)


def forget_marks(text: bytes) -> bytes:
    """Put the plain placeholder in place of those that tell secrets apart."""
    return _MARK_BYTES.sub(PLAIN.encode(), text)


def comparable(value: Json) -> Json:
    """Leave out of placeholders by which rule a secret was found: only the secret is compared."""
    return map_texts(value, _without_kinds)


def hashes_in(value: Json) -> Iterator[str]:
    """Yield the hashes of the salted placeholders that a value holds."""
    for text in texts_in(value):
        yield from (mark[-9:-1] for mark in _MARK.findall(text))


def holds_placeholder(value: Json) -> bool:
    """Say whether a value holds a placeholder that was made with a salt."""
    return any(PLAIN[:-1] in text and _MARK.search(text) for text in texts_in(value))


def hash_with(salt: str) -> Callable[[bytes], str]:
    """Make the function that gives the hash by which a placeholder knows its secret."""
    return partial(_short, _keyed(salt))


def comparable_mark(short: str) -> str:
    """Write the placeholder of a hash as it is compared."""
    return f"[REDACTED:{short}]"


def _keyed(salt: str) -> Callable[[bytes], bytes]:
    from hmac import digest  # only cassettes pay for it

    return partial(digest, salt.encode("utf-8", "surrogatepass"), digest="sha256")


def _short(keyed: Callable[[bytes], bytes], secret: bytes) -> str:
    return keyed(_bare(secret)).hex()[:8]


def _marked(keyed: Callable[[bytes], bytes], kind: str, secret: bytes) -> bytes:
    return f"[REDACTED:{kind}:{_short(keyed, secret)}]".encode()


def _without_kinds(text: str) -> str:
    return _MARK.sub(_without_kind, text) if PLAIN[:-1] in text else text


def _bare(secret: bytes) -> bytes:
    """Leave out how the lines of a key block are broken: it is copied with and without breaks."""
    return _BREAKS.sub(b"", secret) if secret.lstrip().startswith(b"-----BEGIN") else secret


def _without_kind(found: re.Match[str]) -> str:
    return comparable_mark(found[0][-9:-1])
