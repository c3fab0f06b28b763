"""Write a cassette: gathered while a case runs, put in place in one step when it ended well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ..errors import StoreError
from ..ledger.strict_json import NotJson, dump_line, loads
from ..ledger.trajectory import CassetteUse
from ..ledger.value import Json
from .lines import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from ..ledger.event import ToolCall, ToolResult
    from .masking import Masking

FIRST_LINE = 64 * 1024  # a header is far shorter


@dataclass(frozen=True, slots=True)
class _Answered:
    """A call and its answer, as they came."""

    tool: str
    ok: bool
    said: dict[str, Json]


class Recorder:
    """Gather the answers of one case; nothing is written before `commit`."""

    def __init__(self, file: Path, shown: str, masking: Masking) -> None:
        self._file = file
        self._shown = shown
        self._masking = masking
        self._gathered: list[_Answered] = []

    def keep(self, call: ToolCall, result: ToolResult) -> None:
        """Add a call and its answer."""
        said: dict[str, Json] = {"args": call.args, "result": result.result}
        if result.error is not None:
            said["error"] = result.error
        self._gathered.append(_Answered(call.name, result.ok, said))

    def commit(self) -> CassetteUse:
        """Put the cassette in place of the old one, and tell what is in it."""
        content = b"".join(map(dump_line, self._lines()))
        _replace(self._file, content)
        count = len(self._gathered)
        digest = sha256(content).hexdigest()
        return CassetteUse(self._shown, digest, entries=count, used=count, unused=0)

    def drop(self) -> None:
        """Forget what was gathered; the old cassette stays as it is."""
        self._gathered.clear()

    def _lines(self) -> Iterator[Json]:
        """Yield the lines, without secrets and otherwise exactly as all was said."""
        masked = self._masking.mask([one.said for one in self._gathered])
        if self._masking.holds_placeholder(masked):
            yield {"v": 1, "kind": "header", "salt": self._masking.salt}
        for one, said in zip(self._gathered, masked, strict=True):
            assert isinstance(said, Mapping)
            args, rest = said["args"], {key: said[key] for key in said if key != "args"}
            yield {"tool": one.tool, "args": args, "ok": one.ok, **rest}


def salt_of(file: Path) -> str | None:
    """Find the salt of a cassette that may be broken, so that a new recording can keep it."""
    try:
        with file.open("rb") as opened:
            header = loads(opened.readline(FIRST_LINE))
    except (OSError, NotJson):
        return None
    salt = header.get("salt") if isinstance(header, dict) and "v" in header else None
    return salt if isinstance(salt, str) else None


def _replace(file: Path, content: bytes) -> None:
    target = file.resolve()  # a link stays one
    with suppress(OSError):
        if target.read_bytes() == content:
            return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"could not write {file}: {error.strerror}: {target.parent}") from error
    write_whole(target, content)
