"""Judge what the agent answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import TypeAlias, TypeVar

from ..errors import did_you_mean
from ..ledger.assertion import Contains, Equals, JsonSchema, Regex, RequiredFields
from ..ledger.difference import describe, differences
from ..ledger.fingerprint import canonical_dumps, preview, show_name
from ..ledger.grade import Failure, assertion_failure, first_few
from ..ledger.path import Path, find, parse_path, show_path
from ..ledger.strict_json import NotJson, loads
from ..ledger.trajectory import Trajectory, output_in
from ..ledger.value import Absent, Json
from . import no_output

A = TypeVar("A", RequiredFields, JsonSchema, Contains, Regex, Equals)
OutputCheck: TypeAlias = Callable[[A, Json], Iterator[Failure]]
Check: TypeAlias = Callable[[A, Trajectory], Iterator[Failure]]

KEYS_SHOWN = 10


def _of_output(check: OutputCheck[A]) -> Check[A]:
    @wraps(check)
    def judged(assertion: A, trajectory: Trajectory) -> Iterator[Failure]:
        output = output_in(trajectory.events)
        if isinstance(output, Absent):
            yield no_output(assertion.type, trajectory)
        else:
            yield from check(assertion, output)

    return judged


@_of_output
def required_fields(assertion: RequiredFields, output: Json) -> Iterator[Failure]:
    """Fail for every field that the output lacks."""
    answer = read_answer(output)
    for field in assertion.fields:
        literal = isinstance(answer, Mapping) and field in answer
        if not literal and isinstance(find(answer, field), Absent):
            message = f"{field} is missing"
            yield _nothing_at(assertion.type, answer, field, expected=field, message=message)


@_of_output
def json_schema(assertion: JsonSchema, output: Json) -> Iterator[Failure]:
    """Fail for every error of the output under the schema."""
    from .schema import schema_failures  # lazily: jsonschema takes a while to import

    answer = read_answer(output)
    judged = answer if isinstance(answer, (Mapping, list)) else output  # "42" is still a text
    yield from first_few(schema_failures(assertion.type, assertion.schema, judged))


@_of_output
def contains(assertion: Contains, output: Json) -> Iterator[Failure]:
    """Fail when the text is not in the output, or not in the value at the path."""
    found = _value_at(output, assertion.path)
    if isinstance(found, Absent):
        yield _nothing_at(assertion.type, read_answer(output), assertion.path, assertion.text)
    elif not any(assertion.text in text for text in _texts_in(found, assertion.path)):
        yield _not_there(assertion, found, assertion.text, f"the text {_quoted(assertion.text)}")


@_of_output
def regex(assertion: Regex, output: Json) -> Iterator[Failure]:
    """Fail when the pattern matches nowhere in the output, or in the value at the path."""
    from ..ledger.pattern import BadPattern, found_in  # lazily: re2 is a library of its own

    found = _value_at(output, assertion.path)
    if isinstance(found, Absent):
        yield _nothing_at(assertion.type, read_answer(output), assertion.path, assertion.pattern)
        return
    try:
        matches = any(found_in(assertion.pattern, one) for one in _texts_in(found, assertion.path))
    except BadPattern as fault:
        yield Failure("grader_error", f"regex: {fault}", {"assertion": assertion.type})
        return
    if not matches:
        what = f"a match of {_quoted(assertion.pattern)}"
        yield _not_there(assertion, found, assertion.pattern, what)


@_of_output
def equals(assertion: Equals, output: Json) -> Iterator[Failure]:
    """Fail when the value at the path is not exactly the one expected."""
    path = parse_path(assertion.path)
    found = find(read_answer(output), path)
    if not path and isinstance(assertion.value, str):
        found = output  # a text is expected: do not read numbers or objects out of it
    if isinstance(found, Absent):
        yield _nothing_at(assertion.type, read_answer(output), assertion.path, assertion.value)
    elif told := describe(differences(assertion.value, found, path)):
        yield assertion_failure(
            assertion.type, told, path=show_path(path), expected=assertion.value, found=found
        )


def read_answer(output: Json) -> Json:
    """Read a text answer as JSON when the whole text, or its only fenced block, is JSON."""
    if not isinstance(output, str):
        return output
    blocks = list(_fenced_blocks(output))
    for text in (output, *(blocks if len(blocks) == 1 else ())):
        try:
            return loads(text)
        except NotJson:
            continue
    return output


def _fenced_blocks(text: str) -> Iterator[str]:
    fence, lines = "", list[str]()
    for line in text.split("\n"):
        mark = line.strip()
        if not fence and mark.startswith("```"):
            fence, lines = mark[: len(mark) - len(mark.lstrip("`"))], []
        elif fence and mark.startswith(fence) and not mark.strip("`"):
            yield "\n".join(lines)
            fence = ""
        else:
            lines.append(line)


def _value_at(output: Json, path: str | None) -> Json | Absent:
    return output if path is None else find(read_answer(output), path)


def _texts_in(value: Json, path: str | None) -> Iterator[str]:
    """Yield a text as it is, else the canonical text; without a path, also every text inside."""
    yield value if isinstance(value, str) else canonical_dumps(value)
    waiting = [value] if path is None else []
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case Mapping() as fields:
                waiting.extend(fields.values())
            case Sequence() as items:
                waiting.extend(items)


def _not_there(assertion: Contains | Regex, found: Json, expected: str, what: str) -> Failure:
    path = show_path(parse_path(assertion.path or "$"))
    message = f"at {path}: expected {what}, found {preview(found)}"
    return assertion_failure(assertion.type, message, path=path, expected=expected, found=found)


def _nothing_at(
    assertion: str, answer: Json, path: str | None, expected: Json, message: str = ""
) -> Failure:
    """Say that a path leads nowhere, how far it leads, and what is there."""
    wanted = parse_path(path or "$")
    missing = message or f"there is nothing at {show_path(wanted)}"
    reached, last = _as_far_as(answer, wanted)
    told = f"{missing}; {show_path(reached)} {_holding(last, wanted[len(reached)])}"
    found = sorted(last)[:100] if isinstance(last, Mapping) else last
    return assertion_failure(
        assertion, told, path=show_path(wanted), expected=expected, found=found
    )


def _as_far_as(value: Json, path: Path) -> tuple[Path, Json]:
    last = value
    for length in range(1, len(path) + 1):
        found = find(value, path[:length])
        if isinstance(found, Absent):
            return path[: length - 1], last
        last = found
    return path, last


def _holding(value: Json, wanted: str) -> str:
    if isinstance(value, Mapping):
        return _keys(sorted(value), wanted)
    if isinstance(value, list):
        return f"is a list of {len(value)}"
    return f"is {preview(value, 80)}"


def _keys(keys: Sequence[str], wanted: str) -> str:
    if not keys:
        return "has no keys"
    some = ", ".join(show_name(key, 40) for key in keys[:KEYS_SHOWN])
    more = f" and {len(keys) - KEYS_SHOWN} more" if len(keys) > KEYS_SHOWN else ""
    hint = did_you_mean(wanted, (show_name(key) for key in keys))
    return f"has the keys {some}{more}{hint}"


def _quoted(text: str) -> str:
    return preview(text, 120)
