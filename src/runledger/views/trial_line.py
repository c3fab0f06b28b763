"""The line of a prompt that was tried several times: its trials, and what they come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..compare.estimates import estimates_of, seed_fields
from ..ledger.captured import Captured, captured_from
from ..ledger.grade import score_fields
from ..ledger.value import Json

KEPT = ("toolErrors", "toolErrorsDerived", "errors", "outcome", "usage", "exitInfo")
HEAD, TAIL = ("id", "input", "expected"), ("metadata",)


def trial_line(results: Sequence[Mapping[str, Any]], k: int) -> dict[str, Json]:
    """Make the line of a prompt from the results of its trials, in the order of their numbers."""
    ordered = sorted(results, key=lambda result: int(result["trial"]))
    return trials_line(ordered[0], [entry_of(result) for result in ordered], k)


def trials_line(
    head: Mapping[str, Json], entries: Sequence[Mapping[str, Json]], k: int
) -> dict[str, Json]:
    """Make the line of a prompt from its trials, each as the line will hold it."""
    judged = [bool(entry["pass"]) for entry in entries if "pass" in entry]
    line: dict[str, Json] = {name: head[name] for name in HEAD if name in head}
    line |= {"k": k, **seed_fields(len(judged), sum(judged), k), "trials": list(entries)}
    line |= {"estimates": estimates_of(len(judged), sum(judged))} if judged else {}
    return line | {name: head[name] for name in TAIL if name in head}


def entry_of(result: Mapping[str, Any]) -> dict[str, Json]:
    """Write one trial's result as an entry of its prompt's line."""
    (captured,) = captured_from(result)
    entry: dict[str, Json] = {
        "trialNum": captured.trial,
        "output": captured.output,
        "trajectory": list(captured.trajectory),
        "duration": captured.duration_ms,
    }
    entry |= _judged(captured)
    return entry | {name: result[name] for name in KEPT if name in result}


def _judged(captured: Captured) -> dict[str, Json]:
    score = captured.score
    if score is None:
        return {}
    return score_fields(score.passed, score.score, score.reasoning)
