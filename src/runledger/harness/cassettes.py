"""Look after cassettes: find what should not be in them, and take out what a run did not need."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import CassetteError, UsageError
from ..ledger.run import RunRecord, TrialRow
from ..ledger.trajectory import CassetteUse
from ..store.cassette.flaws import Flaw, flaws_in
from ..store.cassette.load import load_cassette
from ..store.cassette.pruning import Pruned, prune
from ..store.redact.environment import secrets_in
from ..store.rundir import read_run


@dataclass(frozen=True, slots=True)
class Linted:
    """A cassette and its flaws, or why it cannot be read."""

    file: Path
    flaws: tuple[Flaw, ...] = ()
    problem: CassetteError | None = None


def lint_cassettes(files: Sequence[Path]) -> list[Linted]:
    """Look through every cassette, the readable ones also where another is not."""
    secrets = secrets_in({}, os.environ)
    return [_linted(file, secrets) for file in files]


def _linted(file: Path, secrets: Sequence[str]) -> Linted:
    try:
        return Linted(file, tuple(flaws_in(file, secrets)))
    except CassetteError as error:
        return Linted(file, problem=error)


def prune_cassette(file: Path, run: Path | None, *, dry_run: bool) -> Pruned:
    """Take out of a cassette what nobody needs; with a run, what its passed case left unused."""
    if run is None:
        return prune(file, dry_run=dry_run)
    return prune(file, _left_by(read_run(run), file), dry_run=dry_run)


def _left_by(record: RunRecord, file: Path) -> set[int]:
    """List the lines that no trial of a run used, where all trials with the cassette passed."""
    digest = load_cassette(file).sha256
    rows = [row for row in record.rows if row.cassette and row.cassette.sha256 == digest]
    if not rows:
        raise UsageError(_why_not(record, file))
    for row in rows:
        if row.status != "passed":
            told = f"{file}: the case {row.case_id} did not pass in {record.manifest.run_id}"
            raise UsageError(f"{told}, so what it left unused may be needed")
    return set.intersection(*(_left(row, file) for row in rows))


def _left(row: TrialRow, file: Path) -> set[int]:
    use = row.cassette
    assert use is not None
    if use.unused and not use.left:
        raise UsageError(f"{file}: the run does not tell which entries it left; run it again")
    return set(use.left)


def _why_not(record: RunRecord, file: Path) -> str:
    run = record.manifest.run_id
    used = [row.cassette for row in record.rows if row.cassette]
    if any(_is_of(use, file) for use in used):
        return f"{file} is not as it was in {run}: run the suite again, and name that run"
    return f"no case of {run} used {file}"


def _is_of(use: CassetteUse, file: Path) -> bool:
    return Path(use.path).name == file.name
