"""How the ending of a trial is written as a line of the event log, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ledger.grade import Failure
from ..ledger.run import TrialRow
from ..ledger.sound import sound
from ..ledger.trajectory import CassetteUse, Exit
from ..ledger.usage import Tally, Usage
from ..ledger.value import Json

STDERR_CHARS = 4096


def row_fields(row: TrialRow) -> dict[str, Json]:
    """Write the ending of a trial; its failures are events of their own."""
    fields: dict[str, Json] = {
        "status": row.status,
        "answered": row.answered,
        "wall_ms": row.tally.wall_ms,
        "tool_calls": row.tally.tool_calls,
        "tool_errors": row.tally.tool_errors,
        "tool_calls_by_name": row.tool_calls_by_name,
        "tokens_in": row.tally.usage.tokens_in,
        "tokens_out": row.tally.usage.tokens_out,
        "cost_usd": row.tally.usage.cost_usd,
        "leaky": row.exit.leaky,
        "cassette": _cassette_fields(row.cassette),
        "exit": {
            "code": row.exit.code,
            "signal": row.exit.signal,
            "timed_out": row.exit.timed_out,
            "stop_reason": row.exit.stop_reason,
            "stderr": row.exit.stderr,
        },
    }
    return fields | {"unjudged": list(row.unjudged)} if row.unjudged else fields


def row_from(event: Mapping[str, Any], failures: tuple[Failure, ...]) -> TrialRow:
    """Read the ending of a trial from its line."""
    usage = Usage(event["tokens_in"], event["tokens_out"], event["cost_usd"])
    ended, cassette = event["exit"], event["cassette"]
    row = TrialRow(
        case_id=event["case_id"],
        trial=event["trial"],
        attempt=event["attempt"],
        status=event["status"],
        tally=Tally(event["wall_ms"], event["tool_calls"], event["tool_errors"], usage),
        answered=event["answered"],
        tool_calls_by_name=event["tool_calls_by_name"],
        failures=failures,
        cassette=cassette and _use_from(cassette),
        exit=Exit(**{**ended, "stderr": _needed(event)}, leaky=event["leaky"]),
        unjudged=tuple(event.get("unjudged", ())),
    )
    return sound(row)


def _needed(event: Mapping[str, Any]) -> str:
    """Give the end of what an agent in error wrote; of the others no view shows it."""
    return event["exit"]["stderr"][-STDERR_CHARS:] if event["status"] == "error" else ""


def failure_from(fields: Mapping[str, Any]) -> Failure:
    """Read a failure as every file shows it."""
    return Failure(fields["type"], fields["message"], fields["details"])


def _cassette_fields(use: CassetteUse | None) -> Json:
    if use is None:
        return None
    fields: dict[str, Json] = {
        "path": use.path,
        "sha256": use.sha256,
        "entries": use.entries,
        "used": use.used,
        "unused": use.unused,
        "overridden": list(use.overridden),
        "warn_unused": use.warn_unused,
    }
    return fields | {"left": list(use.left)} if use.left else fields


def _use_from(fields: Mapping[str, Any]) -> CassetteUse:
    lists = {"overridden": tuple(fields["overridden"]), "left": tuple(fields.get("left", ()))}
    return CassetteUse(**{**fields, **lists})
