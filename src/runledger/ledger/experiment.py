"""An experiment: one agent, several conditions, the same tasks, and the rules of the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from .suite import AgentSettings
from .task import Task
from .value import Json

GateMetric: TypeAlias = Literal[
    "score", "completion", "duration_s", "tool_calls", "files_read", "tokens", "cost_usd"
]
METRICS: tuple[GateMetric, ...] = get_args(GateMetric)
WorkspaceKind: TypeAlias = Literal["shared", "copy", "git-worktree"]
Word: TypeAlias = Literal["met", "partial", "missed"]
WORDS: tuple[Word, ...] = get_args(Word)

OUTPUT_DIR = "bench"


@dataclass(frozen=True, slots=True)
class Marks:
    """What a run must show, or must not; tools, servers and files may be patterns with *."""

    tools: tuple[str, ...] = ()  # that the agent had
    used: tuple[str, ...] = ()
    mcp_servers: tuple[str, ...] = ()
    prompt: tuple[str, ...] = ()  # texts in what the agent was asked
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prefix:
    """A program whose output is put before the prompt, between tags."""

    command: tuple[str, ...]  # {prompt} stands for the task's prompt
    tag: str
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Condition:
    """One way of asking the agent; what all conditions share is in each of them."""

    name: str
    baseline: bool = False
    disallowed_tools: tuple[str, ...] = ()
    expect: Marks = Marks()
    forbid: Marks = Marks()
    prefix: Prefix | None = None
    suffix: str = ""  # put after the prompt


@dataclass(frozen=True, slots=True)
class Retries:
    """When an attempt is repeated within its trial, and how often at most."""

    max_attempts: int = 3
    min_bytes: int = 1  # an output of fewer is empty
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeProgram:
    """A program that judges one criterion of one output at a time."""

    id: str
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """How verdicts become a score in percent, and who gives them."""

    points: Mapping[Word, float] = field(
        default_factory=lambda: {"met": 1.0, "partial": 0.5, "missed": 0.0}
    )
    round_to: float = 5.0  # for display only
    complete_at: float = 80.0  # of the score before it is rounded
    judges: tuple[JudgeProgram, ...] = ()


@dataclass(frozen=True, slots=True)
class ExperimentGate:
    """What a condition's difference from the baseline must reach; just one of both is set."""

    metric: GateMetric
    min_difference: float | None = None
    max_difference: float | None = None


@dataclass(frozen=True, slots=True)
class Protocol:
    """The experiment as its author wrote it, whole: what protocol.yaml keeps."""

    sha256: str  # of all that follows, but for the directory
    directory: str  # of the experiment's file, absolute
    experiment: Mapping[str, Json]
    suffixes: Mapping[str, str]  # the text after the prompt, by condition
    tasks: Sequence[Mapping[str, Json]]  # each as its line says
    adapter: Mapping[str, Json] | None = None  # what its file says, so that an edit is noticed


@dataclass(frozen=True, slots=True)
class Experiment:
    """All that an experiment is, settled and checked."""

    name: str
    file: str  # as the user would write it: experiment.yaml, or a run's directory
    directory: str  # of experiment.yaml, absolute; where judges and prefix commands run
    agent: AgentSettings
    cwd: str  # where the agent works, or what its workspaces are made of; absolute
    tasks: tuple[Task, ...]
    conditions: tuple[Condition, ...]  # in the order of the file
    protocol: Protocol
    workspace: WorkspaceKind = "shared"
    timeout_s: float = 1800.0
    trials: int = 1
    seed: int | None = None  # None: drawn when the plan is made
    parallel_tasks: int = 1
    retries: Retries = Retries()
    scoring: Scoring = Scoring()
    most_discards: int = 4
    cluster: str | None = None  # the path of what tells clusters apart, such as metadata.repo
    level: float = 0.95
    gates: tuple[ExperimentGate, ...] = ()
    output_dir: str = OUTPUT_DIR
    warnings: tuple[str, ...] = ()


def baseline_of(experiment: Experiment) -> Condition:
    """Give the condition that the others are compared with."""
    return next(one for one in experiment.conditions if one.baseline)


def others_of(experiment: Experiment) -> tuple[Condition, ...]:
    """Give the conditions that are compared with the baseline, in order."""
    return tuple(one for one in experiment.conditions if not one.baseline)
