"""What a grader of the user's says of an answer: checked, and made into a grade."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..ledger.cut import beginning, ending
from ..ledger.fingerprint import preview
from ..ledger.grade import Failure, Grade, assertion_failure, grade_of
from ..ledger.value import Json

REASONING_CAP = 32 * 1024


class Fault(Exception):
    """Say what is wrong with the grader itself, and keep what was seen of it."""

    def __init__(self, reason: str, seen: Mapping[str, Json] | None = None) -> None:
        self.seen = dict(seen or {})
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a grader said, checked."""

    passed: bool
    score: float
    reasoning: str | None
    outcome: Json


@dataclass(frozen=True, slots=True)
class Signature:
    """Who judges: the name its grades are signed with, and what messages and details add to it."""

    name: str
    told: str = ""
    details: Mapping[str, Json] = field(default_factory=dict)


def grade_by(signature: Signature, ask: Callable[[], Verdict]) -> Grade:
    """Ask a grader; if it cannot answer, that is its own fault and not the agent's."""
    try:
        verdict = ask()
    except Fault as fault:
        return grade_of(signature.name, [_grader_error(signature, fault)])
    failures = () if verdict.passed else (_failure(signature, verdict),)
    return Grade(
        signature.name, verdict.passed, verdict.score, failures, verdict.reasoning, verdict.outcome
    )


def verdict_in(answer: Json) -> Verdict:
    """Read the verdict in a grader's answer, or raise the fault that says what was found."""
    if not isinstance(answer, Mapping):
        raise Fault(f"its answer is not an object with pass and score; found {preview(answer, 60)}")
    passed, score, reasoning = answer.get("pass"), answer.get("score"), answer.get("reasoning")
    if not isinstance(passed, bool):
        raise Fault(f'"pass" must be true or false, found {shown(answer, "pass")}')
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise Fault(f'"score" must be a number from 0 to 1, found {shown(answer, "score")}')
    if not isinstance(reasoning, (str, type(None))):
        raise Fault(f'"reasoning" must be text, found {shown(answer, "reasoning")}')
    kept = reasoning if reasoning is None else beginning(reasoning, REASONING_CAP)
    return Verdict(passed, float(score), kept, answer.get("outcome"))


def told_reasoning(reasoning: str | None) -> str:
    """Give what a failing verdict's message ends with."""
    return beginning(reasoning or "it gave no reasoning", 500)


def told_fault(fault: Fault, before: str = "") -> str:
    """Tell a fault, and below it what its program printed."""
    printed, said = str(fault.seen.get("stdout", "")), str(fault.seen.get("stderr", ""))
    seen = {"printed": preview(printed, 200) if printed else "", "stderr": ending(said, 300)}
    lines = [f"{where}: {text.strip()}" for where, text in seen.items() if text.strip()]
    return "\n".join([f"{before}{fault}", *lines])


def shown(answer: Mapping[str, Json], key: str) -> str:
    """Show what an answer says under a key."""
    return preview(answer[key], 60) if key in answer else "nothing"


def _failure(signature: Signature, verdict: Verdict) -> Failure:
    found: Json = {"pass": False, "score": verdict.score}
    return assertion_failure(
        signature.name,
        f"{signature.told}{told_reasoning(verdict.reasoning)}",
        path="$",
        expected={"pass": True},
        found=found,
    )


def _grader_error(signature: Signature, fault: Fault) -> Failure:
    told = told_fault(fault, f"{signature.name}: {signature.told}")
    details = {"assertion": signature.name, **signature.details, **fault.seen}
    return Failure("grader_error", told, details)
