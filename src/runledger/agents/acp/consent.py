"""The answer to an agent that asks for permission, in ACP's words."""

from __future__ import annotations

from collections.abc import Mapping

from ...ledger.permission import Decision
from ...ledger.value import Json
from .shapes import as_list, text_at

CANCELLED: Json = {"outcome": {"outcome": "cancelled"}}

_FITTING: Mapping[Decision, tuple[str, ...]] = {
    "allow": ("allow_once", "allow_always"),  # once is enough: the next time we are asked again
    "reject": ("reject_once", "reject_always"),
}


def consent(decision: Decision, options: Json) -> Json:
    """Choose the option of the right kind, whatever its id; where there is none, cancel."""
    for kind in _FITTING[decision]:
        for option in as_list(options):
            if text_at(option, "kind") == kind:
                return {"outcome": {"outcome": "selected", "optionId": text_at(option, "optionId")}}
    return CANCELLED
