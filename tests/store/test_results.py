"""Results files read back."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import UsageError
from runledger.store.results import find_results, read_result_lines, read_results
from runledger.store.sink import open_sink

RESULT: dict[str, Any] = {
    "id": "a",
    "input": "q",
    "output": "o",
    "trajectory": [],
    "timing": {"start": 1, "end": 2},
}


def unwarned(text: str) -> None:
    """Fail where somebody warns."""
    raise AssertionError(text)


def test_a_pipe_is_as_good_as_a_file(tmp_path: Path) -> None:
    """What a shell hands over in place of a file is read."""
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(json.dumps(RESULT).encode() + b"\n")
    path = find_results(f"/dev/fd/{reader}", tmp_path)

    assert [trial.id for trial in read_results(path, unwarned)] == ["a"]
    os.close(reader)


def test_a_named_pipe_is_found_before_anybody_writes(tmp_path: Path) -> None:
    """Looking for it does not wait, and reading it does."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    path = find_results(str(pipe), tmp_path)
    writer = threading.Thread(target=lambda: pipe.write_text(json.dumps(RESULT)))
    writer.start()

    assert [trial.id for trial in read_results(path, unwarned)] == ["a"]
    writer.join()


def test_what_is_not_there_is_neither_run_nor_file(tmp_path: Path) -> None:
    """The message names both, for either may have been meant."""
    for name in ("none.jsonl", "latest"):
        with pytest.raises(UsageError, match=rf"no.* run.*; nor is there a file {name}"):
            find_results(name, tmp_path)


def test_what_is_read_as_a_result_is_kept_by_who_goes_on(tmp_path: Path) -> None:
    """A last line without its end counts as finished, and must not be cut off then."""
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(RESULT))
    before = list(read_result_lines(path, unwarned))
    sink = open_sink(path, append=True)
    sink.append({**RESULT, "id": "b"})
    sink.close()

    assert [line["id"] for _, line in before] == ["a"]
    assert [trial.id for trial in read_results(path, unwarned)] == ["a", "b"]


def test_a_torn_last_line_is_left_out_with_a_warning(tmp_path: Path) -> None:
    """All before it counts."""
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(RESULT) + '\n{"id":')
    warned: list[str] = []

    assert len(list(read_results(path, warned.append))) == 1
    assert warned == [f"{path}:2: the last line is torn, and left out"]


DEEP = '{"id":' + "[" * 300 + "]" * 300 + "}"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "this line is not JSON"),
        ("[1]", "this line is not an object"),
        (DEEP, "this line is nested too deeply, over 250 levels"),
        ('{"n":' + "1" * 5000 + "}", "this line is not JSON"),
        (json.dumps({**RESULT, "id": 3}), "this is no result: its id is not a text"),
        ("{}", "this is no result: it has no 'timing'"),
        (json.dumps({**RESULT, "usage": {"tokensIn": 10**400}}), "a number is too large"),
    ],
)
def test_what_is_no_result_is_named_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    """Whoever wrote the file can mend it."""
    path = tmp_path / "out.jsonl"
    path.write_text(f"{json.dumps(RESULT)}\n{line}\n")

    with pytest.raises(UsageError, match=rf"out\.jsonl:2: .*{told}"):
        list(read_results(path, unwarned))
