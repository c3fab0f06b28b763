"""The gates on runs and experiments that were drawn: a smaller version of the benchmarks.

The seeds are fixed, so that a test either holds or does not. With no change at all, at most one
verdict in twenty may be a failure, at every level of noise; a real change must be noticed.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SEED = 20260215
MOST_FALSE_ALARMS = 0.05


def benchmark(name: str) -> ModuleType:
    """Read a benchmark's file without running it."""
    known = f"benchmark_of_{name}"
    if known not in sys.modules:
        spec = spec_from_file_location(known, BENCHMARKS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[known] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[known])
    return sys.modules[known]


def failing(module: ModuleType, situation: object, times: int) -> float:
    """Draw a situation so many times, and give the share that the gate fails."""
    return float(module.report(situation, times, Random(SEED)))


@pytest.mark.parametrize("noise", [0.05, 0.3, 1.0])
def test_an_experiment_that_changes_nothing_is_rarely_a_no_go(noise: float) -> None:
    """At little, some and much noise; the naive gate is wrong in nearly half of them."""
    drawing = benchmark("experiment")

    assert failing(drawing, drawing.Situation("", 8, noise), 100) <= MOST_FALSE_ALARMS


@pytest.mark.parametrize("spread", [0.2, 0.8])
def test_durations_that_only_vary_are_rarely_a_no_go(spread: float) -> None:
    """However much they vary."""
    drawing = benchmark("experiment")
    situation = drawing.Situation("", 8, spread=spread, gate=drawing.NOT_SLOWER)

    assert failing(drawing, situation, 100) <= MOST_FALSE_ALARMS


def test_an_experiment_that_makes_the_agent_worse_is_mostly_a_no_go() -> None:
    """Thirty tasks that lose four of ten facts."""
    drawing = benchmark("experiment")

    assert failing(drawing, drawing.Situation("", 30, gain=-0.4), 20) >= 0.8


def test_early_looks_rarely_decide_where_nothing_changed() -> None:
    """A look after each of sixty tasks, by the e-value."""
    assert benchmark("experiment").report_early_looks(0.3, 20, Random(SEED)) <= MOST_FALSE_ALARMS


@pytest.mark.parametrize(("rate", "spread"), [(0.95, 0.1), (0.95, 0.4), (0.95, 0.8), (0.5, 0.4)])
def test_a_live_run_of_the_same_agent_rarely_fails(rate: float, spread: float) -> None:
    """Whether it passes nearly always or half of the time, and however its durations vary."""
    drawing = benchmark("gate")
    agent = drawing.Agent(rate)
    situation = drawing.Situation("", 10, 5, agent, agent, drawing.STRICT, spread)

    assert failing(drawing, situation, 60) <= MOST_FALSE_ALARMS


def test_a_live_run_of_a_worse_agent_mostly_fails() -> None:
    """From 95 % to 70 % over twenty cases."""
    drawing = benchmark("gate")
    situation = drawing.Situation("", 20, 5, drawing.Agent(0.95), drawing.Agent(0.7))

    assert failing(drawing, situation, 20) >= 0.8
