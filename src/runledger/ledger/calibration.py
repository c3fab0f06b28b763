"""What a person is given to check a grader by: failing answers, and what was said of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .captured import Captured
from .grade import Grade


@dataclass(frozen=True, slots=True)
class Review:
    """One answer that failed, and what a second grader says of it."""

    captured: Captured
    second: Grade | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A sample of what failed in a results file."""

    seen: int  # trials in the file
    failing: int  # of them failed, or were not judged for an error
    reviews: Sequence[Review]
    grader: str | None = None  # the second one
