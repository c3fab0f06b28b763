"""Choose where the agents of a capture, or of a suite, work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..capture.fixed_workspace import Fixed, Furnishing, Unique
from ..capture.workspace import (
    Shared,
    Workspaces,
    copies,
    empty,
    is_repository,
    remove,
    worktrees,
)
from ..errors import OutsideError, StoreError
from ..ledger.suite import Suite
from ..process.stop import Stop
from ..process.supervisor import Supervisor
from ..store.disk import ensure_directory, private_directory, temporary_place
from ..store.whole import write_whole

MADE_HERE = ".runledger-workspaces"  # marks a directory in which workspaces are made


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the caller says about workspaces."""

    cwd: Path
    given_cwd: bool = False  # named by the caller, and not just where the command was called
    directory: Path | None = None
    keep: bool = False


@contextmanager
def workspaces_for(
    wanted: Wanted, supervisor: Supervisor, tell: Callable[[str], None]
) -> Iterator[Workspaces]:
    """Give the caller's directory to all, or each trial a workspace of its own.

    A new or empty workspace directory is where they are made: empty ones, or copies of the working
    directory if that was named. One with files in it is what they are copies of, or worktrees if it
    is a git repository.
    """
    workspace_dir, keep = wanted.directory, wanted.keep
    if workspace_dir is None:
        yield Shared(str(wanted.cwd.resolve()))
        return
    template = _template(wanted, workspace_dir)
    if template == workspace_dir:
        base = private_directory("runledger-")
        try:
            yield _filled(base, template, supervisor, keep)
        finally:
            if keep:
                tell(f"the workspaces are in {base}")
            else:
                remove(base)
        return
    try:
        ensure_directory(workspace_dir)
        write_whole(workspace_dir / MADE_HERE, b"")
    except StoreError as error:
        raise OutsideError(f"workspaces cannot be made in {workspace_dir}: {error}") from error
    yield _filled(workspace_dir.resolve(), template, supervisor, keep)


@contextmanager
def workspaces_of(suite: Suite, stop: Stop) -> Iterator[Workspaces]:
    """Give all trials of a suite its directory, or each a copy of its template.

    Copies are at one path per case in record and replay, and at a path of their own in live mode.
    """
    if suite.workspace is None:
        yield Shared(suite.directory)
        return
    template = Path(suite.directory, suite.workspace.directory)
    furnishing = Furnishing(template, suite.workspace.fresh_home)
    parent = temporary_place().resolve()  # an agent sees its directory without links
    if suite.mode != "live":
        yield Fixed(parent, suite.name, furnishing, stop)
        return
    base = private_directory("runledger-", parent)
    try:
        yield Unique(empty(base, keep=False), furnishing)
    finally:
        remove(base)


def _template(wanted: Wanted, workspace_dir: Path) -> Path | None:
    """Find what workspaces are made from, if they are not to be empty."""
    if wanted.given_cwd:
        return wanted.cwd
    if workspace_dir.is_dir() and not (workspace_dir / MADE_HERE).exists():
        return workspace_dir if any(workspace_dir.iterdir()) else None
    return None


def _filled(base: Path, template: Path | None, supervisor: Supervisor, keep: bool) -> Workspaces:
    if template is None:
        return empty(base, keep=keep)
    if is_repository(template):
        return worktrees(base, template.resolve(), supervisor, keep=keep)
    return copies(base, template.resolve(), keep=keep)
