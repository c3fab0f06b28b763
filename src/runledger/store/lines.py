"""Files that are written line by line, or whole: never torn, never half."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import stat
import threading
import time
from collections.abc import Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import orjson

from ..errors import StoreError
from ..ledger.strict_json import is_deep
from ..ledger.value import Json
from . import disk
from .disk import told
from .plain import open_plain

TORN_CHUNK = 64 * 1024
LONGEST_TAIL = 64 * 1024 * 1024  # of a line without its end that is looked at
HOLD_TRIES, HOLD_WAIT_S = 5, 0.01
LARGE_NUMBER = re.compile(rb"\d{19}")
MAX_LEVELS = 250  # orjson writes 254; what we take from agents has less, wrapped or not


class TooDeep(ValueError):
    """Say that a value has more levels than we could write again."""

    def __init__(self) -> None:
        super().__init__(f"nested too deeply, over {MAX_LEVELS} levels")


def encode(value: Json, *, indent: bool = False) -> bytes:
    """Write a value as UTF-8 JSON, whatever its texts hold: on one line, or indented."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else 0)
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        layout: dict[str, Any] = {"indent": 2} if indent else {"separators": (",", ":")}
        return json.dumps(_written(value), ensure_ascii=False, **layout).encode()


def encode_line(value: Json) -> bytes:
    """Write a value as a line, its end included, without a copy of what may be large."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except (TypeError, ValueError):
        return encode(value) + b"\n"


def _written(value: Json) -> Json:
    """Spell lone surrogates out as \\udxxx, since UTF-8 has no way to write them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(_written(key)): _written(item) for key, item in value.items()}
    return [_written(item) for item in value] if isinstance(value, (list, tuple)) else value


class LineLog:
    """An append-only file of JSON lines that threads share; each line whole or not at all.

    A fresh one begins empty. Of one that is continued, a torn last line is cut off. One that is
    held alone cannot be opened so again until it is closed; only regular files can be held.
    """

    def __init__(self, path: Path, *, fresh: bool = False, alone: bool = False) -> None:
        self.path = path
        self.size = 0
        self._torn = False
        self._lock = threading.Lock()
        with told(path):
            self._file = disk.File(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                if self._is_regular():
                    self._begin(fresh, alone)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, fresh: bool, alone: bool) -> None:
        """Settle where the first new line goes; what another process holds stays as it is."""
        if alone:
            _hold(self._file.fd, self.path)
        if fresh:
            self._file.cut(0)
        self.size = _mend_tail(self._file)

    def append(self, value: Json) -> None:
        """Write one line; after an error the file ends with the last whole line."""
        self.write(encode_line(value))

    def write(self, data: bytes) -> None:
        """Write bytes, all or none of them."""
        with self._lock, told(self.path):
            self._write(data)

    def conclude(self, value: Json) -> None:
        """Write a last line that is there only if it and all before it are surely on the disk."""
        line = encode_line(value)
        with self._lock, told(self.path):
            self._write(line)
            try:
                self._sync()
            except OSError:
                self.size -= len(line)
                self._cut_back()
                raise

    def sync(self) -> None:
        """Make sure that the lines are on the disk."""
        with self._lock, told(self.path):
            self._sync()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _write(self, line: bytes) -> None:
        if self._torn:  # a line after half a line would cost both
            self._file.cut(self.size)
            self._torn = False
        try:
            self._file.write(line)
        except OSError:
            self._cut_back()
            raise
        self.size += len(line)

    def _cut_back(self) -> None:
        """Take away what was written after the last whole line, now or before the next one."""
        self._torn = self._is_regular()
        with contextlib.suppress(OSError):
            self._file.cut(self.size)
            self._torn = False

    def _sync(self) -> None:
        if self._is_regular():
            self._file.sync()

    def _is_regular(self) -> bool:
        return stat.S_ISREG(os.fstat(self._file.fd).st_mode)


def _hold(fd: int, path: Path) -> None:
    """Lock a file until it is closed; the system lets go of what a dead process held.

    Somebody who only asks whether it is held has it for an instant: so it is tried again.
    """
    for _ in range(HOLD_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(HOLD_WAIT_S)
        else:
            return
    raise StoreError(f"{path} is being written by another process")


@contextlib.contextmanager
def one_at_a_time(directory: Path) -> Iterator[None]:
    """Let only one process at a time do something in a directory; the others wait."""
    disk.ensure_directory(directory)
    with told(directory):
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def is_held(path: Path) -> bool:
    """Say whether a log that somebody holds alone is being written."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(fd)
    return False


def is_torn(line: bytes) -> bool:
    """Say whether a line was broken off: it lacks its end, and without it it is not JSON."""
    if line.endswith(b"\n"):
        return False
    if len(line) > LONGEST_TAIL:
        return True
    try:
        decode(line)
    except (ValueError, RecursionError):
        return True
    return False


def _mend_tail(file: disk.File) -> int:
    """End the last line where only its end is missing, cut it off where it is torn."""
    size, whole = os.fstat(file.fd).st_size, _whole_length(file.fd)
    if whole == size:
        return size
    if is_torn(os.pread(file.fd, LONGEST_TAIL + 1, whole)):
        file.cut(whole)
        return whole
    file.write(b"\n")
    return size + 1


def _whole_length(fd: int) -> int:
    """Count the bytes up to the last line end."""
    size = os.fstat(fd).st_size
    for start in range(max(0, size - TORN_CHUNK), -TORN_CHUNK, -TORN_CHUNK):
        begin = max(0, start)
        found = os.pread(fd, TORN_CHUNK + min(0, start), begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
    return 0


def decode(line: bytes) -> Any:
    """Read a line that we wrote, to the last digit: orjson makes floats of large integers.

    What is no JSON raises ValueError; what is nested deeper than we write, TooDeep.
    """
    try:
        found = json.loads(line) if LARGE_NUMBER.search(line) else orjson.loads(line)
    except RecursionError:
        raise TooDeep from None
    if line.count(b"[") + line.count(b"{") > MAX_LEVELS and is_deep(found, MAX_LEVELS):
        raise TooDeep
    return found


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a file, each with its end; a torn last line is left out."""
    with open_plain(path) as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line
            elif not is_torn(line):
                yield line + b"\n"
