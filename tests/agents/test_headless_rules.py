"""How the rules of an adapter read one line."""

from __future__ import annotations

import pytest

from runledger.agents.headless.steps import Known, Meant, steps_in
from runledger.ledger.adapter import EventRule, When
from runledger.ledger.event import Message, Plan, Thought, ToolCall, ToolResult, UsageReport
from runledger.ledger.usage import Usage
from runledger.ledger.value import Json

TEXT = EventRule({"c.*.type": "text"}, "message", {"text": ("c.*.text",)})
THOUGHT = EventRule({"c.*.type": "thought"}, "thought", {"text": ("c.*.text",)})


def read(line: Json, *rules: EventRule, known: Known | None = None) -> list[Meant]:
    """Read a line by rules."""
    return list(steps_in(line, rules, known or Known()))


def fits(when: When, line: Json) -> bool:
    """Say whether a line fits a condition."""
    return bool(read(line, EventRule(when, "message", {"text": ("text", "type")})))


@pytest.mark.parametrize(
    ("when", "fitting"),
    [
        ({"type": "a"}, True),
        ({"type": ["b", "a"]}, True),
        ({"type": "b"}, False),
        ({"deep.n": 1}, True),
        ({"deep.n": True}, False),  # 1 is not true
        ({"deep.n": "1"}, False),
        ({"missing": None}, True),
        ({"nothing": None}, True),
        ({"type": None}, False),
        ({"missing": [None, "x"]}, True),
        ({"type": "a", "deep.n": 2}, False),
        ({"type.below": "a"}, False),
        ({"list.0": "first"}, True),
        ({}, True),
    ],
)
def test_a_condition_holds_where_every_path_has_its_value(when: When, fitting: bool) -> None:
    """Values are equal in kind too; null stands for what is not there."""
    line = {"type": "a", "deep": {"n": 1}, "nothing": None, "list": ["first"]}

    assert fits(when, line) is fitting


def test_items_keep_their_order_over_all_rules() -> None:
    """What the agent said first comes first, whichever rule reads it."""
    line = {
        "c": [
            {"type": "thought", "text": "a"},
            {"type": "text", "text": "b"},
            {"type": "image"},
            {"type": "thought", "text": "c"},
        ]
    }

    assert read(line, TEXT, THOUGHT) == [Thought("a"), Message("b"), Thought("c")]


def test_paths_with_an_asterisk_speak_of_the_same_item() -> None:
    """A field is taken from the item for which the condition holds."""
    line = {"c": [{"type": "x", "text": "no"}, {"type": "text", "text": "yes"}]}

    assert read(line, TEXT) == [Message("yes")]


@pytest.mark.parametrize(
    "line", [{}, {"c": None}, {"c": {"type": "text"}}, {"c": "text"}, {"c": [1]}]
)
def test_a_list_that_is_none_holds_no_items(line: Json) -> None:
    """Agents of other versions say other things; that is no reason to fall over."""
    assert read(line, TEXT) == []


def test_a_line_can_be_a_call_and_its_result() -> None:
    """Two rules may read the same line."""
    call = EventRule({"t": "tool"}, "tool_call", {"id": ("id",), "name": ("n",), "input": ("in",)})
    result = EventRule({"t": "tool"}, "tool_result", {"id": ("id",), "output": ("out",)})

    assert read({"t": "tool", "id": "1", "n": "Read", "in": [1], "out": {}}, call, result) == [
        ToolCall("Read", "1", [1]),
        ToolResult("1", ok=True, result={}),
    ]


def test_of_several_places_the_first_that_leads_somewhere_counts() -> None:
    """Null leads nowhere, and so does a text one of whose blanks has no value."""
    rule = EventRule({}, "message", {"text": ("a.b", "x-{missing}", "<{n}:{c}>", "c")})

    assert read({"a": {"b": None}, "n": 1, "c": "hi"}, rule) == [Message("<1:hi>")]
    assert read({"c": "hi"}, rule) == [Message("hi")]
    assert read({}, rule) == []


def test_a_field_can_be_an_object_of_places() -> None:
    """Arguments that an agent tells apart are put together; what is missing is left out."""
    fields = {"id": ("id",), "name": ("n",), "input": {"command": ("cmd",), "cwd": ("dir",)}}

    assert read({"id": 7, "n": "sh", "cmd": "ls"}, EventRule({}, "tool_call", fields)) == [
        ToolCall("sh", "7", {"command": "ls"})
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"out": "x"}, ToolResult("1", ok=True, result="x")),
        ({"out": "x", "bad": True}, ToolResult("1", ok=False, error="x")),
        ({"out": "x", "bad": "true"}, ToolResult("1", ok=True, result="x")),
        ({"out": "x", "err": "why"}, ToolResult("1", ok=False, error="why")),
        ({"out": "x", "err": None}, ToolResult("1", ok=True, result="x")),
        ({"out": "x", "code": 0}, ToolResult("1", ok=True, result="x")),
        ({"out": "x", "code": 2}, ToolResult("1", ok=True, result="x", exit_code=2)),
        ({"out": "x", "code": True}, ToolResult("1", ok=True, result="x")),
        ({}, ToolResult("1", ok=True)),
    ],
)
def test_a_tool_failed_by_a_flag_or_by_an_error(
    line: dict[str, Json], expected: ToolResult
) -> None:
    """`failed` must be true and `error` be there; an exit code is told beside a success."""
    places = {"id": "id", "output": "out", "error": "err", "failed": "bad", "exit_code": "code"}
    rule = EventRule({}, "tool_result", {name: (place,) for name, place in places.items()})

    assert read({"id": "1", **line}, rule) == [expected]


def test_the_exit_code_in_the_result_of_a_shell_tool_is_found() -> None:
    """Only tools that run commands are asked: a file may hold such a line, too."""
    known = Known()
    call = EventRule({"t": "call"}, "tool_call", {"id": ("id",), "name": ("n",)})
    result = EventRule({"t": "end"}, "tool_result", {"id": ("id",), "output": ("out",)})
    found = []
    for id, name in (("1", "run_shell_command"), ("2", "read_file")):
        read({"t": "call", "id": id, "n": name}, call, known=known)
        found += read({"t": "end", "id": id, "out": "oh\nExit Code: 4"}, result, known=known)

    assert [one.exit_code for one in found if isinstance(one, ToolResult)] == [4, None]


def test_a_call_without_an_id_is_no_step() -> None:
    """Nobody could tell which call it is."""
    rule = EventRule({}, "tool_call", {"id": ("id",), "name": ("n",)})

    assert read({"n": "Read"}, rule) == []


def test_a_call_that_is_told_again_keeps_its_name() -> None:
    """Later lines need not repeat it; a call that never had one is shown as such."""
    known = Known()
    rule = EventRule({}, "tool_call", {"id": ("id",), "name": ("n",)})
    first = read({"id": "1", "n": "Read"}, rule, known=known)

    assert read({"id": "1"}, rule, known=known) == first
    assert read({"id": "2"}, rule, known=known) == [ToolCall("unnamed", "2", {})]


def test_figures_of_several_places_add_up() -> None:
    """What is no number from zero on is no figure, and where there is none there is no report."""
    fields = {"tokens_in": ("a", "b", "c"), "tokens_out": ("d",), "cost_usd": ("e",)}
    rule = EventRule({}, "usage", fields)

    assert read({"a": 1, "b": 2, "c": "3", "d": -1, "e": 0.5}, rule) == [
        UsageReport(Usage(3, None, 0.5))
    ]
    assert read({"a": True, "d": None}, rule) == []


def test_a_plan_is_a_list_of_entries() -> None:
    """Anything else is none."""
    rule = EventRule({}, "plan", {"entries": ("todo",)})

    assert read({"todo": [{"text": "look"}]}, rule) == [Plan([{"text": "look"}])]
    assert read({"todo": "look"}, rule) == []


def test_what_is_not_text_is_written_as_json() -> None:
    """A text in an unexpected shape is shown, not lost."""
    rule = EventRule({}, "message", {"text": ("text",)})

    assert read({"text": [{"a": 1}]}, rule) == [Message('[{"a":1}]')]
