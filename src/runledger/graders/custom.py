"""Judge by the grader that the command line names: a Python function, or any program."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..ledger.grade import Grade
from ..ledger.question import Question
from ..ledger.trajectory import Trajectory
from ..process.supervisor import Launch
from . import Place, judge_trial
from .choice import Program, choice_of, sign
from .program import ask_program
from .verdict import Signature, Verdict, grade_by


@dataclass(frozen=True, slots=True)
class CustomGrader:
    """Judge by the function or program of this name."""

    grader: str
    place: Place

    @property
    def name(self) -> str:
        """Name the grader as its file, function or program is called."""
        return sign(self.grader)

    def grade(self, trajectory: Trajectory) -> Grade:
        """Ask about a trial."""
        return judge_trial(self, trajectory, self.place)

    def judge(self, question: Question) -> Grade:
        """Ask about one answer."""
        return grade_by(Signature(self.name), lambda: self._verdict(question))

    def _verdict(self, question: Question) -> Verdict:
        place = self.place
        choice = choice_of(self.grader, place.caller)
        if isinstance(choice, Program):
            launch = Launch([choice.path], place.caller, dict(os.environ))
            return ask_program(launch, question, place.supervisor, place.timeout_s)
        from .python import ask_function  # a program needs none of it

        return ask_function(choice.address, question, place)
