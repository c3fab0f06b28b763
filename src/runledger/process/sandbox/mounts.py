"""What is seen inside a sandbox: trees of the file system at their own paths, and links to them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
# Of /etc only what programs look up; whatever may hold a key is left out, as are /run and /var.
SETTINGS = (
    *("passwd", "group", "nsswitch.conf", "hosts", "host.conf", "resolv.conf", "gai.conf"),
    *("services", "protocols", "localtime", "timezone", "locale.alias", "locale.conf"),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "os-release", "mime.types"),
    *("ssl/certs", "ssl/openssl.cnf", "ssl/cert.pem", "ca-certificates.conf", "ca-certificates"),
    *("pki/tls/certs", "pki/tls/cert.pem", "pki/ca-trust/extracted", "crypto-policies", "fonts"),
)
_MADE_ANEW = ("/proc", "/dev", "/sys")  # those of the caller are never shown
_SEALED = ("--remount-ro", "/")  # what is not shown cannot be made, either
MOST_LINKS = 40  # as the system follows, before it calls them a loop


class Mounts:
    """Gather what a program is to see, and say it in bwrap's words.

    What it may write to could have been changed by it before: no link in there is followed.
    """

    def __init__(self, cwd: str) -> None:
        self._cwd = str(Path(cwd).absolute())
        self._work = str(Path(cwd).resolve())
        self._trees: dict[str, bool] = {}  # whether it may be written to
        self._empty: set[str] = set()
        self._links: dict[str, str] = {}

    def empty(self, path: str) -> None:
        """Let a directory be there and empty, in memory, whatever is at its path outside."""
        real = self.follow(path)
        if real is not None and real != "/" and not {real, _parent(real)} & {*SYSTEM}:
            self._empty.add(real)  # homes of system users, such as /usr/sbin, stay as they are

    def hide(self, path: str) -> None:
        """Let a directory be empty, should it lie where the whole system is seen."""
        real = self.follow(path)
        if real is not None and self._is_seen(real):
            self._empty.add(real)

    def show(self, path: str, *, writable: bool = False) -> None:
        """Let a file or directory be seen, with the links that lead there."""
        real = self.follow(path)
        if real is None or not os.path.lexists(real) or self._is_too_much(real):
            return
        self._trees[real] = writable or self._trees.get(real, False)

    def follow(self, path: str) -> str | None:
        """Give the real path; None for what it may write to, or what is not the caller's."""
        trail = self.trail(path)
        return trail[-1] if trail else None

    def trail(self, path: str) -> list[str]:
        """List the links on the way of a path, which will be there, and where it ends."""
        done = "/"
        trail: list[str] = []
        rest = deque(PurePosixPath(self._cwd, path).parts[1:])
        while rest and len(trail) < MOST_LINKS:
            done = os.path.normpath(os.path.join(done, rest.popleft()))  # noqa: PTH118
            if self._is_own(done) or any(is_in(done, one) for one in _MADE_ANEW):
                return []
            target = _link_at(done)
            if target is not None:
                trail.append(done)
                self._links[done] = target
                rest.extendleft(reversed(PurePosixPath(target).parts))
                done = _parent(done)
        return [*trail, done]

    def words(self) -> list[str]:
        """Write it all for bwrap, what holds others before them."""
        own = [*self._void_words(), *self._link_words(), *self._tree_words()]
        placed = sorted(own, key=lambda words: words[-1])
        return [*_system_words(), *(word for words in placed for word in words), *_SEALED]

    def _void_words(self) -> Iterator[tuple[str, ...]]:
        for place in self._empty - self._trees.keys():
            if os.path.isdir(place) or not self._is_seen(_parent(place)):  # noqa: PTH112
                yield "--tmpfs", place

    def _link_words(self) -> Iterator[tuple[str, ...]]:
        for link, target in self._links.items():
            if link not in SYSTEM and not self._is_seen(_parent(link)):
                yield "--symlink", target, link

    def _tree_words(self) -> Iterator[tuple[str, ...]]:
        for tree, writable in self._trees.items():
            if writable or not self._is_seen(_parent(tree)):
                yield "--bind" if writable else "--ro-bind", tree, tree

    def _is_too_much(self, real: str) -> bool:
        """Say whether a place would show what is around the one where a program works."""
        return real == "/" or (real != self._work and is_in(self._work, real))

    def _is_own(self, path: str) -> bool:
        return any(writable and is_in(path, tree) for tree, writable in self._trees.items())

    def _is_seen(self, path: str) -> bool:
        """Say whether a place is in a tree that is shown, and not in an empty place within it."""
        trees = [one for one in (*SYSTEM, *self._trees) if is_in(path, one)]
        voids = [one for one in self._empty - self._trees.keys() if is_in(path, one)]
        return max(map(len, trees), default=0) > max(map(len, voids), default=0)


def _system_words() -> Iterator[str]:
    for path in filter(os.path.isdir, SYSTEM):
        target = _link_at(path)
        yield from ("--ro-bind", path, path) if target is None else ("--symlink", target, path)
    for path in filter(os.path.exists, (f"/etc/{name}" for name in SETTINGS)):
        yield from ("--ro-bind", path, path)
    yield from ("--proc", "/proc", "--dev", "/dev")


def is_in(path: str, tree: str) -> bool:
    """Say whether a path is a tree or lies in it."""
    return path == tree or path.startswith(f"{tree.rstrip('/')}/")


def _parent(path: str) -> str:
    return str(PurePosixPath(path).parent)


def _link_at(path: str) -> str | None:
    try:
        return os.readlink(path)  # noqa: PTH115
    except OSError:
        return None
