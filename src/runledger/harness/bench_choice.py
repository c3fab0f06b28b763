"""Which run of an experiment is meant: the newest, one to go on with, or none yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError
from ..ledger.experiment import Experiment
from ..ledger.findings import BenchRecord
from ..ledger.value import texts_in
from ..store.bench import find_benches, read_bench
from ..store.protocol import PROTOCOL
from ..suite.experiment import load_experiment

REDACTED = "[REDACTED"
RESUMABLE = ("planned", "interrupted")


@dataclass(frozen=True, slots=True)
class Chosen:
    """An experiment and where its runs are; `path` is the one run that was named, if any."""

    experiment: Experiment
    output_dir: Path
    path: Path | None = None


def choose_experiment(given: Path, output_dir: Path | None, *, to_run: bool) -> Chosen:
    """Load the experiment that a file or the directory of a run tells of."""
    experiment = load_experiment(given, to_run=to_run)
    if (given / PROTOCOL).is_file():
        if to_run:
            _refuse_redacted(experiment, given)
        return Chosen(experiment, given.parent, given)
    return Chosen(experiment, output_dir or Path(experiment.output_dir))


def newest_of(chosen: Chosen) -> Path:
    """Find the run that is named, or else the newest of the experiment."""
    if chosen.path is not None:
        return chosen.path
    found = find_benches(chosen.output_dir, chosen.experiment.name)
    if not found:
        raise UsageError(
            f"{chosen.experiment.name} has no run in {chosen.output_dir} yet: "
            f"runledger bench run {chosen.experiment.file}"
        )
    return found[0]


def to_go_on_with(chosen: Chosen) -> BenchRecord | None:
    """Find the newest run that does what the file asks for and has runs left, if there is one.

    Where there is none that is unfinished, the newest finished one is given.
    """
    alike = [record for record in _runs(chosen) if _same(record.experiment, chosen.experiment)]
    unfinished = [one for one in alike if one.status in RESUMABLE]
    running = [one for one in alike if one.status == "running"]
    done = [one for one in alike if one.status == "done"]
    for found in (running, unfinished, done):
        if found:
            return found[0]
    return None


def path_of(chosen: Chosen, record: BenchRecord) -> Path:
    """Give the directory of a run."""
    return chosen.path or chosen.output_dir / record.run_id


def _refuse_redacted(experiment: Experiment, run: Path) -> None:
    """Refuse to run by a protocol whose secrets are gone: the agent would get placeholders."""
    kept = [experiment.protocol.experiment, *experiment.protocol.tasks]
    if any(REDACTED in text for value in kept for text in texts_in(value)):
        raise UsageError(
            f"{run / PROTOCOL} does not hold the secrets that the experiment's file does; "
            "go on with that file: runledger bench run EXPERIMENT.yaml"
        )


def _runs(chosen: Chosen) -> list[BenchRecord]:
    if chosen.path is not None:
        return [read_bench(chosen.path, load_experiment(chosen.path, to_run=False))]
    found = find_benches(chosen.output_dir, chosen.experiment.name)
    return [read_bench(path, load_experiment(path, to_run=False)) for path in found]


def _same(one: Experiment, other: Experiment) -> bool:
    return one.protocol.sha256 == other.protocol.sha256
