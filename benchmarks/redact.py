"""What redaction costs a log: CPU seconds for 10 MB of event lines, and ratios to encoding alone.

Lines are encoded with orjson, then encoded and redacted: clean ones, ones that all name tokens
without holding any, and ones of which each hundredth holds a secret, the last also where 200
secrets are known. The best of several rounds is taken for each, since a shared machine is noisy.

Usage: redact.py [MEGABYTES] [ROUNDS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import orjson

from runledger.store.lines import encode
from runledger.store.redact.redactor import Redactor

Event = dict[str, Any]

SECRETS = [f"value-of-variable-{number:02}-{'a1B2' * 6}" for number in range(10)]
MANY_SECRETS = [*SECRETS, *(f"another-{number:03}-{'c3D4' * 6}" for number in range(190))]
PROSE = "The customer cannot sign in since the last update; the article on accounts may help. " * 4


def clean_event(number: int) -> Event:
    """Make an event like those of a tool-using agent."""
    return {
        "seq": number,
        "ts": "2026-02-15T10:11:12.345Z",
        "case_id": f"case-{number % 100}",
        "trial": 1,
        "attempt": 1,
        "type": "tool_result",
        "call_id": f"toolu_{number:024x}",
        "ok": True,
        "result": {"hits": [{"title": "Reset", "url": "https://h.example/a?p=2", "text": PROSE}]},
    }


def naming_event(number: int) -> Event:
    """Make an event with a name that tells, and nothing to tell."""
    return {**clean_event(number), "args": {"token": "", "note": "the password: must be long"}}


def mixed_event(number: int) -> Event:
    """Make an event that holds a secret now and then."""
    if number % 100:
        return clean_event(number)
    said = f"login --token {'x1Y2' * 9}, then {SECRETS[number % 10]}"
    return {**clean_event(number), "args": {"password": "hunter2", "text": said}}


def events(make: Callable[[int], Event], size: int) -> Iterator[Event]:
    """Make events until their lines have a size."""
    for number in count():
        event = make(number)
        size -= len(orjson.dumps(event)) + 1
        if size < 0:
            return
        yield event


def write(redactor: Redactor, event: Event) -> bytes:
    """Write an event as a log does."""
    return encode(redactor.value(event))


def cost(write: Callable[[Event], object], lines: list[Event], rounds: int) -> float:
    """Give the least CPU seconds that writing all lines took."""
    return min(_once(write, lines) for _ in range(rounds))


def _once(write: Callable[[Event], object], lines: list[Event]) -> float:
    started = time.process_time()
    for line in lines:
        write(line)
    return time.process_time() - started


def main() -> None:
    """Measure each kind of line."""
    megabytes, rounds = (int(word) for word in [*sys.argv[1:], "10", "5"][:2])
    print(f"{megabytes} MB of lines, best of {rounds}; CPU seconds (ratio to encoding alone)")
    few, many = Redactor(SECRETS), Redactor(MANY_SECRETS)
    for name, make, redactor in (
        ("clean", clean_event, few),
        ("naming", naming_event, few),
        ("1 %", mixed_event, few),
        ("1 % of 200", mixed_event, many),
    ):
        lines = list(events(make, megabytes * 1_000_000))
        least = cost(orjson.dumps, lines, rounds)
        found = cost(partial(write, redactor), lines, rounds)
        figures = f"encoded {least:7.3f}   redacted {found:7.3f}   {found / least:6.2f}x"
        print(f"{name:12}{len(lines):7} lines   {figures}")


if __name__ == "__main__":
    main()
