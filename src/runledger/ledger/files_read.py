"""Which files an agent read, as far as its tool calls tell."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from .event import Event, ToolCall
from .trajectory import calls_in, is_error
from .value import Json

# Names without their case, and without what joins words: Read, read_file, ReadFile, read-file.
READERS = frozenset(
    {
        *("read", "readfile", "readfiles", "readtextfile", "readmediafile", "readmanyfiles"),
        *("readmultiplefiles", "readnotebook", "notebookread", "fsread", "fileread", "filereader"),
        *("view", "viewfile", "viewimage", "open", "openfile", "cat", "catfile"),
        *("getfile", "getfilecontent", "getfilecontents", "showfile", "loadfile"),
    }
)
LISTERS = frozenset({"list", "ls", "listdirectory", "listdir", "listfiles", "glob", "grep"})
"""Tools that ACP's word for reading is used of as well, and that read no file."""

PLACES = (
    *("file_path", "path", "filePath", "filepath", "absolute_path", "absolutePath", "filename"),
    *("file", "target_file", "notebook_path", "relative_path", "paths", "files", "file_paths"),
)
_JOINTS = re.compile(r"[\W_]+")
_OF_A_SERVER = re.compile(r".+_(read(?:_(?:text|media|many|multiple))?_files?)", re.DOTALL)


def files_read_in(events: tuple[Event, ...]) -> tuple[str, ...]:
    """List the paths of files that were read, each once, in order; a call that failed read none."""
    found = (
        posixpath.normpath(path)
        for call in calls_in(events)
        if not is_error(call.result) and _reads(call.call)
        for path in _paths(call.call)
    )
    return tuple(dict.fromkeys(found))


def _reads(call: ToolCall) -> bool:
    name = _plain(call.name)
    if call.extra.get("kind") == "read":
        return name not in LISTERS
    return name in READERS


def _plain(name: str) -> str:
    """Give the name of a tool without its server: mcp__fs__read_file, fs.read_file, fs_read_file.

    Only what is surely reading is told apart from a server whose name is joined by one line.
    """
    own = re.split(r"__|[./:]", name.lower())[-1]
    joined = _OF_A_SERVER.fullmatch(own)
    return _JOINTS.sub("", joined[1] if joined else own)


def _paths(call: ToolCall) -> Iterator[str]:
    """Yield the paths that a call names in its arguments, or else where ACP tells them."""
    args = call.args if isinstance(call.args, Mapping) else {}
    named = [path for key in PLACES for path in _texts(args.get(key))]
    yield from named or _texts(call.extra.get("locations"))


def _texts(value: Json) -> Iterator[str]:
    """Yield the path that a value is, or the paths in a list of texts or of objects with one."""
    if isinstance(value, str):
        path = value.removeprefix("file://")
        if path.strip():
            yield path
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item if isinstance(item, str) else _path_of(item))


def _path_of(item: Json) -> Json:
    path = item.get("path") or item.get("file_path") if isinstance(item, Mapping) else None
    return path if isinstance(path, str) else None
