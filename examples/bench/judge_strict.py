"""A stricter judge: what is not said in the words of the criterion is missed."""

import json
import re
import sys


def words(text):
    return set(re.findall(r"\w{3,}|\d+", text.lower()))


def main():
    question = json.load(sys.stdin)
    wanted = words(question["criterion"]["text"]) - {"the", "its", "with", "them"}
    lines = [line.removeprefix("- ") for line in question["output"].splitlines()]
    found = next((line for line in lines if len(wanted - words(line)) <= 1), None)
    print(json.dumps({"verdict": "met", "quote": found} if found else {"verdict": "missed"}))


if __name__ == "__main__":
    main()
