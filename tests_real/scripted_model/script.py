"""The scripts: what the model says, move by move, in words that fit every agent's tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from .phrases import chosen

TOKENS_IN, TOKENS_OUT = 100, 20  # what every answer says that it cost

COMMAND = "echo this went wrong >&2; exit 3"
CONTENT = "written by the agent\n"
REFUSAL = "the scripted model refuses this request"
MCP_TOOL = "echo_text"


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with a text; {prompts} in it becomes the number of prompts so far."""

    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """Call a tool, named by what it does, with arguments in words of ours."""

    does: str
    args: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Call:
    """Call several tools in one answer."""

    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with an error of the API, one that nobody tries again."""

    message: str = REFUSAL


@dataclass(frozen=True, slots=True)
class Stall:
    """Begin an answer, then keep the stream open until the client goes."""

    text: str = "I begin, and never end."


Answer: TypeAlias = Say | Call | Stall
Move: TypeAlias = Answer | Refuse

ASIDE = Say("Fine.")  # to titles, topics and other requests that agents make on the side


def write(path: str) -> Use:
    """Write a file."""
    return Use("write", {"path": path, "content": CONTENT})


def shell(command: str) -> Use:
    """Run a command."""
    words = "Run what the script says"
    return Use("shell", {"command": command, "description": words})


def mcp(text: str) -> Use:
    """Call the tool of the MCP server that the tests bring along."""
    return Use("mcp", {"text": text})


def read(path: str) -> Use:
    """Read a file."""
    return Use("read", {"path": path})


SCRIPTS: Mapping[str, Sequence[Move]] = {
    "hello": [Say("Hello from the script.")],
    "count": [Say("You have asked {prompts} times.")],
    "write_file": [Call((write("made.txt"),)), Say("I wrote made.txt.")],
    "failing_shell": [Call((shell(COMMAND),)), Say("The command failed.")],
    "two_tools": [Call((write("a.txt"), write("b.txt"))), Say("I wrote two files.")],
    "mcp": [Call((mcp("hello"),)), Say("The server answered.")],
    "model_error": [Refuse()],
    "three_turns": [
        Call((write("made.txt"),)),
        Call((read("made.txt"),)),
        Call((shell("cat made.txt"),)),
        Say("I wrote it, read it and printed it."),
    ],
    "twenty_turns": [
        *(Call((shell(f"echo turn {turn}"),)) for turn in range(1, 21)),
        Say("I took twenty turns."),
    ],
    "slow": [Stall()],
    "slow_shell": [Call((shell("sleep 600"),)), Say("It ended.")],
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that the agent offers to the model: its name and the names of its arguments."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """What of a request decides about the next move."""

    script: str | None = None  # None: this request is no part of a script
    prompt: str = ""  # the last one
    prompts: int = 0
    heard: tuple[str, ...] = ()  # from the script's own calls, since the last prompt
    waits: int = 0  # for servers, since the last prompt
    offers: tuple[Offer, ...] = ()
    model: str = "scripted"
    stream: bool = False

    @property
    def results(self) -> int:
        """Count the results of the script's own calls."""
        return len(self.heard)

    @property
    def place(self) -> str:
        """Name this place in the script, for ids."""
        return f"{self.script}_{self.prompts}_{self.results}_{self.waits}"


@dataclass(frozen=True, slots=True)
class Prompted:
    """A text that the user, or the agent in the user's name, said to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a call, by the call's id."""

    id: str
    text: str = ""


Heard: TypeAlias = Prompted | Answered


def follow(talk: Conversation, heard: Iterable[Heard]) -> Conversation:
    """Find the script, and how far it is, in what the model heard so far."""
    for one in heard:
        match one:
            case Answered(id) if id.startswith(WAIT):
                talk = replace(talk, waits=talk.waits + 1)
            case Answered(text=text):
                talk = replace(talk, heard=(*talk.heard, text))
            case Prompted(text) if script := chosen(text):
                talk = replace(
                    talk,
                    script=script,
                    prompt=text,
                    prompts=talk.prompts + 1,
                    heard=(),
                    waits=0,
                )
    return talk


def next_move(talk: Conversation, scripts: Mapping[str, Sequence[Move]] = SCRIPTS) -> Move:
    """Choose the next move; a request without tools is one on the side, whatever it quotes."""
    if talk.script is None or not talk.offers:
        return ASIDE
    done = 0
    for move in scripts[talk.script]:
        if isinstance(move, Call) and (done := done + len(move.uses)) <= talk.results:
            continue
        return move
    raise AssertionError(f"script {talk.script} ends with a call")


WAIT = "wait_"
TOOLS = {
    "edit": re.compile(r"edit(_?file)?", re.IGNORECASE),
    "read": re.compile(r"read(_?file)?", re.IGNORECASE),
    "write": re.compile(r"write(_?file)?", re.IGNORECASE),
    "shell": re.compile(r"bash|shell|run_shell_command", re.IGNORECASE),
    "mcp": re.compile(rf".*{MCP_TOOL}"),
    "wait": re.compile(r"WaitForMcpServers"),  # claude begins before its servers are ready
}
ARGUMENTS = {"path": re.compile(r"(absolute_|file_?)?path", re.IGNORECASE)}


@dataclass(frozen=True, slots=True)
class Filled:
    """A call in the agent's own words."""

    id: str
    name: str
    args: Mapping[str, str]


def fill(call: Call, talk: Conversation) -> list[Filled]:
    """Put a call in the words of the agent's own tools, or wait until they are there."""
    if any(_offered(use, talk) is None for use in call.uses):
        return [Filled(f"{WAIT}{talk.place}", _found(Use("wait", {}), talk).name, {})]
    return [_filled(use, talk, number) for number, use in enumerate(call.uses)]


def _filled(use: Use, talk: Conversation, number: int) -> Filled:
    offer = _found(use, talk)
    args = {_argument(name, offer): value for name, value in use.args.items()}
    known = {name: value for name, value in args.items() if name in offer.arguments}
    return Filled(f"use_{talk.place}_{number}", offer.name, known)


def _found(use: Use, talk: Conversation) -> Offer:
    offer = _offered(use, talk)
    if offer is None:
        names = ", ".join(offer.name for offer in talk.offers)
        raise LookupError(f"script {talk.script}: no tool does {use.does} among {names}")
    return offer


def _offered(use: Use, talk: Conversation) -> Offer | None:
    return next((one for one in talk.offers if TOOLS[use.does].fullmatch(one.name)), None)


def _argument(name: str, offer: Offer) -> str:
    pattern = ARGUMENTS.get(name, re.compile(name))
    return next((one for one in offer.arguments if pattern.fullmatch(one)), name)
