"""The rules of an experiment: retries, scores, judges, clusters and gates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import Finding
from ..ledger.experiment import ExperimentGate, JudgeProgram, Retries, Scoring
from ..ledger.path import find
from ..ledger.pattern import pattern_problem
from ..ledger.value import Absent
from ..ledger.verdict import CHECK, MANUAL
from .check import output_problem
from .draft import Draft
from .experiment_document import (
    AnalysisSpec,
    ExperimentConfig,
    GateSpec,
    JudgeSpec,
    PointsSpec,
    RetriesSpec,
    ScoringSpec,
)
from .experiment_programs import program_problem
from .experiment_tasks import TaskDraft, first_of
from .experiment_written import Written
from .source import Steps, line_of, point

CLUSTER_ROOT = "metadata."


def check_rules(draft: Draft[ExperimentConfig], written: Written) -> Iterator[Finding]:
    """Find rules that contradict themselves, or that nobody could follow."""
    for steps, problem in _problems(draft.config, written):
        yield point(draft.source, steps, problem)
    yield from _check_judges(draft, written)


def cluster_warnings(config: ExperimentConfig, tasks: Sequence[TaskDraft]) -> Iterator[str]:
    """Tell which tasks are in no cluster, where there are clusters."""
    cluster = config.analysis.cluster if config.analysis else None
    if cluster is None:
        return
    path = cluster.removeprefix(CLUSTER_ROOT)
    without = [
        task.config.id
        for task in tasks
        if isinstance(find(task.config.metadata or {}, path), Absent)
    ]
    if without:
        yield f"tasks without {cluster} are clusters of their own: {first_of(without)}"


def settle_retries(retries: RetriesSpec | None) -> Retries:
    """Make the rules by which an attempt is repeated."""
    spec = retries or RetriesSpec()
    return Retries(spec.max_attempts, spec.min_bytes, tuple(spec.patterns or ()))


def settle_scoring(scoring: ScoringSpec | None) -> Scoring:
    """Make the rules by which verdicts become a score."""
    spec = scoring or ScoringSpec()
    points = spec.points or PointsSpec()
    return Scoring(
        points={"met": points.met, "partial": points.partial, "missed": points.missed},
        round_to=spec.round_to,
        complete_at=spec.complete_at,
        judges=tuple(JudgeProgram(one.id, tuple(one.command)) for one in spec.judges or ()),
    )


def settle_gates(gates: Sequence[GateSpec] | None) -> tuple[ExperimentGate, ...]:
    """Make the gates, in order."""
    return tuple(
        ExperimentGate(one.metric, one.min_difference, one.max_difference) for one in gates or ()
    )


def _problems(config: ExperimentConfig, written: Written) -> Iterator[tuple[Steps, str]]:
    """Yield what cannot work, with its place; of each rule the problem, if it has one."""
    for steps, problem in _looked_at(config, written):
        if problem is not None:
            yield steps, problem


def _looked_at(config: ExperimentConfig, written: Written) -> Iterator[tuple[Steps, str | None]]:
    for index, gate in enumerate(config.gates or ()):
        yield ("gates", index), _gate_problem(gate)
    retries, analysis = config.retries or RetriesSpec(), config.analysis or AnalysisSpec()
    for index, pattern in enumerate(retries.patterns or ()):
        yield ("retries", "patterns", index), _pattern_problem(pattern)
    yield ("analysis", "cluster"), _cluster_problem(analysis.cluster)
    yield ("scoring", "points"), _points_problem((config.scoring or ScoringSpec()).points)
    if written.protocol is None and config.output_dir is not None:
        yield ("output_dir",), output_problem(config.output_dir)


def _pattern_problem(pattern: str) -> str | None:
    problem = pattern_problem(pattern)
    return None if problem is None else f"{problem}; found {pattern}"


def _gate_problem(gate: GateSpec) -> str | None:
    bounds = ("min_difference", "max_difference")
    given = [bound for bound in bounds if getattr(gate, bound) is not None]
    if len(given) == 1:
        return None
    found = "both" if given else "neither"
    return f"needs exactly one of {' and '.join(bounds)}; found {found}"


def _cluster_problem(cluster: str | None) -> str | None:
    if cluster is None or cluster.removeprefix(CLUSTER_ROOT) not in (cluster, ""):
        return None
    return f"must be a path into a task's metadata, such as metadata.repo; found {cluster}"


def _points_problem(points: PointsSpec | None) -> str | None:
    if points is None or points.met >= points.partial >= points.missed:
        return None
    found = f"met {points.met:g}, partial {points.partial:g}, missed {points.missed:g}"
    return f"must not rise from met to partial to missed; found {found}"


def _check_judges(draft: Draft[ExperimentConfig], written: Written) -> Iterator[Finding]:
    judges = (draft.config.scoring or ScoringSpec()).judges or ()
    first: dict[str, Steps] = {}
    for index, judge in enumerate(judges):
        steps: Steps = ("scoring", "judges", index)
        known = first.setdefault(judge.id, (*steps, "id"))
        if known != (*steps, "id"):
            message = f"{judge.id} is the id of the judge on line {line_of(draft.source, known)}"
            yield point(draft.source, (*steps, "id"), f"{message}, too; choose another one")
        if judge.id in (CHECK, MANUAL):
            message = f"{judge.id} is a name of RunLedger's own; choose another one"
            yield point(draft.source, (*steps, "id"), message)
        problem = _judge_problem(judge, written)
        if problem is not None:
            yield point(draft.source, (*steps, "command"), problem)


def _judge_problem(judge: JudgeSpec, written: Written) -> str | None:
    return program_problem(judge.command, written.tree.directory) if written.to_run else None
