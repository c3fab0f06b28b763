"""What an agent says that it did: the counts it was asked to end its answer with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .attempt import Reported
from .value import Json, texts_in

# Every repetition has an upper bound: an answer of any length is read in time linear in it.
_TOOLS = r"tool[ -]?(?:calls?|uses?|invocations?)|tools[ ](?:called|invoked|used)"
_FILES = r"files?[ ](?:I[ ])?read"
_LABEL = (
    r"(?:(?:the|total|overall|number|count|of|unique|distinct|different)[ ]){0,5}"
    rf"(?:(?P<tools>{_TOOLS})|{_FILES})"
    r"(?:[ ](?:made|count|total|in[ ]total)){0,2}"
)
_ASIDE = r"(?:[ \t]{0,4}\([^()\n]{0,300}\))?"
_MARKS = r"[*_`]{0,3}"
_SEPARATOR = r"[ \t]{0,4}(?:[:=|：→—–]|-{1,2})[ \t]{0,4}"
_ABOUT = r"(?:(?:about|around|roughly|approximately|approx\.?|circa|ca\.|~|≈|\+/-)[ \t]{0,2}){0,2}"
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NONE = ("none", "no", "nil")
_NUMBER = (
    r"(?P<count>[0-9]{1,3}(?:[,_'\u00a0\u202f ][0-9]{3}){1,4}|[0-9]{1,12}"
    rf"|{'|'.join((*_WORDS, *_NONE))})(?!\w|[.,][0-9])"
)
_UNIT = r"(?:[ \t](?:(?:unique|distinct|different|tool|in)[ ]){0,2}(?:calls?|files?|tools?|total))?"
_BEHIND = rf"{_MARKS}\+?{_UNIT}{_ASIDE}{_MARKS}[ \t.,;|]{{0,8}}"
_ON_ITS_LINE = rf"{_SEPARATOR}{_MARKS}[ \t]{{0,4}}{_MARKS}{_ABOUT}{_NUMBER}{_BEHIND}"
_BULLET = r"[ \t]{0,8}(?:(?:[>#+•|-]{1,6}|\*)[ \t]{1,4}){0,3}"
_BELOW = (
    rf"[ \t]{{0,4}}:?{_MARKS}[ \t]{{0,4}}\r?\n(?:[ \t]{{0,8}}\r?\n)?{_BULLET}{_MARKS}"
    rf"{_ABOUT}{_NUMBER.replace('count', 'below')}{_BEHIND}(?=\r?$)"
)
_TELLING = rf"{_LABEL}{_MARKS}{_ASIDE}{_MARKS}(?:{_ON_ITS_LINE}|{_BELOW})"
_START = rf"^(?!\n){_BULLET}{_MARKS}(?:\(?[0-9a-c][.):][ \t]{{0,4}})?{_MARKS}"

_FLAGS = re.IGNORECASE | re.MULTILINE
_LINE = re.compile(rf"{_START}{_TELLING}(?P<rest>[^\n]*)\n?", _FLAGS)
_FURTHER = re.compile(rf"(?<![^\s|;,])(?! )(?:and[ ])?{_MARKS}{_TELLING}", _FLAGS)
_SAYS_SOMETHING = re.compile(r"\w")


def reported_in(output: Json) -> Reported:
    """Read how many tools an agent says it called, and how many files it read.

    Of several tellings the last one counts.
    """
    tools: int | None = None
    files: int | None = None
    for text in texts_in(output):
        for telling in _tellings(text):
            if telling["tools"]:
                tools = _number(telling)
            else:
                files = _number(telling)
    return Reported(tools, files)


def without_report(text: str) -> str:
    """Leave those counts out of a text; all else that it says stays."""
    return _LINE.sub(_rest, text)


def _tellings(text: str) -> Iterator[re.Match[str]]:
    """Yield each count that is told at the start of a line, and what more that line tells."""
    for line in _LINE.finditer(text):
        yield line
        yield from _FURTHER.finditer(line["rest"])


def _rest(line: re.Match[str]) -> str:
    rest = _FURTHER.sub("", line["rest"])
    if not _SAYS_SOMETHING.search(rest):
        return ""
    return rest + ("\n" if line[0].endswith("\n") else "")


def _number(telling: re.Match[str]) -> int:
    told = (telling["count"] or telling["below"]).lower()
    if told in _NONE:
        return 0
    return _WORDS.index(told) if told in _WORDS else int(re.sub(r"[^0-9]", "", told))
