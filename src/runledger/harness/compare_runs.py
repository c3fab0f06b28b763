"""Compare captures, trials or runs: each read once, line by line, and only figures kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..compare.captures import gather
from ..compare.samples import compare_samples
from ..errors import UsageError
from ..ledger.captured import Captured
from ..ledger.comparison import Comparison, Sample
from ..store.results import STDIN, Warn, find_results, read_results

LATEST = "latest"


def compare_results(
    names: Sequence[str], output_dir: Path, *, warn: Warn, never: Path | None = None
) -> tuple[Comparison, ...]:
    """Compare every further set of results with the first; `never` is not to be read.

    Each is named as on the command line: a results file, or a run by directory, id or `latest`.
    """
    if len(names) < 2:
        raise UsageError("compare takes two or more: runledger compare A B")
    if names.count(STDIN) > 1:
        raise UsageError("only one of the results can come from standard input ('-')")
    paths = [find_results(name, output_dir) for name in names]
    if never is not None:
        _refuse_to_overwrite(never, paths)
    first, *others = (_sample(*one, warn) for one in zip(names, paths, strict=True))
    return compare_samples(first, others)


def _sample(name: str, path: Path, warn: Warn) -> Sample:
    return gather(_shown(name, path), _of_one_condition(name, read_results(path, warn)))


def _of_one_condition(name: str, trials: Iterable[Captured]) -> Iterator[Captured]:
    """Pass trials on; those of an experiment are under several conditions at once."""
    for trial in trials:
        if "condition" in trial.line:
            told = f"{name} is of an experiment, whose conditions are compared by"
            raise UsageError(f"{told}: runledger bench report EXPERIMENT")
        yield trial


def _shown(name: str, path: Path) -> str:
    if name == STDIN:
        return "standard input"
    return path.parent.name if name == LATEST and not Path(name).exists() else name


def _refuse_to_overwrite(output: Path, paths: Sequence[Path]) -> None:
    for path in paths:
        if output.exists() and path.exists() and output.samefile(path):
            raise UsageError(f"{output} is read and cannot be written as well; choose another -o")
