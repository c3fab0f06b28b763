"""Write a cassette: gathered while a case runs, put in place in one step when it ended well."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from ...errors import StoreError, TrialFault
from ...ledger.fingerprint import fingerprint
from ...ledger.strict_json import NotJson, dump_line, loads
from ...ledger.trajectory import CassetteUse
from ..disk import ensure_directory
from ..whole import write_whole
from .answer_line import STATUSES
from .cleaning import cleaned
from .entry import AgentStamp, Entry, McpEntry, ModelEntry
from .line import NO_PLACES, AnyEntry, Header
from .public import KEPT_HEADERS, public_path
from .sharing import Sharing
from .weight import MOST_BYTES, MOST_ENTRIES, weight_of
from .writing import entry_lines, header_line

if TYPE_CHECKING:
    from pathlib import Path

    from ...ledger.event import ToolCall, ToolResult
    from .masking import Masking

FIRST_LINE = 64 * 1024  # a header is far shorter
LONGEST_STAMP = 200
TOO_MUCH = (
    f"what was said is over {MOST_BYTES >> 20} MiB or {MOST_ENTRIES:,} calls, "
    "which is too much to be recorded"
)


class Recorder:
    """Gather the answers of one case, from any thread; nothing is written before `commit`.

    `places` names the directories that are elsewhere on another machine: of those that occur, the
    header tells where they were.
    """

    def __init__(
        self, file: Path, shown: str, masking: Masking, places: Mapping[str, str] = NO_PLACES
    ) -> None:
        self._file = file
        self._shown = shown
        self._masking = masking
        self._places = dict(places)
        self._gathered: dict[int, AnyEntry] = {}  # by turn
        self._turns = count()
        self._weight = 0  # but for the bodies of requests
        self._agent: AgentStamp | None = None
        self._share = Sharing()
        self._lock = threading.Lock()

    def stand(self, name: str, place: str) -> None:
        """Hear where something is that has its place only now, and another one next time."""
        self._places[name] = place

    def keep(self, call: ToolCall, result: ToolResult) -> None:
        """Add a call of a tool and its answer."""
        args = call.args
        assert isinstance(args, Mapping)  # as the protocol demands of every call
        entry = Entry(0, call.name, args, result.ok, result.result, result.error)
        self._add(entry, weight_of(entry))

    def turn(self) -> int:
        """Give the place in the recording of what is asked now, and kept later."""
        with self._lock:
            return next(self._turns)

    def keep_mcp(self, entry: McpEntry, turn: int | None = None) -> None:
        """Add a request to an MCP server and its reply."""
        self._add(entry, weight_of(entry), turn)

    def keep_model(self, entry: ModelEntry, turn: int | None = None) -> None:
        """Add a request to a model and its answer, without what may never be stored."""
        if entry.answer.status not in STATUSES:
            raise TrialFault("internal_error", _odd_status(entry))
        headers = {name.lower(): value for name, value in entry.answer.headers.items()}
        kept = {name: value for name, value in headers.items() if name in KEPT_HEADERS}
        answer = replace(entry.answer, headers=kept)
        body = self._share(entry.body)
        public = replace(entry, path=public_path(entry.path), body=body, answer=answer)
        self._add(public, sum(map(len, answer.frames)), turn)

    def meet(self, agent: AgentStamp) -> None:
        """Hear which agent is recorded; the first one told counts."""
        with self._lock:
            if self._agent is None:
                name, version = agent.name[:LONGEST_STAMP], agent.version[:LONGEST_STAMP]
                self._agent = AgentStamp(name, version)

    def commit(self) -> CassetteUse:
        """Put the cassette in place of the old one, and tell what is in it."""
        with self._lock:
            if self._is_full():
                raise StoreError(TOO_MUCH)
            gathered = _lasting([self._gathered[turn] for turn in sorted(self._gathered)])
        try:
            entries = cleaned(gathered, self._masking.mask)
            lines = b"".join(line for _, line in entry_lines(entries))
        except RecursionError:
            raise StoreError("what was said is nested too deeply to be written down") from None
        content = header_line(self._header(lines)) + lines
        replace_cassette(self._file, content)
        count = len(entries)
        digest = sha256(content).hexdigest()
        return CassetteUse(self._shown, digest, entries=count, used=count, unused=0)

    def drop(self) -> None:
        """Forget what was gathered; the old cassette stays as it is."""
        with self._lock:
            self._gathered.clear()

    def _add(self, entry: AnyEntry, weight: int, turn: int | None = None) -> None:
        with self._lock:
            self._weight += weight
            if self._is_full():
                raise TrialFault("message_too_large", TOO_MUCH)
            self._gathered[next(self._turns) if turn is None else turn] = entry

    def _is_full(self) -> bool:
        heavy = self._weight + self._share.weight > MOST_BYTES
        return heavy or len(self._gathered) > MOST_ENTRIES

    def _header(self, lines: bytes) -> Header:
        """Tell what a reader of these lines has to know."""
        placed = {name: place for name, place in self._places.items() if _stands(place, lines)}
        agent = self._agent and self._cleaned_stamp(self._agent)
        said = lines.decode("utf-8", "replace") + (f"{agent.name} {agent.version}" if agent else "")
        salted = self._masking.holds_placeholder(said)
        return Header(self._masking.salt if salted else None, agent, placed)

    def _cleaned_stamp(self, agent: AgentStamp) -> AgentStamp:
        """Take secrets out of what an agent calls itself."""
        name, version = self._masking.mask([agent.name, agent.version])
        return AgentStamp(str(name), str(version))


def _odd_status(entry: ModelEntry) -> str:
    return (
        f"{entry.method} {public_path(entry.path)} was answered with the status "
        f"{entry.answer.status}, which HTTP does not know: it cannot be recorded"
    )


def _stands(text: str, lines: bytes) -> bool:
    return bool(text) and dump_line(text)[1:-2] in lines


def _lasting(entries: Sequence[AnyEntry]) -> list[AnyEntry]:
    """Leave out errors after which the agent asked the same again.

    What broke off is kept: it tells that the agent left, and asked again.
    """
    later: set[tuple[str | None, str, str, str]] = set()
    kept: list[AnyEntry] = []
    for entry in reversed(entries):
        if isinstance(entry, ModelEntry):
            key = (entry.via, entry.method, entry.path, fingerprint(entry.body))
            if key in later and entry.answer.is_retried and not entry.answer.partial:
                continue
            later.add(key)
        kept.append(entry)
    return kept[::-1]


def salt_of(file: Path) -> str | None:
    """Find the salt of a cassette that may be broken, so that a new recording can keep it."""
    try:
        with file.open("rb") as opened:
            header = loads(opened.readline(FIRST_LINE))
    except (OSError, NotJson):
        return None
    salt = header.get("salt") if isinstance(header, dict) and "v" in header else None
    return salt if isinstance(salt, str) else None


def replace_cassette(file: Path, content: bytes) -> None:
    """Put a cassette in place, in one step; where it is there already, nothing is touched."""
    target = file.resolve()  # a link stays one
    with suppress(OSError):
        if target.read_bytes() == content:
            return
    try:
        ensure_directory(target.parent)
    except StoreError as error:
        raise StoreError(f"could not write {file}: {error}") from error
    write_whole(target, content)
