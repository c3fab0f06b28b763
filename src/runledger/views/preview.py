"""The file that a tool call wrote, as a record shows it: the path, the size, head and tail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..ledger.characters import first_characters
from ..ledger.value import Json
from .quoting import guarded, inline

HEAD, TAIL = 8, 4  # lines of a file that has more than both together
LINE_CHARS = 500
PATH_CHARS = 300
INDENT = "   "

# As the agents name them: Claude Code and qwen, opencode, gemini, codex and editors' own tools.
PATHS = (
    "file_path",
    "filePath",
    "path",
    "filename",
    "fileName",
    "absolute_path",
    "notebook_path",
    "target_file",
)
CONTENTS = (
    "content",
    "contents",
    "file_text",
    "new_string",
    "newString",
    "newText",
    "new_str",
    "new_source",
    "text",
)
_EXTENSION = re.compile(r"[^/\\]\.([A-Za-z0-9_+#-]{1,20})\Z")


def preview_lines(tool_input: Json) -> Iterator[str]:
    """Yield the lines below a tool call that names a file: the path, and what was written."""
    path, content = _text_at(tool_input, PATHS), _text_at(tool_input, CONTENTS)
    if path is None:
        return
    shown = inline(path, PATH_CHARS)
    if content is None:
        yield f"{INDENT}File: {shown}"
        return
    yield f"{INDENT}File: {shown} ({len(content)} chars)"
    for line in _fenced(_head_and_tail(content), _extension(path)):
        yield INDENT + line if line else ""


def _text_at(tool_input: Json, names: Sequence[str]) -> str | None:
    if not isinstance(tool_input, Mapping):
        return None
    texts = (tool_input.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text), None)


def _extension(path: str) -> str:
    found = _EXTENSION.search(path)
    return found[1] if found else ""


def _head_and_tail(content: str) -> list[str]:
    lines = content.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if len(lines) <= HEAD + TAIL:
        return [*map(_code_line, lines)]
    omitted = f"// ... {len(lines) - HEAD - TAIL} lines omitted ..."
    head, tail = map(_code_line, lines[:HEAD]), map(_code_line, lines[-TAIL:])
    return [*head, "", omitted, "", *tail]


def _code_line(line: str) -> str:
    return guarded(first_characters(line, LINE_CHARS))


def _fenced(lines: Sequence[str], language: str) -> Iterator[str]:
    """Set lines as a block that nothing in them can end."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    ticks = "`" * max(3, longest + 1)
    yield ticks + language
    yield from lines
    yield ticks
