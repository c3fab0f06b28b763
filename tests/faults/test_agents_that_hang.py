"""F06 to F08: agents that do not come to an end by themselves."""

from __future__ import annotations

from scene import Scene, holds


def test_f06_an_agent_that_hangs_is_stopped_at_its_limit(scene: Scene) -> None:
    """The case times out and the next one runs."""
    after = scene.agent("signal.pause()", limit_ms=700).run()

    holds(after, code=1, a="timeout", b="passed")
