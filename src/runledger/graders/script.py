"""Judge by a program that the suite names: a trial in on standard input, a verdict out."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from typing import ClassVar

from ..ledger.cut import beginning
from ..ledger.grade import Grade
from ..ledger.question import Question
from ..ledger.suite import fill_in
from ..ledger.trajectory import Trajectory
from ..process.supervisor import Launch
from . import Place, judge_trial
from .program import ask_program
from .verdict import Signature, Verdict, grade_by


@dataclass(frozen=True, slots=True)
class ScriptGrader:
    """Judge by a program in any language."""

    name: ClassVar[str] = "script"
    command: tuple[str, ...]
    place: Place

    def grade(self, trajectory: Trajectory) -> Grade:
        """Ask the program about a trial."""
        return judge_trial(self, trajectory, self.place)

    def judge(self, question: Question) -> Grade:
        """Ask the program about one answer."""
        told = f"{beginning(shlex.join(self.command), 200)}: "
        signature = Signature(self.name, told, {"command": list(self.command)})
        return grade_by(signature, lambda: self._verdict(question))

    def _verdict(self, question: Question) -> Verdict:
        place = self.place
        argv = fill_in(self.command, python=place.python, suite=place.directory)
        launch = Launch(argv, place.directory, dict(os.environ))
        return ask_program(launch, question, place.supervisor, place.timeout_s)
