"""Where an agent works: in a directory that all share, or in one of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ..errors import OutsideError, UsageError
from ..ledger.task import Trial
from ..process.program import Finished, run_program
from ..process.supervisor import Launch, Supervisor
from ..store import disk

GIT_S = 300.0  # a large repository takes a while
TRIES = 1000

_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the agent of one trial works, and its HOME and TMPDIR if they are not the caller's."""

    directory: str
    home: str | None = None
    tmp: str | None = None


class Workspaces(Protocol):
    """Give each trial the ground that its agent works on."""

    def open(self, trial: Trial) -> AbstractContextManager[Ground]:
        """Make the directory ready, and tidy up when the trial has been graded."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Let all trials work in one directory, and leave it as they left it."""

    directory: str

    @contextlib.contextmanager
    def open(self, trial: Trial) -> Iterator[Ground]:
        """Give the directory."""
        yield Ground(self.directory)


@dataclass(frozen=True, slots=True)
class Fresh:
    """Make a directory for each trial below a base, filled by `fill` and emptied by `clear`."""

    base: Path
    fill: Callable[[Path], None]
    clear: Callable[[Path], None]
    keep: bool = False

    @contextlib.contextmanager
    def open(self, trial: Trial) -> Iterator[Ground]:
        """Make the directory, and remove it afterwards unless it is to be kept."""
        path = self._make(trial)
        try:
            self.fill(path)
            yield Ground(str(path))
        finally:
            if not self.keep:
                self.clear(path)

    def _make(self, trial: Trial) -> Path:
        """Make a directory that nobody has yet, named after the trial."""
        name = f"{trial.task.id}-t{trial.number}" if trial.repeated else trial.task.id
        for number in range(1, TRIES):
            path = self.base / (name if number == 1 else f"{name}-{number}")
            try:
                disk.make_directory(path, parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                raise OutsideError(f"could not make {path}: {error.strerror}") from error
            return path
        raise OutsideError(f"could not make a workspace: {self.base / name} has too many copies")


def empty(base: Path, *, keep: bool) -> Fresh:
    """Give each trial an empty directory."""
    return Fresh(base, lambda path: None, remove, keep)


def copies(base: Path, template: Path, *, keep: bool) -> Fresh:
    """Give each trial a copy of a directory."""
    refuse_inside(base, template)
    return Fresh(base, lambda path: copy_tree(template, path), remove, keep)


def refuse_inside(base: Path, template: Path) -> None:
    """Refuse copies that would hold each other."""
    if template.resolve() == base.resolve() or template.resolve() in base.resolve().parents:
        raise UsageError(f"workspaces in {base} would be copied into themselves: choose another")


def worktrees(base: Path, repository: Path, supervisor: Supervisor, *, keep: bool) -> Fresh:
    """Give each trial a worktree of a git repository, at its last commit."""
    git = Git(repository, supervisor)
    git.check()
    return Fresh(base, git.add, git.remove, keep)


def is_repository(path: Path) -> bool:
    """Say whether a directory is the top of a git repository, or of a worktree of one."""
    return (path / ".git").exists()


@dataclass(frozen=True, slots=True)
class Git:
    """The worktrees of one repository."""

    repository: Path
    supervisor: Supervisor
    lock: threading.Lock = field(default_factory=threading.Lock)  # git keeps one list of them
    entries: dict[Path, Path] = field(default_factory=dict)  # in that list, by worktree

    def check(self) -> None:
        """Make sure that there is a commit to start from."""
        done = self._run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if done.code != 0:
            raise UsageError(
                f"{self.repository} has no commit to make worktrees of: commit something first"
            )

    def add(self, path: Path) -> None:
        """Make a worktree at a path, on no branch."""
        done = self._run("worktree", "add", "--force", "--detach", str(path.resolve()), "HEAD")
        if done.code != 0:
            raise OutsideError(f"git could not make a worktree at {path}: {done.stderr.strip()}")
        told = (path / ".git").read_text().strip()  # now, before an agent writes there
        self.entries[path] = Path(told.removeprefix("gitdir: "))

    def remove(self, path: Path) -> None:
        """Take a worktree away, with all that was done in it.

        By hand, since this has to work also when everybody was told to stop.
        """
        remove(path)
        entry = self.entries.pop(path, None)
        if entry is not None:
            with self.lock:
                remove(entry)

    def _run(self, *words: str) -> Finished:
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        launch = Launch(["git", *words], str(self.repository), env)
        with self.lock:
            return run_program(self.supervisor, launch, b"", GIT_S)


def copy_tree(template: Path, path: Path) -> None:
    """Copy a directory with its times and modes; links are copied as links."""
    try:
        disk.copy_tree(template, path, _copy_file)
    except shutil.Error as error:
        (first, _, reason), *rest = error.args[0]
        more = f" (and {len(rest)} more)" if rest else ""
        raise OutsideError(f"could not copy {first} to {path}: {reason}{more}") from error
    except OSError as error:
        raise OutsideError(f"could not copy {template} to {path}: {error}") from error


def _copy_file(file: str, to: str) -> None:
    """Copy a file, but nothing that would be waited for, or read without end."""
    mode = os.lstat(file).st_mode
    if not stat.S_ISREG(mode):
        kind = next((name for is_one, name in _SPECIAL if is_one(mode)), "no file")
        raise OutsideError(
            f"could not copy {file}: it is {kind}\n"
            "a workspace has files, directories and links only: take it out of the template"
        )
    disk.copy_file(Path(file), Path(to))


def remove(path: Path) -> None:
    """Remove a directory and all in it, as far as that can be done, whatever an agent left."""
    with contextlib.suppress(OSError):  # what stays there must not cost what was captured
        if path.is_symlink():  # an agent put it in the place of the directory
            disk.remove(path)
        elif path.exists():
            disk.remove_tree(path, _make_writable)


def _make_writable(retry: Callable[..., Any], path: str, fault: Any) -> None:
    with contextlib.suppress(OSError):
        for place in (Path(path).parent, Path(path)):
            if not place.is_symlink():
                place.chmod(place.stat().st_mode | stat.S_IRWXU)
        if retry in (os.open, os.scandir, os.listdir):
            disk.remove_tree(Path(path), lambda retry, path, fault: None)
        else:
            retry(path)
