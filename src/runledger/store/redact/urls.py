"""Secrets in addresses: the password before a host, and signatures that make an address a key."""

from __future__ import annotations

import re
from functools import partial
from urllib.parse import unquote_to_bytes

from .linear import linear
from .placeholder import PLACEHOLDER, Hide, is_placeholder

_USER = rb"(?:" + PLACEHOLDER + rb"|[^\s/:@\"'<>\\\[])*"
_PASSWORD = rb":(?:\\*/){2}" + _USER + rb":([^\s/\"'<>\\]+)@"
_SIGNATURE = rb"[?&](?i:sig|signature|x-amz-signature|x-goog-signature)=([A-Za-z0-9%+/_-]{20,}=*)"
_PORT = re.compile(rb"[0-9]{1,5}[?#]")

URL_NEEDLES = _PASSWORD + b"|" + _SIGNATURE


def hide_in_urls(content: bytes, hide: Hide) -> bytes:
    """Put placeholders in place of the secrets in addresses; the rest of them stays."""
    for pattern in (_PASSWORD, _SIGNATURE):
        content = linear(pattern).sub(partial(_hidden, hide), content)
    return content


def _hidden(hide: Hide, found: re.Match[bytes]) -> bytes:
    secret = found[1]
    if is_placeholder(secret) or _PORT.match(secret):
        return found[0]
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + hide("url", unquote_to_bytes(secret)) + found[0][end:]
