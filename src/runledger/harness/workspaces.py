"""Choose where the agents of a capture work."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..capture.workspace import (
    Shared,
    Workspaces,
    copies,
    empty,
    is_repository,
    remove,
    worktrees,
)
from ..errors import UsageError
from ..process.supervisor import Supervisor

MADE_HERE = ".runledger-workspaces"  # marks a directory in which workspaces are made


@contextmanager
def workspaces_for(
    cwd: Path, workspace_dir: Path | None, supervisor: Supervisor, *, keep: bool, given_cwd: bool
) -> Iterator[Workspaces]:
    """Give the caller's directory to all, or each trial a workspace of its own.

    A new or empty workspace directory is where they are made: empty ones, or copies of the working
    directory if that was named. One with files in it is what they are copies of, or worktrees if it
    is a git repository.
    """
    if workspace_dir is None:
        yield Shared(str(cwd.resolve()))
        return
    template = _template(cwd, workspace_dir, given_cwd)
    if template == workspace_dir:
        base = Path(tempfile.mkdtemp(prefix="runledger-"))
        try:
            yield _filled(base, template, supervisor, keep)
        finally:
            if not keep:
                remove(base)
        return
    try:
        workspace_dir.mkdir(parents=True, exist_ok=True)
        (workspace_dir / MADE_HERE).touch()
    except OSError as error:
        told = f"workspaces cannot be made in {workspace_dir}: {error.strerror}"
        raise UsageError(told) from error
    yield _filled(workspace_dir.resolve(), template, supervisor, keep)


def _template(cwd: Path, workspace_dir: Path, given_cwd: bool) -> Path | None:
    """Find what workspaces are made from, if they are not to be empty."""
    if given_cwd:
        return cwd
    if workspace_dir.is_dir() and not (workspace_dir / MADE_HERE).exists():
        return workspace_dir if any(workspace_dir.iterdir()) else None
    return None


def _filled(base: Path, template: Path | None, supervisor: Supervisor, keep: bool) -> Workspaces:
    if template is None:
        return empty(base, keep=keep)
    if is_repository(template):
        return worktrees(base, template.resolve(), supervisor, keep=keep)
    return copies(base, template.resolve(), keep=keep)
