"""One side of a comparison, gathered from results: of each trial only its figures are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from ..ledger.captured import Captured, tool_calls
from ..ledger.comparison import Figures, Sample, TaskKey
from ..ledger.fingerprint import fingerprint


def gather(name: str, trials: Iterable[Captured]) -> Sample:
    """Put the trials of each task together; of a trial's attempts the last one counts."""
    gathering = _Gathering()
    for trial in trials:
        gathering.add(trial)
    return Sample(name, gathering.tasks())


class _Gathering:
    """The tasks found so far, and where a run's trials stand, for a later attempt to replace."""

    def __init__(self) -> None:
        self._tasks: dict[TaskKey, list[Figures]] = {}
        self._places: dict[tuple[TaskKey, int], tuple[int, int]] = {}  # attempt, place
        self._judged = False

    def add(self, trial: Captured) -> None:
        """Keep the figures of one more trial."""
        key = TaskKey(trial.id, fingerprint(trial.input))
        found, attempt = self._tasks.setdefault(key, []), trial.line.get("attempt")
        self._judged |= trial.score is not None or trial.line.get("status") == "failed"
        if not isinstance(attempt, int):
            found.append(figures_of(trial))
            return
        earlier, place = self._places.get((key, trial.trial), (attempt, 0))
        if earlier < attempt:
            found[place] = figures_of(trial)
        else:
            place = len(found)
            found.append(figures_of(trial))
        self._places[key, trial.trial] = attempt, place

    def tasks(self) -> dict[TaskKey, tuple[Figures, ...]]:
        """Give all tasks; a run in which nobody judged passed nothing, though it says so."""
        return {key: tuple(map(self._told, found)) for key, found in self._tasks.items()}

    def _told(self, figures: Figures) -> Figures:
        return figures if self._judged else replace(figures, passed=None)


def figures_of(trial: Captured) -> Figures:
    """Keep of a trial what is compared."""
    known = "trajectory" in trial.line
    return Figures(
        passed=trial.passed,
        score=_score(trial),
        answered=_answered(trial),
        duration_ms=_known(trial.duration_ms),
        tokens_in=_known(trial.usage.tokens_in),
        tokens_out=_known(trial.usage.tokens_out),
        cost_usd=_known(trial.usage.cost_usd),
        tool_calls=len(tool_calls(trial)) if known else None,
        tool_errors=_tool_errors(trial) if known else None,
    )


def _score(trial: Captured) -> float | None:
    if trial.passed is None or trial.score is None:
        return None
    return trial.score.score if 0 <= trial.score.score <= 1 else None


def _answered(trial: Captured) -> bool:
    """Say whether an agent came to its end: else its figures speak of a part of the task."""
    if trial.line.get("status") == "error" or _ended(trial).get("timedOut"):
        return False
    return not trial.errors or trial.output not in ("", None)


def _ended(trial: Captured) -> Mapping[str, Any]:
    found = trial.line.get("exitInfo")
    return found if isinstance(found, Mapping) else {}


def _tool_errors(trial: Captured) -> int:
    """Count the calls that failed; one at least where an error shows only in what a tool said."""
    failed = sum(
        step["type"] == "tool_call" and step.get("status") == "failed" for step in trial.trajectory
    )
    return max(failed, int(trial.tool_errors))


def _known(value: Any) -> Any:
    """Give a number that can be reckoned with, or None."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if number and isfinite(value) and value >= 0 else None
