"""Whatever bytes a program writes, in whatever pieces, lines are read or refused by name."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from fuzz.mutations import ODD_BYTES, ODD_VALUES, changed, edited, written
from fuzz.refusals import check_words
from fuzz.scratch import put, scratch
from runledger.errors import AgentError
from runledger.ledger.strict_json import dump_line, is_deep, loads
from runledger.ledger.value import Json
from runledger.process.pipes import LineBuffer, Tail, TooLarge
from runledger.store.lines import LineLog, decode, encode_line, read_lines
from runledger.wire import jsonrpc, messages

LINE_CAP, TOTAL_CAP = 40, 200
HEAD, TAIL = 10, 20

MESSAGES: list[Json] = [
    {"type": "tool_call", "name": "search", "call_id": "c1", "args": {"q": "x"}, "more": 1},
    {"type": "final_output", "output": {"answer": [1, 2.5, None, "é"]}},
    {"type": "log", "level": "info", "message": "hi", "data": {"a": 1}},
    {"type": "task_error", "message": "no", "data": []},
    {"type": "usage", "tokens_in": 1, "tokens_out": 2.0, "cost_usd": 0.1, "model": "m"},
]
RPC: list[Json] = [
    {"jsonrpc": "2.0", "id": 1, "method": "session/update", "params": {"a": 1}},
    {"jsonrpc": "2.0", "method": "session/update", "params": [1]},
    {"jsonrpc": "2.0", "id": "a", "result": {"a": 1}},
    {"jsonrpc": "2.0", "id": None, "error": {"code": -32601, "message": "no", "data": 1}},
]
CONTENTS = st.lists(ODD_BYTES | st.binary(max_size=50) | st.just(b"\n"), max_size=12).map(b"".join)
PIECES = st.lists(st.integers(1, 60), max_size=20)


def lines_of(content: bytes, sizes: Sequence[int]) -> tuple[list[bytes], bool]:
    """Read content in pieces of these sizes; give its lines, and whether it was too large."""
    buffer, lines, start = LineBuffer(LINE_CAP, TOTAL_CAP), [], 0
    try:
        for size in (*sizes, len(content)):
            buffer.add(content[start : start + size])
            start += size
            while (line := buffer.take()) is not None:
                lines.append(line)
    except TooLarge:
        return lines, True
    rest = buffer.rest()
    return lines if rest is None else [*lines, rest], False


def check_protocol_error(error: AgentError) -> None:
    """See that a line was refused as one, in words that can be written down."""
    assert error.kind == "protocol_error"
    check_words(error)
    encode_line({"message": str(error), "details": error.details})


@BRIEFLY
@given(CONTENTS, PIECES)
def test_lines_are_the_same_in_whatever_pieces_they_come(
    content: bytes, sizes: Sequence[int]
) -> None:
    """The lines are those of the content, and only a cap keeps one back."""
    whole = content.split(b"\n")
    is_large = len(content) > TOTAL_CAP or any(len(line) > LINE_CAP for line in whole)

    lines, was_large = lines_of(content, sizes)

    assert was_large == is_large
    assert lines == (whole[: len(lines)] if is_large else whole if whole[-1] else whole[:-1])


@BRIEFLY
@given(st.lists(ODD_BYTES | st.binary(max_size=30), max_size=12), PIECES)
def test_what_is_kept_of_a_stream_is_its_beginning_and_its_end(
    pieces: Sequence[bytes], sizes: Sequence[int]
) -> None:
    """However much comes, little is kept, and it is text that can be written."""
    content, tail, start = b"".join(pieces), Tail(HEAD, TAIL), 0
    for size in (*sizes, len(content)):
        tail.add(content[start : start + size])
        start += size

    text = tail.text()

    text.encode()
    assert len(text) <= 4 * (HEAD + TAIL) + 60
    assert len(content) > HEAD + TAIL or text == content.decode("utf-8", "backslashreplace")


@BRIEFLY
@given(changed(MESSAGES).map(written) | edited([*map(written, MESSAGES)]))
def test_an_agents_line_is_understood_or_a_protocol_error(line: bytes) -> None:
    """What is understood can be written down and sent; what is not says what to do."""
    try:
        heard = messages.parse(line)
    except AgentError as error:
        check_protocol_error(error)
        return
    fields = {name: getattr(heard, name) for name in heard.__slots__ if name != "usage"}
    assert loads(dump_line(fields), 300) == fields
    assert messages.weight_of(line) >= len(line)


@BRIEFLY
@given(changed(RPC).map(written) | edited([*map(written, RPC)]))
def test_a_servers_line_is_a_message_or_is_not_spoken(line: bytes) -> None:
    """What is no JSON-RPC is refused by the one name for it."""
    try:
        heard = jsonrpc.parse(line)
    except jsonrpc.NotSpoken as reason:
        check_words(reason)
        return
    assert isinstance(heard, (jsonrpc.Request, jsonrpc.Notification, jsonrpc.Answer))


@BRIEFLY
@given(ODD_VALUES.filter(lambda value: not is_deep(value, 249)))
def test_what_is_written_as_a_line_is_read_back(value: Json) -> None:
    """A value comes back as it was; of what UTF-8 cannot write, its spelling does."""
    line = encode_line(value)

    assert line.count(b"\n") == 1
    assert line == encode_line(decode(line))


@BRIEFLY
@given(
    st.lists(ODD_VALUES.map(encode_line) | ODD_BYTES | st.binary(max_size=20), max_size=5),
    ODD_VALUES,
)
def test_a_log_is_gone_on_with_whatever_stands_in_it(before: list[bytes], value: Json) -> None:
    """What was whole stays, what was torn is cut off, and the next line stands by itself."""
    file = put(scratch("lines") / "log.jsonl", b"".join(before))
    whole = [*read_lines(file)]

    log = LineLog(file)
    log.append({"value": value})
    log.close()

    assert [*read_lines(file)] == [*whole, encode_line({"value": value})]
    assert file.read_bytes() == b"".join(read_lines(file))


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"a":' * 100_000 + b"9" * 20])
def test_a_line_that_never_ends_its_lists_is_refused(deep: bytes) -> None:
    """Depth costs no traceback."""
    with pytest.raises(AgentError, match="not JSON"):
        messages.parse(deep)
