"""runledger adapter, as users call it."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path

from kit import clean_environment, runledger

PEER = """
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        result = {
            "protocolVersion": 1,
            "agentInfo": {"name": "peer", "title": "The \\x1b[31mPeer", "version": "1.2.3"},
            "agentCapabilities": {"loadSession": True, "promptCapabilities": {"image": True}},
            "authMethods": [{"id": "key", "name": "Use a key"}],
        }
        answer = {"result": result}
    elif "--closed" in sys.argv:
        sys.stderr.write("no key was found\\n")
        answer = {"error": {"code": -32000, "message": "Authentication required"}}
    else:
        answer = {"result": {"sessionId": "s1"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer}), flush=True)
"""


def peer(path: Path) -> list[str | Path]:
    """Write an agent that speaks ACP, and give its command."""
    script = path / "peer.py"
    script.write_text(textwrap.dedent(PEER))
    return ["--", sys.executable, script]


def test_list_shows_every_adapter_and_what_is_installed(tmp_path: Path) -> None:
    """A program that is on the PATH is named with its place."""
    claude = tmp_path / "claude"
    claude.write_text("#!/bin/sh\n")
    claude.chmod(0o755)
    done = runledger("adapter", "list", cwd=tmp_path, env=clean_environment(PATH=str(tmp_path)))

    rows = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert done.code == 0
    assert rows["claude"] == ["claude", "stdin", str(claude)]
    assert rows["codex"] == ["codex", "stdin", "no"]
    assert rows["text"] == ["(any)", "stdin", "-"]
    assert sorted(rows) == ["NAME", "claude", "codex", "gemini", "opencode", "qwen", "text"]


def test_check_shows_what_an_agent_can_do(tmp_path: Path) -> None:
    """Name, version, capabilities and ways to sign in, with nothing that paints the terminal."""
    done = runledger("adapter", "check", *peer(tmp_path), cwd=tmp_path)

    assert done.code == 0, done.err
    assert "version:  1.2.3" in done.out
    assert "protocol: ACP 1" in done.out
    assert "can:      load sessions, images" in done.out
    assert "sign-in:  key" in done.out
    assert "Peer" in done.out
    assert "\x1b" not in done.out


def test_check_tells_why_no_session_could_be_opened(tmp_path: Path) -> None:
    """What the agent said about itself is shown, then what it said against us."""
    done = runledger("adapter", "check", *peer(tmp_path), "--closed", cwd=tmp_path)

    assert done.code == 1
    assert "sign-in:  key" in done.out
    assert "no session could be opened: " in done.err
    assert "Authentication required" in done.err
    assert "no key was found" in done.err


def test_check_of_what_does_not_speak_acp_is_a_no(tmp_path: Path) -> None:
    """A program that ends, or never answers, is no ACP agent."""
    ends = runledger("adapter", "check", "--", sys.executable, "-c", "pass", cwd=tmp_path)
    silent = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    hangs = runledger("adapter", "check", "-t", "1500", "--", *silent, cwd=tmp_path)

    assert (ends.code, hangs.code) == (1, 1)
    assert "exited with status 0" in ends.err


def test_check_of_a_missing_program_is_an_outside_fault(tmp_path: Path) -> None:
    """There is nothing to check."""
    done = runledger("adapter", "check", "./no-such-agent", cwd=tmp_path)

    assert done.code == 3
    assert "could not start" in done.err


def test_scaffold_writes_an_adapter_that_works(tmp_path: Path) -> None:
    """It is read without a finding, and its agent is asked by it."""
    made = runledger("adapter", "scaffold", "mine", "-o", "mine.json", cwd=tmp_path)
    agent = tmp_path / "mine"
    line = json.dumps({"type": "end", "text": "42", "usage": {"output_tokens": 3}})
    agent.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{line}'\n")
    agent.chmod(0o755)
    (tmp_path / "prompts.jsonl").write_text('{"id": "p1", "input": "hi"}\n')
    words = ["capture", "prompts.jsonl", "./mine", "--adapter", "mine.json", "-o", "out.jsonl"]
    asked = runledger(*words, cwd=tmp_path)

    assert made.code == 0
    assert "--adapter mine.json" in made.err
    assert asked.code == 0, asked.err
    result = json.loads((tmp_path / "out.jsonl").read_text())
    assert (result["output"], result["usage"]["tokensOut"]) == ("42", 3)


def test_scaffold_overwrites_nothing(tmp_path: Path) -> None:
    """A file that is there stays as it is."""
    (tmp_path / "mine.json").write_text("precious")
    done = runledger("adapter", "scaffold", "mine", "-o", "mine.json", cwd=tmp_path)

    assert done.code == 2
    assert "mine.json exists, and is left as it is" in done.err
    assert (tmp_path / "mine.json").read_text() == "precious"


def test_scaffold_without_a_file_prints(tmp_path: Path) -> None:
    """Output goes to standard output where no file is named, and no file is made."""
    done = runledger("adapter", "scaffold", "mine", cwd=tmp_path)

    assert json.loads(done.out)["name"] == "mine"
    assert list(tmp_path.iterdir()) == []


def test_scaffold_refuses_a_name_that_is_none(tmp_path: Path) -> None:
    """The name becomes a file's."""
    done = runledger("adapter", "scaffold", 'a"b', cwd=tmp_path)

    assert done.code == 2
    assert "must be 1 to 100 of A-Z" in done.err
