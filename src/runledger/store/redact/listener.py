"""Secrets that show themselves in what is said, and are known from then on wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...ledger.value import Json
from .environment import affordable, is_worth_knowing, secrets_below
from .looks import looks_secret
from .redactor import Redactor

_TOLD_IN_TEXTS = frozenset({"key", "url"})  # a token is known by its shape wherever it stands
_NOT_ITSELF = re.compile(rb"[$<{\[(%]|.*(?:\s|\[REDACTED)", re.DOTALL)  # `${TOKEN}`, a sentence


def secrets_told(said: Iterable[Json]) -> tuple[str, ...]:
    """Find the secrets that values tell of, so that they are known wherever else they stand."""
    listener = Listener((), salt="")
    for value in said:
        listener.value(value)
    return affordable(listener.heard)


class Listener:
    """Takes secrets out, and hears those that names tell of: in values, and inside of texts.

    What is heard is known only when it was learned, so that all that belongs together can be looked
    at with the same knowledge.
    """

    def __init__(self, secrets: Iterable[str], salt: str) -> None:
        self._secrets = frozenset(secrets)
        self._salt = salt
        self._told: frozenset[str] = frozenset()
        self.heard: set[str] = set()  # and not learned yet
        self._redactor = self._made()

    def value(self, value: Json) -> Json:
        """Take out of a value what is known or shows itself, and remember what it tells."""
        if self._redactor.suspects(value):
            self.heard.update(secrets_below([value]))
        return self._redactor.value(value)

    def hear(self, secret: str) -> None:
        """Be told of a secret."""
        if is_worth_knowing(secret):
            self.heard.add(secret)

    def learn(self) -> bool:
        """Know from now on what was heard; say whether that is more than before."""
        told = frozenset(affordable(self._told | self.heard - self._secrets))
        self.heard.clear()
        if told <= self._told:
            return False
        self._told = told
        self._redactor = self._made()
        return True

    def _made(self) -> Redactor:
        return Redactor((*self._secrets, *self._told), salt=self._salt, hear=self._overhear)

    def _overhear(self, kind: str, secret: bytes) -> None:
        """Hear what a name tells of in a text, where it looks like a secret by itself."""
        if kind not in _TOLD_IN_TEXTS or _NOT_ITSELF.match(secret):
            return
        if looks_secret(secret, "password"):
            self.hear(secret.decode("utf-8", "surrogatepass"))
