"""Two sets of trials side by side: for a terminal, as Markdown, and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

from ..ledger.comparison import Change, Comparison, Metric, Side, TaskPair, TaskSide
from ..ledger.printable import inert, one_line
from .figures import (
    HEAD,
    LEFT_HANDED,
    NAMES,
    change,
    figure,
    how_sure,
    interval,
    verdict,
)
from .look import PLAIN, Look, count, names, paint, set_text
from .markup import code, codes, table

SCHEMA_VERSION = 1
NAMED = 20
NAME_CHARS = 60
_WIDTHS = (11, 9, 9, 10, 21, 19)
_STYLES = {"better_a": "good", "better_b": "good"}
_JUDGED = {"pass": "good", "fail": "bad", "inconclusive": "odd"}
_CHANGES: dict[Change, str] = {"better": "better in B", "worse": "worse in B"}


def render_json(comparisons: Sequence[Comparison]) -> str:
    """Give one comparison as it is, and several as a list of them."""
    found = [asdict(one) for one in comparisons]
    body = found[0] if len(found) == 1 else {"comparisons": found}
    document = {"schema_version": SCHEMA_VERSION, **body}
    return json.dumps(document, indent=2) + "\n"  # ASCII: nothing in it drives a terminal


def render_text(comparisons: Sequence[Comparison], look: Look = PLAIN) -> str:
    """Tell what each comparison shows: the metrics, the tasks that changed, what is left out."""
    sections = [lines for one in comparisons for lines in _sections(one, look)]
    sections.append([*set_text("", _how_to_read(comparisons), look)])
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return inert(text) + "\n"


def render_markdown(comparisons: Sequence[Comparison]) -> str:
    """Tell the same as tables and lists."""
    sections = [section for one in comparisons for section in _markdown_of(one)]
    return "\n".join([*sections, *(f"{line}\n" for line in _how_to_read(comparisons))])


def _sections(found: Comparison, look: Look) -> Iterator[Sequence[str]]:
    yield [*_heading("A", found.a, look), *_heading("B", found.b, look)]
    yield [*_judged(found, look)]
    yield [
        paint(_row(HEAD), "faint", look),
        *(line for metric in found.metrics for line in _metric_lines(metric, look)),
    ]
    yield [*set_text("", _changes(found.cases), look)]
    yield [*set_text("", _left_out(found), look)]


def _heading(letter: str, side: Side, look: Look) -> Iterator[str]:
    name = one_line(side.name, NAME_CHARS)
    first, *others = set_text("   ", [f"{name}: {_counted(side)}"], look)
    yield paint(letter, "strong", look) + first[1:]
    yield from others


def _judged(found: Comparison, look: Look) -> Iterator[str]:
    """Tell the verdict on B, its word in the colour that befits it."""
    word = found.verdict
    first, *others = set_text("", [f"{word}: {found.reason}"], look)
    yield paint(word, _JUDGED[word], look) + first.removeprefix(word)
    yield from others


def _counted(side: Side) -> str:
    return f"{count(side.tasks, 'task')}, {count(side.trials, 'trial')}"


def _metric_lines(metric: Metric, look: Look) -> Iterator[str]:
    line = _row(_cells(metric))
    style = _STYLES.get(metric.verdict)
    yield paint(line, style, look) if style else line
    yield from (paint(one, "faint", look) for one in set_text("  ", [how_sure(metric)], look))


def _cells(metric: Metric) -> Sequence[str]:
    a, b = (figure(value, metric.unit) for value in (metric.a, metric.b))
    return NAMES[metric.id], a, b, change(metric), interval(metric), verdict(metric)


def _row(cells: Iterable[str]) -> str:
    """Set cells in columns: the first and the last begin at one edge, the others end at one."""
    first, *others, last = (
        cell.ljust(width) if number in LEFT_HANDED else cell.rjust(width)
        for number, (cell, width) in enumerate(zip(cells, _WIDTHS, strict=True))
    )
    return f"{first}{''.join(others)} {last}".rstrip()


def _changes(cases: Sequence[TaskPair]) -> Iterator[str]:
    """Name the tasks that one side does better, with what became of them."""
    for words, found in _changed(cases):
        told = ", ".join(
            f"{one_line(case.id, NAME_CHARS)} ({_from_to(case)})" for case in found[:NAMED]
        )
        yield f"{words}: {told}{_more(found)}"


def _changed(cases: Sequence[TaskPair]) -> Iterator[tuple[str, Sequence[TaskPair]]]:
    """Gather the tasks that changed; where only the score did, they come last."""
    for kind, words in _CHANGES.items():
        found = [case for case in cases if case.change == kind]
        if found:
            yield words, sorted(found, key=_same_rate)


def _same_rate(case: TaskPair) -> bool:
    return case.a.passed * case.b.graded == case.b.passed * case.a.graded


def _from_to(case: TaskPair) -> str:
    if _same_rate(case):
        return f"score {case.a.score:.3g} → {case.b.score:.3g}"
    return f"{_passes(case.a)} → {_passes(case.b)}"


def _passes(side: TaskSide) -> str:
    if side.graded == 1:
        return "passed" if side.passed else "failed"
    return f"{side.passed:,} of {side.graded:,}"


def _more(things: Sequence[object]) -> str:
    return f" and {len(things) - NAMED:,} more" if len(things) > NAMED else ""


def _left_out(found: Comparison) -> Iterator[str]:
    """Say what is in no figure above, and why."""
    for what, ids in _apart(found):
        yield f"{what}: {names(ids, NAMED)}"
    yield from _left_out_trials(found)


def _apart(found: Comparison) -> Iterator[tuple[str, Sequence[str]]]:
    tasks = found.tasks
    sets = {
        "only in A": tasks.only_a,
        "only in B": tasks.only_b,
        "not compared, since their input is another": tasks.changed,
    }
    yield from ((what, ids) for what, ids in sets.items() if ids)


def _left_out_trials(found: Comparison) -> Iterator[str]:
    for letter, side in (("A", found.a), ("B", found.b)):
        if side.ungraded:
            yield f"{letter}: {_of(side.ungraded, side)} not judged, and in no pass rate or score"
        if side.unanswered:
            yield f"{letter}: {_of(side.unanswered, side)} unanswered: only in pass rate and score"
    if found.unknown:
        unknown = ", ".join(NAMES[id] for id in found.unknown)
        yield f"not known on both sides: {unknown}"


def _of(number: int, side: Side) -> str:
    return f"{number:,} of {count(side.trials, 'trial')}"


def _how_to_read(comparisons: Sequence[Comparison]) -> Iterator[str]:
    tests = sum(
        metric.p_adjusted is not None and metric.verdict != "tie"
        for one in comparisons
        for metric in one.metrics
    )
    if tests > 1:
        yield f"p is adjusted for {count(tests, 'test')} (Holm); at most 0.05 makes a verdict"


def _markdown_of(found: Comparison) -> Iterator[str]:
    for letter, side in (("A", found.a), ("B", found.b)):
        yield f"- **{letter}** {code(side.name, NAME_CHARS)}: {_counted(side)}"
    yield f"\n**{found.verdict}**: {found.reason}\n"
    rows = ([*_cells(metric), how_sure(metric)] for metric in found.metrics)
    yield table([[*HEAD, "how sure"], *rows])
    items = [*_markdown_changes(found.cases), *_markdown_left_out(found)]
    if items:
        yield "\n".join(items) + "\n"


def _markdown_changes(cases: Sequence[TaskPair]) -> Iterator[str]:
    for words, found in _changed(cases):
        told = ", ".join(
            f"{code(case.id, NAME_CHARS)} ({_from_to(case)})" for case in found[:NAMED]
        )
        yield f"- {words}: {told}{_more(found)}"


def _markdown_left_out(found: Comparison) -> Iterator[str]:
    yield from (f"- {what}: {codes(ids, NAMED, NAME_CHARS)}" for what, ids in _apart(found))
    yield from (f"- {line}" for line in _left_out_trials(found))
