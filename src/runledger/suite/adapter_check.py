"""What an adapter file must keep to beside the shape of its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..errors import Finding, did_you_mean
from ..ledger.adapter import BLANKS, StepKind
from ..ledger.path import ANY, parse_path
from ..ledger.pattern import pattern_problem
from .adapter_document import AdapterConfig, EventSpec
from .source import Source, Steps, point

_BLANK = re.compile(r"\{([^{}]+)\}")

FIELDS: Mapping[StepKind, Mapping[str, bool]] = {  # and whether the step needs it
    "message": {"text": True, "delta": False},
    "thought": {"text": True, "delta": False},
    "tool_call": {"id": True, "name": True, "input": False, "status": False},
    "tool_result": {
        "id": True,
        "output": False,
        "error": False,
        "failed": False,
        "exit_code": False,
        "began": False,
        "ended": False,
    },
    "plan": {"entries": True},
    "usage": {"tokens_in": False, "tokens_out": False, "cost_usd": False, "model": False},
    "session": {
        "id": False,
        "model": False,
        "version": False,
        "tools": False,
        "mcp_servers": False,
    },
}


def check_adapter(config: AdapterConfig, source: Source) -> Iterator[Finding]:
    """Yield every finding about an adapter whose values have the right shapes."""
    for steps, message in _problems(config):
        yield point(source, steps, message)


def _problems(config: AdapterConfig) -> Iterator[tuple[Steps, str]]:
    yield from _about_prompt(config)
    yield from _about_options(config)
    for number, event in enumerate(config.events):
        yield from (((("events", number, *steps)), told) for steps, told in _about_event(event))
    for steps, paths in _rules(config):
        if told := _about_lists(paths):
            yield steps, told
    for number, rule in enumerate(config.result.error):
        if rule.pattern is not None and (told := pattern_problem(rule.pattern)):
            yield ("result", "error", number, "pattern"), told


def _about_prompt(config: AdapterConfig) -> Iterator[tuple[Steps, str]]:
    way = config.prompt
    if way.via == "flag" and not way.flag:
        yield ("prompt", "flag"), "is missing; via flag needs the flag before the prompt"
    if way.via != "flag" and way.flag is not None:
        yield ("prompt", "flag"), f"goes with via flag, not with via {way.via}"


def _about_options(config: AdapterConfig) -> Iterator[tuple[Steps, str]]:
    for option, blank in BLANKS.items():
        words: list[str] | None = getattr(config.options, option)
        if words is not None and not any(blank in word for word in words):
            yield ("options", option), f"needs {blank} where its value goes"


def _about_event(event: EventSpec) -> Iterator[tuple[Steps, str]]:
    known = FIELDS[event.step]
    for name in event.fields:
        if name not in known:
            hint = did_you_mean(name, known)
            yield (
                ("fields", name),
                f"unknown field of a {event.step}{hint} (known: {', '.join(known)})",
            )
    for name, needed in known.items():
        if needed and name not in event.fields:
            yield ("fields",), f"a {event.step} needs the field {name}"
    for name, field in event.fields.items():
        if event.step == "usage" and isinstance(field, dict):
            yield ("fields", name), "must be a path or a list of paths, which add up"


def _rules(config: AdapterConfig) -> Iterator[tuple[Steps, list[str]]]:
    """Yield where each rule is, with all its paths."""
    for number, event in enumerate(config.events):
        yield ("events", number), [*event.when, *_texts(event.fields.values())]
    result = config.result
    for number, text in enumerate(result.text):
        yield ("result", "text", number), [*text.when, *(text.path or ())]
    for number, error in enumerate(result.error):
        yield ("result", "error", number), [*error.when, *(error.message or ())]
    for number, usage in enumerate(result.usage):
        fields = [places for _, places in usage.fields if places is not None]
        yield ("result", "usage", number), [*usage.when, *_texts(fields)]


def _texts(fields: Iterable[object]) -> Iterator[str]:
    for field in fields:
        if isinstance(field, str):
            yield field
        elif isinstance(field, dict):
            yield from _texts(field.values())
        elif isinstance(field, list):
            yield from _texts(field)


def _about_lists(places: Iterable[str]) -> str | None:
    """Say what is wrong with the asterisks of a rule: it may speak of the items of one list."""
    lists = set()
    for place in places:
        for text in _BLANK.findall(place) if "{" in place else (place,):
            path = parse_path(text)
            if path.count(ANY) > 1:
                return f"{text} has more than one *; a rule speaks of the items of one list"
            if ANY in path:
                lists.add(path[: path.index(ANY)])
    if len(lists) < 2:
        return None
    return "has a * in paths to different lists; a rule speaks of the items of one list"
