"""runledger report: views are made from the record alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit import ECHO, Done, entry, runledger, write_suite


@pytest.fixture
def done(tmp_path: Path) -> Done:
    """Run a suite of which one case passes and one does not."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("a", [entry("search", 1, q="a")]).case("b")
    return runledger("run", "suite", cwd=tmp_path)


@pytest.mark.parametrize("how", ["directory", "id", "latest"])
def test_views_come_out_byte_for_byte_the_same(done: Done, tmp_path: Path, how: str) -> None:
    """Deleted views are made again, wherever the run is named from."""
    names = {"directory": str(done.run), "id": done.run.name, "latest": "latest"}
    before = {path.name: path.read_bytes() for path in done.run.iterdir()}
    for view in ("summary.json", "junit.xml"):
        (done.run / view).unlink()
    again = runledger("report", names[how], cwd=tmp_path)

    assert again.code == 0
    assert {path.name: path.read_bytes() for path in done.run.iterdir()} == before
    assert again.out.splitlines()[0] == done.out.splitlines()[0]


@pytest.mark.parametrize("name", ["nowhere", "latest", "suite"])
def test_what_is_not_a_run_is_refused(tmp_path: Path, name: str) -> None:
    """A name that leads to no run is exit 2, with what may be given."""
    write_suite(tmp_path / "suite", ECHO)
    done = runledger("report", name, cwd=tmp_path)

    assert done.code == 2
    assert "run" in done.err
