"""What real agents do, as `runledger capture` tells it."""

from __future__ import annotations

import pytest

import peers
from bench import Answers, ask
from peers import Peer
from scripted_model.script import COMMAND, CONTENT, REFUSAL


class Scenarios:
    """What every agent is asked, and what must come of it."""

    def test_all_is_captured(self, done: Answers) -> None:
        """A capture in which every agent came to an end ends well, whatever their tools did."""
        assert done.code == 0, done.err
        assert [line.get("errors") for line in done.lines.values()] == [None] * 5
        assert done.survivors == []

    def test_a_file_is_written(self, peer: Peer, done: Answers) -> None:
        """The call is one step with all that is known of it, and the file is there."""
        (step,) = done.steps("write_file")

        assert (step["name"], step["status"]) == (peer.tools["write"], "completed")
        assert CONTENT in step["input"].values()
        assert step["output"]
        assert step["duration"] >= 0
        assert done["write_file"]["output"] == "I wrote made.txt."
        assert done["write_file"]["toolErrors"] is False
        assert done.files("write_file") == {"made.txt": CONTENT}

    def test_a_shell_command_fails(self, peer: Peer, done: Answers) -> None:
        """A command that exits with another code than 0 is a tool error, derived if need be."""
        line, (step,) = done["failing_shell"], done.steps("failing_shell")

        assert step["name"] == peer.tools["shell"]
        assert step["input"]["command"] == COMMAND
        assert step["status"] == ("completed" if peer.derived else "failed")
        assert "this went wrong" in str(step["output"])
        assert (line["toolErrors"], line["toolErrorsDerived"]) == (True, peer.derived)
        assert line["output"] == "The command failed."

    def test_two_tools_in_one_turn(self, peer: Peer, done: Answers) -> None:
        """Two calls of one answer are two steps, each with its own input and output."""
        steps = done.steps("two_tools")

        assert [step["name"] for step in steps] == [peer.tools["write"]] * 2
        assert [step["status"] for step in steps] == ["completed"] * 2
        assert len({step["stepId"] for step in steps}) == 2
        assert steps[0]["input"] != steps[1]["input"]
        assert done.files("two_tools") == {"a.txt": CONTENT, "b.txt": CONTENT}

    def test_an_mcp_server_is_used(self, peer: Peer, done: Answers) -> None:
        """A tool of an MCP server that we named is a step like any other."""
        step = done.steps("mcp")[-1]  # claude may have waited for its servers in a step of its own

        assert (step["name"], step["status"]) == (peer.tools["mcp"], "completed")
        assert step["input"] == {"text": "hello"}
        assert "echo: hello" in str(step["output"])
        assert done["mcp"]["output"] == "The server answered."

    def test_several_turns_are_one_session(self, done: Answers) -> None:
        """The second prompt reaches an agent that remembers the first; its answer is the output."""
        said = [step["content"] for step in done.steps("hello", "message")]

        assert said == ["Hello from the script.", "You have asked 2 times."]
        assert done["hello"]["output"] == "You have asked 2 times."

    def test_usage_is_reported(self, peer: Peer, done: Answers) -> None:
        """Tokens and cost are what the agent says, unknown where it says nothing."""
        assert done["write_file"]["usage"] == pytest.approx(peer.usage)

    def test_a_grader_looks_at_the_files(self, done: Answers) -> None:
        """A grader sees the directory that the agent worked in."""
        assert all(line["score"]["pass"] for line in done.lines.values())
        assert done["two_tools"]["outcome"] == {"files": ["a.txt", "b.txt"]}

    def test_a_model_error_is_an_error(self, undone: Answers) -> None:
        """An agent whose model refuses has failed, and its error says why."""
        assert undone.code == 1, undone.err
        assert any(REFUSAL in error for error in undone["model_error"]["errors"])
        assert undone["model_error"]["exitInfo"]["timedOut"] is False

    @pytest.mark.parametrize("id", ["slow", "slow_shell"])
    def test_a_timeout_ends_all(self, peer: Peer, undone: Answers, id: str) -> None:
        """An agent that takes too long is interrupted, and nothing that it started lives on."""
        assert undone[id]["exitInfo"]["timedOut"] is True
        assert any(f"{peer.limit_ms} ms" in error for error in undone[id]["errors"])
        assert undone.survivors == []

    def test_permission_is_refused(self, peer: Peer) -> None:
        """A tool that was not allowed is a step that failed, and the file is not there."""
        answers = peer.refused.capture(ask("write_file"), flags=("-t", "120000"))
        (step,) = answers.steps("write_file")

        assert (step["name"], step["status"]) == (peer.tools["write"], "failed")
        assert answers["write_file"]["toolErrors"] is True
        assert answers.files("write_file") == {}


class Flooding:
    """What our side of the pipe is tried with; the agents that start fastest are enough."""

    def test_a_flood_on_standard_error_blocks_nobody(self, peer: Peer) -> None:
        """An agent that writes 5 MB of complaints at first is heard as if it had not."""
        program, *arguments = peer.bench.agent
        flooding = peer.bench.place / "flooding"
        flooding.write_text(
            f'#!/bin/sh\nyes complaint | head -c 5000000 >&2\nexec "{program}" "$@"\n'
        )
        flooding.chmod(0o755)

        answers = peer.bench.but(agent=(str(flooding), *arguments)).capture(
            ask("hello"), flags=("-t", "120000")
        )

        assert answers.code == 0, answers.err
        assert answers["hello"]["output"] == "Hello from the script."


class TestOpencodeAcp(Scenarios):
    """`opencode acp`."""

    meet = staticmethod(peers.opencode_acp)


class TestOpencode(Scenarios):
    """`opencode run`, headless."""

    meet = staticmethod(peers.opencode)


class TestClaudeAcp(Scenarios, Flooding):
    """`claude-agent-acp`."""

    meet = staticmethod(peers.claude_acp)


class TestClaude(Scenarios, Flooding):
    """`claude -p`, headless."""

    meet = staticmethod(peers.claude)


class TestPythonSdk(Scenarios, Flooding):
    """An agent on the official Python SDK."""

    meet = staticmethod(peers.python_sdk)
