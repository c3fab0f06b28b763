"""The verdict over all gates, and the one sentence that tells it to a reviewer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ...ledger.comparison import Interval
from ...ledger.experiment import ExperimentGate, GateMetric, baseline_of, others_of
from ...ledger.findings import Effect, GateFinding, GateWord
from .gates import limit_of
from .notes import not_run, unjudged_runs
from .sides import Outcomes, unfinished_blocks

WORDS: Mapping[GateWord, str] = {"pass": "Go", "fail": "No-go", "inconclusive": "Inconclusive"}
GRAVEST: tuple[GateWord, ...] = ("fail", "inconclusive", "pass")
_MORE: Mapping[GateMetric, str] = {
    "score": "scores {} points higher than",
    "completion": "completes {} points more of the tasks than",
    "duration_s": "takes {} s longer than",
    "tool_calls": "makes {} more tool calls than",
    "files_read": "reads {} more files than",
    "tokens": "uses {} more tokens than",
    "cost_usd": "costs {} USD more than",
}
_LESS: Mapping[GateMetric, str] = {
    "score": "scores {} points lower than",
    "completion": "completes {} points fewer of the tasks than",
    "duration_s": "takes {} s less than",
    "tool_calls": "makes {} fewer tool calls than",
    "files_read": "reads {} fewer files than",
    "tokens": "uses {} fewer tokens than",
    "cost_usd": "costs {} USD less than",
}
_DECIMALS: Mapping[GateMetric, tuple[int, int]] = {"tokens": (0, 1), "cost_usd": (2, 6)}
_SAME: Mapping[GateMetric, str] = {
    "score": "scores the same as",
    "completion": "completes as many tasks as",
    "duration_s": "takes as long as",
    "tool_calls": "makes as many tool calls as",
    "files_read": "reads as many files as",
    "tokens": "uses as many tokens as",
    "cost_usd": "costs the same as",
}


def verdict_of(outcomes: Outcomes, gates: Sequence[GateFinding]) -> GateWord | None:
    """Say what all gates come to; None without a gate."""
    if not outcomes.record.experiment.gates:
        return None
    if hindrance(outcomes) is not None:
        return "inconclusive"
    found = {one.verdict for one in gates}
    return next((word for word in GRAVEST if word in found), "inconclusive")


def hindrance(outcomes: Outcomes) -> str | None:
    """Say what keeps the gates from deciding, whatever they show; None if nothing does."""
    record = outcomes.record
    if record.status == "invalid":
        return f"the run is not valid: {record.stopped or 'it could not be done as planned'}"
    if not outcomes.runs:
        return "no run counts yet"
    if not others_of(record.experiment):
        return "there is no condition beside the baseline"
    # Whoever looks before the end takes chance for an effect more often than the level says.
    if unfinished_blocks(outcomes) and not record.sequential:
        return not_run(outcomes)
    missing = unjudged_runs(outcomes)
    if missing:
        return f"of {len(outcomes.runs):,} runs {missing:,} {_is(missing)} not judged yet"
    return None


def sentence_of(outcomes: Outcomes, effects: Sequence[Effect], gates: Sequence[GateFinding]) -> str:
    """Tell the verdict, and what it rests on, in one sentence."""
    word, hindered = verdict_of(outcomes, gates), hindrance(outcomes)
    if word is None:
        return f"No gate: {hindered or _without_gate(outcomes, effects)}."
    if hindered is not None:
        return f"{WORDS[word]}: {hindered}."
    deciding = next(one for one in gates if one.verdict == word)
    return f"{WORDS[word]}: {_told(outcomes, deciding, effects)}{_others(gates, word)}."


def _told(outcomes: Outcomes, gate: GateFinding, effects: Sequence[Effect]) -> str:
    baseline = baseline_of(outcomes.record.experiment).name
    effect = _effect(effects, gate.gate.metric, gate.condition)
    if effect is None:
        return f"of `{gate.condition}` and `{baseline}` nothing is known by {gate.gate.metric}"
    told = _compared(effect, baseline, outcomes.record.experiment.level)
    return "".join([told, _asked(gate.gate), _what_would_decide(gate)])


def _without_gate(outcomes: Outcomes, effects: Sequence[Effect]) -> str:
    experiment = outcomes.record.experiment
    baseline = baseline_of(experiment).name
    found = [_effect(effects, "score", one.name) for one in others_of(experiment)]
    known = [_compared(one, baseline, experiment.level) for one in found if one is not None]
    return "; ".join(known) or "no score is known under two conditions"


def _effect(effects: Sequence[Effect], metric: GateMetric, condition: str) -> Effect | None:
    matching = (one for one in effects if (one.metric, one.condition) == (metric, condition))
    return next(matching, None)


def _compared(effect: Effect, baseline: str, level: float) -> str:
    """Tell an effect with its interval, such as "`with` scores 18.3 points higher than ..."."""
    words = _MORE if effect.difference > 0 else _LESS if effect.difference < 0 else _SAME
    decimals = decimals_of(effect.metric, (effect.difference, *(effect.ci or ())))
    did = words[effect.metric].format(_number(abs(effect.difference), decimals))
    tasks = "1 task" if effect.n == 1 else f"{effect.n:,} tasks"
    sure = f"{_interval(effect.ci, decimals, level)}, {tasks}"
    return f"`{effect.condition}` {did} `{baseline}` ({sure})"


def _interval(ci: Interval | None, decimals: int, level: float) -> str:
    if ci is None:
        return "no interval"
    low, high = (_number(one, decimals) for one in ci)
    return f"{100 * level:g}% interval {low} to {high}"


def decimals_of(metric: GateMetric, values: Iterable[float]) -> int:
    """Choose the decimals of figures that stand side by side: the smallest keeps two digits."""
    least, most = _DECIMALS.get(metric, (1, 4))
    sizes = [abs(one) for one in values if abs(one) >= 10.0**-most]  # less is as good as nothing
    if not sizes:
        return least
    if max(sizes) >= 1000:
        least = 0
    return max(least, min(most, 1 - math.floor(math.log10(min(sizes)))))


def _number(value: float, decimals: int) -> str:
    return f"{value:z,.{decimals}f}"


def _asked(gate: ExperimentGate) -> str:
    limit = limit_of(gate)
    if not limit:
        return ""
    how = "at most" if gate.min_difference is None else "at least"
    return f", where the gate asks for a difference of {how} {limit:g}"


def _what_would_decide(gate: GateFinding) -> str:
    if gate.verdict != "inconclusive":
        return f", {gate.note}" if gate.note else ""
    if gate.further_clusters is not None:
        return f"; about {_further(gate.further_clusters, 'cluster')} would decide"
    if gate.further_tasks is not None:
        return f"; about {_further(gate.further_tasks, 'task')} would decide"
    return f"; {gate.note}" if gate.note else ""


def _further(number: int, noun: str) -> str:
    return f"1 further {noun}" if number == 1 else f"{number:,} further {noun}s"


def _others(gates: Sequence[GateFinding], word: GateWord) -> str:
    """Tell how many gates there are beside the one that was told."""
    if len(gates) == 1:
        return ""
    same = sum(one.verdict == word for one in gates)
    if word == "pass":
        return "; both gates say so" if len(gates) == 2 else f"; all {len(gates)} gates say so"
    return f"; {same} of {len(gates)} gates say{'s' if same == 1 else ''} so"


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
