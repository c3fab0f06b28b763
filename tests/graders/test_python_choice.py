"""What the name of a grader on the command line stands for, and what is said when it is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from runledger.errors import UsageError
from runledger.graders import Place
from runledger.graders.choice import check_grader_choice, sign
from runledger.graders.custom import CustomGrader
from runledger.graders.hosts import Hosts
from runledger.ledger.question import Question
from runledger.process.supervisor import Supervisor

GRADE = "def grade(): return {'pass': True, 'score': 1, 'reasoning': %r}\n"
SCRIPT = """#!/bin/sh\necho '{"pass": true, "score": 1, "reasoning": "%s"}'\n"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a directory of the caller's."""
    with Supervisor() as supervisor, Hosts(supervisor, str(tmp_path)) as hosts:
        yield Place("/", supervisor, 30.0, caller=str(tmp_path), hosts=hosts)


def file(place: Place, name: str, text: str, mode: int = 0o644) -> None:
    """Write a file in the caller's directory."""
    path = Path(place.caller, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def said(place: Place, name: str) -> str | None:
    """Let the grader of this name judge, and give its reasoning."""
    check_grader_choice(name, place)
    grade = CustomGrader(name, place).judge(Question("q", "a"))
    assert grade.passed, grade.failures
    return grade.reasoning


def refusal(place: Place, name: str) -> str:
    """Expect that a name is refused, and give the words."""
    with pytest.raises(UsageError) as caught:
        check_grader_choice(name, place)
    return str(caught.value)


def test_a_file_has_a_function_grade(place: Place) -> None:
    """Its own directory is where it imports from."""
    file(place, "lib/beside.py", "WORD = 'beside'")
    file(
        place,
        "lib/check.py",
        "import beside\n" + GRADE.replace("%r", "beside.WORD"),
    )

    assert said(place, "lib/check.py") == "beside"


def test_a_function_of_a_file_can_be_named(place: Place) -> None:
    """Several graders may live in one file."""
    file(place, "check.py", GRADE.replace("grade", "strict") % "strict")

    assert said(place, "check.py:strict") == "strict"


def test_a_function_of_a_module_can_be_named(place: Place) -> None:
    """Modules are found from the caller's directory."""
    file(place, "pack/deep.py", GRADE % "deep")

    assert said(place, "pack.deep:grade") == "deep"


def test_a_program_is_a_file_of_any_language(place: Place) -> None:
    """With or without a leading ./"""
    file(place, "check.sh", SCRIPT % "sh", 0o755)

    assert said(place, "./check.sh") == "sh"
    assert said(place, "check.sh") == "sh"
    assert said(place, str(Path(place.caller, "check.sh"))) == "sh"


def test_a_program_may_be_on_the_path(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs no directory then."""
    file(place, "bin/my-grader", SCRIPT % "path", 0o755)
    monkeypatch.setenv("PATH", f"{place.caller}/bin:/usr/bin:/bin")

    assert said(place, "my-grader") == "path"


def test_a_script_that_may_not_be_executed_is_told_how(place: Place) -> None:
    """The mode and the first line are what is missing most often."""
    file(place, "check.js", "console.log()")
    told = refusal(place, "./check.js")

    assert "chmod +x ./check.js" in told
    assert "#!/usr/bin/env" in told


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.py", "there is no file none.py"),
        ("./none", "there is no such file"),
        ("none-of-this-name", "there is no such file or program"),
        ("none.such:grade", "there is no module none"),
        ("pack:none", "pack has no function none"),
        ("empty.py", "empty.py has no function grade"),
        ("broken.py", "SyntaxError"),
        ("raises.py", "KeyError: 'missing'"),
        ("wants.py", "its parameter result is given to no grader"),
        ("needs.py", "No module named 'not_installed_anywhere'"),
        ("pack", "there is no such file or program"),
    ],
)
def test_a_grader_that_cannot_judge_is_refused_before_anything_starts(
    place: Place, name: str, words: str
) -> None:
    """What is wrong is said, with the name that was given."""
    file(place, "empty.py", "")
    file(place, "broken.py", "def grade(:")
    file(place, "raises.py", "{}['missing']")
    file(place, "wants.py", "def grade(result): pass")
    file(place, "needs.py", "import not_installed_anywhere")
    file(place, "pack/__init__.py", "")
    told = refusal(place, name)

    assert told.startswith(f"grader {name}: ")
    assert words in told


def test_a_directory_is_no_grader(place: Place) -> None:
    """It is said so."""
    file(place, "pack/__init__.py", "")

    assert "it is a directory" in refusal(place, "./pack")


@pytest.mark.parametrize(
    ("name", "signed"),
    [
        ("a/b/check.py", "check.py"),
        ("check.py:strict", "check.py:strict"),
        ("pack.deep:grade", "pack.deep:grade"),
        ("/usr/bin/my-grader", "my-grader"),
        ("budgets", "./budgets"),
    ],
)
def test_a_grader_signs_without_directories(name: str, signed: str) -> None:
    """Machines differ in them; and no grader goes by the name of one of ours."""
    assert sign(name) == signed
