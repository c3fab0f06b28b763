"""Check what faults on purpose mean, beside each other and beside the proxies they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import Finding
from ..ledger.proxy import Fault, Kind
from .document import InjectDoSpec, InjectSpec
from .source import Source, Steps, line_of, point

_ENDS = ("status", "reset", "cut_after_frames", "malformed")  # a request ends in one way


def check_inject(
    source: Source,
    specs: Sequence[InjectSpec] | None,
    kinds: frozenset[Kind] | None,
    before: Sequence[Fault] = (),
) -> Iterator[Finding]:
    """Find faults that nobody could meet, or that contradict each other.

    `kinds` are those that the suite has a proxy for, None where that is not known; `before` are
    the faults of the suite, where these are a case's.
    """
    taken = {(fault.kind, fault.nth): "in the suite's inject" for fault in before}
    for index, spec in enumerate(specs or ()):
        steps, on = ("inject", index), spec.on
        if (told := _fault_problem(spec.do)) is not None:
            yield point(source, (*steps, "do"), told)
        if kinds is not None and on.kind not in kinds:
            yield point(source, (*steps, "on", "kind"), _no_proxy(on.kind))
        here = f"on line {line_of(source, steps)}"
        if taken.setdefault((on.kind, on.nth), here) is not here:
            where = taken[on.kind, on.nth]
            told = f"request {on.nth} of kind {on.kind} has a fault {where} already"
            yield point(source, _nth(spec, steps), told)


def _fault_problem(do: InjectDoSpec) -> str | None:
    given = ((end, getattr(do, end)) for end in _ENDS)
    ends = [end for end, value in given if value is not None and value is not False]  # 0 counts
    if not ends and not do.delay_ms:
        return f"needs one of {', '.join(_ENDS)}, or delay_ms"
    if len(ends) > 1:
        return f"has {' and '.join(ends)}, and a request can end in one way only; choose one"
    return None


def _nth(spec: InjectSpec, steps: Steps) -> Steps:
    """Point at the number where it was written."""
    return (*steps, "on", "nth") if "nth" in spec.on.model_fields_set else (*steps, "on")


def _no_proxy(kind: Kind) -> str:
    return f"{kind} needs proxies.{kind} in suite.yaml: nothing else stands where a fault could be"
