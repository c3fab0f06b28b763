"""Results as evaluation records in Markdown, for a person or a model that judges them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ledger.captured import Captured
from ..ledger.characters import first_characters
from ..ledger.fingerprint import canonical_dumps
from ..ledger.printable import inert
from ..ledger.value import Json
from .preview import preview_lines
from .quoting import HEADING, indented, inline, text_of

STEP_CHARS = 100
OUTPUT_CHARS = 200
VALUE_CHARS = 200
NAME_CHARS = 200

BRACKET = "\\x5d"  # closes no name and no reference
_DONE = ("completed", "done")


def render_record(captured: Captured, *, repeated: bool = False) -> str:
    """Write one result as a record; one of several trials of a task says which it is."""
    lines = [
        f"{HEADING} {inline(captured.id, NAME_CHARS)}",
        "",
        _field("Input", indented(text_of(captured.input))),
        "",
        "**Trajectory:**",
        *_trajectory(captured, repeated),
        "",
        *_ending(captured, repeated),
        "",
        "---",
    ]
    return inert("\n".join(lines)) + "\n"


def step_id(captured: Captured, number: int, *, repeated: bool) -> str:
    """Give the id by which a step is found in the results; what has none is counted."""
    found = captured.trajectory[number - 1].get("stepId")
    if isinstance(found, str):
        return found
    trial = f"-t{captured.trial}" if repeated else ""
    return f"{captured.id}{trial}-step-{number}"


def _ending(captured: Captured, repeated: bool) -> Iterator[str]:
    output = first_characters(text_of(captured.output), OUTPUT_CHARS)
    yield _field("Output", indented(output))
    yield _field("Metadata", ", ".join(_pairs(captured.metadata)))
    yield _field("Tool Errors", "true" if captured.tool_errors else "false")
    yield _field("Duration", f"{captured.duration_ms}ms")
    if repeated:
        yield _field("Trial", str(captured.trial))
    score = captured.score
    if score is None:
        return
    yield _field("Score", f"{'PASS' if score.passed else 'FAIL'} ({score.score:.12g})")
    if score.reasoning:
        yield _field("Reasoning", indented(text_of(score.reasoning)))


def _field(name: str, value: str) -> str:
    return f"**{name}:** {value}" if value else f"**{name}:**"


def _pairs(metadata: Mapping[str, Json]) -> Iterator[str]:
    for key, value in metadata.items():
        shown = _unmistakable(value) if isinstance(value, str) else canonical_dumps(value)
        yield f"{inline(_unmistakable(key), NAME_CHARS)}={inline(shown, VALUE_CHARS)}"


def _unmistakable(text: str) -> str:
    """Give a word as it is; put in quotes what could pass for another pair."""
    return canonical_dumps(text) if "," in text or text[:1] in ('"', "{", "[") else text


def _trajectory(captured: Captured, repeated: bool) -> Iterator[str]:
    for number, step in enumerate(captured.trajectory, start=1):
        reference = inline(step_id(captured, number, repeated=repeated), NAME_CHARS)
        yield f"{number}. {_told(step)} [->{reference.replace(']', BRACKET)}]"
        if step["type"] == "tool_call":
            yield from preview_lines(step.get("input"))


def _told(step: Mapping[str, Json]) -> str:
    match step["type"]:
        case "tool_call":
            return _call(step)
        case "plan":
            return f"[PLAN] {_plan(step.get('entries'))}"
        case "thought" | "message" as kind:
            return f"[{kind.upper()}] {inline(text_of(step.get('content', '')), STEP_CHARS)}"
    return f"[OTHER] {inline(text_of(step['type']), STEP_CHARS)}"


def _call(step: Mapping[str, Json]) -> str:
    name = inline(text_of(step.get("name")), NAME_CHARS).replace("] ->", f"{BRACKET} ->")
    status = inline(text_of(step.get("status", "pending")), STEP_CHARS)
    duration = step.get("duration")
    took = f" ({duration}ms)" if isinstance(duration, (int, float)) else ""
    return f"[TOOL:{name}] -> {status}{took}"


def _plan(entries: Json) -> str:
    """Tell how much of a plan is done, and what is being done."""
    if not isinstance(entries, (list, tuple)):
        return inline(text_of(entries), STEP_CHARS)
    done = [entry for entry in entries if _is_done(entry)]
    doing = [entry for entry in entries if _status(entry) == "in_progress"]
    current = doing or [entry for entry in entries if not _is_done(entry)]
    share = f"{len(done)}/{len(entries)} done"
    return f"{share}: {inline(_said(current[0]), STEP_CHARS)}" if current else share


def _status(entry: Json) -> Json:
    return entry.get("status") if isinstance(entry, Mapping) else None


def _is_done(entry: Json) -> bool:
    ticked = isinstance(entry, Mapping) and entry.get("completed") is True
    return ticked or _status(entry) in _DONE


def _said(entry: Json) -> str:
    """Find the words of an entry, as ACP or codex calls them."""
    if not isinstance(entry, Mapping):
        return text_of(entry)
    return text_of(next((entry[key] for key in ("content", "text", "step") if key in entry), entry))
