"""The output formats of seed 003: its examples are read, and what it shows is what is written."""

from __future__ import annotations

import json
import re
import subprocess
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kit import clean_environment, command
from runledger.harness.schemas import schema_of
from runledger.ledger.captured import captured_from
from runledger.suite.load import load_prompts

CAPTURE = (
    '{"id":"test-001","input":"Create a primary button",'
    '"output":"I created the button in src/button.tsx","trajectory":['
    '{"type":"thought","content":"I\'ll create a styled button template","timestamp":100,'
    '"stepId":"test-001-step-1"},'
    '{"type":"tool_call","name":"Write","status":"completed",'
    '"input":{"file_path":"src/button.tsx","content":"..."},"output":"File written",'
    '"duration":234,"timestamp":150,"stepId":"test-001-step-2"},'
    '{"type":"message","content":"I created the button","timestamp":500,'
    '"stepId":"test-001-step-3"}],"metadata":{"category":"ui"},'
    '"timing":{"start":1704067200000,"end":1704067201234,"firstResponse":100},'
    '"toolErrors":false}'
)
SECOND = (
    '{"id":"test-002","input":"Fix the TypeScript error","output":"I fixed the type error...",'
    '"trajectory":['
    '{"type":"tool_call","name":"Read","status":"completed","timestamp":1,"stepId":"test-002-step-1"},'
    '{"type":"tool_call","name":"Edit","status":"completed","timestamp":2,"stepId":"test-002-step-2"}'
    '],"metadata":{},"timing":{"start":1000,"end":3567},"toolErrors":false}'
)
SUMMARY = (
    '{"id":"test-001","input":"Create a primary button",'
    '"output":"I created the button in src/button.tsx","toolCalls":["Write"],"duration":1234}\n'
    '{"id":"test-002","input":"Fix the TypeScript error","output":"I fixed the type error...",'
    '"toolCalls":["Read","Edit"],"duration":2567}\n'
)
TRIALS = (
    '{"id":"search-001","input":"Find the CEO of Anthropic","k":5,"trials":['
    '{"trialNum":1,"output":"Dario Amodei...","trajectory":[],"duration":1234},'
    '{"trialNum":2,"output":"The CEO is Dario...","trajectory":[],"duration":1100}]}'
)
GRADED = (
    '{"id":"search-001","input":"Find the CEO of Anthropic","k":5,"passRate":0.8,'
    '"passAtK":0.9997,"passExpK":0.3277,"trials":['
    '{"trialNum":1,"output":"Dario Amodei...","pass":true,"score":1.0,"duration":1234},'
    '{"trialNum":2,"output":"I don\'t know...","pass":false,"score":0.0,'
    '"reasoning":"Missing expected answer","duration":1100}]}'
)
PROMPT = (
    '{"id":"test-001","input":"Create a primary button",'
    '"expected":"should contain <button>","metadata":{"category":"ui"}}'
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Write the seed's results to a file."""
    file = tmp_path / "results.jsonl"
    file.write_text(f"{CAPTURE}\n{SECOND}\n")
    return file


def summarized(file: Path, *words: str) -> str:
    """Run the command as the seed does."""
    done = subprocess.run(
        command("summarize", file, *words),
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("CaptureResult", CAPTURE),
        ("CaptureResult", SECOND),
        ("TrialResult", TRIALS),
        ("TrialResult", GRADED),
        ("PromptCase", PROMPT),
        *(("SummaryResult", line) for line in SUMMARY.splitlines()),
    ],
)
def test_the_seeds_lines_keep_to_their_schemas(name: str, line: str) -> None:
    """What the seed shows is valid; none of our additions is demanded."""
    found = Draft202012Validator(schema_of(name)).iter_errors(json.loads(line))

    assert [error.message for error in found] == []


def test_the_seeds_results_are_read() -> None:
    """With a grader and without one, captured once or several times."""
    (capture,) = captured_from(json.loads(CAPTURE))
    ungraded = list(captured_from(json.loads(TRIALS)))
    graded = list(captured_from(json.loads(GRADED)))

    assert (capture.duration_ms, capture.passed) == (1234, None)
    assert [trial.passed for trial in ungraded] == [None, None]
    assert [trial.passed for trial in graded] == [True, False]
    assert graded[1].score is not None
    assert graded[1].score.reasoning == "Missing expected answer"


def test_the_seeds_prompt_is_read(tmp_path: Path) -> None:
    """With every field of its table."""
    fields: dict[str, Any] = {**json.loads(PROMPT), "reference": "<button/>", "timeout": 90_000}
    (tmp_path / "prompts.jsonl").write_text(json.dumps(fields) + "\n")
    (task,) = load_prompts(str(tmp_path / "prompts.jsonl"))

    assert (task.id, task.input) == ("test-001", "Create a primary button")
    assert (task.expected, task.metadata) == ("should contain <button>", {"category": "ui"})


def test_the_summary_is_the_seeds(results: Path) -> None:
    """Line for line, byte for byte."""
    assert summarized(results) == SUMMARY


def test_the_seeds_analyses_hold(results: Path) -> None:
    """What its jq commands compute: the mean duration, the use of tools, a filter by words."""
    lines = [json.loads(line) for line in summarized(results).splitlines()]
    used = sorted(tool for line in lines for tool in line["toolCalls"])
    durations = [line["duration"] for line in lines]

    assert sum(durations) / len(durations) == 1900.5
    assert {tool: len([*group]) for tool, group in groupby(used)} == {
        "Edit": 1,
        "Read": 1,
        "Write": 1,
    }
    assert [line["id"] for line in lines if "error" in line["output"]] == ["test-002"]


def test_the_markdown_is_the_seeds(results: Path) -> None:
    """The structure of a record, with what the example says in it."""
    text = summarized(results, "--markdown")
    record, _, second = text.partition("\n## Evaluation Record: test-002\n")

    assert record == (
        "## Evaluation Record: test-001\n"
        "\n"
        "**Input:** Create a primary button\n"
        "\n"
        "**Trajectory:**\n"
        "1. [THOUGHT] I'll create a styled button template [->test-001-step-1]\n"
        "2. [TOOL:Write] -> completed (234ms) [->test-001-step-2]\n"
        "   File: src/button.tsx (3 chars)\n"
        "   ```tsx\n"
        "   ...\n"
        "   ```\n"
        "3. [MESSAGE] I created the button [->test-001-step-3]\n"
        "\n"
        "**Output:** I created the button in src/button.tsx\n"
        "**Metadata:** category=ui\n"
        "**Tool Errors:** false\n"
        "**Duration:** 1234ms\n"
        "\n"
        "---\n"
    )
    assert "1. [TOOL:Read] -> completed [->test-002-step-1]\n" in second


def test_a_step_is_found_by_its_reference(results: Path) -> None:
    """Every reference in the Markdown leads to one step of the results, and all steps have one."""
    index: dict[str, Any] = {}
    for line in results.read_text().splitlines():
        for step in json.loads(line)["trajectory"]:
            assert step["stepId"] not in index
            index[step["stepId"]] = step
    references = re.findall(r"\[->([^\]]+)\]", summarized(results, "--markdown"))

    assert references == list(index)
    assert index["test-001-step-2"]["input"] == {"file_path": "src/button.tsx", "content": "..."}


def test_trials_keep_their_steps_apart(tmp_path: Path) -> None:
    """The steps of two trials of one prompt have different references."""
    step = {"type": "message", "content": "x", "timestamp": 1}
    trials = [
        {"trialNum": number, "output": "x", "trajectory": [step, step], "duration": 1}
        for number in (1, 2)
    ]
    file = tmp_path / "trials.jsonl"
    file.write_text(json.dumps({"id": "p", "input": "q", "k": 2, "trials": trials}) + "\n")
    references = re.findall(r"\[->([^\]]+)\]", summarized(file, "--markdown"))

    assert references == ["p-t1-step-1", "p-t1-step-2", "p-t2-step-1", "p-t2-step-2"]
