"""When a run is slower than its baseline by more than is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isclose

from ..ledger.regression import Check
from .matched import NOT_SET, Matched, Pair, Ruling, change_pct


def answered(matched: Matched) -> Sequence[Pair]:
    """List the cases that answered on both sides: only their durations can be compared."""
    return [pair for pair in matched.pairs if pair.before.wall_ms and pair.now.wall_ms]


def judge_slowness(draft: Check, matched: Matched) -> Ruling:
    """Settle a check whose durations in ms are known: percent of growth against the threshold."""
    before, now, allowed = draft.baseline, draft.current, draft.threshold
    if before is None or now is None:
        return Ruling(replace(draft, note="no case answered both now and in the baseline"))
    if before == 0:
        return Ruling(
            replace(draft, note="the baseline's duration is 0, of which nothing is a percentage")
        )
    told = replace(draft, delta=change_pct(now, before))
    if allowed is None:
        return Ruling(replace(told, note=NOT_SET))
    if not _over(told.delta, allowed):
        return Ruling(replace(told, status="pass"))
    if now - before < matched.thresholds.abs_floor_ms:
        floor = f"a change under {matched.thresholds.abs_floor_ms} ms (abs_floor_ms) does not count"
        return Ruling(replace(told, status="pass", note=floor))
    if _counts(matched):
        return Ruling(replace(told, status="fail"))
    return Ruling(replace(told, status="warn", note=_why_only_a_warning(matched)))


def _over(delta: float | None, allowed: float) -> bool:
    return delta is not None and delta > allowed and not isclose(delta, allowed, rel_tol=1e-9)


def _counts(matched: Matched) -> bool:
    """Say whether slowness fails the gate: in a replay the machine is timed more than the agent."""
    if matched.thresholds.latency_gate is None:
        return matched.summary.record.manifest.mode != "replay"
    return matched.thresholds.latency_gate == "fail"


def _why_only_a_warning(matched: Matched) -> str:
    if matched.thresholds.latency_gate == "warn":
        return "latency_gate: warn"
    return "only a warning in replay mode, unless the suite says latency_gate: fail"
