"""The seed's files of an experiment: scenarios.md, the answers, and timing.csv."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO

from compare.rows import HOSTILE
from runledger.ledger.experiment import Condition
from runledger.ledger.findings import BenchRecord, Launch
from runledger.ledger.value import Json
from runledger.views.experiment import answer, scenarios, timing
from views.experiment_kit import attempt, bench, discarded, experiment, retried, slots, task


def answering(output: Json, **more: object) -> str:
    """Write the answer of a run that ended with this output."""
    asked = experiment(1)
    return answer.render(attempt(asked, slots(asked)[0], output=output, **more))


def launched(*firsts: int, models: tuple[str | None, ...]) -> BenchRecord:
    """Make a record of one task whose attempts name these models, in so many launches."""
    record = bench(len(models) // 2).record
    attempts = (
        replace(one, model=model) for one, model in zip(record.attempts, models, strict=True)
    )
    launches = tuple(Launch("2026-02-15T10:15:30.123Z") for _ in firsts)
    return replace(record, attempts=tuple(attempts), launches=launches, firsts=firsts)


def test_timing_has_a_row_for_the_model_and_one_for_each_attempt() -> None:
    """Seed 004 section 6: mixed rows, the model, then task, condition, seconds, attempt."""
    asked = experiment(1)
    first, second = slots(asked)
    record = bench(1, extra=[retried(asked, first)]).record

    assert (first.condition, second.condition) == ("with", "without")
    assert timing.render(record) == (
        "model_mapping,glm-5\nt1,with,37.750,1\nt1,with,37.750,2\nt1,without,43.000,1\n"
    )


def test_timing_names_the_model_of_each_launch() -> None:
    """Seed 004 section 6: a row for the model per launch; a launch that ran nothing has none."""
    record = launched(0, 2, 2, models=("m1", "m1", None, "m2"))
    rows = [*csv.reader(StringIO(timing.render(record)))]

    assert [row[1] for row in rows if row[0] == "model_mapping"] == ["m1", "m2"]
    assert [len(row) for row in rows] == [2, 4, 4, 2, 4, 4]


def test_timing_says_when_no_model_was_told() -> None:
    """An agent that names no model leaves it unknown."""
    record = launched(0, models=(None, None))

    assert timing.render(record).startswith("model_mapping,unknown\n")


def test_timing_of_a_plan_is_empty() -> None:
    """Nothing ran, so nothing was timed."""
    record = bench(more={"attempts": (), "launches": (), "firsts": ()}).record

    assert timing.render(record) == ""


def test_the_name_of_a_model_stays_in_its_row() -> None:
    """A hostile name is one cell of one line."""
    record = launched(0, models=(HOSTILE, None))
    rows = [*csv.reader(StringIO(timing.render(record)))]

    assert [len(row) for row in rows] == [2, 4, 4]
    assert "\x1b" not in timing.render(record)


def test_every_run_that_counts_has_a_file_of_its_own() -> None:
    """Seed 004 section 6: runs/<task>-<condition>.md, and -t2 for a second trial."""
    record = bench(1, trials=2).record

    assert [name for name, _ in answer.answer_files(record)] == [
        "t1-with.md",
        "t1-with-t2.md",
        "t1-without.md",
        "t1-without-t2.md",
    ]


def test_a_discarded_run_has_no_file() -> None:
    """Its block has none until it has been run again as a whole."""
    asked = experiment(1)
    slot = slots(asked)[0]
    record = bench(1, extra=[discarded(asked, slot)]).record
    so_far = replace(record, attempts=record.attempts[:1])

    assert [*answer.answer_files(so_far)] == []
    assert len([*answer.answer_files(record)]) == 2


def test_an_answer_is_what_the_agent_said() -> None:
    """Markdown, fences and blank lines are its own; a last line without an end gets one."""
    said = "# A heading\n\n```py\nx = 1 | 2\n```\n\n<b>bold</b>"

    assert answering(said) == said + "\n"
    assert answering(said + "\n") == said + "\n"
    assert answering("") == ""


def test_an_object_is_written_so_that_people_can_read_it() -> None:
    """It is still the same JSON."""
    assert answering({"b": [1, "é"], "a": None}) == (
        '{\n  "b": [\n    1,\n    "é"\n  ],\n  "a": null\n}\n'
    )


def test_an_answer_cannot_drive_a_terminal() -> None:
    """Whoever prints the file sees escapes."""
    for text in (answering(HOSTILE), answering({"a": HOSTILE})):
        assert text.encode()
        assert not {"\x1b", "\x9b", "\x00", "\u202e"} & {*text}


def test_a_run_that_timed_out_says_so() -> None:
    """There is no answer, and a line that Markdown does not show says why."""
    assert answering("", timed_out=True, duration_s=1800.0) == (
        "<!-- timed out after 30m 00s -->\n"
    )


def test_scenarios_tell_the_conditions() -> None:
    """Seed 004 section 1: a table of what each condition is given and denied."""
    text = scenarios.render(bench(2).record)

    assert text.startswith("# Scenarios: `lens-context`\n\n2 tasks × 2 conditions × 1 trial = 4")
    assert "| condition | baseline | disallowed tools | prompt prefix | prompt suffix |" in text
    assert "| `without` | yes | `Task`, `mcp__lens__get_context` | none | `Total tool" in text
    assert "`<lens_context>`: what `lens context '{prompt}'` prints" in text


def test_scenarios_give_each_suffix_once() -> None:
    """Conditions that share it are named before it."""
    text = scenarios.render(bench(1).record)

    assert text.count("```text\nTotal tool calls made: <number>\nFiles read: <number>\n```") == 1
    assert "After the prompt, in `without`, `with`:" in text


def test_scenarios_without_anything_around_the_prompt() -> None:
    """What a condition does not have is told as none."""
    bare = (Condition("a", baseline=True), Condition("b"))
    asked = experiment(1, conditions=("a", "b"))
    record = replace(bench(1).record, experiment=replace(asked, conditions=bare))

    assert "| `a` | yes | none | none | none |" in scenarios.render(record)


def test_scenarios_tell_every_task() -> None:
    """Seed 004 section 4: the prompt, the criteria with their checks, and what else is known."""
    text = scenarios.render(bench([task(3)]).record)

    assert "### `t3`\n\n```text\nWhere is part 3 of the parser, and who calls it?\n```\n" in text
    assert (
        "1. `c1`: names the file src/part3_1.py; checked by machine: contains `part3_1.py`\n"
        "2. `c2`: names the file src/part3_2.py\n"
    ) in text
    assert 'Metadata: `{"repo":"repo-1"}`' in text


def test_several_turns_stand_below_each_other() -> None:
    """A list of texts is a talk."""
    assert "```text\nfirst\nsecond\n```" in scenarios.render(
        bench([task(1, input=["first", "second"])]).record
    )
