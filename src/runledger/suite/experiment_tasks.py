"""The tasks of an experiment: what is asked, and the facts that an answer is judged by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from ..errors import Finding
from ..ledger.criterion import Criterion
from ..ledger.pattern import pattern_problem
from ..ledger.task import Task
from ..ledger.value import Json
from .check_assertions import Surroundings
from .check_cases import CaseRules, check_cases
from .draft import Draft, understand
from .experiment_document import CheckSpec, CriterionSpec, ExperimentConfig, TaskConfig
from .schemas import SchemaShelf
from .settle import settle_case
from .source import Source, point
from .tree import SuiteTree

TaskDraft: TypeAlias = Draft[TaskConfig]

FEWEST, MOST = 2, 5
"""How many criteria a task is expected to have."""

_STAND_INS: Mapping[str, Json] = {"id": "ID", "input": {}}
_WITHOUT_EFFECT = ("assertions", "cassette")  # of suites alone
_FURTHER_TRIAL = re.compile(r"(.+)-t([1-9]\d*)")


def draft_tasks(sources: Sequence[Source], findings: list[Finding]) -> list[TaskDraft]:
    """Understand each task as far as possible, without what only a suite makes use of."""
    drafts = (understand(TaskConfig, source, _STAND_INS, findings) for source in sources)
    unused = dict.fromkeys(_WITHOUT_EFFECT)
    return [
        replace(draft, config=draft.config.model_copy(update=unused))
        for draft in drafts
        if draft is not None
    ]


def check_tasks(
    drafts: Sequence[TaskDraft], experiment: Draft[ExperimentConfig], tree: SuiteTree
) -> Iterator[Finding]:
    """Find everything in tasks that is well formed and cannot work all the same."""
    config, broken = experiment.config, experiment.broken
    protocol = None if "agent" in broken else config.agent.protocol
    rules = CaseRules(protocol=protocol, kinds=frozenset())
    yield from check_cases(drafts, rules, tree, Surroundings(SchemaShelf(tree)))
    for draft in drafts:
        yield from _check_criteria(draft)
    if not broken & {"conditions", "trials"}:
        yield from _check_file_names(drafts, experiment)


def settle_task(config: TaskConfig, tree: SuiteTree) -> Task:
    """Make a task of its document."""
    task = settle_case(config, CaseRules(), SchemaShelf(tree))
    return replace(task, criteria=tuple(_settle_criteria(config)))


def task_warnings(drafts: Sequence[TaskDraft]) -> Iterator[str]:
    """Tell what is odd about tasks, though it works."""
    odd = [
        f"{draft.config.id} ({count})"
        for draft in drafts
        if not FEWEST <= (count := len(draft.config.judge_criteria or ())) <= MOST
    ]
    if odd:
        yield f"{FEWEST} to {MOST} criteria are expected of a task; found {first_of(odd)}"
    for key in _WITHOUT_EFFECT:
        found = [draft.config.id for draft in drafts if _writes(draft, key)]
        if found:
            yield f"{key} of a task do nothing in an experiment; found in {first_of(found)}"


def first_of(names: Sequence[str], most: int = 5) -> str:
    """List a few names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _writes(draft: TaskDraft, key: str) -> bool:
    written = draft.source.value
    return isinstance(written, Mapping) and bool(written.get(key))


def _check_criteria(draft: TaskDraft) -> Iterator[Finding]:
    if "judge_criteria" in draft.broken:
        return
    if draft.config.judge_criteria is None:
        advice = 'add facts that a good answer states: "judge_criteria": ["names the file", …]'
        yield point(draft.source, ("judge_criteria",), f"is missing; {advice}")
    first: dict[str, int] = {}
    for index, spec in enumerate(draft.config.judge_criteria or ()):
        id = _criterion_id(spec, index)
        known = first.setdefault(id, index)
        if known != index:
            message = f"its id {id} is that of judge_criteria.{known}, too; choose another one"
            yield point(draft.source, ("judge_criteria", index), message)
        if isinstance(spec, CriterionSpec) and spec.check is not None:
            for key, problem in _check_problems(spec.check):
                yield point(draft.source, ("judge_criteria", index, "check", *key), problem)


def _check_problems(check: CheckSpec) -> Iterator[tuple[tuple[str, ...], str]]:
    given = [key for key in ("contains", "regex") if getattr(check, key) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        yield (), f"needs exactly one of contains, regex; found {found}"
    if check.regex is not None and (problem := pattern_problem(check.regex)):
        yield ("regex",), f"{problem}; found {check.regex}"


def _settle_criteria(config: TaskConfig) -> Iterator[Criterion]:
    for index, spec in enumerate(config.judge_criteria or ()):
        id = _criterion_id(spec, index)
        if isinstance(spec, str):
            yield Criterion(id, spec)
        else:
            check = spec.check or CheckSpec()
            yield Criterion(id, spec.text, check.contains, check.regex)


def _criterion_id(spec: str | CriterionSpec, index: int) -> str:
    return spec.id if isinstance(spec, CriterionSpec) else f"c{index + 1}"


def _check_file_names(
    drafts: Sequence[TaskDraft], experiment: Draft[ExperimentConfig]
) -> Iterator[Finding]:
    """Find answers that would be kept in one file, also where file names have no case."""
    ids = [draft.config.id for draft in drafts if "id" not in draft.broken]
    shared = list(_shared_files(ids, experiment.config))
    if shared:
        more = f" (and {len(shared) - 1} more such files)" if len(shared) > 1 else ""
        message = f"{shared[0]}{more}; rename a task or a condition"
        yield point(experiment.source, ("conditions",), message)


def _shared_files(ids: Sequence[str], config: ExperimentConfig) -> Iterator[str]:
    owners: dict[str, str] = {}
    for id, condition in product(ids, config.conditions):
        stem, mine = f"{id}-{condition}".lower(), f"task {id} in condition {condition}"
        owner = owners.setdefault(stem, mine)
        if owner != mine:
            yield f"runs/{stem}.md would hold the answers of {owner} and of {mine}"
    for stem, mine in owners.items():
        parts = _FURTHER_TRIAL.fullmatch(stem)
        if parts and parts[1] in owners and 2 <= int(parts[2]) <= config.trials:
            other = f"trial {parts[2]} of {owners[parts[1]]}"
            yield f"runs/{stem}.md would hold the answers of {mine} and of {other}"
