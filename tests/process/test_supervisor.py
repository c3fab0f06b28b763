"""Programs are started, read and surely ended, with everything that they started."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import survivors
from runledger.errors import Interrupted, SpawnFailed, TrialFault
from runledger.process.bell import Bell
from runledger.process.child import Child, DeadlinePassed
from runledger.process.deadline import Deadline
from runledger.process.program import run_program
from runledger.process.supervisor import Launch, Supervisor

SOON = 10.0


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """Give a supervisor that ends everything at the end of the test."""
    with Supervisor() as supervisor:
        yield supervisor


def python(source: str, mark: str = "") -> Launch:
    """Make the launch of a few lines of Python."""
    env = {"PATH": os.environ["PATH"], "RL_TEST_MARK": mark}
    return Launch([sys.executable, "-c", source], str(Path.cwd()), env)


def first_line(child: Child) -> bytes | None:
    """Wait for a program's first line."""
    return child.read_line(Deadline.after(SOON))


def test_a_program_is_spoken_to_and_answers(supervisor: Supervisor) -> None:
    """What is sent arrives, what is printed comes back, the exit code is known."""
    child = supervisor.start(python("print(input()[::-1]); raise SystemExit(3)"))
    child.send(b"hello\n")

    assert first_line(child) == b"olleh"
    assert first_line(child) is None
    assert child.end(1).code == 3


def test_a_wait_ends_at_its_deadline(supervisor: Supervisor) -> None:
    """A silent program is not waited for longer than allowed."""
    child = supervisor.start(python("input()"))

    with pytest.raises(DeadlinePassed):
        child.read_line(Deadline.after(0.05))


def test_a_program_that_cannot_be_started_is_named_with_the_systems_words(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    """A missing program is an error that says which, where and why."""
    with pytest.raises(SpawnFailed, match=r"no-such-program.*No such file") as caught:
        supervisor.start(Launch(["no-such-program"], str(tmp_path), {"PATH": "/nowhere"}))

    assert caught.value.details["command"] == ["no-such-program"]


def test_a_bad_interpreter_is_told_apart_from_a_missing_file(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    """A script whose first line names nothing gets a hint, since the system's words mislead."""
    script = tmp_path / "agent"
    script.write_text("#!/nowhere/python\n")
    script.chmod(0o755)

    with pytest.raises(SpawnFailed, match="interpreter in its first line"):
        supervisor.start(Launch(["./agent"], str(tmp_path), {}))


def test_a_program_that_ignores_sigterm_is_killed(supervisor: Supervisor) -> None:
    """After the grace there is no asking."""
    ignore = (
        "import signal; signal.signal(15, signal.SIG_IGN); print(1, flush=True); signal.pause()"
    )
    child = supervisor.start(python(ignore))
    first_line(child)

    assert child.end(0.05).signal == "SIGKILL"


def test_a_stopped_program_is_killed_all_the_same(supervisor: Supervisor) -> None:
    """A program that stopped itself cannot handle SIGTERM."""
    child = supervisor.start(python("import os; os.kill(os.getpid(), 19)"))
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)

    assert child.end(0.05).signal == "SIGKILL"


def test_a_flood_on_standard_error_does_not_block(supervisor: Supervisor) -> None:
    """Standard error is drained while we wait for standard output, and a bounded part is kept."""
    source = "import sys; sys.stderr.write('x' * 10_000_000 + ' end'); print('done')"
    child = supervisor.start(python(source))

    assert first_line(child) == b"done"
    child.wait_exit(Deadline.after(SOON))
    assert child.stderr.endswith("end")
    assert len(child.stderr) < 20_000


def test_a_grandchild_that_holds_the_pipe_is_not_waited_for(supervisor: Supervisor) -> None:
    """The end of a program is seen by its exit, not by the end of its output."""
    mark = uuid.uuid4().hex
    source = "import subprocess; subprocess.Popen(['sleep', '1000']); print('left')"
    child = supervisor.start(python(source, mark))

    assert first_line(child) == b"left"
    assert first_line(child) is None
    assert child.end(1).leaky
    assert not list(survivors(mark))


def test_a_daemon_in_a_session_of_its_own_is_found_and_ended(supervisor: Supervisor) -> None:
    """A double fork with setsid does not escape; its mark gives it away."""
    mark = uuid.uuid4().hex
    source = """
import os, signal
ready, tell = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("daemon", flush=True)
        os.write(tell, b"!")
        signal.pause()
    os._exit(0)
os.wait()
os.read(ready, 1)
"""
    child = supervisor.start(python(source, mark))

    assert first_line(child) == b"daemon"
    assert child.end(1).leaky
    assert not list(survivors(mark))


def test_a_child_that_cleared_its_environment_is_known_by_its_session(
    supervisor: Supervisor,
) -> None:
    """Without a mark it is still found, called a leak, and ended."""
    source = "import subprocess; print(subprocess.Popen(['sleep', '1000'], env={}).pid)"
    child = supervisor.start(python(source))
    left = int(first_line(child) or 0)
    child.wait_exit(Deadline.after(SOON))

    assert child.end(1).leaky
    with pytest.raises(ProcessLookupError):
        os.kill(left, 0)


def test_a_child_that_died_before_the_sweep_is_buried(supervisor: Supervisor) -> None:
    """A long-lived process that runs many agents collects no zombies."""
    source = "import os; print(os.posix_spawnp('true', ['true'], {}))"  # whom nobody waits for
    child = supervisor.start(python(source))
    left = int(first_line(child) or 0)
    child.wait_exit(Deadline.after(SOON))
    os.waitid(os.P_PID, left, os.WEXITED | os.WNOWAIT)

    child.end(1)
    with pytest.raises(ProcessLookupError):
        os.kill(left, 0)


def test_a_stranger_is_left_alone_in_a_container_that_does_not_know_its_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a session began outside the container, the system calls it 0 for every process."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        monkeypatch.setattr(os, "getsid", lambda pid: 0)
        with Supervisor() as supervisor:
            supervisor.start(python("pass")).end(1)

        assert stranger.poll() is None
        stranger.communicate(b"\n")
    assert stranger.returncode == 0


def test_many_children_are_all_ended(supervisor: Supervisor) -> None:
    """Two hundred processes at once are no different from one."""
    mark = uuid.uuid4().hex
    source = """
import os, signal
for _ in range(200):
    if os.fork() == 0:
        signal.pause()
print("ready", flush=True)
signal.pause()
"""
    child = supervisor.start(python(source, mark))

    assert first_line(child) == b"ready"
    child.end(1)
    assert not list(survivors(mark))


def test_a_well_behaved_program_is_not_called_leaky(supervisor: Supervisor) -> None:
    """A program whose own child ends with it, a moment later, left nothing behind."""
    source = "import subprocess; subprocess.Popen(['cat'], stdin=subprocess.PIPE); print(1)"
    child = supervisor.start(python(source))
    first_line(child)
    child.wait_exit(Deadline.after(SOON))

    assert child.end(1).leaky is False


def test_two_programs_at_once_are_told_apart(supervisor: Supervisor) -> None:
    """Ending one program leaves another one's orphans alone."""
    daemon = "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True); {}"
    mark = uuid.uuid4().hex
    other = supervisor.start(python(daemon.format("print(1, flush=True); input()"), mark))
    first_line(other)
    child = supervisor.start(python(daemon.format("print(1)")))
    first_line(child)

    assert child.end(1).leaky
    assert len(list(survivors(mark))) == 2
    assert other.end(1).leaky
    assert not list(survivors(mark))


def test_a_stop_wakes_whoever_waits(supervisor: Supervisor) -> None:
    """A signal ends a wait at once, and the program can still be ended in peace."""
    child = supervisor.start(python("import signal; signal.pause()"))
    supervisor.stop.request(2)

    with pytest.raises(Interrupted):
        child.read_line(Deadline.after(SOON))
    assert child.end(1).signal == "SIGTERM"


def test_the_supervisor_ends_what_is_still_running() -> None:
    """Leaving the supervisor leaves nothing behind."""
    mark = uuid.uuid4().hex
    with Supervisor() as supervisor:
        child = supervisor.start(python("print(1, flush=True); input()", mark))
        first_line(child)

    assert not list(survivors(mark))


def test_no_file_descriptor_is_left_open() -> None:
    """A program that has ended gives back everything it held in us."""
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with Supervisor() as supervisor:
        for _ in range(5):
            supervisor.start(python("pass")).end(SOON)
        with pytest.raises(SpawnFailed):
            supervisor.start(Launch(["/nowhere/x"], "/", {}))

    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_program_is_run_to_its_end(supervisor: Supervisor) -> None:
    """Input goes in, output comes out, whole."""
    source = "import sys; data = sys.stdin.read(); sys.stdout.write(data.upper() + '\\nlast')"
    done = run_program(supervisor, python(source), b"abc\n" * 100_000, SOON)

    assert (done.code, done.timed_out, done.too_large) == (0, False, False)
    assert done.stdout == b"ABC\n" * 100_000 + b"\nlast"


def test_a_program_that_hangs_or_floods_is_ended(supervisor: Supervisor) -> None:
    """Neither time nor memory is lost to a program that does not end."""
    assert run_program(supervisor, python("input()"), b"", SOON).code == 1  # end of file
    hanging = python("import signal; signal.pause()")
    assert run_program(supervisor, hanging, b"", 0.05).timed_out
    flooding = python("while True: print('x' * 10000)")
    assert run_program(supervisor, flooding, b"", SOON, max_bytes=1_000_000).too_large


def test_programs_are_supervised_where_the_system_tells_less(
    monkeypatch: pytest.MonkeyPatch, supervisor: Supervisor
) -> None:
    """Without pidfd and waitid, as on macOS, exits are seen and groups are ended all the same."""
    monkeypatch.delattr(os, "pidfd_open")
    monkeypatch.delattr(os, "waitid")
    child = supervisor.start(python("print(1); raise SystemExit(3)"))
    assert first_line(child) == b"1"
    assert child.wait_exit(Deadline.after(SOON))
    assert child.end(1).code == 3

    hanging = supervisor.start(python("import signal; print(1, flush=True); signal.pause()"))
    first_line(hanging)
    assert hanging.end(1).signal == "SIGTERM"


def test_a_bell_ends_the_wait_and_not_the_end(supervisor: Supervisor) -> None:
    """A bell rung from another thread ends a wait with its fault; the end is left in peace."""
    bell = Bell()
    child = supervisor.start(python("input()"))
    child.heed(bell)
    thread = threading.Thread(target=bell.ring, args=[TrialFault("cassette_miss", "first")])
    thread.start()

    with pytest.raises(TrialFault, match="first"):
        child.read_line(Deadline.after(SOON))
    thread.join()
    bell.ring(TrialFault("cassette_miss", "second"))

    ended = child.end(SOON)
    assert ended.code is not None or ended.signal is not None
    assert bell.fault is not None
    assert str(bell.fault) == "first"
    bell.close()
    bell.close()
