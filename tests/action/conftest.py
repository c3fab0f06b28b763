"""The action's own environment, installed once by the action's own step."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from action.runner import Runner, interpreter


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the interpreter that the install step makes; workers share one, since it takes long."""
    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "action"
    home.mkdir(exist_ok=True)
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = home / "python"
        if not made.exists():
            done = Runner(home, {}, {"python": interpreter()}).step("install")
            assert done.code == 0, done.log
            made.write_text(done.outputs["python"])
        return Path(made.read_text())
