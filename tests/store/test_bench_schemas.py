"""The lines of an experiment's plan and of its verdicts keep to their schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from runledger.ledger.attempt import PlannedRun, Slot
from runledger.ledger.verdict import CriterionVerdict
from runledger.store.bench import write_plan
from runledger.store.redact.redactor import Redactor
from runledger.store.schemas import read_schema
from runledger.store.verdicts import VerdictLog

SLOT = Slot("t1", "with", 1)


def problems(name: str, path: Path) -> list[str]:
    """List what the lines of a file break of a schema."""
    validator = Draft202012Validator(read_schema(name))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines
    return [error.message for line in lines for error in validator.iter_errors(line)]


def test_a_plan_keeps_to_its_schema(tmp_path: Path) -> None:
    """Each line is a run: which one, and the how-manyth of its block."""
    write_plan(tmp_path, [PlannedRun(1, SLOT, 1), PlannedRun(2, SLOT._replace(trial=2), 2)])

    assert problems("plan", tmp_path / "plan.jsonl") == []


@pytest.mark.parametrize(
    "said",
    [
        {"verdict": "met", "quote": "x", "reasoning": "y"},
        {"verdict": None, "void": "it answered rubbish"},
        {"verdict": "missed"},
    ],
)
def test_verdicts_keep_to_their_schema(tmp_path: Path, said: dict[str, Any]) -> None:
    """With a quote, without one, and void."""
    log = VerdictLog(tmp_path / "verdicts.jsonl", Redactor())
    log.append(CriterionVerdict(SLOT, 1, "c1", "j1", key="k", **said))
    log.close()

    assert problems("bench_verdict", tmp_path / "verdicts.jsonl") == []


def test_a_word_that_is_no_verdict_breaks_the_schema(tmp_path: Path) -> None:
    """Met, partial and missed are all there are."""
    line = {"task_id": "t1", "condition": "a", "trial": 1, "attempt": 1, "criterion": "c1"}
    (tmp_path / "v").write_text(json.dumps({**line, "judge": "j", "verdict": "so", "key": ""}))

    assert problems("bench_verdict", tmp_path / "v")
