"""Where lines go: standard output or a file, whole, and one process at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from runledger.errors import StoreError
from runledger.store.sink import is_appendable, open_sink

THREADS = """
import threading
from runledger.store.sink import open_sink
sink = open_sink(None)
def write(name):
    for number in range(3):
        sink.append({"name": name * 300_000, "number": number})
threads = [threading.Thread(target=write, args=(name,)) for name in "abcdefgh"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_threads_share_standard_output_without_mixing_their_lines() -> None:
    """A pipe takes a long line in pieces, and none of another thread comes between them."""
    with subprocess.Popen([sys.executable, "-c", THREADS], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pieces = iter(lambda: os.read(process.stdout.fileno(), 1000), b"")  # type: ignore[union-attr]
        lines = [json.loads(line) for line in b"".join(pieces).splitlines()]

    assert process.returncode == 0
    assert len(lines) == 24
    assert all(len(set(line["name"])) == 1 for line in lines)


@pytest.mark.parametrize("append", [True, False])
def test_a_file_that_another_capture_writes_is_left_alone(tmp_path: Path, append: bool) -> None:
    """The second is told so, and no line of the first is lost."""
    path = tmp_path / "out.jsonl"
    with closing(open_sink(path)) as first:
        first.append(1)
        with pytest.raises(StoreError, match=r"out\.jsonl is being written by another process"):
            open_sink(path, append=append)
        first.append(2)

    assert path.read_bytes() == b"1\n2\n"


def test_what_is_no_file_can_be_written_by_many(tmp_path: Path) -> None:
    """Devices and pipes are not held, nor read before they are written."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    for path in (Path("/dev/null"), pipe):
        with closing(open_sink(path)) as first, closing(open_sink(path)) as second:
            first.append(1)
            second.append(2)

    assert os.read(reader, 100) == b"1\n2\n"
    os.close(reader)


def test_a_device_that_is_full_says_so() -> None:
    """As any other file would."""
    with closing(open_sink(Path("/dev/full"))) as sink, pytest.raises(StoreError, match="No space"):
        sink.append(1)


def test_only_files_can_be_gone_on_with(tmp_path: Path) -> None:
    """A pipe would be read for ever; what is not there yet becomes a file."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")

    assert all(is_appendable(tmp_path / name) for name in ("file", "link", "new"))
    assert not any(map(is_appendable, (tmp_path, tmp_path / "pipe", Path("/dev/null"))))
