"""Whatever the record of a run holds, every view of it can be made, or the record is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.effort import MORE_BRIEFLY
from fuzz.mutations import Draw, changed, edited, written
from fuzz.refusals import check_words
from fuzz.scratch import ROOT, put, scratch
from runledger.errors import UsageError
from runledger.harness.derive import derive_views
from runledger.ledger.value import Json
from runledger.views import github, markdown, terminal

SUITE = ROOT / "examples" / "evals" / "regression"  # some of its cases fail, with their reasons


@cache
def run() -> Path:
    """Make one run, whose record is then changed."""
    folder = scratch("record")
    words = [sys.executable, "-m", "runledger", "run", str(SUITE), "-q"]
    subprocess.run(words, cwd=folder, capture_output=True, check=False)
    (made,) = folder.glob(".agentci/runs/*/*")
    return made


@cache
def original(name: str) -> bytes:
    """Give a file of the run as it was made."""
    return (run() / name).read_bytes()


@cache
def logged() -> list[Json]:
    """Give the lines of the run's log."""
    return [json.loads(line) for line in original("run.jsonl").splitlines()]


@st.composite
def logs(draw: Draw) -> bytes:
    """Give the log with one or two of its lines changed, gone or moved."""
    lines = [*map(written, logged())]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        lines[at : at + draw(st.integers(0, 1))] = [written(draw(changed(logged())))]
    return b"\n".join(lines) + b"\n"


MANIFESTS = st.deferred(
    lambda: (
        st.just(original("manifest.json"))
        | changed([json.loads(original("manifest.json"))]).map(written)
        | edited([original("manifest.json")])
    )
)
LOGS = st.deferred(lambda: logs() | edited([original("run.jsonl")]))


@MORE_BRIEFLY
@given(MANIFESTS, LOGS)
def test_a_record_is_refused_or_every_view_of_it_can_be_made(manifest: bytes, log: bytes) -> None:
    """What `runledger report` reads, it shows: files that parse, and texts that can be printed."""
    put(run() / "manifest.json", manifest)
    put(run() / "run.jsonl", log)
    try:
        summary = derive_views(run())
    except UsageError as error:
        check_words(error)
        return
    json.loads((run() / "summary.json").read_bytes())
    ElementTree.fromstring((run() / "junit.xml").read_bytes())
    (run() / "report.html").read_bytes().decode()
    for render in (terminal.render, markdown.render, github.render):
        render(summary).encode()


@pytest.mark.parametrize("ts", ["x" * 5000, "2026"])
def test_the_words_of_a_stranger_are_told_in_short(ts: str) -> None:
    """A record is refused in a few words, however long what stands in it is."""
    event = {**dict(logged()[1]), "ts": ts}  # type: ignore[arg-type]
    put(run() / "manifest.json", original("manifest.json"))
    put(run() / "run.jsonl", b"\n".join([written(event), *map(written, logged()[2:])]))

    with pytest.raises(UsageError, match=r"run\.jsonl:1: this is no event of a run: .{1,300}$"):
        derive_views(run())


def test_a_line_of_a_record_may_be_as_deep_as_it_likes() -> None:
    """Lines with large numbers are read by a reader that recurses; that is no traceback either."""
    deep = b'{"type":"case_end","a":' + b"[" * 100_000 + b"9" * 20 + b"]" * 100_000 + b"}\n"
    put(run() / "manifest.json", original("manifest.json"))
    put(run() / "run.jsonl", deep)

    with pytest.raises(UsageError, match=r"run\.jsonl:1: this is no event of a run"):
        derive_views(run())
