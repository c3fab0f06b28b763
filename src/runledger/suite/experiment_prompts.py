"""What is put around the prompts of an experiment: does it fit the tasks?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import Finding
from ..ledger.prompts import prompts_of
from .draft import Draft
from .experiment_conditions import Place, places_of
from .experiment_document import ExperimentConfig, PrefixSpec
from .experiment_programs import program_problem
from .experiment_tasks import TaskDraft, first_of
from .experiment_written import Written
from .source import point

_TAG = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


def check_prompts(
    draft: Draft[ExperimentConfig], written: Written, tasks: Sequence[TaskDraft]
) -> Iterator[Finding]:
    """Find prefixes that cannot be made, and what cannot be put around a task's input."""
    sound = [task for task in tasks if "input" not in task.broken]
    for place in places_of(draft.config):
        prefix = place.spec.prompt_prefix
        if prefix is not None:
            yield from _check_prefix(draft, place, prefix, written)
            yield from _check_tag(place, prefix.tag, sound)
        if draft.config.agent.protocol in ("stdio", "python"):
            yield from _check_wordless(draft, place, sound)


def _check_prefix(
    draft: Draft[ExperimentConfig], place: Place, prefix: PrefixSpec, written: Written
) -> Iterator[Finding]:
    steps = (*place.steps, "prompt_prefix")
    if not _TAG.fullmatch(prefix.tag):
        message = f"must be a name such as project_context, without < and >; found {prefix.tag}"
        yield point(draft.source, (*steps, "tag"), message)
    problem = program_problem(prefix.command, written.tree.directory) if written.to_run else None
    if problem is not None:
        yield point(draft.source, (*steps, "command"), problem)


def _check_tag(place: Place, tag: str, tasks: Sequence[TaskDraft]) -> Iterator[Finding]:
    """Find tasks whose prompts look as if they had the prefix already."""
    for task in tasks:
        if any(f"<{tag}" in prompt for prompt in prompts_of(task.config.input)):
            message = f"holds <{tag}, the tag of {place.name}.prompt_prefix; choose another tag"
            yield point(task.source, ("input",), message)


def _check_wordless(
    draft: Draft[ExperimentConfig], place: Place, tasks: Sequence[TaskDraft]
) -> Iterator[Finding]:
    """Find what is to be put around prompts where there are none."""
    wordless = [task.config.id for task in tasks if not prompts_of(task.config.input)]
    for key in ("prompt_prefix", "prompt_suffix"):
        if wordless and getattr(place.spec, key) is not None:
            message = f"goes with a text, and the input of {first_of(wordless)} has no prompt"
            advice = f"add one ({{prompt: …}}), or remove {key}"
            yield point(draft.source, (*place.steps, key), f"{message}; {advice}")
