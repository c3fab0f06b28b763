"""runs/<task>-<condition>.md: what the agent answered, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ...ledger.attempt import Attempt, Slot
from ...ledger.findings import BenchRecord
from ...ledger.printable import escape_controls, escape_json
from ...ledger.settled import settled_in
from ...ledger.value import Json
from .words import seconds


def answer_files(record: BenchRecord) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of a file for every run that counts."""
    counting = settled_in(record).counting
    for slot, attempt in sorted(counting.items()):
        yield file_name(slot), render(attempt)


def file_name(slot: Slot) -> str:
    """Name the file of a run's answer; of several trials, the first has the plain name."""
    trial = f"-t{slot.trial}" if slot.trial > 1 else ""
    return f"{slot.task_id}-{slot.condition}{trial}.md"


def render(attempt: Attempt) -> str:
    """Write an answer as the agent gave it; of a run that timed out, say that it did."""
    ended = f"<!-- timed out after {seconds(attempt.duration_s)} -->\n"
    answer = _answer(attempt.output)
    return ended + answer if attempt.timed_out else answer


def _answer(output: Json) -> str:
    text = escape_controls(output) if isinstance(output, str) else _json(output)
    return text if not text or text.endswith("\n") else text + "\n"


def _json(output: Json) -> str:
    """Write what is no text so that people can read it and programs still can."""
    text = escape_json(json.dumps(output, ensure_ascii=False, indent=2))
    return text.encode("utf-8", "backslashreplace").decode()  # \udc80 is JSON's escape too
