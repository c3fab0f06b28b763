"""The step of the action that runs suites: inputs in, command, outputs.

It runs in RunLedger's own environment. Inputs come as variables and are never part of a script.
"""

from __future__ import annotations

import glob
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runledger.ledger.grade import NOT_VALID
from runledger.ledger.printable import one_line

USAGE = 2
VERDICTS = {0: "passed", 1: "failed", 4: "inconclusive", 130: "interrupted", 143: "interrupted"}
OPTIONS = {
    "MODE": "--mode",
    "BASELINE": "--baseline",
    "TRIALS": "--trials",
    "JOBS": "--jobs",
    "OUTPUT_DIR": "--output-dir",
}


def main() -> int:
    """Run the suites, give the outputs, and return the run's exit code."""
    output_dir = Path(given("OUTPUT_DIR") or ".agentci/runs")
    place, suites = given("WORKING_DIRECTORY") or ".", lines("SUITES")
    if not suites or not Path(place).is_dir():
        no_place = f"working-directory: there is no directory {one_line(place)}"
        print(f"the input {no_place if suites else 'suites is empty'}", file=sys.stderr)  # noqa: T201
        return told(USAGE, [])
    os.chdir(place)
    before = set(runs_in(output_dir))
    code = run([*options(output_dir), "--", *dict.fromkeys(matched(suites))])
    return told(code, sorted(set(runs_in(output_dir)) - before))


def told(code: int, runs: Sequence[Path]) -> int:
    """Write the outputs, mark a step that ran nothing, and return the exit code."""
    write_outputs(outputs(code, runs))
    if code and not runs:
        marked = f"::error title=RunLedger::nothing was run (exit code {code}); the log says why"
        print(marked)  # noqa: T201
    return code


def given(name: str) -> str:
    """Give an input, without the spaces around it."""
    return os.environ.get(f"INPUT_{name}", "").strip()


def lines(name: str) -> list[str]:
    """Give the lines of an input."""
    return [line.strip() for line in given(name).splitlines() if line.strip()]


def matched(places: Iterable[str]) -> Iterable[str]:
    """Put the suites that a pattern matches in its place; what exists is no pattern."""
    for place in places:
        if Path(place).exists() or not glob.has_magic(place):
            yield place
            continue
        found = sorted(one for one in glob.glob(place) if is_suite(one))  # noqa: PTH207
        yield from found or [place]  # the command says best that there is no such suite


def is_suite(place: str) -> bool:
    """Say whether a suite is in this place."""
    return Path(place, "suite.yaml").is_file()


def options(output_dir: Path) -> list[str]:
    """Write the inputs as options of the command."""
    values = {**{name: given(name) for name in OPTIONS}, "OUTPUT_DIR": str(output_dir)}
    words = [f"{OPTIONS[name]}={value}" for name, value in values.items() if value]
    words += [f"--tag={tag}" for tag in lines("TAGS")]
    if given("FAIL_ON_INCONCLUSIVE").lower() == "true":
        words.append("--fail-on-inconclusive")
    return [*words, "--format=github"]


def run(words: Sequence[str]) -> int:
    """Run the command, pass on the signals that cancel a job, and give its exit code."""
    child = subprocess.Popen([sys.executable, "-I", "-m", "runledger", "run", *words])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: child.send_signal(number))
    code = child.wait()
    return code if code >= 0 else 128 - code


def runs_in(output_dir: Path) -> Iterable[Path]:
    """Find the run directories in an output directory."""
    return (manifest.parent.resolve() for manifest in output_dir.glob("*/*/manifest.json"))


def outputs(code: int, runs: Sequence[Path]) -> Mapping[str, str]:
    """Say what the suites came to, all together."""
    summaries = [json.loads(file.read_text("utf-8")) for file in present(runs, "summary.json")]
    reports = [str(file) for file in present(runs, "report.html")]
    return {
        "verdict": verdict(code, summaries),
        "success-rate": success_rate(summaries),
        "report-path": "\n".join(reports),
        "artifact-path": str(gathered(runs)) if runs else "",
    }


def present(runs: Iterable[Path], name: str) -> Iterable[Path]:
    """Find the file of this name in the runs that have it."""
    return (file for one in runs if (file := one / name).is_file())


def verdict(code: int, summaries: Iterable[Mapping[str, Any]]) -> str:
    """Put the exit code into a word; it is the worst of all suites already."""
    regressions = (summary.get("regression") or {} for summary in summaries)
    if code == 0 and any(one.get("verdict") == "inconclusive" for one in regressions):
        return "inconclusive"
    return VERDICTS.get(code, "invalid")


def success_rate(summaries: Iterable[Mapping[str, Any]]) -> str:
    """Give the share of judged cases that passed, over all suites."""
    cases = [case for summary in summaries for case in summary["cases"] if judged(case)]
    passed = sum(case["status"] == "passed" for case in cases)
    return str(round(passed / len(cases), 6)) if cases else ""


def judged(case: Mapping[str, Any]) -> bool:
    """Say whether a case tells something about the agent."""
    types = {failure["type"] for failure in case["failures"]}
    return case["status"] != "unfinished" and not types & NOT_VALID


def gathered(runs: Iterable[Path]) -> Path:
    """Copy runs to a place whose path holds nothing that the upload would take for a pattern."""
    place = Path(tempfile.mkdtemp(prefix="runledger.", dir=os.environ["RUNNER_TEMP"]))
    for one in runs:
        shutil.copytree(one, place / one.parent.name / one.name)
    return place


def write_outputs(values: Mapping[str, str]) -> None:
    """Hand outputs over between random marks, so that no value can end early and forge another."""
    target = Path(os.environ["GITHUB_OUTPUT"])
    with target.open("a", encoding="utf-8", errors="surrogateescape") as file:
        for name, value in values.items():
            mark = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{mark}\n{value}\n{mark}\n")


if __name__ == "__main__":
    sys.exit(main())
