"""F09 to F12: what an agent started ends with its case."""

from __future__ import annotations

import pytest

from scene import WELL, Scene, holds

SAME_GROUP = """
left = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
open("left", "w").write(str(left.pid))
"""

DAEMON = """
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("left", "w").write(str(os.getpid()))
        os.closerange(0, 3)
        os.write(tell, b"!")
        while True:
            signal.pause()
    os._exit(0)
os.wait()
os.read(ready, 1)
"""

NAMELESS = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open("being-left", "w").write(str(os.getpid()))
        os.rename("being-left", "left")
        os.closerange(0, 3)
        os.execve("/bin/sleep", ["sleep", "1000"], {})
    os._exit(0)
os.wait()
while not os.path.exists("left") or "sleep" not in open(f"/proc/{open('left').read()}/comm").read():
    time.sleep(0.01)
"""

HOLDS_STDOUT = """
left = subprocess.Popen(["sleep", "1000"], start_new_session=True)
open("left", "w").write(str(left.pid))
"""

# The agent of the next case looks whether what was left is still alive.
GONE = f"""
try:
    state = open(f"/proc/{{open('left').read()}}/stat").read().rpartition(")")[2].split()[0]
except OSError:
    state = "X"
assert state in "XZ", state
{WELL}
"""

MANY = """
for _ in range(200):
    if os.fork() == 0:
        while True:
            signal.pause()
"""


def leaves_a_leak(scene: Scene, leave: str) -> None:
    """Check that what an agent leaves behind ends with its case and is told; its result stands."""
    after = scene.agent(f"{leave}\n{WELL}", well=GONE).run("-j", "1")

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["leaky"]
    assert not after.case("b")["leaky"]


def test_f09_a_child_in_the_agents_group_is_ended_and_called_a_leak(scene: Scene) -> None:
    """Who is left behind in the group dies with it, and the case is told to be leaky."""
    leaves_a_leak(scene, SAME_GROUP)


def test_f10_a_daemon_is_ended_and_called_a_leak(scene: Scene) -> None:
    """A double fork into a session of its own does not hide a process."""
    leaves_a_leak(scene, DAEMON)


def test_f11_a_child_that_holds_the_output_is_ended_and_called_a_leak(scene: Scene) -> None:
    """After the final output nobody waits for the end of the output."""
    leaves_a_leak(scene, HOLDS_STDOUT)


@pytest.mark.parametrize("leave", [SAME_GROUP, DAEMON, HOLDS_STDOUT])
def test_f11_an_agent_that_is_gone_is_not_waited_for(scene: Scene, leave: str) -> None:
    """Its exit is seen although somebody still holds its standard output."""
    after = scene.agent(f"{leave}\nsys.exit(4)", well=GONE).run("-j", "1")

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.failure("a")["details"]["exit_code"] == 4
    assert after.case("a")["leaky"]


def test_f12_two_hundred_children_are_all_ended(scene: Scene) -> None:
    """As many as they are, none is left, and the runner goes on."""
    after = scene.agent(f"{MANY}\n{WELL}").run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["leaky"]


def test_f12_daemons_that_shed_their_mark_end_with_the_run(scene: Scene) -> None:
    """Without the variable that tells whose they are, they cannot be told from others' before."""
    shed = 'kept = {"RL_TEST_MARK": os.environ["RL_TEST_MARK"]}'
    start = 'subprocess.Popen(["sleep", "1000"], start_new_session=True, env=kept)'
    after = scene.agent(f"{shed}\nfor _ in range(50): {start}\n{WELL}").run()

    holds(after, code=0, a="passed", b="passed")


def test_f10_a_daemon_that_cleared_its_environment_is_known_all_the_same(scene: Scene) -> None:
    """Where one agent runs at a time, what shows no mark is that agent's."""
    leaves_a_leak(scene, NAMELESS)
