"""What conditions demand of a run: can it be kept to, and can anybody check it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from ..errors import Finding
from ..ledger.adapter import Adapter, StepKind
from ..ledger.suite import AgentProtocol
from .draft import Draft
from .experiment_conditions import KEYS, Place, places_of
from .experiment_document import ExperimentConfig, TracesSpec
from .source import Steps, line_of, point

_AGAINST = (*((key, key) for key in KEYS), ("used", "tools"))  # what is used was had, too


class Demand(NamedTuple):
    """One thing that is expected, forbidden or disallowed, and where it says so."""

    steps: Steps
    text: str


def check_baseline(draft: Draft[ExperimentConfig]) -> Iterator[Finding]:
    """Find that there is no baseline, or more than one."""
    conditions, source = draft.config.conditions, draft.source
    marked = [name for name, spec in conditions.items() if spec is not None and spec.baseline]
    if not marked:
        message = f"none is the baseline; add baseline: true to one of {', '.join(conditions)}"
        yield point(source, ("conditions",), message)
    elif len(marked) > 1:
        lines = [line_of(source, ("conditions", name, "baseline")) for name in marked]
        named = [f"{name} (line {line})" for name, line in zip(marked, lines, strict=True)]
        message = f"there is one baseline, but it is set in {' and '.join(named)}; keep one"
        yield point(source, ("conditions", marked[1], "baseline"), message)


def check_marks(
    draft: Draft[ExperimentConfig], protocol: AgentProtocol, adapter: Adapter | None
) -> Iterator[Finding]:
    """Find demands that no agent of this kind could keep to, or show that it does."""
    for place in places_of(draft.config):
        if place.spec.disallowed_tools and (told := _cannot_be_told(protocol, adapter)):
            message = f"{told}; found for {_named(place.conditions)}; {_OTHER_WAY}"
            yield point(draft.source, (*place.steps, "disallowed_tools"), message)
        for steps, key in _written(place):
            if told := _never_tells(key, protocol, adapter):
                message = f"{told}, so that nobody could check this; remove it"
                yield point(draft.source, steps, message)


def check_contradictions(draft: Draft[ExperimentConfig]) -> Iterator[Finding]:
    """Find what a condition both expects and rules out."""
    found: dict[tuple[Steps, Steps], Finding] = {}
    for name in draft.config.conditions:
        about = [one for one in places_of(draft.config) if name in one.conditions]
        for wanted, unwanted in _clashes(about):
            against = ".".join(map(str, unwanted.steps[:-1]))
            message = f"{wanted.text} is ruled out by {against} ({unwanted.text})"
            advice = f"no run of {name} could count; remove one of both"
            finding = point(draft.source, wanted.steps, f"{message}: {advice}")
            found.setdefault((wanted.steps, unwanted.steps), finding)
    yield from found.values()


_OTHER_WAY = "remove it, and void runs that use such a tool by forbid: {used: […]}"


def _named(conditions: tuple[str, ...]) -> str:
    if len(conditions) == 1:
        return f"condition {conditions[0]}"
    return f"the conditions {', '.join(conditions)}, which inherit it"


def _cannot_be_told(protocol: AgentProtocol, adapter: Adapter | None) -> str | None:
    if protocol != "headless":
        return f"an agent of protocol {protocol} cannot be told which tools are not allowed"
    if adapter is None or "disallowed_tools" in adapter.options:
        return None
    return f"the adapter {adapter.name} has no options.disallowed_tools that says how to tell it"


def _never_tells(key: str, protocol: AgentProtocol, adapter: Adapter | None) -> str | None:
    had = {"tools": "tools", "mcp_servers": "MCP servers"}.get(key)
    if protocol != "headless":
        return had and f"an agent of protocol {protocol} never tells which {had} it had"
    if adapter is None:
        return None
    if had is not None and not _has_step(adapter, "session", key):
        return f"the adapter {adapter.name} never tells which {had} the agent had"
    if key == "used" and not _has_step(adapter, "tool_call", "name"):
        return f"the adapter {adapter.name} never tells which tools the agent used"
    return None


def _has_step(adapter: Adapter, step: StepKind, field: str) -> bool:
    return any(rule.step == step and field in rule.fields for rule in adapter.events)


def _written(place: Place) -> Iterator[tuple[Steps, str]]:
    """Yield where a place demands something, and what kind of thing."""
    for side in ("expect", "forbid"):
        spec: TracesSpec | None = getattr(place.spec, side)
        for key in KEYS:
            if spec is not None and getattr(spec, key):
                yield (*place.steps, side, key), key


def _clashes(places: Iterable[Place]) -> Iterator[tuple[Demand, Demand]]:
    about = list(places)
    for expected, forbidden in _AGAINST:
        for wanted in _demands(about, "expect", expected):
            for unwanted in _demands(about, "forbid", forbidden):
                if _rules_out(unwanted.text, wanted.text, plain=forbidden == "prompt"):
                    yield wanted, unwanted
    for expected in ("tools", "used"):
        for wanted in _demands(about, "expect", expected):
            for unwanted in _disallowed(about):
                if _rules_out(unwanted.text, wanted.text):
                    yield wanted, unwanted


def _rules_out(unwanted: str, wanted: str, plain: bool = False) -> bool:
    return unwanted in wanted if plain else fnmatchcase(wanted, unwanted)


def _demands(places: Iterable[Place], side: str, key: str) -> Iterator[Demand]:
    for place in places:
        spec: TracesSpec | None = getattr(place.spec, side)
        texts: list[str] = (getattr(spec, key) if spec is not None else None) or []
        for index, text in enumerate(texts):
            yield Demand((*place.steps, side, key, index), text)


def _disallowed(places: Iterable[Place]) -> Iterator[Demand]:
    for place in places:
        for index, text in enumerate(place.spec.disallowed_tools or ()):
            yield Demand((*place.steps, "disallowed_tools", index), text)
