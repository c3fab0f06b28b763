"""Describe a run before it starts: versions, and hashes of everything it reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson

from ..ledger.clock import Clock
from ..ledger.fingerprint import fingerprint
from ..ledger.manifest import Manifest, PlannedCase
from ..ledger.suite import Suite
from ..ledger.task import Task
from ..ledger.version import VERSION
from ..store.rundir import timestamp


@dataclass(frozen=True, slots=True)
class Selection:
    """What is run of a suite."""

    tasks: Sequence[Task]
    trials: int
    jobs: int


def manifest_of(suite: Suite, selection: Selection, run_id: str, clock: Clock) -> Manifest:
    """Describe a run so that a later one can tell what changed since."""
    chosen = {task.id for task in selection.tasks}
    return Manifest(
        run_id=run_id,
        suite_name=suite.name,
        mode=suite.mode,
        started=timestamp(clock.unix()),
        cases=tuple(_case(task, suite) for task in selection.tasks),
        not_chosen=tuple(task.id for task in suite.tasks if task.id not in chosen),
        trials=selection.trials,
        jobs=selection.jobs,
        thresholds=suite.thresholds,
        suite_directory=suite.directory,
        suite_sha256=suite.sha256,
        command=suite.agent.command,
        command_sha256=fingerprint(list(suite.agent.command)),
        versions={
            "runledger": VERSION,
            "python": sys.version.split()[0],
            "platform": sys.platform,
        },
    )


def _case(task: Task, suite: Suite) -> PlannedCase:
    cassette = task.cassette
    return PlannedCase(
        id=task.id,
        sha256=_task_hash(task),
        description=task.description,
        tags=task.tags,
        cassette=cassette,
        cassette_sha256=None if cassette is None else _file_hash(Path(suite.directory, cassette)),
    )


def _task_hash(task: Task) -> str:
    """Hash all that a task says; a noun's kind is part of it: must_call is not must_not_call."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
    try:
        return sha256(orjson.dumps(task, _noun_fields, options)).hexdigest()
    except TypeError:  # lone surrogates, integers over 64 bits
        return sha256(repr(task).encode("utf-8", "backslashreplace")).hexdigest()


def _noun_fields(noun: object) -> dict[str, object]:
    names = getattr(noun, "__slots__", ())
    return {"": type(noun).__name__, **{name: getattr(noun, name) for name in names}}


def _file_hash(path: Path) -> str | None:
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
