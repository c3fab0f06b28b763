"""What stands where a secret stood: `[REDACTED]`, or a mark that tells secrets apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from ...ledger.value import Json

Hide: TypeAlias = Callable[[str, bytes], bytes]
"""Make the placeholder of a secret, given its kind and its bare text."""

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
    from hmac import digest  # only cassettes pay for it

    keyed = partial(digest, salt.encode("utf-8", "surrogatepass"), digest="sha256")
    return partial(_marked, keyed)


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
    if isinstance(value, str):
        return _MARK.sub(_without_kind, value) if PLAIN[:-1] in value else value
    if isinstance(value, Mapping):
        return {name: comparable(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [comparable(item) for item in value]
    return value


def holds_placeholder(value: Json) -> bool:
    """Say whether a value holds a placeholder that was made with a salt."""
    if isinstance(value, str):
        return PLAIN[:-1] in value and _MARK.search(value) is not None
    if isinstance(value, Mapping):
        return any(map(holds_placeholder, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_placeholder, value))


def _marked(keyed: Callable[[bytes], bytes], kind: str, secret: bytes) -> bytes:
    return f"[REDACTED:{kind}:{keyed(_bare(secret)).hex()[:8]}]".encode()


def _bare(secret: bytes) -> bytes:
    """Leave out how the lines of a key block are broken: it is copied with and without breaks."""
    return _BREAKS.sub(b"", secret) if secret.lstrip().startswith(b"-----BEGIN") else secret


def _without_kind(found: re.Match[str]) -> str:
    return f"[REDACTED:{found[0][-9:-1]}]"
