"""F06 to F08, F24: agents that do not come to an end by themselves."""

from __future__ import annotations

import pytest

from scene import Scene, holds

DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"

# A child stops its parent, sees that it did, and then says the word that ends the case.
STOPPED_FIRST = """
parent = os.getpid()
if os.fork() == 0:
    os.kill(parent, signal.SIGSTOP)
    while open(f"/proc/{parent}/stat").read().rpartition(")")[2].split()[0] != "T":
        os.sched_yield()
    send("task_error", message="I give up")
signal.pause()
"""


@pytest.mark.parametrize(
    "fault",
    [
        "signal.pause()",
        "while True: pass",
        'while True: send("log", level="info", message="still here"); time.sleep(0.001)',
    ],
    ids=["silent", "busy", "talking"],
)
def test_f06_an_agent_that_hangs_is_stopped_at_its_limit(scene: Scene, fault: str) -> None:
    """Whatever it does instead of answering, the case times out and the next one runs."""
    after = scene.agent(fault, limit_ms=700).run()

    holds(after, code=1, a="timeout", b="passed")
    assert after.result("a")["exitInfo"]["timedOut"]
    assert after.result("a")["exitInfo"]["signal"] in ("SIGTERM", "SIGKILL")


def test_f06_a_limit_that_is_a_budget_is_told_as_one(scene: Scene) -> None:
    """The failure names the limit, where it comes from and what was used of it."""
    after = scene.agent("signal.pause()", limit_ms=700).run()

    holds(after, code=1, a="budget_exceeded", b="passed")
    assert "over 700 ms (max_wall_ms)" in after.failure("a")["message"]


@pytest.mark.parametrize("fault", [f"{DEAF}; signal.pause()", f"{DEAF}\nwhile True: pass"])
def test_f07_an_agent_that_hangs_and_ignores_sigterm_is_stopped(scene: Scene, fault: str) -> None:
    """The case times out all the same, and nothing is left of it."""
    after = scene.agent(fault, limit_ms=700).run()

    holds(after, code=1, a="timeout", b="passed")


def test_f07_an_agent_that_ignores_sigterm_is_killed_after_the_grace(scene: Scene) -> None:
    """There is no asking twice."""
    after = scene.agent(f'{DEAF}\nsend("task_error", message="no")\nsignal.pause()').run()

    holds(after, code=1, a="task_error", b="passed")
    assert after.result("a")["exitInfo"]["signal"] == "SIGKILL"


def test_f08_an_agent_that_stops_itself_times_out(scene: Scene) -> None:
    """It is killed at its limit, although it cannot hear that it should end."""
    after = scene.agent("os.kill(os.getpid(), signal.SIGSTOP)", limit_ms=700).run()

    holds(after, code=1, a="timeout", b="passed")


def test_f08_an_agent_that_stopped_itself_is_killed_all_the_same(scene: Scene) -> None:
    """It cannot be asked, since it would hear of it only when it goes on."""
    after = scene.agent(STOPPED_FIRST).run()

    holds(after, code=1, a="task_error", b="passed")
    assert after.result("a")["exitInfo"]["signal"] == "SIGKILL"


def test_f24_an_agent_that_will_not_leave_has_answered_all_the_same(scene: Scene) -> None:
    """Its result is kept, and it is killed after the grace."""
    answer = 'send("final_output", output={"answer": "here"})'
    after = scene.agent(f"{DEAF}\n{answer}\nwhile True: signal.pause()").run()

    holds(after, code=0, a="passed", b="passed")
    assert after.result("a")["output"] == {"answer": "here"}
    assert after.result("a")["exitInfo"]["signal"] == "SIGKILL"
