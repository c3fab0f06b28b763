"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is no failure: speed is measured in benchmarks, never asserted here.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
