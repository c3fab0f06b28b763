"""What can be told of an experiment before it runs: what it could show, and what it would take."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a plan could show and what it would take; None where nobody knows."""

    most_seconds: float  # if every run took as long as it may, and none were repeated
    smallest_sd: float | None = None  # in standard deviations of the tasks' differences
    smallest_points: float | None = None  # the same in points, by the spread of an earlier run
    spread_from: str | None = None  # the id of that run
    seconds: float | None = None  # as long as the runs of an earlier run took
    cost_usd: float | None = None
    from_run: str | None = None  # the id of that run


@dataclass(frozen=True, slots=True)
class DryCondition:
    """How one condition would be asked a task: all that the agent would be given."""

    name: str
    command: tuple[str, ...]
    directory: str
    prompt: str  # as the agent would get it
    env_names: tuple[str, ...] = ()  # never their values
    note: str | None = None
