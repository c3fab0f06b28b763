"""runledger cassette: what is in a cassette, what should not be, and what nobody needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, entry, runledger, write_suite
from runledger.ledger.event import ToolCall, ToolResult
from runledger.store.cassette.entry import AgentStamp, McpEntry, ModelAnswer, ModelEntry
from runledger.store.cassette.masking import Masking
from runledger.store.cassette.recording import Recorder

STREAM = {"content-type": "text/event-stream"}
KEY = "sk-ant-api03-" + "Zx81kQpW72mN" * 7 + "AA"


def event(kind: str, **fields: Any) -> bytes:
    """Write an event of the Messages API."""
    content = json.dumps({"type": kind, **fields}).encode()
    return b"event: " + kind.encode() + b"\ndata: " + content + b"\n\n"


def delta(text: str, kind: str = "text_delta", name: str = "text", index: int = 0) -> bytes:
    """Write an event with a piece of text."""
    return event("content_block_delta", index=index, delta={"type": kind, name: text})


CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
FRAMES = (
    event("message_start", message={"usage": {"input_tokens": 1200, "output_tokens": 1}}),
    delta("I will "),
    delta("look at it."),
    event("content_block_start", index=1, content_block=CALL),
    delta('{"command":', "input_json_delta", "partial_json", 1),
    delta('"ls"}', "input_json_delta", "partial_json", 1),
    event("message_delta", usage={"output_tokens": 56}),
)
MESSAGES = [{"role": "user", "content": "fix the bug in parser.py"}]
BODY = {"model": "claude-x", "messages": MESSAGES, "system": "You are terse. " * 100}


def write_cassette(file: Path, *entries: ModelEntry | McpEntry, tool: bool = True) -> None:
    """Record a cassette as a run would, but without looking for secrets."""
    masking = Masking("5a17", lambda said: said, lambda value: False)
    recorder = Recorder(file, "c.jsonl", masking)
    recorder.meet(AgentStamp("claude-cli", "2.1.197"))
    for one in entries:
        if isinstance(one, ModelEntry):
            recorder.keep_model(one)
        else:
            recorder.keep_mcp(one)
    if tool:
        recorder.keep(ToolCall("search", "c1", {"q": "a"}), ToolResult("c1", True, {"hits": 1}))
    recorder.commit()


def model(*frames: bytes, body: Any = BODY, partial: bool = False) -> ModelEntry:
    """Make a request to a model that was answered by a stream."""
    return ModelEntry(
        0, "POST", "/v1/messages", body, ModelAnswer(200, STREAM, frames, partial=partial)
    )


SERVER = McpEntry(0, "fs", "tools/call", {"name": "read"}, {"result": {"text": "hello"}})


def test_show_tells_what_is_in_a_cassette(tmp_path: Path) -> None:
    """Who was recorded, and each entry in a few lines that fit a terminal."""
    write_cassette(tmp_path / "c.jsonl", model(*FRAMES), SERVER)

    done = runledger("cassette", "show", "c.jsonl", cwd=tmp_path)

    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("c.jsonl  3 entries (1 model, 1 mcp, 1 tool), ")
    assert lines[1:3] == ["  agent    claude-cli 2.1.197", "  blobs    1"]
    assert "\n".join(lines[4:]) == (
        "line 3  model  POST /v1/messages\n"
        '  asked   claude-x, 1 message, "fix the bug in parser.py"\n'
        "  answer  200, 7 events, 1,200 tokens in, 56 out\n"
        '          "I will look at it."\n'
        '          calls Bash {"command":"ls"}\n'
        "\n"
        "line 4  mcp  fs tools/call\n"
        '  asked   {"name":"read"}\n'
        '  answer  {"result":{"text":"hello"}}\n'
        "\n"
        "line 5  tool  search\n"
        '  asked   {"q":"a"}\n'
        '  answer  ok {"hits":1}'
    )


def test_show_gives_one_entry_whole(tmp_path: Path) -> None:
    """With the request written out, and the stream as it came."""
    write_cassette(tmp_path / "c.jsonl", model(*FRAMES))

    done = runledger("cassette", "show", "c.jsonl", "--entry", "3", cwd=tmp_path)

    assert done.code == 0, done.err
    assert BODY["system"] in done.out  # type: ignore[operator]
    assert "text:\nI will look at it.\n" in done.out
    assert "event: message_start\n" in done.out


def test_show_is_for_programs_too(tmp_path: Path) -> None:
    """As one document, of all entries or of one."""
    write_cassette(tmp_path / "c.jsonl", model(*FRAMES), SERVER)

    def shown(*words: str) -> Any:
        done = runledger("cassette", "show", "c.jsonl", "--format", "json", *words, cwd=tmp_path)
        assert done.code == 0, done.err
        return json.loads(done.out)

    every, one = shown(), shown("--entry", "3")
    assert [found["kind"] for found in every["entries"]] == ["model", "mcp", "tool"]
    assert (every["agent"]["name"], every["entries"][0]["tokens_in"]) == ("claude-cli", 1200)
    assert one["asked"] == BODY
    assert one["answer"]["calls"] == [{"name": "Bash", "args": '{"command":"ls"}'}]


def test_show_names_the_entries_where_there_is_none_on_a_line(tmp_path: Path) -> None:
    """A blob's line is none of an entry's."""
    write_cassette(tmp_path / "c.jsonl", model(*FRAMES))

    done = runledger("cassette", "show", "c.jsonl", "--entry", "2", cwd=tmp_path)

    assert done.code == 2
    assert "c.jsonl:2: there is no entry on this line (on: 3, 4)" in done.err


@pytest.mark.parametrize("words", [("show", "x.jsonl"), ("prune", "x.jsonl"), ("lint", "x.jsonl")])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    """With the line that is wrong."""
    (tmp_path / "x.jsonl").write_text('{"v":1,"kind":"modle"}\n')

    done = runledger("cassette", *words, cwd=tmp_path)

    assert done.code == 2
    assert 'x.jsonl:1: unknown kind "modle"; did you mean model?' in done.err


def test_what_an_agent_said_cannot_drive_a_terminal(tmp_path: Path) -> None:
    """Its escapes are shown, not obeyed."""
    body = {"model": "\x1b[2J", "messages": [{"role": "user", "content": "\x1b]0;x\x07"}]}
    write_cassette(tmp_path / "c.jsonl", model(delta("\x1b[31mred\r"), body=body))

    for words in ((), ("--entry", "2")):
        done = runledger("cassette", "show", "c.jsonl", *words, cwd=tmp_path)
        assert done.code == 0, done.err
        assert "\x1b" not in done.out


def test_lint_finds_secrets_wherever_they_stand(tmp_path: Path) -> None:
    """In requests, blobs, answers and tools, also split over the events of a stream."""
    body = {"messages": [{"role": "user", "content": f"use {KEY}"}], "system": "x " * 999 + KEY}
    pieces = [delta(KEY[start : start + 9]) for start in range(0, len(KEY), 9)]
    write_cassette(tmp_path / "c.jsonl", model(*FRAMES, *pieces, body=body), tool=False)
    with (tmp_path / "c.jsonl").open("a") as file:
        file.write(json.dumps(entry("login", 1, password="correct-horse-7")) + "\n")

    done = runledger("cassette", "lint", "c.jsonl", cwd=tmp_path)

    assert done.code == 1
    assert KEY not in done.out
    found = [line.split("; ")[0] for line in done.out.splitlines()]
    assert [line.partition(" (")[0] for line in found] == [
        "c.jsonl:2: $.value: a secret",
        "c.jsonl:3: $.req.body.messages.0.content: a secret",
        "c.jsonl:3: $.resp.sse.1: a secret",
        "c.jsonl:4: $.args.password: a secret",
    ]
    assert f"split over {len(pieces) + 2} events" in done.out
    assert "record it anew" in done.out


def test_lint_finds_values_of_the_environment(tmp_path: Path) -> None:
    """What a variable with a telling name holds is a secret anywhere."""
    write_cassette(tmp_path / "c.jsonl", model(delta("it is tangerine-9-cloud")))

    done = runledger(
        "cassette", "lint", "c.jsonl", cwd=tmp_path, env={"X_TOKEN": "tangerine-9-cloud"}
    )

    assert done.code == 1
    assert "c.jsonl:3: $.resp.sse.0: a secret (env)" in done.out


def test_lint_knows_the_homes_that_replay_finds(tmp_path: Path) -> None:
    """The HOME of a workspace is called home, and is nobody's."""
    places = {"home": "/tmp/runledger-demo-c/home"}
    header = {"v": 1, "kind": "header", "agent": {"name": "a", "version": "1"}, "places": places}
    read = entry("read", 1, path="/tmp/runledger-demo-c/home/.claude/projects")
    (tmp_path / "c.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(read)}\n")

    done = runledger("cassette", "lint", "c.jsonl", cwd=tmp_path)

    assert (done.code, done.out.strip()) == (0, "c.jsonl: nothing to mend")


def test_lint_finds_unused_blobs_and_warns_of_halves_and_homes(tmp_path: Path) -> None:
    """Every file is looked at, and the worst of them decides."""
    write_cassette(tmp_path / "half.jsonl", model(*FRAMES, partial=True))
    (tmp_path / "blob.jsonl").write_text('{"v":1,"kind":"blob","id":"a","value":1}\n')
    home = entry("read", 1, path="/home/somebody/notes.txt")
    (tmp_path / "home.jsonl").write_text(json.dumps(home))
    (tmp_path / "good.jsonl").write_text("")
    write_cassette(tmp_path / "open.jsonl", McpEntry(0, "fs", "tools/call", {}, {}))

    files = [f"{name}.jsonl" for name in ("half", "blob", "home", "good", "open")]
    done = runledger("cassette", "lint", *files, cwd=tmp_path)
    homely = runledger("cassette", "lint", "home.jsonl", cwd=tmp_path)

    assert done.code == 1
    assert "half.jsonl:3: warning: $.resp.partial: half an answer" in done.out
    assert "open.jsonl:2: warning: $.resp: no answer: the agent cancelled" in done.out
    assert "blob.jsonl:1: a blob that no line refers to" in done.out
    assert "home.jsonl:1: warning: a home directory: /home/somebody" in done.out
    assert "good.jsonl: nothing to mend" in done.out
    assert homely.code == 0


def test_lint_says_nothing_of_what_was_hidden(tmp_path: Path) -> None:
    """Placeholders are no secrets."""
    lines = [
        {"v": 1, "kind": "header", "salt": "5a17"},
        entry("login", 1, password="[REDACTED:key:0011aaff]"),
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    done = runledger("cassette", "lint", "c.jsonl", cwd=tmp_path)

    assert (done.code, done.out) == (0, "c.jsonl: nothing to mend\n")


def test_prune_takes_out_blobs_that_nobody_needs(tmp_path: Path) -> None:
    """The rest says the same as before; salt, agent and half answers stay."""
    file = tmp_path / "c.jsonl"
    whole = model(*FRAMES, body={**BODY, "turn": 2})
    half = model(*FRAMES, partial=True, body={"other": 1})
    write_cassette(file, half, whole)
    with file.open("a") as opened:
        opened.write('{"v":1,"kind":"blob","id":"a","value":1}\n')
    before = file.read_bytes()

    dry = runledger("cassette", "prune", "c.jsonl", "--dry-run", cwd=tmp_path)
    assert file.read_bytes() == before
    done = runledger("cassette", "prune", "c.jsonl", cwd=tmp_path)

    assert (dry.code, done.code) == (0, 0)
    assert "would take out unused blobs: 1 (lines 6)" in dry.out
    assert "c.jsonl: took out unused blobs: 1 (lines 6)" in done.out
    expected = tmp_path / "expected.jsonl"
    write_cassette(expected, half, whole)
    assert file.read_bytes() == expected.read_bytes()


def test_prune_leaves_a_cassette_alone_that_needs_nothing(tmp_path: Path) -> None:
    """Not a byte is written otherwise, however it is set."""
    content = '{"tool": "a", "args": {}, "ok": true, "result": 1}\n\n'
    (tmp_path / "c.jsonl").write_text(content)

    done = runledger("cassette", "prune", "c.jsonl", cwd=tmp_path)

    assert (done.code, done.out) == (0, "c.jsonl: nothing to take out\n")
    assert (tmp_path / "c.jsonl").read_text() == content


def test_prune_takes_out_what_a_passed_case_left_unused(tmp_path: Path) -> None:
    """Entries of tools that stay are not set anew."""
    suite = write_suite(tmp_path / "suite", ECHO, cassettes={"unused": "warn"})
    suite.case(
        "a", [entry("search", 0, q="x"), entry("search", 1, q="a"), entry("search", 2, q="a")]
    )
    file = suite.path / "cassettes/a.jsonl"
    needed = file.read_text().splitlines()[1]
    run = runledger("run", "suite", cwd=tmp_path)
    assert run.code == 0, run.out

    done = runledger("cassette", "prune", file, "--run", "latest", cwd=tmp_path)

    assert done.code == 0, done.err
    assert "took out unused entries: 2 (lines 1, 3)" in done.out
    assert file.read_text() == f"{needed}\n"
    assert runledger("run", "suite", cwd=tmp_path).code == 0


def test_prune_refuses_a_run_that_says_nothing_of_the_cassette(tmp_path: Path) -> None:
    """One that failed, or that had another cassette in its place."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("a", [entry("search", 1, q="a")]).case("b", [entry("search", 1, q="x")])
    run = runledger("run", "suite", cwd=tmp_path).run
    failed, good = suite.path / "cassettes/b.jsonl", suite.path / "cassettes/a.jsonl"
    (tmp_path / "other.jsonl").write_text("\n")
    good.write_text(good.read_text() + "\n")

    def refused(file: Path) -> str:
        done = runledger("cassette", "prune", file, "--run", run, cwd=tmp_path)
        assert done.code == 2, done.out
        return done.err

    assert "the case b did not pass" in refused(failed)
    assert "is not as it was in" in refused(good)
    assert "no case of" in refused(tmp_path / "other.jsonl")
