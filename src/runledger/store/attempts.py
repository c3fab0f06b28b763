"""How an attempt of an experiment is written as a line of results.jsonl, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from ..ledger.attempt import Attempt, Counts, Reported, Slot, Standing
from ..ledger.sound import sound
from ..ledger.usage import Usage
from ..ledger.value import Json

Tried: TypeAlias = tuple[Slot, int]  # a slot, and the number of an attempt at it


def standing_fields(attempt: Attempt) -> dict[str, Json]:
    """Write where an attempt stands, in words of ours."""
    standing: dict[str, Json] = {"state": attempt.standing.state}
    if attempt.standing.cause is not None:
        standing["cause"] = attempt.standing.cause
    return {"round": attempt.round, "place": attempt.place, "standing": standing}


def told_fields(attempt: Attempt) -> dict[str, Json]:
    """Write what is told of an attempt by others, and what was counted."""
    counts, reported = attempt.counts, attempt.reported
    message = attempt.standing.message
    return {
        "standing": {"message": message} if message else {},
        "counts": {
            "toolCalls": counts.tool_calls,
            "filesRead": counts.files_read,
            "turns": counts.turns,
        },
        "reported": {"toolCalls": reported.tool_calls, "filesRead": reported.files_read},
        "model": attempt.model,
        "agentVersion": attempt.version,
    }


def attempt_from(line: Mapping[str, Any]) -> Attempt:
    """Read an attempt from its line of results.jsonl."""
    slot, number = tried_in(line)
    standing, counts, reported = line["standing"], line["counts"], line["reported"]
    timing, usage = line["timing"], line["usage"]
    attempt = Attempt(
        slot=slot,
        number=number,
        round=line["round"],
        place=line["place"],
        standing=Standing(standing["state"], standing.get("cause"), standing.get("message", "")),
        output=line["output"],
        duration_s=(timing["end"] - timing["start"]) / 1000,
        counts=Counts(counts["toolCalls"], counts["filesRead"], counts["turns"]),
        reported=Reported(reported["toolCalls"], reported["filesRead"]),
        usage=Usage(usage["tokensIn"], usage["tokensOut"], usage["costUsd"], line["model"]),
        model=line["model"],
        version=line["agentVersion"],
        timed_out=any(failure["type"] == "timeout" for failure in line["failures"]),
        started_ms=timing["start"],
        errors=tuple(line.get("errors", ())),
        tools=frozenset(_tools_in(line["trajectory"])),
    )
    return sound(attempt)


def _tools_in(steps: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (str(step["name"]) for step in steps if step["type"] == "tool_call")


def tried_in(line: Mapping[str, Any]) -> Tried:
    """Say which attempt a line of results.jsonl is of."""
    return Slot(line["id"], line["condition"], line["trial"]), line["attempt"]
