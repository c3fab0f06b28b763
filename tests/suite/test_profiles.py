"""Profiles: the built-in ones, and files that users write."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import SuiteError, UnknownName
from runledger.ledger.pattern import found_in, rewritten
from runledger.ledger.proxy import Profile, Rule
from runledger.suite.profile import BUILT_IN, load_profile, read_profile

MINIMAL: dict[str, Any] = {"name": "mine", "version": 1, "rules": []}
RULE = {"pattern": "x+", "replace": "[x]"}
UUID = "6f1f0b1e-0c2b-4b6e-9a57-2f6d1c0e8a11"


def told(file: str, directory: Path) -> str:
    """Load a profile that cannot be used, and give what is said about it."""
    with pytest.raises(SuiteError) as caught:
        load_profile(file, directory)
    return str(caught.value)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_profile_loads(name: str) -> None:
    """They are files of the format that users write, named after themselves."""
    profile = load_profile(name)

    assert profile.name == name
    assert profile.version >= 1
    assert profile.rules


def test_every_file_on_the_shelf_has_a_name_that_is_known() -> None:
    """A built-in profile is a file and its name in one list."""
    shelf = files("runledger.suite") / "profiles"

    assert sorted(one.name for one in shelf.iterdir()) == [f"{name}.json" for name in BUILT_IN]


def test_the_generic_profile_knows_uuids_and_nothing_else() -> None:
    """A rule for dates would let the answer to one question match another."""
    (rule,) = load_profile("generic").rules

    assert rewritten(rule.pattern, lambda _: "?", f"a {UUID} b {UUID.upper()}") == "a ? b ?"
    for other in ("2025-11-16", "2025-11-16T08:00:00Z", "1763280000", f"{UUID}0", "a" * 32):
        assert not found_in(rule.pattern, other)
    assert rule.replace == "[uuid-{n}]"


def test_a_file_becomes_a_profile(tmp_path: Path) -> None:
    """JSON and YAML say the same."""
    rule = {"path": "metadata.*", "pattern": "\\d+", "replace": "[n-{n}]"}
    (tmp_path / "a.json").write_text(json.dumps({**MINIMAL, "version": 3, "rules": [rule]}))
    (tmp_path / "b.yaml").write_text(
        "schema_version: 1\nname: mine\nversion: 3\nrules:\n"
        "  - {path: metadata.*, pattern: '\\d+', replace: '[n-{n}]'}\n"
    )
    expected = Profile("mine", 3, (Rule("\\d+", "[n-{n}]", "metadata.*"),))

    assert load_profile("a.json", tmp_path) == expected
    assert load_profile("./b.yaml", tmp_path) == expected


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    """A slip is answered with the nearest name; a file needs a slash or its ending."""
    with pytest.raises(UnknownName, match=r"did you mean claude-code\?.*\./FILE\.json.*codex"):
        load_profile("claude_code", tmp_path)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("none.json", "none.json: cannot be read: No such file or directory"),
        ("../mine.json", "may not leave the suite's directory through ..; found ../mine.json"),
        ("/etc/mine.json", "must be relative to the suite's directory, not absolute"),
    ],
)
def test_a_file_is_looked_for_in_the_suite_alone(tmp_path: Path, file: str, words: str) -> None:
    """As every file that a suite names."""
    assert words in told(file, tmp_path)


def test_a_link_is_no_way_out_of_the_suite(tmp_path: Path) -> None:
    """Neither is it for a profile."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "mine.json").write_text(json.dumps(MINIMAL))
    (tmp_path / "suite/mine.json").symlink_to("../mine.json")

    assert "a symbolic link that leads out" in told("mine.json", tmp_path / "suite")


def test_a_file_that_is_not_json_is_told_with_its_place(tmp_path: Path) -> None:
    """A file that says it is JSON has to be."""
    (tmp_path / "mine.json").write_text("name: mine\n")
    assert "not JSON: " in told("mine.json", tmp_path)

    (tmp_path / "mine.json").write_text('{"name": "a", "name": "b"}')
    assert "duplicate key 'name'" in told("mine.json", tmp_path)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"rule": []}, "rule: unknown key; did you mean rules?"),
        ({"version": "1"}, "version: must be a whole number"),
        ({"version": 0}, "version: must be 1 or more"),
        ({"name": "a/b"}, "name: must be 1 to 100 of A-Z"),
        ({"schema_version": 2}, "schema_version: must be 1; found 2"),
        ({"rules": [{**RULE, "patern": "x"}]}, "rules.0.patern: unknown key; did you mean patt"),
        ({"rules": [{"pattern": "x"}]}, "rules.0.replace: is missing"),
        ({"rules": [RULE, {**RULE, "pattern": ""}]}, "rules.1.pattern: must not be empty"),
        ({"rules": [{**RULE, "pattern": "(?=x)"}]}, "look-ahead is not supported"),
        ({"rules": [{**RULE, "pattern": "x*"}]}, "rules.0.pattern: fits an empty text"),
        ({"rules": [{**RULE, "replace": "[{m}]"}]}, "rules.0.replace: unknown placeholder {m}"),
        ({"rules": [{**RULE, "path": ""}]}, "rules.0.path: must not be empty"),
    ],
)
def test_what_a_profile_cannot_mean_is_told(keys: dict[str, Any], words: str) -> None:
    """Each finding names the file, the line and the place."""
    raw = json.dumps({**MINIMAL, **keys}).encode()

    with pytest.raises(SuiteError) as caught:
        read_profile(raw, "mine.json")
    assert str(caught.value).startswith("mine.json:1: ")
    assert words in str(caught.value)


def test_all_findings_of_a_profile_come_at_once() -> None:
    """On the lines of their rules."""
    raw = json.dumps({**MINIMAL, "rules": [{"pattern": "(", "replace": "{a}"}] * 2}, indent=1)

    with pytest.raises(SuiteError) as caught:
        read_profile(raw.encode(), "mine.json")
    assert [finding.line for finding in caught.value.findings] == [6, 7, 10, 11]
