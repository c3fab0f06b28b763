"""Settle all that can be settled before the first agent starts: what is run, against what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..capture.plan import choose
from ..errors import UsageError
from ..ledger.baseline import Baseline
from ..ledger.suite import Suite
from ..ledger.task import Task
from ..process.sandbox import Sandbox
from ..process.supervisor import Supervisor
from ..store.baseline import read_baseline, refuse_foreign
from ..suite.tree import label_of
from .agent_choice import refuse_unfit
from .furnish import sandbox_for, toolbox_for

if TYPE_CHECKING:
    from ..store.resume import Progress
    from ..tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the caller wants of a run beyond what the suite says."""

    jobs: int = 1
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    trials: int = 1
    fail_fast: bool = False
    output_dir: str | None = None
    grader_timeout_s: float = 60.0
    baseline: str | None = None
    only_missing: bool = False
    max_cost_usd: float | None = None
    resumed: Progress | None = None  # the run that is gone on with


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can begin: tasks of a suite, what answers them, what they are held against."""

    suite: Suite
    tasks: tuple[Task, ...]
    baseline: Baseline | None = None
    baseline_file: Path | None = None
    toolbox: Toolbox | None = None  # who answers outside replay
    no_baseline: str | None = None  # where the suite's baseline would be, and is not
    sandbox: Sandbox | None = None  # that its agents are shut in


def prepare(suites: Sequence[Suite], options: RunOptions, supervisor: Supervisor) -> list[Prepared]:
    """Choose the tasks of each suite, read its baseline and try its tools, or say what is wrong."""
    _refuse_contradictions(suites, options)
    for suite in suites:
        refuse_unfit(suite)
        _require_proxy(suite)
    chosen = [(suite, tasks) for suite, tasks in _chosen(suites, options) if tasks]
    ready = [_with_baseline(suite, tasks, options) for suite, tasks in chosen]
    return [_tried(one, supervisor) for one in ready]


def _tried(one: Prepared, supervisor: Supervisor) -> Prepared:
    sandbox = sandbox_for(one.suite, supervisor)
    return replace(one, sandbox=sandbox, toolbox=toolbox_for(one.suite, supervisor))


def _require_proxy(suite: Suite) -> None:
    """Raise UsageError, before any agent starts, where the model proxy is not installed."""
    for proxy in suite.proxies.models:
        from ..proxies.model import require_aiohttp  # without one nobody pays for it

        require_aiohttp(proxy)


def _refuse_contradictions(suites: Sequence[Suite], options: RunOptions) -> None:
    recording = [suite.name for suite in suites if suite.mode == "record"]
    if recording and options.trials > 1:
        raise UsageError(
            f"{recording[0]} cannot be recorded {options.trials} times: "
            "a cassette holds one trial; leave -k out"
        )
    if options.only_missing and len(recording) < len(suites):
        raise UsageError("--only-missing goes with --mode record")


def _chosen(suites: Sequence[Suite], options: RunOptions) -> list[tuple[Suite, tuple[Task, ...]]]:
    """Choose from all suites together: a name is unknown only if no suite has it."""
    every = [task for suite in suites for task in suite.tasks]
    wanted = {id(task) for task in choose(every, options.cases, options.tags)}
    found = [(suite, [task for task in suite.tasks if id(task) in wanted]) for suite in suites]
    if not options.only_missing:
        return [(suite, tuple(tasks)) for suite, tasks in found]
    return [(suite, tuple(_unrecorded(suite, tasks))) for suite, tasks in found]


def _unrecorded(suite: Suite, tasks: Iterable[Task]) -> Iterator[Task]:
    for task in tasks:
        if task.cassette is None or not Path(suite.directory, task.cassette).exists():
            yield task


def _with_baseline(suite: Suite, tasks: tuple[Task, ...], options: RunOptions) -> Prepared:
    named = None if options.baseline is None else _read(Path(options.baseline), suite)
    if suite.mode == "record":  # which does not gate; a wrong name is told all the same
        return Prepared(suite, tasks)
    if named is not None or suite.baseline_path is None:
        return Prepared(suite, tasks, named, Path(options.baseline) if options.baseline else None)
    file = Path(suite.directory, suite.baseline_path)
    if not file.exists():
        return Prepared(suite, tasks, no_baseline=label_of(file))
    return Prepared(suite, tasks, _read(file, suite), file)


def _read(file: Path, suite: Suite) -> Baseline:
    baseline = read_baseline(file)
    refuse_foreign(baseline, suite.name, file)
    return baseline
