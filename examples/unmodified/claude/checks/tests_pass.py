#!/usr/bin/env python3
"""Run the tests on the files that the agent left, whatever it says about them."""

import json
import subprocess
import sys


def grade(trial):
    ran = subprocess.run(["sh", "test.sh"], cwd=trial["cwd"], capture_output=True, text=True)
    passed = ran.returncode == 0
    return {"pass": passed, "score": float(passed), "reasoning": ran.stdout + ran.stderr}


if __name__ == "__main__":
    json.dump(grade(json.load(sys.stdin.buffer)), sys.stdout)
