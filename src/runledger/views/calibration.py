"""Failing answers as Markdown, for a person to say whether the grader was right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..ledger.calibration import Calibration, Review
from ..ledger.captured import Captured
from ..ledger.fingerprint import canonical_dumps
from ..ledger.grade import Grade, is_fault
from ..ledger.printable import inert, one_line
from ..ledger.value import Json
from .look import count
from .markup import code, fenced

NAME_CHARS = 100
TEXT_CHARS = 2000
STEP_CHARS = 200
STEPS = 8  # half of them the first ones, half the last

_HOW = """\
For each answer, tick what is true:

- **Valid failure**: the answer is wrong, and the grader saw it.
- **Grader bug**: the answer is right, and the grader is wrong.
- **Ambiguous**: the prompt or what it expects leaves it open.
"""
_REVIEW = """\
**Review:**

- [ ] Valid failure
- [ ] Grader bug
- [ ] Ambiguous
"""


def render_calibration(calibration: Calibration) -> str:
    """Write the document that a person goes through."""
    reviews = calibration.reviews
    head = ["# Grader calibration\n", _figures(calibration), *_agreement(calibration), _HOW]
    samples = [_sample(number, one) for number, one in enumerate(reviews, start=1)]
    return "\n".join([*head, *samples])


def _figures(calibration: Calibration) -> str:
    shown, failing, seen = len(calibration.reviews), calibration.failing, calibration.seen
    return f"{shown} of {failing} failing answers, in {count(seen, 'trial')}.\n"


def _agreement(calibration: Calibration) -> Iterator[str]:
    """Tell how often two graders agree, on answers that the first one failed or could not judge."""
    if calibration.grader is None:
        return
    pairs = [_pair(one) for one in calibration.reviews]
    agree = sum(first is second for first, second in pairs if None not in (first, second))
    compared = sum(None not in pair for pair in pairs)
    faults = sum(second is None for _, second in pairs)
    yield (
        f"Second grader: {code(calibration.grader, NAME_CHARS)}: "
        f"agrees {agree}, disagrees {compared - agree}, grader errors {faults}, "
        f"not judged by the first {sum(first is None for first, _ in pairs)}.\n"
    )


def _pair(review: Review) -> tuple[bool | None, bool | None]:
    return review.captured.passed, _passed(review.second)


def _passed(grade: Grade | None) -> bool | None:
    return None if grade is None or is_fault(grade) else grade.passed


def _sample(number: int, review: Review) -> str:
    captured = review.captured
    trial = f", trial {captured.trial}" if captured.trial != 1 else ""
    parts = [f"---\n\n## Sample {number}: {code(captured.id, NAME_CHARS)}{trial}\n"]
    parts += _text("Input", captured.input)
    if captured.expected is not None:
        parts += _text("Expected", captured.expected)
    parts += _text("Output", captured.output)
    parts += _original(captured)
    parts += _second(review.second)
    if captured.trajectory:
        parts += [f"**Trajectory:**\n\n{fenced(inert(_steps(captured.trajectory)))}"]
    return "\n".join([*parts, _REVIEW])


def _text(title: str, value: Json) -> Iterator[str]:
    yield f"**{title}:**\n\n{fenced(inert(_bounded(value)))}"


def _bounded(value: Json) -> str:
    text = value if isinstance(value, str) else canonical_dumps(value)
    if len(text) <= TEXT_CHARS:
        return text
    return f"{text[:TEXT_CHARS]}… ({len(text):,} characters in all)"


def _original(captured: Captured) -> Iterator[str]:
    score = captured.score
    if score is not None:
        yield f"**Original score:** {_verdict(score.passed, score.score)}\n"
    elif captured.passed is not None:
        yield f"**Original score:** {'PASS' if captured.passed else 'FAIL'}\n"
    else:
        yield "**Original score:** none, for an error\n"
    if score is not None and score.reasoning:
        yield from _text("Reasoning", score.reasoning)
    if captured.errors:
        yield from _text("Errors", "\n".join(captured.errors))


def _second(grade: Grade | None) -> Iterator[str]:
    if grade is None:
        return
    if is_fault(grade):
        yield from _text("Re-scored: grader error", grade.failures[0].message)
        return
    yield f"**Re-scored:** {_verdict(grade.passed, grade.score)}\n"
    if grade.reasoning:
        yield from _text("Reasoning of the second grader", grade.reasoning)


def _verdict(passed: bool, score: float) -> str:
    return f"{'PASS' if passed else 'FAIL'} ({score:g})"


def _steps(steps: Sequence[Mapping[str, Json]]) -> str:
    half = STEPS // 2
    if len(steps) <= STEPS:
        return "\n".join(map(_step, steps))
    left_out = f"… {len(steps) - STEPS:,} steps left out …"
    return "\n".join([*map(_step, steps[:half]), left_out, *map(_step, steps[-half:])])


def _step(step: Mapping[str, Json]) -> str:
    kind = str(step["type"])
    if kind == "tool_call":
        given = canonical_dumps(step.get("input"))
        told = f"{step.get('name')} -> {step.get('status')} {given}"
    elif kind == "plan":
        told = canonical_dumps(step.get("entries"))
    else:
        told = str(step.get("content", ""))
    return one_line(f"[{kind}] {told}", STEP_CHARS)
