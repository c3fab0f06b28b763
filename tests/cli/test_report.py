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


BROKEN = {
    "no log": ("run.jsonl", None),
    "a line that is not JSON": ("run.jsonl", '{"type":"case_end"\n'),
    "an ending without its fields": ("run.jsonl", '{"type":"case_end"}\n'),
    "a manifest without cases": ("manifest.json", '{"schema_version": 1}'),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_record_that_cannot_be_read_is_refused(done: Done, tmp_path: Path, fault: str) -> None:
    """A damaged record is one clear message, not a traceback."""
    name, content = BROKEN[fault]
    (done.run / name).unlink()
    if content is not None:
        (done.run / name).write_text(content)
    again = runledger("report", done.run, cwd=tmp_path)

    assert again.code == 2
    assert done.run.name in again.err
    assert "Traceback" not in again.err


def test_a_file_of_a_run_names_it(done: Done, tmp_path: Path) -> None:
    """Any file in a run directory stands for the run."""
    assert runledger("report", done.run / "results.jsonl", cwd=tmp_path).code == 0


@pytest.mark.parametrize("damage", ["garbage\n", "null\n", "[]\n", '{"type":"run_end"}\n'])
def test_a_damaged_record_gets_one_clear_message(tmp_path: Path, damage: str) -> None:
    """Not a traceback, and not a success."""
    write_suite(tmp_path / "suite", ECHO).case("a", [entry("search", q="a")])
    run = runledger("run", "suite", cwd=tmp_path).run
    (run / "run.jsonl").write_text(damage)
    done = runledger("report", run, cwd=tmp_path)

    assert done.code == 2, done.out + done.err
    assert "Traceback" not in done.err
    assert "run.jsonl" in done.err or str(run) in done.err
