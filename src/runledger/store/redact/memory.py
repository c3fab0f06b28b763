"""The secrets of a run, and those that show themselves while a trial goes on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ...ledger.value import Json
from .environment import affordable, secrets_below
from .redactor import Redactor

_NOTHING: frozenset[str] = frozenset()


class Memory:
    """Takes secrets out; what once stood under a telling name is known for the rest of its trial.

    So a token that a tool gave out as `session_token` is hidden in the prose that follows, too.
    Names that the suite's author gave are no secrets, whatever an agent tells.
    """

    def __init__(self, secrets: Iterable[str] = (), names: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        self._names = tuple(names)
        self._redactor = Redactor(self._secrets)
        self._told: dict[Hashable, frozenset[str]] = {}
        self._redactors: dict[Hashable, Redactor] = {}

    def clean(self, value: Json, trial: Hashable = None) -> Json:
        """Take the secrets out of a value, and remember those that it tells, if it is a trial's."""
        redactor = self._redactors.get(trial, self._redactor)
        if not redactor.suspects(value):
            return value
        if trial is not None and self._learns(value, trial):
            redactor = self._redactors[trial] = Redactor(self._secrets | self._told[trial])
        return redactor.value(value)

    def _learns(self, value: Json, trial: Hashable) -> bool:
        """Remember what a value tells; say whether that is anything new."""
        known = self._told.get(trial, _NOTHING)
        new = {one for one in secrets_below([value]) if not self._is_named(one)} - self._secrets
        self._told[trial] = frozenset(affordable(known | new))  # over all that a trial tells
        return self._told[trial] != known

    def _is_named(self, told: str) -> bool:
        return any(told in name for name in self._names)

    def knows(self, text: str, trial: Hashable) -> bool:
        """Say whether a text may hold a secret that is known by now."""
        return self._redactors.get(trial, self._redactor).knows(text)

    def forget(self, trial: Hashable) -> None:
        """Let go of what a trial told, once it has ended."""
        self._told.pop(trial, None)
        self._redactors.pop(trial, None)
