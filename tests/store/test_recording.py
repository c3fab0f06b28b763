"""Writing cassettes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runledger.errors import StoreError
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.value import Json
from runledger.store.cassette.load import Entry, load_cassette
from runledger.store.cassette.masking import Masking
from runledger.store.cassette.recording import Recorder, salt_of


def hide(value: Json) -> Json:
    """Stand in for redaction: hide one word, wherever it is a value of its own."""
    if isinstance(value, dict):
        return {key: hide(item) for key, item in value.items()}
    return "[hidden]" if value == "secret" else value


def masking(salt: str = "5a17") -> Masking:
    """Hide one word with a salt."""
    return Masking(
        salt,
        lambda said: [hide(one) for one in said],
        lambda value: "[hidden]" in json.dumps(value),
    )


def record(file: Path, *pairs: tuple[Json, ToolResult], salt: str = "5a17") -> bytes:
    """Record calls with these arguments and answers, and give what is in the file then."""
    recorder = Recorder(file, "c.jsonl", masking(salt))
    for args, result in pairs:
        recorder.keep(ToolCall("a", result.call_id, args), result)
    recorder.commit()
    return file.read_bytes()


OK = ToolResult("c1", True, 1)


def test_a_line_is_a_tools_call_and_its_answer(tmp_path: Path) -> None:
    """A result is always there, even null; an error only where the tool failed."""
    good, empty = ToolResult("c1", True, {"n": 1}), ToolResult("c2", True, None)
    bad, both = ToolResult("c3", False, None, "oh"), ToolResult("c4", False, [1], {"code": 7})

    content = record(tmp_path / "c.jsonl", ({"q": 1}, good), ({}, empty), ({}, bad), ({}, both))

    assert content.decode().splitlines() == [
        '{"tool":"a","args":{"q":1},"ok":true,"result":{"n":1}}',
        '{"tool":"a","args":{},"ok":true,"result":null}',
        '{"tool":"a","args":{},"ok":false,"result":null,"error":"oh"}',
        '{"tool":"a","args":{},"ok":false,"result":[1],"error":{"code":7}}',
    ]


def test_what_is_written_reads_back_exactly(tmp_path: Path) -> None:
    """Numbers keep their kind and size, texts their halves of pairs, objects their order."""
    odd: Json = {"z": 1, "a": 1.0, "big": 2**70, "half": "\ud800", "é\n": [True, -0.0, 1e300]}
    file = tmp_path / "c.jsonl"
    record(file, (odd, ToolResult("c1", True, odd)))

    (entry,) = load_cassette(file).entries

    assert entry == Entry(1, "a", odd, True, odd)  # type: ignore[arg-type]
    assert repr(entry.args) == repr(odd)


def test_no_calls_make_an_empty_cassette(tmp_path: Path) -> None:
    """A case that calls no tool has one too."""
    assert record(tmp_path / "c.jsonl") == b""


def test_a_header_stands_first_when_there_is_a_placeholder(tmp_path: Path) -> None:
    """Even when only the last entry has one."""
    file = tmp_path / "c.jsonl"
    content = record(file, ({}, OK), ({"key": "secret"}, OK))

    assert content.startswith(b'{"v":1,"kind":"header","salt":"5a17"}\n')
    assert b"secret" not in content
    assert load_cassette(file).salt == "5a17"


def test_without_a_placeholder_there_is_no_header(tmp_path: Path) -> None:
    """Cassettes without secrets stay as simple as they were."""
    assert b"header" not in record(tmp_path / "c.jsonl", ({}, OK))
    assert load_cassette(tmp_path / "c.jsonl").salt is None


def test_nothing_is_written_before_the_commit(tmp_path: Path) -> None:
    """Not even a directory."""
    recorder = Recorder(tmp_path / "deep" / "c.jsonl", "c.jsonl", masking())
    recorder.keep(ToolCall("a", "c1", {}), OK)
    recorder.drop()

    assert list(tmp_path.iterdir()) == []


def test_missing_directories_are_made(tmp_path: Path) -> None:
    """A new case may have its cassette anywhere in the suite."""
    assert record(tmp_path / "deep" / "er" / "c.jsonl", ({}, OK))


def test_nothing_is_left_beside_a_cassette(tmp_path: Path) -> None:
    """The temporary file has become the cassette."""
    record(tmp_path / "c.jsonl", ({}, OK))

    assert [file.name for file in tmp_path.iterdir()] == ["c.jsonl"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file it leads to is the one that is replaced."""
    (tmp_path / "real.jsonl").write_text("")
    (tmp_path / "c.jsonl").symlink_to("real.jsonl")

    content = record(tmp_path / "c.jsonl", ({}, OK))

    assert (tmp_path / "c.jsonl").is_symlink()
    assert (tmp_path / "real.jsonl").read_bytes() == content


def test_an_equal_recording_does_not_touch_the_file(tmp_path: Path) -> None:
    """It stays the very same file."""
    file = tmp_path / "c.jsonl"
    record(file, ({}, OK))
    before = file.stat()

    record(file, ({}, OK))

    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    """A directory that cannot be made is a fault of the store."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match=r"could not make .*file/deep: Not a directory"):
        record(tmp_path / "file" / "deep" / "c.jsonl", ({}, OK))


def test_the_salt_of_a_cassette_is_found(tmp_path: Path) -> None:
    """So that recording anew gives equal placeholders."""
    record(tmp_path / "c.jsonl", ({"key": "secret"}, OK), salt="0ld")

    assert salt_of(tmp_path / "c.jsonl") == "0ld"


@pytest.mark.parametrize(
    "content",
    ["", "\n", "nonsense", '{"tool":"a","args":{},"ok":true,"result":1}', '{"v":1,"salt":7}', "[]"],
)
def test_a_cassette_without_a_salt_has_none(tmp_path: Path, content: str) -> None:
    """Broken ones can be recorded anew all the same."""
    (tmp_path / "c.jsonl").write_text(content)

    assert salt_of(tmp_path / "c.jsonl") is None
    assert salt_of(tmp_path / "missing.jsonl") is None


def test_a_salt_is_found_in_a_cassette_that_is_torn(tmp_path: Path) -> None:
    """Only the first line is looked at."""
    (tmp_path / "c.jsonl").write_text('{"v":1,"kind":"header","salt":"5a17"}\n{"tool":')

    assert salt_of(tmp_path / "c.jsonl") == "5a17"
