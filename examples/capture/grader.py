"""Pass an answer that names what was expected, and files that are really there."""

from pathlib import Path


def grade(output, expected, cwd, trajectory):
    written = [step["input"]["file_path"] for step in trajectory if step["type"] == "tool_call"]
    missing = [name for name in written if not Path(cwd, name).is_file()]
    passed = expected in output and not missing
    reasoning = f"missing: {', '.join(missing)}" if missing else f"looked for {expected!r}"
    outcome = {"files": sorted(path.name for path in Path(cwd).iterdir())}
    return {"pass": passed, "score": float(passed), "reasoning": reasoning, "outcome": outcome}
