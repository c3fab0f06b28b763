"""Where the programs of tools run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..process.supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Workplace:
    """Who starts them, and where; they are the user's own, and get the caller's variables."""

    supervisor: Supervisor
    directory: str
    env: Mapping[str, str]
