"""Words of ours stay in a record, whatever an agent calls its password; its own words do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.effort import MORE_BRIEFLY
from record_kit import ID, SIGNAL, TRIAL, ReadBack, read_back
from runledger.ledger.event import (
    Failed,
    FinalOutput,
    Graded,
    Happening,
    Log,
    Message,
    Raw,
    ToolCall,
    ToolResult,
)
from runledger.ledger.grade import NOT_JUDGED, Failure, Grade
from runledger.ledger.result import GRADER_ERROR
from runledger.ledger.strict_json import MAX_DEPTH
from runledger.ledger.value import Json
from runledger.store.redact.own_names import own_names
from runledger.store.redact.redactor import MOST_FINDS, Redactor

TOOL = "search_docs"
TYPES = (
    *sorted(NOT_JUDGED),
    *("assertion_failed", "budget_exceeded", "tool_not_allowed"),
    *("cassette_miss", "cassette_exhausted", "cassette_order", "cassette_unused"),
)
KINDS = {"assertion": "json_schema", "budget": "max_tokens_out"}

# All that a record is read by, which an agent may call its password.
WORDS = (
    *TYPES,
    *(GRADER_ERROR, "grader error", "tool_call", "from_agent", *KINDS.values()),
    *(f"{ID}-t1-step-1", ID, TOOL, SIGNAL, "order_nr 77", *sorted(own_names())),
)


def told(*words: str) -> Happening:
    """Call words passwords."""
    return Log("info", "m", [{"password": word} for word in words])


def everything(type: str, *words: str) -> list[Happening]:
    """Let a bit of everything happen after words were called passwords."""
    return [
        told(*words),
        Raw("from_agent", {"a": 1}),
        ToolCall(TOOL, "call-1", {"q": 1}),
        ToolResult("call-1", True, "found"),
        Message("well"),
        FinalOutput({"answer": 42}),
        Failed(Failure(type, f"{type}: it went wrong", KINDS)),
        Graded(Grade("json_schema", False, 0.0)),
    ]


def check_log(found: ReadBack, type: str) -> None:
    """Check that the words of ours in run.jsonl are what they were."""
    status = "error" if type in NOT_JUDGED else "failed"
    assert [(one.type, one.details) for one in found.row.failures] == [(type, KINDS)]
    assert (found.row.status, found.row.exit.signal) == (status, SIGNAL)
    assert found.row.unjudged == (() if status == "error" else ("max_tokens_out", "max_cost_usd"))
    assert [one.grade.grader for one in found.events if isinstance(one, Graded)] == ["json_schema"]


def check_result(found: ReadBack, type: str) -> None:
    """Check that the words of ours in results.jsonl are what they were."""
    line = found.line
    assert (line["id"], line["input"], line["status"]) == (ID, TRIAL.task.input, found.row.status)
    assert [(one["type"], one["details"]) for one in line["failures"]] == [(type, KINDS)]
    assert line["exitInfo"]["signal"] == SIGNAL
    steps = [(step["type"], step["stepId"]) for step in line["trajectory"]]
    assert steps == [("tool_call", f"{ID}-t1-step-1"), ("message", f"{ID}-t1-step-2")]
    of_grader = any(error.startswith(GRADER_ERROR) for error in line.get("errors", ()))
    assert of_grader is (type == "grader_error")


@pytest.mark.parametrize("type", TYPES)
def test_a_failure_of_any_type_is_read_back_whatever_was_called_a_password(type: str) -> None:
    """Even where an agent knows all our words, and calls each of them its password."""
    found = read_back(everything(type, *WORDS), [TOOL])

    check_log(found, type)
    check_result(found, type)


def test_the_tools_of_a_suite_keep_their_names() -> None:
    """They are the words of its author; what an agent calls them makes no secret of them."""
    found = read_back(everything("timeout", TOOL, TOOL[1:-1]), [TOOL])

    assert found.row.tool_calls_by_name == {TOOL: 1}
    assert found.line["trajectory"][0]["name"] == TOOL


@MORE_BRIEFLY
@given(st.data())
def test_no_part_of_a_word_of_ours_can_be_taken_away(data: st.DataObject) -> None:
    """Nor what begins in one word and ends in another."""
    type = data.draw(st.sampled_from(TYPES))
    whole = data.draw(st.sampled_from([*WORDS, f"{GRADER_ERROR}{type}: it went wrong"]))
    start = data.draw(st.integers(0, len(whole) - 1))
    part = whole[start : data.draw(st.integers(start + 1, len(whole)))]

    found = read_back(everything(type, part, *data.draw(st.lists(st.text(), max_size=3))))

    check_log(found, type)
    check_result(found, type)


def test_what_an_agent_told_is_hidden_in_its_own_words_all_the_same() -> None:
    """Also as the name of a tool that the suite does not know, and as a key."""
    secret = "hunter_two_and_more"
    said = [
        told(secret),
        ToolCall(secret, "call-1", {secret: secret}),
        Message(f"so {secret} it is"),
        Failed(Failure("task_error", f"gave up: {secret}", {"data": {secret: 1}})),
    ]

    found = read_back(said, [TOOL])

    assert secret not in found.text
    assert found.row.tool_calls_by_name == {"[REDACTED]": 1}


def test_an_agent_that_tells_ever_more_secrets_is_remembered_only_so_far() -> None:
    """Patterns of all that it tells are looked for in every event: they must not grow for ever."""
    secrets = [f"pw-{number:03}-{'x1' * 500}" for number in range(100)]
    flood = [told(*secrets[at : at + 20]) for at in range(0, 100, 20)]

    found = read_back([*flood, Message(f"{secrets[0]}, {secrets[-1]}")])

    assert Message(f"[REDACTED], {secrets[-1]}") in found.events


@pytest.mark.parametrize("finds", [1, MOST_FINDS + 1], ids=["looked through", "crowded"])
def test_a_secret_of_letters_alone_is_hidden_as_a_key_unless_it_is_a_name_of_ours(
    finds: int,
) -> None:
    """A person may choose any word; only fields that records are read by keep their names."""
    value = {"trajectory": {"correcthorsebattery": 1, "input": "correcthorsebattery " * finds}}

    shown = Redactor(["correcthorsebattery", "trajectory"]).value(value)

    assert isinstance(shown, dict)
    assert list(shown["trajectory"]) == ["[REDACTED]", "input"]


def test_what_is_nested_as_deep_as_an_agent_may_is_kept() -> None:
    """Its secrets are taken out at every level, and no level is one too many for that."""
    deep: Json = {"password": "hunter-2-and-3"}
    for level in range(MAX_DEPTH - 2):
        deep = [deep] if level % 2 else {"a": deep}

    found = read_back(
        [ToolCall(TOOL, "1", deep), FinalOutput({"deep": deep}), told("grader_error")]
    )

    assert "hunter-2-and-3" not in found.text
    assert found.row.status == "passed"
