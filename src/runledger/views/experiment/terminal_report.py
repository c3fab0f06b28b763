"""What a terminal shows of an experiment that ran: the verdict, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ledger.experiment import Experiment, baseline_of, others_of
from ...ledger.findings import (
    Agreement,
    BenchRecord,
    Effect,
    Findings,
    GateFinding,
    GateWord,
    OrderEffect,
)
from ...ledger.printable import one_line
from ..look import Look, count, paint, set_text
from .counted import Place, Runs, counted_runs
from .effects import gate_remarks
from .grid import grid, room_for, short
from .scores import mean_score
from .trust import honest_line, honesty, kappa, kappa_interval, void_verdicts
from .words import (
    GATE_WORDS,
    METRICS,
    TESTS,
    UNKNOWN,
    amount,
    causes,
    detectable,
    difference,
    gate_rule,
    interval,
    level,
    p_value,
    ratio,
    rounded,
    several,
)

MARGIN = "  "
TASKS = 40  # that are shown one by one
NAMED = 5
NAME_COLUMNS = 24
_STYLES: dict[GateWord | None, str] = {"pass": "good", "fail": "bad", "inconclusive": "odd"}


def report_sections(record: BenchRecord, findings: Findings, look: Look) -> Iterator[Sequence[str]]:
    """Yield the verdict first, then what it rests on, then how far it can be trusted."""
    runs = counted_runs(record, findings)
    yield [*_verdict(record, findings, look)]
    yield [line for one in findings.gates for line in _gate(one, record.experiment, look)]
    for condition in others_of(record.experiment):
        own = [one for one in findings.effects if one.condition == condition.name]
        yield [*_effects(own, record.experiment, condition.name, look)] if own else []
    yield [*_scores(record, findings, runs, look)] if runs else []
    yield [*set_text(MARGIN, _trust(record, findings, runs), look)]
    yield [*set_text(MARGIN, (f"note: {note}" for note in findings.notes), look)]


def _verdict(record: BenchRecord, findings: Findings, look: Look) -> Iterator[str]:
    word = GATE_WORDS[findings.verdict] if findings.verdict else "no gate"
    shown = paint(word.upper(), _STYLES.get(findings.verdict, "strong"), look)
    name = paint(short(record.experiment.name, NAME_COLUMNS), "strong", look)
    yield f"{shown}  {name}  {short(record.run_id, NAME_COLUMNS)}"
    sentence = findings.sentence
    said, _, rest = sentence.partition(": ")
    yield from set_text(MARGIN, [rest if said.lower() == word else sentence], look)
    if record.status != "done":
        why = f": {record.stopped}" if record.stopped else ""
        yield from set_text(MARGIN, [f"the run is {record.status}{why}"], look)


def _gate(found: GateFinding, asked: Experiment, look: Look) -> Iterator[str]:
    metric = found.gate.metric
    word = GATE_WORDS[found.verdict]
    told = f"{short(found.condition, NAME_COLUMNS)}, {gate_rule(found.gate)}"
    if found.difference is not None:
        shown = interval(metric, found.ci)
        told += f"; found {difference(metric, found.difference)} ({level(asked)} {shown})"
    lines = "; ".join([told, *gate_remarks(found)])
    first, *others = set_text(MARGIN + " " * 14, [lines], look)
    yield MARGIN + paint(word.upper(), _STYLES[found.verdict], look) + first[len(word) + 2 :]
    yield from others


def _effects(
    effects: Sequence[Effect], asked: Experiment, condition: str, look: Look
) -> Iterator[str]:
    """Set a line for each metric, and below it what it rests on."""
    head = ["", short(baseline_of(asked).name), short(condition), "difference", level(asked)]
    first, *lines = grid([head, *map(_effect_cells, effects)], look)
    yield first
    for line, effect in zip(lines, effects, strict=True):
        yield line
        for sure in set_text(MARGIN * 2, [_how_sure(effect)], look):
            yield paint(sure, "faint", look)


def _effect_cells(effect: Effect) -> list[str]:
    metric = effect.metric
    return [
        METRICS[metric],
        amount(metric, effect.baseline),
        amount(metric, effect.mean),
        difference(metric, effect.difference),
        interval(metric, effect.ci),
    ]


def _how_sure(effect: Effect) -> str:
    tasks = count(effect.n, "task")
    if effect.clusters is not None:
        tasks += f" in {count(effect.clusters, 'cluster')}"
    adjusted = "" if effect.p_adjusted is None else f" (adjusted {p_value(effect.p_adjusted)})"
    parts = [f"{TESTS[effect.test]}, {tasks}: p {p_value(effect.p)}{adjusted}"]
    parts.append(f"wins/losses/ties {effect.wins}/{effect.losses}/{effect.ties}")
    if effect.ratio is not None:
        parts.append(f"ratio {ratio(effect)}")
    if effect.detectable is not None:
        parts.append(f"smallest detectable difference {detectable(effect)}")
    return "; ".join([*parts, *filter(None, [effect.note])])


def _scores(record: BenchRecord, findings: Findings, runs: Runs, look: Look) -> Iterator[str]:
    """Set the scores of tasks; of many, those in which conditions differ most."""
    asked = record.experiment
    changes = {Place(one.task_id, one.condition): one.difference for one in findings.tasks}
    shown = _chosen(asked, changes)
    names = [one.name for one in asked.conditions]
    fitting = names[: max(2, (look.width - NAME_COLUMNS) // 14)]
    pair = names[1:] if len(names) == 2 else []
    cells = [[*map(short, fitting), *(["difference"] if pair else [])]]
    for task_id in shown:
        scores = (rounded(mean_score(runs.get(Place(task_id, one), ())), asked) for one in fitting)
        apart = (difference("score", changes.get(Place(task_id, one))) for one in pair)
        cells.append([*scores, *apart])
    room = room_for(cells, look)
    ids = ["score", *(short(task_id, room) for task_id in shown)]
    yield from grid([[id, *others] for id, others in zip(ids, cells, strict=True)], look)
    yield from _not_shown(len(asked.tasks) - len(shown), len(names) - len(fitting))


def _not_shown(tasks: int, conditions: int) -> Iterator[str]:
    left = {"task": tasks, "condition": conditions}
    told = [count(number, f"more {noun}") for noun, number in left.items() if number]
    if told:
        yield f"{MARGIN}… {' and '.join(told)}: results.md has them all"


def _chosen(asked: Experiment, changes: dict[Place, float]) -> list[str]:
    ids = [task.id for task in asked.tasks]
    if len(ids) <= TASKS:
        return ids
    most: dict[str, float] = {}
    for place, change in changes.items():
        most[place.task_id] = max(most.get(place.task_id, 0.0), abs(change))
    ranked = sorted(ids, key=lambda task_id: (-most.get(task_id, -1.0), task_id))
    kept = {*ranked[:TASKS]}
    return [task_id for task_id in ids if task_id in kept]


def _trust(record: BenchRecord, findings: Findings, runs: Runs) -> Iterator[str]:
    yield from _validity(record, findings)
    yield from (_order(one) for one in findings.order)
    yield from (_judges(one) for one in findings.agreements)
    for judge, number in void_verdicts(runs).items():
        yield f"judges: {one_line(judge)}: {count(number, 'verdict')} void"
    told = [honest_line(one) for one in honesty(runs) if one.apart is not None]
    yield from (f"reported {line}" for line in told)
    for one in findings.sequential:
        decided = "decided" if one.decided else "not decided"
        figures = f"e-value {one.e_value:.3g} of {one.threshold:.3g}"
        score = f"{one.wins} wins, {one.losses} losses"
        yield f"looking early: {short(one.condition, NAME_COLUMNS)}: {figures} ({score}): {decided}"


def _validity(record: BenchRecord, findings: Findings) -> Iterator[str]:
    for one in findings.tallies:
        parts = [f"{one.counted:,} of {count(one.planned, 'run')} counted"]
        others = {"retried": one.retried, "timed out": one.timed_out}
        parts += [f"{number:,} {what}" for what, number in others.items() if number]
        if discarded := sum(one.discarded.values()):
            parts.append(f"{discarded:,} discarded ({causes(one.discarded)})")
        yield f"runs: {short(one.condition, NAME_COLUMNS)}: {', '.join(parts)}"
    models = several(one.model for one in record.attempts if one.model)
    versions = several(one.version for one in record.attempts if one.version)
    if record.attempts:
        yield f"model: {_known(models)}; agent's version: {_known(versions)}"


def _known(names: str) -> str:
    return "not told" if names == UNKNOWN else one_line(names)


def _order(found: OrderEffect) -> str:
    metric = found.metric
    name = short(found.condition, NAME_COLUMNS)
    first = f"{difference(metric, found.first)} where it ran first ({found.n_first:,})"
    second = f"{difference(metric, found.second)} where second ({found.n_second:,})"
    sure = "" if found.p is None else f"; p {p_value(found.p)}"
    return f"order: {name}, {METRICS[metric]}: {first}, {second}{sure}"


def _judges(found: Agreement) -> str:
    who = f"{one_line(found.a)} and {one_line(found.b)}"
    told = f"judges: {who} agree on {found.agreed:,} of {count(found.n, 'verdict')}"
    if found.kappa is not None:
        told += f", kappa {kappa(found)} ({kappa_interval(found)})"
    if not found.disagreements:
        return told
    places = [
        f"{one_line(one.slot.task_id)} {one_line(one.slot.condition)} {one_line(one.criterion)}"
        for one in found.disagreements
    ]
    more = f" and {len(places) - NAMED:,} more" if len(places) > NAMED else ""
    return f"{told}; they differ on {', '.join(places[:NAMED])}{more}"
