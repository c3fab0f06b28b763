"""Choose a few of many trials: the same ones of the same file, from as many tasks as can be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from ..ledger.captured import Captured
from ..ledger.fingerprint import fingerprint

SPARE = 64  # trials that are held before the least likely ones are let go

Held: TypeAlias = tuple[str, Captured]


def sample_of(trials: Iterable[Captured], size: int) -> list[Captured]:
    """Choose trials by their content: one of each task, then a second of each, and so on.

    Only a few are held at a time: one that falls behind never comes forward again.
    """
    held: list[Held] = []
    for trial in trials:
        held.append((_lot(trial), trial))
        if len(held) >= size + SPARE:
            held = _foremost(held, size)
    return [trial for _, trial in _foremost(held, size)]


def _lot(trial: Captured) -> str:
    """Draw a trial's place by what it says, so that equal files give equal samples."""
    return fingerprint([trial.id, trial.trial, trial.input, trial.output])


def _foremost(held: Iterable[Held], size: int) -> list[Held]:
    seen: defaultdict[str, int] = defaultdict(int)
    ranked: list[tuple[int, int, Held]] = []
    for place, one in enumerate(sorted(held, key=lambda one: one[0])):
        ranked.append((seen[one[1].id], place, one))
        seen[one[1].id] += 1
    return [one for _, _, one in sorted(ranked, key=lambda rank: rank[:2])[:size]]
