"""The conditions of an experiment: what all share, and what is different in each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from ..errors import Finding, SuiteError
from ..ledger.experiment import Condition, Marks, Prefix
from .draft import Draft
from .experiment_document import (
    CommonSpec,
    ConditionSpec,
    ExperimentConfig,
    PrefixSpec,
    TracesSpec,
)
from .experiment_written import Written, file_problem
from .source import Steps, decode, point, read_bytes

LARGEST_SUFFIX = 2**20
KEYS = tuple(field.name for field in fields(Marks))

DEFAULT_SUFFIX = """\
When you are done, end your answer with a report in exactly this form, each count on its own line:

Total tool calls made: <number>
Files read: <number>
Key findings:
- <one finding on each line>
"""


def settle_conditions(
    config: ExperimentConfig, suffixes: Mapping[str, str]
) -> tuple[Condition, ...]:
    """Make every condition whole: what is common first, then its own."""
    common = config.common or CommonSpec()
    return tuple(
        _settle(name, spec or ConditionSpec(), common, suffixes.get(name, ""))
        for name, spec in config.conditions.items()
    )


def suffixes_of(
    draft: Draft[ExperimentConfig], written: Written, in_words: bool, findings: list[Finding]
) -> dict[str, str]:
    """Give the text after the prompt, by condition: of a file, or else three questions.

    The questions are left out where no task is asked in words.
    """
    if written.protocol is not None:
        return dict(written.protocol.suffixes)
    default = DEFAULT_SUFFIX if in_words else ""
    texts: dict[Steps, str] = {}
    suffixes = {}
    for name in draft.config.conditions:
        steps, file = suffix_file(draft.config, name)
        if file is not None and steps not in texts:
            texts[steps] = _read_suffix(draft, written, steps, file, findings)
        suffixes[name] = (default if not steps else "") if file is None else texts[steps]
    return suffixes


def suffix_file(config: ExperimentConfig, name: str) -> tuple[Steps, str | None]:
    """Find where a condition's suffix is written, and its file; nowhere is no steps."""
    places: tuple[tuple[Steps, CommonSpec | None], ...] = (
        (("conditions", name, "prompt_suffix"), config.conditions[name]),
        (("common", "prompt_suffix"), config.common),
    )
    for steps, spec in places:
        if spec is not None and "prompt_suffix" in spec.model_fields_set:
            return steps, spec.prompt_suffix
    return (), None


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the file that says something about conditions, and about which."""

    steps: Steps
    spec: CommonSpec
    conditions: tuple[str, ...]

    @property
    def name(self) -> str:
        """Write the place as a key."""
        return ".".join(map(str, self.steps))


def places_of(config: ExperimentConfig) -> Iterator[Place]:
    """Yield what is common to all conditions, then each of them."""
    if config.common is not None:
        yield Place(("common",), config.common, tuple(config.conditions))
    for name, spec in config.conditions.items():
        yield Place(("conditions", name), spec or ConditionSpec(), (name,))


def _read_suffix(
    draft: Draft[ExperimentConfig],
    written: Written,
    steps: Steps,
    file: str,
    findings: list[Finding],
) -> str:
    problem = file_problem(file, written.tree)
    if problem is not None:
        findings.append(point(draft.source, steps, problem))
        return ""
    label = written.tree.label_of(file)
    try:
        raw = read_bytes(Path(written.tree.full(file)), label, LARGEST_SUFFIX)
        text = decode(raw, label)
    except SuiteError as error:
        findings.extend(error.findings)
        return ""
    if len(raw) > LARGEST_SUFFIX:
        findings.append(point(draft.source, steps, f"{label} is larger than 1 MiB"))
    return text if text.strip() else ""


def _settle(name: str, own: ConditionSpec, common: CommonSpec, suffix: str) -> Condition:
    replaced = "prompt_prefix" in own.model_fields_set
    return Condition(
        name=name,
        baseline=own.baseline,
        disallowed_tools=_union(common.disallowed_tools, own.disallowed_tools),
        expect=_marks(common.expect, own.expect),
        forbid=_marks(common.forbid, own.forbid),
        prefix=_prefix(own.prompt_prefix if replaced else common.prompt_prefix),
        suffix=suffix,
    )


def _marks(common: TracesSpec | None, own: TracesSpec | None) -> Marks:
    both = (common or TracesSpec(), own or TracesSpec())
    return Marks(**{key: _union(*(getattr(one, key) for one in both)) for key in KEYS})


def _prefix(spec: PrefixSpec | None) -> Prefix | None:
    return None if spec is None else Prefix(tuple(spec.command), spec.tag, spec.timeout_s)


def _union(*lists: Sequence[str] | None) -> tuple[str, ...]:
    every: Iterable[str] = (one for some in lists for one in some or ())
    return tuple(dict.fromkeys(every))
