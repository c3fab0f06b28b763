"""Whether an experiment may stop before its plan's end."""

from __future__ import annotations

from ..ledger.findings import BenchRecord
from .e_value import e_value
from .experiment.early import sequential_findings
from .experiment.sides import outcomes_of

__all__ = ["decided_early", "e_value"]


def decided_early(record: BenchRecord) -> bool:
    """Say whether every condition's wins and losses so far settle whether it is better."""
    found = sequential_findings(outcomes_of(record))
    return bool(found) and all(one.decided for one in found)
