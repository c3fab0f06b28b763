"""An agent without a model: it searches a repository and states what its comments say.

It speaks in JSON lines, which adapter.json explains to RunLedger. Told where to look, by a
<project_context> block, it reads the right file at once. Else it searches for one word after the
other, opens what it finds, and states only what seems nearest to the question.
"""

import json
import re
import sys
from pathlib import Path

CONTEXT = re.compile(r"<project_context>\n(.*?)\n</project_context>\s*", re.DOTALL)
SENTENCE = re.compile(r"[A-Z](?:[^.\n]|\.\w|\n(?!\n))*\.(?=\s)")
PATIENCE = 4  # files that it opens before it answers


class Hands:
    """The agent's tools: every use is told, so that it can be counted."""

    def __init__(self, refused):
        self.tools = [name for name in ("Read", "Search", "Task") if name not in refused]
        self.calls = 0
        self.read = []

    def use(self, name, output, **arguments):
        self.calls += 1
        say("tool_call", id=f"call-{self.calls}", name=name, input=arguments)
        say("tool_result", id=f"call-{self.calls}", output=output)
        return output

    def search(self, word):
        hits = [str(file) for file in files() if word in file.read_text().lower()]
        return self.use("Search", hits, pattern=word)

    def open(self, file):
        self.read.append(file)
        return self.use("Read", Path(file).read_text(), file_path=file)


def say(kind, **fields):
    print(json.dumps({"type": kind, **fields}), flush=True)


def files():
    return sorted(file for file in Path().rglob("*.*") if file.suffix in (".py", ".md"))


def words(text):
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def sentences(text):
    return [" ".join(one.split()) for one in SENTENCE.findall(text)]


def investigate(question, context, hands):
    """Find what to say: all of the files that the context names, or the best of a search."""
    if context:
        named = re.findall(r"^[\w/]+\.py", context, re.MULTILINE)
        return [one for file in named for one in sentences(hands.open(file))[1:]]
    found = {}
    for word in sorted(words(question), key=lambda word: (-len(word), word)):
        found |= dict.fromkeys(hands.search(word))
        if len(found) >= PATIENCE:
            break
    stated = [one for file in list(found)[:PATIENCE] for one in sentences(hands.open(file))]
    return sorted(stated, key=lambda one: -len(words(one) & words(question)))[:2]


def answer(findings, hands):
    """Write the answer, with the report that was asked for; it forgets its searches."""
    counts = f"Total tool calls made: {len(hands.read)}\nFiles read: {len(hands.read)}"
    facts = "\n".join(f"- {one}" for one in findings) or "- nothing"
    return f"This is what I found.\n\n{counts}\nKey findings:\n{facts}"


def main():
    prompt = sys.stdin.read()
    hands = Hands(refused=sys.argv[1:])
    say("session", model="scripted-1", version="1.0.0", tools=hands.tools, mcp_servers=[])
    block = CONTEXT.match(prompt)
    question = CONTEXT.sub("", prompt).partition("\n\n")[0]
    text = answer(investigate(question, block and block[1], hands), hands)
    read = len(prompt) + sum(Path(file).stat().st_size for file in hands.read)
    say("answer", text=text, tokens_in=read // 4, tokens_out=len(text) // 4)


if __name__ == "__main__":
    main()
