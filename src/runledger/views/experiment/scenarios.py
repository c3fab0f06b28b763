"""scenarios.md: what an experiment asks, under which conditions, and what it looks for."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from ...ledger.criterion import Criterion
from ...ledger.experiment import Condition, Prefix
from ...ledger.findings import BenchRecord
from ...ledger.fingerprint import canonical_dumps
from ...ledger.task import Task
from ..markup import code, codes, fenced, prose, table
from ..quoting import text_of
from .words import seconds, size

NAME_CHARS = 100
TEXT_CHARS = 2000
SHORT_CHARS = 80
NAMED = 50
NONE = "none"


def render(record: BenchRecord) -> str:
    """Write down the conditions and the tasks of an experiment."""
    asked = record.experiment
    sections = [
        f"# Scenarios: {code(asked.name, NAME_CHARS)}\n",
        f"{size(asked)}; each may take {seconds(asked.timeout_s)}; workspace: {asked.workspace}.\n",
        "## Conditions\n",
        table([_HEAD, *map(_condition_row, asked.conditions)]),
        *_suffixes(asked.conditions),
        "## Tasks\n",
        *(section for task in asked.tasks for section in _task(task)),
    ]
    return "\n".join(sections)


_HEAD = ("condition", "baseline", "disallowed tools", "prompt prefix", "prompt suffix")


def _condition_row(condition: Condition) -> Sequence[str]:
    return (
        code(condition.name, NAME_CHARS),
        "yes" if condition.baseline else "",
        codes(condition.disallowed_tools, NAMED, NAME_CHARS) or NONE,
        _prefix(condition.prefix) if condition.prefix else NONE,
        code(condition.suffix.strip(), SHORT_CHARS) if condition.suffix.strip() else NONE,
    )


def _prefix(prefix: Prefix) -> str:
    tag, command = f"<{prefix.tag}>", shlex.join(prefix.command)
    return f"{code(tag, NAME_CHARS)}: what {code(command, TEXT_CHARS)} prints"


def _suffixes(conditions: Sequence[Condition]) -> Iterator[str]:
    """Give each text that follows a prompt once, in full."""
    texts: dict[str, list[str]] = {}
    for one in conditions:
        texts.setdefault(one.suffix.strip(), []).append(one.name)
    for text, names in texts.items():
        if text:
            yield f"After the prompt, in {codes(names, NAMED, NAME_CHARS)}:\n"
            yield fenced(text)


def _task(task: Task) -> Iterator[str]:
    yield f"### {code(task.id, NAME_CHARS)}\n"
    if task.description:
        yield f"{prose(task.description)}\n"
    yield fenced(text_of(task.input))
    yield "".join(f"{number}. {_criterion(one)}\n" for number, one in enumerate(task.criteria, 1))
    if task.metadata:
        yield f"Metadata: {code(canonical_dumps(task.metadata), TEXT_CHARS)}\n"


def _criterion(criterion: Criterion) -> str:
    said = f"{code(criterion.id, NAME_CHARS)}: {prose(criterion.text)}"
    for how, what in (("contains", criterion.contains), ("regex", criterion.regex)):
        if what is not None:
            said += f"; checked by machine: {how} {code(what, TEXT_CHARS)}"
    return said
