"""Every step by which we change the file system, so that each can be watched and made to fail."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from ..errors import StoreError

Step: TypeAlias = Literal["open", "write", "cut", "sync", "replace", "link", "remove", "make"]
Copy: TypeAlias = Callable[[str, str], object]
Mend: TypeAlias = Callable[[Callable[..., Any], str, Any], object]


class Watch(Protocol):
    """Somebody who is told of each step before it is done, and may raise OSError in its place."""

    def __call__(self, step: Step, path: Path) -> None:
        """Let the step be done, or fail it."""


def _let_pass(step: Step, path: Path) -> None:
    return


watch: Watch = _let_pass  # the point where faults are injected


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell in our words what the system refused while a file was written."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"could not write {path}: {error.strerror or error}") from error


class File:
    """A file that is open for writing; what goes wrong is an OSError."""

    def __init__(
        self, path: Path, flags: int, mode: int = 0o666, within: int | None = None
    ) -> None:
        self.path = path
        watch("open", path)
        name = path if within is None else path.name
        self.fd = os.open(name, flags | os.O_CLOEXEC, mode, dir_fd=within)

    def write(self, data: bytes) -> None:
        """Write all of some bytes; after an error a part of them may be there."""
        write_all(self.fd, data, self.path)

    def cut(self, size: int) -> None:
        """Cut the file off at a length."""
        watch("cut", self.path)
        os.ftruncate(self.fd, size)

    def sync(self) -> None:
        """Make sure that what was written is on the disk."""
        watch("sync", self.path)
        os.fsync(self.fd)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.fd)


def write_all(fd: int, data: bytes, path: Path) -> None:
    """Write all of some bytes to an open file, a pipe or a terminal that goes by a name."""
    rest = memoryview(data)
    while rest:
        watch("write", path)
        rest = rest[os.write(fd, rest) :]


def replace(source: Path, target: Path) -> None:
    """Put a file in the place of another, in one step."""
    watch("replace", target)
    source.replace(target)


def link(source: Path, target: Path) -> None:
    """Give a file one more name, which must be free."""
    watch("link", target)
    target.hardlink_to(source)


def remove(path: Path, *, missing_ok: bool = False) -> None:
    """Remove a file or a link."""
    watch("remove", path)
    path.unlink(missing_ok=missing_ok)


def remove_directory(path: Path) -> None:
    """Remove an empty directory."""
    watch("remove", path)
    path.rmdir()


def remove_tree(path: Path, mend: Mend | None = None) -> None:
    """Remove a directory and all in it; `mend` is given what cannot be removed, else it raises."""
    import shutil  # most commands do without

    watch("remove", path)
    try:
        shutil.rmtree(path, onerror=mend)
    except RecursionError:  # an agent can nest directories as deep as it likes
        _flatten(path)
        shutil.rmtree(path, onerror=mend)


def _flatten(path: Path) -> None:
    """Bring every directory below a path directly under it, one after the other."""
    waiting = [path]
    while waiting:
        place = waiting.pop()
        with contextlib.suppress(OSError):
            place.chmod(0o700)
        with os.scandir(place) as entries:
            below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        for directory in below:
            up = path / f".{os.urandom(8).hex()}"
            waiting.append(Path(directory) if place == path else Path(directory).rename(up))


def copy_tree(source: Path, target: Path, copy: Copy) -> None:
    """Copy a directory into another; links are copied as links, files as `copy` does it."""
    import shutil

    watch("make", target)
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, copy_function=copy)


def copy_file(source: Path, target: Path) -> None:
    """Copy a file with its times and its mode."""
    import shutil

    watch("write", target)
    shutil.copy2(source, target)


def make_directory(path: Path, mode: int = 0o777, *, parents: bool = False) -> None:
    """Make a directory that is not there yet, if need be with those above it."""
    watch("make", path)
    path.mkdir(mode, parents=parents)


def ensure_directory(path: Path) -> None:
    """Make a directory unless it is there; raise StoreError where that cannot be done."""
    try:
        watch("make", path)
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"could not make {path}: {error.strerror or error}") from error


def ensure_directory_within(place: int, path: Path) -> None:
    """Make a directory in an open one unless its name is taken."""
    watch("make", path)
    with contextlib.suppress(FileExistsError):
        os.mkdir(path.name, dir_fd=place)


def temporary_place() -> Path:
    """Say where the system has files for a while; raise StoreError where none can be written."""
    import tempfile

    try:
        return Path(tempfile.gettempdir())
    except OSError as error:  # it has tried to write to each
        raise StoreError(f"there is no place for temporary files: {error.strerror}") from error


def private_directory(prefix: str, parent: Path | None = None) -> Path:
    """Make a directory that only we may enter, for a while, where the system has such ones.

    Raise StoreError where that cannot be done.
    """
    import tempfile

    place = temporary_place() if parent is None else parent
    try:
        watch("make", place)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    except OSError as error:
        raise StoreError(f"could not make a directory in {place}: {error.strerror}") from error


def sync_directory(path: Path) -> None:
    """Make sure that the names in a directory are on the disk."""
    watch("sync", path)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
