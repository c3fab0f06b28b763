#!/usr/bin/env python3
"""Grade whether a reply is grounded: each number and id in it was in the ticket or a tool's answer.

A grader is any program that reads one JSON object and writes one.
"""

import json
import re
import sys


def grade(trial):
    answers = [step.get("output") for step in trial["trajectory"] if step["type"] == "tool_call"]
    seen = json.dumps([trial["input"], answers])
    claims = re.findall(r"(?:[A-Z]+-)?\d+(?:\.\d+)?", trial["output"]["reply"])
    invented = [claim for claim in claims if claim not in seen]
    return {
        "pass": not invented,
        "score": 1 - len(invented) / len(claims) if claims else 1,
        "reasoning": f"not found anywhere: {', '.join(invented)}" if invented else "all found",
    }


if __name__ == "__main__":
    json.dump(grade(json.load(sys.stdin.buffer)), sys.stdout)
