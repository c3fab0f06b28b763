"""How long each property is tried in `make test`; `make fuzz` tries all of them for minutes."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# What comes is drawn anew each time; a failure prints the line that reproduces it.
BRIEFLY = settings(
    max_examples=100,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# Patterns are made anew for every secret, and a whole report for every record.
MORE_BRIEFLY = settings(BRIEFLY, max_examples=40)
