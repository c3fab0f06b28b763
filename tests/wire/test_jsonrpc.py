"""JSON-RPC with a program."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest

from runledger.ledger.value import Json
from runledger.process.child import DeadlinePassed
from runledger.process.deadline import Deadline
from runledger.process.pipes import TooLarge
from runledger.process.supervisor import Launch, Supervisor
from runledger.wire.jsonrpc import (
    Answer,
    Connection,
    Notification,
    NotSpoken,
    PeerGone,
    Request,
    RpcError,
    Tap,
    parse,
    tap_nothing,
)

PREAMBLE = """
import json, sys
def read():
    return json.loads(sys.stdin.readline())
def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
"""

Connect = Callable[..., Connection]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Give a function that starts a program and connects to it."""
    with Supervisor() as supervisor:

        def connect(source: str, stray_lines: int = 0, tap: Tap = tap_nothing) -> Connection:
            argv = [sys.executable, "-c", PREAMBLE + textwrap.dedent(source)]
            child = supervisor.start(Launch(argv, ".", dict(os.environ)))
            return Connection(child, stray_lines=stray_lines, tap=tap)

        yield connect


def soon() -> Deadline:
    """Give a deadline that a good program meets."""
    return Deadline.after(30)


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"m"}', Request(1, "m")),
        (b'{"jsonrpc":"2.0","id":null,"method":"m"}', Request(None, "m")),
        (b'{"jsonrpc":"2.0","id":"x","method":"m","params":[1]}', Request("x", "m", [1])),
        (b'{"jsonrpc":"2.0","method":"m","params":{}}\r', Notification("m", {})),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Answer(1, None)),
    ],
)
def test_a_message_is_a_request_a_notification_or_an_answer(
    line: bytes, heard: Request | Notification | Answer
) -> None:
    """They are told apart by their id and their method."""
    assert parse(line) == heard


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        ('{"code":-1,"message":"no"}', -1, "no"),
        ('{"code":"x","message":7}', -32603, '{"code":"x","message":7}'),
        ('"no"', -32603, '"no"'),
    ],
)
def test_an_error_of_any_shape_is_an_error(error: str, code: int, message: str) -> None:
    """What cannot be understood is shown."""
    heard = parse(f'{{"jsonrpc":"2.0","id":1,"error":{error}}}'.encode())

    assert isinstance(heard, Answer)
    assert heard.error is not None
    assert (heard.error.code, heard.error.message) == (code, message)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"Welcome!", "not JSON"),
        (b"[]", 'not an object with "jsonrpc"'),
        (b'{"id":1,"result":1}', 'not an object with "jsonrpc"'),
        (b'{"jsonrpc":"2.0","id":1}', "neither a request nor an answer"),
        (b'{"jsonrpc":"2.0","result":1}', "neither a request nor an answer"),
        (b'{"jsonrpc":"2.0","id":1,"result":NaN}', "NaN is not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"result":1}', "duplicate key"),
    ],
)
def test_anything_else_is_no_message(line: bytes, reason: str) -> None:
    """The reason is told in a few words."""
    with pytest.raises(NotSpoken, match=reason):
        parse(line)


def test_a_call_gets_its_own_answer(connect: Connect) -> None:
    """Answers to others, blank lines and notifications do not disturb."""
    connection = connect(
        """
        first, second = read(), read()
        send(method="news")
        print(flush=True)
        send(id=first["id"], result="first")
        send(id=second["id"], result=second["params"])
        """
    )
    connection.ask("first")

    assert connection.call("second", {"x": 2**70, "half": "\ud800"}, soon()) == {
        "x": 2**70,
        "half": "\ud800",
    }


def test_a_refused_call_raises_the_error(connect: Connect) -> None:
    """With its code and what came with it."""
    connection = connect('send(id=read()["id"], error={"code": 7, "message": "no", "data": [1]})')

    with pytest.raises(RpcError, match="no") as caught:
        connection.call("m", None, soon())

    assert (caught.value.code, caught.value.data) == (7, [1])


def test_requests_of_the_other_side_are_served_meanwhile(connect: Connect) -> None:
    """Each is answered with what serves it, or with why nothing does."""

    def serve(request: Request) -> Json:
        if request.method != "double":
            raise RpcError(-32601, "unknown")
        assert isinstance(request.params, int)
        return request.params * 2

    connection = connect(
        """
        call = read()
        send(id="a", method="double", params=21)
        send(id="b", method="other")
        send(id=call["id"], result=[read(), read()])
        """
    )

    assert connection.call("m", None, soon(), serve) == [
        {"jsonrpc": "2.0", "id": "a", "result": 42},
        {"jsonrpc": "2.0", "id": "b", "error": {"code": -32601, "message": "unknown"}},
    ]


def test_a_wait_ends_at_its_deadline(connect: Connect) -> None:
    """A program that chatters without answering gains no time by it."""
    connection = connect('while True: send(method="news")')

    with pytest.raises(DeadlinePassed):
        connection.call("m", None, Deadline.after(0.2))


def test_the_end_of_a_program_is_seen(connect: Connect) -> None:
    """Nobody waits for one who is gone."""
    with pytest.raises(PeerGone):
        connect("read()").call("m", None, soon())


def test_stray_lines_are_borne_up_to_a_number(connect: Connect) -> None:
    """Then the program is told to print elsewhere, with its first line."""
    source = 'print("hello\\nworld", flush=True); send(id=read()["id"], result=1)'

    assert connect(source, stray_lines=2).call("m", None, soon()) == 1
    with pytest.raises(NotSpoken, match='the first: "hello"; print logs to stderr'):
        connect(source, stray_lines=1).call("m", None, soon())


def test_what_was_heard_has_a_weight(connect: Connect) -> None:
    """So that whoever keeps it can know what it costs."""
    connection = connect('send(id=read()["id"], result="x" * 5000)')
    connection.call("m", None, soon())

    assert connection.weight > 5000


def test_an_error_without_an_id_is_for_whoever_waits(connect: Connect) -> None:
    """A program that could not read the question cannot name it, and nobody waits in vain."""
    connection = connect("read(); send(id=None, error={'code': -32700, 'message': 'unreadable'})")

    with pytest.raises(RpcError, match="unreadable"):
        connection.call("m", {}, soon())


def test_a_tap_overhears_every_message_both_ways(connect: Connect) -> None:
    """In order, and lines that are no messages, too, as far as they can be read."""
    heard: list[tuple[str, Json]] = []
    connection = connect(
        """
        call = read()
        print("hello"); print("[1]"); sys.stdout.flush()
        send(id="a", method="no")
        read()
        send(method="news")
        send(id=call["id"], result=1)
        """,
        stray_lines=2,
        tap=lambda direction, message: heard.append((direction, message)),
    )
    connection.call("m", {"x": 1}, soon())

    told = {"code": -32601, "message": "method not found: no"}
    assert heard == [
        ("to_agent", {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"x": 1}}),
        ("from_agent", "hello"),
        ("from_agent", [1]),
        ("from_agent", {"jsonrpc": "2.0", "id": "a", "method": "no"}),
        ("to_agent", {"jsonrpc": "2.0", "id": "a", "error": told}),
        ("from_agent", {"jsonrpc": "2.0", "method": "news"}),
        ("from_agent", {"jsonrpc": "2.0", "id": 1, "result": 1}),
    ]


def test_a_request_may_be_answered_when_something_else_has_happened(connect: Connect) -> None:
    """The talk goes on meanwhile: another descriptor is watched while we wait for the program."""
    read_fd, write_fd = os.pipe()
    connection = connect(
        """
        call = read()
        send(id="later", method="wait")
        send(method="news")
        send(id=call["id"], result=read())
        """
    )
    connection.ask("m")
    request = connection.hear(soon())
    assert isinstance(request, Request)

    def react() -> None:
        connection.child.unwatch(read_fd)
        connection.give(request, "now")

    connection.child.watch(read_fd, react)
    assert connection.hear(soon()) == Notification("news")
    os.write(write_fd, b"!")
    answer = connection.hear(soon())

    assert answer == Answer(1, {"jsonrpc": "2.0", "id": "later", "result": "now"})
    os.close(read_fd)
    os.close(write_fd)


def test_what_a_program_asks_for_counts_as_what_it_says(connect: Connect) -> None:
    """One that asks again and again for something large says too much."""
    connection = connect("""
        while True:
            send(id=1, method="large")
            read()
    """)

    with pytest.raises(TooLarge, match="all messages and what they led to"):
        connection.result_of(1, soon(), lambda _: "x" * 2**22)


def test_a_program_that_exits_without_reading_is_heard_to_the_end(connect: Connect) -> None:
    """Nobody waits for it to read what it will never read."""
    connection = connect("""
        for n in range(12): send(id=n, method="large")
        send(method="last")
    """)
    heard = [connection.hear(soon())]
    while isinstance(request := heard[-1], Request):
        connection.give(request, "x" * 2**22)
        heard.append(connection.hear(soon()))

    assert heard[-1] == Notification("last")
