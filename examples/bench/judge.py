"""A judge without a model: is what the criterion says in one sentence of the answer?"""

import json
import re
import sys


def words(text):
    return {word[:5] for word in re.findall(r"\w{3,}|\d+", text.lower())}


def share(criterion, sentence):
    wanted = words(criterion)
    return len(wanted & words(sentence)) / len(wanted)


def main():
    question = json.load(sys.stdin)
    criterion = question["criterion"]["text"]
    lines = [line.removeprefix("- ") for line in question["output"].splitlines() if line.strip()]
    best = max(lines, key=lambda line: share(criterion, line), default="")
    found = share(criterion, best)
    verdict = "met" if found >= 0.75 else "partial" if found >= 0.5 else "missed"
    quote = {} if verdict == "missed" else {"quote": best}
    print(json.dumps({"verdict": verdict, **quote, "reasoning": f"{found:.0%} of its words"}))


if __name__ == "__main__":
    main()
