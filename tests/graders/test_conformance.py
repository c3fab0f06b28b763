"""Every grader on the shelf keeps the shelf's contract."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import get_args

import pytest

from graders.trials import TASK, answering, calling, stopped
from runledger.graders import Grader, Place, grader_for, graders_for
from runledger.graders.conformance import check_grader
from runledger.graders.hosts import Hosts
from runledger.ledger import assertion as kinds
from runledger.ledger.grade import Failure, Grade, grade_of
from runledger.ledger.task import Task
from runledger.ledger.trajectory import Trajectory
from runledger.ledger.usage import Limits
from runledger.process.supervisor import Supervisor

ASSERTIONS: tuple[kinds.Assertion, ...] = (
    kinds.RequiredFields(("done", "b.c")),
    kinds.JsonSchema("s.json", {"required": ["a"], "properties": {"done": {"type": "string"}}}),
    kinds.JsonSchema("s.json", {"type": "strng"}),
    kinds.MustCall(("open", "close")),
    kinds.MustNotCall(("open", "close")),
    kinds.CallOrder(("close", "open")),
    kinds.ToolArgs("open", "s.json", {"required": ["a"]}, equals={"n": 2}, contains={"n": 2}),
    kinds.CallCount("open", min=2, max=3),
    kinds.Contains("text"),
    kinds.Regex("a(?=b)"),
    kinds.Regex("^text", "a"),
    kinds.Equals("done", 1),
    kinds.Script(("{python}", "-c", 'print(\'{"pass": false, "score": 0.5}\')')),
    kinds.Script(("./none",)),
    kinds.Custom("grade.py"),
    kinds.Custom("grade.py:crash"),
    kinds.Custom("true"),
)
GRADERS = """
def grade(output):
    return {"pass": output == "text", "score": 0.5, "outcome": {"n": 1}}

def crash(output):
    raise ValueError("no")
"""
TRAJECTORIES = (
    calling(("open", {"n": 1}), "open"),
    answering("text"),
    answering({"done": [1, {"a": None}], "b": {"c": 1.5}, "a": "text"}),
    stopped("timeout", "budget_exceeded"),
    stopped(),
)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a suite directory of its own, with graders in Python."""
    (tmp_path / "grade.py").write_text(GRADERS)
    with Supervisor() as supervisor, Hosts(supervisor, str(tmp_path)) as hosts:
        yield Place(str(tmp_path), supervisor, caller=str(tmp_path), hosts=hosts)


@pytest.mark.parametrize("assertion", ASSERTIONS, ids=lambda one: one.type)
def test_every_assertion_keeps_the_contract(assertion: kinds.Assertion, place: Place) -> None:
    """Whatever the trial was, right or wrong, answered or not."""
    for trajectory in TRAJECTORIES:
        check_grader(grader_for(assertion, place), trajectory)


@pytest.mark.parametrize("assertion", ASSERTIONS, ids=lambda one: one.type)
def test_every_message_begins_with_its_grader(assertion: kinds.Assertion, place: Place) -> None:
    """A reader sees at once which line of the suite speaks, or which grader."""
    grader = grader_for(assertion, place)
    for trajectory in TRAJECTORIES:
        for failure in grader.grade(trajectory).failures:
            assert failure.message.startswith(f"{grader.name}: ")
            assert failure.details["assertion"] == grader.name


def test_no_assertion_is_left_out() -> None:
    """A new type of assertion must be added to these tests."""
    assert {type(one) for one in ASSERTIONS} == set(get_args(kinds.Assertion))


def test_a_task_has_a_grader_for_its_limits_and_for_each_assertion(place: Place) -> None:
    """Without limits there is nothing to judge them by."""
    task = Task("t", {}, assertions=(kinds.Contains("a"), kinds.MustCall(("b",))))
    limited = replace(task, limits=Limits(max_tool_calls=0))

    assert [grader.name for grader in graders_for(task, place)] == ["contains", "must_call"]
    budgets, *others = graders_for(limited, place)
    assert budgets.name == "budgets"
    assert len(others) == 2
    for trajectory in TRAJECTORIES:
        check_grader(budgets, trajectory)


@dataclass
class Careless:
    """Break one promise of the contract."""

    grades: list[Grade]
    name: str = "careless"
    seen: list[Trajectory] = field(default_factory=list)

    def grade(self, trajectory: Trajectory) -> Grade:
        """Give the next grade of a list."""
        self.seen.append(trajectory)
        return self.grades[len(self.seen) % len(self.grades)]


FINE = grade_of("careless", [])
FAILED = grade_of("careless", [Failure("assertion_failed", "no", {})])


@pytest.mark.parametrize(
    ("grader", "promise"),
    [
        (Careless([FINE, FAILED]), "says the same"),
        (Careless([replace(FINE, score=7)]), "score"),
        (Careless([replace(FAILED, passed=True)]), "exactly when"),
        (Careless([FINE], name="other"), "signs"),
        (Careless([replace(FINE, outcome={"a": (1,)})]), "JSON"),
        (Careless([replace(FINE, outcome=float("nan"))]), "JSON"),
        (Careless([replace(FAILED, failures=(Failure("x", " "),))]), "words"),
    ],
)
def test_the_check_finds_a_careless_grader(grader: Grader, promise: str) -> None:
    """A user who writes a grader is told which promise it breaks."""
    with pytest.raises(AssertionError, match=promise):
        check_grader(grader, answering({}))


def test_the_check_finds_a_grader_that_changes_the_trial() -> None:
    """What is judged stays as it was, for those who judge after."""

    class Meddler(Careless):
        def grade(self, trajectory: Trajectory) -> Grade:
            trajectory.trial.task.metadata["seen"] = True  # type: ignore[index]
            return FINE

    own = replace(TASK, metadata={})
    trajectory = replace(answering({}), trial=replace(answering({}).trial, task=own))
    with pytest.raises(AssertionError, match="as it was"):
        check_grader(Meddler([]), trajectory)


def test_what_is_not_used_is_not_imported() -> None:
    """A suite without schemas and patterns does not pay for their libraries."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1:];"
        "from runledger.graders import grader_for;"
        "from runledger.ledger.assertion import Contains, MustCall;"
        "grader_for(Contains('a'), None); grader_for(MustCall(('a',)), None);"
        "sys.exit(bool({'jsonschema', 're2'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code, *sys.path], check=False).returncode == 0
