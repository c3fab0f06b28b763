"""What the runs of each condition took, and what agents say of themselves, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from ....ledger.attempt import Attempt
from ....ledger.findings import BenchRecord, ConditionTally, Findings
from ....ledger.settled import settled_in
from ..words import amount, money, number
from .table import Cell, Table, numbers, plain, said, table, words


def condition_table(findings: Findings) -> Table | None:
    """Tell what each condition's runs came to and took."""
    if not findings.tallies:
        return None
    columns = [
        *words("Condition"),
        *numbers("Runs", "Score", "Complete", "Duration", "Tool calls", "Files read", "Turns"),
        *numbers("Tokens", "Cost", "Cost in all"),
    ]
    about = (
        "Means over tasks, of runs that count; the duration is a geometric mean. "
        "The cost in all has every attempt in it."
    )
    return table("Conditions", columns, map(_condition, findings.tallies), about)


def _condition(tally: ConditionTally) -> Iterator[Cell]:
    yield said(tally.condition)
    yield plain(f"{tally.counted:,} of {tally.planned:,}")
    yield plain(amount("score", tally.score))
    yield plain(amount("completion", tally.completion))
    yield plain(amount("duration_s", tally.duration_s))
    yield from map(plain, map(number, (tally.tool_calls, tally.files_read, tally.turns)))
    yield plain(amount("tokens", tally.tokens))
    yield plain(money(tally.cost_usd))
    yield plain(money(tally.total_cost_usd))


def reported_table(record: BenchRecord) -> Table | None:
    """Tell how far what agents say of themselves is what a machine counted."""
    names = [one.name for one in record.experiment.conditions]
    counting = settled_in(record).counting.values()
    rows = [
        row
        for name in names
        for row in _reported(name, [one for one in counting if one.slot.condition == name])
    ]
    columns = [*words("Condition", "Figure"), *numbers("Reported", "Counted", "Agree", "Apart by")]
    about = "Means over the runs that tell both; apart is the mean of how far they are."
    return table("Reported against counted", columns, rows, about) if rows else None


_TOLD: dict[str, Callable[[Attempt], tuple[int | None, int | None]]] = {
    "Tool calls": lambda one: (one.reported.tool_calls, one.counts.tool_calls),
    "Files read": lambda one: (one.reported.files_read, one.counts.files_read),
}


def _reported(condition: str, runs: Sequence[Attempt]) -> Iterator[list[Cell]]:
    for figure, told in _TOLD.items():
        pairs = [(a, b) for a, b in map(told, runs) if a is not None and b is not None]
        if pairs:
            yield [
                said(condition),
                plain(figure),
                plain(number(fmean(a for a, _ in pairs))),
                plain(number(fmean(b for _, b in pairs))),
                plain(f"{sum(a == b for a, b in pairs):,} of {len(pairs):,}"),
                plain(number(fmean(abs(a - b) for a, b in pairs))),
            ]
