"""Lay out a working suite in a directory, and harm nothing that is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..ledger.baseline import Aggregates, Baseline, BaselineCase
from ..ledger.fingerprint import canonicalize_json
from ..ledger.strict_json import NotJson, loads
from ..ledger.value import Json
from ..store.baseline import baseline_bytes
from ..store.disk import ensure_directory
from ..store.lines import encode
from ..store.whole import write_new, write_whole

if TYPE_CHECKING:
    from pydantic import BaseModel

MANIFEST = ".runledger/init.json"  # hashes of what init wrote, to tell it from what a user wrote
SCHEMA_VERSION = 1
DIALECT = "https://json-schema.org/draft/2020-12/schema"
NEVER_RUN = "init"  # stands for a run id in a baseline that no run was promoted to


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write, by its path below the root; an offered one gives way to a user's own."""

    path: str
    content: bytes
    offered: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """What became of the files: written now, or left as they were found."""

    written: tuple[str, ...]
    kept: tuple[str, ...]


class _InTheWay(Exception):
    """Say why a file cannot be written without harm."""


def check_suite_name(name: str) -> None:
    """Refuse a name that a suite cannot have."""
    from pydantic import TypeAdapter, ValidationError

    from ..suite.document import Name

    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise UsageError(f"the suite name {name!r} {error.errors()[0]['msg']}") from None


def files_of_suite(name: str, texts: Mapping[str, str]) -> Iterator[NewFile]:
    """Make a suite of its texts, by their path in it; add its baseline and schemas for editors."""
    from ..suite.document import CaseConfig, SuiteConfig

    contents = {path: text.encode() for path, text in texts.items()}
    contents[f"baselines/{name}.json"] = _baseline(name, texts)
    contents[".runledger/suite.schema.json"] = _schema(SuiteConfig)
    contents[".runledger/case.schema.json"] = _schema(CaseConfig)
    for path, content in contents.items():
        yield NewFile(f"evals/{name}/{path}", content)


def lay_out(root: Path, files: Sequence[NewFile], *, force: bool = False) -> Layout:
    """Write the files, or nothing where one is in the way; `force` renews what is still ours."""
    problems: list[str] = []
    wanted: list[NewFile] = []
    ours: Mapping[str, str] = {}
    try:
        ours = _remembered(root)
    except _InTheWay as reason:
        problems.append(f"{root / MANIFEST} {reason}")
    for file in files:
        try:
            if _is_wanted(root, file, ours, force):
                wanted.append(file)
        except _InTheWay as reason:
            problems.append(f"{root / file.path} {reason}")
    if problems:
        raise UsageError("\n".join([*problems, "so nothing was written"]))
    return _write_all(root, files, wanted, ours)


def _write_all(
    root: Path, files: Sequence[NewFile], wanted: Sequence[NewFile], ours: Mapping[str, str]
) -> Layout:
    written = {file.path: sha256(file.content).hexdigest() for file in wanted}
    if written:  # remembered first, so that what follows is never taken for a user's
        memory: Json = {"schema_version": SCHEMA_VERSION, "files": {**ours, **written}}
        _write(root / MANIFEST, _document(memory), renew=True)
    for file in wanted:
        _write(root / file.path, file.content, renew=file.path in ours)
    kept = tuple(file.path for file in files if file.path not in written)
    return Layout((*written, MANIFEST) if written else (), kept)


def _is_wanted(root: Path, file: NewFile, ours: Mapping[str, str], force: bool) -> bool:
    """Say whether a file is to be written, or raise what is in its way."""
    found = _found(root, file.path)
    if found is None:
        return True
    if found == file.content:
        return False
    unchanged = ours.get(file.path) == sha256(found).hexdigest()
    if unchanged and force:
        return True
    if file.offered:
        return False
    if unchanged:
        raise _InTheWay("is there already, as an earlier init wrote it; --force renews it")
    raise _InTheWay("is there already and differs; move it away, or choose another --suite")


def _found(root: Path, path: str) -> bytes | None:
    """Read what is at a path, None where nothing is; raise where nothing could be written."""
    target = root / path
    for parent in target.parents:
        if os.path.lexists(parent) and not parent.is_dir():
            raise _InTheWay(f"cannot be written: {parent} is not a directory")
    if not Path(os.path.realpath(target.parent)).is_relative_to(os.path.realpath(root)):
        raise _InTheWay(f"leads out of {root} through a symbolic link")
    if not os.path.lexists(target):
        return None
    if target.is_symlink() or not target.is_file():
        raise _InTheWay("is there already and is not a plain file; move it away")
    try:
        return target.read_bytes()
    except OSError as error:
        raise _InTheWay(f"is there already and cannot be read: {error.strerror}") from error


def _remembered(root: Path) -> Mapping[str, str]:
    """Read the hashes of the files that init wrote here before."""
    found = _found(root, MANIFEST)
    if found is None:
        return {}
    try:
        document = loads(found)
    except NotJson:
        document = None
    files = document.get("files") if isinstance(document, dict) else None
    if not isinstance(files, dict):
        raise _InTheWay("is there already and is not what init wrote; move it away")
    return {path: str(digest) for path, digest in files.items()}


def _write(path: Path, content: bytes, *, renew: bool) -> None:
    ensure_directory(path.parent)
    if renew:
        write_whole(path, content)
    elif not write_new(path, content):  # it was not there a moment ago
        raise UsageError(f"{path} was made by somebody else just now; it was left as it is")


def _baseline(name: str, texts: Mapping[str, str]) -> bytes:
    """Write the baseline that promoting a first run would, without the durations of a machine."""
    cases = tuple(
        BaselineCase(case, passed=True, wall_ms=None, tool_calls=calls, tool_errors=0)
        for case, calls in sorted(_calls_by_case(texts))
    )
    calls = sum(case.tool_calls for case in cases)
    suite_sha256 = sha256(texts["suite.yaml"].encode()).hexdigest()
    aggregates = Aggregates(1.0, None, None, calls, 0)
    return baseline_bytes(Baseline(name, NEVER_RUN, suite_sha256, aggregates, cases))


def _calls_by_case(texts: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    for path, text in texts.items():
        if path.startswith("cassettes/"):
            yield Path(path).stem, len(text.splitlines())


def _schema(document: type[BaseModel]) -> bytes:
    """Write the JSON Schema by which an editor completes and checks a file of this kind."""
    return encode({"$schema": DIALECT, **document.model_json_schema()}, indent=True) + b"\n"


def _document(value: Json) -> bytes:
    return encode(canonicalize_json(value), indent=True) + b"\n"
