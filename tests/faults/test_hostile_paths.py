"""F46: names and paths that climb out, by words or by links, are refused before all else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hostile import check_clean, listing
from scene import Scene, holds

UP = "../outside/x"
NAMES = ("../../x", "/x", "a/b", "a\0b", "a\nb", "~", "..", "", "x" * 101, "$(id)", "CON:1", "é/..")
SUITE_KEYS: dict[str, Any] = {
    "cases_path": lambda path: {"cases_path": path},
    "tool_module": lambda path: {"tool_module": f"{path}.py", "mode": "live"},
    "assertions": lambda path: {"assertions": [{"type": "json_schema", "schema_path": path}]},
    "workspace": lambda path: {"workspace": {"from": path}},
    "adapter": lambda path: {"agent_protocol": "headless", "adapter": f"{path}.json"},
    "permissions": lambda path: {"agent_protocol": "acp", "permissions": path},
    "proxies": lambda path: {
        "proxies": {"model": {"env": "X_URL", "upstream": "http://127.0.0.1:9", "profile": path}}
    },
}
WAYS_OUT = {
    "up": UP,
    "up-later": "cases/../../outside/x",
    "absolute": "{outside}/x",
    "link-at-the-end": "link-x",
    "link-in-the-middle": "link/x",
    "nul": "cases\0/x",
    "very-long": "x" * 5000,
    "home": "~/x",
}


@pytest.fixture
def outside(scene: Scene) -> Path:
    """Make what must not be reached: files beside the suite, and links to them in it."""
    place = scene.path / "outside"
    place.mkdir()
    for suffix in ("", ".py", ".json"):
        (place / f"x{suffix}").write_text("{}")
        (scene.suite.path / f"link-x{suffix}").symlink_to(f"../outside/x{suffix}")
    (scene.suite.path / "link").symlink_to("../outside")
    return place


def refused(scene: Scene, *words: str) -> str:
    """Run the suite, which must be refused with nothing written anywhere."""
    before = listing(scene.path)

    after = scene.command("run", "suite", *words)

    holds(after, code=2)
    (scene.path / "report-of-runner.json").unlink()  # the kit's own
    assert listing(scene.path) == before
    check_clean(after.out + after.err)
    return after.err


@pytest.mark.parametrize("key", SUITE_KEYS)
def test_f46_no_path_of_a_suite_leads_out(scene: Scene, outside: Path, key: str) -> None:
    """Each way out is refused with the file and the line, and nothing is written."""
    suite = scene.suite.path / "suite.yaml"
    document = json.loads(suite.read_text())
    for name, path in WAYS_OUT.items():
        written = path.format(outside=outside)
        suite.write_text(json.dumps({**document, **SUITE_KEYS[key](written)}, indent=1))

        told = refused(scene)

        line = told.partition("suite/suite.yaml:")[2].partition(":")[0]
        assert line.isdecimal(), (key, name, told)
        assert int(line) > 1, (key, name, told)


def test_f46_no_cassette_leads_out(scene: Scene, outside: Path) -> None:
    """All cases that reach out are named at once, with their lines, in replay and in record."""
    for name, path in WAYS_OUT.items():
        document = {"id": name, "input": {}, "cassette": path.format(outside=outside)}
        text = json.dumps(document, indent=1)
        (scene.suite.path / "cases" / f"{name}.yaml").write_text(text)

    for told in (refused(scene), refused(scene, "--mode", "record")):
        for name in set(WAYS_OUT) - {"home"}:  # which is a directory of that name, here
            assert f"suite/cases/{name}.yaml:4: cassette: " in told, (name, told)


def test_f46_no_id_of_a_case_is_a_path(scene: Scene) -> None:
    """Ids become names of files, and so they are words of a few plain characters."""
    for number, id in enumerate(NAMES):
        document = {"input": {}, "cassette": "cassettes/a.jsonl", "id": id}
        text = json.dumps(document, indent=1)
        (scene.suite.path / "cases" / f"n{number}.yaml").write_text(text)

    told = refused(scene)

    for number, id in enumerate(NAMES):
        assert f"suite/cases/n{number}.yaml:4: id: " in told, (id, told)


def test_f46_no_name_of_a_suite_is_a_path(scene: Scene) -> None:
    """Runs are kept below the suite's name, and so it is checked as ids are."""
    suite = scene.suite.path / "suite.yaml"
    document = json.loads(suite.read_text())
    for name in NAMES:
        suite.write_text(json.dumps({**document, "suite_name": name}, indent=1))

        told = refused(scene)

        assert "suite/suite.yaml:2: suite_name: " in told, (name, told)


@pytest.mark.parametrize("path", ["../out", "/{place}/out", "a/../../out", "link/out", "a\0b"])
def test_f46_runs_stay_below_the_callers_directory(scene: Scene, path: str) -> None:
    """An output directory that a suite names may not lead out, by words or by a link."""
    (scene.path / "link").symlink_to("..")
    suite = scene.suite.path / "suite.yaml"
    document = {**json.loads(suite.read_text()), "output_dir": path.format(place=scene.path)}
    suite.write_text(json.dumps(document, indent=1))

    told = refused(scene)

    assert ": output_dir: " in told, told
    assert not (scene.path.parent / "out").exists()


def test_f46_a_link_put_in_the_place_of_a_cassette_is_not_recorded_through(scene: Scene) -> None:
    """A recording never replaces what lies outside of the suite."""
    target = scene.path / "precious"
    target.write_text("keep me")
    cassette = scene.suite.path / "cassettes" / "a.jsonl"
    cassette.unlink()
    cassette.symlink_to("../../precious")
    (scene.suite.path / "tools.py").write_text("TOOLS = {'search': lambda args: 1}")
    suite = scene.suite.path / "suite.yaml"
    suite.write_text(json.dumps({**json.loads(suite.read_text()), "tool_module": "tools.py"}))

    told = refused(scene, "--mode", "record")

    assert "a symbolic link that leads out" in told, told
    assert target.read_text() == "keep me"
