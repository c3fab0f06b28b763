"""Files that are written line by line, or whole."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runledger.errors import StoreError
from runledger.store import disk
from runledger.store.lines import LONGEST_TAIL, LineLog, encode, is_held, is_torn, read_lines
from runledger.store.whole import write_new, write_whole, write_whole_lines

TEXTS = st.text(st.characters(codec=None))  # lone surrogates too
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=10,
)


@given(VALUES)
def test_every_value_is_one_line_of_utf8(value: object) -> None:
    """Whatever an agent says can be written, and read again by a strict reader."""
    line = encode(value)  # type: ignore[arg-type]

    assert b"\n" not in line
    json.loads(line.decode("utf-8"))
    orjson.loads(line)


def test_a_lone_surrogate_is_spelled_out() -> None:
    """The record shows what was there."""
    assert orjson.loads(encode({"a": "x\ud800"})) == {"a": "x\\ud800"}


def test_threads_write_whole_lines(tmp_path: Path) -> None:
    """Lines of several threads do not mix."""
    log = LineLog(tmp_path / "log")

    def write(name: str) -> None:
        for number in range(200):
            log.append({"name": name * 1000, "number": number})

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log.close()

    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(lines) == 800
    assert all(len(set(line["name"])) == 1 for line in lines)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    """When a line does not fit, the file ends with the line before it, and the error says so."""
    source = f"""
import resource, signal
from pathlib import Path
from runledger.errors import StoreError
from runledger.store.lines import LineLog
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
log = LineLog(Path({str(tmp_path / "log")!r}))
log.append("x" * 50)
try:
    log.append("y" * 80)
except StoreError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True
    )

    assert "could not write" in done.stdout
    assert "File too large" in done.stdout
    assert (tmp_path / "log").read_text() == '"' + "x" * 50 + '"\n'
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 100


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    """Readers see whole lines only."""
    (tmp_path / "log").write_bytes(b'{"a":1}\n{"b":')

    assert list(read_lines(tmp_path / "log")) == [b'{"a":1}\n']


@pytest.mark.parametrize(
    ("tail", "kept"),
    [
        ('{"b":2}', '{"b":2}\n'),
        ('{"b":', ""),
        ('{"b":2}\n', '{"b":2}\n'),
        ("  ", ""),
        ('{"b":"' + "x" * 200_000 + '"}', '{"b":"' + "x" * 200_000 + '"}\n'),
        ('{"b":"' + "x" * 200_000, ""),
    ],
)
def test_only_what_is_torn_is_cut_off(tmp_path: Path, tail: str, kept: str) -> None:
    """A last line that lacks nothing but its end is ended; readers and writers agree on it."""
    (tmp_path / "log").write_text('{"a":1}\n' + tail)
    read = b"".join(read_lines(tmp_path / "log")).decode()
    log = LineLog(tmp_path / "log")
    log.append({"c": 3})
    log.close()

    assert read == '{"a":1}\n' + kept
    assert (tmp_path / "log").read_text() == '{"a":1}\n' + kept + '{"c":3}\n'


def test_an_endless_tail_is_torn() -> None:
    """Nobody reads all of it to find out."""
    assert is_torn(b" " * LONGEST_TAIL + b"1")
    assert not is_torn(b" " * (LONGEST_TAIL - 1) + b"1")


def test_a_log_that_is_held_is_left_as_it_is(tmp_path: Path) -> None:
    """A second writer is refused before it empties or mends anything, and the lock ends well."""
    first = LineLog(tmp_path / "log", alone=True)
    first.write(b'{"a":')
    for fresh in (True, False):
        with pytest.raises(StoreError, match="is being written by another process"):
            LineLog(tmp_path / "log", fresh=fresh, alone=True)
    held = is_held(tmp_path / "log")
    first.close()

    assert (tmp_path / "log").read_bytes() == b'{"a":'
    assert (held, is_held(tmp_path / "log")) == (True, False)
    LineLog(tmp_path / "log", fresh=True, alone=True).close()


def test_a_log_that_cannot_be_opened_leaves_no_descriptor(tmp_path: Path) -> None:
    """Many failures in a row do not use up what a process may open."""
    first = LineLog(tmp_path / "log", alone=True)
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208
    for _ in range(5):
        with pytest.raises(StoreError):
            LineLog(tmp_path / "log", alone=True)

    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208
    first.close()


def test_lines_replace_a_file_as_they_come(tmp_path: Path) -> None:
    """They may be read from the file that they replace; an error leaves it as it was."""
    path = tmp_path / "file"
    path.write_bytes(b"1\n2\n3\n")
    write_whole_lines(path, (line for line in read_lines(path) if line != b"2\n"))

    def broken() -> Iterator[bytes]:
        yield b"4\n"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write_whole_lines(path, broken())
    assert path.read_bytes() == b"1\n3\n"
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new content is there, and nothing lies beside it."""
    path = tmp_path / "file"
    write_whole(path, b"old")
    write_whole(path, b"new")

    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    """An error leaves the old file and no other."""
    (tmp_path / "target").mkdir()

    with pytest.raises(StoreError, match="could not write"):
        write_whole(tmp_path / "target", b"new")
    assert os.listdir(tmp_path) == ["target"]  # noqa: PTH208


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path: Path) -> None:
    """What only its owner may read stays so."""
    file = tmp_path / "a"
    write_whole(file, b"1")
    file.chmod(0o600)

    write_whole(file, b"2")

    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"2", 0o600)


def test_a_new_file_overwrites_nobody(tmp_path: Path) -> None:
    """Who was there first stays, and nothing is left beside."""
    assert write_new(tmp_path / "a", b"1")
    assert not write_new(tmp_path / "a", b"2")

    assert (tmp_path / "a").read_bytes() == b"1"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_new_file_is_told_though_something_is_left_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there, whole: to say otherwise would be to have it made again, or not used."""

    def watch(step: disk.Step, path: Path) -> None:
        if step == "remove":
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk, "watch", watch)

    assert write_new(tmp_path / "a", b"1")
    assert not write_new(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"1"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What it leads to is replaced."""
    (tmp_path / "real").write_bytes(b"1")
    (tmp_path / "link").symlink_to("real")

    write_whole(tmp_path / "link", b"2")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"2"


def test_a_device_is_written_to_and_stays_what_it_is() -> None:
    """Naming one as the place of a file must not take it from everybody else."""
    near, far = os.openpty()
    device = Path(os.ttyname(far))
    write_whole(device, b"whole")

    assert os.read(near, 100) == b"whole"
    assert device.is_char_device()
    os.close(near)
    os.close(far)
