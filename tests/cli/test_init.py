"""runledger init: what it writes works at once, and what was there is not harmed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from kit import Done, runledger
from runledger.errors import UsageError
from runledger.harness.scaffold import check_suite_name
from runledger.suite.load import load_suite

LANGS = ("python", "node")
SUITE = "evals/bot"
MANIFEST = ".runledger/init.json"
WORKFLOW = ".github/workflows/runledger.yml"


def init(cwd: Path, *words: str) -> Done:
    """Run init for a suite of a known name."""
    return runledger("init", "--suite", "bot", *words, cwd=cwd)


def contents(root: Path) -> dict[str, bytes]:
    """Read every file below a directory, but for what runs wrote."""
    files = (file for file in root.rglob("*") if file.is_file() and ".agentci" not in file.parts)
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


@pytest.mark.parametrize("lang", LANGS)
def test_what_it_writes_passes_at_once(lang: str, tmp_path: Path) -> None:
    """The suite is sound, every case passes, and the baseline finds nothing worse."""
    done = init(tmp_path, "--lang", lang)
    checked = runledger("validate", SUITE, cwd=tmp_path)
    ran = runledger("run", SUITE, cwd=tmp_path)

    assert (done.code, checked.code, ran.code) == (0, 0, 0), done.err + checked.err + ran.err
    assert ran.summary["totals"]["passed"] == 2
    assert ran.summary["regression"]["verdict"] == "pass"


@pytest.mark.parametrize("lang", LANGS)
def test_recording_again_changes_nothing(lang: str, tmp_path: Path) -> None:
    """The cassettes are byte for byte what record mode writes."""
    init(tmp_path, "--lang", lang)
    before = contents(tmp_path)
    recorded = runledger("run", SUITE, "--mode", "record", cwd=tmp_path)

    assert recorded.code == 0, recorded.err
    assert contents(tmp_path) == before


def test_the_baseline_is_what_promoting_a_run_gives(tmp_path: Path) -> None:
    """Only the run's id and its durations are not those of a machine."""
    init(tmp_path)
    runledger("run", SUITE, cwd=tmp_path)
    promote = ("baseline", "promote", "--from", "latest", "--to", "mine.json")
    promoted = runledger(*promote, cwd=tmp_path)
    ours, theirs = tmp_path / SUITE / "baselines/bot.json", tmp_path / "mine.json"

    assert promoted.code == 0, promoted.err
    assert timeless(ours.read_text()) == timeless(theirs.read_text())


def timeless(baseline: str) -> str:
    """Leave the run's id and durations out of a baseline's text."""
    return re.sub(r'"(run_id|\w*wall_ms)": [^,\n]+', r'"\1": …', baseline)


def test_a_careless_change_is_caught(tmp_path: Path) -> None:
    """An agent that no longer asks a person fails the case that passed in the baseline."""
    init(tmp_path)
    agent = tmp_path / SUITE / "agent.py"
    agent.write_text(re.sub(r'call_tool\("open_ticket".*', '{"ticket": "T-1"}', agent.read_text()))
    done = runledger("run", SUITE, cwd=tmp_path)

    assert done.code == 1
    assert done.summary["regression"]["cases"]["newly_failing"] == ["unanswered"]


def test_everything_written_is_listed(tmp_path: Path) -> None:
    """The lines on standard output are the files."""
    done = init(tmp_path)
    listed = {line.split()[1] for line in done.out.splitlines() if line.startswith("wrote ")}

    assert listed == set(contents(tmp_path))
    assert "runledger run evals/bot" in done.out


def test_the_directory_names_the_suite(tmp_path: Path) -> None:
    """Without --suite the suite is called like the directory, which is made if need be."""
    done = runledger("init", "new/my-bot", cwd=tmp_path)

    assert done.code == 0, done.err
    assert (tmp_path / "new/my-bot/evals/my-bot/suite.yaml").is_file()


def test_a_directory_whose_name_no_suite_can_have(tmp_path: Path) -> None:
    """The suite gets a plain name then."""
    place = tmp_path / "my bot ☃"
    place.mkdir()

    assert runledger("init", cwd=place).code == 0
    assert (place / "evals/support/suite.yaml").is_file()


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "a/b", "x" * 101, "é", "a\n"])
def test_only_names_that_suites_can_have(name: str) -> None:
    """The rule is the one that a suite's own name has to follow."""
    with pytest.raises(UsageError, match="becomes a file name"):
        check_suite_name(name)


def test_a_bad_name_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """A name that climbs out of the directory gets nowhere."""
    done = runledger("init", "--suite", "../x", cwd=tmp_path)

    assert done.code == 2
    assert "../x" in done.err
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("name", ["no", "1.0", "2026-02-15", "-x"])
def test_a_name_that_yaml_reads_otherwise_stays_a_name(name: str, tmp_path: Path) -> None:
    """What looks like a number, a date, a truth value or an option is none."""
    done = runledger("init", f"--suite={name}", cwd=tmp_path)
    suite = tmp_path / "evals" / name

    assert done.code == 0, done.err
    assert yaml.safe_load((suite / "suite.yaml").read_text())["suite_name"] == name
    assert load_suite(suite).name == name


def test_doing_it_twice_is_doing_it_once(tmp_path: Path) -> None:
    """What is there already as it should be is kept."""
    init(tmp_path)
    before = contents(tmp_path)
    again = init(tmp_path)

    assert again.code == 0
    assert contents(tmp_path) == before
    assert "wrote " not in again.out


def test_a_second_suite_lives_beside_the_first(tmp_path: Path) -> None:
    """One workflow serves both, and both pass."""
    init(tmp_path)
    second = runledger("init", "--suite", "other", "--lang", "node", cwd=tmp_path)
    ran = runledger("run", "evals/bot", "evals/other", cwd=tmp_path)

    assert (second.code, ran.code) == (0, 0)
    assert f"kept  {WORKFLOW}" in second.out


def test_a_file_in_the_way_is_not_touched(tmp_path: Path) -> None:
    """All such files are named at once, and nothing at all is written."""
    for name in ("agent.py", "cases/answered.yaml"):
        file = tmp_path / SUITE / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    before = contents(tmp_path)
    for words in ((), ("--force",)):
        done = init(tmp_path, *words)

        assert done.code == 2
        assert done.err.count("is there already and differs") == 2
        assert "so nothing was written" in done.err
        assert contents(tmp_path) == before


def test_a_repository_with_files_keeps_them(tmp_path: Path) -> None:
    """Whatever else is in the directory stays as it is, a workflow of the same name included."""
    theirs = {
        "README.md": b"x",
        "evals/a/suite.yaml": b"y",
        WORKFLOW: b"on: push",
        ".gitignore": b"",
    }
    for name, content in theirs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    done = init(tmp_path)

    assert done.code == 0, done.err
    assert f"kept  {WORKFLOW}" in done.out
    assert theirs.items() <= contents(tmp_path).items()
    assert runledger("run", SUITE, cwd=tmp_path).code == 0


def test_force_renews_only_what_is_still_ours(tmp_path: Path) -> None:
    """A file that an earlier version wrote and nobody changed is renewed, and only by force."""
    init(tmp_path)
    fresh = contents(tmp_path)
    pretend_an_older_version_wrote(tmp_path, f"{SUITE}/tools.py")
    refused = init(tmp_path)
    forced = init(tmp_path, "--force")

    assert refused.code == 2
    assert (
        "tools.py is there already, as an earlier init wrote it; --force renews it" in refused.err
    )
    assert forced.code == 0, forced.err
    assert contents(tmp_path) == fresh


def test_force_leaves_what_a_user_changed(tmp_path: Path) -> None:
    """A changed file is in the way, even of force."""
    init(tmp_path)
    pretend_an_older_version_wrote(tmp_path, f"{SUITE}/tools.py")
    (tmp_path / SUITE / "agent.py").write_text("mine")
    before = contents(tmp_path)
    done = init(tmp_path, "--force")

    assert done.code == 2
    assert contents(tmp_path) == before


def pretend_an_older_version_wrote(root: Path, path: str) -> None:
    """Put another content in a file of ours, and its hash where init keeps it."""
    (root / path).write_text("# older")
    memory: dict[str, Any] = json.loads((root / MANIFEST).read_text())
    memory["files"][path] = sha256(b"# older").hexdigest()
    (root / MANIFEST).write_text(json.dumps(memory))


def a_link_out(root: Path) -> None:
    """Let evals be another directory than it seems."""
    (root.parent / "outside").mkdir()
    (root / "evals").symlink_to(root.parent / "outside")


def a_link_nowhere(root: Path) -> None:
    """Let a file of the suite be a link to something that is not there."""
    (root / SUITE).mkdir(parents=True)
    (root / SUITE / "suite.yaml").symlink_to(root.parent / "outside.yaml")


def a_file_for_a_directory(root: Path) -> None:
    """Let a file be where a directory is needed."""
    (root / "evals").write_text("")


def a_directory_for_a_file(root: Path) -> None:
    """Let a directory be where a file is needed."""
    (root / SUITE / "suite.yaml").mkdir(parents=True)


def a_foreign_memory(root: Path) -> None:
    """Let somebody else's file be where init remembers what it wrote."""
    (root / ".runledger").mkdir()
    (root / MANIFEST).write_text("[]")


OBSTACLES = (
    a_link_out,
    a_link_nowhere,
    a_file_for_a_directory,
    a_directory_for_a_file,
    a_foreign_memory,
)


@pytest.mark.parametrize("obstacle", OBSTACLES, ids=lambda one: one.__name__)
def test_odd_things_in_the_way_are_named(obstacle: Any, tmp_path: Path) -> None:
    """Links, directories and files in the wrong places stop it before it writes."""
    root = tmp_path / "root"
    root.mkdir()
    obstacle(root)
    before = contents(tmp_path)
    done = init(root, "--force")

    assert done.code == 2
    assert "so nothing was written" in done.err
    assert contents(tmp_path) == before


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    (tmp_path / "file").write_text("mine")
    done = init(tmp_path, "file")

    assert done.code == 2
    assert "file is not a directory" in done.err


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    """The world refused: exit 3, and what could not be made."""
    done = init(tmp_path, "/proc/nowhere")

    assert done.code == 3
    assert "could not make /proc/nowhere" in done.err


def test_editors_know_what_may_be_written(tmp_path: Path) -> None:
    """The schemas accept what init wrote, and refuse a key that nobody knows."""
    init(tmp_path)
    suite = tmp_path / SUITE
    pairs = [(suite / "suite.yaml", "suite"), *((file, "case") for file in suite.glob("cases/*"))]
    for file, kind in pairs:
        schema = json.loads((suite / f".runledger/{kind}.schema.json").read_text())
        document = yaml.safe_load(file.read_text())
        named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", file.read_text())

        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(document, schema)
        with pytest.raises(jsonschema.ValidationError, match="unknown_key"):
            jsonschema.validate({**document, "unknown_key": 1}, schema)
        assert named
        assert (file.parent / named[1]).samefile(suite / f".runledger/{kind}.schema.json")


def test_the_workflow_is_one(tmp_path: Path) -> None:
    """It is YAML, may only read, and uses the action on every suite."""
    init(tmp_path)
    workflow = yaml.safe_load((tmp_path / WORKFLOW).read_text())
    (job,) = workflow["jobs"].values()
    step = job["steps"][-1]

    assert workflow["permissions"] == {"contents": "read"}
    assert re.fullmatch(r"runledger/runledger@v\d+\.\d+\.\d+", step["uses"])
    assert step["with"] == {"suites": "evals/*"}


def test_the_code_is_in_good_shape(tmp_path: Path) -> None:
    """The first thing a user's formatter and linter see of us gives them nothing to do."""
    init(tmp_path)
    ruff = [sys.executable, "-m", "ruff"]
    options = ["--isolated", "--line-length", "100", "--no-cache", SUITE]
    for verb in (["format", "--check"], ["check", "--select", "E,F,I,B,D1,UP"]):
        done = subprocess.run(
            [*ruff, *verb, *options], cwd=tmp_path, capture_output=True, text=True
        )

        assert done.returncode == 0, done.stdout + done.stderr


def test_no_mark_of_a_template_is_left(tmp_path: Path) -> None:
    """Everything that stands for something was put in."""
    for lang in LANGS:
        runledger("init", "--suite", lang, "--lang", lang, cwd=tmp_path)

    assert all(not re.search(rb"@[a-z]+@", content) for content in contents(tmp_path).values())
    assert os.fsencode(tmp_path) not in b"".join(contents(tmp_path).values())
