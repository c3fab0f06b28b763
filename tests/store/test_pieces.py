"""Secrets that come in pieces reach no disk, and nothing else is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runledger.ledger.clock import Clock
from runledger.ledger.event import Message, Raw
from runledger.ledger.manifest import Manifest
from runledger.ledger.task import Task, Trial
from runledger.store import pieces
from runledger.store.record import RunWriter, begin_record

SECRET = "supersecretvalue12345"
TRIAL = Trial(Task(id="a", input="x"))


@pytest.fixture
def writer(tmp_path: Path) -> RunWriter:
    """Begin a record that knows one secret."""
    manifest = Manifest("r", "s", "live", "now", ())
    return begin_record(tmp_path, manifest, Clock(lambda: 0.0, lambda: 0.0), [SECRET])


def chunk(text: str) -> Raw:
    """Make a message that carries a piece of a text."""
    return Raw("from_agent", {"method": "session/update", "text": text}, text)


def written(tmp_path: Path) -> list[dict[str, object]]:
    """Read the log."""
    return [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]


def say(writer: RunWriter, text: str, size: int) -> None:
    """Note a text in pieces of a size, another message in the middle, and the whole at the end."""
    for start in range(0, len(text), size):
        writer.note(TRIAL, chunk(text[start : start + size]))
        writer.note(TRIAL, Raw("from_agent", {"method": "usage"}))
    writer.note(TRIAL, Message(text))


@pytest.mark.parametrize("size", [1, 4, 7, 100])
def test_the_pieces_of_a_secret_are_hidden(tmp_path: Path, writer: RunWriter, size: int) -> None:
    """Joined again, they do not give it back."""
    say(writer, f"the key is {SECRET}, keep it", size)

    lines = written(tmp_path)
    joined = "".join(str(line["data"].get("text", "")) for line in lines if line["type"] == "raw")  # type: ignore[attr-defined]
    assert SECRET not in joined
    assert "secret" not in joined
    assert lines[-1]["content"] == "the key is [REDACTED], keep it"
    assert [line["seq"] for line in lines] == [*range(1, len(lines) + 1)]


def test_pieces_without_a_secret_stay_as_they_came(tmp_path: Path, writer: RunWriter) -> None:
    """Every message is there, in order."""
    say(writer, "all is well", 3)

    raws = [line["data"] for line in written(tmp_path) if line["type"] == "raw"]
    assert [raw.get("text") for raw in raws] == ["all", None, " is", None, " we", None, "ll", None]  # type: ignore[attr-defined]


def test_a_long_text_is_not_held_back_for_ever(
    tmp_path: Path, writer: RunWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But a secret across the border of what was let go is found all the same."""
    monkeypatch.setattr(pieces, "MOST_HELD", 50)
    monkeypatch.setattr(pieces, "OVERLAP", 30)
    text = "x " * 100 + SECRET + " y" * 100
    for start in range(0, len(text), 3):
        writer.note(TRIAL, chunk(text[start : start + 3]))
    held_back = len(written(tmp_path))
    writer.note(TRIAL, Message("end"))

    assert held_back > 50
    raws = [line["data"] for line in written(tmp_path) if line["type"] == "raw"]
    joined = "".join(str(raw["text"]) for raw in raws)  # type: ignore[index]
    assert len(raws) == len(range(0, len(text), 3))
    assert SECRET not in joined
    assert "supersecr" not in joined
