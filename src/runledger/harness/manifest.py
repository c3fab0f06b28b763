"""What a run is made of, written before it starts: versions, and hashes of everything it reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import orjson

from ..ledger.clock import Clock
from ..ledger.fingerprint import fingerprint
from ..ledger.suite import Suite
from ..ledger.task import Task
from ..ledger.value import Json
from ..ledger.version import VERSION
from ..store.rundir import timestamp


@dataclass(frozen=True, slots=True)
class Selection:
    """What is run of a suite."""

    tasks: Sequence[Task]
    trials: int
    jobs: int


def manifest_of(suite: Suite, selection: Selection, run_id: str, clock: Clock) -> dict[str, Json]:
    """Describe a run so that a later one can tell what changed since."""
    command = list(suite.agent.command)
    minimum = suite.thresholds.min_success_rate if suite.thresholds else None
    return {
        "run_id": run_id,
        "suite_name": suite.name,
        "mode": suite.mode,
        "started": timestamp(clock.unix()),
        "versions": {
            "runledger": VERSION,
            "python": sys.version.split()[0],
            "platform": sys.platform,
        },
        "suite": {"directory": suite.directory, "sha256": suite.sha256},
        "agent": {"command": command, "sha256": fingerprint(command)},
        "trials": selection.trials,
        "jobs": selection.jobs,
        "min_success_rate": minimum,
        "whole_suite": len(selection.tasks) == len(suite.tasks),
        "cases": [_case(task, suite) for task in selection.tasks],
    }


def _case(task: Task, suite: Suite) -> dict[str, Json]:
    case: dict[str, Json] = {"id": task.id, "sha256": _task_hash(task)}
    if task.tags:
        case["tags"] = list(task.tags)
    if task.cassette is None:
        return case
    hashed = _file_hash(Path(suite.directory, task.cassette))
    return {**case, "cassette": task.cassette, "cassette_sha256": hashed}


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
