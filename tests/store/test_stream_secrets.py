"""A secret that a model says in pieces is found, however the stream is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runledger.store.cassette.entry import ModelAnswer, ModelEntry
from runledger.store.cassette.flaws import flaws_in
from runledger.store.cassette.frames import read_frame, written_frame
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import masking_for
from runledger.store.cassette.recording import Recorder

SECRET = "correct7horse-battery"
HALVES = ("correct7horse", "-battery")
STREAM = {"content-type": "text/event-stream"}


def record(file: Path, answer: ModelAnswer, *secrets: str) -> ModelAnswer:
    """Record one answer, and read it back."""
    recorder = Recorder(file, "c.jsonl", masking_for(secrets, "5a17"))
    recorder.keep_model(ModelEntry(0, "POST", "/v1/x", {"n": 1}, answer))
    recorder.commit()
    return load_cassette(file).models[0].answer


def delta(text: str, end: str = "\n") -> bytes:
    """Write an event of Anthropic, its text as it is."""
    said = {"type": "content_block_delta", "index": 0, "delta": {"text": text}}
    data = json.dumps(said, ensure_ascii=False)
    return f"event: content_block_delta{end}data: {data}{end}{end}".encode()


def stream(sign: str, end: str = "\n") -> ModelAnswer:
    """Make a stream that says the secret in two pieces, behind a sign."""
    return ModelAnswer(200, STREAM, (delta(f"it{sign}{HALVES[0]}", end), delta(HALVES[1], end)))


def odd_case() -> ModelAnswer:
    """Make a stream whose type is written as some servers do."""
    return ModelAnswer(200, {"content-type": "Text/Event-Stream; x"}, stream("").frames)


def listed() -> ModelAnswer:
    """Make what Gemini streams to those who did not ask for events: one list."""
    chunks: list[Any] = [
        {"candidates": [{"index": 0, "content": {"parts": [{"text": text}]}}]} for text in HALVES
    ]
    return ModelAnswer(200, {}, (json.dumps(chunks, indent=1).encode(),))


ANSWERS: dict[str, Callable[[], ModelAnswer]] = {
    "U+2028": lambda: stream("\u2028"),
    "U+2029": lambda: stream("\u2029"),
    "U+0085": lambda: stream("\x85"),
    "carriage returns": lambda: stream("", "\r\n"),
    "only carriage returns": lambda: stream("", "\r"),
    "another case of letters": odd_case,
    "a list": listed,
}


@pytest.mark.parametrize("make", ANSWERS.values(), ids=ANSWERS)
def test_no_piece_of_a_known_secret_is_written(
    tmp_path: Path, make: Callable[[], ModelAnswer]
) -> None:
    """Only the format's own line breaks divide an event."""
    file = tmp_path / "c.jsonl"

    record(file, make(), SECRET)

    assert all(half not in file.read_text() for half in HALVES)
    assert flaws_in(file, [SECRET]) == []


@pytest.mark.parametrize("make", ANSWERS.values(), ids=ANSWERS)
def test_lint_finds_what_is_split(tmp_path: Path, make: Callable[[], ModelAnswer]) -> None:
    """It looks at streams as recording does."""
    file = tmp_path / "c.jsonl"
    record(file, make())

    (flaw,) = flaws_in(file, [SECRET])

    assert "split over 2 events" in flaw.what


@pytest.mark.parametrize("make", ANSWERS.values(), ids=ANSWERS)
def test_what_holds_no_secret_stays_byte_for_byte(
    tmp_path: Path, make: Callable[[], ModelAnswer]
) -> None:
    """Taking pieces out and putting them back changes nothing."""
    answer = make()

    assert record(tmp_path / "c.jsonl", answer).frames == answer.frames


def test_other_lines_of_an_event_keep_their_signs() -> None:
    """What is no line break for the format is none when the event is written anew."""
    frame = read_frame('event: a\u2028b\ndata: {"x": 1}\n\n'.encode())

    assert (
        written_frame(frame, {"x": 2}, frame.rest) == 'event: a\u2028b\ndata: {"x":2}\n\n'.encode()
    )
