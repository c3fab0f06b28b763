"""Many at once: suites of many cases, cases of many calls, many runs in one output directory."""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from pathlib import Path

from kit import command, entry
from scene import After, Scene

TAPES = 100
AGES_MS = 600_000  # a limit that nobody comes near, however many share the machine

SERVE = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "task_start":
        send("tool_call", name="search", call_id="1", args={"q": message["input"]["q"]})
    else:
        send("final_output", output={"answer": message["result"]})
sys.exit()
"""

IN_TURN = """
found = [call("search", call_id=str(n), n=n)["result"] for n in range({number})]
send("final_output", output={{"sum": sum(found)}})
"""

AT_ONCE = """
for n in range({number}):
    send("tool_call", name="search", call_id=str(n), args={{"n": n}})
found = [read()["result"] for n in range({number})]
send("final_output", output={{"sum": sum(found)}})
"""


def many_cases(scene: Scene, number: int) -> Scene:
    """Write a suite of so many cases, served by agents that are kept, one for each job."""
    budgets = {"max_wall_ms": AGES_MS}
    scene.agent(first=SERVE, agent_reuse=True, cases_path="cases.jsonl", budgets=budgets)
    for tape in range(TAPES):
        answer = entry("search", {"hits": [tape]}, q=str(tape))
        _cassette(scene, tape).write_text(json.dumps(answer) + "\n")
    cases = (_case(number, _cassette(scene, number % TAPES)) for number in range(number))
    (scene.suite.path / "cases.jsonl").write_text("".join(cases))
    scene.limits_ms = {f"c{number:05}": AGES_MS for number in range(number)}
    return scene


def _cassette(scene: Scene, tape: int) -> Path:
    return scene.suite.path / "cassettes" / f"tape-{tape}.jsonl"


def _case(number: int, cassette: Path) -> str:
    question = {"q": str(number % TAPES)}
    name = f"cassettes/{cassette.name}"
    return json.dumps({"id": f"c{number:05}", "input": question, "cassette": name}) + "\n"


def many_calls(scene: Scene, number: int) -> Scene:
    """Write a case `a` that makes so many tool calls in turn, and a `b` that has all open at once.

    Each call has an answer of its own, and the agent adds them up.
    """
    total = {"type": "equals", "path": "sum", "value": sum(range(number))}
    scene.agent(
        IN_TURN.format(number=number),
        well=AT_ONCE.format(number=number),
        limit_ms=AGES_MS,
        assertions=[total],
    )
    tape = [entry("search", n, n=n) for n in range(number)]
    for id in "ab":
        scene.case(id, tape, budgets={"max_wall_ms": AGES_MS})
        scene.limits_ms[id] = AGES_MS
    return scene


def many_runs(scene: Scene, number: int) -> After:
    """Run the suite so many times at once, and gather what all of them left.

    The exit code is the largest of all.
    """
    scene.agent('send("final_output", output={})', limit_ms=AGES_MS)
    scene.case("b", budgets={"max_wall_ms": AGES_MS})
    scene.limits_ms = dict.fromkeys("ab", AGES_MS)
    with ExitStack() as stack:
        files = [stack.enter_context((scene.path / name).open("w+b")) for name in ("out", "err")]
        started = [_started(scene, *(file.fileno() for file in files)) for _ in range(number)]
        codes = [process.wait(scene.patience_s) for process in started]
        out, err = (Path(file.name).read_text() for file in files)
    return After(scene, max(codes, key=abs), out, err, 0.0, {})


def _started(scene: Scene, out: int, err: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("run", "suite", "-j", "2"),
        cwd=scene.path,
        env=scene.environment(),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
    )
