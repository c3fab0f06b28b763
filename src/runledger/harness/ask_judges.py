"""Put the questions of an experiment to programs that judge, several at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TypeAlias

from ..errors import Interrupted
from ..graders.answers import Answer, verdict_on
from ..graders.judges import Opinion, ProgramJudge, question_of
from ..graders.verdict import Fault, told_fault
from ..ledger.criterion import Criterion
from ..ledger.fingerprint import preview, show_name
from ..ledger.printable import printable
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from .in_order import in_order
from .verdict_book import PATIENCE, Patience, VerdictBook

Tell: TypeAlias = Callable[[str], None]
Progress: TypeAlias = Callable[[int, int], None]
"""Be told how many questions are answered, of how many."""

MOST_VOID = 5  # quotes of a judge that are told one by one
QUOTE_CHARS = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked once, and the answers that it is asked about: all say the same."""

    judge: ProgramJudge
    criterion: Criterion
    fields: Mapping[str, Json]
    key: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a question to a judge."""

    judge: str
    asked: bool = True
    void: bool = False
    fault: bool = False
    told: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Say whether it brought a verdict that counts."""
        return self.asked and not self.void and not self.fault


@dataclass(frozen=True, slots=True)
class Court:
    """Who writes verdicts down, who ends judges, and how much is borne with them."""

    book: VerdictBook
    supervisor: Supervisor
    patience: Patience


def questions_on(
    answers: Iterable[Answer], judges: Sequence[ProgramJudge], seed: int
) -> list[Question]:
    """List what there is to ask, each question once, in an order drawn from the seed."""
    found: dict[str, Question] = {}
    for answer, criterion, judge in _triples(answers, judges):
        fields = question_of(answer.task, criterion, answer.seen)
        key = judge.key(fields)
        same = found.get(key) or Question(judge, criterion, fields, key, ())
        found[key] = replace(same, answers=(*same.answers, answer))
    questions = list(found.values())
    Random(f"{seed}:judges").shuffle(questions)
    return questions


def reuse(question: Question, book: VerdictBook) -> bool:
    """Write down for every answer what was said before to the very same question, if anything."""
    before = book.answer(question.key)
    if before is None:
        return False
    opinion = Opinion(before.verdict, before.quote, before.reasoning)
    _write(question, opinion, book)
    return True


def ask_judges(
    questions: Sequence[Question], court: Court, jobs: int, tell: Tell, progress: Progress
) -> list[Said]:
    """Ask every question; each verdict is written down as soon as it is given."""
    said = list[Said]()
    void = Counter[str]()
    for one in in_order(questions, partial(_ask, court), jobs):
        void[one.judge] += one.void
        if not one.void or void[one.judge] <= MOST_VOID:
            for line in one.told:
                tell(printable(line))
        said.append(one)
        progress(len(said), len(questions))
    for line in _told_further(void):
        tell(printable(line))
    return said


def _triples(
    answers: Iterable[Answer], judges: Sequence[ProgramJudge]
) -> Iterator[tuple[Answer, Criterion, ProgramJudge]]:
    for answer in answers:
        for criterion in answer.task.criteria:
            if not criterion.has_check:
                yield from ((answer, criterion, judge) for judge in judges)


def _told_further(void: Mapping[str, int]) -> Iterator[str]:
    for judge, number in void.items():
        if (more := number - MOST_VOID) > 0:
            verdicts = "verdict is" if more == 1 else "verdicts are"
            why = "for a quote that is not in the answer"
            yield f"judge {show_name(judge)}: {more} more {verdicts} void {why}"


def _ask(court: Court, question: Question) -> Said:
    judge = question.judge.id
    if court.supervisor.stop.requested:
        raise Interrupted("stopped by a signal")
    if court.patience.is_lost(judge):
        return Said(judge, asked=False)
    try:
        opinion = question.judge.ask(question.fields)
    except Fault as fault:
        return _faulty(court, question, fault)
    court.patience.praise(judge)
    _write(question, opinion, court.book)
    if opinion.void is None:
        return Said(judge)
    quote = preview(opinion.quote, QUOTE_CHARS)
    return Said(
        judge, void=True, told=(f"{_place(question)}: its quote is not in the answer: {quote}",)
    )


def _faulty(court: Court, question: Question, fault: Fault) -> Said:
    if court.supervisor.stop.requested:  # it was ended by us, and can be asked again
        raise Interrupted("stopped by a signal")
    _write(question, Opinion(None, void=told_fault(fault)), court.book)
    judge = question.judge.id
    told = told_fault(fault, f"{_place(question)}: ")
    if not court.patience.blame(judge):
        return Said(judge, fault=True, told=(told,))
    enough = f"judge {show_name(judge)} is given up: {PATIENCE} faults, and not one good answer"
    return Said(judge, fault=True, told=(told, enough))


def _place(question: Question) -> str:
    """Say who was asked what; of which condition, nobody is told."""
    judge, task = show_name(question.judge.id), question.answers[0].task.id
    return f"judge {judge}, task {task}, criterion {question.criterion.id}"


def _write(question: Question, opinion: Opinion, book: VerdictBook) -> None:
    for answer in question.answers:
        verdict = verdict_on(answer, question.criterion, question.judge.id, question.key)
        book.write(
            replace(
                verdict,
                verdict=opinion.word,
                quote=opinion.quote,
                reasoning=opinion.reasoning,
                void=opinion.void,
            )
        )
