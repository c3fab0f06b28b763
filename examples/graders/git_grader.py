"""Judge what an agent did to the files of a git repository, not what it says it did.

    runledger capture prompts.jsonl AGENT -c my-repo -g examples/graders/git_grader.py

A prompt names the files that must change in its metadata, and what must be in the change:

    {"id": "t1", "input": "Add a button", "expected": "<button", "metadata": {"files": ["a.html"]}}
"""

import subprocess
from pathlib import Path

# The agent may have written to .git/config: none of it may start a program here.
GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager")


def grade(expected, metadata, cwd):
    changed = changed_files(cwd)
    wanted = set(metadata.get("files", ()))
    problems = []
    if not changed:
        problems.append("no file was changed")
    if missing := sorted(wanted - set(changed)):
        problems.append(f"not changed: {', '.join(missing)}")
    if wanted and (others := sorted(set(changed) - wanted)):
        problems.append(f"changed although nobody asked: {', '.join(others)}")
    if expected and expected not in added_text(cwd, changed):
        problems.append(f"no added line contains {expected!r}")
    return {
        "pass": not problems,
        "score": 0.0 if problems else 1.0,
        "reasoning": "; ".join(problems) or f"changed: {', '.join(sorted(changed))}",
        "outcome": {"changed": changed},
    }


def changed_files(cwd):
    """Map every file that differs from the last commit to git's letters for how."""
    listed = git(cwd, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    return {entry[3:]: entry[:2].strip() for entry in listed.split("\0") if entry}


def added_text(cwd, changed):
    """Join the lines that were added, those of new files included."""
    diff = git(cwd, "diff", "HEAD", "--no-ext-diff", "--no-textconv", "--unified=0")
    added = [line[1:] for line in diff.splitlines() if line[:1] == "+" and line[:4] != "+++ "]
    top = git(cwd, "rev-parse", "--show-toplevel").rstrip("\n")
    new = [Path(top, name) for name, how in changed.items() if how == "??"]
    real = [file for file in new if file.is_file() and not file.is_symlink()]
    added += [file.read_text("utf-8", "replace") for file in real]
    return "\n".join(added)


def git(cwd, *words):
    """Ask git; outside a repository it fails, and then this grader is at fault, not the agent."""
    done = subprocess.run([*GIT, "-C", cwd, *words], capture_output=True, check=False, timeout=30)
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8", "replace")
