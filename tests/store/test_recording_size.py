"""What a recording weighs, in memory and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runledger.errors import TrialFault
from runledger.store.cassette.entry import ModelAnswer, ModelEntry
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.cassette.weight import MOST_BYTES

MIB = 1 << 20


def recorder_of(file: Path) -> Recorder:
    """Make the recorder of a trial."""
    return Recorder(file, "c.jsonl", masking_for((), "00"))


def asked(body: Any, status: int = 200, content: bytes = b"ok") -> ModelEntry:
    """Make a request and its answer."""
    return ModelEntry(0, "POST", "/v1/responses", body, ModelAnswer(status, {}, (content,)))


def test_equal_requests_without_a_list_of_messages_stand_once(tmp_path: Path) -> None:
    """A text as `input` is a part of a request like any other."""
    file = tmp_path / "c.jsonl"
    recorder = recorder_of(file)
    bodies = [{"model": "m", "input": "a long text " * 3000}] * 10
    for body in bodies:
        recorder.keep_model(asked(body))
    recorder.commit()

    assert file.stat().st_size < 40_000
    assert [one.body for one in load_cassette(file).models] == bodies


def test_a_conversation_weighs_what_it_added(tmp_path: Path) -> None:
    """Each request repeats all before it, which is held once: a long session is no large one."""
    recorder = recorder_of(tmp_path / "c.jsonl")
    messages = [{"role": "user", "content": f"{n} " + "x" * MIB} for n in range(20)]
    bodies = [{"messages": messages[: n + 1], "system": "y" * MIB} for n in range(20)]

    for body in bodies:
        recorder.keep_model(asked(body))

    assert sum(len(str(body)) for body in bodies) > 3 * MOST_BYTES
    assert recorder.commit().entries == 20


@pytest.mark.parametrize("part", ["body", "answer"])
def test_more_than_the_cap_is_refused(tmp_path: Path, part: str) -> None:
    """Requests and answers are weighed together."""
    recorder = recorder_of(tmp_path / "c.jsonl")
    half = b"x" * (MOST_BYTES // 2)
    recorder.keep_model(asked({"n": 1}, content=half))
    more = asked(half.decode()) if part == "body" else asked({"n": 2}, content=half)

    with pytest.raises(TrialFault, match="over 64 MiB") as refused:
        recorder.keep_model(more)

    assert refused.value.kind == "message_too_large"


@pytest.mark.parametrize("status", [101, 199, 600, 999])
def test_a_status_that_could_not_be_read_back_is_refused(tmp_path: Path, status: int) -> None:
    """Before it is in the way of all others."""
    recorder = recorder_of(tmp_path / "c.jsonl")

    with pytest.raises(TrialFault, match=f"the status {status}"):
        recorder.keep_model(asked({}, status))
