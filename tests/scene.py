"""A suite in which something goes wrong, the command run on it, and what holds after any fault.

A new fault costs a few lines: say what goes wrong, run, and let `holds` look at everything.

    def test_f06(scene: Scene) -> None:
        after = scene.agent("signal.pause()").run()
        holds(after, code=1, a="timeout", b="passed")

Case `a` meets the fault, case `b` is there to see that the others run. Secrets are planted in the
agent's environment, and every agent of a scene tells them in all shapes before it does anything.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

import plant
from kit import SuiteOnDisk, clean_environment, survivors, write_suite
from warm import run_warm

PLANTED = "PLANTED_TOKEN"
MOST_MB = 300
ENOUGH_MS = 30_000  # for an agent that is well, on a busy machine
WITHIN_S = 2.0  # over limit and grace
BEAT_S = 0.05

Key: TypeAlias = tuple[str, int]  # a case, and the number of a trial of it

TELL = f"""
import base64
secret = os.environ["{PLANTED}"]
print("stderr has", secret, file=sys.stderr, flush=True)
encoded = base64.b64encode(secret.encode()).decode()
print("and", encoded, file=sys.stderr, flush=True)
send("log", level="info", message="prose with " + secret, data={{"api_key": secret}})
send("log", level="info", message=json.dumps({{"token": secret, "why": "JSON in a text"}}))
send("log", level="info", message="encoded " + encoded, data=[[json.dumps([encoded, secret])]])
"""

WELL = 'send("final_output", output={"answer": "fine", "echo": secret})'


@dataclass
class Scene:
    """A directory with a suite of two cases, and what is to go wrong."""

    path: Path
    grace_ms: int = 200
    mark: str = field(default_factory=lambda: os.urandom(16).hex())
    secret: str = field(default_factory=lambda: f"pl4nted-{os.urandom(8).hex()}")
    limits_ms: dict[str, int] = field(default_factory=dict)  # by case, where it is not ENOUGH_MS
    patience_s: float = 100  # with a command in a process of its own
    lost: set[str] = field(default_factory=set)  # cases whose first result the test took away
    around: dict[str, str] = field(default_factory=dict)  # further variables of the command
    walls: list[str] = field(default_factory=list)  # words that start it in another file system
    suite: SuiteOnDisk = field(init=False)

    def __post_init__(self) -> None:
        self.agent(WELL)

    def agent(
        self,
        fault: str = "",
        *,
        first: str = "",
        well: str = WELL,
        limit_ms: int = ENOUGH_MS,
        **keys: Any,
    ) -> Scene:
        """Write the agent: `first` comes before it reads its task, `fault` is for case `a`.

        `limit_ms` is the limit of case `a` alone; further keys are those of suite.yaml.
        """
        parts = [TELL, textwrap.dedent(first), "task = read()", 'if task["input"]["q"] == "a":']
        parts += [textwrap.indent(textwrap.dedent(fault) or "pass", "    "), "else:"]
        parts += [textwrap.indent(textwrap.dedent(well), "    ")]
        return self.program("\n".join(parts), limit_ms=limit_ms, **keys)

    def program(self, source: str, *, limit_ms: int = ENOUGH_MS, **keys: Any) -> Scene:
        """Write the agent whole, which has to tell the cases apart itself."""
        document = {"grace_ms": self.grace_ms, "budgets": {"max_wall_ms": ENOUGH_MS}, **keys}
        env = {"pass": [PLANTED], "set": {"RL_TEST_MARK": self.mark, **document.pop("set", {})}}
        self.suite = write_suite(self.path / "suite", source, **document, env=env)
        self.suite.mark = self.mark
        self.limits_ms["a"] = limit_ms
        return self.case("a", budgets={"max_wall_ms": limit_ms}).case("b")

    def quick(self, **keys: Any) -> Scene:
        """Let a shell be the agent, which only answers: for what is run many times in a test."""
        answer = 'read task; echo \'{"type":"final_output","output":{}}\''
        return self.program("", agent_command=["sh", "-c", answer], **keys)

    def case(self, id: str, cassette: Any = (), **keys: Any) -> Scene:
        """Write a case anew, or one more."""
        self.suite.case(id, cassette, **keys)
        return self

    def run(self, *flags: str, plan: plant.Plan | None = None, cold: bool = False) -> After:
        """Run the suite; a plan says what goes wrong in the runner; cold: in a new process."""
        return self.command("run", "suite", "-j", "2", *flags, plan=plan, cold=cold)

    def command(
        self, *words: str | Path, plan: plant.Plan | None = None, cold: bool = False
    ) -> After:
        """Run any command in the scene's directory."""
        report = self.path / "report-of-runner.json"
        report.unlink(missing_ok=True)
        full = {**(plan or {}), "report": str(report)}
        listed = [str(word) for word in words]
        with _heart() as heart:
            if cold:
                code, out, err = self._cold(listed, full)
            else:
                code, out, err = run_warm(listed, self.path, self.environment(), full)
        told = json.loads(report.read_text()) if report.exists() else {}
        return After(self, code, out, err, heart.late_s, told)

    def environment(self) -> dict[str, str]:
        """Give the environment of the command, with the secret in it."""
        ours = {PLANTED: self.secret, "RL_TEST_CALLER": self.callers_mark}
        return clean_environment(**ours, **self.around)

    @property
    def callers_mark(self) -> str:
        """Give the mark of what has the caller's environment: the command, tools, graders."""
        return self.mark[::-1]

    def start(self, *words: str, plan: plant.Plan | None = None) -> subprocess.Popen[bytes]:
        """Start the command and do not wait for it; its output goes to files, no terminal."""
        with (self.path / "out").open("wb") as out, (self.path / "err").open("wb") as err:
            return subprocess.Popen(
                self._words(list(words), plan or {}),
                cwd=self.path,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def ended(self, process: subprocess.Popen[bytes]) -> After:
        """Wait for a command that was started, and gather what it left."""
        with _heart() as heart:
            code = process.wait(self.patience_s)
        out, err = ((self.path / name).read_text(errors="replace") for name in ("out", "err"))
        return After(self, code, out, err, heart.late_s, {})

    def _words(self, words: list[str], plan: plant.Plan) -> list[str]:
        return [*self.walls, sys.executable, plant.__file__, json.dumps(plan), *words]

    def _cold(self, words: list[str], plan: plant.Plan) -> tuple[int, str, str]:
        done = subprocess.run(
            self._words(words, plan),
            cwd=self.path,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self.patience_s,
        )
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return done.returncode, out, err


@dataclass
class After:
    """What a command left behind it."""

    scene: Scene
    code: int
    out: str
    err: str
    late_s: float  # how much the machine itself was late meanwhile
    told: Mapping[str, Any]  # by the runner: steps, peak_mb

    @property
    def runs(self) -> list[Path]:
        """List the run directories, oldest first."""
        found = (self.scene.path / ".agentci" / "runs").glob("*/*/")
        return sorted(found, key=lambda run: run.stat().st_ctime_ns)

    @property
    def run(self) -> Path:
        """Give the only run directory."""
        assert len(self.runs) == 1, (self.runs, self.code, self.out, self.err)
        return self.runs[0]

    @property
    def summary(self) -> dict[str, Any]:
        """Read the summary of the only run."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found

    def case(self, id: str) -> dict[str, Any]:
        """Find a case in the summary of the one run that has it."""
        summaries = [json.loads((run / "summary.json").read_text()) for run in self.runs]
        found = [case for summary in summaries for case in summary["cases"] if case["id"] == id]
        assert len(found) == 1, (id, self.runs, self.code, self.out, self.err)
        return dict(found[0])

    def failure(self, id: str) -> dict[str, Any]:
        """Give the first failure of a case."""
        found: dict[str, Any] = self.case(id)["failures"][0]
        return found

    def result(self, id: str) -> dict[str, Any]:
        """Give the only result of a case."""
        lines = (self.run / "results.jsonl").read_bytes().splitlines()
        (found,) = (line for line in map(json.loads, lines) if line["id"] == id)
        return dict(found)

    def of(self, id: str) -> list[dict[str, Any]]:
        """Give what the log of the only run says of a case."""
        return [event for event in self.events if event.get("case_id") == id]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Read the log of the only run."""
        return [json.loads(line) for line in (self.run / "run.jsonl").read_bytes().splitlines()]


def holds(after: After, *, code: int, **ends: str) -> None:
    """Check all that holds after any fault, and how each case ended.

    An ending is `passed`, `failed`, `error`, `unfinished`, or the type of a failure that it has.
    """
    _no_process_is_alive(after)
    for run in after.runs:
        log = _whole_lines(run)
        _one_ending_each(run, [one for one in log if not _is_lost(one, after.scene)])
        _in_time(after, log)
    _right_exit_code(after, code)
    _no_secret(after)
    _little_memory(after)
    for id, end in ends.items():
        case = after.case(id)
        found = [case["status"], *(failure["type"] for failure in case["failures"])]
        assert end in found, (id, end, case, after.out, after.err)


def _no_process_is_alive(after: After) -> None:
    """I1."""
    marks = after.scene.mark, after.scene.callers_mark
    alive = [pid for mark in marks for pid in survivors(mark)]
    assert not alive, [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in alive]


def _whole_lines(run: Path) -> list[dict[str, Any]]:
    """I2."""
    log = run / "run.jsonl"
    if not log.exists():
        return []
    data = log.read_bytes()
    assert data.endswith(b"\n") or not data, data[-200:]
    events = [json.loads(line.decode("utf-8")) for line in data.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    return events


def _one_ending_each(run: Path, log: list[dict[str, Any]]) -> None:
    """I3; of a run that ended before its manifest was whole there is nothing else."""
    if not (run / "manifest.json").exists():
        assert not log, run
        return
    manifest = json.loads((run / "manifest.json").read_text())
    planned = [case["id"] for case in manifest["cases"]]
    ended, void = _endings(log)
    assert all(number == 1 for key, number in ended.items() if key not in void), ended
    assert {id for id, _ in ended} <= set(planned)
    if not (run / "summary.json").exists():
        return
    summary = json.loads((run / "summary.json").read_text())
    assert [case["id"] for case in summary["cases"]] == planned
    for case in summary["cases"]:
        whole = all((case["id"], trial + 1) in ended for trial in range(manifest["trials"]))
        assert whole or case["status"] in ("unfinished", "failed", "error"), case
    results = [json.loads(line) for line in (run / "results.jsonl").read_bytes().splitlines()]
    counted = Counter((line["id"], line["trial"]) for line in results)
    assert all(number == 1 for number in counted.values()), counted
    assert all(counted[key] == 1 for key in ended if key not in void), (counted, ended)


def _endings(log: list[dict[str, Any]]) -> tuple[Counter[Key], set[Key]]:
    """Count the endings of each trial; those that the world outside spoilt are tried again.

    They are void as long as no later attempt has ended, and do not count when one has.
    """
    spoilt = {_attempt(event) for event in log if _is_spoilt(event)}
    ends = [_attempt(event) for event in log if event["type"] == "case_end"]
    assert len(ends) == len(set(ends)), ends
    lasting = Counter(end[:2] for end in ends if end not in spoilt)
    void = {end[:2] for end in ends} - set(lasting)
    return lasting + Counter(dict.fromkeys(void, 1)), void


def _attempt(event: Mapping[str, Any]) -> tuple[str, int, int]:
    return event["case_id"], event["trial"], event["attempt"]


def _is_spoilt(event: Mapping[str, Any]) -> bool:
    spoilers = ("spawn_failed", "internal_error")
    return event["type"] == "failure" and event["failure"]["type"] in spoilers


def _is_lost(event: Mapping[str, Any], scene: Scene) -> bool:
    lost = event["type"] == "case_end" and event["case_id"] in scene.lost
    return lost and bool(event["attempt"] == 1)


def _right_exit_code(after: After, code: int) -> None:
    """I4."""
    assert after.code == code, (after.code, after.out, after.err)
    assert "Traceback" not in after.err, after.err
    if code == 0:
        for run in after.runs:
            summary = json.loads((run / "summary.json").read_text())
            assert summary["status"] == "passed", summary
            assert not summary["totals"]["unfinished"], summary


def _no_secret(after: After) -> None:
    """I5."""
    secret = after.scene.secret
    shapes = {secret, base64.b64encode(secret.encode()).decode().rstrip("="), quote(secret)}
    shapes.add(json.dumps(secret).strip('"'))
    texts = {"standard output": after.out, "standard error": after.err}
    places = [*after.scene.path.glob(".agentci/**/*"), *after.scene.path.glob("suite/cassettes/*")]
    for file in places:
        if file.is_file():
            texts[str(file)] = file.read_bytes().decode("utf-8", "replace")
    for name, text in texts.items():
        assert not [shape for shape in shapes if shape in text], name


def _little_memory(after: After) -> None:
    """I6."""
    if "peak_mb" in after.told:
        assert after.told["peak_mb"] < MOST_MB, after.told


def _in_time(after: After, log: list[dict[str, Any]]) -> None:
    """I7, with so much more as the machine itself was late."""
    begun: dict[tuple[str, int, int], float] = {}
    for event in log:
        if "case_id" not in event:
            continue
        key = event["case_id"], event["trial"], event["attempt"]
        now = datetime.fromisoformat(event["ts"]).timestamp()
        took_s = now - begun.setdefault(key, now)
        limit_ms = after.scene.limits_ms.get(event["case_id"], ENOUGH_MS) + after.scene.grace_ms
        assert took_s <= limit_ms / 1000 + WITHIN_S + after.late_s, (key, took_s, after.late_s)


@dataclass
class _Heart:
    """How late a thread was that only wanted to wake up now and then."""

    late_s: float = 0.0


@contextmanager
def _heart() -> Iterator[_Heart]:
    heart, done = _Heart(), threading.Event()

    def beat() -> None:
        before = time.monotonic()
        while not done.wait(BEAT_S):
            now = time.monotonic()
            heart.late_s += max(0.0, now - before - 2 * BEAT_S)
            before = now

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield heart
    finally:
        done.set()
        thread.join()
