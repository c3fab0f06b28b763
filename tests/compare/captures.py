"""Results to compare: short ways to write trials down."""

from __future__ import annotations

from typing import Any

from runledger.compare.captures import gather
from runledger.ledger.captured import captured_from
from runledger.ledger.comparison import Sample


def result(id: str, passed: bool | None = None, ms: int = 1000, **more: Any) -> dict[str, Any]:
    """Make one line of a capture; `score` is 1 or 0 unless told otherwise."""
    line: dict[str, Any] = {
        "id": id,
        "input": f"do {id}",
        "output": "done",
        "trajectory": [],
        "metadata": {},
        "timing": {"start": 5000, "end": 5000 + ms},
        "toolErrors": False,
    }
    if passed is not None:
        line["score"] = {"pass": passed, "score": float(passed)}
    return {**line, **more}


def call(status: str = "completed") -> dict[str, Any]:
    """Make a step of a trajectory that is a tool call."""
    return {"type": "tool_call", "name": "Read", "status": status, "timestamp": 1}


def sample(name: str, *lines: dict[str, Any]) -> Sample:
    """Gather lines as a results file would be."""
    return gather(name, (trial for line in lines for trial in captured_from(line)))
