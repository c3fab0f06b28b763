"""What a capture costs beside a bare loop that starts the same agents.

Both ask 100 prompts of a trivial agent, four at a time, in turns on the same machine; the figure is
the median of the ratios of the processor time that they take, agents included. The promise: at most
1.3.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
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
    """Count the seconds of processor time that a capture takes."""
    return spent(command(*STDIO), directory)


BARE = """
import json, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

def ask(prompt):
    task = {"type": "task_start", "task_id": prompt["id"], "input": prompt["input"]}
    line = json.dumps(task).encode() + b"\\n"
    subprocess.run([sys.executable, "agent.py"], input=line, capture_output=True, check=True)

with ThreadPoolExecutor(int(sys.argv[1])) as pool:
    list(pool.map(ask, map(json.loads, open("prompts.jsonl"))))
"""


def bare(directory: Path) -> float:
    """Count the same for a loop that starts the agents, gives each its task, reads its answer."""
    return spent([sys.executable, "-c", BARE, str(JOBS)], directory)


def memory(directory: Path, prompts: int) -> float:
    """Give the peak memory of a capture, in MB."""
    write_prompts(directory, prompts)
    return peak(command(*STDIO), directory)


def large_answer(directory: Path) -> float:
    """Give the peak memory of a capture of one answer of 20 MB."""
    write_prompts(directory, 1)
    say = "import sys; sys.stdin.read(); sys.stdout.write('word and ' * (20_000_000 // 9))"
    return peak(command("--adapter", "text", sys.executable, "--", "-c", say), directory)


def spent(words: list[str], directory: Path) -> float:
    """Run a command and give the seconds of processor time of all its processes."""
    usage = used(words, directory)
    return usage.ru_utime + usage.ru_stime


def peak(words: list[str], directory: Path) -> float:
    """Run a command and give the peak memory of the largest of its processes, in MB."""
    return used(words, directory).ru_maxrss / 1024


def used(words: list[str], directory: Path) -> resource.struct_rusage:
    """Run a command that must succeed and tell what it used."""
    process = subprocess.Popen(words, cwd=directory, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return usage


if __name__ == "__main__":
    sys.exit(main())
