"""F25 and F27 before the first case: the runner is stopped while it makes ready."""

from __future__ import annotations

import os
import signal

import pytest

from scene import Scene, holds

MODULE = """
import signal

with open("ready", "w") as ready:
    ready.write("now")
signal.pause()
"""


@pytest.mark.parametrize(("one", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_f27_a_signal_while_tools_are_loaded_is_told_by_the_exit_code(
    scene: Scene, one: signal.Signals, code: int
) -> None:
    """The command ends with 128 and the signal's number, and no run was begun."""
    scene.agent(mode="live", tool_module="tools.py")
    (scene.suite.path / "tools.py").write_text(MODULE)
    ready = scene.suite.path / "ready"
    os.mkfifo(ready)

    process = scene.start("run", "suite")
    assert ready.read_text() == "now"
    process.send_signal(one)

    after = scene.ended(process)
    holds(after, code=code)
    assert not after.runs
