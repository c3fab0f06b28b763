"""The GitHub Action: its steps, run in a shell with GitHub's variables set to files."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from action.runner import ACTION, FILES, ROOT, SHELL, STEPS, Runner, interpreter, run_step
from kit import ECHO, SuiteOnDisk, entry, survivors, write_suite

pytestmark = pytest.mark.timeout(300)  # whoever comes first installs, which takes its time

SCRIPTS = [step for step in STEPS if "run" in step]
USED = [step for step in STEPS if "uses" in step]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

WRONG = 'send("final_output", output={"answer": "::stop-commands::x"})'
EXPECTED = [{"type": "equals", "path": "answer", "value": 1}]


def passing(path: Path, **keys: Any) -> SuiteOnDisk:
    """Write a suite of one case that passes."""
    suite = write_suite(path, ECHO, assertions=EXPECTED, **keys)
    return suite.case("good", [entry("search", 1, q="good")])


def failing(path: Path, **keys: Any) -> SuiteOnDisk:
    """Write a suite of one case that passes and one whose answer is wrong."""
    suite = passing(path, **keys)
    return suite.case("bad", [entry("search", 2, q="bad")])


def test_inputs_are_never_part_of_a_script() -> None:
    """No expression is pasted into a shell script; they reach it as variables."""
    assert SCRIPTS
    assert all("${{" not in step["run"] for step in SCRIPTS)


@pytest.mark.parametrize("step", SCRIPTS, ids=lambda step: step["id"])
def test_every_script_is_sound_shell(step: dict[str, Any]) -> None:
    """The shell can read each script, and it is bash."""
    done = subprocess.run([*SHELL, "-n"], input=step["run"], text=True, capture_output=True)

    assert step["shell"] == "bash"
    assert (done.returncode, done.stderr) == (0, "")


def test_every_input_is_described_and_used() -> None:
    """What a user may say is explained, and makes a difference."""
    steps = json.dumps(STEPS)

    assert all(one["description"] for one in ACTION["inputs"].values())
    assert all(f"inputs.{name}" in steps for name in ACTION["inputs"])


def test_foreign_actions_have_a_fixed_major_version() -> None:
    """Nobody else's branch decides what runs."""
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in USED)


def test_the_record_is_kept_however_the_run_went() -> None:
    """The upload happens after a failure too, unless the user does not want it."""
    upload = USED[-1]

    assert upload["uses"].startswith("actions/upload-artifact@")
    assert upload["if"].startswith("always() && inputs.upload == 'true'")
    assert upload["with"]["path"] == "${{ steps.run.outputs.artifact-path }}"


def test_installing_leaves_the_jobs_environment_alone(installed: Path, tmp_path: Path) -> None:
    """RunLedger has an environment of its own, which is not on anybody's PATH."""
    home = installed.parents[4]

    assert all((home / name).read_text() == "" for name in FILES if name != "GITHUB_OUTPUT")
    where = "import runledger; print(runledger.__file__)"
    found = subprocess.check_output([installed, "-I", "-c", where], cwd=tmp_path, text=True)
    assert Path(found).is_relative_to(installed.parents[1])


def test_windows_is_told_at_once(tmp_path: Path) -> None:
    """The message says what to change, and is marked on the pull request."""
    done = Runner(tmp_path, {}, {"python": interpreter()}).step("install", RUNNER_OS="Windows")

    assert done.code == 2
    assert done.log.startswith("::error title=RunLedger::RunLedger needs Linux or macOS")


def test_a_suite_that_passes(installed: Path, tmp_path: Path) -> None:
    """The step succeeds; outputs, summary and artifact are there."""
    passing(tmp_path / "workspace" / "suite")
    runner, done = run_step(tmp_path, installed, suites="suite")
    kept = Path(done.outputs["artifact-path"])

    assert done.code == 0, done.log
    assert (done.outputs["verdict"], done.outputs["success-rate"]) == ("passed", "1.0")
    assert runner.summary.startswith("### ✅ passed: `demo`, 1 of 1 case passed")
    assert "::error" not in done.log
    assert {"summary.json", "junit.xml"} <= {file.name for file in kept.glob("demo/*/*")}


def test_an_unmodified_agent_is_replayed(installed: Path, tmp_path: Path) -> None:
    """The proxy is installed along, so that the keyless gate needs no further step."""
    example = ROOT / "examples" / "unmodified" / "plain"
    shutil.copytree(example, tmp_path / "workspace" / "suite")
    _, done = run_step(tmp_path, installed, suites="suite")

    assert done.code == 0, done.log


def test_the_report_is_found(installed: Path, tmp_path: Path) -> None:
    """The path of the report is absolute, so that any later step can use it."""
    passing(tmp_path / "workspace" / "suite")
    _, done = run_step(tmp_path, installed, suites="suite")
    report = Path(done.outputs["report-path"])

    assert report.is_absolute()
    assert report.name == "report.html"
    assert report.is_file()


def test_a_suite_that_fails(installed: Path, tmp_path: Path) -> None:
    """The step fails with the run's code, and the failure is marked and told."""
    failing(tmp_path / "workspace" / "suite")
    runner, done = run_step(tmp_path, installed, suites="suite")

    assert done.code == 1
    assert (done.outputs["verdict"], done.outputs["success-rate"]) == ("failed", "0.5")
    assert "\n::error title=bad%3A assertion_failed::equals: " in f"\n{done.log}"
    assert "<summary><code>bad</code> failed</summary>" in runner.summary
    assert Path(done.outputs["artifact-path"]).is_dir()


def test_a_suite_that_is_worse_than_its_baseline(installed: Path, tmp_path: Path) -> None:
    """What passed before and fails now is named as such, and fails the step."""
    suite = passing(tmp_path / "workspace" / "suite")
    _, before = run_step(tmp_path, installed, suites="suite")
    promote = ["baseline", "promote", "--from", "latest", "--to", "base.json"]
    command = [installed, "-I", "-m", "runledger", *promote]
    subprocess.run(command, cwd=tmp_path / "workspace", check=True, capture_output=True)
    suite.case("good", [entry("search", 2, q="good")])
    runner, done = run_step(tmp_path, installed, suites="suite", baseline="base.json")

    assert before.code == 0
    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert "- passed before, fail now: `good`" in runner.summary


def test_several_suites_are_one_verdict(installed: Path, tmp_path: Path) -> None:
    """The worst suite decides, the rate is of all cases together, each suite has its report."""
    passing(tmp_path / "workspace" / "evals" / "one", suite_name="one")
    failing(tmp_path / "workspace" / "evals" / "two", suite_name="two")
    (tmp_path / "workspace" / "evals" / "README.md").write_text("no suite")
    runner, done = run_step(tmp_path, installed, suites="evals/one\nevals/*")

    assert (done.code, done.outputs["verdict"]) == (1, "failed")
    assert done.outputs["success-rate"] == "0.666667"
    assert runner.summary.count("### ") == 2
    kept = Path(done.outputs["artifact-path"])
    assert sorted(place.name for place in kept.iterdir()) == ["one", "two"]


def test_only_this_uses_runs_count(installed: Path, tmp_path: Path) -> None:
    """A run that was there before is no part of the outputs."""
    failing(tmp_path / "workspace" / "suite")
    run_step(tmp_path, installed, suites="suite")
    passing(tmp_path / "workspace" / "other")
    _, done = run_step(tmp_path, installed, suites="other")

    assert (done.outputs["verdict"], done.outputs["success-rate"]) == ("passed", "1.0")


def test_options_reach_the_command(installed: Path, tmp_path: Path) -> None:
    """Tags, trials, jobs and directories are what the run is made with."""
    suite = passing(tmp_path / "workspace" / "sub" / "suite")
    suite.case("tagged", [entry("search", 1, q="tagged")], tags=["smoke", "two words"])
    _, done = run_step(
        tmp_path,
        installed,
        suites="suite",
        tags="two words\n\n",
        trials="2",
        fail_on_inconclusive="true",
        jobs="1",
        output_dir="out put",
        working_directory="sub",
    )
    (file,) = (tmp_path / "workspace" / "sub" / "out put").glob("demo/*/summary.json")
    (case,) = json.loads(file.read_text())["cases"]

    assert done.code == 0, done.log
    assert (case["id"], case["trials"]["n"]) == ("tagged", 2)


def test_the_workflow_that_init_writes(installed: Path, tmp_path: Path) -> None:
    """A repository that begins with init passes its first check, from what was installed alone."""
    (tmp_path / "workspace").mkdir()
    command = [installed, "-I", "-m", "runledger", "init", "--suite", "bot"]
    subprocess.run(command, cwd=tmp_path / "workspace", check=True, capture_output=True)
    written = (tmp_path / "workspace/.github/workflows/runledger.yml").read_text()
    (job,) = yaml.safe_load(written)["jobs"].values()
    _, done = run_step(tmp_path, installed, **job["steps"][-1]["with"])

    assert (done.code, done.outputs["success-rate"]) == (0, "1.0"), done.log


HOSTILE_NAMES = [
    "two words",
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned;",
    "--help",
    "-q",
    "a'b\"c",
    "[x]*?",
    "${{ github.token }}",
    "é\U0001f600",
]


def test_a_path_is_a_path_whatever_it_holds(installed: Path, tmp_path: Path) -> None:
    """Nothing in an input is taken for shell, for an option or for a pattern that matches less."""
    for name in HOSTILE_NAMES:
        passing(tmp_path / "workspace" / name)
    given = "".join(f"\n  {name}  \n" for name in HOSTILE_NAMES)
    _, done = run_step(tmp_path, installed, suites=given)

    assert (done.code, done.outputs["success-rate"]) == (0, "1.0"), done.log
    assert len([*Path(done.outputs["artifact-path"]).glob("*/*")]) == len(HOSTILE_NAMES)
    assert not [*tmp_path.rglob("pwned")]


WRONG_INPUTS = {
    "no such suite": {"suites": "nowhere; touch pwned"},
    "no suite": {"suites": " \n "},
    "a pattern without a match": {"suites": "nowhere/*"},
    "no such mode": {"suites": "suite", "mode": "$(touch pwned)"},
    "no number": {"suites": "suite", "jobs": "2; touch pwned"},
    "no such directory": {"suites": "suite", "working_directory": "nowhere\n::error::x"},
}


@pytest.mark.parametrize("what", WRONG_INPUTS)
def test_an_input_to_fix_is_marked(what: str, installed: Path, tmp_path: Path) -> None:
    """The step fails with code 2, says so on the pull request, and has outputs all the same."""
    passing(tmp_path / "workspace" / "suite")
    _, done = run_step(tmp_path, installed, **WRONG_INPUTS[what])

    assert done.code == 2, done.log
    assert (done.outputs["verdict"], done.outputs["artifact-path"]) == ("invalid", "")
    assert done.log.count("\n::error") <= 1
    assert "::error title=RunLedger::nothing was run (exit code 2)" in done.log
    assert not [*tmp_path.rglob("pwned")]


def test_no_value_can_forge_an_output(installed: Path, tmp_path: Path) -> None:
    """A path that looks like outputs stays inside its own."""
    failing(tmp_path / "workspace" / "suite")
    forged = "x\nverdict=passed\nverdict<<y\npassed\ny"
    _, done = run_step(tmp_path, installed, suites="suite", output_dir=forged)

    assert done.code == 1, done.log
    assert done.outputs["verdict"] == "failed"
    assert set(done.outputs) == {"verdict", "success-rate", "report-path", "artifact-path"}


def test_modules_in_the_workspace_are_not_ours(installed: Path, tmp_path: Path) -> None:
    """A repository that has a yaml.py or a runledger of its own does not become part of us."""
    passing(tmp_path / "workspace" / "suite")
    for name in ("yaml.py", "json.py", "runledger.py", "sitecustomize.py"):
        (tmp_path / "workspace" / name).write_text("raise SystemExit('taken for ours')")
    _, done = run_step(tmp_path, installed, suites="suite")

    assert done.code == 0, done.log


def test_a_cancelled_job_ends_its_agents(installed: Path, tmp_path: Path) -> None:
    """The signal that GitHub gives the step reaches the run, which ends as interrupted."""
    meeting = socket.create_server(("127.0.0.1", 0))
    meeting.settimeout(30)
    agent = (
        f"import socket; here = socket.create_connection({meeting.getsockname()}); read(); read()"
    )
    suite = write_suite(tmp_path / "workspace" / "suite", agent).case("hangs")
    runner = Runner(tmp_path, {"suites": "suite"}, {"install": {"python": str(installed)}})
    process = runner.start("run")
    with meeting, meeting.accept()[0]:  # when the agent is there
        process.send_signal(signal.SIGINT)
        log, _ = process.communicate(timeout=60)
    done = runner.ended("run", process.returncode, log)

    assert (done.code, done.outputs["verdict"]) == (130, "interrupted"), log
    assert Path(done.outputs["artifact-path"]).is_dir()
    assert [*survivors(suite.mark)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_our_own_workflow_is_careful(path: Path) -> None:
    """It may only read, holds no secret, pastes nothing into a script and ends in time."""
    text = path.read_text()
    workflow = yaml.safe_load(text)
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]

    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    assert all("${{" not in step.get("run", "") for step in steps)
    assert all("timeout-minutes" in job for job in workflow["jobs"].values())
    assert all(
        re.fullmatch(r"\./|actions/[a-z-]+@v\d+", one["uses"]) for one in steps if "uses" in one
    )


def test_our_own_workflow_uses_the_action() -> None:
    """What we offer to others runs on our own examples."""
    text = "\n".join(path.read_text() for path in WORKFLOWS)

    assert "uses: ./" in text
    assert "examples/evals/demo" in text
