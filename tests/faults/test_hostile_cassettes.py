"""F41: cassettes that were cut off, edited, or never were any."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hostile import BAD, check_clean, listing
from kit import entry
from scene import Scene, holds

GOOD = json.dumps(entry("search", {"hits": ["é", 1]}, q="x"), ensure_ascii=False)
ASKED = {"method": "tools/call"}
MCP = {"v": 1, "kind": "mcp", "server": "fs", "req": ASKED, "resp": {"result": 1}}
MODEL = {
    "v": 1,
    "kind": "model",
    "req": {"method": "POST", "path": "/v1/messages", "body": {}},
    "resp": {"status": 200, "headers": {}, "body": {}},
}
WRONG_LINES = {
    "an-array": "[1, 2]",
    "a-text": '"hello"',
    "no-keys": "{}",
    "null": "null",
    "no-args": '{"tool": "search", "ok": true, "result": 1}',
    "tool-is-a-number": json.dumps({**entry("search"), "tool": 7}),
    "args-is-a-list": json.dumps({**entry("search"), "args": []}),
    "ok-is-a-text": json.dumps({**entry("search"), "ok": "true"}),
    "unknown-key": json.dumps({**entry("search"), "rseult": 1}),
    "key-twice": '{"tool": "search", "tool": "x", "args": {}, "ok": true, "result": 1}',
    "nul": '{"tool": "sea\0rch", "args": {}, "ok": true, "result": 1}',
    "only-nul": "\0" * 100,
    "bom": "\ufeff" + GOOD,
    "not-a-number": '{"tool": "search", "args": {"n": NaN}, "ok": true, "result": 1}',
    "too-many-digits": f'{{"tool": "search", "args": {{"n": {"9" * 5000}}}, "ok": true}}',
    "too-deep": "[" * 100_000,
    "words-in-a-tool": json.dumps({**entry("search"), "tool": [BAD]}),
    "words": BAD.replace("\n", " "),
    "version-7": json.dumps({**MCP, "v": 7}),
    "kind-of-words": json.dumps({**MCP, "kind": BAD}),
    "mcp-without-server": json.dumps({key: MCP[key] for key in MCP if key != "server"}),
    "mcp-method-is-null": json.dumps({**MCP, "req": {"method": None}}),
    "mcp-two-replies": json.dumps({**MCP, "resp": {"result": 1, "error": {}}}),
    "model-without-response": json.dumps({key: MODEL[key] for key in MODEL if key != "resp"}),
    "model-status-is-a-text": json.dumps({**MODEL, "resp": {"status": "200"}}),
    "model-path-is-a-list": json.dumps({**MODEL, "req": {"method": "GET", "path": []}}),
    "blob-that-is-not-there": json.dumps({**MCP, "resp": {"result": {"$blob": "b1"}}}),
    "blob-of-itself": '{"v": 1, "kind": "blob", "id": "b1", "value": {"$blob": "b1"}}',
    "salt-is-a-number": '{"v": 1, "kind": "header", "salt": 5}',
}


def cassette(scene: Scene, id: str, content: bytes) -> None:
    """Write a case whose cassette has this content."""
    scene.case(id)
    (scene.suite.path / "cassettes" / f"{id}.jsonl").write_bytes(content)


def test_f41_a_cassette_of_the_wrong_shape_is_named_with_its_line(scene: Scene) -> None:
    """Each case with such a cassette fails for it alone, on line 2, and the others run."""
    for id, line in WRONG_LINES.items():
        cassette(scene, id, f"{GOOD}\n{line}\n{GOOD}\n".encode())

    after = scene.agent().run()

    holds(after, code=1, b="passed", **dict.fromkeys(WRONG_LINES, "cassette_invalid"))
    for id in WRONG_LINES:
        failure = after.failure(id)
        assert failure["details"]["line"] == 2, failure
        assert failure["message"].startswith(f"cassettes/{id}.jsonl:2: "), failure
        assert len(failure["message"]) < 1000, failure
    check_clean(after.out + after.err)


def test_f41_a_cassette_that_was_cut_off_is_named_with_its_line(scene: Scene) -> None:
    """Wherever a byte is missing within a line, that line is wrong; between lines, none is."""
    whole = f"{GOOD}\n{GOOD}\n".encode()
    first = len(GOOD.encode())
    ends = {f"at-{end}": end for end in (1, 2, first // 2, first - 1, first + 2, len(whole) - 2)}
    ends |= {"in-a-character": whole.index("é".encode()) + 1}
    for id, end in ends.items():
        cassette(scene, id, whole[:end])
    for id, end in (("between", first + 1), ("before", 0), ("no-end", len(whole) - 1)):
        cassette(scene, id, whole[:end])

    after = scene.agent(cassettes={"unused": "ignore"}).run()

    whole_ones = dict.fromkeys(("between", "before", "no-end"), "passed")
    holds(after, code=1, b="passed", **dict.fromkeys(ends, "cassette_invalid"), **whole_ones)
    for id, end in ends.items():
        failure = after.failure(id)
        assert failure["details"]["line"] == 1 + (end > first), failure
        if id != "in-a-character":
            assert "the file ends within this line" in failure["message"], failure


def test_f41_a_cassette_that_is_no_file_is_refused_before_any_agent_starts(scene: Scene) -> None:
    """A directory, a pipe and a circle of links are named, and nobody waits for them."""
    places = scene.suite.path / "cassettes"
    for id in ("directory", "pipe", "circle"):
        scene.case(id)
        (places / f"{id}.jsonl").unlink()
    (places / "directory.jsonl").mkdir()
    os.mkfifo(places / "pipe.jsonl")
    (places / "circle.jsonl").symlink_to("circle.jsonl")

    after = scene.run()

    holds(after, code=2)
    assert after.runs == []
    for id in ("directory", "pipe", "circle"):
        assert f"suite/cases/{id}.yaml:1: " in after.err, after.err


@pytest.mark.parametrize("words", ["show", "lint", "prune"])
def test_f41_commands_on_cassettes_refuse_what_is_none(scene: Scene, words: str) -> None:
    """Each names the file, and the line where there is one, and changes nothing."""
    files = strange_files(scene.path)
    before = listing(scene.path / "strange")
    for file in files:
        after = scene.command("cassette", words, file)

        holds(after, code=2)
        assert str(file) in after.err, after.err
        check_clean(after.out + after.err)
    assert listing(scene.path / "strange") == before


def strange_files(path: Path) -> list[str]:
    """Write files that are no cassette at all, and name them from a directory."""
    place = path / "strange"
    place.mkdir()
    (place / "binary").write_bytes(bytes(range(256)))
    (place / "text").write_text(f"{GOOD}\n{BAD}\n")
    (place / "deep").write_text("[" * 100_000)
    with (place / "large").open("wb") as large:
        large.truncate(130 * 2**20)  # which takes no room on the disk
    (place / "directory").mkdir()
    (place / "circle").symlink_to("circle")
    os.mkfifo(place / "pipe")
    names = ("binary", "text", "deep", "large", "directory", "circle", "pipe", "missing")
    return [f"strange/{name}" for name in names]


def test_f41_a_cassette_of_too_many_entries_is_refused(scene: Scene) -> None:
    """A small file that would take much memory costs its case, and no more."""
    scene.suite.case("a")
    (scene.suite.path / "cassettes" / "a.jsonl").write_text(f"{GOOD}\n" * 50_000)
    after = scene.run()

    holds(after, code=1, a="cassette_invalid", b="passed")
    assert "over 20,000 entries" in after.failure("a")["message"]
