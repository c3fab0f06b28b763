"""verdicts.jsonl, written and read back."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from runledger.errors import StoreError, UsageError
from runledger.ledger.attempt import Slot
from runledger.ledger.verdict import CriterionVerdict
from runledger.store.redact.redactor import Redactor
from runledger.store.verdicts import VerdictLog, read_verdicts

MET = CriterionVerdict(Slot("t1", "with", 1), 1, "c1", "j1", "met", "a lock", "it says so", key="k")
VOID = CriterionVerdict(Slot("t1", "with", 1), 1, "c2", "j1", None, void="it crashed", key="k2")


def write(path: Path, *verdicts: CriterionVerdict, secrets: tuple[str, ...] = ()) -> None:
    """Append verdicts."""
    with closing(VerdictLog(path, Redactor(secrets))) as log:
        for verdict in verdicts:
            log.append(verdict)


def test_verdicts_come_back_as_they_were_written(tmp_path: Path) -> None:
    """Nothing is lost on the way."""
    write(tmp_path / "v", MET, VOID)

    assert read_verdicts(tmp_path / "v") == (MET, VOID)


def test_a_line_has_the_keys_of_the_format(tmp_path: Path) -> None:
    """What a judge did not say is left out."""
    write(tmp_path / "v", MET, VOID)
    met, void = (json.loads(line) for line in (tmp_path / "v").read_text().splitlines())

    assert met == {
        "task_id": "t1",
        "condition": "with",
        "trial": 1,
        "attempt": 1,
        "criterion": "c1",
        "judge": "j1",
        "verdict": "met",
        "quote": "a lock",
        "reasoning": "it says so",
        "key": "k",
    }
    assert void["verdict"] is None
    assert void["void"] == "it crashed"
    assert "quote" not in void


def test_the_last_word_of_a_judge_counts_and_the_order_is_stable(tmp_path: Path) -> None:
    """Whatever the order of the lines, verdicts come sorted."""
    later = CriterionVerdict(Slot("t1", "with", 1), 1, "c2", "j1", "partial", key="k2")
    other = CriterionVerdict(Slot("t0", "with", 1), 1, "c2", "j2", "missed", key="k3")
    write(tmp_path / "v", VOID, other, MET, later)

    assert read_verdicts(tmp_path / "v") == (other, MET, later)


def test_no_file_means_no_verdict(tmp_path: Path) -> None:
    """A run that nobody judged yet has none."""
    assert read_verdicts(tmp_path / "v") == ()


def test_a_torn_last_line_is_left_out_and_cut_off(tmp_path: Path) -> None:
    """A kill while a line is written costs that line alone."""
    file = tmp_path / "v"
    write(file, MET)
    with file.open("a") as end:
        end.write('{"task_id":"t1","cond')

    assert read_verdicts(file) == (MET,)
    write(file, VOID)
    assert read_verdicts(file) == (MET, VOID)


@pytest.mark.parametrize("line", ["{}", "[]", "no", '{"verdict":"maybe"}'])
def test_a_line_that_is_no_verdict_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    """A damaged file is something to look at, and nothing to guess about."""
    file = tmp_path / "v"
    write(file, MET)
    with file.open("a") as end:
        end.write(line + "\n")

    with pytest.raises(UsageError, match="v:2: this is no verdict"):
        read_verdicts(file)


def test_secrets_in_what_a_judge_says_stay_out(tmp_path: Path) -> None:
    """Quote, reasoning and fault are cleaned; the key of the question is none of theirs."""
    said = "the password is hunter2-hunter2"
    verdict = CriterionVerdict(
        Slot("t", "a", 1), 1, "c", "j", "met", said, said, said, key="0f" * 32
    )
    write(tmp_path / "v", verdict, secrets=("hunter2-hunter2",))
    text = (tmp_path / "v").read_text()

    assert "hunter2" not in text
    assert "0f" * 32 in text


def test_two_cannot_judge_one_run_at_once(tmp_path: Path) -> None:
    """The second is told, and nothing is mixed."""
    first = VerdictLog(tmp_path / "v", Redactor())
    with closing(first), pytest.raises(StoreError, match="another process"):
        VerdictLog(tmp_path / "v", Redactor())
