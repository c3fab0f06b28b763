"""Files in an agent's directory that a condition speaks of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runledger.graders.validity import files_matching
from runledger.graders.validity_files import KEPT, matches_path
from runledger.ledger.experiment import Condition, Marks


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Make a directory with files at several depths, hidden ones, and a link out of it."""
    outside = tmp_path / "outside"
    place = tmp_path / "place"
    for file in ("AGENTS.md", "src/a.py", "src/deep/er/b.py", ".lens/index.db", ".lens/x/y.db"):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text("x")
    outside.mkdir()
    (outside / "far.py").write_text("x")
    (place / "linked").symlink_to(outside)
    return place


def found(place: Path, *patterns: str) -> tuple[str, ...]:
    """List what matches the patterns of a condition."""
    return files_matching(str(place), Condition("c", forbid=Marks(files=patterns)))


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("AGENTS.md", ("AGENTS.md",)),
        ("./AGENTS.md", ("AGENTS.md",)),
        ("a.py", ()),
        ("**/a.py", ("src/a.py",)),
        ("**/AGENTS.md", ("AGENTS.md",)),
        ("src/**/b.py", ("src/deep/er/b.py",)),
        ("src/**/a.py", ("src/a.py",)),
        (".lens/**", (".lens/index.db", ".lens/x", ".lens/x/y.db")),
        (".lens/", (".lens",)),
        ("*.db", (".lens/index.db", ".lens/x/y.db")),
        ("src/?.py", ("src/a.py",)),
        ("agents.md", ()),
        ("linked", ("linked",)),
        ("missing/**", ()),
    ],
)
def test_patterns_find_files_at_any_depth(
    place: Path, pattern: str, paths: tuple[str, ...]
) -> None:
    """Seed 004 section 1: artifacts are found wherever they lie, hidden ones too."""
    assert found(place, pattern) == paths


@pytest.mark.parametrize("pattern", ["linked/*", "linked/far.py", "**/far.py", "*far*"])
def test_links_to_directories_are_not_followed(place: Path, pattern: str) -> None:
    """What lies behind them is not the agent's directory."""
    assert found(place, pattern) == ()


@pytest.mark.parametrize(
    "pattern", ["/etc/*", "../outside/*", "src/../../outside/far.py", "", "/", "a\0b", "a\0b/*"]
)
def test_patterns_that_lead_elsewhere_find_nothing(place: Path, pattern: str) -> None:
    """Only the agent's directory is looked at."""
    assert found(place, pattern) == ()


def test_what_is_expected_and_what_is_forbidden_is_looked_for(place: Path) -> None:
    """Each path is told once, in order."""
    marks = Marks(files=("src/*", "AGENTS.md"))
    condition = Condition("c", expect=marks, forbid=Marks(files=("src/a.py",)))

    assert files_matching(str(place), condition) == (
        "AGENTS.md",
        "src/a.py",
        "src/deep",
        "src/deep/er",
        "src/deep/er/b.py",
    )


def test_a_missing_directory_has_no_files(tmp_path: Path) -> None:
    """A workspace may be gone."""
    assert found(tmp_path / "gone", "*") == ()


def test_enough_is_enough(tmp_path: Path) -> None:
    """Of many files that match, some are told; rare ones are found among them."""
    for number in range(10 * KEPT):
        (tmp_path / f"{number:04}.log").touch()
    (tmp_path / "z.md").touch()

    assert len(found(tmp_path, "*.log")) == KEPT
    assert "z.md" in found(tmp_path, "*.log", "*.md")


def test_names_of_any_kind_are_found(tmp_path: Path) -> None:
    """Line breaks, and bytes that are no text."""
    (tmp_path / "a\nb.md").touch()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).touch()

    assert found(tmp_path, "*.md") == ("a\nb.md", "\udcff.md")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "a/b.md", True),
        ("**/x/**/y", "x/y", True),
        ("[ab].md", "b.md", True),
        ("A.md", "a.md", False),
        ("a", "a/b", False),
    ],
)
def test_patterns_fit_whole_paths(pattern: str, path: str, fits: bool) -> None:
    """By the rules of fnmatch, with **/ for no directory, too."""
    assert matches_path(pattern, path) is fits
