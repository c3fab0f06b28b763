"""Experiments to open in a browser: one with losses, one that answers as told, a hostile one."""

from __future__ import annotations

from dataclasses import replace

from browser.runs import ATTACKS
from runledger.ledger.attempt import Attempt, Slot
from runledger.ledger.criterion import Criterion
from runledger.ledger.findings import TaskEffect
from runledger.ledger.task import Task
from views.experiment_kit import Bench, bench, discarded, findings, task


def answering(made: Bench, output: str, condition: str = "with") -> Bench:
    """Let a condition's runs of task t1 end with another answer."""

    def changed(one: Attempt) -> Attempt:
        is_it = one.slot.task_id == "t1" and one.slot.condition == condition
        return replace(one, output=output) if is_it else one

    return Bench(
        replace(made.record, attempts=(*map(changed, made.record.attempts),)), made.findings
    )


def with_losses(made: Bench) -> Bench:
    """Turn the difference of t5 around, and let nobody have judged t6."""

    def turned(one: TaskEffect) -> TaskEffect:
        return replace(one, difference=-one.difference) if one.task_id == "t5" else one

    unjudged = [replace(one, score=None) if one.slot.task_id == "t6" else one
                for one in made.findings.scores]  # fmt: skip
    tasks = [turned(one) for one in made.findings.tasks if one.task_id != "t6"]
    found = replace(made.findings, tasks=tuple(tasks), scores=tuple(unjudged), unjudged=2)
    return Bench(made.record, found)


def hostile() -> Bench:
    """Make an experiment in whose every field stands every attack, ids and names included."""
    bad = "\n".join(ATTACKS)
    bad_task: Task = task(
        1, id=bad, input=bad, metadata={bad: bad},
        criteria=(Criterion(bad, bad, contains=bad), Criterion("c2", bad)),
    )  # fmt: skip
    made = bench([bad_task, task(2)], ("plain", bad), name=bad, trials=2)
    asked = made.record.experiment
    slot = Slot(bad, bad, 1)
    attempts = tuple(replace(one, output=f"{bad}\n{bad}", model=bad, version=bad, errors=(bad,))
                     for one in made.record.attempts)  # fmt: skip
    verdicts = tuple(replace(one, quote=bad, reasoning=bad, void=bad if one.judge == "j2" else None)
                     for one in made.record.verdicts)  # fmt: skip
    record = replace(
        made.record, run_id=bad, stopped=bad, verdicts=verdicts,
        attempts=(discarded(asked, slot, "crashed", bad), *attempts),
    )  # fmt: skip
    found = findings(record)
    gates = tuple(replace(one, note=bad) for one in found.gates)
    return Bench(record, replace(found, sentence=f"Go: {bad}", notes=(bad,), gates=gates))
