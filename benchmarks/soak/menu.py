"""What an agent may do in a case of the storm, and how the case has to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kit import entry
from scene import ENOUGH_MS

SHORT_MS = 700  # for those who are meant to come to it
FOUND = entry("search", {"hits": [1, 2]}, q="x")
LARGE = entry("search", "y" * 1_000_000, q="x")


@dataclass(frozen=True, slots=True)
class Deed:
    """What an agent does, in Python, and the ending of the case: a status, or a failure's type."""

    code: str
    ends: str = "passed"
    limit_ms: int = ENOUGH_MS
    cassette: Sequence[Mapping[str, Any]] = ()
    modes: Sequence[str] = ("replay", "live", "record")
    alone: bool = False  # not for an agent that serves several cases
    leaky: bool = False
    keys: Mapping[str, Any] = field(default_factory=dict)


REPLAY, OUTSIDE = ("replay",), ("live", "record")

DEEDS: Mapping[str, Deed] = {
    # agents that are well
    "answers": Deed("done()"),
    "asks": Deed('call("search", q="x")\ndone()', cassette=[FOUND]),
    "asks_often": Deed(
        'for n in range(40): call("search", call_id=str(n), q="x")\ndone()', cassette=[FOUND] * 40
    ),
    "asks_much": Deed('call("search", q="x")\ndone()', cassette=[LARGE], modes=REPLAY),
    "tells_much": Deed('print("z" * 4_000_000, file=sys.stderr, flush=True)\ndone()'),
    "drips": Deed(
        'for one in \'{"type":"final_output","output":{}}\\n\': os.write(1, one.encode())'
    ),
    # agents that die, or do not
    "exits": Deed("sys.exit(3)", "agent_exited_early"),
    "exits_well": Deed("sys.exit(0)", "agent_exited_early"),
    "crashes": Deed("os.kill(os.getpid(), signal.SIGSEGV)", "agent_exited_early"),
    "dies_asking": Deed(
        "ask(1)\nos.kill(os.getpid(), 9)",
        "agent_exited_early",
        cassette=[FOUND],
    ),
    "hangs": Deed("signal.pause()", "timeout", SHORT_MS),
    "is_deaf": Deed("signal.signal(15, signal.SIG_IGN)\nrest()", "timeout", SHORT_MS),
    "stops": Deed("os.kill(os.getpid(), signal.SIGSTOP)\nrest()", "timeout", SHORT_MS),
    "never_reads": Deed(
        "ask(1)\nrest()",
        "timeout",
        SHORT_MS,
        [LARGE],
    ),
    "clings": Deed("signal.signal(15, signal.SIG_IGN)\ndone()\nrest()", alone=True),
    "shuts_its_ears": Deed("os.close(0)\ndone()\nos._exit(0)", alone=True),
    "fails_at_last": Deed("done()\nos._exit(7)", alone=True),
    # agents that leave something behind
    "leaves_a_child": Deed("sleeper()\ndone()", alone=True, leaky=True),
    "leaves_a_daemon": Deed(
        "if os.fork() == 0: daemon()\nos.wait()\ndone()", alone=True, leaky=True
    ),
    "leaves_many": Deed("for n in range(20): sleeper()\ndone()", alone=True, leaky=True),
    "leaves_and_dies": Deed("sleeper()\nos._exit(1)", "agent_exited_early"),
    # agents that break the protocol
    "chats": Deed('print("hello", flush=True)\nrest()', "protocol_error"),
    "babbles": Deed("os.write(1, bytes([255, 254, 0, 10]))\nrest()", "protocol_error"),
    "digs": Deed('print("[" * 100_000, flush=True)\nrest()', "protocol_error"),
    "floods": Deed('os.write(1, b"x")\nflood(9 << 20)\nrest()', "message_too_large"),
    "repeats_itself": Deed(
        'call("search", q="x")\ncall("search", q="x")\nrest()', "protocol_error", cassette=[FOUND]
    ),
    "says_what_nobody_knows": Deed('send("shrug")\nrest()', "protocol_error"),
    "asks_too_late": Deed(
        'done()\nsend("tool_call", name="search", call_id="1", args={})\nrest()',
        "protocol_error",
        alone=True,
    ),
    # agents that do what they may not
    "gives_up": Deed('send("task_error", message="no " + secret)', "task_error"),
    "asks_a_stranger": Deed('call("stranger")\nrest()', "tool_not_allowed"),
    "asks_anew": Deed('call("search", q="new")\nrest()', "cassette_miss", modes=REPLAY),
    "asks_twice": Deed(
        'for n in "12": call("search", call_id=n, q="x")\nrest()',
        "cassette_exhausted",
        cassette=[FOUND],
        modes=REPLAY,
    ),
    "asks_nothing": Deed("done()", "cassette_unused", cassette=[FOUND], modes=REPLAY),
    "overspends": Deed(
        'send("usage", tokens_out=100)\nrest()',
        "budget_exceeded",
        keys={"budgets": {"max_tokens_out": 10}},
    ),
    "overasks": Deed(
        "for n in range(100): ask(n)\nrest()",
        "budget_exceeded",
        cassette=[FOUND] * 100,
        keys={"budgets": {"max_tool_calls": 5}},
    ),
    "errs": Deed(
        "done()",
        "assertion_failed",
        keys={"assertions": [{"type": "must_call", "tools": ["search"]}]},
    ),
    # tools that are no better
    "breaks_a_tool": Deed('call("breaks")\ndone()', modes=OUTSIDE),
    "ends_a_tool": Deed('call("leaves")\ndone()', modes=OUTSIDE),
    "waits_for_a_tool": Deed('call("sleeps")\ndone()', "timeout", SHORT_MS, modes=OUTSIDE),
}

TOOLS = '''
"""Tools, of which one is well."""

import sys
import time


def breaks(args):
    raise RuntimeError("no answer")


def leaves(args):
    sys.exit(0)


def sleeps(args):
    time.sleep(600)


def search(args):
    return {"hits": [1, 2]}


TOOLS = {"search": search, "breaks": breaks, "leaves": leaves, "sleeps": sleeps}
'''

WORDS = """
def done():
    send("final_output", output={"answer": "fine", "echo": secret})

def ask(n):
    send("tool_call", name="search", call_id=str(n), args={"q": "x"})

def rest():
    while True:
        signal.pause()

def sleeper(**how):
    subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, **how)

def daemon():
    os.setsid()
    sleeper()
    os._exit(0)

def flood(left):
    while left > 0:
        left -= os.write(1, b"x" * 65536)
"""


def source_of(kinds: Sequence[str]) -> str:
    """Write the agent that does these deeds, each when its task asks for it."""
    parts = [WORDS]
    for kind in sorted(set(kinds)):
        lines = DEEDS[kind].code.splitlines()
        parts.append("\n    ".join([f"def {kind}():", *lines]))
    return "\n\n".join([*parts, 'while task := read():\n    globals()[task["input"]["kind"]]()'])
