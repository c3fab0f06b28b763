"""Names that give a condition away, and which of them are words that any answer may use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..ledger.experiment import Condition, Experiment

Kind: TypeAlias = Literal["name", "server", "tool", "title", "text"]
"""A title is what some agents say in place of a tool's name: it may be a sentence, or a file."""

MOST_TOOLS = 1000
LONGEST = 200  # characters of a name; nobody writes a longer one again
FEWEST = 3  # letters that a pattern with * must have

_WORDS = """
    a about above across add added after again against all alone along already also always an and
    any around arm as asc ask at auto aware away back bad bare base based baseline basic be before
    below best better between big blind both bottom browser build but by cache cached call cat
    change check clean close code cold common compact complete context control copy create current
    custom cut data database db dark day debug deep default delete desc detailed diff different
    direct disabled do docs done double down dry dumb each early easy edit empty enabled end even
    exact exec existing expert explicit extended extra fast fetch few file files filesystem final
    find first fix flat for force forced free fresh from full get git go good graph greedy grep
    group guided hard head heavy high hint hints hot how if implicit in index info initial inner
    input inside into is it just keep kind large last late latest lazy left less light limited list
    live local long loose low main make manual many match max memory mid middle min mini minimal
    mixed mode modern more most move multi naive native near never new next nice no node none normal
    not nothing now null of off old on once one only open optimized or original other out outer
    output over own parallel part partial pass patch path per plain plan plus pool pre previous
    prior profile prompt proposed pull push query quick quiet random raw read real reference regular
    remote remove repo reset rich right run safe same scan schema search second secure select
    self send sequential serial set shell short show shuffled side silent simple single size slim
    slow small smart so soft some sort split standard start state static status step stop store
    stream strict strong style sub symbol sync system tail task terse test text than that the then
    thin this three tight time tiny to tool tools top trace tree true try two type under unit
    unlimited until up update upper use used user variant verbose very view wait warm weak web when
    where wide with without word work wrapped write yes zero
"""

ORDINARY = frozenset(_WORDS.split())
"""Function words, everyday adjectives, and what programs and their tools are full of."""

_VERSION = re.compile(r"[vr]?[0-9]+(?:\.[0-9]+)*")
_APART = re.compile(r"[-_\s]+")
_FIXED = re.compile(r"[^\W_]+")
_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.*)")
_IDENTIFIER = re.compile(r"[\w:-]+")


@dataclass(frozen=True, slots=True)
class Marker:
    """A name, as it was given, or a text of a prompt."""

    text: str
    kind: Kind = "name"

    @property
    def is_pattern(self) -> bool:
        """Say whether a * in it stands for anything."""
        return self.kind in ("server", "tool") and "*" in self.text

    @property
    def ordinary(self) -> bool:
        """Say whether it is a word that an answer may use without meaning the condition or tool."""
        if self.is_pattern:
            return False
        if self.of_tool:
            return self.kind == "title" or self.text.isalpha()
        return is_ordinary(self.text)

    @property
    def of_tool(self) -> bool:
        """Say whether it names a tool."""
        return self.kind in ("tool", "title")

    @property
    def bare(self) -> bool:
        """Say whether it is a single letter or a number."""
        return len(self.text) == 1 or self.text.isdigit()

    @property
    def parts(self) -> list[str]:
        """Give the words that it is made of."""
        return [part for part in _APART.split(self.text) if part]


def is_ordinary(word: str) -> bool:
    """Say whether a word is none that stands for one thing alone."""
    return len(word) == 1 or word.lower() in ORDINARY or _VERSION.fullmatch(word) is not None


def markers_of(experiment: Experiment, tools: Iterable[str]) -> frozenset[Marker]:
    """Gather what gives a condition away: its name, its tag, and the tools and servers of all."""
    found = {one for condition in experiment.conditions for one in _of_condition(condition)}
    found |= {Marker(text, "text") for text in _telling_prompts(experiment.conditions)}
    used = sorted(tool for tool in tools if tool.isprintable())[:MOST_TOOLS]
    found |= {one for tool in used for one in _of_used(tool)}
    return frozenset(one for one in found if _is_usable(one))


def tags_of(experiment: Experiment) -> frozenset[str]:
    """Gather the tags between which conditions put something before the prompt."""
    prefixes = (condition.prefix for condition in experiment.conditions)
    return frozenset(prefix.tag for prefix in prefixes if prefix is not None)


def _of_condition(condition: Condition) -> Iterator[Marker]:
    yield Marker(condition.name)
    if condition.prefix is not None:
        yield Marker(condition.prefix.tag)
    for marks in (condition.expect, condition.forbid):
        for server in marks.mcp_servers:
            yield from _of_server(server)
        for tool in (*marks.tools, *marks.used):
            yield from _of_tool(tool)
    for tool in condition.disallowed_tools:
        yield from _of_tool(tool)


def _of_tool(name: str) -> Iterator[Marker]:
    """Yield a tool's name, without what some agents let stand behind it: Bash(git *)."""
    bare = name.partition("(")[0].strip() or name
    yield Marker(bare, "tool")
    if found := _MCP.fullmatch(bare):
        yield from _of_server(found["server"])
        yield Marker(found["tool"], "tool")


def _of_used(name: str) -> Iterator[Marker]:
    return _of_tool(name) if _IDENTIFIER.fullmatch(name) else iter([Marker(name, "title")])


def _of_server(name: str) -> Iterator[Marker]:
    yield Marker(name, "server")
    yield Marker(f"mcp__{name}__*", "tool")


def _telling_prompts(conditions: tuple[Condition, ...]) -> set[str]:
    """Gather texts that the prompts of some conditions, but not of all, must or must not hold."""
    marks = [frozenset(_prompt_marks(condition)) for condition in conditions]
    shared = frozenset[tuple[str, str]].intersection(*marks)
    return {text for one in marks for _, text in one - shared}


def _prompt_marks(condition: Condition) -> Iterator[tuple[str, str]]:
    yield from (("expect", text.strip()) for text in condition.expect.prompt)
    yield from (("forbid", text.strip()) for text in condition.forbid.prompt)


def _is_usable(marker: Marker) -> bool:
    if not 0 < len(marker.text) <= LONGEST:
        return False
    if not marker.is_pattern:
        return True
    fixed = _FIXED.findall(marker.text)
    return len("".join(fixed)) >= FEWEST and not all(map(is_ordinary, fixed))
