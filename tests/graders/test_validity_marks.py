"""What a condition expects and forbids."""

from __future__ import annotations

from pathlib import Path

import pytest

from graders.trials import trial
from runledger.graders.validity import Seen
from runledger.graders.validity_marks import violations
from runledger.ledger.event import FinalOutput, Happening, Log, ToolCall, ToolResult
from runledger.ledger.experiment import Condition, Marks
from runledger.ledger.session import SESSION
from runledger.ledger.value import Json

NOTHING = Seen()


def told(**facts: Json) -> Log:
    """Make the event of an agent that tells of its session."""
    return Log("info", SESSION, facts)


def called(name: str, args: Json = None, *, ok: bool = True) -> tuple[ToolCall, ToolResult]:
    """Make the events of a call that was answered."""
    return ToolCall(name, name, args or {}), ToolResult(name, ok, "x", None if ok else "refused")


def found(condition: Condition, *happenings: Happening, seen: Seen = NOTHING) -> list[str]:
    """List what is not as the condition wants it."""
    return list(violations(trial(*happenings, FinalOutput("42")).events, condition, seen))


def expecting(**marks: tuple[str, ...]) -> Condition:
    """Make a condition that expects something."""
    return Condition("with", expect=Marks(**marks))


def forbidding(**marks: tuple[str, ...]) -> Condition:
    """Make a condition that forbids something."""
    return Condition("without", forbid=Marks(**marks))


def test_a_condition_that_wants_nothing_is_kept() -> None:
    """Nothing needs to be known then."""
    assert found(Condition("any")) == []


# ------------------------------------------------------------------ tools that it had


def test_a_forbidden_tool_that_the_agent_had_is_a_violation() -> None:
    """Seed 004 section 5: LENS tools are disallowed in both conditions, and it is checked."""
    lens = [f"mcp__lens__{name}" for name in ("get_context", "list_repos")]
    condition = forbidding(tools=("mcp__lens__*", "Task"))

    assert found(condition, told(tools=["Read", "Bash"])) == []
    assert found(condition, told(tools=["Read", *lens])) == [
        "forbid.tools has mcp__lens__*, and the agent had mcp__lens__get_context, "
        "mcp__lens__list_repos"
    ]


def test_a_tool_that_was_used_was_had_though_the_list_lacks_it() -> None:
    """Seed 004 section 5: the list may be told before the server of a forbidden tool is there."""
    session, call = told(tools=["Read"]), called("mcp__lens__get_context")
    refused = called("mcp__lens__get_context", ok=False)

    assert found(forbidding(tools=("mcp__lens__*",)), session, *call) == [
        "forbid.tools has mcp__lens__*, and the agent had mcp__lens__get_context"
    ]
    assert found(expecting(tools=("mcp__lens__*",)), session, *call) == []
    assert found(forbidding(tools=("mcp__lens__*",)), session, *refused) == []


def test_names_of_tools_differ_by_their_case() -> None:
    """`task` is another tool than `Task`."""
    assert found(forbidding(tools=("Task",)), told(tools=["task"])) == []


def test_an_expected_tool_that_was_not_there_is_a_violation() -> None:
    """The nearest name is told, for it may be a slip of the pen."""
    assert found(expecting(tools=("Raed",)), told(tools=["Read", "Bash"])) == [
        "expect.tools demands Raed, but the agent had Read, Bash; did you mean Read?"
    ]
    assert found(expecting(tools=("Read",)), told(tools=[])) == [
        "expect.tools demands Read, but it had no tools"
    ]


def test_tools_of_which_nobody_told_cannot_be_vouched_for() -> None:
    """Seed 004 section 5: a control that cannot be checked does not hold."""
    assert found(forbidding(tools=("mcp__*",))) == [
        "forbid.tools has mcp__*, and the agent told no list of tools"
    ]
    assert found(expecting(tools=("Read",)), told(tools="Read")) == [
        "expect.tools demands Read, but the agent told no list of tools"
    ]


def test_a_long_list_of_tools_is_told_in_short() -> None:
    """Five names, and how many more; none of them can paint a terminal."""
    names = ["\x1b[31mred", "a\nb", *(f"t{number}" for number in range(1000))]
    (message,) = found(expecting(tools=("Zebra",)), told(tools=names))

    assert message == (
        'expect.tools demands Zebra, but the agent had "\\u001b[31mred", "a\\nb", t0, t1, t2 '
        "and 997 more"
    )


# ------------------------------------------------------------------ disallowed tools


def test_a_disallowed_tool_that_the_agent_had_is_a_violation() -> None:
    """Seed 004 section 1: all LENS tools and Task are disallowed; a flag alone proves nothing."""
    condition = Condition("with", disallowed_tools=("Task", "mcp__lens__get_context", "mcp__fs"))
    tools = ["Read", "Task", "TaskList", "mcp__fs__read", "mcp__fsx__read"]

    assert found(condition, told(tools=tools)) == [
        "disallowed_tools has Task, and the agent had Task all the same",
        "disallowed_tools has mcp__fs, and the agent had mcp__fs__read all the same",
    ]


def test_a_disallowed_tool_that_was_used_is_a_violation() -> None:
    """Seed 004 section 5: the Task tool is disallowed; a call that was refused used nothing."""
    condition = Condition("with", disallowed_tools=("Task", "Bash(rm:*)"))

    assert found(condition, *called("Task", ok=False), *called("Bash")) == []
    assert found(condition, *called("Task")) == [
        "disallowed_tools has Task, and the agent used Task all the same"
    ]


def test_disallowed_tools_need_no_list() -> None:
    """An agent that tells none is believed, as long as it uses none of them."""
    assert found(Condition("with", disallowed_tools=("Task",))) == []


# ------------------------------------------------------------------ tools that it used


def test_tools_that_were_used_are_checked() -> None:
    """Seed 004 section 1: the agent does not call LENS tools in either condition."""
    condition = forbidding(used=("mcp__lens__*",))

    assert found(condition, *called("Read")) == []
    assert found(condition, *called("mcp__lens__get_status")) == [
        "forbid.used has mcp__lens__*, and the agent used mcp__lens__get_status"
    ]
    assert found(expecting(used=("Read",)), *called("Read"), *called("Bash")) == []
    assert found(expecting(used=("Read",))) == ["expect.used demands Read, but it used no tools"]


def test_use_cannot_be_vouched_for_where_it_is_not_seen() -> None:
    """Agents that only print their answer show no calls."""
    blind = Seen(visible=False)

    assert found(forbidding(used=("Task",)), seen=blind) == [
        "forbid.used has Task, and the agent's protocol shows no tool calls"
    ]


# ------------------------------------------------------------------ MCP servers


def test_mcp_servers_are_checked() -> None:
    """Seed 004 section 5: a server that failed was not had."""
    servers: Json = [{"name": "lens", "status": "failed"}, {"name": "fs", "status": "connected"}]

    assert found(forbidding(mcp_servers=("lens",)), told(mcp_servers=servers)) == []
    assert found(expecting(mcp_servers=("lens",)), told(mcp_servers=servers)) == [
        "expect.mcp_servers demands lens, but the agent had fs"
    ]
    assert found(forbidding(mcp_servers=("f*",)), told(mcp_servers=servers)) == [
        "forbid.mcp_servers has f*, and the agent had fs"
    ]
    assert found(forbidding(mcp_servers=("f*",))) == [
        "forbid.mcp_servers has f*, and the agent told no list of MCP servers"
    ]


# ------------------------------------------------------------------ prompts


def test_a_prompt_without_its_context_is_a_violation() -> None:
    """Seed 004 section 1: WITH gets its context as a block before the prompt."""
    condition = expecting(prompt=("<lens_context>",))

    assert found(condition, seen=Seen(("<lens_context>\nx\n</lens_context>\n\nq",))) == []
    assert found(condition, seen=Seen(("q",))) == [
        'expect.prompt demands "<lens_context>", but the agent was not told it'
    ]


def test_a_prompt_with_a_trace_of_the_context_is_a_violation() -> None:
    """Seed 004 section 1: WITHOUT has zero artifacts; the text is no pattern."""
    condition = forbidding(prompt=("lens_context", "a*z"))

    assert found(condition, seen=Seen(("q", "abcz"))) == []
    assert found(condition, seen=Seen(("q", "see <lens_context>"))) == [
        'forbid.prompt has "lens_context", and the agent was told it'
    ]


# ------------------------------------------------------------------ files


def test_files_in_the_directory_are_checked() -> None:
    """Seed 004 section 1: no retrieval output lies about where the agent works."""
    seen = Seen(files=(".lens/index.db", "notes/lens.md"))

    assert found(forbidding(files=("*.txt",)), seen=seen) == []
    assert found(forbidding(files=(".lens/*", "**/lens.md")), seen=seen) == [
        "forbid.files has .lens/*, and there was .lens/index.db",
        "forbid.files has **/lens.md, and there was notes/lens.md",
    ]
    assert found(expecting(files=(".lens/*",)), seen=seen) == []
    assert found(expecting(files=("AGENTS.md",))) == [
        "expect.files demands AGENTS.md, but no such file was there or was read"
    ]


@pytest.mark.parametrize("path", [".lens/a.md", "./.lens/a.md", "{home}/.lens/a.md"])
def test_files_that_the_agent_read_are_checked(tmp_path: Path, path: str) -> None:
    """Seed 004 section 1: relative or absolute, and gone by the end or not."""
    read = called("Read", {"file_path": path.format(home=tmp_path)})
    seen = Seen(directory=str(tmp_path))

    assert len(found(forbidding(files=(".lens/*",)), *read, seen=seen)) == 1
    assert found(expecting(files=(".lens/*",)), *read, seen=seen) == []
    assert found(forbidding(files=("a.md",)), *read, seen=seen) == []


def test_a_directory_may_have_two_names(tmp_path: Path) -> None:
    """The agent names the one behind the link that it was started through."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    read = called("Read", {"file_path": f"{(tmp_path / 'real').resolve()}/secret.md"})

    assert (
        len(
            found(
                forbidding(files=("secret.md",)), *read, seen=Seen(directory=str(tmp_path / "link"))
            )
        )
        == 1
    )


def test_files_elsewhere_are_known_by_their_whole_path() -> None:
    """A pattern may be an absolute path; a file that could not be read was not read."""
    condition = forbidding(files=("/etc/lens/*",))
    args: Json = {"path": "/etc/lens/a\nb.json"}

    assert found(condition, *called("read_file", args, ok=False)) == []
    assert found(condition, *called("read_file", args)) == [
        'forbid.files has /etc/lens/*, and there was "/etc/lens/a\\nb.json"'
    ]
