"""What is kept of a child's pipes."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.process.pipes import OUTBOX_CAP, LineBuffer, Outbox, Tail, TooLarge


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b""))), st.integers(1, 7))
def test_lines_come_out_whole_however_they_arrive(lines: list[bytes], size: int) -> None:
    """Bytes in pieces of any size give the same lines, in order."""
    stream = b"".join(line + b"\n" for line in lines)
    buffer = LineBuffer()
    found = []
    for start in range(0, len(stream), size):
        buffer.add(stream[start : start + size])
        while (line := buffer.take()) is not None:
            found.append(line)

    assert found == lines
    assert buffer.rest() is None


def test_a_last_line_without_an_end_is_kept() -> None:
    """What stands after the last newline is given once."""
    buffer = LineBuffer()
    buffer.add(b"one\ntwo")

    assert buffer.take() == b"one"
    assert buffer.take() is None
    assert buffer.rest() == b"two"
    assert buffer.rest() is None


def test_a_line_over_the_cap_is_refused_before_it_ends() -> None:
    """A message that never ends cannot fill the memory."""
    buffer = LineBuffer(line_cap=10)
    buffer.add(b"x" * 11)

    with pytest.raises(TooLarge, match="one message"):
        buffer.take()


def test_many_lines_over_the_total_cap_are_refused() -> None:
    """All messages of a trial together have a cap too; a new trial begins anew."""
    buffer = LineBuffer(line_cap=10, total_cap=20)
    buffer.add(b"12345678\n" * 2)
    assert buffer.take() == buffer.take() == b"12345678"
    buffer.reset_total()
    buffer.add(b"12345678\n" * 3)

    with pytest.raises(TooLarge, match="all messages"):
        buffer.take()


def test_a_tail_keeps_the_beginning_and_the_end() -> None:
    """Of a long stream both ends are kept, and a line says how much is not."""
    tail = Tail(head=5, tail=6)
    for number in range(100):
        tail.add(b"\n%03d" % number)

    assert tail.text() == "\n000\n\n… over 389 bytes left out …\n099"


def test_a_tail_keeps_no_half_of_a_word_at_its_gap() -> None:
    """What stands at the gap may be a secret, and half of one is known to no rule."""
    tail = Tail(head=7, tail=9)
    tail.add(b"all (token-1)")
    tail.add(b" and so forth, token-2 done")

    assert tail.text() == "all (\n… over 24 bytes left out …\n done"


def test_a_short_stream_is_kept_whole_even_if_it_is_not_utf8() -> None:
    """Bytes that are not UTF-8 are shown escaped."""
    tail = Tail()
    tail.add(b"caf\xe9")

    assert tail.text() == "caf\\xe9"


def test_an_outbox_writes_as_much_as_the_pipe_takes() -> None:
    """Nothing is lost and nothing blocks when the reader is slow."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    outbox = Outbox(write_end)
    outbox.put(b"x" * 1_000_000)
    received = 0
    while not outbox.flush():
        received += len(os.read(read_end, 65536))
    os.close(write_end)
    while data := os.read(read_end, 65536):
        received += len(data)
    os.close(read_end)

    assert received == 1_000_000


def test_an_outbox_gives_up_when_nobody_reads() -> None:
    """A closed pipe is no reason to fail."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    outbox = Outbox(write_end)
    outbox.put(b"x")

    assert outbox.flush()
    os.close(write_end)


def test_what_messages_lead_to_counts_as_they_do() -> None:
    """A tiny request may ask for a lot; a new trial begins anew."""
    buffer = LineBuffer(line_cap=10, total_cap=20)
    buffer.charge(21)
    with pytest.raises(TooLarge, match="all messages and what they led to"):
        buffer.take()

    buffer.reset_total()
    assert buffer.take() is None


@pytest.mark.parametrize("message", [b"x" * (OUTBOX_CAP // 4), b"{}\n"])
def test_an_outbox_is_full_until_it_is_read(message: bytes) -> None:
    """Whether by few large messages or by many small ones."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    outbox = Outbox(write_end)
    while not outbox.is_full:
        outbox.put(message)
    while not outbox.flush():
        os.read(read_end, 65536)
    assert not outbox.is_full

    while not outbox.is_full:
        outbox.put(message)
    os.close(read_end)
    assert outbox.flush()
    assert not outbox.is_full
    os.close(write_end)
