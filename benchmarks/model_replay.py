"""What the replay of an agent's model calls costs, beside vcrpy on the same requests.

A request is as large as those of a coding agent: 110 KB, of which most is tools, instructions and
the conversation so far. Ours answers over HTTP to a client in another process, by the profile of
that agent, with everything that a trial does: reading, matching, streaming, counting tokens. Its
figures are the median time until an answer is whole, for the client, and how many requests the
server answers in a second of processor time. vcrpy answers inside the client's own process, without
any socket, by method and body. Both look for each request among 10, 100 and 1000 recorded ones.

The promises: at most 3 ms at the median and at least 800 requests in a second of processor time on
a quiet machine, and a cost that does not grow with the number of recordings.

Usage: model_replay.py [REQUESTS] [ROUNDS]
"""

from __future__ import annotations

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runledger.ledger.proxy import ModelProxy
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.proxies.model import open_model
from runledger.store.cassette.entry import ModelAnswer, ModelEntry
from runledger.store.cassette.load import Cassette
from runledger.store.replay.player import Player
from runledger.suite.profile import load_profile

CLIENT = Path(__file__).parent / "programs" / "model_client.py"
PATH = "/v1/messages"
SIZES = (10, 100, 1000)
VCR_REQUESTS = {10: 20, 100: 5, 1000: 1}  # more would take minutes
PROSE = "The file holds the settings of the server; look there before you change anything. "
PROMISED_MS, PROMISED_PER_S, PROMISED_GROWTH = 3.0, 800.0, 1.5


def body_of(number: int) -> dict[str, Any]:
    """Make a request of 110 KB in the manner of claude, different from all others."""
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 32000,
        "stream": True,
        "metadata": {"user_id": f"user_{number:064x}_session_{number:08x}"},
        "system": [{"type": "text", "text": PROSE * 180}],
        "tools": TOOLS,
        "messages": [*TALK, {"role": "user", "content": f"Now look at part {number}."}],
    }


TOOLS = [
    {
        "name": f"Tool{number}",
        "description": PROSE * 30,
        "input_schema": {
            "type": "object",
            "properties": {name: {"type": "string", "description": PROSE} for name in "abc"},
        },
    }
    for number in range(18)
]
TALK = [
    {
        "role": "assistant" if number % 2 else "user",
        "content": [{"type": "text", "text": f"{number}: {PROSE * 12}"}],
    }
    for number in range(46)
]


def frames() -> Iterator[bytes]:
    """Make an answer of 20 events."""
    usage = {"input_tokens": 27000, "output_tokens": 1}
    start = {"id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5", "usage": usage}
    yield _event("message_start", message=start)
    for number in range(17):
        delta = {"type": "text_delta", "text": f"Some words, the {number}th of them. "}
        yield _event("content_block_delta", index=0, delta=delta)
    yield _event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 200})
    yield _event("message_stop")


def _event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


ANSWER = ModelAnswer(200, {"content-type": "text/event-stream"}, tuple(frames()))


@dataclass(frozen=True)
class Figures:
    """What answering cost."""

    median_ms: float
    per_cpu_s: float


def ours(entries: int, requests: int, place: Path) -> Figures:
    """Measure our replay: time at the client, processor time at the server."""
    recorded = [ModelEntry(n + 1, "POST", PATH, body_of(n), ANSWER) for n in range(entries)]
    cassette = Cassette("bench.jsonl", "", (), models=tuple(recorded))
    proxy = ModelProxy("ANTHROPIC_BASE_URL", "http://127.0.0.1:9", load_profile("claude-code"))
    took: list[float] = []
    spent, answered = 0.0, 0
    while answered < requests:
        asked = _spread(entries, requests)
        station = Station(lambda what: None, _stop, Faults(), player=Player(cassette))
        with open_model(proxy, station) as server:
            _ask(server.url, _written(asked[:1], place))  # it reads all that was recorded
            before = _cpu_of_server()
            took += _ask(server.url, _written(asked[1:], place))
            spent += _cpu_of_server() - before
        answered += len(asked)
    return Figures(statistics.median(took), len(took) / spent)


def _cpu_of_server() -> float:
    """Give the seconds of processor time that the thread of the server has taken."""
    (thread,) = (one for one in threading.enumerate() if one.name.startswith("model "))
    assert thread.ident is not None
    return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))


def _spread(entries: int, wanted: int) -> list[int]:
    """Choose requests from all over the recording; each is recorded once."""
    count = min(entries, wanted)
    return [entries * (2 * one + 1) // (2 * count) for one in range(count)]


def _written(numbers: Sequence[int], place: Path) -> Path:
    file = place / "requests"
    file.write_bytes(b"".join(json.dumps(body_of(n)).encode() + b"\n" for n in numbers))
    return file


def _ask(url: str, file: Path) -> list[float]:
    done = subprocess.run(
        [sys.executable, str(CLIENT), url, str(file)], capture_output=True, check=True
    )
    found: list[float] = json.loads(done.stdout)
    return found


def _stop(fault: Exception) -> None:
    raise SystemExit(f"a request was not answered: {fault}")


def vcrpy(entries: int, requests: int) -> Figures:
    """Measure vcrpy: it answers in the client's process, so both are the same time."""
    import vcr

    tape = vcr.VCR(record_mode="none", match_on=("method", "body"))
    tape.register_persister(_InMemory(entries))
    took: list[float] = []
    with tape.use_cassette("bench"):
        before = time.process_time()
        for number in _spread(entries, requests):
            started = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", 9)
            sent = json.dumps(body_of(number)).encode()
            connection.request("POST", PATH, sent, {"content-type": "application/json"})
            assert connection.getresponse().read() == b"".join(ANSWER.frames)
            took.append((time.perf_counter() - started) * 1000)
        spent = time.process_time() - before
    return Figures(statistics.median(took), len(took) / spent)


class _InMemory:
    """Give vcrpy its recording without a file, which would take it minutes to read."""

    def __init__(self, entries: int) -> None:
        self._entries = entries

    def load_cassette(self, path: object, serializer: object) -> tuple[list[Any], list[Any]]:
        """Give the recorded requests and answers."""
        from vcr.request import Request

        headers = {"content-type": "application/json"}
        requests = [
            Request("POST", f"http://127.0.0.1:9{PATH}", json.dumps(body_of(n)).encode(), headers)
            for n in range(self._entries)
        ]
        answer = {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["text/event-stream"]},
            "body": {"string": b"".join(ANSWER.frames)},
        }
        return requests, [answer] * self._entries

    def save_cassette(self, *_: object) -> None:
        """Save nothing."""


def main() -> int:
    """Print both beside each other, and whether the promises are kept."""
    requests, rounds = (int(word) for word in [*sys.argv[1:], "200", "3"][:2])
    size = len(json.dumps(body_of(0))) // 1000
    print(f"requests of {size} KB, answers of {len(ANSWER.frames)} frames; best of {rounds} rounds")
    print(f"{'recorded':>10}{'ours: median':>20}{'per CPU second':>18}{'vcrpy: median':>20}")
    found: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory() as place:
        for entries in SIZES:
            many = [ours(entries, requests, Path(place)) for _ in range(rounds)]
            found[entries] = best = Figures(
                min(one.median_ms for one in many), max(one.per_cpu_s for one in many)
            )
            other = vcrpy(entries, VCR_REQUESTS[entries])
            print(
                f"{entries:>10}{best.median_ms:>17.2f} ms{best.per_cpu_s:>18.0f}"
                f"{other.median_ms:>17.2f} ms {other.median_ms / best.median_ms:>8.1f}x"
            )
    return int(not _kept(found))


def _kept(found: dict[int, Figures]) -> bool:
    slowest = min(one.per_cpu_s for one in found.values())
    growth = found[SIZES[0]].per_cpu_s / found[SIZES[-1]].per_cpu_s
    median = max(one.median_ms for one in found.values())
    print(f"cost of {SIZES[-1]} beside {SIZES[0]}: {growth:.2f}x; promised: {PROMISED_GROWTH}x")
    return median <= PROMISED_MS and slowest >= PROMISED_PER_S and growth <= PROMISED_GROWTH


if __name__ == "__main__":
    sys.exit(main())
