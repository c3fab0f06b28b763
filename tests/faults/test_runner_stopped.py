"""F25 to F28: somebody asks the runner to stop, or no longer listens to it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kit import command
from scene import WELL, After, Scene, holds

PAUSE = f"""
if os.path.exists("met"):
    {WELL}
else:
    open("met", "w").close()
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    open(os.environ["READY"], "w").close()
    signal.pause()
"""

DEAF = """
def tell(*_):
    open(os.environ["ASKED"], "w").close()
signal.signal(signal.SIGTERM, tell)
open(os.environ["READY"], "w").close()
while True:
    signal.pause()
"""

Send = Callable[[subprocess.Popen[bytes], int], None]


def to_guard(process: subprocess.Popen[bytes], signum: int) -> None:
    """Send a signal as `kill` does: to the process that was started."""
    process.send_signal(signum)


def to_group(process: subprocess.Popen[bytes], signum: int) -> None:
    """Send a signal as a terminal does: to the whole group, once."""
    os.killpg(process.pid, signum)


def paused(scene: Scene, fault: str = PAUSE, **keys: object) -> subprocess.Popen[bytes]:
    """Start a run of which case `a` waits for good, the first time, and wait until it does."""
    names = {name: str(scene.path / name.lower()) for name in ("READY", "ASKED")}
    for place in names.values():
        os.mkfifo(place)
    process = scene.agent(fault, set=names, **keys).start("run", "suite", "-j", "1")
    Path(names["READY"]).read_bytes()
    return process


@pytest.mark.parametrize("send", [to_guard, to_group])
def test_f25_ctrl_c_leaves_a_partial_summary_and_a_run_to_resume(scene: Scene, send: Send) -> None:
    """What was finished counts, the rest is unfinished, and going on does the rest."""
    process = paused(scene)
    send(process, signal.SIGINT)
    after = scene.ended(process)

    holds(after, code=130, a="unfinished", b="unfinished")
    assert after.summary["status"] == "interrupted"
    resumed = scene.run("--resume", after.run.name)
    holds(resumed, code=0, a="passed", b="passed")
    ends = {one["case_id"]: one["attempt"] for one in resumed.events if one["type"] == "case_end"}
    assert ends == {"a": 2, "b": 1}


def test_f26_ctrl_c_twice_waits_for_nobody(scene: Scene) -> None:
    """An agent that ignores SIGTERM is killed long before its grace is over; the log is whole."""
    scene.grace_ms = 600_000
    process = paused(scene, DEAF)
    process.send_signal(signal.SIGINT)
    (scene.path / "asked").read_bytes()
    process.send_signal(signal.SIGINT)
    after = scene.ended(process)

    holds(after, code=130, a="unfinished", b="unfinished")
    assert after.events[-1]["type"] == "run_end"


@pytest.mark.parametrize("send", [to_guard, to_group])
def test_f27_a_cancelled_job_ends_in_good_order(scene: Scene, send: Send) -> None:
    """SIGTERM leaves what Ctrl-C leaves, with an exit code of its own."""
    process = paused(scene)
    send(process, signal.SIGTERM)
    after = scene.ended(process)

    holds(after, code=143, a="unfinished", b="unfinished")
    assert after.summary["status"] == "interrupted"
    holds(scene.run("--resume", "latest"), code=0, a="passed", b="passed")


def test_f28_a_terminal_that_hangs_up_ends_the_run(scene: Scene) -> None:
    """It is as if the run was cancelled."""
    process = paused(scene)
    os.killpg(process.pid, signal.SIGHUP)

    holds(scene.ended(process), code=143, a="unfinished", b="unfinished")


@pytest.mark.parametrize("broken", [("stdout",), ("stderr",), ("stdout", "stderr")], ids="+".join)
def test_f28_a_run_that_nobody_listens_to_is_recorded(
    scene: Scene, broken: tuple[str, ...]
) -> None:
    """A broken pipe changes neither the record nor what the run came to."""
    reader, writer = os.pipe()
    os.close(reader)
    streams = {name: writer if name in broken else subprocess.PIPE for name in ("stdout", "stderr")}
    done = subprocess.run(
        command("run", "suite"), cwd=scene.path, env=scene.environment(), **streams
    )
    os.close(writer)
    out, err = ((text or b"").decode() for text in (done.stdout, done.stderr))
    after = After(scene, done.returncode, out, err, 0.0, {})

    holds(after, code=0, a="passed", b="passed")
    assert {file.name for file in after.run.iterdir()} >= {"summary.json", "junit.xml"}


def test_f28_results_that_nobody_reads_are_in_the_run(scene: Scene) -> None:
    """A capture into a pipe that closes early captures all the same."""
    lines = '{"id":"a","input":"x"}\n{"id":"b","input":"y"}\n'
    (scene.path / "prompts.jsonl").write_text(lines)
    reader, writer = os.pipe()
    os.close(reader)
    agent = ("--protocol", "headless", "--adapter", "text", "cat")
    done = subprocess.run(
        command("capture", "prompts.jsonl", *agent),
        cwd=scene.path,
        env=scene.environment(),
        stdout=writer,
        stderr=subprocess.PIPE,
    )
    os.close(writer)
    after = After(scene, done.returncode, "", done.stderr.decode(), 0.0, {})

    holds(after, code=0, a="passed", b="passed")
