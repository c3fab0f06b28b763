"""What holds for every test."""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: speed is measured in benchmarks, never asserted here.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


def pytest_configure() -> None:
    """Ignore no signal that whoever started the tests ignores: children would, as below nohup."""
    for signum in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(signum) == signal.SIG_IGN:
            own = signal.default_int_handler if signum == signal.SIGINT else signal.SIG_DFL
            signal.signal(signum, own)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out the tests of the sandbox where there is none, but never in CI."""
    needs = item.get_closest_marker("bwrap") is not None
    if needs and not shutil.which("bwrap") and not os.environ.get("CI"):
        pytest.skip("needs bubblewrap: make sandbox")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests with a browser come last: Playwright keeps an event loop running in the thread.

    A test that runs a loop of its own after them, in the same worker, would be refused it.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)
