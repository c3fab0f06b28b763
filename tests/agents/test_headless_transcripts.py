"""The built-in adapters, on what the real agents wrote: each transcript is printed by a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.headless_kit import Heard, bench_in, program
from runledger.ledger.event import (
    Event,
    FinalOutput,
    Log,
    Message,
    Raw,
    TaskError,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.session import session_of
from runledger.ledger.suite import AgentSettings
from runledger.ledger.usage import Usage
from runledger.suite.adapter import load_adapter

TRANSCRIPTS = Path(__file__).with_name("transcripts")
PRINTER = "import sys; sys.stdout.write(open(sys.argv[1]).read()); sys.exit(int(sys.argv[2]))"
BEFORE, AFTER = Message("I will use a tool."), Message("The answer is 42.")
FAILING = "echo out; echo err >&2; exit 3"
WRITTEN = {"file_path": "/workspace/note.txt", "content": "hello"}

Replay = Callable[..., Heard]


@pytest.fixture
def replay(tmp_path: Path) -> Iterator[Replay]:
    """Give the function that lets an agent say again what it said, and exit as it did."""
    with bench_in(tmp_path) as bench:

        def replayed(agent: str, name: str, code: int = 0) -> Heard:
            source = f"import sys\nsys.argv[1:] = sys.argv[-2:]\n{PRINTER}\n"
            script = program(tmp_path / agent, source)
            words = (str(script), str(TRANSCRIPTS / agent / f"{name}.jsonl"), str(code))
            return bench.ask(AgentSettings(words, "headless", adapter=load_adapter(agent)))

        yield replayed


def calls(heard: Heard) -> list[tuple[str, object]]:
    """List the tools that were called, each call once, with what they were given."""
    found = {one.call_id: one for one in heard.steps if isinstance(one, ToolCall)}
    return [(one.name, one.args) for one in found.values()]


def results(heard: Heard) -> list[ToolResult]:
    """List the answers of tools, and see that each is the answer of a call."""
    found = [one for one in heard.steps if isinstance(one, ToolResult)]
    asked = {one.call_id for one in heard.steps if isinstance(one, ToolCall)}
    assert {one.call_id for one in found} == asked
    return found


def usage(heard: Heard) -> list[Usage]:
    """List the reports of usage."""
    return [one.usage for one in heard.steps if isinstance(one, UsageReport)]


def facts(heard: Heard) -> dict[str, object]:
    """Give what the agent told about its session."""
    (log,) = [one for one in heard.steps if isinstance(one, Log)]
    assert log.message == "session"
    assert isinstance(log.data, dict)
    return log.data


@pytest.mark.parametrize(
    "file",
    sorted(TRANSCRIPTS.glob("*/*.jsonl")),
    ids=lambda file: f"{file.parent.name}-{file.stem}",
)
def test_every_line_of_every_transcript_is_kept(replay: Replay, file: Path) -> None:
    """Each line is a raw event, in order, whatever the adapter makes of it."""
    heard = replay(file.parent.name, file.stem)
    kept = [one for one in heard.raw if one.direction == "from_agent"]

    assert all(isinstance(one, Raw) and isinstance(one.data, dict) for one in kept)
    assert len(kept) == len(file.read_text().splitlines())


def test_claude_uses_two_tools_in_one_turn(replay: Replay) -> None:
    """Blocks of several lines become steps; a failing command is a failed tool."""
    heard = replay("claude", "two_tools")

    assert calls(heard) == [
        ("Write", WRITTEN),
        ("Bash", {"command": FAILING, "description": "fail"}),
    ]
    written, failed = results(heard)
    assert written.ok
    assert (failed.ok, failed.error) == (False, "Exit code 3\nout\nerr")
    said = [one for one in heard.steps if isinstance(one, (Message, Thought))]
    assert said == [Thought("Let me think."), BEFORE, Thought("Let me think."), AFTER]
    assert heard.output == AFTER.content
    assert usage(heard) == [Usage(260, 14, 0.0014950000000000002, "claude-opus-4-8[1m]")]
    assert "Bash" in str(facts(heard)["tools"])


def test_claude_names_an_error_that_it_calls_a_success(replay: Replay) -> None:
    """`subtype` says success; `is_error` is what counts."""
    heard = replay("claude", "model_error", code=1)

    assert heard.steps[-1] == TaskError("API Error: 400 scripted model error")


def test_claude_tells_of_a_refused_tool_by_its_result(replay: Replay) -> None:
    """A tool that was not allowed is a failed tool of a task that went on."""
    heard = replay("claude", "tool_refused")

    (refused,) = results(heard)
    assert not refused.ok
    assert "you haven't granted it" in str(refused.error)
    assert heard.output == AFTER.content


def test_claude_at_its_turn_limit_has_given_up(replay: Replay) -> None:
    """The limit is named, and what was used is known all the same."""
    heard = replay("claude", "turn_limit", code=1)

    assert heard.steps[-1] == TaskError("Reached maximum number of turns (1)")
    assert [one.tokens_out for one in usage(heard)] == [7]


def test_claude_tells_its_mcp_servers(replay: Replay) -> None:
    """What a condition really had is in the record."""
    heard = replay("claude", "mcp_tool")

    assert facts(heard)["mcp_servers"] == [{"name": "echo", "status": "connected"}]
    assert calls(heard) == [("mcp__echo__echo_text", {"text": "hi"})]
    assert results(heard)[0].result == '{"result":"echo: hi"}'


@pytest.mark.parametrize(
    ("agent", "known"),
    [
        ("claude", ("claude-opus-4-8[1m]", "2.1.197", True)),
        ("qwen", ("m", "0.15.10", True)),
        ("gemini", ("gemini-2.5-flash", None, False)),
        ("opencode", (None, None, False)),
    ],
)
def test_an_agent_tells_its_model_its_version_and_its_tools(
    replay: Replay, agent: str, known: tuple[object, ...]
) -> None:
    """Seed 004 section 5: what can be known of a run's model and tools is known; some tell less."""
    heard = replay(agent, "two_tools")
    told = session_of(Event(0, one) for one in heard.steps if isinstance(one, (Log, UsageReport)))

    assert (told.model, told.version, told.tools is not None) == known


def test_codex_runs_a_command_that_fails(replay: Replay) -> None:
    """One item that starts and completes is one call."""
    heard = replay("codex", "failing_command")

    assert calls(heard) == [("command_execution", {"command": f"/bin/bash -lc '{FAILING}'"})]
    (failed,) = results(heard)
    assert (failed.ok, failed.error) == (False, "out\nerr\n")
    assert heard.output == AFTER.content
    assert usage(heard) == [Usage(260, 14)]
    assert heard.steps[1:3] == [Thought("Let me think."), BEFORE]


def test_codex_changes_a_file(replay: Replay) -> None:
    """A patch is a call with the changes that it made."""
    heard = replay("codex", "file_change")

    changes = [{"path": "/workspace/note.txt", "kind": "add"}]
    assert calls(heard) == [("file_change", {"changes": changes})]
    assert results(heard)[0].ok


def test_codex_tells_of_a_model_error(replay: Replay) -> None:
    """A failed turn is the agent's error, in its own words."""
    last = replay("codex", "model_error", code=1).steps[-1]

    assert isinstance(last, TaskError)
    assert "scripted model error" in last.message


def test_gemini_joins_its_deltas(replay: Replay) -> None:
    """Parts of a message are one step, and what the user said is none."""
    heard = replay("gemini", "two_tools")

    said = [one for one in heard.steps if isinstance(one, Message)]
    assert said == [BEFORE, AFTER]
    assert heard.output == BEFORE.content + AFTER.content
    assert [name for name, _ in calls(heard)] == ["write_file", "run_shell_command"]
    assert [(one.ok, one.result) for one in results(heard)] == [(True, None), (True, "out\nerr")]
    assert usage(heard) == [Usage(260, 14, model="gemini-2.5-flash")]


def test_gemini_tells_of_a_tool_that_failed(replay: Replay) -> None:
    """Its status says so, and its error why."""
    (failed,) = results(replay("gemini", "failing_tool"))

    assert (failed.ok, failed.error) == (
        False,
        "params/todos/0 must NOT have additional properties",
    )


def test_gemini_tells_of_a_model_error(replay: Replay) -> None:
    """An unusual exit code does not hide what the agent said."""
    last = replay("gemini", "model_error", code=144).steps[-1]

    assert isinstance(last, TaskError)
    assert "scripted model error" in last.message


def test_qwen_uses_two_tools_in_one_line(replay: Replay) -> None:
    """Two blocks of one line are two calls, in their order."""
    heard = replay("qwen", "two_tools")

    assert [name for name, _ in calls(heard)] == ["write_file", "run_shell_command"]
    assert calls(heard)[0] == ("write_file", WRITTEN)
    assert [one.ok for one in results(heard)] == [True, True]
    assert heard.output == AFTER.content
    assert usage(heard) == [Usage(260, 14, model="m")]


def test_qwen_reports_success_with_the_error_as_its_text(replay: Replay) -> None:
    """Exit code 0 and `is_error` false: the text alone tells."""
    heard = replay("qwen", "model_error")

    assert heard.steps[-1] == TaskError("[API Error: 400 scripted model error]")
    assert heard.exit.code == 0


def test_opencode_tells_call_and_result_in_one_line(replay: Replay) -> None:
    """A shell command that failed is told as completed; its exit code is kept."""
    heard = replay("opencode", "two_tools")

    written = {"content": "hello", "filePath": "/workspace/note.txt"}
    assert calls(heard) == [("write", written), ("bash", {"command": FAILING})]
    assert [(one.ok, one.exit_code) for one in results(heard)] == [(True, None), (True, 3)]
    assert usage(heard) == [Usage(130, 7, 0.000124)] * 2
    assert heard.output == AFTER.content


def test_opencode_thinks(replay: Replay) -> None:
    """Tokens of thought count as tokens out."""
    heard = replay("opencode", "thought")

    assert heard.steps[1:3] == [Thought("Let me think."), AFTER]
    assert usage(heard) == [Usage(130, 7, 0.000124)]


def test_opencode_tells_of_a_model_error(replay: Replay) -> None:
    """The error is the only line there is."""
    assert replay("opencode", "model_error", code=1).steps == [TaskError("scripted model error")]


def test_opencode_that_was_refused_a_tool_answers_nothing(replay: Replay) -> None:
    """It ends well, without a word: an empty answer, and a tool that failed."""
    heard = replay("opencode", "tool_refused")

    (refused,) = results(heard)
    assert refused.error == "The user rejected permission to use this specific tool call."
    assert isinstance(heard.said[-1], FinalOutput)
    assert heard.output == ""
