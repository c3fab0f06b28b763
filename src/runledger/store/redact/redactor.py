"""The only door out: no secret passes into a record, a view or the console.

Three rules together find secrets: names that tell (`telling`, `assignments`), values known from the
environment (`spelling`), and the shapes of well-known tokens (`token_shapes`). Clean values, nearly
all, cost one scan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import NamedTuple

from ...ledger.value import Json
from ..lines import encode
from .anew import listed, mapped
from .key_blocks import KEY_BLOCK_NEEDLES, hide_key_blocks
from .linear import linear
from .logins import LOGIN_NEEDLES, LOGIN_OPTIONS, hide_login, hide_logins
from .own_names import own_names
from .placeholder import (
    MARK,
    PLACEHOLDER,
    PLAIN,
    Hear,
    Hide,
    forget_marks,
    hide_aloud,
    hide_plainly,
    hide_with,
    is_placeholder,
)
from .quoting import CODED_QUOTE, CODED_SIGN
from .spelling import WRAPPED, WRAPPED_NEEDLE, code_needles, in_code, joined, spelled, unwrapped
from .telling import is_schema, is_telling, is_telling_among, telling_needles
from .token_shapes import hide_shapes, shape_needles
from .urls import URL_NEEDLES, hide_in_urls

MOST_FINDS = 10_000  # each costs some 20 microseconds to judge
MOST_QUOTES = 400_000  # around the texts of one value; each text costs some 3 microseconds
MOST_JOINED = 100  # of known secrets that overlap; hardly any do
MOST_OPTIONS = 50  # between a command and the one that holds a login
ROUNDS = 8  # two are the rule; each hides more, so that they end

_ONE_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_PLAIN_NAME = re.compile(r"[A-Za-z_]{0,32}[0-9]{0,3}")  # no shape of a token has so little
# Grades have `"pass": true` and test runs `PASS: `, neither of which is worth a look.
_QUOTE = rb"(?:\\*[\"']|" + CODED_QUOTE + rb")"
_PASS = (
    rb"pass" + _QUOTE + rb"\s*" + CODED_SIGN + rb"\s*" + _QUOTE + rb"|pass\s*=|(?-i:[Pp]ass\s*[:>])"
)


class Reading(NamedTuple):
    """How to redact a text of a value, all that stands under a telling name, and a name."""

    text: Callable[[str], str]
    secret: Callable[[Json], Json]
    name: Callable[[str], str]


class Redactor:
    """Puts placeholders in place of secrets; with a salt, placeholders that tell them apart."""

    def __init__(
        self, secrets: Iterable[str] = (), *, salt: str | None = None, hear: Hear | None = None
    ) -> None:
        known = {secret for secret in secrets if secret.strip() and not _is_bare_name(secret)}
        known |= {*islice(joined(sorted(known)), MOST_JOINED)}
        self._secrets = sorted(known, key=lambda secret: (-len(secret), secret))
        hide: Hide = hide_plainly if salt is None else hide_with(salt)
        self._hide = hide if hear is None else hide_aloud(hide, hear)
        self._forgets = salt is None

    def value(self, value: Json) -> Json:
        """Redact the texts of a JSON value; the same object comes back when nothing changed."""
        try:
            return self._seen_through(value, encode(value))
        except RecursionError:
            return PLAIN  # too deep to look through

    def suspects(self, value: Json) -> bool:
        """Say whether a value may hold a secret; most do not, at the cost of one scan."""
        try:
            return self._is_suspect(encode(value))
        except RecursionError:
            return True

    def knows(self, text: str) -> bool:
        """Say whether a text may hold a secret that is known, whatever names and shapes tell."""
        return self._knows(text.encode("utf-8", "surrogatepass"))

    def _knows(self, content: bytes) -> bool:
        return bool(self._secrets) and self._known.search(content) is not None

    def text(self, text: str) -> str:
        """Redact a text; the same object comes back when nothing changed."""
        content = text.encode("utf-8", "surrogatepass")
        if not self._is_suspect(content):
            return text
        cleaned = self._hide("text", content) if self._is_crowded(content) else None
        return _text(text, content, cleaned or self._cleaned(content))

    def _seen_through(self, value: Json, content: bytes) -> Json:
        if not self._is_suspect(content):
            return value
        if _quotes(content) > MOST_QUOTES or self._is_crowded(content):
            return self._below(value, Reading(self._whole, self._whole_secret, self._whole_name))
        name = self._name if self._knows(content) else self._unknown_name
        return self._below(value, Reading(self.text, self._secret, name))

    def _whole(self, text: str) -> str:
        """Hide a text as it stands if there may be a secret in it, for want of time to look."""
        content = text.encode("utf-8", "surrogatepass")
        return self._hide("text", content).decode() if self._is_suspect(content) else text

    def _whole_secret(self, value: Json) -> Json:
        """Hide all that stands under a telling name as one, for want of time to look."""
        if isinstance(value, (Mapping, list, tuple)):
            return self._hide("key", encode(value)).decode()
        return self._secret(value)

    def _whole_name(self, name: str) -> str:
        """Hide a name as it stands if it may hold a known secret, for want of time to look."""
        if not self.knows(name) or name in own_names():
            return name
        return self._hide("text", name.encode("utf-8", "surrogatepass")).decode()

    def _name(self, name: str) -> str:
        if self.knows(name):
            return name if name in own_names() else self.text(name)
        return self._unknown_name(name)

    def _unknown_name(self, name: str) -> str:
        """Redact a name that holds no secret that is known."""
        return name if _PLAIN_NAME.fullmatch(name) else self.text(name)

    def _is_crowded(self, content: bytes) -> bool:
        """Say whether there is so much to look at that a hostile agent must have written it."""
        finds = self._suspicion.finditer(content)
        return next(islice(finds, MOST_FINDS, None), None) is not None

    def _is_suspect(self, content: bytes) -> bool:
        return self._suspicion.search(content) is not None

    @cached_property
    def _suspicion(self) -> re.Pattern[bytes]:
        """Match wherever a rule might: texts without a match are clean, also when JSON-escaped."""
        return linear(b"|".join([_suspicion(), *self._needles()]))

    @cached_property
    def _known(self) -> re.Pattern[bytes]:
        """Match wherever a known secret might stand."""
        return linear(b"|".join(self._needles()))

    def _needles(self) -> Iterator[bytes]:
        yield from (form(secret) for secret in self._secrets for form in (spelled, code_needles))
        if self._secrets:
            yield WRAPPED_NEEDLE

    @cached_property
    def _spelled(self) -> re.Pattern[bytes]:
        """Match a known secret in any spelling, the longest of those that begin at one place."""
        return linear(b"|".join([PLACEHOLDER, *map(spelled, self._secrets)]))

    @cached_property
    def _coded(self) -> re.Pattern[bytes]:
        """Match base64 or hexadecimal that holds a known secret."""
        return linear(PLACEHOLDER + b"|" + in_code(self._secrets))

    @cached_property
    def _spellings(self) -> dict[bytes, re.Pattern[bytes]]:
        """Hold a pattern of all spellings of each secret."""
        exact = ((one.encode("utf-8", "surrogatepass"), spelled(one)) for one in self._secrets)
        return {secret: linear(pattern) for secret, pattern in exact}

    def _cleaned(self, content: bytes) -> bytes:
        """Apply the rules until they find nothing: what one hides may show another its secret."""
        for _ in range(ROUNDS):
            found, content = content, self._cleaned_once(content)
            if found == content:
                break
        return content

    def _cleaned_once(self, content: bytes) -> bytes:
        from .assignments import hide_assigned  # most runs have nothing to hide

        content = hide_assigned(self._without_literals(content), self._hide)
        for rule in (hide_logins, hide_in_urls, hide_key_blocks, hide_shapes):
            content = rule(content, self._hide)
        return content

    def _without_literals(self, content: bytes) -> bytes:
        if self._forgets:
            content = forget_marks(content)
        if not self._secrets or not self._known.search(content):
            return content
        content = self._spelled.sub(partial(_hide_literal, self._hide, self._which), content)
        content = linear(WRAPPED).sub(self._hide_wrapped, content)
        return self._coded.sub(partial(_hide_literal, self._hide, bytes), content)

    def _hide_wrapped(self, found: re.Match[bytes]) -> bytes:
        code = unwrapped(found[0])
        return self._hide("env", code) if self._coded.search(code) else found[0]

    def _which(self, found: bytes) -> bytes:
        """Tell which known secret this is a spelling of, where secrets are told apart."""
        if self._forgets or found in self._spellings:
            return found
        return next(one for one, pattern in self._spellings.items() if pattern.fullmatch(found))

    def _below(self, value: Json, read: Reading) -> Json:
        if isinstance(value, str):
            return read.text(value)
        if isinstance(value, Mapping):
            return mapped(value, partial(self._item, value, read), read.name)
        if isinstance(value, (list, tuple)):
            return listed(value, partial(self._element, value, read))
        return value

    def _item(self, whole: Mapping[str, Json], read: Reading, name: str) -> Json:
        item = whole[name]
        tells = _is_secret_in(whole, name) or _tells_now(name, read.name(name))
        if tells and not is_schema(item):
            return read.secret(item)
        return self._below(item, read)

    def _element(self, whole: Sequence[Json], read: Reading, index: int) -> Json:
        item, flag = whole[index], whole[index - 1] if index else None
        if not isinstance(flag, str):
            return self._below(item, read)
        if flag.startswith("--") and is_telling(flag):
            return read.secret(item)
        if flag in LOGIN_OPTIONS:
            of_curl = "curl" in whole[max(0, index - MOST_OPTIONS) : index]
            item = self._login(item, of_curl=of_curl)
        return self._below(item, read)

    def _login(self, value: Json, *, of_curl: bool) -> Json:
        if not isinstance(value, str):
            return value
        content = value.encode("utf-8", "surrogatepass")
        return _text(value, content, hide_login(content, self._hide, of_curl=of_curl))

    def _secret(self, value: Json) -> Json:
        """Hide every text of a value that stands under a telling name."""
        if isinstance(value, str):
            from .assignments import hide_whole

            content = value.encode("utf-8", "surrogatepass")
            return _text(value, content, hide_whole(self._without_literals(content), self._hide))
        if isinstance(value, Mapping):
            return mapped(value, lambda name: self._secret(value[name]), self._name)
        if isinstance(value, (list, tuple)):
            return listed(value, lambda index: self._secret(value[index]))
        return value


@lru_cache(maxsize=1)
def _suspicion() -> bytes:
    names = rb"(?i:" + telling_needles().encode() + rb"|\b(?:basic|ssws)\s|" + _PASS + rb")"
    frames = (URL_NEEDLES, LOGIN_NEEDLES, KEY_BLOCK_NEEDLES)
    return b"|".join([MARK.encode(), names, shape_needles(), *frames])


def _hide_literal(hide: Hide, bare: Callable[[bytes], bytes], found: re.Match[bytes]) -> bytes:
    return found[0] if is_placeholder(found[0]) else hide("env", bare(found[0]))


def _is_bare_name(secret: str) -> bool:
    """Say whether this is `password` or the like: it would be hidden in all names that hold it."""
    return _ONE_WORD.fullmatch(secret) is not None and is_telling(secret)


def _quotes(content: bytes) -> int:
    return content.count(b'"') - content.count(b'\\"')


def _is_secret_in(whole: Mapping[str, Json], name: str) -> bool:
    if is_telling_among(name, whole):
        return not (name == "token" and "logprob" in whole)  # a piece of a model's text
    if name.lower() != "value":
        return False
    named = whole.get("name", whole.get("key", whole.get("Name")))
    return isinstance(named, str) and is_telling(named)


def _tells_now(name: str, shown: str) -> bool:
    """Say whether a name tells of a secret once what it holds itself is hidden."""
    return shown is not name and is_telling(shown)


def _text(text: str, content: bytes, cleaned: bytes) -> str:
    return text if cleaned == content else cleaned.decode("utf-8", "surrogatepass")
