"""Answers made fit for judges who must not know the condition.

What gives it away becomes `[…]`: names of conditions, tags of prefixes, texts that the prompts of
some conditions alone hold, names of tools and MCP servers that the experiment or any run names, and
how many tool calls an agent says it made (4 tool calls).

- Such a name goes wherever it stands as a whole word, whatever its case; so do its spellings with
  another separator (lens_context, lens-context, LENS context, LensContext; see `spellings`).
- But names may be words that any answer uses: conditions are often called with and without, and
  without "without" an answer would say the contrary. An ordinary word (`markers.ORDINARY`, single
  letters, numbers and versions; of tools every single word, such as Read and bash, but not
  WebFetch) goes only where it stands as a label: in backticks, quotes, brackets or stars; as a
  heading; beside condition, variant, group or arm; in capitals; a tool also before ( or beside the
  word tool, in its own case. Letters and numbers go only beside such a word.
- A tool that not all conditions use, or may use, alike tells: it goes wherever it stands in its own
  case, ordinary or not.
- A name that the task or its criteria use is an ordinary word in that task: else nobody could tell
  whether the answer states what is asked for. So are tool calls, where the task is about them.
- A tag in angle brackets goes always, with all that stands between them.
- Signs that nobody sees are left out: they would hide a name.

Files stay: what an answer cites is what it is judged by. Everything runs on RE2, in linear time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from ..ledger.experiment import Experiment
from ..ledger.task import Task
from ..ledger.value import Json, map_texts, texts_in
from .criteria import answer_in, text_of_answer
from .markers import Marker, markers_of, tags_of
from .spellings import as_label, in_capitals, in_its_own_case, spelled, visible

MARK = "[…]"
"""What stands in place of a name."""

MEMORY = 64 << 20  # RE2 takes only what it needs of it; with less, large patterns become slow
TIMES = 2  # two names side by side share the sign between them: the second time finds the other

_NO_WORD = r"[^\pL\pN\pM_]"
_ESCAPE = r"\\(?:[bfnrt]|u[0-9a-fA-F]{4})|%[0-9a-fA-F]{2}"  # in JSON, source code, addresses
_BEFORE, _AFTER = rf"\A|{_NO_WORD}|{_ESCAPE}", rf"\z|{_NO_WORD}"
_KEY = r"(?i:conditions?|variants?|groups?|arms?)"
_OPEN, _CLOSE = r"[\"'`“”‘’„«»‹›(\[{<*|]", r"\\?[\"'`“”‘’«»‹›)\]}>*|]"
_QUOTES = r"[\\\"'`*]*"
_LEADS = r"(?i:the|this|that|our|my|an?|under|in|for|of)"
_VERBS = r"(?i:is|was|had|has|did|does|gave|got|shows?|showed|runs?|ran)"
_CLAUSE_ENDS = rf"\z|[ \t]*[.,;:!?)\]\r\n]|[ \t]+{_VERBS}(?:{_AFTER})"

# Each has two groups, which stay, around the words that go.
_AS_IT_IS = r"()(?:%s)()"
_TAGGED = (
    r"()(?i:<|&lt;|%3C|\\u003C)(?:/|(?i:%2F))?[ \t]*(?:%s)"
    r"(?:(?:[\s/+]|%20|(?i:%2F))[^<>]{0,200}?)?(?i:>|&gt;|%3E|\\u003E)()"
)
_WHOLE_WORD = rf"({_BEFORE})(?:%s)({_AFTER})"
_QUOTED = rf"({_OPEN}[ \t]*)(?:%s)([ \t]*:?[ \t]*{_CLOSE})"
_HEADING = r"((?:\A|\n)[ \t]*#{1,6}[ \t]+[*_]*)(?:%s)([*_]*:?[*_]*[ \t]*\r?(?:\n|\z))"
_ASSIGNED = rf"((?:{_BEFORE}){_KEY}{_QUOTES}[ \t]*[:=][ \t]*{_QUOTES})(?:%s)({_AFTER})"
_BEHIND_KEY = rf"((?:{_BEFORE}){_KEY}[ \t]+)(?:%s)({_AFTER})"
_OF_WORDS = (
    _QUOTED,
    _HEADING,
    _ASSIGNED,
    rf"((?:{_BEFORE}){_KEY}[ \t_/-]+)(?:%s)({_CLAUSE_ENDS})",  # not: a race condition without …
    rf"((?:{_BEFORE}){_LEADS}[ \t]+)(?:%s)([ \t]+{_KEY}(?:{_AFTER}))",  # not: … with group rights
    rf"({_BEFORE})(?:%s)([-_/]{_KEY}(?:{_AFTER}))",
)
_OF_TOOLS = (
    _QUOTED,
    rf"({_BEFORE})(?:%s)(\()",
    rf"((?:{_BEFORE})(?i:tools?)[ \t]*[:=]?[ \t]+)(?:%s)({_AFTER})",
)
_BESIDE_TOOL = rf"({_BEFORE})(?:%s)([ \t]+(?i:tools?)(?:{_AFTER}))"
_BESIDE_RUN = rf"((?:{_BEFORE}){_LEADS}[ \t]+)(?:%s)([ \t]+(?i:runs?)(?:{_AFTER}))"

_TEENS = "ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_TENS = f"(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[ -](?:{_UNITS}))?"
_NUMBER = rf"(?:[0-9][0-9.,]*|no|zero|{_UNITS}|{_TEENS}|{_TENS})"
_SUCH = r"(?:total|separate|distinct|different|individual|parallel|further|more|other|additional)"
_CALLS = r"(?i:tool[\s\pZ_-]?(?:calls?|uses?|usages?|invocations?))"
_COUNTED = (
    rf"({_BEFORE})[*_`]{{0,3}}(?i:{_NUMBER})[*_`]{{0,3}}[\s\pZ]{{1,4}}"
    rf"(?:(?:(?i:{_SUCH})|`?\[…\]`?)[\s\pZ]{{1,4}}){{0,2}}{_CALLS}({_AFTER})"
)
_OF_CALLS = rf"(?:{_BEFORE}){_CALLS}(?:{_AFTER})"


class Blindfold:
    """Takes out of answers what gives the condition away."""

    def __init__(self, experiment: Experiment, used: Mapping[str, Set[str]]) -> None:
        """Learn what tells; `used` are the tools that the runs of each condition called."""
        found = {_as_seen(one) for one in markers_of(experiment, used)}
        self._markers = sorted(found, key=lambda one: (-len(one.text), one.text, one.kind))
        self._tags = [_as_seen(Marker(tag)) for tag in sorted(tags_of(experiment))]
        self._patterns: dict[str, tuple[Any, ...]] = {}

    def seen(self, task: Task, output: Json) -> str:
        """Give an output as a judge may see it."""
        answer = answer_in(map_texts(output, visible))
        cover = partial(_covered, self._of(task))
        if isinstance(answer, str):
            return cover(answer)
        whole = text_of_answer(map_texts(answer, cover))
        return cover(visible(whole))  # its keys go with the second time

    def _of(self, task: Task) -> tuple[Any, ...]:
        """Give the patterns of what goes in a task."""
        if task.id not in self._patterns:
            self._patterns[task.id] = tuple(map(_compiled, self._texts(task)))
        return self._patterns[task.id]

    def _texts(self, task: Task) -> list[str]:
        asked = _asked(task)
        split: dict[bool, list[Marker]] = {True: [], False: []}
        for marker in self._markers:
            split[marker.ordinary or _stands_in(asked, _of_telling([marker]))].append(marker)
        labels = [one for one in split[True] if not one.of_tool]
        return [
            *_filled((_TAGGED,), map(as_label, self._tags)),
            *_of_telling(split[False]),
            *_of_names([*labels, *filter(_is_phrase, split[False])]),
            *_of_tools([one for one in split[True] if one.of_tool], asked),
            *([] if _stands_in(asked, [_OF_CALLS]) else [_COUNTED]),
        ]


def _as_seen(marker: Marker) -> Marker:
    return replace(marker, text=visible(marker.text) or marker.text)


def _asked(task: Task) -> bytes:
    """Give the words of a task and its criteria."""
    texts = [*texts_in(task.input), *(one.text for one in task.criteria)]
    return visible("\n".join(texts)).encode("utf-8", "replace")


def _is_phrase(marker: Marker) -> bool:
    """Say whether a name is also one as a label with spaces: `no cache`."""
    return marker.small and marker.kind in ("name", "server")


def _covered(patterns: Iterable[Any], text: str) -> str:
    content = text.encode("utf-8", "replace")  # half a surrogate pair has no bytes
    for pattern in patterns:
        for _ in range(TIMES):
            content = pattern.sub(_marked, content)
    return content.decode()


def _of_telling(markers: list[Marker]) -> list[str]:
    words = [one for one in markers if _is_word(one)]
    signs = [one for one in markers if not _is_word(one)]
    return [
        *_filled((_AS_IT_IS,), map(spelled, signs)),
        *_filled((_WHOLE_WORD,), map(spelled, words)),
    ]


def _of_names(names: list[Marker]) -> list[str]:
    words = [one for one in names if not one.bare]
    bare = [one for one in names if one.bare]
    return [
        *_filled(_OF_WORDS, map(as_label, words)),
        *_filled((_BESIDE_RUN,), (as_label(one) for one in words if one.small)),
        *_filled((_WHOLE_WORD,), map(in_capitals, words)),
        *_filled((_ASSIGNED,), map(as_label, bare)),
        *_filled((_BEHIND_KEY,), map(in_capitals, bare)),
    ]


def _of_tools(tools: list[Marker], asked: bytes) -> list[str]:
    """Write the patterns of tools that are words; those that tell, wherever they stand."""
    of_some = [_filled((_WHOLE_WORD,), [in_its_own_case(one)]) for one in tools if one.of_some]
    return [
        *_filled(_OF_TOOLS, map(in_its_own_case, tools)),
        *(form for forms in of_some if not _stands_in(asked, forms) for form in forms),
        *_filled((_BESIDE_TOOL,), map(as_label, tools)),
    ]


def _is_word(marker: Marker) -> bool:
    """Say whether a marker begins and ends as a word does; a * may be either."""
    edges = marker.text[0] + marker.text[-1]
    return all(edge == "_" or edge == "*" or edge.isalnum() for edge in edges)


def _filled(forms: Iterable[str], spellings: Iterable[str]) -> list[str]:
    either = "|".join(spellings)
    return [form.replace("%s", either) for form in forms] if either else []


def _stands_in(asked: bytes, patterns: Iterable[str]) -> bool:
    return any(_compiled(one).search(asked) is not None for one in patterns)


def _marked(found: Any) -> bytes:
    before, after = found.groups()
    kept: bytes = before + MARK.encode() + after
    return kept


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Any:
    import re2  # only who judges pays for it

    options = re2.Options()
    options.max_mem = MEMORY
    options.log_errors = False  # it would write to our standard error
    return re2.compile(pattern, options)
