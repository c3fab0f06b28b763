"""Which run of an experiment is meant: the newest, one to go on with, or none yet."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..ledger.experiment import Experiment
from ..ledger.findings import BenchRecord
from ..ledger.fingerprint import hash_changes
from ..store.bench import find_benches, read_bench
from ..store.manifest import read_manifest
from ..store.protocol import PROTOCOL, changes_between, is_redacted
from ..suite.experiment import load_experiment
from .conditions import suite_under
from .furnish import cleaner_for
from .programs import programs_of

RESUMABLE = ("planned", "interrupted")


@dataclass(frozen=True, slots=True)
class Chosen:
    """An experiment and where its runs are; `path` is the one run that was named, if any."""

    words: str  # that name it in a command
    experiment: Experiment
    output_dir: Path
    path: Path | None = None


def choose_experiment(given: Path, output_dir: Path | None, *, to_run: bool) -> Chosen:
    """Load the experiment that a file or the directory of a run tells of."""
    experiment = load_experiment(given, to_run=to_run)
    if (given / PROTOCOL).is_file():
        if to_run:
            _refuse_redacted(experiment, given)
        return Chosen(shlex.quote(str(given)), experiment, given.parent, given)
    elsewhere = [] if output_dir is None else ["--output-dir", str(output_dir)]
    words = shlex.join([str(given), *elsewhere])
    return Chosen(words, experiment, output_dir or Path(experiment.output_dir))


def newest_of(chosen: Chosen) -> Path:
    """Find the run that is named, or else the newest of the experiment."""
    if chosen.path is not None:
        return chosen.path
    found = find_benches(chosen.output_dir, chosen.experiment.name)
    if not found:
        raise UsageError(
            f"{chosen.experiment.name} has no run in {chosen.output_dir} yet: "
            f"runledger bench run {chosen.words}"
        )
    return found[0]


def to_go_on_with(chosen: Chosen) -> BenchRecord | None:
    """Find the newest run that does what the file asks for and has runs left, if there is one.

    Where there is none that is unfinished, the newest finished one is given.
    """
    sha256 = chosen.experiment.protocol.sha256
    paths = [chosen.path] if chosen.path else find_benches(*_where(chosen), sha256)
    alike = [record for path in paths if (record := readable(path)) is not None]
    for wanted in (("running",), RESUMABLE, ("done",)):
        found = [one for one in alike if one.status in wanted]
        if found:
            return found[0]
    return None


def earlier_runs(chosen: Chosen) -> Iterator[BenchRecord]:
    """Yield the runs of an experiment that can be read, the newest first."""
    for path in find_benches(*_where(chosen)):
        record = readable(path)
        if record is not None:
            yield record


def readable(path: Path) -> BenchRecord | None:
    """Read a run by the protocol it was run by; None if it is damaged."""
    try:
        return read_bench(path, load_experiment(path, to_run=False))
    except UsageError:
        return None


def changes_since_newest(chosen: Chosen) -> tuple[Path, tuple[str, ...]] | None:
    """Find the newest run, if it was broken off, and name what keeps it from being gone on with."""
    newest = next(earlier_runs(chosen), None)
    if newest is None or newest.status not in RESUMABLE:
        return None
    clean = cleaner_for(suite_under(chosen.experiment, chosen.experiment.conditions[0]))
    before, now = newest.experiment.protocol, chosen.experiment.protocol
    return path_of(chosen, newest), tuple(changes_between(before, now, clean))


def refuse_changed_programs(chosen: Chosen, path: Path) -> None:
    """Refuse to go on where the agent is another by now, though the experiment's file is not."""
    suite = suite_under(chosen.experiment, chosen.experiment.conditions[0])
    before, now = read_manifest(path).programs, programs_of(suite)
    if changes := list(hash_changes(before, now)):
        raise UsageError(
            f"{path} cannot be gone on with: since it began, {', '.join(changes)}\n"
            f"undo that, or begin anew: runledger bench plan {chosen.words}, then bench run"
        )


def path_of(chosen: Chosen, record: BenchRecord) -> Path:
    """Give the directory of a run."""
    return chosen.path or chosen.output_dir / record.run_id


def _where(chosen: Chosen) -> tuple[Path, str]:
    return chosen.output_dir, chosen.experiment.name


def _refuse_redacted(experiment: Experiment, run: Path) -> None:
    """Refuse to run by a protocol whose secrets are gone: the agent would get placeholders."""
    if is_redacted(experiment.protocol):
        raise UsageError(
            f"{run / PROTOCOL} does not hold the secrets that the experiment's file does; "
            "go on with that file: runledger bench run EXPERIMENT.yaml"
        )
