"""What an agent says that it did."""

from __future__ import annotations

import pytest

from runledger.ledger.attempt import Reported
from runledger.ledger.self_report import reported_in, without_report
from runledger.ledger.value import Json

WHOLE = """The port is 8080.

1. **Total tool calls made:** 12
2. **Files read (count):** 5 (server.py, and four more)
3. **Key findings:**
   - the port is read in server.py
"""


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Total tool calls made: 12", 12),
        ("Tool calls: ~12", 12),
        ("tool calls = about 12 calls.", 12),
        ("**Total tool calls made**: 12", 12),
        ("**Total tool calls made:** 12", 12),
        ("- **Tool calls made:** **12**", 12),
        ("**1. Total tool calls made:** 12", 12),
        ("1. Total tool calls made — 12", 12),
        ("2) Number of tool calls - 12", 12),
        ("> Tool calls: 12", 12),
        ("| Total tool calls made | 12 |", 12),
        ("### Total tool calls made\n\n12", 12),
        ("Total tool calls made:\n- 12", 12),
        ("Tool calls: 1,234", 1234),
        ("Tool calls: 1 234 567", 1234567),
        ("Tool calls: none", 0),
        ("Tool calls: Zero", 0),
        ("Tool calls: three", 3),
        ("Tools used: 4", 4),
        ("Tool calls: 12+", 12),
    ],
)
def test_tool_calls_are_read_in_many_words(text: str, count: int) -> None:
    """Seed 004 section 3: the agent is asked for the total of its tool calls."""
    assert reported_in(f"The answer.\n\n{text}\n") == Reported(tool_calls=count)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Files read (count): 5", 5),
        ("Files read: 5 files", 5),
        ("2. **Files read (count):** 5 (a.py, b.py)", 5),
        ("Total files read: 5", 5),
        ("Number of unique files read: 5", 5),
        ("Files read: no files", 0),
    ],
)
def test_files_read_are_read_in_many_words(text: str, count: int) -> None:
    """Seed 004 section 3: the agent is asked for the count of files it read."""
    assert reported_in(text) == Reported(files_read=count)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I made tool calls.",
        "Files read: server.py",
        "Tool calls: N/A",
        "Tool calls: 2.5",
        "Tool calls: 12th",
        "1. Total tool calls made\n2. Files read (count)\n3. Key findings (bullet list)",
        "The server answers tool calls: 12 of them are slow",
        "Tool calls: " + "9" * 5000,
    ],
)
def test_what_states_no_count_reports_none(text: str) -> None:
    """Prose about tool calls, a list of files, or the question itself are no report."""
    assert reported_in(text) == Reported()


def test_the_last_report_counts() -> None:
    """Agents report between their steps, too."""
    text = "Tool calls: 1\nFiles read: 9\nmore\nTool calls: 2\n"

    assert reported_in(text) == Reported(2, 9)


def test_both_counts_may_stand_on_one_line() -> None:
    """However they are parted."""
    assert reported_in("Total tool calls: 5, files read: 6") == Reported(5, 6)
    assert reported_in("**Tool calls:** 5 | **Files read:** 6") == Reported(5, 6)
    assert reported_in("Tool calls: 5 and files read: 6") == Reported(5, 6)


@pytest.mark.parametrize(
    ("output", "reported"),
    [
        ({"answer": "Tool calls: 3", "more": ["Files read: 2"]}, Reported(3, 2)),
        (None, Reported()),
        (7, Reported()),
        ([], Reported()),
    ],
)
def test_an_output_of_any_shape_may_report(output: Json, reported: Reported) -> None:
    """Every text in it is read."""
    assert reported_in(output) == reported


def test_a_text_without_its_report_keeps_all_else() -> None:
    """Seed 004 section 4: judges see findings, and no counts."""
    assert without_report(WHOLE) == (
        "The port is 8080.\n\n3. **Key findings:**\n   - the port is read in server.py\n"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Tool calls: 12. The port is 8080.\nYes.", "The port is 8080.\nYes."),
        ("a\r\nTool calls: 12\r\nb", "a\r\nb"),
        ("a\nTotal tool calls made:\n12\nb", "a\nb"),
        ("Tool calls: 3; files read: 2; it works", "it works"),
        ("Files read: server.py", "Files read: server.py"),
        ("nothing to report", "nothing to report"),
        ("", ""),
    ],
)
def test_only_counts_are_left_out(text: str, left: str) -> None:
    """What else stands on their line stays."""
    assert without_report(text) == left


@pytest.mark.parametrize(
    "piece",
    ["Tool calls: ", "tool calls: 1 tool calls", " ", "*", "- ", "\n", "total ", "(", "1 000 "],
)
def test_a_huge_answer_is_read_to_its_end(piece: str) -> None:
    """No text makes the reading hang, wherever its report stands."""
    text = piece * 200_000 + "\nTool calls: 7\n"

    assert reported_in(text).tool_calls == 7
    assert without_report(text).count("\n") <= text.count("\n")
