"""Judge the answers of an experiment, blind: by checks, by programs, or by a person's sheet.

A verdict is on disk as soon as it is given, and a question that was answered is not asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import StoreError, SuiteError, UsageError
from ..graders.answers import Answer, answers_in, verdict_on
from ..graders.criteria import checked
from ..graders.judges import TIMEOUT_S, ProgramJudge, question_of
from ..graders.sheet import SHEET, Sheet, render_sheet, sheet_of
from ..graders.sheet_reading import Ticked, read_sheet
from ..ledger.attempt import Attempt
from ..ledger.criterion import Criterion
from ..ledger.findings import BenchRecord
from ..ledger.fingerprint import fingerprint
from ..ledger.verdict import CHECK, MANUAL
from ..process.supervisor import Supervisor
from ..store.lines import is_held
from ..store.verdicts import VERDICTS, Matter, VerdictLog
from ..store.whole import write_new
from .ask_judges import Court, Progress, Tell, ask_judges, questions_on, reuse
from .judging import own_redactor
from .verdict_book import Patience, VerdictBook

MOST_NAMED = 5  # of criteria that nobody judges
WITHDRAWN = "its box is not ticked any more"


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How to judge."""

    jobs: int = 1
    manual: bool = False
    timeout_s: float = TIMEOUT_S  # of a judge, for each question
    others: tuple[Attempt, ...] = ()  # not in the record: what they used is hidden as well


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of the questions: one judge, one criterion, one answer each."""

    checked: int = 0  # by machine
    asked: int = 0  # or ticked on a sheet
    cached: int = 0  # answered before, or by what was said of an equal answer
    void: int = 0  # of those asked, for a quote that is not in the answer
    faults: int = 0  # of those asked: the judge could not answer
    left: int = 0  # that have no verdict that counts
    given_up: tuple[str, ...] = ()  # judges that were not asked to the end
    sheet: Path | None = None  # of a person
    written: bool = False  # the sheet, just now; else it was read


def judge_experiment(
    path: Path,
    record: BenchRecord,
    options: JudgeOptions,
    *,
    supervisor: Supervisor,
    tell: Tell,
    progress: Progress = lambda done, of: None,
) -> Judged:
    """Judge every criterion of every run that counts, as far as it is not judged yet."""
    answers = answers_in(record, options.others)
    with closing(_opened(path / VERDICTS)) as log:
        book = VerdictBook(log, record.verdicts)
        by_check = _check(answers, book)
        if options.manual:
            judged = _by_hand(path, sheet_of(record.run_id, answers, record.seed), book)
        else:
            _refuse_unjudged(record, answers, book)
            court = Court(book, supervisor, Patience())
            judged = _by_judges(record, answers, court, options, tell, progress)
    return replace(judged, checked=by_check)


def _opened(file: Path) -> VerdictLog:
    """Open the log of verdicts, unless somebody else judges the same run now."""
    try:
        return VerdictLog(file, own_redactor())
    except StoreError:
        if not is_held(file):
            raise
    raise UsageError(
        f"{file.parent} is being judged by another process, which is writing {file.name}; wait "
        "until it has finished, then judge again: what it was told is not asked again"
    )


def _check(answers: Sequence[Answer], book: VerdictBook) -> int:
    """Judge what a machine can tell; say how much it was."""
    found = [pair for pair in _pairs(answers) if pair[1].has_check]
    for answer, criterion in found:
        word = checked(criterion, answer.said)
        key = fingerprint([CHECK, criterion.contains, criterion.regex])
        book.write(replace(verdict_on(answer, criterion, CHECK, key), verdict=word))
    return len(found)


def _by_judges(
    record: BenchRecord,
    answers: Sequence[Answer],
    court: Court,
    options: JudgeOptions,
    tell: Tell,
    progress: Progress,
) -> Judged:
    experiment = record.experiment
    judges = [
        ProgramJudge(one, experiment.directory, court.supervisor, options.timeout_s)
        for one in experiment.scoring.judges
    ]
    questions = questions_on(answers, judges, record.seed)
    fresh = [one for one in questions if not reuse(one, court.book)]
    said = ask_judges(fresh, court, options.jobs, tell, progress)
    answered = sum(len(one.answers) for one in questions if court.book.answer(one.key))
    return Judged(
        asked=sum(one.asked for one in said),
        cached=answered - sum(one.good for one in said),
        void=sum(one.void for one in said),
        faults=sum(one.fault for one in said),
        left=sum(len(one.answers) for one in questions) - answered,
        given_up=tuple(one.id for one in judges if court.patience.is_lost(one.id)),
    )


def _refuse_unjudged(record: BenchRecord, answers: Sequence[Answer], book: VerdictBook) -> None:
    """Raise UsageError for criteria that nobody is there to judge."""
    if record.experiment.scoring.judges:
        return
    open_pairs = (pair for pair in _pairs(answers) if not _is_told(*pair, book))
    left = dict.fromkeys(f"{answer.task.id}/{criterion.id}" for answer, criterion in open_pairs)
    if not left:
        return
    named = ", ".join([*left][:MOST_NAMED])
    more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
    raise UsageError(
        f"{record.experiment.file}: nobody judges the criteria {named}{more}; name a program under "
        "scoring.judges, give each a check that a machine can make, or judge them yourself: "
        "bench judge --manual"
    )


def _by_hand(path: Path, sheet: Sheet, book: VerdictBook) -> Judged:
    """Write the sheet of a person who judges, or read it where there is one."""
    file = path / SHEET
    written = not file.exists()
    if written:
        text = render_sheet(sheet, own_redactor().text)
        write_new(file, text.encode("utf-8", "backslashreplace"))
        ticked = list[Ticked]()
    else:
        ticked = _read(sheet, file)
    for one in ticked:
        _note(one, book)
    left = sum(not _is_told(*pair, book) for pair in _pairs(sheet.answers))
    told = sum(one.word is not None for one in ticked)
    return Judged(asked=told, left=left, sheet=file, written=written)


def _read(sheet: Sheet, file: Path) -> list[Ticked]:
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    ticked, findings = read_sheet(sheet, text, str(file), own_redactor().text)
    if findings:
        raise SuiteError(findings)
    return ticked


def _note(one: Ticked, book: VerdictBook) -> None:
    question = question_of(one.answer.task, one.criterion, one.answer.seen)
    verdict = verdict_on(one.answer, one.criterion, MANUAL, fingerprint([MANUAL, question]))
    if one.word is not None:
        book.write(replace(verdict, verdict=one.word))
    elif book.last(_matter(one.answer, one.criterion, MANUAL)) is not None:
        book.write(replace(verdict, void=WITHDRAWN))


def _is_told(answer: Answer, criterion: Criterion, book: VerdictBook) -> bool:
    """Say whether a machine or a person has judged a criterion."""
    return any(book.last(_matter(answer, criterion, who)) is not None for who in (CHECK, MANUAL))


def _matter(answer: Answer, criterion: Criterion, judge: str) -> Matter:
    return answer.attempt.slot, answer.attempt.number, criterion.id, judge


def _pairs(answers: Sequence[Answer]) -> Iterator[tuple[Answer, Criterion]]:
    return ((answer, criterion) for answer in answers for criterion in answer.task.criteria)
