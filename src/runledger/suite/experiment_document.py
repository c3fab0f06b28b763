"""The keys a user may write in experiment.yaml, and in its tasks, with the shape of each value."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from ..ledger.experiment import GateMetric
from .document import CaseConfig, Command, Count, Document, EnvSpec, Name, Text

Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]
AtLeastOne: TypeAlias = Annotated[int, Field(ge=1)]
Seconds: TypeAlias = Annotated[float, Field(gt=0)]


class CheckSpec(Document):
    """`judge_criteria[].check`: what a machine can tell by itself."""

    contains: Text | None = None
    regex: Text | None = None


class CriterionSpec(Document):
    """`judge_criteria[]`: one fact that an answer must state."""

    id: Name
    text: Text
    check: CheckSpec | None = None


def _kind_of_criterion(value: Any) -> str | None:
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, (dict, CriterionSpec)) else None


AnyCriterion: TypeAlias = Annotated[
    Annotated[Text, Tag("text")] | Annotated[CriterionSpec, Tag("object")],
    Discriminator(
        _kind_of_criterion,
        custom_error_type="criterion",
        custom_error_message="must be a text, or an object with id and text",
    ),
]


class TaskConfig(CaseConfig):
    """A line of an experiment's tasks: a prompt, and what its answer is judged by."""

    judge_criteria: Annotated[list[AnyCriterion], Field(min_length=1)] | None = None


class ExperimentAgentSpec(Document):
    """`agent`: who is asked, the same in every condition."""

    command: Command
    protocol: Literal["stdio", "acp", "headless", "python"] = "headless"
    adapter: Text | None = None
    cwd: Text | None = None
    workspace: Literal["shared", "copy", "git-worktree"] = "shared"
    timeout_s: Seconds = 1800.0
    env: EnvSpec | None = None


class TracesSpec(Document):
    """`expect` and `forbid`: what a run must show, or must not."""

    tools: list[Text] | None = None  # that it had
    used: list[Text] | None = None
    mcp_servers: list[Text] | None = None
    prompt: list[Text] | None = None
    files: list[Text] | None = None


class PrefixSpec(Document):
    """`prompt_prefix`: a program whose output is put before the prompt, between tags."""

    command: Command
    tag: Text
    timeout_s: Seconds = 60.0


class CommonSpec(Document):
    """`common`: what holds in every condition."""

    disallowed_tools: list[Text] | None = None
    expect: TracesSpec | None = None
    forbid: TracesSpec | None = None
    prompt_prefix: PrefixSpec | None = None
    prompt_suffix: Text | None = None


class ConditionSpec(CommonSpec):
    """`conditions.<name>`: what is different in this one."""

    baseline: bool = False


class OrderSpec(Document):
    """`order`: the seed of the plan, and how many tasks run at once."""

    seed: Count | None = None
    parallel_tasks: AtLeastOne = 1


class RetriesSpec(Document):
    """`retries`: when an attempt is repeated, and how often."""

    max_attempts: AtLeastOne = 3
    min_bytes: Count = 1
    patterns: list[Text] | None = None


class PointsSpec(Document):
    """`scoring.points`: what each verdict on a criterion is worth."""

    met: Share = 1.0
    partial: Share = 0.5
    missed: Share = 0.0


class JudgeSpec(Document):
    """`scoring.judges[]`: a program that judges one criterion at a time."""

    id: Name
    command: Command


class ScoringSpec(Document):
    """`scoring`: how verdicts become a score, and who gives them."""

    points: PointsSpec | None = None
    round_to: Annotated[float, Field(gt=0, le=100)] = 5.0
    complete_at: Annotated[float, Field(ge=0, le=100)] = 80.0
    judges: list[JudgeSpec] | None = None


class DiscardSpec(Document):
    """`discard`: how many runs may be thrown away before the experiment stops."""

    max: Count = 4


class AnalysisSpec(Document):
    """`analysis`: what belongs together, and the level of the intervals."""

    cluster: Text | None = None
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95


class GateSpec(Document):
    """`gates[]`: what a condition must reach beside the baseline."""

    metric: GateMetric
    min_difference: float | None = None
    max_difference: float | None = None


class ExperimentConfig(Document):
    """experiment.yaml, as its author wrote it."""

    experiment_name: Name
    tasks: Text
    agent: ExperimentAgentSpec
    conditions: Annotated[dict[Name, ConditionSpec | None], Field(min_length=2)]
    trials: AtLeastOne = 1
    common: CommonSpec | None = None
    order: OrderSpec | None = None
    retries: RetriesSpec | None = None
    scoring: ScoringSpec | None = None
    discard: DiscardSpec | None = None
    analysis: AnalysisSpec | None = None
    gates: list[GateSpec] | None = None
    output_dir: Text | None = None
