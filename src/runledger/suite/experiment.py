"""Load an experiment: read, check everything, then settle it into nouns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import Finding, SuiteError
from ..ledger import experiment as noun
from ..ledger.prompts import prompts_of
from ..ledger.value import Json
from ..store.protocol import protocol_hash
from .draft import Draft, understand
from .experiment_agent import (
    FoundAdapter,
    check_agent,
    find_its_adapter,
    settle_agent,
    working_directory,
)
from .experiment_conditions import settle_conditions, suffixes_of
from .experiment_document import (
    AnalysisSpec,
    DiscardSpec,
    ExperimentConfig,
    OrderSpec,
)
from .experiment_marks import check_baseline, check_contradictions, check_marks
from .experiment_prompts import check_prompts
from .experiment_rules import (
    check_rules,
    cluster_warnings,
    settle_gates,
    settle_retries,
    settle_scoring,
)
from .experiment_tasks import TaskDraft, check_tasks, draft_tasks, settle_task, task_warnings
from .experiment_written import Written, find_experiment, task_sources

_STAND_INS: Mapping[str, Json] = {
    "experiment_name": "x",
    "tasks": "x",
    "agent": {"command": ["x"]},
    "conditions": {"a": {"baseline": True}, "b": None},
}


@dataclass(frozen=True, slots=True)
class Parts:
    """All that was read of an experiment, as far as it could be understood."""

    draft: Draft[ExperimentConfig]
    written: Written
    tasks: Sequence[TaskDraft]
    adapter: FoundAdapter | None
    suffixes: Mapping[str, str]


def load_experiment(path: Path, *, to_run: bool = True) -> noun.Experiment:
    """Load an experiment's file, the one in a directory, or what a run of it has kept.

    SuiteError carries all findings. What is not `to_run` is only looked at: it is no matter then
    whether its programs are still there.
    """
    written = find_experiment(path, to_run)
    findings: list[Finding] = []
    draft = understand(ExperimentConfig, written.source, _STAND_INS, findings)
    if draft is None:
        raise SuiteError(findings)
    parts = _read(draft, written, findings)
    findings += _check(parts)
    if findings:
        raise SuiteError(sorted(findings, key=lambda one: (one.file, one.line or 0)))
    return _settle(parts)


def _read(draft: Draft[ExperimentConfig], written: Written, findings: list[Finding]) -> Parts:
    tasks = draft_tasks(task_sources(draft, written, findings), findings)
    adapter = find_its_adapter(draft, written, findings)
    in_words = any(prompts_of(task.config.input) for task in tasks)
    suffixes = suffixes_of(draft, written, in_words, findings)
    return Parts(draft, written, tasks, adapter, suffixes)


def _check(parts: Parts) -> Iterator[Finding]:
    draft, written = parts.draft, parts.written
    yield from check_agent(draft, written)
    yield from check_tasks(parts.tasks, draft, written.tree)
    yield from check_prompts(draft, written, parts.tasks)
    yield from check_rules(draft, written)
    yield from check_contradictions(draft)
    if "conditions" not in draft.broken:
        yield from check_baseline(draft)
    if "agent" not in draft.broken:
        adapter = None if parts.adapter is None else parts.adapter.adapter
        yield from check_marks(draft, draft.config.agent.protocol, adapter)


def _settle(parts: Parts) -> noun.Experiment:
    config, written = parts.draft.config, parts.written
    order, analysis = config.order or OrderSpec(), config.analysis or AnalysisSpec()
    return noun.Experiment(
        name=config.experiment_name,
        file=written.label,
        directory=written.tree.directory,
        agent=settle_agent(config.agent, written, parts.adapter),
        cwd=working_directory(config.agent, written),
        tasks=tuple(settle_task(task.config, written.tree) for task in parts.tasks),
        conditions=settle_conditions(config, parts.suffixes),
        protocol=written.protocol or _protocol(parts),
        workspace=config.agent.workspace,
        timeout_s=config.agent.timeout_s,
        trials=config.trials,
        seed=order.seed if written.seed is None else written.seed,
        parallel_tasks=order.parallel_tasks,
        retries=settle_retries(config.retries),
        scoring=settle_scoring(config.scoring),
        most_discards=(config.discard or DiscardSpec()).max,
        cluster=analysis.cluster,
        level=analysis.level,
        gates=settle_gates(config.gates),
        output_dir=config.output_dir or noun.OUTPUT_DIR,
        warnings=tuple(_warnings(parts)),
    )


def _protocol(parts: Parts) -> noun.Protocol:
    """Keep what the author wrote, and its hash."""
    experiment = parts.draft.source.value
    assert isinstance(experiment, Mapping)
    tasks = [dict(one) for draft in parts.tasks if isinstance(one := draft.source.value, Mapping)]
    content = None if parts.adapter is None else parts.adapter.content
    sha256 = protocol_hash(experiment, parts.suffixes, tasks, content)
    directory = parts.written.tree.directory
    return noun.Protocol(sha256, directory, experiment, parts.suffixes, tasks, content)


def _warnings(parts: Parts) -> Iterator[str]:
    yield from task_warnings(parts.tasks)
    yield from cluster_warnings(parts.draft.config, parts.tasks)
    if not parts.draft.config.gates:
        yield "there are no gates, so there will be no verdict; add gates: [{metric: score, …}]"
