"""What a capture costs beside a bare loop that starts the same agents.

Both ask 100 prompts of a trivial agent, four at a time, in turns on the same machine; the figure is
the median of the ratios of their wall times. The promise: at most 1.3.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROMPTS = 100
JOBS = 4
ROUNDS = 5
PROMISED = 1.3
AGENT = """
import json, sys
task = json.loads(sys.stdin.readline())
print(json.dumps({"type": "final_output", "output": {"said": task["input"]}}), flush=True)
"""


def main() -> int:
    """Print the ratio, how memory grows, and whether the promise is kept."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "agent.py").write_text(AGENT)
        write_prompts(directory, PROMPTS)
        ratios = [captured(directory) / bare(directory) for _ in range(ROUNDS)]
        ratio = statistics.median(ratios)
        print(f"capture of {PROMPTS} prompts, {JOBS} at a time: {ratio:.2f} times a bare loop")
        few, many = memory(directory, 50), memory(directory, 500)
        print(f"memory at the peak: {few:.0f} MB for 50 prompts, {many:.0f} MB for 500")
        large = large_answer(directory)
        print(f"an answer of 20 MB: {large:.0f} MB at the peak")
    return int(ratio > PROMISED)


def write_prompts(directory: Path, number: int) -> None:
    """Write so many prompts."""
    lines = (json.dumps({"id": f"p{n}", "input": f"prompt {n}"}) for n in range(number))
    (directory / "prompts.jsonl").write_text("".join(f"{line}\n" for line in lines))


def command(*more: str) -> list[str]:
    """Write the command that captures."""
    head = [sys.executable, "-m", "runledger", "capture", "prompts.jsonl", "-o", "out.jsonl"]
    return [*head, "--output-dir", "runs", "-j", str(JOBS), *more]


STDIO = ("--protocol", "stdio", sys.executable, "agent.py")


def captured(directory: Path) -> float:
    """Time a capture."""
    return timed(lambda: run(command(*STDIO), directory))


def bare(directory: Path) -> float:
    """Time a loop that starts the agents, gives each its task and reads its answer."""
    prompts = [json.loads(line) for line in (directory / "prompts.jsonl").read_text().splitlines()]

    def ask(prompt: dict[str, str]) -> None:
        task = {"type": "task_start", "task_id": prompt["id"], "input": prompt["input"]}
        words = [sys.executable, "agent.py"]
        subprocess.run(
            words, input=json.dumps(task).encode() + b"\n", cwd=directory, capture_output=True
        ).check_returncode()

    def loop() -> None:
        with ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(ask, prompts))

    return timed(loop)


def memory(directory: Path, prompts: int) -> float:
    """Give the peak memory of a capture, in MB."""
    write_prompts(directory, prompts)
    return peak(command(*STDIO), directory)


def large_answer(directory: Path) -> float:
    """Give the peak memory of a capture of one answer of 20 MB."""
    write_prompts(directory, 1)
    say = "import sys; sys.stdin.read(); sys.stdout.write('word and ' * (20_000_000 // 9))"
    return peak(command("--adapter", "text", sys.executable, "--", "-c", say), directory)


def peak(words: list[str], directory: Path) -> float:
    """Run a command and give the peak memory of the largest of its processes, in MB."""
    process = subprocess.Popen(words, cwd=directory, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return usage.ru_maxrss / 1024


def run(words: list[str], directory: Path) -> None:
    """Run a command that must succeed."""
    subprocess.run(words, cwd=directory, check=True, capture_output=True)


def timed(work: object) -> float:
    """Time a piece of work."""
    assert callable(work)
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
