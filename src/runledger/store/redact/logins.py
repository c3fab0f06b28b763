"""Passwords beside a user's name: `curl -u name:…`, and the answer to a digest challenge."""

from __future__ import annotations

import re
from functools import partial

from .linear import linear
from .looks import looks_chosen, looks_secret
from .placeholder import PLACEHOLDER, Hide, is_placeholder

LOGIN_OPTIONS = frozenset({"-u", "--user", "--proxy-user"})
COMMAND = 1000  # bytes before an option in which its command is looked for

_USER = rb"(?:" + PLACEHOLDER + rb"|[^\s/:@\"'<>\\\[])+"
_PASSWORD = rb"(?:" + PLACEHOLDER + rb"|[^\s\"'\\\[\]])+"
_PAIR = rb"(" + _USER + rb":)(" + _PASSWORD + rb")"
_OPTION = rb"(?:-u|--user|--proxy-user)(?:[ \t=]|\\*[\"']\s*,\s*)\\*[\"']?" + _PAIR
_RESPONSE = rb"\b(?i:response)=\\*\"?([0-9a-f]{32,128})\b"
_WHOLE_PAIR = re.compile(_PAIR)
_CURL = re.compile(rb"\bcurl\b[^\r\n]*\Z")

LOGIN_NEEDLES = _OPTION + b"|" + _RESPONSE


def hide_logins(content: bytes, hide: Hide) -> bytes:
    """Put placeholders in place of the passwords of logins; the users' names stay."""
    content = linear(_OPTION).sub(partial(_without_password, hide), content)
    return linear(_RESPONSE).sub(partial(_without_response, hide), content)


def hide_login(pair: bytes, hide: Hide, *, of_curl: bool) -> bytes:
    """Put a placeholder in place of the password in `name:password`, where it looks like one."""
    found = _WHOLE_PAIR.fullmatch(pair)
    if not found or is_placeholder(found[2]):
        return pair
    # Other programs have `-u 1000:1000` and `--user nobody:nogroup`.
    is_secret = looks_chosen(found[2]) if of_curl else looks_secret(found[2], "password")
    return found[1] + hide("key", found[2]) if is_secret else pair


def _without_password(hide: Hide, found: re.Match[bytes]) -> bytes:
    before = found.string[max(0, found.start() - COMMAND) : found.start()]
    pair = found[1] + found[2]
    by = hide_login(pair, hide, of_curl=_CURL.search(before) is not None)
    return found[0][: -len(pair)] + by


def _without_response(hide: Hide, found: re.Match[bytes]) -> bytes:
    return found[0][: found.start(1) - found.start()] + hide("key", found[1])
