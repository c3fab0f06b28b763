"""Names that give a condition away, and which of them are words that any answer may use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
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

_SMALL_WORDS = """
    a after all an and any as at be before but by do each for from if in into is it just less more
    most never no none not now of off on once one only or other out over per plus same so some than
    that the then this to under until up very when where with without
"""

SMALL = frozenset(_SMALL_WORDS.split())
"""Words that any sentence may put before another word."""

_VERSION = re.compile(r"[vr]?[0-9]+(?:\.[0-9]+)*")
_APART = re.compile(r"[-_\s]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # or a hump
_FIXED = re.compile(r"[^\W_]+")
_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.*)")
_VERBS = """
apply ask cat close delete edit exec execute fetch find get glob grep list look move open patch plan
put query read rename replace run search see set shell show task test think update view watch write
"""
VERBS = frozenset(_VERBS.split())
"""Names of tools, in small letters, that are words of any sentence on programs."""

_IDENTIFIER = re.compile(r"[\w:-]+")


@dataclass(frozen=True, slots=True)
class Marker:
    """A name, as it was given, or a text of a prompt."""

    text: str
    kind: Kind = "name"
    of_some: bool = False  # a tool that tells, word or not: not all conditions use it alike

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
            return self.kind == "title" or _is_one_word(self.text)
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

    @property
    def everyday(self) -> bool:
        """Say whether all its words are ordinary."""
        return all(map(is_ordinary, self.parts))

    @property
    def small(self) -> bool:
        """Say whether sentences use its words side by side: no cache, step 1; not graph context."""
        return self.everyday and any(map(_is_small, self.parts))


def is_ordinary(word: str) -> bool:
    """Say whether a word is none that stands for one thing alone."""
    return len(word) == 1 or word.lower() in ORDINARY or _VERSION.fullmatch(word) is not None


def _is_one_word(name: str) -> bool:
    """Say whether a name is written as words are: Read or read, but not WebFetch or LSP."""
    return name.isalpha() and (len(name) == 1 or name[1:] == name[1:].lower())


def _is_small(word: str) -> bool:
    return len(word) == 1 or word.lower() in SMALL or _VERSION.fullmatch(word) is not None


def markers_of(experiment: Experiment, used: Mapping[str, Set[str]]) -> frozenset[Marker]:
    """Gather what gives a condition away: its name, its tag, and the tools and servers of all.

    `used` are the tools that the runs of each condition called.
    """
    conditions = experiment.conditions
    found = {one for condition in conditions for one in _of_condition(condition)}
    found |= {Marker(text, "text") for text in _of_some([*map(_prompt_marks, conditions)])}
    found |= {one for tool in _names_in(used) for one in _of_used(tool)}
    telling = _of_some([_tool_marks(one, used.get(one.name, frozenset())) for one in conditions])
    return frozenset(
        replace(one, of_some=one.text in telling and _may_tell(one))
        for one in found
        if _is_usable(one)
    )


def _names_in(used: Mapping[str, Set[str]]) -> Sequence[str]:
    """List the tools that were called under any condition, as many as can be looked for."""
    called = frozenset[str]().union(*used.values())
    return sorted(tool for tool in called if tool.isprintable())[:MOST_TOOLS]


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


def _bare_name(tool: str) -> str:
    """Give a tool's name without what some agents let stand behind it: Bash(git *)."""
    return tool.partition("(")[0].strip() or tool


def _of_tool(name: str) -> Iterator[Marker]:
    bare = _bare_name(name)
    yield Marker(bare, "tool")
    if found := _MCP.fullmatch(bare):
        yield from _of_server(found["server"])
        yield Marker(found["tool"], "tool")


def _of_used(name: str) -> Iterator[Marker]:
    return _of_tool(name) if _IDENTIFIER.fullmatch(name) else iter([Marker(name, "title")])


def _of_server(name: str) -> Iterator[Marker]:
    yield Marker(name, "server")
    yield Marker(f"mcp__{name}__*", "tool")


def _of_some(marks: Sequence[Set[tuple[str, str]]]) -> set[str]:
    """Gather the texts that some conditions, but not all, have under a key."""
    shared = frozenset[tuple[str, str]].intersection(*map(frozenset, marks))
    return {text for one in marks for _, text in one - shared}


def _prompt_marks(condition: Condition) -> Set[tuple[str, str]]:
    """Tell which texts the prompts of a condition must or must not hold."""
    keys = {"expect": condition.expect.prompt, "forbid": condition.forbid.prompt}
    return {(key, text.strip()) for key, texts in keys.items() for text in texts}


def _tool_marks(condition: Condition, used: Set[str]) -> Set[tuple[str, str]]:
    """Tell which tools the runs of a condition used, must use, and must not use."""
    expect, forbid = condition.expect, condition.forbid
    keys = {
        "used": used,
        "expect": (*expect.tools, *expect.used),
        "forbid": (*forbid.tools, *forbid.used, *condition.disallowed_tools),
    }
    return {(key, _bare_name(tool)) for key, tools in keys.items() for tool in tools}


def _may_tell(marker: Marker) -> bool:
    """Say whether prose can do without a tool's name; read and write are words of any."""
    return marker.kind == "tool" and marker.text not in VERBS


def _is_usable(marker: Marker) -> bool:
    if not 0 < len(marker.text) <= LONGEST:
        return False
    if not marker.is_pattern:
        return True
    fixed = _FIXED.findall(marker.text)
    return len("".join(fixed)) >= FEWEST and not all(map(is_ordinary, fixed))
