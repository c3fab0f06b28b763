"""Experiments to judge: what agents said, in which condition, and judges that are real programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from runledger.harness.judge_experiment import Judged, JudgeOptions, judge_experiment
from runledger.ledger.attempt import Attempt, Slot, Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import (
    Condition,
    Experiment,
    JudgeProgram,
    Marks,
    Prefix,
    Protocol,
    Scoring,
)
from runledger.ledger.findings import BenchRecord
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.value import Json
from runledger.process.supervisor import Supervisor
from runledger.store.verdicts import VERDICTS, read_verdicts

RUN_ID = "20260215-101112-0a1b2c"
SEED = 7
LENS = Marks(tools=("mcp__lens__*",))
LOCKS = Criterion("locks", "says that the cache takes a lock")

# The contract's own example: names that are ordinary words, a tag, MCP tools that are disallowed.
CONDITIONS = (
    Condition(
        "without",
        baseline=True,
        disallowed_tools=("Task", "mcp__lens__get_context"),
        forbid=Marks(tools=("mcp__lens__*",), prompt=("lens_context",)),
    ),
    Condition(
        "with",
        disallowed_tools=("Task", "mcp__lens__get_context"),
        expect=Marks(prompt=("<lens_context>",)),
        forbid=LENS,
        prefix=Prefix(("lens", "context", "{prompt}"), "lens_context"),
    ),
)


def task(id: str = "t1", *criteria: Criterion, input: Json = "How is the cache kept?") -> Task:
    """Ask something, with these criteria."""
    return Task(id, input, criteria=criteria or (LOCKS,))


def experiment(
    directory: Path | str = ".",
    *,
    conditions: Sequence[Condition] = CONDITIONS,
    tasks: Sequence[Task] = (),
    judges: Mapping[str, Sequence[str]] | None = None,
    trials: int = 1,
) -> Experiment:
    """Make an experiment of these conditions and tasks."""
    programs = tuple(JudgeProgram(id, tuple(words)) for id, words in (judges or {}).items())
    return Experiment(
        name="demo",
        file="experiment.yaml",
        directory=str(directory),
        agent=AgentSettings(("agent",)),
        cwd=str(directory),
        tasks=tuple(tasks) or (task(),),
        conditions=tuple(conditions),
        protocol=Protocol("0" * 64, str(directory), {}, {}, ()),
        trials=trials,
        seed=SEED,
        scoring=Scoring(judges=programs),
    )


def attempt(task_id: str, condition: str, output: Json, trial: int = 1, **more: Any) -> Attempt:
    """Make an attempt that counts, unless told otherwise."""
    fields: dict[str, Any] = {"number": 1, "round": 1, "place": 1, "standing": Standing(), **more}
    return Attempt(slot=Slot(task_id, condition, trial), output=output, duration_s=1.0, **fields)


def record(
    asked: Experiment,
    outputs: Mapping[tuple[str, str], Json],
    tools: Mapping[str, Sequence[str]] | None = None,
) -> BenchRecord:
    """Make the record of a run in which agents said this, by task and condition."""
    used = {name: frozenset(called) for name, called in (tools or {}).items()}
    attempts = tuple(
        attempt(*place, output, tools=used.get(place[1], frozenset()))
        for place, output in outputs.items()
    )
    return BenchRecord(RUN_ID, asked, SEED, plan=(), attempts=attempts)


def pair(asked: Experiment, without: Json, with_: Json) -> BenchRecord:
    """Make the record of one task in the two conditions of the example."""
    (one,) = asked.tasks
    return record(asked, {(one.id, "without"): without, (one.id, "with"): with_})


def write_judge(directory: Path, name: str, source: str) -> list[str]:
    """Write a judge in Python that has read its question, and give its command."""
    head = "import json, os, sys, time\nquestion = json.load(sys.stdin)\n"
    (directory / name).write_text(head + source + "\n")
    return ["{python}", name]


def answering(**fields: Any) -> str:
    """Write the source of a judge that says always the same."""
    return f"print(json.dumps({fields!r}))"


RECORDING = """
with open("heard.jsonl", "a") as file:
    file.write(json.dumps(question) + "\\n")
print(json.dumps({"verdict": "met"}))
"""


def heard(directory: Path) -> list[dict[str, Any]]:
    """List the questions that a recording judge was asked."""
    file = directory / "heard.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


class Bench:
    """A run of an experiment in a directory of its own, which can be judged again and again."""

    def __init__(self, path: Path, found: BenchRecord) -> None:
        self.path = path / "run"
        self.path.mkdir(exist_ok=True)
        self.found = found
        self.told: list[str] = []

    def judge(self, **options: Any) -> Judged:
        """Judge what is not judged yet."""
        with Supervisor() as supervisor:
            return self.judge_under(supervisor, **options)

    def judge_under(self, supervisor: Supervisor, **options: Any) -> Judged:
        """Judge with programs that somebody may stop."""
        return judge_experiment(
            self.path,
            self.record,
            JudgeOptions(**options),
            supervisor=supervisor,
            tell=self.told.append,
        )

    @property
    def record(self) -> BenchRecord:
        """Give the record with the verdicts that are on disk now."""
        return replace(self.found, verdicts=read_verdicts(self.path / VERDICTS))

    @property
    def words(self) -> dict[tuple[str, str, str, str], str | None]:
        """Give the verdicts that are on disk, by task, condition, criterion and judge."""
        return {
            (one.slot.task_id, one.slot.condition, one.criterion, one.judge): one.verdict
            for one in self.record.verdicts
        }
