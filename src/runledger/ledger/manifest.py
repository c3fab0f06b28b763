"""What a run is made of, written down before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .suite import Mode, SandboxKind, Thresholds


@dataclass(frozen=True, slots=True)
class PlannedCase:
    """A case that a run is going to try, and hashes of what it reads."""

    id: str
    sha256: str = ""
    description: str | None = None
    tags: tuple[str, ...] = ()
    cassette: str | None = None
    cassette_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Enclosure:
    """What agents were shut in, by which version of it, and whether they had a network there."""

    kind: SandboxKind = "none"
    version: str | None = None
    network: bool = True


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that tells one run from another: what is tried, with what, by which versions."""

    run_id: str
    suite_name: str
    mode: Mode
    started: str  # ISO 8601
    cases: tuple[PlannedCase, ...]  # in the suite's order
    not_chosen: tuple[str, ...] = ()  # cases of the suite that --case or --tag left out
    trials: int = 1  # of each case
    jobs: int = 1
    thresholds: Thresholds | None = None
    suite_directory: str = ""
    suite_sha256: str = ""
    command: tuple[str, ...] = ()
    command_sha256: str = ""
    agent_sha256: str = ""  # of all that tells how the agent is started, its command included
    programs: Mapping[str, str] = field(default_factory=dict)  # hashes of the suite's own files
    baseline: str | None = None  # the file that it is held against
    baseline_sha256: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    sandbox: Enclosure = Enclosure()
