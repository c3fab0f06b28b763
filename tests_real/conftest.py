"""Real agents, each with a scripted model and a home of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench import Answers, ask
from peers import Peer
from scripted_model.server import ModelServer

GRADER = """
from pathlib import Path

def grade(*, cwd, metadata, **_):
    found = sorted(path.name for path in Path(cwd).glob("*.txt"))
    right = found == metadata.get("files", [])
    return {"pass": right, "score": float(right), "outcome": {"files": found}}
"""


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    """Serve a scripted model."""
    with ModelServer() as server:
        yield server


# A class is one agent, and all that it is asked is asked once.
@pytest.fixture(scope="class")
def peer(
    request: pytest.FixtureRequest, model: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Peer:
    """Give the agent of a class."""
    found: Peer = request.cls.meet(tmp_path_factory.mktemp("agent"), model.url)
    return found


@pytest.fixture(scope="class")
def done(peer: Peer) -> Answers:
    """Ask the agent what it can do, each prompt judged by the files it made."""
    grader = peer.bench.place / "grader.py"
    grader.write_text(GRADER)
    return peer.bench.capture(
        ask("write_file", metadata={"files": ["made.txt"]}),
        ask("failing_shell"),
        ask("two_tools", metadata={"files": ["a.txt", "b.txt"]}),
        ask("mcp"),
        ask("hello", "count"),
        flags=("-t", "120000", "-j", str(peer.jobs), "-g", str(grader)),
    )


@pytest.fixture(scope="class")
def undone(peer: Peer) -> Answers:
    """Ask the agent what its model refuses, and what never ends: an answer, and a command."""
    return peer.bench.capture(
        ask("model_error"),
        ask("slow", timeout=peer.limit_ms),
        ask("slow_shell", timeout=peer.limit_ms),
        flags=("-t", "120000", "-j", str(peer.jobs)),
    )
