"""runledger balance: how prompts are spread over categories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit import Done, runledger


def balanced(path: Path, counts: dict[str, int], *words: str) -> Done:
    """Count prompts, so many of each category."""
    names = [name for name, count in counts.items() for _ in range(count)]
    prompts = [
        {"id": f"p{n}", "input": "q", **({"metadata": {"category": name}} if name else {})}
        for n, name in enumerate(names)
    ]
    (path / "prompts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in prompts))
    return runledger("balance", "prompts.jsonl", *words, cwd=path)


def document(done: Done) -> dict[str, Any]:
    """Read what was printed."""
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_categories_are_counted_the_most_frequent_first(tmp_path: Path) -> None:
    """Those under half of an even share are named, and those without the key are counted."""
    found = document(balanced(tmp_path, {"rare": 3, "ui": 20, "api": 15, "": 2}))

    assert found["categories"] == [
        {"name": "ui", "count": 20, "percentage": 50.0},
        {"name": "api", "count": 15, "percentage": 37.5},
        {"name": "rare", "count": 3, "percentage": 7.5},
    ]
    assert (found["schema_version"], found["key"], found["threshold"]) == (1, "category", 50.0)
    assert (found["totalCases"], found["missing"]) == (40, 2)
    assert found["underrepresented"] == ["rare"]
    assert any("rare" in text for text in found["suggestions"])


def test_exactly_the_threshold_is_enough(tmp_path: Path) -> None:
    """Six of 24 are half of an even share of two."""
    assert document(balanced(tmp_path, {"a": 18, "b": 6}))["underrepresented"] == []
    assert document(balanced(tmp_path, {"a": 18, "b": 6}, "-t", "51"))["underrepresented"] == ["b"]


def test_prompts_that_are_even_are_well_balanced(tmp_path: Path) -> None:
    """Then there is nothing to suggest."""
    found = document(balanced(tmp_path, {"a": 10, "b": 10}))

    assert found["suggestions"] == ["the prompts are well balanced"]


def test_a_dotted_key_leads_into_the_metadata(tmp_path: Path) -> None:
    """Values that are not text are shown as JSON."""
    lines = [{"id": f"p{n}", "input": "q", "metadata": {"a": {"level": n % 2}}} for n in range(4)]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    found = document(runledger("balance", "p.jsonl", "-k", "a.level", cwd=tmp_path))

    assert [(one["name"], one["count"]) for one in found["categories"]] == [("0", 2), ("1", 2)]


def test_a_table_is_shown_beside_a_file(tmp_path: Path) -> None:
    """Standard output stays empty, and nothing in a name drives the terminal."""
    done = balanced(tmp_path, {"\x1b[31mred": 3, "b": 3}, "-o", "balance.json")

    assert (done.code, done.out) == (0, "")
    assert json.loads((tmp_path / "balance.json").read_text())["totalCases"] == 6
    assert "\x1b" not in done.err
    assert "50.0%" in done.err


def test_prompts_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """Exit 2."""
    assert runledger("balance", "none.jsonl", cwd=tmp_path).code == 2
