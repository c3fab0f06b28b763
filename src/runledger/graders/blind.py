"""Answers made fit for judges who must not know the condition.

What gives it away becomes `[…]`: names of conditions, tags of prefixes, texts that the prompts of
some conditions alone hold, and names of tools and MCP servers that the experiment or any run names.

- Such a name goes wherever it stands as a whole word, whatever its case; so do its spellings with
  another separator (lens_context, lens-context, LENS context).
- But names may be words that any answer uses: conditions are often called with and without, and
  without "without" an answer would say the contrary. An ordinary word (`markers.ORDINARY`, single
  letters, numbers and versions; of tools every name of letters only, such as Read) goes only where
  it stands as a label: in backticks, quotes, brackets or stars; as a heading; beside condition,
  variant, group or arm; in capitals; a tool also before ( or beside the word tool, in its own case.
  Letters and numbers go only beside such a word.
- A name that the task or its criteria use is an ordinary word in that task: else nobody could tell
  whether the answer states what is asked for.
- A tag in angle brackets goes always, with all that stands between them.

Files stay: what an answer cites is what it is judged by. Everything runs on RE2, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any
from unicodedata import normalize

from ..ledger.experiment import Experiment
from ..ledger.task import Task
from ..ledger.value import Json, map_texts, texts_in
from .criteria import answer_in, text_of_answer
from .markers import Marker, is_ordinary, markers_of, tags_of

MARK = "[…]"
"""What stands in place of a name."""

MEMORY = 64 << 20  # RE2 takes only what it needs of it; with less, large patterns become slow
TIMES = 2  # two names side by side share the sign between them: the second time finds the other

_ANYTHING = r"[\pL\pN\pM_-]*"
_NO_WORD = r"[^\pL\pN\pM_]"
_ESCAPE = r"\\(?:[bfnrt]|u[0-9a-fA-F]{4})"  # in JSON and in source code
_BEFORE, _AFTER = rf"\A|{_NO_WORD}|{_ESCAPE}", rf"\z|{_NO_WORD}"
_KEY = r"(?i:conditions?|variants?|groups?|arms?)"
_OPEN, _CLOSE = r"[\"'`“”‘’„«»‹›(\[{<*|]", r"\\?[\"'`“”‘’«»‹›)\]}>*|]"
_QUOTES = r"[\\\"'`*]*"
_LEADS = r"(?i:the|this|that|our|my|an?|under|in|for|of)"
_VERBS = r"(?i:is|was|had|has|did|does|gave|got|shows?|showed|runs?|ran)"
_CLAUSE_ENDS = rf"\z|[ \t]*[.,;:!?)\]\r\n]|[ \t]+{_VERBS}(?:{_AFTER})"

# Each has two groups, which stay, around the words that go.
_AS_IT_IS = r"()(?:%s)()"
_TAGGED = r"()</?[ \t]*(?:%s)(?:[\s/][^<>]{0,200})?>()"
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


class Blindfold:
    """Takes out of answers what gives the condition away."""

    def __init__(self, experiment: Experiment, tools: Iterable[str] = ()) -> None:
        self._markers = sorted(
            markers_of(experiment, tools), key=lambda one: (-len(one.text), one.text, one.kind)
        )
        self._tags = sorted(tags_of(experiment))
        self._patterns: dict[str, tuple[Any, ...]] = {}

    def seen(self, task: Task, output: Json) -> str:
        """Give an output as a judge may see it."""
        answer, cover = answer_in(output), partial(_covered, self._of(task))
        if isinstance(answer, str):
            return cover(answer)
        return cover(text_of_answer(map_texts(answer, cover)))  # its keys go with the second time

    def _of(self, task: Task) -> tuple[Any, ...]:
        """Give the patterns of what goes in a task."""
        if task.id not in self._patterns:
            self._patterns[task.id] = tuple(map(_compiled, self._texts(task)))
        return self._patterns[task.id]

    def _texts(self, task: Task) -> list[str]:
        asked = "\n".join([*texts_in(task.input), *(one.text for one in task.criteria)]).encode()
        split: dict[bool, list[Marker]] = {True: [], False: []}
        for marker in self._markers:
            split[marker.ordinary or _stands_in(asked, marker)].append(marker)
        return [
            *_filled((_TAGGED,), map(_literal, self._tags)),
            *_of_telling(split[False]),
            *_of_names([one for one in split[True] if not one.of_tool]),
            *_of_tools([one for one in split[True] if one.of_tool]),
        ]


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
        *_filled((_AS_IT_IS,), map(_spelled, signs)),
        *_filled((_WHOLE_WORD,), map(_spelled, words)),
    ]


def _of_names(names: list[Marker]) -> list[str]:
    words = [one for one in names if not one.bare]
    bare = [one for one in names if one.bare]
    return [
        *_filled(_OF_WORDS, map(_spelled, words)),
        *_filled((_WHOLE_WORD,), (re.escape(one.text.upper()) for one in words)),
        *_filled((_ASSIGNED,), map(_spelled, bare)),
        *_filled((_BEHIND_KEY,), (re.escape(one.text.upper()) for one in bare)),
    ]


def _of_tools(tools: list[Marker]) -> list[str]:
    shouted = [one for one in tools if one.text.isupper() and not one.bare]
    return [
        *_filled(_OF_TOOLS, (re.escape(one.text) for one in tools)),
        *_filled((_WHOLE_WORD,), (re.escape(one.text) for one in shouted)),
        *_filled((_BESIDE_TOOL,), map(_spelled, tools)),
    ]


def _is_word(marker: Marker) -> bool:
    """Say whether a marker begins and ends as a word does; a * may be either."""
    edges = marker.text[0] + marker.text[-1]
    return all(edge == "_" or edge == "*" or edge.isalnum() for edge in edges)


def _filled(forms: Iterable[str], spellings: Iterable[str]) -> list[str]:
    either = "|".join(spellings)
    return [form.replace("%s", either) for form in forms] if either else []


def _spelled(marker: Marker) -> str:
    """Write the pattern of a marker: in any case, and a name of ours with any separator."""
    if marker.is_pattern:
        return f"(?i:{_ANYTHING.join(map(_either_form, marker.text.split('*')))})"
    if marker.kind in ("name", "server") and len(marker.parts) > 1:
        apart = r"[-_\s]?" if _may_have_spaces(marker) else "[-_]?"
        return f"(?i:{apart.join(map(_either_form, marker.parts))})"
    return _literal(marker.text)


def _may_have_spaces(marker: Marker) -> bool:
    """Say whether a name is one even if spaces part its words: `no-cache` is not."""
    return " " in marker.text or not all(map(is_ordinary, marker.parts))


def _literal(text: str) -> str:
    return f"(?i:{_either_form(text)})"


def _either_form(text: str) -> str:
    """Write a text as it is; a letter with an accent may be written as one sign or as two."""
    forms = dict.fromkeys((text, normalize("NFC", text), normalize("NFD", text)))
    return f"(?:{'|'.join(map(re.escape, forms))})"


def _stands_in(asked: bytes, marker: Marker) -> bool:
    return any(_compiled(one).search(asked) is not None for one in _of_telling([marker]))


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
