"""The script of an investigator: it reads files, really, and states what was in them.

Told where to look, it reads that file and states all of it. Else it searches, reads more, and
states the one sentence that seems nearest to the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .script import Call, Conversation, Move, Say, read, shell

INVESTIGATE = "investigate"
FILES = 4  # of those that a search found
WORDS = 6  # of a question, the longest

_CONTEXT = re.compile(r"<(\w+_context)>\n(.*?)\n</\1>\s*", re.DOTALL)
_FILE = re.compile(r"^(?:\./)?([\w/]+\.py)\b", re.MULTILINE)
_MARGIN = re.compile(r"^[ ]*\d+[\t→]", re.MULTILINE)  # claude numbers the lines of a file
_DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
_SENTENCE = re.compile(r"[A-Z](?:[^.]|\.\w)*\.(?=\s)")


def investigate(talk: Conversation) -> Move:
    """Read the files that the prompt names, or else that a search finds; then answer."""
    context, question = _parted(talk.prompt)
    if context:
        return _read_or_told(_files(context), talk.heard)
    if not talk.heard:
        return Call((shell(_search(question)),))
    found, *contents = talk.heard
    return _read_or_told(_files(found)[:FILES], contents, question)


def _parted(prompt: str) -> tuple[str, str]:
    """Part a prompt in the context, if there is one, and the question; the rest is about form."""
    block = _CONTEXT.match(prompt)
    return block[2] if block else "", _CONTEXT.sub("", prompt).partition("\n\n")[0]


def _read_or_told(files: Sequence[str], contents: Sequence[str], question: str = "") -> Move:
    if not contents:
        return Call(tuple(map(read, files)))
    stated = [one for content in contents for one in _sentences(content)]
    nearest = max(stated, key=lambda one: len(_words(one) & _words(question)))
    return Say(_report(len(files), [nearest] if question else stated))


def _report(read: int, stated: Sequence[str]) -> str:
    """Write the answer, with the report that was asked for; it forgets its search."""
    facts = "\n".join(f"- {one}" for one in stated)
    return f"Total tool calls made: {read}\nFiles read: {read}\nKey findings:\n{facts}"


def _search(question: str) -> str:
    longest = sorted(_words(question), key=lambda word: (-len(word), word))[:WORDS]
    return f"grep -rliE '{'|'.join(longest)}' ."


def _files(text: str) -> list[str]:
    return sorted(_FILE.findall(text))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def _sentences(content: str) -> list[str]:
    """List what the docstring of a file says, but for its title."""
    text = _DOCSTRING.search(_MARGIN.sub("", content))
    return [" ".join(one.split()) for one in _SENTENCE.findall(text[1])][1:] if text else []
