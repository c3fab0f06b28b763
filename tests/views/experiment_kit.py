"""Experiments to look at: small records, and findings that go with them, without statistics.

The figures of effects and gates are plausible and plain, so that a test of a view breaks for the
view's sake alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from runledger.ledger.attempt import Attempt, Counts, PlannedRun, Reported, Slot, Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import (
    Condition,
    Experiment,
    ExperimentGate,
    GateMetric,
    JudgeProgram,
    Prefix,
    Protocol,
    Scoring,
    Word,
)
from runledger.ledger.findings import (
    Agreement,
    BenchRecord,
    ConditionTally,
    Disagreement,
    Effect,
    Findings,
    GateFinding,
    Launch,
    OrderEffect,
    RunScore,
    SequentialFinding,
    TaskEffect,
)
from runledger.ledger.settled import settle
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.usage import Usage
from runledger.ledger.verdict import CriterionVerdict

RUN_ID = "20260215-101530-a1b2c3"
POINTS: Mapping[Word, float] = {"met": 1.0, "partial": 0.5, "missed": 0.0}
MODEL = "glm-5"


@dataclass(frozen=True)
class Bench:
    """An experiment that ran, and what it came to."""

    record: BenchRecord
    findings: Findings


def task(number: int, facts: int = 3, **more: Any) -> Task:
    """Make a task; the first of its criteria has a check."""
    texts = [f"names the file src/part{number}_{fact}.py" for fact in range(1, facts + 1)]
    made = [Criterion(f"c{fact}", text) for fact, text in enumerate(texts, 1)]
    plain = Task(
        id=f"t{number}",
        input=f"Where is part {number} of the parser, and who calls it?",
        metadata={"repo": f"repo-{number % 2}"},
        criteria=(replace(made[0], contains=f"part{number}_1.py"), *made[1:]),
    )
    return replace(plain, **more)


def experiment(
    tasks: Sequence[Task] | int = 6, conditions: Sequence[str] = ("without", "with"), **more: Any
) -> Experiment:
    """Make an experiment; the first condition is the baseline, the others have a prefix."""
    plain = Experiment(
        name="lens-context",
        file="experiment.yaml",
        directory="/home/me/bench",
        agent=AgentSettings(("claude", "--model", "sonnet"), "headless"),
        cwd="/home/me/target-repo",
        tasks=tuple(map(task, range(1, tasks + 1))) if isinstance(tasks, int) else tuple(tasks),
        conditions=tuple(_condition(name, place) for place, name in enumerate(conditions)),
        protocol=Protocol("5e1f" * 16, "/home/me/bench", {}, {}, ()),
        scoring=Scoring(judges=(JudgeProgram("j1", ("./judge.py",)), JudgeProgram("j2", ("./j",)))),
        gates=(ExperimentGate("score", min_difference=0.0),),
    )
    return replace(plain, **more)


def _condition(name: str, place: int) -> Condition:
    prefix = Prefix(("lens", "context", "{prompt}"), "lens_context") if place else None
    return Condition(
        name,
        baseline=not place,
        disallowed_tools=("Task", "mcp__lens__get_context"),
        prefix=prefix,
        suffix="Total tool calls made: <number>\nFiles read: <number>\n",
    )


def bench(
    tasks: Sequence[Task] | int = 6,
    conditions: Sequence[str] = ("without", "with"),
    *,
    trials: int = 1,
    extra: Sequence[Attempt] = (),
    more: Mapping[str, Any] | None = None,
    **about: Any,
) -> Bench:
    """Run an experiment to its end; `extra` came before, and `more` is about the record."""
    asked = experiment(tasks, conditions, trials=trials, **about)
    attempts = (*extra, *_ended(asked, extra))
    record = BenchRecord(
        run_id=RUN_ID,
        experiment=asked,
        seed=20260215,
        plan=plan(asked),
        attempts=attempts,
        verdicts=tuple(verdicts(asked, attempts)),
        launches=(Launch("2026-02-15T10:15:30.123Z", 4242),),
        firsts=(0,),
        status="done",
        wall_ms=754_000,
    )
    record = replace(record, **(more or {}))
    return Bench(record, findings(record))


def _ended(asked: Experiment, before: Sequence[Attempt]) -> Iterable[Attempt]:
    """Make the attempts that count, in the next round where one of the block was discarded."""
    for one in plan(asked):
        number = 1 + sum(each.slot == one.slot for each in before)
        void = any(
            each.standing.state == "discarded"
            and (each.slot.task_id, each.slot.trial) == (one.slot.task_id, one.slot.trial)
            for each in before
        )
        yield attempt(asked, one.slot, number, round=1 + void, place=one.place)


def slots(asked: Experiment) -> list[Slot]:
    """List the slots of an experiment: the order of conditions changes from task to task."""
    return [one.slot for one in plan(asked)]


def plan(asked: Experiment) -> tuple[PlannedRun, ...]:
    """Plan every run, each condition first as often as the others."""
    names = [one.name for one in asked.conditions]
    runs: list[PlannedRun] = []
    for trial in range(1, asked.trials + 1):
        for index, one in enumerate(asked.tasks):
            turn = (index + trial) % len(names)
            for place, name in enumerate(names[turn:] + names[:turn], 1):
                runs.append(PlannedRun(len(runs) + 1, Slot(one.id, name, trial), place))
    return tuple(runs)


def attempt(asked: Experiment, slot: Slot, number: int = 1, **more: Any) -> Attempt:
    """Make an attempt that counts; the further a condition is from the baseline, the better."""
    found, rank = _known(asked, slot), _rank(asked, slot)
    calls = 12 - 2 * rank + slot.trial
    plain = Attempt(
        slot=slot,
        number=number,
        round=1,
        place=1,
        standing=Standing(),
        output=_answer(slot, found),
        duration_s=40.0 + len(slot.task_id) - 5.25 * rank + slot.trial,
        counts=Counts(calls, calls - 4, 5),
        reported=Reported(calls - rank, calls - 4),
        usage=Usage(12_000 - 1_000 * rank, 800, 0.0421 - 0.004 * rank),
        model=MODEL,
        version="2.1.197",
    )
    return replace(plain, **more)


def discarded(asked: Experiment, slot: Slot, cause: Any = "crashed", message: str = "") -> Attempt:
    """Make an attempt that does not count."""
    standing = Standing("discarded", cause, message or f"{cause}, says the test")
    return attempt(asked, slot, number=1, standing=standing, output="")


def retried(asked: Experiment, slot: Slot) -> Attempt:
    """Make an attempt that said nothing, and was repeated."""
    standing = Standing("retried", "empty_output", "the output is empty")
    return attempt(asked, slot, standing=standing, output="", model=None, version=None)


def _rank(asked: Experiment, slot: Slot) -> int:
    return [one.name for one in asked.conditions].index(slot.condition)


def _known(asked: Experiment, slot: Slot) -> list[Criterion]:
    """Choose the facts that an answer states: the baseline misses the last of most tasks."""
    index = [one.id for one in asked.tasks].index(slot.task_id)
    criteria = asked.tasks[index].criteria
    missing = max(0, index % 3 - _rank(asked, slot))
    return [*criteria[: len(criteria) - missing]]


def _answer(slot: Slot, known: Iterable[Criterion]) -> str:
    stated = "\n".join(f"- It {one.text}." for one in known)
    return f"# Findings on {slot.task_id}\n\n{stated}\n\nTotal tool calls made: 9\nFiles read: 5\n"


def verdicts(asked: Experiment, attempts: Iterable[Attempt]) -> list[CriterionVerdict]:
    """Judge every attempt that counts: the check, or both judges, who differ now and then."""
    given: list[CriterionVerdict] = []
    for one in attempts:
        if one.standing.state != "counts" or one.timed_out:
            continue
        stated = {criterion.id for criterion in _known(asked, one.slot)}
        criteria = next(each.criteria for each in asked.tasks if each.id == one.slot.task_id)
        for criterion in criteria:
            word: Word = "met" if criterion.id in stated else "missed"
            quote = f"It {criterion.text}." if word == "met" else None
            for judge in ("check",) if criterion.has_check else ("j1", "j2"):
                odd = judge == "j2" and one.slot.task_id == "t2" and word == "met"
                said: Word = "partial" if odd else word
                given.append(
                    CriterionVerdict(one.slot, one.number, criterion.id, judge, said, quote)
                )
    return given


def findings(record: BenchRecord) -> Findings:
    """Tell what a record comes to, with plain figures for what takes statistics."""
    asked = record.experiment
    names = [one.name for one in asked.conditions]
    settled = settle(record.attempts, names)
    scores = tuple(score(record, one) for _, one in sorted(settled.counting.items()))
    effects = tuple(effect(record, scores, name) for name in names[1:]) if scores else ()
    return Findings(
        verdict="pass" if effects and asked.gates else None,
        sentence=f"Go: `{names[-1]}` scores 16.7 points higher than `{names[0]}` "
        f"(95% interval 3.2 to 30.1, {len(asked.tasks)} tasks).",
        scores=scores,
        tallies=tuple(tally(record, scores, name) for name in names),
        effects=(*effects, *(slower(record, name) for name in names[1:] if effects)),
        tasks=tuple(one for name in names[1:] for one in task_effects(asked, scores, name)),
        gates=tuple(
            GateFinding(gate, one.condition, "pass", one.difference, one.ci)
            for gate in asked.gates
            for one in effects
        ),
        order=tuple(
            OrderEffect(name, "score", 18.0, 15.3, 3, 3, 2.7, (-20.0, 25.4), 0.7)
            for name in names[1:]
        ),
        agreements=agreements(record),
        sequential=tuple(
            SequentialFinding(name, 4, 1, 1.0667, 20.0, False)
            for name in names[1:]
            if record.sequential
        ),
        discards=settled.discards,
        unjudged=sum(one.score is None for one in scores),
        notes=("`with` was retried more often than `without`",),
    )


def score(record: BenchRecord, counted: Attempt) -> RunScore:
    """Score a run by the mean of its judges' points."""
    criteria = next(
        one.criteria for one in record.experiment.tasks if one.id == counted.slot.task_id
    )
    points: dict[str, float | None] = {}
    for criterion in criteria:
        said = [
            POINTS[one.verdict]
            for one in record.verdicts
            if (one.slot, one.attempt, one.criterion)
            == (counted.slot, counted.number, criterion.id)
            and one.verdict is not None
            and one.void is None
        ]
        points[criterion.id] = 0.0 if counted.timed_out else fmean(said) if said else None
    known = [one for one in points.values() if one is not None]
    total = 100 * fmean(known) if len(known) == len(points) and known else None
    complete = None if total is None else total >= record.experiment.scoring.complete_at
    return RunScore(counted.slot, counted.number, total, complete, points)


def _means(scores: Iterable[RunScore], condition: str) -> dict[str, float]:
    """Average the trials of each task that were judged."""
    found: dict[str, list[float]] = {}
    for one in scores:
        if one.slot.condition == condition and one.score is not None:
            found.setdefault(one.slot.task_id, []).append(one.score)
    return {task_id: fmean(values) for task_id, values in found.items()}


def task_effects(
    asked: Experiment, scores: Sequence[RunScore], condition: str
) -> Iterable[TaskEffect]:
    """Tell the difference of scores in each task that both conditions have a score for."""
    base, other = _means(scores, asked.conditions[0].name), _means(scores, condition)
    for one in asked.tasks:
        if one.id in base and one.id in other:
            change = other[one.id] - base[one.id]
            ci = (change - 12.0, change + 12.0) if asked.trials > 1 else None
            yield TaskEffect(
                one.id, condition, base[one.id], other[one.id], change, ci, asked.trials
            )


def effect(record: BenchRecord, scores: Sequence[RunScore], condition: str) -> Effect:
    """Tell the effect on the score, with an interval of thirteen points to either side."""
    tasks = [*task_effects(record.experiment, scores, condition)]
    changes = [one.difference for one in tasks] or [0.0]
    mean = fmean(changes)
    base = fmean([one.baseline for one in tasks] or [0.0])
    return Effect(
        metric="score",
        condition=condition,
        baseline=base,
        mean=base + mean,
        difference=mean,
        ci=(mean - 13.0, mean + 13.0),
        p=0.03125,
        test="sign_flip",
        n=len(tasks),
        detectable=21.5,
        wins=sum(one > 0 for one in changes),
        losses=sum(one < 0 for one in changes),
        ties=sum(one == 0 for one in changes),
        p_adjusted=0.0625,
    )


def slower(record: BenchRecord, condition: str, metric: GateMetric = "duration_s") -> Effect:
    """Tell an effect on durations."""
    return Effect(
        metric=metric,
        condition=condition,
        baseline=43.0,
        mean=37.75,
        difference=-5.25,
        ci=(-9.0, -1.5),
        p=0.00004,
        test="t_on_logs",
        n=len(record.experiment.tasks),
        detectable=None,
        wins=6,
        losses=0,
        ties=0,
        ratio=0.878,
        ratio_ci=(0.81, 0.95),
        p_adjusted=0.00008,
    )


def tally(record: BenchRecord, scores: Sequence[RunScore], condition: str) -> ConditionTally:
    """Add up what became of a condition's runs."""
    own = [one for one in record.attempts if one.slot.condition == condition]
    counted = [one for one in own if one.standing.state == "counts"]
    judged = [one for one in scores if one.slot.condition == condition and one.score is not None]
    causes: dict[Any, int] = {}
    for one in own:
        if one.standing.state == "discarded" and one.standing.cause:
            causes[one.standing.cause] = causes.get(one.standing.cause, 0) + 1
    return ConditionTally(
        condition=condition,
        planned=sum(one.slot.condition == condition for one in record.plan),
        counted=len(counted),
        attempts=len(own),
        retried=sum(one.standing.state == "retried" for one in own),
        discarded=causes,
        timed_out=sum(one.timed_out for one in own),
        judged=len(judged),
        score=_mean(one.score for one in judged),
        completion=_mean(None if one.complete is None else 100.0 * one.complete for one in judged),
        duration_s=_mean(one.duration_s for one in counted),
        tool_calls=_mean(one.counts.tool_calls for one in counted),
        files_read=_mean(one.counts.files_read for one in counted),
        turns=_mean(one.counts.turns for one in counted),
        tokens=_mean((one.usage.tokens_in or 0) + (one.usage.tokens_out or 0) for one in counted),
        cost_usd=_mean(one.usage.cost_usd for one in counted),
        total_cost_usd=sum(one.usage.cost_usd or 0.0 for one in own) if own else None,
        models=tuple(sorted({one.model for one in own if one.model})),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return fmean(known) if known else None


def agreements(record: BenchRecord) -> tuple[Agreement, ...]:
    """Tell how far the two judges agree."""
    said = {
        judge: {
            (one.slot, one.criterion): one.verdict
            for one in record.verdicts
            if one.judge == judge and one.verdict is not None
        }
        for judge in ("j1", "j2")
    }
    both = sorted(said["j1"].keys() & said["j2"].keys())
    if not both:
        return ()
    differ = tuple(
        Disagreement(slot, criterion, a, b)
        for slot, criterion in both
        if (a := str(said["j1"][slot, criterion])) != (b := str(said["j2"][slot, criterion]))
    )
    agreed = len(both) - len(differ)
    return (Agreement("j1", "j2", len(both), agreed, 0.741, (0.5, 0.98), differ),)


def all_over(text: str) -> Bench:
    """Make an experiment that has this text in every place where somebody else's text may be."""
    checks = (Criterion("c1", text, contains=text), Criterion("c2", text, regex=text))
    criteria = (*checks, Criterion("c3", text))
    asked = task(1, input=text, description=text, metadata={text: text}, criteria=criteria)
    conditions = tuple(
        replace(_condition(name, place), suffix=f"x{text}", disallowed_tools=(text,))
        for place, name in enumerate(("without", "with"))
    )
    conditions = (conditions[0], replace(conditions[1], prefix=Prefix((text, text), text)))
    about = experiment([asked], conditions=("without", "with"))
    ran = bench(
        [asked],
        conditions=("without", "with"),
        name=f"x{text}",
        extra=[discarded(about, slots(about)[0], message=f"x{text}")],
        more={"stopped": f"x{text}", "status": "invalid", "run_id": f"x{text}"},
    )
    attempts = tuple(
        replace(one, output=text, model=f"x{text}", version=f"x{text}", errors=(text,))
        for one in ran.record.attempts
    )
    verdicts_given = tuple(
        replace(
            one, quote=f"x{text}", reasoning=text, void=f"x{text}" if one.judge == "j2" else None
        )
        for one in ran.record.verdicts
    )
    record = replace(
        ran.record,
        experiment=replace(ran.record.experiment, conditions=conditions),
        attempts=attempts,
        verdicts=verdicts_given,
    )
    found = findings(record)
    gates = tuple(replace(one, note=f"x{text}", further_tasks=14) for one in found.gates)
    effects = tuple(replace(one, note=f"x{text}") for one in found.effects)
    notes = (f"x{text}", text)
    return Bench(
        record, replace(found, sentence=f"x{text}", gates=gates, effects=effects, notes=notes)
    )
