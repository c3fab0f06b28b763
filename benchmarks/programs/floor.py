"""The least that a runner must do: spawn the same agents, speak the protocol by hand, no more.

Usage: floor.py SUITE_DIRECTORY JOBS
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def run_case(suite: Path, command: list[str], case: dict[str, object]) -> None:
    """Give one case to one agent and answer its calls from the cassette, in order."""
    cassette = (suite / str(case["cassette"])).read_text().splitlines()
    answers = iter([json.loads(line) for line in cassette])
    start = {"type": "task_start", "task_id": case["id"], "input": case["input"]}
    with subprocess.Popen(
        command, cwd=suite, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as agent:
        assert agent.stdin
        assert agent.stdout
        agent.stdin.write(json.dumps(start) + "\n")
        agent.stdin.flush()
        for line in agent.stdout:
            message = json.loads(line)
            if message["type"] == "final_output":
                break
            answer = next(answers)
            result = {"type": "tool_result", "call_id": message["call_id"], "ok": answer["ok"]}
            agent.stdin.write(json.dumps({**result, "result": answer["result"]}) + "\n")
            agent.stdin.flush()


def main() -> None:
    """Run every case of a suite."""
    suite, jobs = Path(sys.argv[1]), int(sys.argv[2])
    document = json.loads((suite / "suite.yaml").read_text())
    command = [word.replace("{python}", sys.executable) for word in document["agent_command"]]
    cases = [json.loads(line) for line in (suite / "cases.jsonl").read_text().splitlines()]
    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(run_case, suite, command, case) for case in cases]:
            done.result()


if __name__ == "__main__":
    main()
