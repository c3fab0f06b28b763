"""Describe a run before it starts: versions, and hashes of everything it reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import orjson

from ..ledger.clock import Clock
from ..ledger.fingerprint import fingerprint
from ..ledger.manifest import Enclosure, Manifest, PlannedCase
from ..ledger.suite import AgentSettings, Suite
from ..ledger.task import Task
from ..ledger.version import VERSION
from ..store.rundir import timestamp
from .programs import file_hash, programs_of


@dataclass(frozen=True, slots=True)
class Selection:
    """What is run of a suite."""

    tasks: Sequence[Task]
    trials: int
    jobs: int
    sandbox: Enclosure = Enclosure()
    baseline: str | None = None  # the file that the run is held against


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
        agent_sha256=_agent_hash(suite),
        programs=programs_of(suite),
        baseline=selection.baseline,
        baseline_sha256=None if selection.baseline is None else file_hash(selection.baseline),
        versions={
            "runledger": VERSION,
            "python": sys.version.split()[0],
            "platform": sys.platform,
        },
        sandbox=selection.sandbox,
    )


def _case(task: Task, suite: Suite) -> PlannedCase:
    cassette = task.cassette
    return PlannedCase(
        id=task.id,
        sha256=_noun_hash(task),
        description=task.description,
        tags=task.tags,
        cassette=cassette,
        cassette_sha256=None if cassette is None else file_hash(Path(suite.directory, cassette)),
    )


def _agent_hash(suite: Suite) -> str:
    """Hash all that tells how the agent is started, and where.

    Of variables that are passed on, and of those of servers, only the names count: their values
    may be other ones each time, and nobody shall find them out by guessing.
    """
    agent = suite.agent
    servers = tuple(replace(one, env=dict.fromkeys(one.env, "")) for one in agent.servers)
    set_here = fingerprint(["variables that are set", dict(agent.env_set)])
    known = replace(agent, servers=servers, env_set={"sha256": set_here})
    return fingerprint([_noun_hash(known), suite.directory])


def _noun_hash(noun: Task | AgentSettings) -> str:
    """Hash all that a noun says; its kind is part of it: must_call is not must_not_call."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS
    try:
        return sha256(orjson.dumps(noun, _noun_fields, options)).hexdigest()
    except TypeError:  # lone surrogates, integers over 64 bits
        return sha256(repr(noun).encode("utf-8", "backslashreplace")).hexdigest()


def _noun_fields(noun: object) -> dict[str, object]:
    names = getattr(noun, "__slots__", ())
    return {"": type(noun).__name__, **{name: getattr(noun, name) for name in names}}
