"""What several trials of each prompt came to: pass@k, pass^k, and the prompts that waver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..compare.estimates import Interval, OverTasks, estimates_of, over_tasks
from ..compare.rates import wilson
from ..ledger.printable import inert, one_line
from .look import PLAIN, Look, count, paint, set_text


class PromptTally(NamedTuple):
    """A prompt: how many trials of it ended, were graded, passed, and ended in an error."""

    id: str
    trials: int
    graded: int
    passed: int
    errors: int


NAMED = 20
MOST_ROWS = 8
NAME_CHARS = 60
NO_INTERVAL = "-"
_HEAD = ("k", "pass@k", "95% interval", "pass^k", "95% interval", "prompts")
_WIDTHS = (6, 9, 18, 10, 18, 10)


def render_trials(rows: Iterable[PromptTally], k: int, look: Look = PLAIN) -> str:
    """Tell how k trials of each prompt went, as a table for the end of a console's lines."""
    found = [*rows]
    table = [*_table(found, look)]
    sections = [
        [paint(_headline(found, k), "strong", look), *set_text("", _counted(found, k), look)],
        [*table, *set_text("", _unbounded(table), look)],
        [*set_text("", _flaky(found), look)],
    ]
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return inert(text) + "\n"


def _headline(rows: Sequence[PromptTally], k: int) -> str:
    return f"{count(len(rows), 'prompt')}, {count(k, 'trial')} of each"


def _counted(rows: Sequence[PromptTally], k: int) -> Iterator[str]:
    """Tell the pass rate, and what is not in it."""
    if not rows:
        return
    ended, graded = sum(row.trials for row in rows), sum(row.graded for row in rows)
    errors, missing = sum(row.errors for row in rows), len(rows) * k - ended
    if missing:
        yield f"{missing:,} of {count(len(rows) * k, 'trial')} did not come to an end"
    if not graded:
        yield f"{count(ended - errors, 'trial')} captured, {errors:,} ended in an error"
        yield "no trial was graded: a grader (-g) would tell how often each prompt passes"
        return
    if errors:
        yield f"{errors:,} of {count(ended, 'trial')} ended in an error"
    if graded < ended:
        yield f"{ended - graded:,} of {count(ended, 'trial')} not graded, and in no figure below"
    yield f"pass rate {_rate(rows)}"


def _rate(rows: Sequence[PromptTally]) -> str:
    """Write the mean of the prompts' rates, with an interval if one can be had."""
    counts = _at_least(rows, 1)
    rate, interval = _passing(counts)
    passed, graded = sum(one[1] for one in counts), sum(one[0] for one in counts)
    details = [f"{passed:,} of {graded:,} graded trials passed"]
    if _bounds(interval):
        details.append(f"95% interval {_span(interval)}")
    if len({n for n, _ in counts}) > 1:
        details.append("every prompt weighs the same")
    return f"{rate:.1%} ({'; '.join(details)})"


def _passing(counts: Sequence[tuple[int, int]]) -> tuple[float, Interval | None]:
    if all(n == 1 for n, _ in counts):
        passed = sum(passed for _, passed in counts)
        return passed / len(counts), wilson(passed, len(counts))
    found = _over(counts, 1)
    return found.pass_at_k, found.pass_at_k_ci


def _table(rows: Sequence[PromptTally], look: Look) -> Iterator[str]:
    most = max((row.graded for row in rows), default=0)
    if most < 2:  # of single trials there is no more to tell than their rate
        return
    yield paint(_set(_HEAD), "faint", look)
    for k in _chosen(most):
        counts = _at_least(rows, k)
        found = _over(counts, k)
        yield _set(
            (
                f"{k:,}",
                f"{found.pass_at_k:.1%}",
                _span(found.pass_at_k_ci),
                f"{found.pass_exp_k:.1%}",
                _span(found.pass_exp_k_ci),
                f"{len(counts):,}",
            )
        )


def _set(cells: Iterable[str]) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True))


def _chosen(most: int) -> Sequence[int]:
    """Choose numbers of trials up to the most: all, or some that lie ever further apart."""
    if most <= MOST_ROWS:
        return range(1, most + 1)
    return sorted({round(most ** (step / (MOST_ROWS - 1))) for step in range(MOST_ROWS)})


def _over(counts: Sequence[tuple[int, int]], k: int) -> OverTasks:
    """Estimate over prompts; of a single one, by its own trials."""
    found = over_tasks(counts, k)
    if len(counts) > 1:
        return found
    own = estimates_of(*counts[0])[k - 1]
    return found._replace(pass_at_k_ci=_pair(own["ci"]), pass_exp_k_ci=_pair(own["ciExpK"]))


def _pair(interval: object) -> Interval:
    assert isinstance(interval, list)
    low, high = interval
    return low, high


def _at_least(rows: Iterable[PromptTally], k: int) -> Sequence[tuple[int, int]]:
    return [(row.graded, row.passed) for row in rows if row.graded >= k]


def _bounds(interval: Interval | None) -> bool:
    """Say whether an interval tells anything; one without width only says that all were alike."""
    return interval is not None and interval[0] < interval[1]


def _span(interval: Interval | None) -> str:
    if interval is None or not _bounds(interval):
        return NO_INTERVAL
    return f"{interval[0]:.1%} to {interval[1]:.1%}"


def _unbounded(table: Iterable[str]) -> Iterator[str]:
    if any(NO_INTERVAL in line.split() for line in table):
        yield f"{NO_INTERVAL}: no interval, since the prompts do not differ"


def _flaky(rows: Iterable[PromptTally]) -> Iterator[str]:
    """Name the prompts of which some trials passed and some did not."""
    flaky = [row for row in rows if 0 < row.passed < row.graded]
    if not flaky:
        return
    told = ", ".join(
        f"{one_line(id, NAME_CHARS)} ({passed:,} of {graded:,} passed)"
        for id, _, graded, passed, _ in islice(flaky, NAMED)
    )
    more = f" and {len(flaky) - NAMED:,} more" if len(flaky) > NAMED else ""
    yield f"flaky: {told}{more}"
