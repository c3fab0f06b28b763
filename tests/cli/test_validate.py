"""runledger validate: every check before an agent starts, all findings at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit import ECHO, entry, runledger, write_suite


def test_a_good_suite_is_called_so(tmp_path: Path) -> None:
    """Nothing is started and nothing is written."""
    write_suite(tmp_path / "suite", "raise SystemExit").case("a", [entry("search", q="a")])
    done = runledger("validate", "suite", cwd=tmp_path)

    assert (done.code, done.out, done.err) == (0, "demo: 1 case, nothing to fix\n", "")
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


def test_all_findings_of_all_suites_come_at_once(tmp_path: Path) -> None:
    """Suite, case and cassette findings stand together, each with its place."""
    write_suite(tmp_path / "one", ECHO, tool_registy=["x"]).case("a", colour="red")
    write_suite(tmp_path / "two", ECHO).case("a")
    (tmp_path / "two/cassettes/a.jsonl").write_text('{"tool":"search"}\n')
    done = runledger("validate", "one", "two", "three", cwd=tmp_path)

    assert done.code == 2
    assert "did you mean tool_registry?" in done.err
    assert "one/cases/a.yaml:1: colour: unknown key" in done.err
    assert "two/cassettes/a.jsonl:1: " in done.err
    assert "no such suite: three" in done.err
    assert done.err.splitlines()[-1] == "4 things to fix"


BAD = {
    "missing suite": (None, "no such suite"),
    "broken YAML": ("suite_name: [", "suite.yaml:1"),
    "unknown key": ("suite_nam: x", "did you mean suite_name?"),
    "invalid JSON Schema": ({"schema.json": '{"type": 3}'}, "schema.json"),
    "missing schema": ({"schema.json": None}, "schema.json"),
    "missing cassette": ({"cassettes/a.jsonl": None}, "--mode record --case a"),
    "duplicate case id": (
        {"cases/b.yaml": "id: a\ninput: {}\ncassette: cassettes/a.jsonl"},
        "is used in",
    ),
    "bad regex": (
        {
            "cases/b.yaml": "id: b\ninput: {}\ncassette: cassettes/a.jsonl\n"
            "assertions: [{type: regex, pattern: '('}]"
        },
        "assertions.0.pattern",
    ),
    "path out of the suite": (
        {"cases/b.yaml": "id: b\ninput: {}\ncassette: ../a.jsonl"},
        "cassette",
    ),
    "id that climbs out": (
        {"cases/b.yaml": "id: ../b\ninput: {}\ncassette: cassettes/a.jsonl"},
        "id",
    ),
}


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("word", ["validate", "run"])
def test_bad_input_is_one_clear_message_and_nothing_is_written(
    tmp_path: Path, fault: str, word: str
) -> None:
    """Whatever is wrong with the files: exit code 2, the place and the reason, no run directory."""
    change, expected = BAD[fault]
    suite = write_suite(
        tmp_path / "suite", ECHO, assertions=[{"type": "json_schema", "schema_path": "schema.json"}]
    )
    suite.case("a", [entry("search", q="a")])
    (suite.path / "schema.json").write_text("{}")
    files = change if isinstance(change, dict) else {"suite.yaml": change}
    for name, content in files.items():
        (suite.path / name).unlink(missing_ok=True)
        if content is not None:
            (suite.path / name).write_text(content)
    done = runledger(word, "suite", cwd=tmp_path)

    assert (done.code, done.out, done.runs) == (2, "", [])
    assert expected in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("mode", ["record", "live"])
def test_a_mode_that_needs_tools_says_which_key_to_add(tmp_path: Path, mode: str) -> None:
    """Record and live need somewhere to get answers from."""
    write_suite(tmp_path / "suite", ECHO, mode=mode).case("a")
    done = runledger("validate", "suite", cwd=tmp_path)

    assert done.code == 2
    assert "tool_module" in done.err


@pytest.mark.parametrize(
    ("tools", "message"),
    [("TOOLS = {", "tools.py"), ("raise RuntimeError('no database')", "no database")],
    ids=["syntax", "import"],
)
def test_tools_are_tried_where_they_would_be_asked(
    tmp_path: Path, tools: str, message: str
) -> None:
    """In record and live mode a run would start them first; so does this."""
    suite = write_suite(tmp_path / "suite", ECHO, mode="live", tool_module="tools.py").case("a")
    (suite.path / "tools.py").write_text(tools)
    done = runledger("validate", "suite", cwd=tmp_path)

    assert done.code == 2
    assert message in done.err


def test_a_baseline_that_cannot_be_used_is_found(tmp_path: Path) -> None:
    """A run would refuse it."""
    write_suite(tmp_path / "suite", ECHO, baseline_path="b.json").case("a")
    (tmp_path / "suite/b.json").write_text("{")
    done = runledger("validate", "suite", cwd=tmp_path)

    assert done.code == 2
    assert "b.json" in done.err
