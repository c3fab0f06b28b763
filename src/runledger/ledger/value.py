"""JSON values, and the lack of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None


class Absent:
    """Stand for a value that is not there, which null is."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()
