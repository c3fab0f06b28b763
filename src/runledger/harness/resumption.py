"""Find the run of a suite that is to be gone on with, and refuse it if anything changed since."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import UsageError
from ..ledger.clock import Clock
from ..ledger.suite import Mode, Suite
from ..store.resume import Progress, changes_since, is_unfinished, progress_of
from ..store.rundir import PLAN, find_run
from ..suite.load import load_suite, where_runs_are
from ..suite.tree import label_of
from .conduct import SYSTEM_CLOCK
from .manifest import Selection, manifest_of
from .prepare import RunOptions


@dataclass(frozen=True, slots=True)
class Resumption:
    """A run that was broken off, and the suite that it is a run of, as it was then."""

    suite: Suite
    progress: Progress

    @property
    def is_needed(self) -> bool:
        """Say whether anything is left to do."""
        return is_unfinished(self.progress)

    def options(self, given: RunOptions) -> RunOptions:
        """Choose what the run chose, and leave the rest as it was asked for."""
        manifest = self.progress.manifest
        return replace(
            given,
            cases=tuple(case.id for case in manifest.cases),
            trials=manifest.trials,
            baseline=given.baseline or manifest.baseline,
            resumed=self.progress,
        )


def resumption_of(
    name: str, path: Path, mode: Mode | None, output_dir: Path | None, clock: Clock = SYSTEM_CLOCK
) -> Resumption:
    """Find a run of a suite by its name; without a mode of its own it goes on in the run's."""
    suite_name, usual = where_runs_are(path)
    of = suite_name if name == "latest" else "*"
    run = find_run(name, output_dir or Path(usual), of)
    if (run / PLAN).exists():
        raise UsageError(f"{run} is a run of an experiment: runledger bench run {run}")
    progress = progress_of(run)
    suite = load_suite(path, mode or progress.manifest.mode)
    _refuse_changed(suite, progress, clock)
    return Resumption(suite, progress)


def _refuse_changed(suite: Suite, progress: Progress, clock: Clock) -> None:
    found, place = progress.manifest, label_of(Path(suite.directory))
    if found.suite_name != suite.name:
        raise UsageError(f"{progress.path} is a run of {found.suite_name}, not of {suite.name}")
    ids = {case.id for case in found.cases}
    tasks = [task for task in suite.tasks if task.id in ids]
    selection = Selection(tasks, found.trials, found.jobs, baseline=found.baseline)
    wanted = manifest_of(suite, selection, found.run_id, clock)
    if changes := changes_since(found, wanted, whole=True):
        listed = "".join(f"\n  {change}" for change in changes)
        raise UsageError(
            f"{progress.path} cannot be gone on with; since it began:{listed}\n"
            f"undo that, or begin anew: runledger run {place}"
        )
