"""Our hands for an agent that asks us to read and write its files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from ...ledger.fingerprint import preview
from ...ledger.value import Json
from ...store import disk
from ...store.descent import descend
from ...store.plain import read_plain
from ...wire.jsonrpc import INTERNAL_ERROR, RpcError

INVALID_PARAMS = -32602
NOT_FOUND = -32002
READ_CAP = 16 * 1024 * 1024
ANEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
AS_LOOKED_AT = os.O_NOFOLLOW | os.O_NONBLOCK  # no link or pipe that was put there since


class Files:
    """Read and write text inside one directory."""

    def __init__(self, directory: str) -> None:
        self._root = Path(directory).resolve()

    def read(self, params: Mapping[str, Json]) -> Json:
        """Answer fs/read_text_file: a whole file, or `limit` lines from `line` on."""
        path = self._file(params.get("path"))
        first, most = _number(params, "line"), _number(params, "limit")
        return {"content": _lines(self._text(path), first, most)}

    def write(self, params: Mapping[str, Json]) -> Json:
        """Answer fs/write_text_file, making the directories that the file needs."""
        path = self._file(params.get("path"))
        content = params.get("content")
        if not isinstance(content, str):
            raise RpcError(INVALID_PARAMS, "content must be a text")
        self._write(path, content.encode("utf-8", "replace"))
        return {}

    def inside(self, given: Json) -> Path:
        """Find where a path really leads; raise RpcError where that is out of the directory."""
        if not isinstance(given, str) or "\0" in given:
            raise RpcError(INVALID_PARAMS, f"path must be a text; found {preview(given, 80)}")
        try:
            path = Path(self._root, given).resolve()
        except (OSError, RuntimeError, UnicodeError):  # links in circles, half a character
            nowhere = f"the path leads nowhere: {preview(given, 80)}"
            raise RpcError(INVALID_PARAMS, nowhere) from None
        if not path.is_relative_to(self._root):
            raise RpcError(INVALID_PARAMS, f"{given} is outside of the session's directory")
        return path

    def _file(self, given: Json) -> Path:
        path = self.inside(given)
        try:
            if path.exists() and not path.is_file():
                raise RpcError(INVALID_PARAMS, f"not a file: {path}")
        except OSError as error:
            raise RpcError(INTERNAL_ERROR, f"could not find {path}: {error.strerror}") from None
        return path

    def _text(self, path: Path) -> str:
        try:
            with descend(self._root, path) as place:
                return read_plain(path, READ_CAP, place).decode()
        except FileNotFoundError:
            raise RpcError(NOT_FOUND, f"Resource not found: {path}", {"uri": str(path)}) from None
        except OSError as error:
            raise RpcError(INTERNAL_ERROR, f"could not read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise RpcError(INTERNAL_ERROR, f"{path} is not UTF-8 text") from None

    def _write(self, path: Path, content: bytes) -> None:
        """Write over a file as its agent would: it keeps its links and watchers, and is not synced.

        It is the agent's and not ours, so nobody relies on its being whole after a crash.
        """
        try:
            with (
                descend(self._root, path, make=True) as place,
                closing(disk.File(path, ANEW | AS_LOOKED_AT, within=place)) as file,
            ):
                file.write(content)
        except OSError as error:
            raise RpcError(INTERNAL_ERROR, f"could not write {path}: {error.strerror}") from None


def _lines(text: str, first: int | None, most: int | None) -> str:
    if first is None and most is None:
        return text
    start = max(0, (first or 1) - 1)
    return "\n".join(text.split("\n")[start : None if most is None else start + most])


def _number(params: Mapping[str, Json], key: str) -> int | None:
    value = params.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise RpcError(INVALID_PARAMS, f"{key} must be a whole number; found {preview(value, 80)}")
    return value
