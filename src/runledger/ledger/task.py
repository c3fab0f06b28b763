"""What an agent is asked, and one asking of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .assertion import Assertion
from .criterion import Criterion
from .proxy import Fault
from .usage import Limits
from .value import Json


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is asked, and how the answer will be judged."""

    id: str
    input: Json
    expected: Json = None
    description: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    cassette: str | None = None  # relative to the suite's directory
    assertions: tuple[Assertion, ...] = ()
    limits: Limits = Limits()
    reference: Json = None  # an answer known to be good, to try graders on
    criteria: tuple[Criterion, ...] = ()  # what judges look for, in experiments
    faults: tuple[Fault, ...] = ()  # that are put in on purpose
    timeout_ms: int | None = None  # how long it may take; a limit in `limits` is a budget, too


@dataclass(frozen=True, slots=True)
class Trial:
    """One task, one condition, one repetition."""

    task: Task
    number: int = 1
    attempt: int = 1
    condition: str | None = None
    repeated: bool = False  # there are others like it, so that ids of steps name its number
