"""The secrets of a run, and those that show themselves while a trial goes on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...ledger.value import Json
from .environment import secrets_below
from .redactor import Redactor


class Memory:
    """Takes secrets out; what once stood under a telling name is known for the rest of its trial.

    So a token that a tool gave out as `session_token` is hidden in the prose that follows, too.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        self._redactor = Redactor(self._secrets)
        self._known: dict[Hashable, frozenset[str]] = {}
        self._redactors: dict[Hashable, Redactor] = {}

    def clean(self, value: Json, trial: Hashable = None) -> Json:
        """Take the secrets out of a value, and remember those that it tells, if it is a trial's."""
        redactor = self._redactors.get(trial, self._redactor)
        if not redactor.suspects(value):
            return value
        known = self._known.get(trial, self._secrets)
        told = known.union(secrets_below([value])) if trial is not None else known
        if len(told) > len(known):
            self._known[trial] = told
            redactor = self._redactors[trial] = Redactor(told)
        return redactor.value(value)

    def knows(self, text: str, trial: Hashable) -> bool:
        """Say whether a text may hold a secret that is known by now."""
        return self._redactors.get(trial, self._redactor).knows(text)

    def forget(self, trial: Hashable) -> None:
        """Let go of what a trial told, once it has ended."""
        self._known.pop(trial, None)
        self._redactors.pop(trial, None)
