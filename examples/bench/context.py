"""Print the file of the repository that a question is about: the context under test."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent / "repo"


def words(text):
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def likeness(file, question):
    """Count the words that they share; a long file must not win by its length."""
    found = words(file.read_text())
    return len(found & words(question)) / len(found) ** 0.5


def main():
    question = sys.argv[1]
    best = max(sorted(ROOT.rglob("*.py")), key=lambda file: likeness(file, question))
    heading = best.read_text().partition("\n")[0].strip('"')
    print(f"{best.relative_to(ROOT)}: {heading}")


if __name__ == "__main__":
    main()
