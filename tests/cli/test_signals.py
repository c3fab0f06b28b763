"""Being stopped, politely or not: agents die, the record stays whole, the exit code tells."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit import SuiteOnDisk, clean_environment, command, runledger, survivors, write_suite

HANG = """
task = read()
if task["input"]["q"] == "a":
    send("final_output", output={})
else:
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    open(os.environ["READY"], "w").write(str(os.getpid()))
    signal.pause()
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], SuiteOnDisk]]:
    """Start a run whose second case hangs, and wait until it does."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    suite = write_suite(tmp_path / "suite", HANG, grace_ms=200)
    add_environment(suite, READY=str(ready))
    suite.case("a").case("b").case("c")
    process = subprocess.Popen(
        command("run", "suite", "-j", "1"),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    ready.read_text()
    yield process, suite
    process.kill()
    process.wait()
    assert process.stdout
    process.stdout.close()


def add_environment(suite: SuiteOnDisk, **variables: str) -> None:
    """Set variables for the agents of a suite."""
    file = suite.path / "suite.yaml"
    document = json.loads(file.read_text())
    document["env"]["set"] |= variables
    file.write_text(json.dumps(document))


def record_of(suite: SuiteOnDisk) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Read the summary and the events of the only run."""
    (run,) = suite.path.parent.glob(".agentci/runs/demo/*")
    events = [json.loads(line) for line in (run / "run.jsonl").read_text().splitlines()]
    return json.loads((run / "summary.json").read_text()), events


def runner_below(process: subprocess.Popen[bytes]) -> int:
    """Find the runner, which is the guard's only child."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


def to_guard(process: subprocess.Popen[bytes], signum: int) -> None:
    """Send a signal as `kill` does: to the process that was started."""
    process.send_signal(signum)


def to_group(process: subprocess.Popen[bytes], signum: int) -> None:
    """Send a signal as a terminal does: to the whole foreground group, once."""
    os.killpg(process.pid, signum)


@pytest.mark.parametrize("send", [to_guard, to_group])
@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_one_signal_gives_a_partial_summary(
    hanging: tuple[subprocess.Popen[bytes], SuiteOnDisk],
    send: Callable[[subprocess.Popen[bytes], int], None],
    signum: int,
    code: int,
) -> None:
    """What was finished counts, the rest is unfinished, and no process is left."""
    process, suite = hanging
    send(process, signum)

    assert process.wait(30) == code
    summary, events = record_of(suite)
    assert summary["status"] == "interrupted"
    assert [case["status"] for case in summary["cases"]] == ["passed", "unfinished", "unfinished"]  # type: ignore[attr-defined,index]
    assert events[-1]["type"] == "run_end"
    assert not list(survivors(suite.mark))


def test_two_signals_kill_at_once(hanging: tuple[subprocess.Popen[bytes], SuiteOnDisk]) -> None:
    """The second Ctrl-C does not wait for a grace; the log is whole."""
    process, suite = hanging
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)

    assert process.wait(30) == 130
    assert record_of(suite)[1][-1]["type"] == "run_end"
    assert not list(survivors(suite.mark))


def test_agents_die_with_a_runner_that_is_killed(
    hanging: tuple[subprocess.Popen[bytes], SuiteOnDisk],
) -> None:
    """The guard ends what a killed runner leaves, and tells by its exit code."""
    process, suite = hanging
    os.kill(runner_below(process), signal.SIGKILL)

    assert process.wait(30) == 128 + signal.SIGKILL
    assert not list(survivors(suite.mark))


def test_agents_die_with_a_guard_that_is_killed(
    hanging: tuple[subprocess.Popen[bytes], SuiteOnDisk],
) -> None:
    """When the guard is killed, the runner stops in good order."""
    process, suite = hanging
    runner = os.pidfd_open(runner_below(process))
    process.kill()
    _wait_for(runner)

    assert record_of(suite)[0]["status"] == "interrupted"
    assert not list(survivors(suite.mark))


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_start_up_is_not_lost(tmp_path: Path, signum: int, code: int) -> None:
    """However early it comes, nothing is run after it."""
    write_suite(tmp_path / "suite", "send('final_output', output={})").case("a")
    process = subprocess.Popen(
        command("run", "suite", "-q"),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():  # until the guard has its runner
        assert process.poll() is None
    process.send_signal(signum)

    assert process.wait(30) == code


def test_a_stop_between_two_suites_is_not_success(tmp_path: Path) -> None:
    """What was never begun cannot have passed: the signal's exit code is given."""
    grader = "import os, signal; os.kill(int(open('runner').read()), signal.SIGINT)"
    agent = "read(); open('runner', 'w').write(str(os.getppid())); send('final_output', output={})"
    first = write_suite(tmp_path / "first", agent, suite_name="first")
    first.case("a", assertions=[{"type": "script", "command": ["{python}", "-c", grader]}])
    write_suite(tmp_path / "second", agent, suite_name="second").case("a")
    done = runledger("run", "first", "second", cwd=tmp_path)

    assert done.code == 130
    assert done.run.parent.name == "first"


@pytest.mark.parametrize("signum", [signal.SIGHUP, signal.SIGQUIT])
def test_a_closed_terminal_leaves_a_summary(
    hanging: tuple[subprocess.Popen[bytes], SuiteOnDisk], signum: int
) -> None:
    """Hanging up and quitting are ways to stop, and leave nothing running."""
    process, suite = hanging
    os.killpg(process.pid, signum)

    assert process.wait(30) == 143
    assert record_of(suite)[0]["status"] == "interrupted"
    assert not list(survivors(suite.mark))


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    """Under nohup a hang-up does not end the run."""
    agent = (
        "read(); os.kill(int(os.environ['GUARD']), signal.SIGHUP); send('final_output', output={})"
    )
    suite = write_suite(tmp_path / "suite", agent)
    document = json.loads((suite.path / "suite.yaml").read_text())
    document["env"]["pass"] = ["GUARD"]
    (suite.path / "suite.yaml").write_text(json.dumps(document))
    suite.case("a")
    words = " ".join(map(shlex.quote, command("run", "suite", "-q")))
    done = subprocess.run(
        ["sh", "-c", f"trap '' HUP; export GUARD=$$; exec {words}"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        check=False,
    )

    assert done.returncode == 0


def test_a_signal_ends_kept_agents_in_good_order(tmp_path: Path) -> None:
    """With agent_reuse an idle agent is ended too, and the record is whole."""
    agent = """
        while task := read():
            if task["input"]["q"] == "b":
                open(os.environ["READY"], "w").close()
                signal.pause()
            send("final_output", output={})
    """
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    suite = write_suite(tmp_path / "suite", agent, agent_reuse=True, grace_ms=200)
    add_environment(suite, READY=str(ready))
    suite.case("a").case("b").case("c")
    process = subprocess.Popen(
        command("run", "suite", "-q", "-j", "2"),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
    )
    ready.read_text()
    process.send_signal(signal.SIGTERM)

    assert process.wait(30) == 143
    assert record_of(suite)[0]["status"] == "interrupted"
    assert not list(survivors(suite.mark))


def test_a_library_user_can_break_off(tmp_path: Path) -> None:
    """Ctrl-C in run_suite ends the agents and raises KeyboardInterrupt, nothing else."""
    ready = tmp_path / "ready"
    os.mkfifo(ready)
    suite = write_suite(tmp_path / "suite", HANG, grace_ms=200)
    add_environment(suite, READY=str(ready))
    suite.case("b").case("c")
    source = """
from pathlib import Path
from runledger import load_suite, run_suite
try:
    run_suite(load_suite(Path("suite")))
except KeyboardInterrupt:
    print("broken off")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", source], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    ready.read_text()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert (out, err) == (b"broken off\n", b"")
    assert not list(survivors(suite.mark))


def _wait_for(pidfd: int) -> None:
    import select

    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    assert poll.poll(30_000), "the runner is still there"
    os.close(pidfd)
