"""What a turn of a command-line agent came to: its answer, its error, what it used."""

from __future__ import annotations

from ...ledger.adapter import ErrorRule, ResultRules, UsageRule
from ...ledger.cut import beginning
from ...ledger.figure import Number
from ...ledger.pattern import found_in
from ...ledger.usage import Usage
from ...ledger.value import Absent, Json
from .match import as_text, first_of, spots
from .steps import Known, usage_at

MESSAGE_CHARS = 4000
UNSAID = "the agent reported an error without saying which"


class Result:
    """What the lines of a turn have told of its result; of each, the last telling counts."""

    def __init__(self, rules: ResultRules, known: Known) -> None:
        self.text: str | None = None
        self.came_to_one = False  # even if it has no text
        self.error: str | None = None
        self.usage: Usage | None = None
        self._rules = rules
        self._known = known
        self._spent = known.spent  # before this turn

    def learn(self, line: Json) -> None:
        """Remember what a line tells."""
        for rule in self._rules.text:
            for spot in spots(line, rule.when, (rule.path,)):
                self.came_to_one = True
                found = first_of(spot, rule.path)
                self.text = self.text if isinstance(found, Absent) else as_text(found)
        for error in self._rules.error:
            self.error = _error_in(line, error) or self.error
        for told in self._rules.usage:
            if usage := _usage_in(line, told, self._known):
                self.usage = self._of_this_turn(usage, told)

    def _of_this_turn(self, usage: Usage, rule: UsageRule) -> Usage:
        if rule.covers == "turn":
            return usage
        self._known.spent = usage
        return _since(self._spent, usage)


def _error_in(line: Json, rule: ErrorRule) -> str | None:
    for spot in spots(line, rule.when, (rule.message,)):
        found = first_of(spot, rule.message)
        message = "" if isinstance(found, Absent) else as_text(found)
        if rule.pattern is None or found_in(rule.pattern, message):
            return beginning(message, MESSAGE_CHARS) or UNSAID
    return None


def _usage_in(line: Json, rule: UsageRule, known: Known) -> Usage | None:
    found = [
        usage_at(spot, rule.fields, known) for spot in spots(line, rule.when, rule.fields.values())
    ]
    return next((one for one in reversed(found) if one is not None), None)


def _since(before: Usage, now: Usage) -> Usage:
    """Take what was used before from a sum; where that is more, the agent began its sum anew."""
    return Usage(
        tokens_in=_more(before.tokens_in, now.tokens_in),
        tokens_out=_more(before.tokens_out, now.tokens_out),
        cost_usd=_more(before.cost_usd, now.cost_usd),
        model=now.model,
    )


def _more(before: Number | None, now: Number | None) -> Number | None:
    return now - before if now is not None and before is not None and now >= before else now
