"""What a judge says of one criterion of one output."""

from __future__ import annotations

from dataclasses import dataclass

from .attempt import Slot
from .experiment import Word

CHECK = "check"
"""The judge of criteria that a machine can tell by itself."""

MANUAL = "manual"
"""The judge who fills in a sheet."""


@dataclass(frozen=True, slots=True)
class CriterionVerdict:
    """One verdict; `void` says why it does not count, where it does not."""

    slot: Slot
    attempt: int
    criterion: str
    judge: str
    verdict: Word | None  # None: the judge gave none
    quote: str | None = None
    reasoning: str | None = None
    void: str | None = None
    key: str = ""  # of all that the judge was given; the same question is asked once
