"""What report.html costs: time and memory to make it from a log of many cases, and its size.

Two logs are made: small traces, and large ones that do not all fit. Eight trials are mixed in each
log as parallel jobs would mix them.

Usage: report.py [CASES]
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

from runledger.compare.rates import summarize
from runledger.ledger.event import (
    FinalOutput,
    Happening,
    TaskStart,
    ToolCall,
    ToolResult,
    fields_of,
)
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.run import Ending, RunRecord, Summary, TrialRow
from runledger.ledger.usage import Tally
from runledger.store.lines import encode
from runledger.store.traces import TraceLog
from runledger.views import html

JOBS = 8


def happenings(number: int, characters: int) -> Iterator[Happening]:
    """Let a case make two calls, with results of a length."""
    yield TaskStart({"q": f"question {number}"})
    for call in ("c1", "c2"):
        yield ToolCall("search", call, {"q": f"question {number}"})
        yield ToolResult(call, True, {"text": f"{number} " * (characters // len(f"{number} "))})
    yield FinalOutput({"answer": number})


def lines_of(number: int, characters: int) -> Iterator[bytes]:
    """Write what happened in a case as lines of the log."""
    place = {"case_id": f"case-{number}", "trial": 1, "attempt": 1}
    for what in happenings(number, characters):
        moment = {"seq": 1, "ts": "2026-02-15T10:15:30.123Z"}
        yield encode({**moment, **place, "type": what.type, **fields_of(what)}) + b"\n"


def write_log(path: Path, cases: int, characters: int) -> None:
    """Write the log of a run of many cases, several at a time."""
    with path.open("wb") as file:
        for first in range(0, cases, JOBS):
            at_once = [lines_of(number, characters) for number in range(first, first + JOBS)]
            file.writelines(line for line in chain(*zip_longest(*at_once)) if line)


def summary_of(cases: int) -> Summary:
    """Add up a run of cases that all passed."""
    ids = [f"case-{number}" for number in range(cases)]
    planned = tuple(PlannedCase(id) for id in ids)
    manifest = Manifest("r", "bench", "replay", "2026-02-15T10:15:30.123Z", planned)
    rows = tuple(TrialRow(id, 1, 1, "passed", Tally(20 + len(id), 2, 0)) for id in ids)
    return summarize(RunRecord(manifest, rows, Ending(wall_ms=1000)))


def measure(name: str, cases: int, characters: int) -> None:
    """Make one report and print what it took."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "run.jsonl")
        write_log(path, cases, characters)
        summary = summary_of(cases)
        start = time.process_time()
        log = TraceLog(path)
        indexed = time.process_time()
        text = html.render(summary, log.of)
        done = time.process_time()
        size = path.stat().st_size
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform == "linux" else 1 << 20
    )
    print(
        f"{name:<6} {cases:,} cases, log {size / 1e6:,.1f} MB: index {indexed - start:.2f} s,"
        f" render {done - indexed:.2f} s, report {len(text) / 1e6:.2f} MB, peak {peak:.0f} MB"
    )


def main() -> None:
    """Measure small traces, then large ones."""
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    measure("small", cases, 40)
    measure("large", cases, 20_000)


if __name__ == "__main__":
    main()
