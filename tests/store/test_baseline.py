"""Baselines as files: byte-stable, and refused in one clear message when they are none."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runledger.errors import StoreError, UsageError
from runledger.ledger.baseline import Aggregates, Baseline, BaselineCase, TrialFigures
from runledger.ledger.run import Ending
from runledger.store import baseline as store
from runledger.store.baseline import read_baseline, refuse_foreign, write_baseline
from runledger.store.ending import ending_fields, ending_from
from runledger.store.lines import decode, encode

BASELINE = Baseline(
    suite_name="demo",
    run_id="20260215-101530-a1b2c3",
    suite_sha256="abc",
    aggregates=Aggregates(1.0, 200.0, 290.5, 4, 0),
    cases=(
        BaselineCase("a", True, 100, 2, 0),
        BaselineCase("b", False, None, 2, 0, TrialFigures(3, 1, (100, 200))),
    ),
)


def written(path: Path, change: Callable[[Any], object]) -> Path:
    """Write a baseline whose document was changed."""
    write_baseline(path / "b.json", BASELINE)
    document = json.loads((path / "b.json").read_text())
    change(document)
    (path / "b.json").write_text(json.dumps(document))
    return path / "b.json"


def refusal(path: Path) -> str:
    """Say why a file is refused."""
    with pytest.raises(UsageError) as refused:
        read_baseline(path)
    return str(refused.value)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """Missing directories are made."""
    path = tmp_path / "new" / "deep" / "b.json"
    write_baseline(path, BASELINE)

    assert read_baseline(path) == BASELINE


def test_the_file_is_sorted_indented_and_ends_its_last_line(tmp_path: Path) -> None:
    """It looks well in a diff."""
    write_baseline(tmp_path / "b.json", BASELINE)
    text = (tmp_path / "b.json").read_text()

    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True) + "\n"
    assert json.loads(text)["schema_version"] == 1
    assert str(tmp_path) not in text


def test_written_again_the_file_is_the_same(tmp_path: Path) -> None:
    """Reading and writing changes no byte."""
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    write_baseline(first, BASELINE)
    write_baseline(second, read_baseline(first))

    assert first.read_bytes() == second.read_bytes()


def test_a_run_keeps_its_baseline(tmp_path: Path) -> None:
    """The ending of a run holds the whole of it."""
    ending = Ending(wall_ms=1, baseline=BASELINE)

    assert ending_from(decode(encode(ending_fields(ending)))) == ending


def test_further_keys_are_passed_over(tmp_path: Path) -> None:
    """A later RunLedger of the same major version may write more."""
    path = written(tmp_path, lambda one: one.update(later=1, cases=[{**one["cases"][0], "x": 1}]))

    assert read_baseline(path).cases == BASELINE.cases[:1]


def test_cases_are_read_in_order(tmp_path: Path) -> None:
    """Whoever merged the file may have mixed them."""
    assert read_baseline(written(tmp_path, lambda one: one["cases"].reverse())) == BASELINE


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: Path) -> None:
    """A path with spaces is quoted."""
    path = tmp_path / "my baseline.json"

    assert refusal(path) == (
        f"there is no baseline {path}\n"
        f"to make one: runledger baseline promote --from RUN --to '{path}'"
    )


def test_a_directory_is_refused(tmp_path: Path) -> None:
    """Reading and writing alike."""
    assert "is a directory" in refusal(tmp_path)
    with pytest.raises(UsageError, match="is a directory"):
        write_baseline(tmp_path, BASELINE)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A file where a directory should be."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="could not make"):
        write_baseline(tmp_path / "file" / "b.json", BASELINE)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"<<<<<<< HEAD\n{}", "not JSON"),
        (b"\xff{}", "not UTF-8"),
        (b"[]", "it must be an object, found []"),
        (b"{}", "schema_version is missing"),
        (b'{"schema_version": NaN}', "NaN is not JSON"),
        (b'{"schema_version": 1, "schema_version": 1}', "duplicate key"),
        (b'{"schema_version": 2}', "it was written by a newer RunLedger (schema_version 2"),
        (b'{"schema_version": 0}', "schema_version 0 is unknown"),
        (b'{"schema_version": true}', "schema_version must be a whole number"),
        (
            b'{"schema_version": "1"}',
            'schema_version must be a whole number that is not negative, found "1"',
        ),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    """The message names the file, the reason and what to do."""
    path = tmp_path / "b.json"
    path.write_bytes(content)

    assert f"the baseline {path} cannot be used: " in refusal(path)
    assert reason in refusal(path)
    assert "to make it again: runledger baseline promote" in refusal(path)


def put(*keys: str | int, value: object) -> Callable[[Any], None]:
    """Make a change that sets a value deep in a document."""

    def change(document: Any) -> None:
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda one: one.pop("suite_name"), "suite_name is missing"),
        (lambda one: one["aggregates"].pop("tool_calls"), "aggregates.tool_calls is missing"),
        (lambda one: one["cases"][1].pop("passed"), "cases[1].passed is missing"),
        (put("run_id", value=7), "run_id must be text, found 7"),
        (put("cases", value={}), "cases must be a list, found {}"),
        (put("cases", 0, value="a"), 'cases[0] must be an object, found "a"'),
        (put("cases", 0, "passed", value="yes"), "cases[0].passed must be true or false"),
        (put("cases", 0, "wall_ms", value=-1), "cases[0].wall_ms must be a whole number"),
        (put("cases", 0, "wall_ms", value=1.5), "cases[0].wall_ms must be a whole number"),
        (put("cases", 0, "tool_calls", value=10**30), "cases[0].tool_calls must be"),
        (put("cases", 1, "id", value="a"), "case a is in it 2 times"),
        (put("cases", 1, "trials", "passed", value=9), "cases[1].trials says that 9 of 3"),
        (put("cases", 1, "trials", "n", value=0), "cases[1].trials says that 1 of 0"),
        (put("cases", 1, "trials", "wall_ms", value=[None]), "cases[1].trials.wall_ms must be"),
        (put("aggregates", "success_rate", value=80), "success_rate must be a rate from 0 to 1"),
        (put("aggregates", "avg_wall_ms", value="1"), "avg_wall_ms must be a number"),
    ],
)
def test_a_wrong_key_is_named_with_its_place(
    tmp_path: Path, change: Callable[[Any], object], reason: str
) -> None:
    """Which it is, what it must be, and what was found."""
    assert reason in refusal(written(tmp_path, change))


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not read to its end."""
    write_baseline(tmp_path / "b.json", BASELINE)
    monkeypatch.setattr(store, "MOST_BYTES", 100)

    assert "it is larger than" in refusal(tmp_path / "b.json")


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    """The system's own words are told."""
    looped = tmp_path / "b.json"
    looped.symlink_to(looped)

    assert "Too many levels of symbolic links" in refusal(looped)


def test_a_baseline_of_another_suite_is_refused() -> None:
    """Both names are told."""
    refuse_foreign(BASELINE, "demo", Path("b.json"))
    with pytest.raises(UsageError, match=r"b\.json is of suite demo, this is suite other"):
        refuse_foreign(BASELINE, "other", Path("b.json"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
PLACES: list[tuple[str | int, ...]] = [
    ("suite_name",),
    ("aggregates",),
    ("aggregates", "p95_wall_ms"),
    ("cases",),
    ("cases", 0),
    ("cases", 0, "wall_ms"),
    ("cases", 1, "trials"),
    ("cases", 1, "trials", "wall_ms"),
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PLACES), json_values)
def test_any_value_anywhere_is_read_or_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object
) -> None:
    """There is no value that ends in a traceback."""
    path = written(tmp_path, put(*place, value=value))
    with contextlib.suppress(UsageError):
        assert read_baseline(path).suite_name is not None
