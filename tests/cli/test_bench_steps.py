"""What the steps of an experiment say of what is still missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compare.experiments import CRITERIA, scored
from runledger.cli.bench_steps import short_of
from runledger.compare.experiment import findings_of
from runledger.harness.bench_views import Derived


@pytest.mark.parametrize(("left", "told"), [(1, "1 run is"), (2, "2 runs are")])
def test_a_report_counts_the_runs_that_are_not_judged(left: int, told: str) -> None:
    """One run is, several are."""
    whole = scored({"without": [50.0] * 6, "with": [70.0] * 6})
    record = replace(whole, verdicts=whole.verdicts[left * len(CRITERIA) :])

    assert [*short_of(Derived(record, findings_of(record)), "lens.yaml")] == [
        f"{told} not judged; next: runledger bench judge lens.yaml"
    ]
