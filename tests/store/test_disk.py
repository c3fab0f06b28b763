"""The one module that changes the file system: nobody writes past it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import runledger
from runledger.errors import StoreError
from runledger.store import disk

HOUSE = Path(runledger.__file__).parent
DISK = "store/disk.py"

PIPES = {
    "agents/acp/terminals.py": {"os.write"},  # wakes a thread
    "process/bell.py": {"os.write"},  # rings
    "process/pipes.py": {"os.write"},  # what a child reads
    "process/sandbox/doorway.py": {"os.write"},  # a message, where nothing of ours can be imported
    "process/stop.py": {"os.write"},  # wakes all who wait, in a signal handler
    "proxies/mcp/desk.py": {"os.write"},  # wakes a thread
    "proxies/mcp/relay.py": {"os.write"},  # what a client and a server say
}
OS = {
    *("write", "writev", "pwrite", "pwritev", "sendfile", "truncate", "ftruncate", "fsync"),
    *("fdatasync", "replace", "rename", "renames", "unlink", "remove", "rmdir", "removedirs"),
    *("mkdir", "makedirs", "mkfifo", "mknod", "link", "symlink", "copy_file_range"),
}
PATH = {
    *("write_text", "write_bytes", "mkdir", "unlink", "rmdir", "touch", "rename"),
    *("symlink_to", "hardlink_to"),
}
SHUTIL = {"copy", "copy2", "copyfile", "copytree", "move", "rmtree", "make_archive"}
WRITING = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}


def names_in(node: ast.expr) -> Iterator[str]:
    """Yield the names that an expression is made of."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            yield part.attr
        elif isinstance(part, ast.Name):
            yield part.id


def mode_of(call: ast.Call, place: int) -> str:
    """Give the mode in which a file is opened, as far as it is written there."""
    given = [word.value for word in call.keywords if word.arg == "mode"] or call.args[place:][:1]
    found = given[0] if given else ast.Constant("r")
    return found.value if isinstance(found, ast.Constant) and isinstance(found.value, str) else ""


def written_by(call: ast.Call) -> str | None:
    """Name what a call does to the file system, if it is one that we know."""
    if isinstance(call.func, ast.Name):
        opens = call.func.id == "open" and set(mode_of(call, 1)) & set("wax+")
        return "open" if opens else None
    if not isinstance(call.func, ast.Attribute):
        return None
    name, owner = call.func.attr, call.func.value
    of = owner.id if isinstance(owner, ast.Name) else ""
    if of == "os":
        given = {name for word in call.args for name in names_in(word)}
        opens = name == "open" and given & WRITING and "devnull" not in given
        return f"os.{name}" if name in OS or opens else None
    if of == "shutil":
        return f"shutil.{name}" if name in SHUTIL else None
    if of == "tempfile":
        return f"tempfile.{name}" if name != "gettempdir" else None
    if name == "open" and of != "disk":
        return "open" if set(mode_of(call, 0)) & set("wax+") else None
    replaces = name == "replace" and len(call.args) == 1 and not call.keywords
    return name if name in PATH or replaces else None


def writers(source: str) -> set[str]:
    """List what a program does to the file system by itself."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return {found for found in map(written_by, calls) if found}


@pytest.mark.parametrize(
    "source",
    [
        'open("x", "w")',
        'open("x", mode="ab")',
        'path.open("r+")',
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        "os.write(1, b'')",
        "path.write_text('')",
        "path.replace(other)",
        "(a / b).mkdir()",
        "shutil.rmtree(path)",
        "tempfile.mkdtemp()",
    ],
)
def test_who_writes_is_found(source: str) -> None:
    """The search finds the ways in which files are written."""
    assert writers(source)


@pytest.mark.parametrize(
    "source",
    [
        'open("x")',
        'path.open("rb")',
        "os.open(path, os.O_RDONLY)",
        "os.open(os.devnull, os.O_RDWR)",
        "text.replace('a', 'b')",
        "replace(row, status='x')",
        "disk.remove(path)",
        "tempfile.gettempdir()",
    ],
)
def test_who_does_not_write_is_not_found(source: str) -> None:
    """What reads, and what only sounds like writing, is let be."""
    assert not writers(source)


def test_nobody_writes_files_past_the_disk() -> None:
    """So that every write can be made to fail, and has been."""
    found = {}
    for file in sorted(HOUSE.rglob("*.py")):
        place = file.relative_to(HOUSE).as_posix()
        if place != DISK and (past := writers(file.read_text()) - PIPES.get(place, set())):
            found[place] = past

    assert found == {}


def test_every_exception_from_the_rule_is_needed() -> None:
    """A file that no longer writes to a pipe is taken off the list."""
    for place, known in PIPES.items():
        assert writers((HOUSE / place).read_text()) == known


def test_a_watch_is_told_of_every_step_and_can_fail_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step is not done then, and the error is as if the system had raised it."""
    seen = []

    def watch(step: disk.Step, path: Path) -> None:
        seen.append((step, path.name))
        if path.name == "full":
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk, "watch", watch)
    disk.ensure_directory(tmp_path / "there")
    with pytest.raises(StoreError, match="full: No space left on device"):
        disk.ensure_directory(tmp_path / "full")

    assert seen == [("make", "there"), ("make", "full")]
    assert not (tmp_path / "full").exists()
