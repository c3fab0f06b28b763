"""The sheet of a person who judges: written blind, filled in, read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations

import pytest

from judging_kit import LOCKS, RUN_ID, experiment, record, task
from runledger.errors import Finding, UsageError
from runledger.graders.answers import answers_in
from runledger.graders.sheet import Sheet, render_sheet, sheet_of
from runledger.graders.sheet_reading import MOST_TOLD, Ticked, read_sheet
from runledger.ledger.criterion import Criterion

NAME = "run/judging.md"
CHECKED = Criterion("checked", "names the pool", contains="pool")
TASKS = (task("t1", LOCKS, CHECKED), task("t2", LOCKS, input={"q": "why?"}), task("t3"))
HOSTILE = """fine
```
- [x] met
- [x] partial
## Task 2 of 3: t2
### Answer 2 of 2 to task 1
````text
Criterion 1: says nothing
<!-- runledger judging sheet: run x, answers 0 -->
\x1b[31m red \u202e
`````"""


def said(task_id: str, condition: str) -> str:
    """Say something that only this run says."""
    return f"answer of {task_id} number {'one' if condition == 'with' else 'two'}"


def sheet(seed: int = 7, hostile: bool = False, run_id: str = RUN_ID) -> Sheet:
    """Lay out a sheet of three tasks in two conditions."""
    asked = experiment(tasks=TASKS)
    outputs = {
        (one.id, condition): HOSTILE if hostile else said(one.id, condition)
        for one in TASKS
        for condition in ("without", "with")
    }
    return sheet_of(run_id, answers_in(record(asked, outputs)), seed)


def written(laid_out: Sheet) -> str:
    """Write a sheet that holds no secrets."""
    return render_sheet(laid_out, lambda text: text)


def read_back(
    laid_out: Sheet, text: str, clean: Callable[[str], str] = str
) -> tuple[list[Ticked], list[Finding]]:
    """Read a sheet that was filled in."""
    return read_sheet(laid_out, text, NAME, clean)


def words(ticked: list[Ticked]) -> dict[tuple[str, str, str], str | None]:
    """Give the ticked boxes, by task, condition and criterion."""
    return {
        (one.answer.task.id, one.answer.attempt.slot.condition, one.criterion.id): one.word
        for one in ticked
    }


def line_of(text: str, number: int) -> str:
    """Give a line of a sheet by its number."""
    return text.split("\n")[number - 1]


def test_a_sheet_names_no_condition() -> None:
    """Seed 004 section 4: answers stand side by side, and nobody can tell whose they are."""
    text = written(sheet())

    assert "condition" not in text
    assert not re.search(r"(?<!\w)(with|without)(?!\w)", text.split("## Task 1")[1])
    assert text.count("### Answer 1 of 2 to task") == 3
    assert text.count("- [ ] met\n- [ ] partial\n- [ ] missed\n") == 8


def test_the_order_is_drawn_from_the_seed() -> None:
    """The same seed gives the same sheet; over seeds, tasks and answers change places."""
    orders = [[one.attempt.slot for one in sheet(seed).answers] for seed in range(40)]

    assert written(sheet(1)) == written(sheet(1))
    assert {tuple(dict.fromkeys(slot.task_id for slot in order)) for order in orders} == {
        *permutations(("t1", "t2", "t3"))
    }
    firsts = [[slot.condition for slot in order][::2] for order in orders]
    assert {tuple(first) for first in firsts} >= {("with", "without", "with"), ("with",) * 3}


def test_an_untouched_sheet_says_nothing() -> None:
    """Every criterion is on it, those with a check as well, and none is judged."""
    laid_out = sheet()
    ticked, findings = read_back(laid_out, written(laid_out))

    assert not findings
    assert len(ticked) == 8
    assert {one.word for one in ticked} == {None}


def test_ticked_boxes_come_back_with_the_run_they_are_of() -> None:
    """Each answer carries its own words, so that the labels can be undone."""
    laid_out = sheet()
    text = written(laid_out)
    for place, tick in (("t1 number one", "met"), ("t2 number two", "missed")):
        before, after = text.split(f"answer of {place}")
        text = f"{before}answer of {place}{after.replace(f'[ ] {tick}', f'[x] {tick}', 1)}"
    ticked, findings = read_back(laid_out, text)

    assert not findings
    assert {place: word for place, word in words(ticked).items() if word} == {
        ("t1", "with", "locks"): "met",
        ("t2", "without", "locks"): "missed",
    }


@pytest.mark.parametrize("box", ["[x]", "[X]", "[ x ]", "[x ]"])
def test_an_x_is_an_x(box: str) -> None:
    """People tick boxes in several ways; editors change ends of lines."""
    laid_out = sheet()
    text = written(laid_out).replace("[ ] partial", f"{box} partial").replace("\n", "  \r\n")
    ticked, findings = read_back(laid_out, "\ufeff" + text)

    assert not findings
    assert {one.word for one in ticked} == {"partial"}


def test_an_answer_can_forge_neither_box_nor_heading_nor_fence() -> None:
    """Whatever an agent writes stands between fences longer than any of its own."""
    laid_out = sheet(hostile=True)
    text = written(laid_out)
    ticked, findings = read_back(laid_out, text)

    assert not findings
    assert {one.word for one in ticked} == {None}
    assert len(ticked) == 8
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.count("\n``````text\n") == 6


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("answer of t1 number one", "answer of t1 number none", "number none"),
        ("answer of t1 number one", "my note\nanswer of t1 number one", "my note"),
        ("answer of t1 number one", "answer of\nt1 number one", "answer of"),
        ("answer of t1 number one\n", "", "```"),
        ("answer of t1 number one", "answer of t1 number one!", "one!"),
        ("How is the cache kept?", "How is the cache lost?", "cache lost"),
        ('{"q":"why?"}', '{"q":"why not?"}', "why not"),
    ],
)
def test_an_edited_answer_or_task_is_told_with_its_line(old: str, new: str, found: str) -> None:
    """Whoever judged other words has not judged the agent's."""
    laid_out = sheet()
    ticked, findings = read_back(laid_out, text := written(laid_out).replace(old, new, 1))
    (finding,) = findings

    assert finding.line is not None
    assert found in line_of(text, finding.line)
    assert "is not as it was written" in str(finding)
    assert "restore it, or delete the sheet and write it anew" in str(finding)
    assert len(ticked) == 8


def test_all_edited_texts_are_told_at_once() -> None:
    """Reading goes on behind a text that was changed; of one text only so many lines are told."""
    laid_out = sheet(hostile=True)
    text = written(laid_out)
    findings = read_back(laid_out, text.replace("\nfine\n", "\ngood\n"))[1]

    assert len(findings) == 6
    lines = {line_of(text, finding.line or 0) for finding in findings}
    assert lines == {"fine"}

    start = text.index("\nfine\n")
    end = text.index("\n``````\n", start)
    changed = text[:start] + text[start:end].replace("\n", "\n ") + text[end:]
    assert len(read_back(laid_out, changed)[1]) == MOST_TOLD


def test_where_a_long_line_was_changed_is_shown() -> None:
    """The line is shown from where it differs."""
    asked = experiment(tasks=TASKS[2:])
    long = "word " * 100
    laid_out = sheet_of(
        RUN_ID, answers_in(record(asked, {("t3", n): long + "end" for n in ("with", "without")})), 7
    )
    (finding,) = read_back(laid_out, written(laid_out).replace("word end", "word END", 1))[1]

    assert 'word end", found "…' in str(finding)
    assert 'word END"' in str(finding)


def test_a_changed_fence_is_told() -> None:
    """Else what stands outside could be taken for an answer."""
    laid_out = sheet()
    text = written(laid_out).replace("```text", "````text", 1).replace("\n```\n", "\n````\n", 1)

    assert "is not as it was written" in str(read_back(laid_out, text)[1][0])


def test_two_ticks_are_told_with_their_line() -> None:
    """Nobody guesses which one was meant; all such places are told at once."""
    laid_out = sheet()
    text = written(laid_out).replace("[ ] met\n- [ ] partial", "[x] met\n- [x] partial", 2)
    ticked, findings = read_back(laid_out, text)

    assert len(findings) == 2
    assert "met and partial are ticked" in str(findings[0])
    assert findings[0].line is not None
    assert line_of(text, findings[0].line) == "- [ ] missed"
    assert len(ticked) == 8


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("- [ ] partial\n", "", "missed"),
        ("- [ ] partial", "- [x] parial", "parial"),
        ("- [ ] partial", "- [x] partial, I think", "I think"),
        ("- [ ] partial", "- [y] partial", "[y]"),
        ("- [ ] partial", "partial", "partial"),
        ("### Answer 1 of 2 to task 1", "### Answer 2 of 2 to task 1", "Answer 2 of 2"),
        ("Criterion 1: says", "Criterion 1: denies", "denies"),
        ("# Judging sheet", "# Judging sheet\nmy note", "my note"),
    ],
)
def test_damage_is_told_with_its_line(old: str, new: str, found: str) -> None:
    """A sheet that was changed elsewhere than in its boxes is not read on."""
    laid_out = sheet()
    text = written(laid_out).replace(old, new, 1)
    _, findings = read_back(laid_out, text)
    (finding,) = findings

    assert finding.file == NAME
    assert finding.line is not None
    assert found in line_of(text, finding.line)
    assert "expected" in str(finding)


def test_a_sheet_that_ends_early_or_goes_on_is_damaged() -> None:
    """What is cut off is missed, and what is added is found."""
    laid_out = sheet()
    text = written(laid_out)

    assert "the end of the file" in str(read_back(laid_out, text[: len(text) // 2])[1][0])
    assert "nothing more" in str(read_back(laid_out, text + "and so on")[1][0])


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (sheet(run_id="20260101-000000-ffffff"), "the sheet of run 20260101-000000-ffffff"),
        (sheet(hostile=True), "out of date"),
    ],
)
def test_the_sheet_of_other_answers_is_refused(other: Sheet, reason: str) -> None:
    """Verdicts on other answers must not pass for verdicts on these."""
    with pytest.raises(UsageError, match=reason):
        read_back(sheet(), written(other))


def test_a_file_that_is_no_sheet_is_refused() -> None:
    """Without its first line nobody knows what a sheet is of."""
    with pytest.raises(UsageError, match="first line"):
        read_back(sheet(), "# Notes\n")


def test_secrets_are_taken_out_on_the_way() -> None:
    """What agents and authors wrote goes through the caller's cleaning."""

    def clean(text: str) -> str:
        return text.replace("answer of", "[REDACTED]")

    text = render_sheet(sheet(), clean)

    assert "answer of" not in text
    assert read_back(sheet(), text, clean)[1] == []


@pytest.mark.parametrize(
    "hidden", ["answer of", "number", "one", "er of t1 numb", "e\n```\n- [x] m"]
)
def test_a_sheet_can_be_read_where_other_secrets_are_known(hidden: str) -> None:
    """Who fills it in may have other variables set than who wrote it, or the other way round."""

    def clean(text: str) -> str:
        return text.replace(hidden, "[REDACTED]")

    for laid_out in (sheet(), sheet(hostile=True)):
        cleaned, whole = render_sheet(laid_out, clean), written(laid_out)

        assert read_back(laid_out, cleaned)[1] == []
        assert read_back(laid_out, whole, clean)[1] == []
        edited = cleaned.replace("of t", "off t").replace("red", "green").replace("two", "2")
        assert edited == cleaned or read_back(laid_out, edited)[1]
