"""Workspaces at a fixed path: the same for every trial, for one at a time, and for nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from runledger.capture.fixed_workspace import DATE, Fixed, Furnishing, Unique
from runledger.capture.workspace import empty
from runledger.errors import Interrupted, OutsideError, UsageError
from runledger.ledger.task import Task, Trial
from runledger.process.stop import Stop

TRIAL = Trial(Task(id="c1", input="x"))

VISITOR = """\
import sys
from pathlib import Path

from runledger.capture.fixed_workspace import Fixed, Furnishing
from runledger.ledger.task import Task, Trial
from runledger.process.stop import Stop

parent, template, rounds, log = sys.argv[1:]
places = Fixed(Path(parent), "demo", Furnishing(Path(template)), Stop())
with open(log, "ab", buffering=0) as book:
    for _ in range(int(rounds)):
        with places.open(Trial(Task(id="c1", input="x"))) as ground:
            book.write(b"in\\n")
            seen = sorted(path.name for path in Path(ground.directory).iterdir())
            Path(ground.directory, "left").touch()
            book.write(f"saw {' '.join(seen)}\\n".encode())
            if rounds == "1":
                print("here", flush=True)
                sys.stdin.read()
            book.write(b"out\\n")
"""


@pytest.fixture
def stop() -> Iterator[Stop]:
    """Give a switch that ends all waiting."""
    stop = Stop()
    yield stop
    stop.close()


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """Make a template with a file, a link and a directory that cannot be written to."""
    path = tmp_path / "template"
    (path / "sealed").mkdir(parents=True)
    (path / "a.txt").write_text("one")
    os.utime(path / "a.txt", (1_700_000_000, 1_700_000_000))
    (path / "link").symlink_to("a.txt")
    (path / "sealed/b.txt").write_text("two")
    (path / "sealed/b.txt").chmod(0o400)
    (path / "sealed").chmod(0o500)
    return path


@pytest.fixture
def parent(tmp_path: Path) -> Path:
    """Make a directory that stands for the system's temporary one."""
    path = tmp_path / "tmp"
    path.mkdir()
    return path


@pytest.fixture
def places(parent: Path, template: Path, stop: Stop) -> Fixed:
    """Give the fixed workspaces of a suite."""
    return Fixed(parent, "demo", Furnishing(template), stop)


def visitor(parent: Path, template: Path, rounds: int, log: Path) -> subprocess.Popen[bytes]:
    """Start a process that uses the same place."""
    words = [sys.executable, "-c", VISITOR, str(parent), str(template), str(rounds), str(log)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_every_trial_of_a_case_works_at_the_same_path(places: Fixed, parent: Path) -> None:
    """The path is made of the suite's name and the case's id, and of nothing else."""
    for number in (1, 2):
        with places.open(Trial(TRIAL.task, number, repeated=True)) as ground:
            assert ground.directory == str(parent / "runledger-demo-c1/work")
            assert ground.home == str(parent / "runledger-demo-c1/home")

    assert not list(parent.iterdir())


def test_each_trial_finds_the_template_as_it_is(places: Fixed, template: Path) -> None:
    """With modes and links, all of one date; whatever the trial before it did there."""
    for _ in range(2):
        with places.open(TRIAL) as ground:
            work = Path(ground.directory)
            assert sorted(path.name for path in work.iterdir()) == ["a.txt", "link", "sealed"]
            assert (work / "a.txt").read_text() == "one"
            assert {path.lstat().st_mtime for path in (work, *work.rglob("*"))} == {DATE}
            assert (work / "link").readlink() == Path("a.txt")
            assert (work / "sealed").stat().st_mode & 0o777 == 0o500
            (work / "a.txt").write_text("changed")
            (work / "more").mkdir()

    assert (template / "a.txt").read_text() == "one"


def test_the_home_is_empty_each_time(places: Fixed) -> None:
    """What an agent keeps there would be in the next one's requests."""
    for _ in range(2):
        with places.open(TRIAL) as ground:
            home = Path(str(ground.home))
            assert not list(home.iterdir())
            assert home.stat().st_mode & 0o777 == 0o700
            (home / ".claude.json").write_text("{}")


def test_the_callers_home_is_left_to_the_agent(parent: Path, template: Path, stop: Stop) -> None:
    """Where the suite says so, there is no other."""
    with Fixed(parent, "demo", Furnishing(template, False), stop).open(TRIAL) as ground:
        assert ground.home is None
        assert [path.name for path in Path(ground.directory).parent.iterdir()] == ["work"]


def test_a_place_is_for_its_owner_alone(places: Fixed, parent: Path) -> None:
    """Also one that was left open to others."""
    place = parent / "runledger-demo-c1"
    place.mkdir()
    place.chmod(0o777)
    with places.open(TRIAL):
        assert place.stat().st_mode & 0o777 == 0o700


def test_the_longest_names_make_a_path(parent: Path, template: Path, stop: Stop) -> None:
    """A suite's name and a case's id have a hundred characters at most."""
    trial = Trial(Task(id="c" * 100, input="x"))
    with Fixed(parent, "s" * 100, Furnishing(template), stop).open(trial) as ground:
        assert Path(ground.directory, "a.txt").exists()


def test_what_a_killed_runner_left_is_cleared_away(places: Fixed, parent: Path) -> None:
    """Files, links and directories, wherever in the place."""
    place = parent / "runledger-demo-c1"
    (place / "work/deep").mkdir(parents=True)
    (place / "work/deep/old").touch()
    (place / "work/deep").chmod(0o500)
    (place / "file").touch()
    (place / "link").symlink_to(parent)
    with places.open(TRIAL) as ground:
        assert sorted(path.name for path in place.iterdir()) == ["home", "tmp", "work"]
        assert not Path(ground.directory, "deep").exists()


def test_a_link_in_its_place_is_refused(places: Fixed, parent: Path, tmp_path: Path) -> None:
    """Others can foresee the name; what their link leads to is not touched."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (parent / "runledger-demo-c1").symlink_to(precious)

    with pytest.raises(OutsideError, match=r"runledger-demo-c1 .*symbolic link; .*TMPDIR"):
        places.open(TRIAL).__enter__()
    assert (precious / "file").exists()


def test_a_file_in_its_place_is_refused(places: Fixed, parent: Path) -> None:
    """It is somebody's, and stays."""
    (parent / "runledger-demo-c1").write_text("mine")

    with pytest.raises(OutsideError, match="it is not a directory; remove it"):
        places.open(TRIAL).__enter__()
    assert (parent / "runledger-demo-c1").read_text() == "mine"


def test_the_directory_of_another_user_is_refused(parent: Path, template: Path, stop: Stop) -> None:
    """Its owner could change what the agent reads."""
    (parent / "runledger-demo-c1").mkdir()
    other = Fixed(parent, "demo", Furnishing(template), stop, owner=os.getuid() + 1)

    with pytest.raises(OutsideError, match="belongs to another user; remove it, or set TMPDIR"):
        other.open(TRIAL).__enter__()
    assert (parent / "runledger-demo-c1").exists()


def test_a_temporary_directory_that_is_not_there_is_told(places: Fixed, parent: Path) -> None:
    """Nobody waits for it."""
    parent.rmdir()

    with pytest.raises(OutsideError, match="set TMPDIR"):
        places.open(TRIAL).__enter__()


def test_a_place_inside_the_template_is_refused(template: Path, stop: Stop) -> None:
    """It would be copied into itself."""
    with pytest.raises(UsageError, match="copied into themselves"):
        Fixed(template, "demo", Furnishing(template), stop).open(TRIAL).__enter__()


def test_a_template_that_cannot_be_copied_leaves_nothing(
    parent: Path, tmp_path: Path, stop: Stop
) -> None:
    """The reason is told, and the place is free again."""
    missing = Fixed(parent, "demo", Furnishing(tmp_path / "none"), stop)

    with pytest.raises(OutsideError, match="could not copy"):
        missing.open(TRIAL).__enter__()
    assert not list(parent.iterdir())


def test_processes_never_use_a_place_at_once(parent: Path, template: Path, tmp_path: Path) -> None:
    """Each leaves it before the next one enters, and finds only the template."""
    log = tmp_path / "log"
    visitors = [visitor(parent, template, 15, log) for _ in range(3)]
    for one in visitors:
        one.communicate(timeout=100)

    assert [one.returncode for one in visitors] == [0, 0, 0]
    assert log.read_text() == "in\nsaw a.txt link sealed\nout\n" * 45
    assert not list(parent.iterdir())


def test_threads_never_use_a_place_at_once(places: Fixed, parent: Path) -> None:
    """The jobs of one run are threads."""
    book: list[str] = []

    def visit() -> None:
        for _ in range(10):
            with places.open(TRIAL) as ground:
                book.append("in")
                Path(ground.directory, "left").touch(exist_ok=False)
                book.append("out")

    threads = [threading.Thread(target=visit) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert book == ["in", "out"] * 30
    assert not list(parent.iterdir())


def test_a_killed_process_lets_go(
    places: Fixed, parent: Path, template: Path, tmp_path: Path
) -> None:
    """What it left is not found by the next."""
    with visitor(parent, template, 1, tmp_path / "log") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"here\n"
        assert (parent / "runledger-demo-c1/work/left").exists()
        holder.kill()
        holder.wait()
        with places.open(TRIAL) as ground:
            assert not Path(ground.directory, "left").exists()

    assert not list(parent.iterdir())


def test_a_wait_ends_with_the_run(places: Fixed, stop: Stop) -> None:
    """Whoever is told to stop does not wait for another's trial."""
    with places.open(TRIAL):
        stop.request(signal.SIGINT)
        with pytest.raises(Interrupted):
            places.open(TRIAL).__enter__()


def test_cases_do_not_wait_for_each_other(places: Fixed) -> None:
    """Each has a place of its own."""
    other = Trial(Task(id="c2", input="x"))
    with places.open(TRIAL) as first, places.open(other) as second:
        assert first.directory != second.directory


def test_a_unique_workspace_has_a_home_too(tmp_path: Path, template: Path) -> None:
    """Live trials of one case work side by side."""
    places = Unique(empty(tmp_path / "w", keep=False), Furnishing(template))
    with places.open(TRIAL) as first, places.open(TRIAL) as second:
        assert first.directory != second.directory
        assert first.home != second.home
        assert Path(second.directory, "a.txt").read_text() == "one"
        assert not list(Path(str(second.home)).iterdir())

    assert not list((tmp_path / "w").iterdir())


def test_a_run_that_hangs_is_not_waited_for_for_good(
    parent: Path, template: Path, stop: Stop
) -> None:
    """Who waits for another run says so in the end, and names the place."""
    holder = Fixed(parent, "demo", Furnishing(template), stop)
    waiter = Fixed(parent, "demo", Furnishing(template), stop, patience_s=0.05)

    with holder.open(TRIAL), pytest.raises(OutsideError, match=r"runledger-demo-c1 .*another run"):
        waiter.open(TRIAL).__enter__()


def test_trials_of_one_run_wait_for_each_other_however_long(
    parent: Path, template: Path, stop: Stop
) -> None:
    """Each has its own time; only other runs try our patience."""
    places = Fixed(parent, "demo", Furnishing(template), stop, patience_s=0.0)
    entered = threading.Event()
    seen: list[str] = []

    def second() -> None:
        entered.set()
        with places.open(TRIAL) as ground:
            seen.append(ground.directory)

    thread = threading.Thread(target=second)
    with places.open(TRIAL):
        thread.start()
        entered.wait()
        assert not seen
    thread.join()
    assert len(seen) == 1
