"""F31: the last line is torn, at every byte of it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runledger.ledger.clock import Clock
from runledger.store.lines import LineLog, read_lines
from runledger.store.record import continue_record
from runledger.store.resume import progress_of
from scene import Scene, holds

CLOCK = Clock(unix=lambda: 1_700_000_000.0, monotonic=lambda: 5.0)
KILLED = 137


def test_f31_a_line_torn_at_any_byte_is_cut_off(tmp_path: Path) -> None:
    """What stays is the longest whole prefix, and the next line stands after it."""
    whole = b'{"a":"\xc3\xa4 \\n {"}\n'
    last = b'{"b":[1,{"c":"\xe2\x82\xac \\" }"}],"d":12}\n'
    for size in range(len(last) + 1):
        (tmp_path / "log").write_bytes(whole + last[:size])
        seen = list(read_lines(tmp_path / "log"))
        log = LineLog(tmp_path / "log")
        log.append(3)
        log.close()

        kept = [whole, last] if size >= len(last) - 1 else [whole]  # only its end may be missing
        assert seen == kept, size
        assert (tmp_path / "log").read_bytes() == b"".join(kept) + b"3\n", size


@pytest.fixture
def unfinished(scene: Scene) -> Path:
    """Leave a run of which case `a` has ended, and which was killed then."""
    plan = {"kill": True, "at": 2, "steps": ["write"], "below": "results.jsonl"}
    killed = scene.quick().run("-q", "-j", "1", plan=plan)
    holds(killed, code=KILLED)
    return killed.run


@pytest.mark.parametrize("name", ["run.jsonl", "results.jsonl"])
def test_f31_a_record_torn_at_any_byte_is_gone_on_with(
    unfinished: Path, tmp_path: Path, name: str
) -> None:
    """Each file ends with a whole line again; a trial is finished if its end and result are."""
    copy, torn = tmp_path / "copy", unfinished / name
    *before, last = torn.read_bytes().splitlines(keepends=True)
    for size in range(len(last)):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(unfinished, copy)
        (copy / name).write_bytes(b"".join(before) + last[:size])
        progress = progress_of(copy)
        continue_record(progress, CLOCK).close()

        log, results = ((copy / file).read_bytes() for file in ("run.jsonl", "results.jsonl"))
        for content in (log, results):
            assert content.endswith(b"\n") or not content
            for line in content.splitlines():
                json.loads(line)
        ended = b'"type":"case_end"' in log and results != b""
        assert (("a", 1) in progress.finished) == ended, size


def places(line: bytes) -> list[int]:
    """Choose the bytes at which something begins or ends, and a few between."""
    return sorted({0, 1, len(line) // 3, len(line) // 2, len(line) - 2, len(line) - 1})


def test_f31_a_torn_run_is_resumed(scene: Scene, unfinished: Path) -> None:
    """Wherever its last line broke off, every case has one ending and one result in the end."""
    kept = scene.path / "kept"
    shutil.copytree(scene.path / ".agentci", kept)
    *before, last = (unfinished / "run.jsonl").read_bytes().splitlines(keepends=True)
    for size in places(last):
        shutil.rmtree(scene.path / ".agentci")
        shutil.copytree(kept, scene.path / ".agentci")
        (unfinished / "run.jsonl").write_bytes(b"".join(before) + last[:size])

        holds(scene.run("-q", "--resume", "latest"), code=0, a="passed", b="passed")


def test_f31_a_torn_result_is_written_again(scene: Scene, unfinished: Path) -> None:
    """A result whose ending is in the log, but which is torn itself, is run again."""
    results = unfinished / "results.jsonl"
    results.write_bytes(results.read_bytes()[:-20])
    scene.lost.add("a")
    after = scene.run("-q", "--resume", "latest")

    holds(after, code=0, a="passed", b="passed")
    lines = [json.loads(line) for line in results.read_bytes().splitlines()]
    assert sorted((line["id"], line["attempt"]) for line in lines) == [("a", 2), ("b", 2)]


CAPTURE = ("capture", "prompts.jsonl", "--protocol", "headless", "--adapter", "text", "-o", "out")


def test_f31_a_torn_capture_is_appended_to(scene: Scene) -> None:
    """Wherever the output broke off, whole lines stay, and what is missing is asked again."""
    prompts = [{"id": id, "input": f"{id} asks"} for id in ("a", "b")]
    lines = "".join(json.dumps(prompt) + "\n" for prompt in prompts)
    (scene.path / "prompts.jsonl").write_text(lines)
    out = scene.path / "out"
    scene.command(*CAPTURE, "--", "cat")
    first, last = out.read_bytes().splitlines(keepends=True)
    for size in places(last):
        shutil.rmtree(scene.path / ".agentci", ignore_errors=True)
        out.write_bytes(first + last[:size])
        after = scene.command(*CAPTURE, "--append", "--", "cat")

        holds(after, code=0)
        found = out.read_bytes().splitlines(keepends=True)
        assert found[0] == first
        assert [json.loads(line)["output"] for line in found] == ["a asks", "b asks"]
