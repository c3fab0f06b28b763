"""summary.json of an experiment: all that it came to, for programs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compare.rows import HOSTILE
from runledger.ledger.attempt import Counts, Reported
from runledger.ledger.findings import SequentialFinding
from runledger.ledger.usage import Usage
from runledger.store.schemas import read_schema
from runledger.views.experiment import summary
from views.experiment_kit import (
    Bench,
    all_over,
    bench,
    discarded,
    experiment,
    findings,
    retried,
    slots,
)

VALIDATOR = Draft202012Validator(read_schema("bench"))


def document(ran: Bench) -> Any:
    """Read summary.json back, after a look at its schema."""
    text = summary.render(ran.record, ran.findings)
    assert text.isascii()
    found = json.loads(text, parse_constant=pytest.fail)
    assert [f"{one.json_path}: {one.message}" for one in VALIDATOR.iter_errors(found)] == []
    return found


def eventful() -> Bench:
    """Make an experiment in which nearly everything happens."""
    asked = experiment(3, ("plain", "hints", "docs"))
    extra = [
        discarded(asked, slots(asked)[0], "crashed"),
        discarded(asked, slots(asked)[1], "violated"),
        retried(asked, slots(asked)[4]),
    ]
    more = {"sequential": True, "stopped": "decided early"}
    return bench(3, ("plain", "hints", "docs"), trials=2, extra=extra, more=more)


def test_it_says_what_was_run_and_what_came_of_it() -> None:
    """The verdict for programs is pass, fail or inconclusive."""
    found = document(bench())

    assert found["schema_version"] == 1
    assert found["run_id"] == "20260215-101530-a1b2c3"
    assert found["experiment_name"] == "lens-context"
    assert (found["status"], found["verdict"]) == ("done", "pass")
    assert (found["seed"], found["baseline"]) == (20260215, "without")
    assert (found["models"], found["versions"]) == (["glm-5"], ["2.1.197"])
    assert [one["name"] for one in found["conditions"]] == ["without", "with"]


def test_every_trial_is_told_with_its_criteria() -> None:
    """Scores are not rounded, and each judge's word stands beside the points."""
    trial = document(bench())["tasks"][1]["conditions"]["without"]["trials"][0]

    assert trial["score"] == pytest.approx(58.333333)
    assert trial["complete"] is False
    assert (trial["tool_calls"], trial["reported"]["tool_calls"]) == (13, 13)
    assert trial["criteria"]["c2"] == {
        "points": 0.75,
        "verdicts": {"j1": "met", "j2": "partial"},
    }


def test_gates_and_effects_are_told_as_found() -> None:
    """A gate carries its own rule."""
    found = document(bench())

    assert found["gates"][0]["metric"] == "score"
    assert found["gates"][0]["min_difference"] == 0.0
    assert found["gates"][0]["max_difference"] is None
    assert found["gates"][0]["verdict"] == "pass"
    assert [one["metric"] for one in found["effects"]] == ["score", "duration_s"]
    assert len(found["effects"][0]["ci"]) == 2


def test_a_gate_tells_the_clusters_that_would_decide() -> None:
    """Beside the tasks that they make; null where there are no clusters."""
    made = bench()
    gates = tuple(
        replace(one, verdict="inconclusive", further_tasks=12, further_clusters=3)
        for one in made.findings.gates
    )
    found = document(Bench(made.record, replace(made.findings, gates=gates)))["gates"][0]

    assert (found["further_tasks"], found["further_clusters"]) == (12, 3)
    assert document(made)["gates"][0]["further_clusters"] is None


def test_discards_and_disagreements_name_their_runs() -> None:
    """By task, condition and trial."""
    found = document(eventful())

    assert [one["cause"] for one in found["discards"]] == ["crashed", "violated"]
    assert found["discards"][0]["task_id"] == "t1"
    differing = found["agreements"][0]["disagreements"][0]
    assert (differing["task_id"], differing["criterion"]) == ("t2", "c2")
    assert (differing["a"], differing["b"]) == ("met", "partial")


def test_a_void_verdict_is_null() -> None:
    """It gives no points."""
    record = bench(1).record
    void = tuple(
        replace(one, void="no such quote") if one.judge == "j1" else one for one in record.verdicts
    )
    changed = replace(record, verdicts=void)
    task = document(Bench(changed, findings(changed)))["tasks"][0]

    assert task["conditions"]["with"]["trials"][0]["criteria"]["c2"]["verdicts"] == {
        "j1": None,
        "j2": "met",
    }


def test_unknown_is_null() -> None:
    """Never zero."""
    record = bench(1).record
    bare = {"counts": Counts(), "reported": Reported(), "usage": Usage(), "model": None}
    changed = replace(
        record,
        attempts=tuple(replace(one, version=None, **bare) for one in record.attempts),
        verdicts=(),
    )
    found = document(Bench(changed, findings(changed)))
    trial = found["tasks"][0]["conditions"]["with"]["trials"][0]

    for key in ("score", "complete", "tool_calls", "files_read", "turns", "cost_usd", "model"):
        assert trial[key] is None
    assert (found["models"], found["versions"]) == ([], [])
    assert found["unjudged"] == 2


def test_a_figure_that_json_has_no_word_for_is_null() -> None:
    """An endless e-value leaves the file readable."""
    ran = bench(1)
    endless = SequentialFinding("with", 2000, 0, float("inf"), 20.0, True)
    found = document(Bench(ran.record, replace(ran.findings, sequential=(endless,))))

    assert found["sequential"][0]["e_value"] is None


def test_a_plan_keeps_to_the_schema() -> None:
    """Nothing ran, and every key is there."""
    none: dict[str, Any] = {"attempts": (), "verdicts": (), "launches": (), "firsts": ()}
    found = document(bench(more={**none, "status": "planned"}))

    assert found["tasks"][0]["conditions"]["with"]["trials"] == []


def test_hostile_text_is_kept_as_json_can() -> None:
    """It comes back as it was, but for no character of it in the file."""
    assert document(all_over(HOSTILE))["notes"][1] == HOSTILE


def test_the_schema_refuses_what_is_none() -> None:
    """A verdict in the words of texts, and a lack of keys."""
    wrong = document(eventful()) | {"verdict": "go"}

    assert not VALIDATOR.is_valid(wrong)
    assert not VALIDATOR.is_valid({"schema_version": 1})
