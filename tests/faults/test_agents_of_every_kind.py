"""F03 to F11, F24: what any agent may do, whatever protocol it speaks."""

from __future__ import annotations

import pytest

from kinds import ACP, ALL, LINES, PYTHON, TEXT, Kind
from scene import Scene, holds

EVERY = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)

DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"

DAEMON = """
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(tell, b"!")
        while True:
            signal.pause()
    os._exit(0)
os.wait()
os.read(ready, 1)
"""


@EVERY
def test_f03_an_exit_without_an_answer_is_told(scene: Scene, kind: Kind) -> None:
    """With the exit code and the last words, which hold no secret."""
    fault = 'print("last words of", secret, file=sys.stderr, flush=True)\nos._exit(0)'
    after = kind.play(scene, fault).run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    details = after.failure("a")["details"]
    assert details["exit_code"] == 0
    assert "last words of [REDACTED" in details["stderr"]


@EVERY
def test_f04_a_signal_is_named(scene: Scene, kind: Kind) -> None:
    """An agent that dies of a wrong access to memory is told so."""
    after = kind.play(scene, "os.kill(os.getpid(), signal.SIGSEGV)").run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.failure("a")["details"]["signal"] == "SIGSEGV"


@EVERY
def test_f05_a_kill_in_the_middle_of_a_call_ends_the_case(scene: Scene, kind: Kind) -> None:
    """And no other."""
    after = kind.play(scene, "CALL\nos.kill(os.getpid(), signal.SIGKILL)").run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.failure("a")["details"]["signal"] == "SIGKILL"


@EVERY
def test_f06_a_silent_agent_times_out(scene: Scene, kind: Kind) -> None:
    """Whether it ignores that it should end or not."""
    after = kind.play(scene, "signal.pause()", limit_ms=1000).run()

    holds(after, code=1, a="timeout", b="passed")


@EVERY
def test_f07_a_deaf_agent_times_out(scene: Scene, kind: Kind) -> None:
    """It is killed after the grace."""
    after = kind.play(scene, f"{DEAF}\nwhile True: signal.pause()", limit_ms=1000).run()

    holds(after, code=1, a="timeout", b="passed")


@EVERY
def test_f08_a_stopped_agent_times_out(scene: Scene, kind: Kind) -> None:
    """It is killed all the same."""
    after = kind.play(scene, "os.kill(os.getpid(), signal.SIGSTOP)", limit_ms=1000).run()

    holds(after, code=1, a="timeout", b="passed")


@EVERY
def test_f11_a_child_that_holds_the_output_is_ended(scene: Scene, kind: Kind) -> None:
    """Although it is in the agent's group and holds its output, nobody waits for it."""
    after = kind.play(scene, 'subprocess.Popen(["sleep", "1000"])\nos._exit(4)').run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.case("a")["leaky"]


@EVERY
def test_f10_a_daemon_is_ended(scene: Scene, kind: Kind) -> None:
    """The answer stands, and the leak is told."""
    after = kind.play(scene, f"{DAEMON}\nWELL").run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["leaky"]


def test_f24_an_agent_with_a_session_that_will_not_leave_has_answered(scene: Scene) -> None:
    """Its answer is kept, and it is killed after the grace."""
    after = ACP.play(scene, f"{DEAF}\nWELL\nwhile True: signal.pause()").run()

    holds(after, code=0, a="passed", b="passed")
    assert after.result("a")["exitInfo"]["signal"] == "SIGKILL"


@pytest.mark.parametrize("kind", [LINES, TEXT], ids=lambda kind: kind.name)
def test_f24_a_command_that_will_not_end_has_not_answered(scene: Scene, kind: Kind) -> None:
    """The end of its process is the end of its answer; what it said is in the record."""
    after = kind.play(scene, f"{DEAF}\nWELL\nwhile True: signal.pause()", limit_ms=1500).run()

    holds(after, code=1, a="timeout", b="passed")


def test_f24_a_function_that_leaves_a_thread_has_answered(scene: Scene) -> None:
    """Its host cannot leave, and is killed after the grace."""
    stay = "threading.Thread(target=signal.sigwait, args=([signal.SIGUSR1],)).start()\nWELL"
    after = PYTHON.play(scene, f"{DEAF}\n{stay}").run()

    holds(after, code=0, a="passed", b="passed")
