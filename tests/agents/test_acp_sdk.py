"""The ACP driver with an agent on the official SDK."""

from __future__ import annotations

from typing import Any

import pytest

from acp_kit import PEERS, AcpStage, Story
from runledger.agents.conformance import check_driver
from runledger.ledger.event import (
    FinalOutput,
    Message,
    Plan,
    TaskError,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.permission import REJECT_ALL
from runledger.ledger.suite import McpServer
from runledger.ledger.task import Task
from runledger.ledger.usage import Usage

COMMAND = ("{python}", str(PEERS / "sdk_agent.py"))
USED = UsageReport(Usage(tokens_in=105, tokens_out=20))


def told(stage: AcpStage, prompt: str, **how: Any) -> Story:
    """Let the agent do what the prompt says."""
    return stage.play("", input=prompt, command=COMMAND, **how)


def test_the_driver_conforms(stage: AcpStage) -> None:
    """A well-made agent comes to its answer, twice, and leaves by itself."""
    check_driver(stage.driver("", command=COMMAND), Task("t", "say"), str(stage.directory))


def test_thoughts_plans_and_pieces_become_steps(stage: AcpStage) -> None:
    """In order, with the usage of the turn before the answer."""
    story = told(stage, "think plan say")

    entry = {"content": "look", "priority": "medium", "status": "completed"}
    assert story.said == [
        Thought("Let me see."),
        Plan([entry]),
        Message("All is well."),
        USED,
        FinalOutput("All is well."),
    ]
    assert (story.exit.code, story.exit.stop_reason) == (0, "end_turn")


def test_files_go_through_our_hands(stage: AcpStage) -> None:
    """Permission is asked for and given, the file is there, and the call is one step."""
    story = told(stage, "write", fs=True)

    assert {call.call_id for call in story.of(ToolCall)} == {"c1"}
    last = story.of(ToolCall)[-1]
    assert (last.name, last.args, last.status) == ("write", {"path": "a.txt"}, "completed")
    assert story.of(ToolResult) == [ToolResult("c1", ok=True, result="two")]
    assert (stage.directory / "a.txt").read_text() == "one\ntwo\n"


def test_a_refused_permission_is_a_failed_call(stage: AcpStage) -> None:
    """The agent goes on without it."""
    story = told(stage, "write say", fs=True, permissions=REJECT_ALL)

    assert story.of(ToolResult) == [ToolResult("c1", ok=False, error="permission refused")]
    assert story.said[-1] == FinalOutput("All is well.")
    assert list(stage.directory.iterdir()) == []


def test_commands_go_through_our_hands(stage: AcpStage) -> None:
    """A command that fails in a tool that does not is seen."""
    story = told(stage, "run", terminal=True)

    output = {"output": "ran\n", "exit_code": 3}
    assert story.of(ToolResult) == [ToolResult("c2", ok=True, result=output, exit_code=3)]


@pytest.mark.parametrize("word", ["write", "run"])
def test_hands_that_were_not_offered_are_refused(stage: AcpStage, word: str) -> None:
    """The agent hears that there is no such method."""
    story = told(stage, word)

    (error,) = story.of(TaskError)
    assert "ethod not found" in error.message


def test_servers_and_cost_arrive(stage: AcpStage) -> None:
    """What the user gives reaches the agent, and what the agent spends reaches us."""
    story = told(stage, "servers pay", servers=(McpServer("echo", "true"),))

    assert story.of(FinalOutput) == [FinalOutput("echo")]
    assert story.of(UsageReport) == [UsageReport(Usage(105, 20, 0.25))]


def test_an_error_of_the_agent_is_told_in_its_words(stage: AcpStage) -> None:
    """With what came beside it."""
    story = told(stage, "say fail")

    assert story.said[-1] == TaskError(
        "the model is gone: HTTP 529 (error -32603)",
        {"code": -32603, "data": {"details": "HTTP 529"}},
    )


def test_an_agent_that_hangs_is_cancelled(stage: AcpStage) -> None:
    """It ends its turn when it is asked to, and what it said before counts."""
    story = told(stage, "say hang", late=True)

    assert story.fault is not None
    assert story.fault.kind == "timeout"
    assert (story.exit.timed_out, story.exit.stop_reason) == (True, "cancelled")
    assert story.of(Message) == [Message("All is well.")]
