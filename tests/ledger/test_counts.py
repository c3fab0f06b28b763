"""What an agent did, counted by machine."""

from __future__ import annotations

import pytest

from runledger.ledger.attempt import Counts
from runledger.ledger.counts import counts_of
from runledger.ledger.event import (
    Event,
    FinalOutput,
    Happening,
    Log,
    Message,
    TaskStart,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.files_read import files_read_in
from runledger.ledger.usage import Usage
from runledger.ledger.value import Json


def events(*happenings: Happening) -> tuple[Event, ...]:
    """Make events, a millisecond apart."""
    return tuple(Event(ms, what) for ms, what in enumerate(happenings))


def read(name: str, args: Json, *, ok: bool = True, **extra: Json) -> tuple[Event, ...]:
    """Make the events of one call that was answered."""
    return events(ToolCall(name, "c1", args, extra), ToolResult("c1", ok, "text"))


def test_nothing_is_known_of_an_agent_that_shows_only_its_answer() -> None:
    """Seed 004 section 3: where tool calls are not visible, the machine counts none of them."""
    assert counts_of(events(Message("42"), FinalOutput("42")), visible=False) == Counts()


def test_tool_calls_files_and_turns_are_counted() -> None:
    """Seed 004 section 3: counts come from what the agent did, not from what it says it did."""
    did = events(
        TaskStart("q"),
        Message("I look."),
        ToolCall("Read", "a", {"file_path": "/w/a.py"}),
        ToolResult("a", True, "text"),
        ToolCall("Bash", "b", {"command": "ls"}),
        ToolResult("b", True, ""),
        Message("Done. Total tool calls made: 99"),
        FinalOutput("Done. Total tool calls made: 99"),
    )

    assert counts_of(did, visible=True) == Counts(tool_calls=2, files_read=1, turns=3)


def test_calls_at_once_are_one_turn() -> None:
    """Their answers come in any order, and a call told again is the same call."""
    did = events(
        Thought("both"),
        ToolCall("Read", "a", {}),
        ToolCall("Read", "b", {}),
        ToolResult("a", True),
        ToolCall("Read", "b", {}, status="completed"),
        ToolResult("b", True),
        Log("info", "x"),
        UsageReport(Usage(1)),
        Message("done"),
        FinalOutput("done"),
    )

    assert counts_of(did, visible=True).turns == 2


def test_an_answer_is_a_turn_where_an_agent_says_nothing_else() -> None:
    """Agents of the stdio protocol send no messages."""
    did = events(ToolCall("search", "a", {}), ToolResult("a", True), FinalOutput({"x": 1}))

    assert counts_of(did, visible=True).turns == 2


def test_an_agent_that_did_nothing_took_no_turn() -> None:
    """Zero is a count, too."""
    assert counts_of(events(TaskStart("q")), visible=True) == Counts(0, 0, 0)


@pytest.mark.parametrize(
    "name",
    [
        *("Read", "read", "read_file", "ReadFile", "read-file", "read_text_file", "view", "cat"),
        *("read_many_files", "open_file", "NotebookRead", "get_file_contents"),
        *(
            "mcp__fs__read_file",
            "mcp_fs_read_text_file",
            "fs_read_file",
            "fs.read_file",
            "mcp__x__Read",
        ),
    ],
)
def test_tools_that_read_are_known_by_their_names(name: str) -> None:
    """Whatever the case, and whatever server they are of."""
    assert files_read_in(read(name, {"path": "a.py"})) == ("a.py",)


@pytest.mark.parametrize(
    "name", ["Write", "Edit", "Bash", "Grep", "TodoRead", "write_file", "spread", "mcp__read__list"]
)
def test_other_tools_read_no_file(name: str) -> None:
    """A path is no reading."""
    assert files_read_in(read(name, {"path": "a.py"})) == ()


@pytest.mark.parametrize(
    ("args", "paths"),
    [
        ({"file_path": "/w/a.py"}, ("/w/a.py",)),
        ({"filePath": "a.py"}, ("a.py",)),
        ({"absolute_path": "/w/../w/a.py"}, ("/w/a.py",)),
        ({"filename": "./a.py"}, ("a.py",)),
        ({"paths": ["a.py", "b.py", "a.py"]}, ("a.py", "b.py")),
        ({"files": [{"path": "a.py"}, {"file_path": "b.py"}]}, ("a.py", "b.py")),
        ({"path": "file:///w/a.py"}, ("/w/a.py",)),
        ({"path": "odd\nname.py"}, ("odd\nname.py",)),
    ],
)
def test_paths_are_found_where_tools_have_them(args: Json, paths: tuple[str, ...]) -> None:
    """Each file counts once, however its path is spelled."""
    assert files_read_in(read("Read", args)) == paths


@pytest.mark.parametrize(
    "args",
    [
        {},
        None,
        "a.py",
        ["a.py"],
        {"path": 7},
        {"path": None},
        {"path": ""},
        {"path": {"path": {}}},
        {"paths": [1, None, [], {"path": 3}, {}]},
        {"files": {"a": "b"}},
    ],
)
def test_arguments_of_an_odd_shape_name_no_file(args: Json) -> None:
    """Nor do they break anything."""
    assert files_read_in(read("Read", args)) == ()


def test_a_read_that_failed_read_nothing() -> None:
    """The agent has not seen the file."""
    assert files_read_in(read("Read", {"file_path": "a.py"}, ok=False)) == ()


def test_acp_tells_by_the_kind_of_a_call() -> None:
    """The path is in the arguments, or among the call's locations."""
    places: Json = [{"path": "/w/a.py", "line": 3}, {"path": "/w/b.py"}, {"line": 1}, 7]

    assert files_read_in(read("Look at it", {}, kind="read", locations=places)) == (
        "/w/a.py",
        "/w/b.py",
    )
    assert files_read_in(read("x", {"path": "c.py"}, kind="read", locations=places)) == ("c.py",)
    assert files_read_in(read("list", {"path": "src"}, kind="read")) == ()
    assert files_read_in(read("x", {"path": "c.py"}, kind="edit")) == ()
