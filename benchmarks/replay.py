"""What a replay costs beside the agents themselves: ratios to a floor program, in one run.

The floor (programs/floor.py) spawns the same agents and speaks the protocol by hand: no deadlines,
no record, no checks. CPU time of all processes is compared, since wall time on a shared machine
says little; the best of several rounds is taken for each.

Usage: replay.py [CASES] [JOBS] [ROUNDS]
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent

AGENTS = {
    "sh": [
        "sh",
        "-c",
        """read task
printf '{"type":"tool_call","name":"search","call_id":"1","args":{"q":"x"}}\\n'
read result
printf '{"type":"final_output","output":{"category":"account"}}\\n'""",
    ],
    "python": [
        "{python}",
        "-c",
        """import json, sys
sys.stdin.readline()
print('{"type":"tool_call","name":"search","call_id":"1","args":{"q":"x"}}', flush=True)
sys.stdin.readline()
print('{"type":"final_output","output":{"category":"account"}}')""",
    ],
}


def write_suite(path: Path, agent: list[str], cases: int) -> None:
    """Write a suite of many small cases."""
    path.mkdir()
    document = {
        "suite_name": "bench",
        "agent_command": agent,
        "cases_path": "cases.jsonl",
        "tool_registry": ["search"],
        "assertions": [
            {"type": "required_fields", "fields": ["category"]},
            {"type": "must_call", "tools": ["search"]},
        ],
    }
    (path / "suite.yaml").write_text(json.dumps(document))
    case = {"input": {"q": "x"}, "cassette": "tape.jsonl"}
    lines = [json.dumps({"id": f"c{number}", **case}) for number in range(cases)]
    (path / "cases.jsonl").write_text("\n".join(lines) + "\n")
    entry = {"tool": "search", "args": {"q": "x"}, "ok": True, "result": {"hits": []}}
    (path / "tape.jsonl").write_text(json.dumps(entry) + "\n")


def cost(command: list[str], cwd: Path) -> tuple[float, float, int]:
    """Run a command; give its CPU seconds, wall seconds and largest memory in KB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, after.ru_maxrss


def main() -> None:
    """Measure each agent, and one case alone."""
    cases, jobs, rounds = (int(word) for word in [*sys.argv[1:], "200", "2", "5"][:3])
    print(f"{cases} cases, {jobs} jobs, best of {rounds}; CPU seconds (ratio to the floor)")
    for name, agent in AGENTS.items():
        for number in (cases, 1):
            with tempfile.TemporaryDirectory() as directory:
                report(name, Path(directory), agent, number, jobs, rounds)


def report(name: str, place: Path, agent: list[str], cases: int, jobs: int, rounds: int) -> None:
    """Print one line: floor, RunLedger, ratio."""
    write_suite(place / "suite", agent, cases)
    floor = [sys.executable, str(HERE / "programs" / "floor.py"), "suite", str(jobs)]
    ours = [sys.executable, "-m", "runledger", "run", "suite", "-q", "-j", str(jobs)]
    least = min(cost(floor, place) for _ in range(rounds))
    found = min(cost(ours, place) for _ in range(rounds))
    ratio = found[0] / least[0]
    figures = f"floor {least[0]:7.3f}   runledger {found[0]:7.3f}   {ratio:5.2f}x"
    print(f"{name:8}{cases:5} cases   {figures}")


if __name__ == "__main__":
    main()
