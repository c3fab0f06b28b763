"""Workspaces at one path for every trial of a case, so that recorded paths hold in replay."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import stat
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Interrupted, OutsideError
from ..ledger.task import Trial
from ..process.deadline import Deadline
from ..process.stop import Stop
from ..store import disk
from .workspace import Ground, Workspaces, copy_tree, refuse_inside, remove

WORK, HOME, TMP = "work", "home", "tmp"
DATE = 1_577_836_800  # 1 January 2020
PRIVATE = 0o700
FOREIGN = "it belongs to another user"
POLL_MS = 20  # between two looks whether another trial still holds the place
PATIENCE_S = 600.0  # with another run that holds it


@dataclass(frozen=True, slots=True)
class Furnishing:
    """What a trial finds: a copy of a template, beside it an empty HOME and TMPDIR if asked for."""

    template: Path
    fresh_home: bool = True

    def lay_out(self, place: Path) -> Ground:
        """Furnish an empty place."""
        work, home, tmp = place / WORK, place / HOME, place / TMP
        copy_tree(self.template, work)
        with _told(place):
            _date(work)
        if not self.fresh_home:
            return Ground(str(work))
        with _told(place):
            disk.make_directory(home, PRIVATE)
            disk.make_directory(tmp, PRIVATE)
        return Ground(str(work), str(home), str(tmp))


@dataclass(frozen=True, slots=True)
class Unique:
    """Furnish the rooms that others make, each at a path that nobody else has."""

    rooms: Workspaces
    furnishing: Furnishing

    @contextlib.contextmanager
    def open(self, trial: Trial) -> Iterator[Ground]:
        """Furnish the trial's room."""
        with self.rooms.open(trial) as ground:
            yield self.furnishing.lay_out(Path(ground.directory))


@dataclass(frozen=True, slots=True)
class Fixed:
    """Furnish one place per case anew for each trial; who comes while it is used waits.

    The path has no part that differs between users or runs: agents write it into requests that a
    cassette is asked for. So it can be foreseen, and nothing is trusted that others may have put
    there.
    """

    parent: Path
    stem: str  # the suite's name
    furnishing: Furnishing
    stop: Stop  # ends the wait
    owner: int = field(default_factory=os.getuid)
    patience_s: float = PATIENCE_S
    turns: defaultdict[Path, threading.Lock] = field(
        default_factory=lambda: defaultdict(threading.Lock)
    )  # among the trials of this run, each of which has its time

    @contextlib.contextmanager
    def open(self, trial: Trial) -> Iterator[Ground]:
        """Furnish the case's place, and remove it afterwards."""
        place = self.parent / f"runledger-{self.stem}-{trial.task.id}"
        refuse_inside(place, self.furnishing.template)
        with self._turn(place), self._held(place):
            try:
                _clear(place)
                yield self.furnishing.lay_out(place)
            finally:
                remove(place)

    @contextlib.contextmanager
    def _turn(self, place: Path) -> Iterator[None]:
        """Wait until no other trial of this run needs the place, however long that takes."""
        turn = self.turns[place]
        while not turn.acquire(timeout=POLL_MS / 1000):
            if self.stop.requested:
                raise Interrupted("stopped by a signal")
        try:
            yield
        finally:
            turn.release()

    @contextlib.contextmanager
    def _held(self, place: Path) -> Iterator[None]:
        """Make the place and hold it alone; the system lets go of what a dead process held."""
        fd = self._hold(place)
        try:
            yield
        finally:
            os.close(fd)

    def _hold(self, place: Path) -> int:
        deadline = Deadline.after(self.patience_s)
        while True:
            fd = self._enter(place)
            if fd is None:
                continue
            with contextlib.ExitStack() as stack:
                stack.callback(os.close, fd)
                self._lock(fd, place, deadline)
                if _is_at(fd, place):  # if not, who held it took it away: make it again
                    stack.pop_all()
                    return fd

    def _enter(self, place: Path) -> int | None:
        """Open the place, made if need be; None when somebody removes it meanwhile."""
        try:
            with contextlib.suppress(FileExistsError):
                disk.make_directory(place, PRIVATE)
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(place, flags)
        except FileNotFoundError:
            if self.parent.is_dir():
                return None
            raise OutsideError(f"there is no directory {self.parent}: set TMPDIR to one") from None
        except OSError as error:
            raise _refusal(place, _what_is_at(place, self.owner) or f"{error.strerror}") from error
        if os.fstat(fd).st_uid != self.owner:
            os.close(fd)
            raise _refusal(place, FOREIGN)
        os.fchmod(fd, PRIVATE)
        return fd

    def _lock(self, fd: int, place: Path, deadline: Deadline) -> None:
        """Wait for the lock, or for the end of the run; another run may hang, so not for good."""
        poll = select.poll()
        poll.register(self.stop.fd, select.POLLIN)
        while not _locked(fd):
            if poll.poll(POLL_MS):
                raise Interrupted("stopped by a signal")
            if deadline.passed():
                raise _refusal(place, f"another run has used it for {self.patience_s:g} s")


def _date(work: Path) -> None:
    """Give all files one date: a checkout dates them anew, and agents look at it."""
    for path in (*work.rglob("*"), work):
        os.utime(path, (DATE, DATE), follow_symlinks=False)


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(fd: int, place: Path) -> bool:
    """Say whether an open directory is still the one at its path."""
    try:
        there = place.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(there, os.fstat(fd))


def _what_is_at(place: Path, owner: int) -> str | None:
    """Say why no trial can work there, where what is there tells it."""
    try:
        there = place.lstat()
    except OSError:
        return None
    if stat.S_ISLNK(there.st_mode):
        return "it is a symbolic link"
    if not stat.S_ISDIR(there.st_mode):
        return "it is not a directory"
    return None if there.st_uid == owner else FOREIGN


def _clear(place: Path) -> None:
    """Remove what a trial left whose runner was killed."""
    with _told(place):
        for left in place.iterdir():
            if left.is_dir() and not left.is_symlink():
                remove(left)
            else:
                disk.remove(left)
        if (still := next(place.iterdir(), None)) is not None:
            raise _refusal(place, f"{still.name} in it cannot be removed")


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say in our words where the system refused something."""
    try:
        yield
    except OSError as error:
        raise OutsideError(f"could not make {path} ready: {error.strerror}") from error


def _refusal(place: Path, reason: str) -> OutsideError:
    return OutsideError(
        f"the workspace {place} cannot be used: {reason}; "
        "remove it, or set TMPDIR to a directory of your own (and record there, too)"
    )
