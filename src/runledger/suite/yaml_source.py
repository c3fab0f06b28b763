"""Read YAML from libyaml's events: no recursion, no aliases, no surprises in plain values.

Plain values follow the core schema of YAML 1.2, so `no` and `2024-01-01` stay texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import isinf
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import yaml

from ..ledger.strict_json import MAX_DIGITS
from ..ledger.value import Json
from .source import MAX_DEPTH, Source, Step, decode, read_bytes, refusal

MAX_BYTES = 4 * 2**20

Open: TypeAlias = dict[str, Json] | list[Json]

# Without libyaml the same events come from Python, only slower.
_PARSER: Any = getattr(getattr(yaml, "cyaml", None), "CParser", yaml.SafeLoader)
_WORDS: Mapping[str, Json] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_FIRST_OF_A_NUMBER = frozenset("+-.0123456789")
_INT = re.compile(r"[-+]?[0-9]+")
_OTHER_INT = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def read_yaml(path: Path, file: str) -> Source:
    """Read one YAML file."""
    return parse_yaml(read_bytes(path, file, MAX_BYTES), file)


def parse_yaml(raw: bytes, file: str) -> Source:
    """Build the value of a YAML file; whatever cannot be used is one finding with its line."""
    if len(raw) > MAX_BYTES:
        size = f"{MAX_BYTES // 2**20} MiB"
        raise refusal(file, f"is larger than {size}; put many or large cases in a .jsonl file")
    text = decode(raw, file)
    builder = _Builder(file)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.YAMLError as error:
        raise refusal(file, f"is not valid YAML: {_words(error)}", _line(error, text)) from error
    return Source(file, builder.root, builder.first_line, builder.lines)


def plain(text: str) -> Json:
    """Give the value of a plain scalar; ValueError says why there is none."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST_OF_A_NUMBER:
        return text
    if _INT.fullmatch(text):
        return _integer(text, 10)
    if _OTHER_INT.fullmatch(text):
        return _integer(text, 0)
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a number that JSON knows; put it in quotes if it is text")
    return _number(text) if _FLOAT.fullmatch(text) else text


class _Builder:
    """Put the events of one document together; containers join their parent when they open."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Json = None
        self.first_line = 1
        self.lines: dict[int, dict[Step, int]] = {}
        self._documents = 0
        self._open: list[Open] = []
        self._key: str | None = None  # waits for its value; only the innermost object has one

    def take(self, event: yaml.Event) -> None:
        step = _STEPS.get(type(event))
        if step is not None:
            step(self, event)

    def document(self, event: yaml.Event) -> None:
        self._documents += 1
        if self._documents > 1:
            self._refuse(event, "a second document starts here; only one is allowed")

    def alias(self, event: yaml.Event) -> None:
        self._refuse(event, "aliases are not allowed; write the value out")

    def scalar(self, event: yaml.ScalarEvent) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse_mark(event)
        text = event.value
        if not event.implicit[0]:  # in quotes, or a block of text
            return self._place(text, event)
        try:
            value = plain(text)
        except ValueError as error:
            self._refuse(event, str(error))
        return self._place(value, event)

    def mapping(self, event: yaml.MappingStartEvent) -> None:
        self._begin({}, event)

    def sequence(self, event: yaml.SequenceStartEvent) -> None:
        self._begin([], event)

    def end(self, event: yaml.Event) -> None:
        del event
        self._open.pop()

    def _begin(self, container: Open, event: Any) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse_mark(event)
        self._place(container, event)
        self._open.append(container)
        self.lines[id(container)] = {}
        if len(self._open) > MAX_DEPTH:
            self._refuse(event, f"nested more than {MAX_DEPTH} levels deep")

    def _place(self, value: Json, event: Any) -> None:
        line = event.start_mark.line + 1
        if not self._open:
            self.root, self.first_line = value, line
            return
        parent = self._open[-1]
        if isinstance(parent, list):
            self.lines[id(parent)][len(parent)] = line
            parent.append(value)
        elif self._key is None:
            self._key = self._new_key(value, parent, event)
            self.lines[id(parent)][self._key] = line
        else:
            parent[self._key] = value
            self._key = None

    def _new_key(self, value: Json, parent: dict[str, Json], event: yaml.NodeEvent) -> str:
        if not isinstance(value, str):
            shown = event.value if isinstance(event, yaml.ScalarEvent) else "a list or an object"
            self._refuse(event, f"keys are texts, but this one is {shown or 'empty'}; use quotes")
        if value in parent:
            first = self.lines[id(parent)][value]
            self._refuse(event, f"the key {value!r} is here twice; it was on line {first} already")
        return value

    def _refuse_mark(self, event: Any) -> NoReturn:
        if event.anchor is not None:
            self._refuse(event, "anchors and aliases are not allowed; write the value out")
        self._refuse(event, f"the tag {event.tag} is not allowed; use quotes for a text")

    def _refuse(self, event: Any, message: str) -> NoReturn:
        raise refusal(self.file, message, event.start_mark.line + 1)


_STEPS: Mapping[type, Callable[[_Builder, Any], None]] = {
    yaml.ScalarEvent: _Builder.scalar,
    yaml.MappingStartEvent: _Builder.mapping,
    yaml.SequenceStartEvent: _Builder.sequence,
    yaml.MappingEndEvent: _Builder.end,
    yaml.SequenceEndEvent: _Builder.end,
    yaml.AliasEvent: _Builder.alias,
    yaml.DocumentStartEvent: _Builder.document,
}


def _events(text: str) -> Iterator[yaml.Event]:
    # Not yaml.parse: it would set up a whole loader for each file.
    return iter(_PARSER(text).get_event, None)


def _integer(text: str, base: int) -> int:
    """Read an integer that can be written again: Python writes none of over 4300 digits."""
    if len(text) > MAX_DIGITS or abs(value := int(text, base)) >= 10**MAX_DIGITS:
        raise ValueError(f"an integer has too many digits, over {MAX_DIGITS}")
    return value


def _number(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise ValueError(f"{text} is too large for a number")
    return value


def _words(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        return ", ".join(part for part in (error.context, error.problem) if part)
    return str(error).partition("\n")[0]


def _line(error: yaml.YAMLError, text: str) -> int:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        at_most = text.rstrip().count("\n") + 1  # the end of the file counts as its last line
        return min(error.problem_mark.line + 1, at_most)
    position = getattr(error, "position", 0)
    return text.encode("utf-8").count(b"\n", 0, position) + 1
