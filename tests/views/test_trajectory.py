"""Evaluation records: the seed's structure, its cuts, and what a judge is shown of a trajectory."""

from __future__ import annotations

from typing import Any

import pytest

from runledger.ledger.captured import Captured, captured_from
from runledger.views.digest import summary_result
from runledger.views.trajectory import render_record


def result(*steps: dict[str, Any], **keys: Any) -> Captured:
    """Make a result with these steps, as if its line had been read."""
    line = {
        "id": "test-001",
        "input": "Create a primary button",
        "output": "Done",
        "trajectory": [{"timestamp": 0, **step} for step in steps],
        "metadata": {"category": "ui"},
        "timing": {"start": 1000, "end": 2234},
        "toolErrors": False,
        **keys,
    }
    (captured,) = captured_from(line)
    return captured


def call(**keys: Any) -> dict[str, Any]:
    """Make a tool call."""
    return {"type": "tool_call", "name": "Write", "status": "completed", **keys}


def steps_shown(*steps: dict[str, Any]) -> str:
    """Render steps and give the part of the record that shows them."""
    text = render_record(result(*steps))
    return text.partition("**Trajectory:**\n")[2].partition("\n\n**Output:**")[0]


def test_a_record_has_the_structure_of_the_seed() -> None:
    """Heading, input, numbered steps with references, output and figures, and a rule."""
    text = render_record(
        result(
            {"type": "thought", "content": "I'll create it", "stepId": "test-001-step-1"},
            call(duration=234, stepId="test-001-step-2"),
            {"type": "plan", "entries": [], "stepId": "test-001-step-3"},
            {"type": "message", "content": "I created it", "stepId": "test-001-step-4"},
            metadata={"category": "ui", "agent": "claude-code-acp"},
        )
    )

    assert text == (
        "## Evaluation Record: test-001\n"
        "\n"
        "**Input:** Create a primary button\n"
        "\n"
        "**Trajectory:**\n"
        "1. [THOUGHT] I'll create it [->test-001-step-1]\n"
        "2. [TOOL:Write] -> completed (234ms) [->test-001-step-2]\n"
        "3. [PLAN] 0/0 done [->test-001-step-3]\n"
        "4. [MESSAGE] I created it [->test-001-step-4]\n"
        "\n"
        "**Output:** Done\n"
        "**Metadata:** category=ui, agent=claude-code-acp\n"
        "**Tool Errors:** false\n"
        "**Duration:** 1234ms\n"
        "\n"
        "---\n"
    )


@pytest.mark.parametrize(
    "ordinary",
    [
        "I'll create a <button> with `code`, **bold** words and a [link](https://example.org)",
        "1 < 2 && a > b; x = y[0] -> z # comment ## more ---",
        "List<String> items = vec![1]; $PATH \\d+ C:\\temp ~~~ ``` fences",
        "Où trouver ma facture ? 请 🙂",
    ],
)
def test_an_ordinary_text_is_shown_as_it_is(ordinary: str) -> None:
    """Byte for byte, wherever it stands."""
    text = render_record(
        result(
            {"type": "message", "content": ordinary},
            input=ordinary,
            output=ordinary,
            score={"pass": True, "score": 1, "reasoning": ordinary},
        )
    )

    assert f"**Input:** {ordinary}\n" in text
    assert f"1. [MESSAGE] {ordinary} [->test-001-step-1]\n" in text
    assert f"**Output:** {ordinary}\n" in text
    assert f"**Reasoning:** {ordinary}\n" in text


@pytest.mark.parametrize("kind", ["thought", "message"])
@pytest.mark.parametrize("character", ["x", "é", "👩\u200d👩\u200d👧", "e\u0301", "🇫🇷"])
def test_thoughts_and_messages_are_cut_at_100_characters(kind: str, character: str) -> None:
    """100 are shown whole; of 101, the first 100 and three dots."""
    label = f"[{kind.upper()}]"
    whole = steps_shown({"type": kind, "content": character * 100})
    cut = steps_shown({"type": kind, "content": character * 101})

    assert whole == f"1. {label} {character * 100} [->test-001-step-1]"
    assert cut == f"1. {label} {character * 100}... [->test-001-step-1]"


def test_the_output_is_cut_at_200_characters_and_the_input_is_not() -> None:
    """A judge needs the whole question."""
    text = render_record(result(output="x" * 201, input="y" * 5000))

    assert f"**Output:** {'x' * 200}...\n" in text
    assert f"**Input:** {'y' * 5000}\n" in text


def test_objects_are_canonical_json_and_turns_are_lines() -> None:
    """Agents that speak JSON are judged by the same record."""
    text = render_record(result(input={"b": 1, "a": "é"}, output={"z": [1, 2.0], "a": None}))

    assert '**Input:** {"a":"é","b":1}\n' in text
    assert '**Output:** {"a":null,"z":[1,2.0]}\n' in text
    assert "**Input:** first\n    second\n" in render_record(result(input=["first", "second"]))


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        ({"pass": True, "score": 1}, "**Score:** PASS (1)\n"),
        ({"pass": True, "score": 1.0}, "**Score:** PASS (1)\n"),
        ({"pass": False, "score": 0.5}, "**Score:** FAIL (0.5)\n"),
        (
            {"pass": False, "score": 0, "reasoning": "No\nbutton"},
            "**Score:** FAIL (0)\n**Reasoning:** No\n    button\n",
        ),
    ],
)
def test_a_graded_result_shows_its_score(score: dict[str, Any], shown: str) -> None:
    """The verdict, the figure, and why."""
    assert f"**Duration:** 1234ms\n{shown}\n---\n" in render_record(result(score=score))
    assert "**Score:**" not in render_record(result())


def test_one_of_several_trials_says_which_it_is() -> None:
    """The id stays the prompt's."""
    line = {
        "id": "p",
        "input": "q",
        "k": 2,
        "trials": [
            {"trialNum": 1, "output": "a", "trajectory": [], "duration": 5},
            {"trialNum": 2, "output": "b", "duration": 7, "pass": False, "score": 0.0},
        ],
    }
    first, second = captured_from(line)

    assert "## Evaluation Record: p\n" in render_record(second, repeated=True)
    assert "**Duration:** 7ms\n**Trial:** 2\n**Score:** FAIL (0)\n" in render_record(
        second, repeated=True
    )
    assert summary_result(first, repeated=True) == {
        "id": "p",
        "trial": 1,
        "input": "q",
        "output": "a",
        "toolCalls": [],
        "duration": 5,
    }


def test_a_step_without_an_id_is_counted() -> None:
    """Files of other tools are read as well; in trials the number of the trial is part of it."""
    plain = result({"type": "thought", "content": "x"}, call(stepId="own"), call())

    assert "[->test-001-step-1]\n2. [TOOL:Write] -> completed [->own]" in render_record(plain)
    assert "3. [TOOL:Write] -> completed [->test-001-t1-step-3]" in render_record(
        plain, repeated=True
    )


PLANS = {
    "1/3 done: write it": [
        {"content": "read it", "status": "completed"},
        {"content": "test it", "status": "pending"},
        {"content": "write it", "status": "in_progress", "priority": "high"},
    ],
    "1/2 done: next": [
        {"content": "first", "status": "completed"},
        {"content": "next", "status": "pending"},
    ],
    "2/2 done": [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "completed"},
    ],
    "1/2 done: write it": [
        {"text": "read it", "completed": True},
        {"text": "write it", "completed": False},
    ],
    "0/1 done: just words": ["just words"],
    "0/1 done: " + "x" * 100 + "...": [{"content": "x" * 101, "status": "in_progress"}],
}


@pytest.mark.parametrize("shown", PLANS)
def test_a_plan_shows_how_much_is_done_and_what_is_next(shown: str) -> None:
    """Done of all, and the entry that is being done, or else the first one left."""
    assert steps_shown({"type": "plan", "entries": PLANS[shown]}) == (
        f"1. [PLAN] {shown} [->test-001-step-1]"
    )


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("file_path", "content"),
        ("filePath", "content"),
        ("path", "newText"),
        ("filename", "contents"),
        ("file_path", "new_string"),
        ("filePath", "newString"),
        ("path", "file_text"),
        ("path", "new_str"),
        ("notebook_path", "new_source"),
    ],
)
def test_a_file_that_was_written_is_shown(path: str, content: str) -> None:
    """However the agent calls the path and the content of it."""
    shown = steps_shown(call(input={path: "src/button.tsx", content: "a\nb\n"}, duration=1))

    assert shown == (
        "1. [TOOL:Write] -> completed (1ms) [->test-001-step-1]\n"
        "   File: src/button.tsx (4 chars)\n"
        "   ```tsx\n"
        "   a\n"
        "   b\n"
        "   ```"
    )


def written(lines: int, ending: str = "\n") -> str:
    """Render a file of so many lines and give its block."""
    content = "".join(f"line {number}{ending}" for number in range(1, lines + 1))
    return steps_shown(call(input={"file_path": "a.py", "content": content}))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_file_of_12_lines_is_shown_whole(ending: str) -> None:
    """The end of its last line begins no thirteenth."""
    assert written(12, ending).count("   line") == 12
    assert "omitted" not in written(12, ending)


def test_of_a_longer_file_head_and_tail_are_shown() -> None:
    """The first 8 lines, how many are left out, the last 4."""
    assert written(20).partition("```py\n")[2] == (
        "".join(f"   line {number}\n" for number in range(1, 9))
        + "\n   // ... 8 lines omitted ...\n\n"
        + "".join(f"   line {number}\n" for number in range(17, 21))
        + "   ```"
    )


def test_a_file_on_one_endless_line_is_cut() -> None:
    """A judge reads no bundle."""
    shown = steps_shown(call(input={"path": "a.js", "content": "x" * 1_000_000}))

    assert "(1000000 chars)" in shown
    assert len(shown) < 1000


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("Makefile", ""),
        (".gitignore", ""),
        ("a.b/c", ""),
        ("a.tar.gz", "gz"),
        ("x.c++", "c++"),
        ("x.a b", ""),
        ("x.```", ""),
        ("C:\\temp\\x.cs", "cs"),
    ],
)
def test_the_language_is_the_ending_of_the_name(path: str, language: str) -> None:
    """Only where there is one, and it is a word."""
    shown = steps_shown(call(input={"path": path, "content": "x"}))

    assert f"\n   ```{language}\n   x\n   ```" in shown


def test_a_file_that_was_only_read_is_named() -> None:
    """There is nothing to show of it but its path; and no path, no file."""
    assert steps_shown(call(input={"file_path": "a.py"})).endswith("\n   File: a.py")
    assert "\n" not in steps_shown(call(input={"content": "x"}))
    assert "\n" not in steps_shown(call(input="a.py"))
    assert "\n" not in steps_shown(call(input={"path": 1, "content": "x"}))


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ({}, "**Metadata:**\n"),
        ({"a": 1, "b": True, "c": None}, "**Metadata:** a=1, b=true, c=null\n"),
        ({"tags": ["x"], "o": {"k": 1}}, '**Metadata:** tags=["x"], o={"k":1}\n'),
        ({"agent": "node a.mjs --model=x"}, "**Metadata:** agent=node a.mjs --model=x\n"),
        ({"a": "x, score=1"}, '**Metadata:** a="x, score=1"\n'),
        ({"a, b": "x"}, '**Metadata:** "a, b"=x\n'),
        ({"a": "x" * 300}, f"**Metadata:** a={'x' * 200}...\n"),
    ],
)
def test_metadata_are_pairs(metadata: dict[str, Any], shown: str) -> None:
    """A value that could pass for another pair is in quotes."""
    assert shown in render_record(result(metadata=metadata))


def test_a_summary_keeps_repeats_in_order() -> None:
    """Exactly the seed's keys, in the seed's order."""
    steps = [call(name="Read"), {"type": "thought", "content": "x"}, call(), call(name="Read")]
    line = summary_result(result(*steps))

    assert list(line) == ["id", "input", "output", "toolCalls", "duration"]
    assert line["toolCalls"] == ["Read", "Write", "Read"]
    assert line["duration"] == 1234
