"""Sound documents made unsound: values of another kind, keys that are gone, bytes in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from runledger.ledger.value import Json

Draw = Callable[[st.SearchStrategy[Any]], Any]

MOST_CHANGES = 3
DEEPER = 0.8  # of all steps lead further into a document, as far as there is something


def nested(levels: int) -> Json:
    """Make a value of so many levels."""
    value: Json = 1
    for _ in range(levels):
        value = [value]
    return value


WORDS = st.sampled_from(
    [
        *("", " ", "x", "a.b", "$.a", "$", "*", "..", "../x", "/", "no", "null", "-1", "1e999"),
        *("\0", "\n", "\r\n", "\u2028", "\ud800", "\udfff\ud800", "é", "\U0001f600", "\x1b[31m"),
        *("{python}", "{prompt}", "{nobody}", "{", "}", "(", "[a", "(?P<", "\\", "%s", "%", "'"),
        *("x" * 300, "$blob", "$after", "$plain", "keep", "add", "2.0", "tool_call", "stdio"),
        *("[REDACTED]", "[REDACTED:key:0a1b2c3d]", "[/]", "::error::", "]]>", "</script>", "```"),
    ]
)
TEXTS = WORDS | st.text(st.characters(codec=None), max_size=12)
NUMBERS = st.sampled_from(
    [0, -1, 1, 2, 2**31, 2**63, 2**64, -(2**64), 10**15, 10**299, 0.5, -0.0, 1e-300, 1e300]
)
DEEP = st.sampled_from([50, 99, 110, 199, 230, 260]).map(nested)
LEAVES: st.SearchStrategy[Json] = st.none() | st.booleans() | NUMBERS | st.integers() | TEXTS
VALUES: st.SearchStrategy[Json] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
ODD_VALUES = VALUES | DEEP

# What means something to one of our readers, and comes too early, too late or twice.
ODD_BYTES = st.sampled_from(
    [
        *(b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b" "),
        *(b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"NaN", b"1e999", b"-0", b"true"),
        *(b"\\ud800", b"\\u0000", b'"a":1,', b'{"a":1}', b"&a ", b"*a", b"<<: *a", b"!!str "),
        *(b"? ", b"| ", b"> ", b"%YAML 9", b"---\n", b"...\n", b"\t", b"#", b"? [a]\n: b"),
        *(b"0x" + b"f" * 5000, b"9" * 5000, b"9" * 19, b"." + b"9" * 400, b"[" * 300, b"- "),
        *(b"{a: " * 150, b"!!python ", b"~: "),
        *(b"0o" + b"7" * 6000, b"\xc2\x85", b'{"$blob":"b"}', b'"v":1,', b'"v":2,', b"null", b"-"),
    ]
)  # fmt: skip


@st.composite
def changed(draw: Draw, documents: Sequence[Json]) -> Json:
    """Give one of some documents, changed in a few places, or in none."""
    document = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        document = _changed(draw, document)
    return document


@st.composite
def edited(draw: Draw, contents: Sequence[bytes]) -> bytes:
    """Give one of some files with bytes put in, taken out, or cut off."""
    content = draw(st.sampled_from(contents))
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        start = draw(st.integers(0, len(content)))
        gone = draw(st.sampled_from([0, 0, 1, 2, 10, 100_000]))
        added = draw(ODD_BYTES | st.binary(max_size=4))
        content = content[:start] + added + content[start + gone :]
    return content


def written(value: Json) -> bytes:
    """Write a value as JSON that YAML reads as well, with whatever it holds."""
    return json.dumps(value).encode()


def _changed(draw: Draw, value: Json) -> Json:
    """Copy a value with a change somewhere in it."""
    steps = _steps_in(value)
    if not steps or draw(st.floats(0, 1)) > DEEPER:
        return _replaced(draw, value)
    step = draw(st.sampled_from(steps))
    copied: Any = dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[arg-type]
    match draw(st.sampled_from(["into", "into", "into", "gone", "named", "twice"])):
        case "into":
            copied[step] = _changed(draw, copied[step])
        case "gone":
            del copied[step]
        case "named" if isinstance(copied, dict):
            copied[draw(TEXTS)] = copied.pop(step)
        case "twice" if isinstance(copied, list):
            copied.insert(step, copied[step])
    return copied


def _replaced(draw: Draw, value: Json) -> Json:
    match draw(st.sampled_from(["other", "within", "longer"])):
        case "within":
            return draw(st.sampled_from([[value], {"a": value}, [value, value], {"$plain": value}]))
        case "longer" if isinstance(value, str):
            return value + draw(TEXTS)
        case "longer" if isinstance(value, list):
            return [*value, draw(ODD_VALUES)]
        case "longer" if isinstance(value, Mapping):
            return {**value, draw(TEXTS): draw(ODD_VALUES)}
    found: Json = draw(ODD_VALUES)
    return found


def _steps_in(value: Json) -> list[Any]:
    if isinstance(value, Mapping):
        return [*value]
    return [*range(len(value))] if isinstance(value, list) else []
