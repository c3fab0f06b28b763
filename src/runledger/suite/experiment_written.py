"""Find an experiment: the file that its author wrote, or what a run of it has kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import Finding
from ..ledger.experiment import Protocol
from ..store.protocol import PROTOCOL, read_protocol
from .cases import lines_of
from .draft import Draft
from .experiment_document import ExperimentConfig
from .source import Source, point, read_bytes, refusal
from .tree import SuiteTree, label_of
from .yaml_source import read_yaml

EXPERIMENT_FILE = "experiment.yaml"
NO_LINE = 0  # of what a run has kept: its author wrote it elsewhere


@dataclass(frozen=True, slots=True)
class Written:
    """An experiment as it was found, before it is understood."""

    label: str  # as the user would write it
    source: Source
    tree: SuiteTree
    to_run: bool  # else it is only looked at, and programs may be gone
    protocol: Protocol | None = None  # what a run has kept
    seed: int | None = None  # of that run


def find_experiment(path: Path, to_run: bool) -> Written:
    """Find the experiment in a file, in a directory, or in the directory of a run of it."""
    run = path.parent if path.name == PROTOCOL else path
    try:
        if (run / PROTOCOL).is_file():
            return _kept(run, to_run)
        file = path / EXPERIMENT_FILE if path.is_dir() else path
        if file.is_file():
            return _authored(file, to_run)
    except OSError as error:
        raise refusal(label_of(path), f"cannot be read: {error.strerror}") from error
    looked = f"{label_of(path / EXPERIMENT_FILE)} and {label_of(path / PROTOCOL)}"
    raise refusal(label_of(path), f"no such experiment: {label_of(path)} (looked for {looked})")


def task_sources(
    draft: Draft[ExperimentConfig], written: Written, findings: list[Finding]
) -> list[Source]:
    """Read the lines of the tasks' file, or the tasks that a run has kept."""
    if written.protocol is not None:
        return [Source(written.source.file, task, NO_LINE) for task in written.protocol.tasks]
    if "tasks" in draft.broken:
        return []
    path, tree = draft.config.tasks, written.tree
    problem = file_problem(path, tree)
    if problem is not None:
        findings.append(point(draft.source, ("tasks",), problem))
        return []
    label = tree.label_of(path)
    return lines_of(read_bytes(Path(tree.full(path)), label), label, findings, "task")


def file_problem(path: str, tree: SuiteTree) -> str | None:
    """Say why there is no file at a path that an experiment names."""
    spot = tree.look(path)
    if spot.refused is not None or spot.is_file:
        return spot.refused
    what = "is not a file" if spot.mode is not None else "does not exist"
    return f"must be a file beside the experiment; {tree.label_of(path)} {what}"


def _authored(file: Path, to_run: bool) -> Written:
    tree = SuiteTree(file.parent, "experiment")
    label = tree.label_of(file.name)
    return Written(label, read_yaml(file, label), tree, to_run)


def _kept(run: Path, to_run: bool) -> Written:
    protocol, seed = read_protocol(run)
    tree = SuiteTree(Path(protocol.directory), "experiment")
    source = Source(label_of(run / PROTOCOL), protocol.experiment, NO_LINE)
    return Written(label_of(run), source, tree, to_run, protocol, seed)
