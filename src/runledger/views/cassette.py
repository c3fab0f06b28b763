"""What is in a cassette, for people and for programs: all of it in short, or one entry whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..ledger.fingerprint import canonical_dumps, preview
from ..ledger.printable import escape_json, inert, one_line, printable
from ..ledger.value import Json
from ..store.cassette.answer_words import Said, said_in
from ..store.cassette.entry import Entry, McpEntry, ModelEntry
from ..store.cassette.line import AnyEntry
from ..store.cassette.load import Opened, all_entries
from ..store.replay.request_words import in_words
from .look import PLAIN, Look, count, paint, set_text

SCHEMA_VERSION = 1
SHORT = 160
CALLS = 5
KINDS = ("model", "mcp", "tool")


def render(opened: Opened, look: Look = PLAIN) -> str:
    """Tell what is in a cassette, entry by entry, in the order of the file."""
    sections = [[*_heading(opened, look)]]
    sections += [[*_entry_lines(entry, look)] for entry in all_entries(opened.cassette)]
    return inert("\n\n".join("\n".join(lines) for lines in sections)) + "\n"


def render_entry(entry: AnyEntry, look: Look = PLAIN) -> str:
    """Show one entry whole: what was asked, and what was answered."""
    title = paint(_title(entry), "strong", look)
    parts = [title, "", "asked:", _indented(entry.asked), "", "answer:", *_answer_whole(entry)]
    return inert("\n".join(parts)) + "\n"


def render_json(opened: Opened) -> str:
    """Tell what is in a cassette, for programs."""
    cassette = opened.cassette
    document = {
        "schema_version": SCHEMA_VERSION,
        "path": cassette.path,
        "sha256": cassette.sha256,
        "bytes": len(opened.content),
        "agent": _agent_fields(opened),
        "salted": cassette.salt is not None,
        "places": dict(cassette.places),
        "blobs": len(opened.blobs),
        "unused_blobs": len(opened.unused_blobs),
        "entries": [entry_fields(entry) for entry in all_entries(cassette)],
    }
    return json.dumps(document, indent=2) + "\n"  # ASCII: nothing in it drives a terminal


def render_entry_json(entry: AnyEntry) -> str:
    """Show one entry whole, for programs."""
    document = {"schema_version": SCHEMA_VERSION, **entry_fields(entry), "asked": entry.asked}
    document["answer"] = _answer_fields(entry)
    return json.dumps(document, indent=2) + "\n"


def entry_fields(entry: AnyEntry) -> dict[str, Json]:
    """Give an entry in short."""
    fields: dict[str, Json] = {"line": entry.line, "kind": entry.kind, "name": entry.name}
    fields |= {"asked": _asked(entry), "answer": "; ".join(_answered(entry))}
    if isinstance(entry, ModelEntry):
        said = said_in(entry.answer)
        tokens: dict[str, Json] = {"tokens_in": said.tokens_in, "tokens_out": said.tokens_out}
        fields |= {"status": entry.answer.status, "partial": entry.answer.partial, **tokens}
    return fields


def _heading(opened: Opened, look: Look) -> Iterator[str]:
    cassette = opened.cassette
    entries = all_entries(cassette)
    kinds = [(sum(one.kind == kind for one in entries), kind) for kind in KINDS]
    each = ", ".join(f"{number:,} {kind}" for number, kind in kinds if number)
    counted = count(len(entries), "entry").replace("entrys", "entries")
    size = f"{len(opened.content) / 1000:,.1f} KB"
    name = paint(one_line(cassette.path), "strong", look)
    yield f"{name}  {counted}{f' ({each})' if each else ''}, {size}"
    if cassette.agent is not None:
        yield f"  agent    {one_line(f'{cassette.agent.name} {cassette.agent.version}'.strip())}"
    if cassette.salt is not None:
        yield "  secrets  hidden; equal ones have equal placeholders"
    for name, place in cassette.places.items():
        yield f"  place    {one_line(name, 40)}: {one_line(place)}"
    if opened.blobs:
        unused = len(opened.unused_blobs)
        yield f"  blobs    {len(opened.blobs)}{f', {unused} of them unused' if unused else ''}"


def _entry_lines(entry: AnyEntry, look: Look) -> Iterator[str]:
    yield paint(_title(entry), "strong", look)
    yield from _labelled("asked", [_asked(entry)], look)
    yield from _labelled("answer", [*_answered(entry)], look)


def _labelled(label: str, texts: list[str], look: Look) -> Iterator[str]:
    lines = [*set_text(" " * 10, texts, look)]
    yield f"  {label:<8}{lines[0].lstrip()}" if lines else f"  {label}"
    yield from lines[1:]


def _title(entry: AnyEntry) -> str:
    return f"line {entry.line}  {entry.kind}  {one_line(entry.name)}"


def _asked(entry: AnyEntry) -> str:
    if isinstance(entry, ModelEntry):
        return in_words(entry.body)
    return preview(entry.asked, SHORT)


def _answered(entry: AnyEntry) -> Iterator[str]:
    match entry:
        case Entry(ok=True):
            yield f"ok {preview(entry.result, SHORT)}"
        case Entry():
            yield f"failed {preview(entry.error, SHORT)}"
        case McpEntry():
            yield preview(entry.reply, SHORT) if entry.reply else "none: the agent did not wait"
            if around := len(entry.before) + len(entry.after):
                yield f"with {count(around, 'message')} of the server around it"
        case ModelEntry():
            yield from _answered_by_model(entry)


def _answered_by_model(entry: ModelEntry) -> Iterator[str]:
    answer, said = entry.answer, said_in(entry.answer)
    facts = [str(answer.status)]
    facts += [count(len(answer.frames), "event")] if answer.is_stream else []
    facts += [f"{count(said.tokens_in, 'token')} in"] if said.tokens_in is not None else []
    facts += [f"{said.tokens_out:,} out"] if said.tokens_out is not None else []
    facts += ["PARTIAL: the client left before the end"] if answer.partial else []
    yield ", ".join(facts)
    if said.text:
        yield preview(" ".join(said.text.split()), SHORT)
    yield from _called(said)


def _called(said: Said) -> Iterator[str]:
    for name, args in said.calls[:CALLS]:
        shown = args if isinstance(args, str) else canonical_dumps(args)
        yield f"calls {one_line(name, 80)} {one_line(shown, SHORT)}"
    if len(said.calls) > CALLS:
        yield f"and {len(said.calls) - CALLS} more calls"


def _answer_whole(entry: AnyEntry) -> Iterator[str]:
    if not isinstance(entry, ModelEntry):
        yield _indented(_answer_fields(entry))
        return
    said = said_in(entry.answer)
    yield from _answered_by_model(entry)
    if said.text:
        yield f"\ntext:\n{printable(said.text)}"
    yield "\nas it came:"
    for frame in entry.answer.frames:
        yield printable(frame.decode("utf-8", "replace")).rstrip("\n")


def _answer_fields(entry: AnyEntry) -> Json:
    match entry:
        case Entry():
            return {"ok": entry.ok, "result": entry.result, "error": entry.error}
        case McpEntry():
            return {
                **entry.reply,
                "before": list(entry.before),
                "after": list(entry.after),
            }
        case ModelEntry():
            frames: list[Json] = [one.decode("utf-8", "replace") for one in entry.answer.frames]
            said = said_in(entry.answer)
            return {
                "headers": dict(entry.answer.headers),
                "frames": frames,
                "t": list(entry.answer.t),
                "text": said.text,
                "calls": [{"name": name, "args": args} for name, args in said.calls],
            }


def _agent_fields(opened: Opened) -> Json:
    agent = opened.cassette.agent
    return None if agent is None else {"name": agent.name, "version": agent.version}


def _indented(value: Json) -> str:
    return escape_json(json.dumps(_plain(value), indent=2, ensure_ascii=False))


def _plain(value: Json) -> Json:
    return dict(value) if isinstance(value, Mapping) else value
