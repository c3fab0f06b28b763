"""Programs as judges, each a real process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from judging_kit import LOCKS, answering, task, write_judge
from runledger.graders.judges import NOT_QUOTED, Opinion, ProgramJudge, question_of
from runledger.graders.verdict import Fault
from runledger.ledger.experiment import JudgeProgram
from runledger.ledger.value import Json
from runledger.process.supervisor import Supervisor

QUESTION = question_of(task(), LOCKS, "The cache\n  takes a lock […] first.")


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """Watch over judges."""
    with Supervisor() as supervisor:
        yield supervisor


def judge(
    directory: Path, supervisor: Supervisor, *command: str, id: str = "j1", timeout_s: float = 30.0
) -> ProgramJudge:
    """Make a judge of a command."""
    return ProgramJudge(JudgeProgram(id, command), str(directory), supervisor, timeout_s)


def opinion(
    directory: Path,
    supervisor: Supervisor,
    source: str,
    question: Mapping[str, Json] = QUESTION,
) -> Opinion:
    """Ask a judge in Python."""
    command = write_judge(directory, "judge.py", source)
    return judge(directory, supervisor, *command).ask(question)


def fault(directory: Path, supervisor: Supervisor, source: str) -> Fault:
    """Expect that a judge in Python is at fault."""
    with pytest.raises(Fault) as found:
        opinion(directory, supervisor, source)
    return found.value


def test_a_judge_reads_task_criterion_and_output(tmp_path: Path, supervisor: Supervisor) -> None:
    """The question has the keys of the contract and no other, and is ASCII."""
    told = opinion(
        tmp_path,
        supervisor,
        'print(json.dumps({"verdict": "partial", "reasoning": json.dumps(question)}))',
        {**QUESTION, "output": "… ü"},
    )

    assert told.word == "partial"
    assert told.reasoning is not None
    assert '"output": "\\u2026 \\u00fc"' in told.reasoning
    assert sorted(QUESTION) == ["criterion", "output", "task"]
    assert QUESTION["task"] == {"id": "t1", "input": "How is the cache kept?"}
    assert QUESTION["criterion"] == {"id": "locks", "text": LOCKS.text}


def test_a_judge_runs_in_the_experiments_directory_with_the_callers_environment(
    tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """{suite} is that directory, and a relative program is found in it."""
    monkeypatch.setenv("RL_JUDGE_SAYS", "hello")
    script = tmp_path / "judge.sh"
    script.write_text(
        "#!/bin/sh\ncat >/dev/null\n"
        'printf \'{"verdict":"met","reasoning":"%s %s %s"}\' "$RL_JUDGE_SAYS" "$PWD" "$1"\n'
    )
    script.chmod(0o755)
    told = judge(tmp_path, supervisor, "./judge.sh", "{suite}").ask(QUESTION)

    assert told.reasoning == f"hello {tmp_path} {tmp_path}"


@pytest.mark.parametrize(
    "quote", ["takes a lock", "The cache takes a lock […]", "cache\n\ttakes", "  lock  "]
)
def test_a_quote_that_is_in_the_answer_counts(
    tmp_path: Path, supervisor: Supervisor, quote: str
) -> None:
    """Only spaces and line ends may differ; what was hidden from the judge may be in the quote."""
    told = opinion(tmp_path, supervisor, answering(verdict="met", quote=quote))

    assert told.quote == quote
    assert told.void is None


@pytest.mark.parametrize("quote", ["takes no lock", "Takes a lock", "takes…lock"])
def test_a_quote_that_is_not_in_the_answer_voids_the_verdict(
    tmp_path: Path, supervisor: Supervisor, quote: str
) -> None:
    """A judge that makes its evidence up is not believed."""
    told = opinion(tmp_path, supervisor, answering(verdict="met", quote=quote))

    assert told.word == "met"
    assert told.void == NOT_QUOTED


@pytest.mark.parametrize("quote", [None, "", "  \n"])
def test_a_verdict_needs_no_quote(
    tmp_path: Path, supervisor: Supervisor, quote: str | None
) -> None:
    """An empty quote is none."""
    told = opinion(tmp_path, supervisor, answering(verdict="missed", quote=quote))

    assert told == Opinion("missed")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("print('met')", "not one JSON object"),
        ("print('[1]')", "not a JSON object"),
        ("pass", "not one JSON object"),
        ("print('{} {}')", "not one JSON object"),
        (answering(verdict="maybe"), '"verdict" must be one of "met", "partial", "missed"'),
        (answering(verdict="met."), 'found "met."'),
        ("print('```json')", "not one JSON object"),
        ('print(\'I say:\\n```json\\n{"verdict": "met"}\\n```\')', "not one JSON object"),
        ("print('```json\\n{}\\n```\\n' * 2)", "not one JSON object"),
        ('print(\'```python\\n{"verdict": "met"}\\n```\')', "not one JSON object"),
        ("print('```json\\nmet\\n```')", "not one JSON object"),
        (answering(verdict=True), "found true"),
        (answering(), "found nothing"),
        (answering(verdict="met", quote=3), '"quote" must be text, found 3'),
        (answering(verdict="met", reasoning=[]), '"reasoning" must be text'),
        ("sys.exit(3)", "it exited with status 3"),
        ("os.kill(os.getpid(), 9)", "it was ended by SIGKILL"),
        ("print('x' * (2 << 20))", "it printed more than"),
    ],
)
def test_rubbish_is_a_fault_that_keeps_what_was_seen(
    tmp_path: Path, supervisor: Supervisor, source: str, reason: str
) -> None:
    """A judge that answers rubbish says nothing of the agent."""
    source = f"print('I am ill', file=sys.stderr)\n{source}"
    found = fault(tmp_path, supervisor, source)

    assert reason in str(found)
    assert "I am ill" in str(found.seen["stderr"])


@pytest.mark.parametrize(
    "printed",
    [
        '```json\n{"verdict": "met"}\n```',
        '\n```\n{\n"verdict": "met"\n}\n```\n\n',
        '~~~~ JSON\r\n{"verdict": "met"}\r\n~~~~\r\n',
        '\ufeff{"verdict": "met"}',
        '\ufeff```json\n{"verdict": "met"}\n```',
        '```json\n{"verdict": "met", "reasoning": ""}\n  ```',
    ],
)
def test_a_fence_and_a_byte_order_mark_are_taken_off(
    tmp_path: Path, supervisor: Supervisor, printed: str
) -> None:
    """Models put what they say between fences."""
    source = f"sys.stdout.buffer.write({printed.encode()!r})"

    assert opinion(tmp_path, supervisor, source) == Opinion("met")


@pytest.mark.parametrize("word", ["MET", "Met", "mEt"])
def test_a_verdict_may_be_in_capitals(tmp_path: Path, supervisor: Supervisor, word: str) -> None:
    """It means the same."""
    assert opinion(tmp_path, supervisor, answering(verdict=word)) == Opinion("met")


def test_a_judge_that_hangs_is_ended(tmp_path: Path, supervisor: Supervisor) -> None:
    """It has its time, and no more; the fault says how much, and how to give it more."""
    command = write_judge(tmp_path, "judge.py", "time.sleep(1000)")
    with pytest.raises(Fault, match="did not finish within 1 s; --judge-timeout"):
        judge(tmp_path, supervisor, *command, timeout_s=1.0).ask(QUESTION)


def test_a_judge_that_is_not_there_is_a_fault(tmp_path: Path, supervisor: Supervisor) -> None:
    """The system's own words say why it could not be started."""
    with pytest.raises(Fault, match=r"could not start '\./none'"):
        judge(tmp_path, supervisor, "./none").ask(QUESTION)


def test_the_key_changes_with_all_that_is_asked_and_who_is_asked(
    tmp_path: Path, supervisor: Supervisor
) -> None:
    """Judge, command, files that the command names, and every part of the question count."""
    (tmp_path / "judge.py").write_text("1")
    (tmp_path / "rubric.md").write_text("1")
    words = ("{python}", "judge.py", "--rubric=rubric.md")
    key = judge(tmp_path, supervisor, *words).key(QUESTION)
    keys = {
        key,
        judge(tmp_path, supervisor, *words, id="j2").key(QUESTION),
        judge(tmp_path, supervisor, *words, "-v").key(QUESTION),
        judge(tmp_path, supervisor, *words).key({**QUESTION, "output": "else"}),
        judge(tmp_path, supervisor, *words).key({**QUESTION, "task": {"id": "t1", "input": "?"}}),
    }
    assert judge(tmp_path, supervisor, *words).key(dict(QUESTION)) == key
    (tmp_path / "judge.py").write_text("2")
    keys.add(judge(tmp_path, supervisor, *words).key(QUESTION))
    (tmp_path / "rubric.md").write_text("2")
    keys.add(judge(tmp_path, supervisor, *words).key(QUESTION))

    assert len(keys) == 7


def test_odd_words_of_a_command_name_no_file(tmp_path: Path, supervisor: Supervisor) -> None:
    """Words that are no paths, or lead elsewhere, are words alone."""
    words = ("x" * 5000, "a\0b", ".", "..", "/etc/hostname", "")

    assert judge(tmp_path, supervisor, *words).key(QUESTION)
