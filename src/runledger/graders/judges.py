"""Ask a judge: one criterion and one answer in, met, partial or missed out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..ledger.criterion import Criterion
from ..ledger.cut import beginning
from ..ledger.experiment import WORDS, JudgeProgram, Word
from ..ledger.fingerprint import fingerprint
from ..ledger.suite import fill_in
from ..ledger.task import Task
from ..ledger.value import Json
from ..process.supervisor import Launch, Supervisor
from .program import OutOfTime, answer_of
from .verdict import REASONING_CAP, Fault, shown

TIMEOUT_S = 300.0
NOT_QUOTED = "the quote is not in the answer"

_BOM = b"\xef\xbb\xbf"
_FENCED = re.compile(
    rb"\s*(?P<ticks>`{3,}|~{3,})[ \t]*(?:json)?[ \t\r]*\n(?P<inside>.*\n)[ \t]*(?P=ticks)\s*",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge says of one criterion; `void` says why it does not count, where it does not."""

    word: Word | None
    quote: str | None = None
    reasoning: str | None = None
    void: str | None = None


class ProgramJudge:
    """A judge that is a program of the user's, with a fingerprint of what it is made of."""

    def __init__(
        self, program: JudgeProgram, directory: str, supervisor: Supervisor, timeout_s: float
    ) -> None:
        self.id = program.id
        self._argv = fill_in(program.command, python=sys.executable, suite=directory)
        self._directory = directory
        self._supervisor = supervisor
        self._timeout_s = timeout_s
        self._made_of: list[Json] = [
            program.id,
            list(program.command),
            _contents(self._argv, directory),
        ]

    def key(self, question: Mapping[str, Json]) -> str:
        """Give what is the same whenever the same judge is asked the same."""
        return fingerprint([*self._made_of, question])

    def ask(self, question: Mapping[str, Json]) -> Opinion:
        """Ask about one criterion of one answer, or raise the fault that the judge has."""
        launch = Launch(self._argv, self._directory, dict(os.environ))
        limit_s = self._timeout_s
        try:
            opinion = answer_of(
                launch, question, self._supervisor, limit_s, _opinion_in, _unwrapped
            )
        except OutOfTime as fault:
            told = f"{fault}; --judge-timeout sets how long it may take"
            raise Fault(told, fault.seen) from None
        return _with_true_quote(opinion, str(question["output"]))


def question_of(task: Task, criterion: Criterion, seen: str) -> dict[str, Json]:
    """Write the question that a judge reads; nothing in it is of a condition."""
    return {
        "task": {"id": task.id, "input": task.input},
        "criterion": {"id": criterion.id, "text": criterion.text},
        "output": seen,
    }


def _unwrapped(printed: bytes) -> bytes:
    """Take off a byte order mark, and the fence that models put around what they say.

    A fence with anything beside it stays: a judge may quote one that an agent wrote.
    """
    text = printed.removeprefix(_BOM)
    fenced = _FENCED.fullmatch(text)
    return text if fenced is None else fenced["inside"]


def _opinion_in(answer: Mapping[str, Json]) -> Opinion:
    said = answer.get("verdict")
    lower = said.lower() if isinstance(said, str) else said
    word = next((word for word in WORDS if word == lower), None)
    if word is None:
        known = ", ".join(f'"{one}"' for one in WORDS)
        raise Fault(f'"verdict" must be one of {known}, found {shown(answer, "verdict")}')
    reasoning = _text(answer, "reasoning")
    kept = reasoning if reasoning is None else beginning(reasoning, REASONING_CAP)
    return Opinion(word, _text(answer, "quote"), kept)


def _text(answer: Mapping[str, Json], key: str) -> str | None:
    said = answer.get(key)
    if said is not None and not isinstance(said, str):
        raise Fault(f'"{key}" must be text, found {shown(answer, key)}')
    return said if said and said.strip() else None


def _with_true_quote(opinion: Opinion, seen: str) -> Opinion:
    """Void an opinion whose quote is nowhere in what the judge saw, spaces and line ends aside."""
    if opinion.quote is None or _joined(opinion.quote) in _joined(seen):
        return opinion
    return Opinion(opinion.word, opinion.quote, opinion.reasoning, NOT_QUOTED)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _contents(argv: list[str], directory: str) -> dict[str, Json]:
    """Hash the files of the experiment's directory that the words of a command name."""
    root = Path(directory).resolve()
    return {name: sha256(file.read_bytes()).hexdigest() for name, file in _named(argv, root)}


def _named(argv: list[str], root: Path) -> Iterator[tuple[str, Path]]:
    for word in argv:
        for name in dict.fromkeys((word, word.partition("=")[2])):  # --rubric=rubric.md
            if name and (file := _file(name, root)) is not None:
                yield file.relative_to(root).as_posix(), file


def _file(name: str, root: Path) -> Path | None:
    try:
        file = (root / name).resolve()
        return file if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return None
