"""The arguments and options that commands share, each with its help."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Argument, Option


class Mode(StrEnum):
    """Where tool answers come from."""

    replay = "replay"
    record = "record"
    live = "live"


class Format(StrEnum):
    """How a run is shown."""

    text = "text"
    json = "json"
    github = "github"


class DiffFormat(StrEnum):
    """How a comparison is shown."""

    text = "text"
    json = "json"
    markdown = "markdown"


class CompareFormat(StrEnum):
    """How a comparison of results is shown."""

    text = "text"
    json = "json"
    markdown = "markdown"


Prompts: TypeAlias = Annotated[
    str, Argument(metavar="PROMPTS", help="A file of prompts, one JSON object a line, or '-'.")
]
Results: TypeAlias = Annotated[
    str,
    Argument(
        metavar="RESULTS", help="A results file, a run directory, a run id, 'latest', or '-'."
    ),
]
OutputFile: TypeAlias = Annotated[
    Path | None,
    Option("--output", "-o", metavar="F", help="Write to this file, not to standard output."),
]
GraderName: TypeAlias = Annotated[
    str,
    Option(
        "--grader", "-g", metavar="GRADER", help="A .py file, package.module:function, or program."
    ),
]
GraderChoice: TypeAlias = Annotated[
    str | None,
    Option(
        "--grader", "-g", metavar="GRADER", help="A .py file, package.module:function, or program."
    ),
]
SuitePaths: TypeAlias = Annotated[
    list[Path], Argument(metavar="SUITE", help="Suite directories, or suite.yaml files.")
]
RunName: TypeAlias = Annotated[
    str, Argument(metavar="RUN", help="A run directory, a run id, or 'latest'.")
]
RunOption: TypeAlias = Annotated[
    str, Option("--run", metavar="RUN", help="A run directory, a run id, or 'latest'.")
]
BaselineFile: TypeAlias = Annotated[
    Path, Option("--baseline", metavar="F", help="The baseline file.")
]
BaselineChoice: TypeAlias = Annotated[
    Path | None,
    Option("--baseline", metavar="F", help="Compare with this baseline, not the suite's own."),
]
OnlyMissing: TypeAlias = Annotated[
    bool,
    Option("--only-missing", metavar="", help="Record only cases that have no cassette yet."),
]
FailOnInconclusive: TypeAlias = Annotated[
    bool,
    Option("--fail-on-inconclusive", metavar="", help="Exit with 4 when evidence is too thin."),
]
OpenIt: TypeAlias = Annotated[
    bool, Option("--open", metavar="", help="Open report.html in the browser.")
]
ModeChoice: TypeAlias = Annotated[
    Mode | None, Option("--mode", envvar="RUNLEDGER_MODE", help="Override the suite's mode.")
]
CaseIds: TypeAlias = Annotated[
    list[str] | None, Option("--case", metavar="ID", help="Run only this case (repeatable).")
]
Tags: TypeAlias = Annotated[
    list[str] | None,
    Option("--tag", metavar="T", help="Run only cases with this tag (repeatable)."),
]
Jobs: TypeAlias = Annotated[
    int | None,
    Option(
        "--jobs",
        "-j",
        min=1,
        metavar="N",
        envvar="RUNLEDGER_JOBS",
        help="Cases at once. Default: the cores.",
    ),
]
Trials: TypeAlias = Annotated[
    int, Option("--trials", "-k", min=1, metavar="N", help="Repetitions of each case.")
]
OutputDir: TypeAlias = Annotated[
    Path | None,
    Option(
        "--output-dir",
        metavar="D",
        envvar="RUNLEDGER_OUTPUT_DIR",
        help="Where run directories are made. Default: the suite's, or .agentci/runs.",
    ),
]
GraderTimeout: TypeAlias = Annotated[
    float, Option("--grader-timeout", min=0.001, metavar="S", help="Seconds a grader may take.")
]
MaxTotalCost: TypeAlias = Annotated[
    float | None,
    Option("--max-total-cost-usd", min=0, metavar="USD", help="Start nothing new beyond it."),
]
Resume: TypeAlias = Annotated[
    str | None,
    Option("--resume", metavar="RUN", help="Go on with this run: a directory, an id, 'latest'."),
]
FailFast: TypeAlias = Annotated[
    bool, Option("--fail-fast", metavar="", help="Start nothing new after the first failing case.")
]
FormatChoice: TypeAlias = Annotated[
    Format | None,
    Option("--format", help="How to show the result. Default: text (on GitHub Actions: github)."),
]
Quiet: TypeAlias = Annotated[bool, Option("--quiet", "-q", metavar="", help="Show no progress.")]
