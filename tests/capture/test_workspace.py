"""Workspaces: made for a trial, filled, and gone afterwards."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from runledger.capture.workspace import Shared, copies, copy_tree, empty, worktrees
from runledger.errors import OutsideError, UsageError
from runledger.ledger.task import Task, Trial
from runledger.process.supervisor import Supervisor

TRIAL = Trial(Task(id="p1", input="x"))


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """Start programs for a test."""
    with Supervisor() as supervisor:
        yield supervisor


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Make a git repository with one commit and a change that was not committed."""
    path = tmp_path / "repo"
    path.mkdir()
    (path / "a.txt").write_text("one\n")
    git(path, "init", "-q")
    git(path, "add", ".")
    git(path, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "first")
    (path / "a.txt").write_text("two\n")
    return path


def git(path: Path, *words: str) -> str:
    """Run git in a directory."""
    return subprocess.run(
        ["git", *words], cwd=path, check=True, capture_output=True, text=True
    ).stdout


def test_a_shared_directory_stays_as_it_is(tmp_path: Path) -> None:
    """Nothing is made and nothing removed."""
    with Shared(str(tmp_path)).open(TRIAL) as ground:
        Path(ground.directory, "made").touch()

    assert (tmp_path / "made").exists()


def test_an_empty_workspace_is_made_and_removed(tmp_path: Path) -> None:
    """It is named after its prompt, and its trial where there are several."""
    with empty(tmp_path / "w", keep=False).open(TRIAL) as ground:
        assert Path(ground.directory) == tmp_path / "w" / "p1"
        assert not list(Path(ground.directory).iterdir())
    with empty(tmp_path / "w", keep=False).open(
        Trial(Task(id="p1", input="x"), 3, repeated=True)
    ) as ground:
        assert Path(ground.directory).name == "p1-t3"

    assert not list((tmp_path / "w").iterdir())


def test_a_kept_workspace_gets_no_successor_of_its_name(tmp_path: Path) -> None:
    """What an earlier run left is not touched."""
    for _ in range(2):
        with empty(tmp_path, keep=True).open(TRIAL) as ground:
            Path(ground.directory, "here").touch()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["p1", "p1-2"]


def test_a_copy_leaves_its_template_alone(tmp_path: Path) -> None:
    """Links are copied as links, and what the agent does stays in its copy."""
    template = tmp_path / "template"
    (template / "sub").mkdir(parents=True)
    (template / "sub/a.txt").write_text("one")
    (template / "link").symlink_to("sub/a.txt")
    with copies(tmp_path / "w", template, keep=False).open(TRIAL) as ground:
        Path(ground.directory, "sub/a.txt").write_text("changed")
        assert Path(ground.directory, "link").is_symlink()

    assert (template / "sub/a.txt").read_text() == "one"
    assert not (tmp_path / "w/p1").exists()


def test_what_is_no_file_is_named_and_not_copied(tmp_path: Path) -> None:
    """A pipe would be waited for, and a device might never end."""
    template = tmp_path / "template"
    places = copies(tmp_path / "w", template, keep=False)
    (template / "sub").mkdir(parents=True)
    os.mkfifo(template / "sub/pipe")
    with pytest.raises(OutsideError) as piped:
        places.open(TRIAL).__enter__()
    (template / "sub/pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(template / "s"))
    with pytest.raises(OutsideError) as plugged:
        places.open(TRIAL).__enter__()

    hint = "\na workspace has files, directories and links only: take it out of the template"
    assert str(piped.value) == f"could not copy {template}/sub/pipe: it is a named pipe{hint}"
    assert str(plugged.value) == f"could not copy {template}/s: it is a socket{hint}"
    assert not list((tmp_path / "w").iterdir())


def test_a_file_that_cannot_be_copied_is_named(tmp_path: Path) -> None:
    """In words, with how many more there are."""
    template, place = tmp_path / "template", tmp_path / "place"
    place.mkdir()
    for name in ("a", "b"):
        (template / name).mkdir(parents=True)
        (place / name).touch()  # where the directory should go

    with pytest.raises(OutsideError) as refused:
        copy_tree(template, place)

    said = str(refused.value)
    assert "File exists" in said
    assert said.endswith(" (and 1 more)")
    assert "[(" not in said


def test_copies_inside_their_template_are_refused(tmp_path: Path) -> None:
    """Each would hold all those before it."""
    with pytest.raises(UsageError, match="copied into themselves"):
        copies(tmp_path / "w", tmp_path, keep=False)


def test_what_an_agent_made_read_only_is_removed_too(tmp_path: Path) -> None:
    """Caches of packages come like that."""
    with empty(tmp_path, keep=False).open(TRIAL) as ground:
        deep = Path(ground.directory, "cache", "deep")
        deep.mkdir(parents=True)
        (deep / "file").write_text("x")
        deep.chmod(0o500)
        deep.parent.chmod(0o500)

    assert not list(tmp_path.iterdir())


def test_a_worktree_is_at_the_last_commit(
    repository: Path, tmp_path: Path, supervisor: Supervisor
) -> None:
    """It is forgotten by the repository when it is removed."""
    trees = worktrees(tmp_path / "w", repository, supervisor, keep=False)
    with trees.open(TRIAL) as ground:
        assert Path(ground.directory, "a.txt").read_text() == "one\n"
        Path(ground.directory, "new.txt").touch()
        assert git(Path(ground.directory), "status", "--porcelain") == "?? new.txt\n"

    assert not (tmp_path / "w/p1").exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1
    assert (repository / "a.txt").read_text() == "two\n"


def test_a_worktree_is_removed_though_all_are_told_to_stop(
    repository: Path, tmp_path: Path, supervisor: Supervisor
) -> None:
    """Nothing stays behind in the user's repository."""
    trees = worktrees(tmp_path / "w", repository, supervisor, keep=False)
    with trees.open(TRIAL) as ground:
        Path(ground.directory, ".git").write_text("gitdir: /")  # which an agent may write
        supervisor.stop.request(signal.SIGTERM)

    assert not (tmp_path / "w/p1").exists()
    assert len(git(repository, "worktree", "list").splitlines()) == 1


def test_a_repository_without_a_commit_is_refused(tmp_path: Path, supervisor: Supervisor) -> None:
    """There is nothing to make a worktree of."""
    git(tmp_path, "init", "-q")

    with pytest.raises(UsageError, match="commit something first"):
        worktrees(tmp_path / "w", tmp_path, supervisor, keep=False)
