"""The scripts of the example experiment do what its README says, each by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runledger.ledger.experiment import Experiment
from runledger.ledger.prompts import prompts_of, wrapped
from runledger.ledger.task import Task
from runledger.suite.experiment import load_experiment

BENCH = Path(__file__).resolve().parents[2] / "examples" / "bench"


def run(script: str, *words: str, given: str = "", cwd: Path = BENCH) -> str:
    """Run a script of the example and give what it prints."""
    command = [sys.executable, str(BENCH / script), *words]
    done = subprocess.run(command, input=given, cwd=cwd, capture_output=True, text=True, check=True)
    return done.stdout


def ask(question: str, context: str = "", refused: str = "Task") -> list[dict[str, Any]]:
    """Ask the agent, and give the lines that it says."""
    block = f"{wrapped('project_context', context)}\n\n" if context else ""
    said = run("agent.py", refused, given=f"{block}{question}\n\nReport.", cwd=BENCH / "repo")
    return [json.loads(line) for line in said.splitlines()]


def calls_in(lines: list[dict[str, Any]]) -> list[str]:
    """List the tools that the agent used."""
    return [line["name"] for line in lines if line["type"] == "tool_call"]


def judged(script: str, criterion: str, output: str) -> dict[str, Any]:
    """Ask a judge of the example."""
    question = {
        "task": {"id": "t", "input": ""},
        "criterion": {"id": "c", "text": criterion},
        "output": output,
    }
    verdict: dict[str, Any] = json.loads(run(script, given=json.dumps(question)))
    return verdict


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    """Load the example."""
    return load_experiment(BENCH)


def question_of(task: Task) -> str:
    """Give the one prompt of a task."""
    (prompt,) = prompts_of(task.input)
    return prompt


def test_with_context_the_agent_reads_one_file_and_states_more(experiment: Experiment) -> None:
    """In every task the context names the right file, and the search takes longer."""
    for task in experiment.tasks:
        question = question_of(task)
        plain = ask(question)
        told = ask(question, run("context.py", question))
        checks = [one.contains for one in task.criteria if one.contains is not None]

        assert calls_in(told) == ["Read"]
        assert len(calls_in(plain)) > 1
        assert all(text in told[-1]["text"] for text in checks)


def test_the_agent_says_the_same_each_time(experiment: Experiment) -> None:
    """There is no chance in it."""
    question = question_of(experiment.tasks[0])

    assert ask(question) == ask(question)


def test_the_agent_has_no_tool_that_it_was_refused() -> None:
    """It tells which tools it has, so that this can be checked."""
    assert ask("Why?")[0]["tools"] == ["Read", "Search"]
    assert ask("Why?", refused="none")[0]["tools"] == ["Read", "Search", "Task"]


def test_the_agent_reports_fewer_calls_than_it_made(experiment: Experiment) -> None:
    """It forgets its searches: what is counted and what is reported differ."""
    lines = ask(question_of(experiment.tasks[0]))
    read = calls_in(lines).count("Read")

    assert f"Total tool calls made: {read}\nFiles read: {read}\n" in lines[-1]["text"]
    assert len(calls_in(lines)) > read


@pytest.mark.parametrize("script", ["judge.py", "judge_strict.py"])
def test_a_judge_quotes_what_it_found(script: str) -> None:
    """A fact that is stated is met, one that is not is missed."""
    output = "This is what I found.\n\n- The wait doubles with each attempt."

    assert judged(script, "The wait doubles with each attempt", output)["verdict"] == "met"
    quote = judged(script, "The wait doubles with each attempt", output)["quote"]
    assert quote in output
    assert judged(script, "Among equals the oldest job is taken", output)["verdict"] == "missed"
    assert judged(script, "Anything at all", "")["verdict"] == "missed"


def test_the_judges_do_not_always_agree() -> None:
    """One takes an allusion for half of the truth, the other for none of it."""
    output = "- SIGHUP makes it read log_level and workers again, without a restart."
    criterion = "log_level and workers can be changed"

    assert judged("judge.py", criterion, output)["verdict"] == "partial"
    assert judged("judge_strict.py", criterion, output)["verdict"] == "missed"
